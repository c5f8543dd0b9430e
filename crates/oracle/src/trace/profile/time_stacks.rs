//! Response time as stacks: statement, call, what it waited for; deeper calls on top of their own.

use super::events::EventId;
use super::nesting::SEVERAL_EVENTS;
use super::ranking::{NOT_ACCOUNTED_FOR, OVER_ACCOUNTED};
use super::statement::{StatementId, StatementKey};
use super::time_tree::{Branch, Step};
use super::{Profile, signed};

/// Response time by what it was spent in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeStacks {
    /// Stacks, the outermost frame first, and their time in nanoseconds. Together they are the response
    /// time of the profile and [`TimeStacks::beyond_ns`].
    pub stacks: Vec<(Vec<String>, u64)>,
    /// Processor time beyond the elapsed time of its calls, which is not drawn: the server rounds.
    pub cpu_left_out_ns: u64,
    /// Time waited beyond the elapsed time of the calls waited in, which is not drawn.
    pub waits_left_out_ns: u64,
    /// What is drawn too much, because calls within took longer than the call, by rounding.
    pub beyond_ns: u64,
}

/// How much of a statement's text is part of its name, in characters.
const TEXT: usize = 100;

impl TimeStacks {
    pub(super) fn of(tree: &Branch, profile: &Profile) -> TimeStacks {
        let mut made = TimeStacks::default();
        made.branches(tree, profile, &mut Vec::new());
        made
    }

    /// Takes what stands on a branch. The tree is not high.
    fn branches(&mut self, branch: &Branch, profile: &Profile, path: &mut Vec<String>) {
        for ((key, step), above) in &branch.calls {
            path.push(statement(*key, profile));
            path.push(step.word().to_owned());
            self.own(above, *step, profile, path);
            self.branches(above, profile, path);
            path.truncate(path.len() - 2);
        }
    }

    /// Takes the time of a branch without deeper calls: waits, processor time, and what is neither. No more
    /// than its elapsed time: what the server counted as both stands on the waits.
    fn own(&mut self, branch: &Branch, step: Step, profile: &Profile, path: &[String]) {
        let name = |event: EventId| match profile.events.get(event) {
            _ if event == SEVERAL_EVENTS => "(several events)",
            Some(event) => &*event.name,
            None => "(unknown event)",
        };
        let waits = branch.waits.iter();
        let mut waits: Vec<(&str, u64)> = waits.map(|(&event, &ns)| (name(event), ns)).collect();
        if step == Step::Between {
            for (event, ns) in waits {
                self.push(path, &[event], ns);
            }
            return;
        }
        let elapsed_ns = branch.elapsed_ns.saturating_sub(signed(branch.idle_ns));
        let whole_ns = u64::try_from(elapsed_ns).unwrap_or(0);
        let short_ns = if elapsed_ns < 0 { elapsed_ns.unsigned_abs() } else { 0 };
        self.beyond_ns = self.beyond_ns.saturating_add(short_ns);
        let waited_ns = waits.iter().fold(0_u64, |sum, (_, ns)| sum.saturating_add(*ns));
        waits.sort_by_key(|(_, ns)| std::cmp::Reverse(*ns));
        let mut left_ns = whole_ns;
        for (_, ns) in &mut waits {
            *ns = left_ns.min(*ns);
            left_ns -= *ns;
        }
        self.waits_left_out_ns =
            self.waits_left_out_ns.saturating_add(waited_ns.saturating_sub(whole_ns));
        let cpu_ns = u64::try_from(branch.cpu_ns).unwrap_or(0);
        let mut both_ns = cpu_ns.saturating_sub(left_ns);
        for (event, ns) in waits {
            let here_ns = both_ns.min(ns);
            both_ns -= here_ns;
            self.push(path, &[event], ns - here_ns);
            self.push(path, &[event, OVER_ACCOUNTED], here_ns);
        }
        let drawn_ns = cpu_ns.min(left_ns);
        self.push(path, &["CPU"], drawn_ns);
        self.push(path, &[NOT_ACCOUNTED_FOR], left_ns - drawn_ns);
        self.cpu_left_out_ns = self.cpu_left_out_ns.saturating_add(both_ns);
    }

    fn push(&mut self, path: &[String], names: &[&str], ns: u64) {
        if ns > 0 {
            let names = names.iter().map(|name| (*name).to_owned());
            self.stacks.push((path.iter().cloned().chain(names).collect(), ns));
        }
    }
}

/// What a statement is called: how its text begins, and what names it.
fn statement(key: StatementKey, profile: &Profile) -> String {
    let text = profile.statements.get(key).map_or("", |statement| &*statement.text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let head: String = words.join(" ").chars().take(TEXT).collect();
    match key.id {
        StatementId::SqlId(_) | StatementId::Hash(_) if !head.is_empty() => {
            format!("{head} [{}]", key.id)
        }
        StatementId::Text(_) if !head.is_empty() => head,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::{Limits, Profiler};
    use super::*;
    use crate::trace::scan_slice;

    fn stacks_of(text: &str) -> (Profile, TimeStacks) {
        let mut profiler = Profiler::new("x.trc", Limits::default(), 8_192).with_stacks();
        scan_slice(text.as_bytes(), &mut profiler);
        profiler.finish_with_stacks()
    }

    const TRACE: &str = "\
=====================
PARSING IN CURSOR #1 len=8 dep=0 uid=1 oct=3 lid=1 tim=1000 hv=1 ad='a' sqlid='outer1'
select 1
END OF STMT
PARSE #1:c=10,e=20,p=0,cr=0,cu=0,mis=1,r=0,dep=0,og=1,plh=0,tim=1000
=====================
PARSING IN CURSOR #2 len=8 dep=1 uid=0 oct=3 lid=0 tim=1050 hv=2 ad='b' sqlid='inner2'
select 2
END OF STMT
WAIT #2: nam='db file sequential read' ela= 30 file#=1 block#=2 blocks=1 obj#=3 tim=1090
EXEC #2:c=5,e=50,p=1,cr=1,cu=0,mis=0,r=0,dep=1,og=1,plh=0,tim=1100
WAIT #1: nam='direct path read' ela= 100 file number=1 first dba=2 block cnt=1 obj#=3 tim=1300
EXEC #1:c=60,e=400,p=1,cr=1,cu=0,mis=0,r=0,dep=0,og=1,plh=0,tim=1400
WAIT #1: nam='log file sync' ela= 70 buffer#=1 sync scn=2 p3=0 obj#=3 tim=1500
WAIT #1: nam='SQL*Net message from client' ela= 5000 driver id=1 #bytes=1 p3=0 obj#=3 tim=7000
";

    #[test]
    fn the_stacks_are_the_response_time() {
        let (profile, times) = stacks_of(TRACE);
        let lines: Vec<String> = times
            .stacks
            .iter()
            .map(|(frames, ns)| format!("{} {}", frames.join(";"), ns / 1_000))
            .collect();
        let expected = [
            "select 1 [outer1];parse;CPU 10",
            "select 1 [outer1];parse;not accounted for 10",
            // 400 elapsed, 50 of it below, 100 waited, 60 - 5 on a processor.
            "select 1 [outer1];exec;direct path read 100",
            "select 1 [outer1];exec;CPU 55",
            "select 1 [outer1];exec;not accounted for 195",
            "select 1 [outer1];exec;select 2 [inner2];exec;db file sequential read 30",
            "select 1 [outer1];exec;select 2 [inner2];exec;CPU 5",
            "select 1 [outer1];exec;select 2 [inner2];exec;not accounted for 15",
            "select 1 [outer1];between calls;log file sync 70",
        ];
        assert_eq!(lines, expected);
        // By hand: 20 + 400 of the user's calls, and 70 between them.
        let sum: u64 = times.stacks.iter().map(|(_, ns)| ns).sum();
        assert_eq!((sum, profile.spent.response_ns(), times.beyond_ns), (490_000, 490_000, 0));
    }

    #[test]
    fn processor_time_within_waits_is_drawn_once() {
        let text = "\
PARSING IN CURSOR #1 len=8 dep=0 uid=1 oct=3 lid=1 tim=1000 hv=1 ad='a' sqlid='a'
select 1
END OF STMT
WAIT #1: nam='direct path read' ela= 90 file number=1 first dba=2 block cnt=1 obj#=3 tim=1095
EXEC #1:c=50,e=100,p=1,cr=1,cu=0,mis=0,r=0,dep=0,og=1,plh=0,tim=1100
WAIT #1: nam='direct path read' ela= 60 file number=1 first dba=2 block cnt=1 obj#=3 tim=2060
FETCH #1:c=0,e=50,p=1,cr=1,cu=0,mis=0,r=0,dep=0,og=1,plh=0,tim=2060
";
        let (profile, times) = stacks_of(text);
        let sum: u64 = times.stacks.iter().map(|(_, ns)| ns).sum();
        // 90 waited of 100, and 50 on a processor: 40 are both. 60 waited of 50.
        let ns = |names: &[&str]| -> u64 {
            let ends = |frames: &[String]| {
                frames.iter().rev().zip(names.iter().rev()).all(|(one, two)| one == two)
            };
            times.stacks.iter().filter(|(frames, _)| ends(frames)).map(|(_, ns)| ns).sum()
        };
        assert_eq!(ns(&["direct path read", "over-accounted for"]), 40_000);
        assert_eq!((ns(&["direct path read"]), ns(&["CPU"])), (100_000, 10_000));
        assert_eq!(
            (times.cpu_left_out_ns, times.waits_left_out_ns, times.beyond_ns),
            (0, 10_000, 0)
        );
        assert_eq!((sum, profile.spent.response_ns()), (150_000, 150_000));
    }

    #[test]
    fn calls_nested_without_end_keep_their_time() {
        let mut text = String::new();
        let depth = 3_000_u64;
        // The deepest ends first; each holds the one before it.
        for level in 0..depth {
            let (dep, elapsed, tim) = (depth - 1 - level, 10 * (level + 1), 1_000_000 + level);
            let _ = writeln!(
                text,
                "EXEC #1:c=0,e={elapsed},p=0,cr=0,cu=0,mis=0,r=0,dep={dep},og=1,plh=0,tim={tim}"
            );
        }
        let (profile, times) = stacks_of(&text);
        let sum: u64 = times.stacks.iter().map(|(_, ns)| ns).sum();
        assert_eq!((profile.spent.response_ns(), sum), (30_000_000, 30_000_000));
        assert!(times.stacks.iter().all(|(frames, _)| frames.len() < 200));
    }
}
