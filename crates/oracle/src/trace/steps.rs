//! A trace as steps on the wall clock: statements, their calls, and the waits of these.

use std::collections::HashMap;
use std::sync::Arc;

use isotherm_frame::{Clock, MemoryAccount, Nanos, PathLevel, PathOutcome, PathStep, Timestamp};
use jiff::tz::TimeZone;

use super::head::names_process;
use super::session::SESSION;
use super::writer::Writer;
use super::{
    Call, CallKind, Cursor, Damage, LobCall, Parsing, Remark, Timeline, TraceUnit, Visitor, Wait,
    Wants,
};

/// Collects the steps of a trace.
pub struct TraceSteps {
    timeline: Timeline<Draft>,
    unit: TraceUnit,
    process: u32,
    /// Texts of statements, and the execution that is going on, by writer and cursor.
    cursors: HashMap<(usize, Cursor), Open>,
    writer: Writer,
    executions: Vec<Execution>,
    steps: Vec<PathStep>,
    room: MemoryAccount,
    left_out: u64,
    damaged: u64,
    empty: Arc<str>,
}

/// A step of which the moment is not known yet, and the execution that a call belongs to.
struct Draft {
    step: PathStep,
    execution: Option<usize>,
}

/// What is known of a cursor.
struct Open {
    text: Arc<str>,
    /// The execution that the next fetch belongs to, and whether it has been executed.
    execution: Option<(usize, bool)>,
}

/// The calls from one parse or execute to the last fetch.
struct Execution {
    text: Arc<str>,
    recursion: u32,
    process: u32,
    ends: Option<(Timestamp, Timestamp)>,
}

/// The steps of a trace, and what of it could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TracedSteps {
    /// Statements, calls and waits, in the order of the trace; statements behind all others.
    pub steps: Vec<PathStep>,
    /// Steps that are not kept, because there are too many.
    pub left_out: u64,
    /// Damaged records.
    pub damaged: u64,
    /// What moments are counted from.
    pub clock: Clock,
    /// What is to be said about how moments were found.
    pub remarks: Vec<Remark>,
    /// What is lost where times are rounded.
    pub rounding: Nanos,
}

/// What an execution takes, and the statement that it becomes.
const EXECUTION: usize = size_of::<Execution>() + 4 * size_of::<PathStep>();

impl TraceSteps {
    /// How much of a statement is kept, in characters.
    const TEXT: usize = 300;

    /// With times in `unit` where no header says which release wrote the trace; `zone` is that of
    /// times without one. Steps are kept as long as there is room for them.
    pub fn new(unit: Option<TraceUnit>, zone: Option<TimeZone>, room: MemoryAccount) -> TraceSteps {
        let mut timeline = Timeline::new(zone, None);
        let unit = unit.unwrap_or(TraceUnit::Micros);
        timeline.set_unit(unit);
        TraceSteps {
            timeline,
            unit,
            process: 0,
            cursors: HashMap::new(),
            writer: Writer::default(),
            executions: Vec::new(),
            steps: Vec::new(),
            room,
            left_out: 0,
            damaged: 0,
            empty: "".into(),
        }
    }

    /// All of it, once the whole trace has been read.
    pub fn finish(mut self) -> TracedSteps {
        self.timeline.finish();
        self.take_ready();
        let name: Arc<str> = "statement".into();
        for execution in std::mem::take(&mut self.executions) {
            let Some((start, end)) = execution.ends else { continue };
            let duration = end.since(start);
            let draft = self.draft(PathLevel::Statement, &name, duration);
            // There has been room for it since it began.
            self.steps.push(PathStep {
                start,
                recursion: execution.recursion,
                process: execution.process,
                thread: execution.process,
                subject: execution.text,
                ..draft
            });
        }
        TracedSteps {
            steps: self.steps,
            left_out: self.left_out,
            damaged: self.damaged,
            clock: self.timeline.clock(),
            remarks: self.timeline.remarks().to_vec(),
            // A duration and an end are each cut to a whole unit.
            rounding: self.unit.times(2),
        }
    }

    fn draft(&self, level: PathLevel, name: &Arc<str>, duration: Nanos) -> PathStep {
        PathStep {
            level,
            recursion: 0,
            start: Timestamp::default(),
            duration,
            queued: Nanos::ZERO,
            process: self.process,
            thread: self.process,
            name: Arc::clone(name),
            subject: Arc::clone(&self.empty),
            offset: None,
            bytes: None,
            outcome: PathOutcome::Done,
            program: Arc::clone(&self.empty),
        }
    }

    fn keep(&mut self, step: PathStep) {
        if self.room.take(step.memory()) {
            self.steps.push(step);
        } else {
            self.left_out += 1;
        }
    }

    /// A step that ended at a moment.
    fn place(&mut self, draft: Draft, end: Timestamp) {
        let mut step = draft.step;
        step.start = end.minus(step.duration);
        if let Some(execution) = draft.execution.and_then(|at| self.executions.get_mut(at)) {
            let ends = execution.ends.unwrap_or((step.start, end));
            execution.ends = Some((ends.0.min(step.start), ends.1.max(end)));
        }
        self.keep(step);
    }

    fn take_ready(&mut self) {
        let ready: Vec<(Draft, Timestamp)> = self.timeline.ready().collect();
        for (draft, end) in ready {
            self.place(draft, end);
        }
    }

    fn ended(&mut self, draft: Draft, elapsed: u64, tim: Option<u64>) {
        match self.timeline.wait(draft, elapsed, tim) {
            Some((draft, end)) => self.place(draft, end),
            None => self.take_ready(),
        }
    }

    /// The execution that a call belongs to, which begins with it if it must.
    fn execution_of(&mut self, call: &Call) -> Option<usize> {
        /// A trace with more cursors is damaged, or very long.
        const CURSORS: usize = 1 << 20;
        if !matches!(call.kind, CallKind::Parse | CallKind::Exec | CallKind::Fetch) {
            if let Some(open) = self.cursors.get_mut(&(self.writer.number(), call.cursor)) {
                open.execution = None;
            }
            return None;
        }
        if self.cursors.len() >= CURSORS {
            self.cursors.clear();
        }
        let empty = &self.empty;
        let open = self
            .cursors
            .entry((self.writer.number(), call.cursor))
            .or_insert_with(|| Open { text: Arc::clone(empty), execution: None });
        let is_exec = call.kind == CallKind::Exec;
        let begins = match open.execution {
            None => true,
            Some((_, executed)) => call.kind == CallKind::Parse || is_exec && executed,
        };
        if begins {
            if !self.room.take(EXECUTION) {
                self.left_out += 1;
                return None;
            }
            let text = Arc::clone(&open.text);
            let (recursion, process) = (call.depth, self.process);
            self.executions.push(Execution { text, recursion, process, ends: None });
            open.execution = Some((self.executions.len() - 1, false));
        }
        let (at, executed) = open.execution?;
        open.execution = Some((at, executed || is_exec));
        Some(at)
    }
}

impl Visitor for TraceSteps {
    const WANTS: Wants = Wants::WAITS
        .and(Wants::WAIT_TIMES)
        .and(Wants::CALLS)
        .and(Wants::LOBS)
        .and(Wants::STATEMENTS)
        .and(Wants::STAMPS)
        .and(Wants::HEADER);

    fn wait(&mut self, wait: &Wait<'_>) {
        let name: Arc<str> = String::from_utf8_lossy(wait.event).into();
        let mut step = self.draft(PathLevel::Wait, &name, self.unit.times(wait.ela));
        let parameters = String::from_utf8_lossy(wait.parameters);
        step.subject = parameters.split_whitespace().collect::<Vec<_>>().join(" ").into();
        self.ended(Draft { step, execution: None }, wait.ela, wait.tim);
    }

    fn call(&mut self, call: &Call) {
        let execution = self.execution_of(call);
        let name: Arc<str> = call.kind.word().into();
        let mut step = self.draft(PathLevel::DatabaseCall, &name, self.unit.times(call.elapsed));
        step.recursion = call.depth;
        step.subject = format!(
            "rows {}, gets {}, blocks read {}",
            call.rows,
            call.consistent_gets.saturating_add(call.current_gets),
            call.physical_reads
        )
        .into();
        self.ended(Draft { step, execution }, call.elapsed, call.tim);
    }

    fn lob(&mut self, call: &LobCall<'_>) {
        let name: Arc<str> = String::from_utf8_lossy(call.kind).into();
        let mut step = self.draft(PathLevel::DatabaseCall, &name, self.unit.times(call.elapsed));
        step.bytes = Some(call.bytes);
        self.ended(Draft { step, execution: None }, call.elapsed, call.tim);
    }

    fn parsing(&mut self, parsing: &Parsing<'_>) {
        let text = String::from_utf8_lossy(parsing.text);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text: Arc<str> = text.chars().take(TraceSteps::TEXT).collect::<String>().into();
        let cursor = (self.writer.number(), parsing.cursor);
        self.cursors.insert(cursor, Open { text, execution: None });
        self.tim(parsing.tim);
    }

    fn tim(&mut self, tim: Option<u64>) {
        if let Some(tim) = tim {
            self.timeline.tim(tim);
            self.take_ready();
        }
    }

    fn stamp(&mut self, stamp: &[u8]) {
        self.timeline.stamp(stamp);
    }

    fn label(&mut self, label: &[u8], value: &[u8]) {
        if label == SESSION {
            self.writer.session(value);
        }
    }

    fn header(&mut self, key: &[u8], value: &[u8]) {
        if key == b"banner"
            && let Some(unit) = TraceUnit::of_banner(value)
        {
            self.unit = unit;
            self.timeline.set_unit(unit);
        } else if names_process(key) {
            let digits = value.iter().take_while(|byte| byte.is_ascii_digit());
            let number = digits.fold(0_u32, |number, byte| {
                number.wrapping_mul(10).wrapping_add(u32::from(byte - b'0'))
            });
            self.process = number;
            self.writer.process(value);
        }
    }

    fn damage(&mut self, _damage: Damage) {
        self.damaged += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::scan_slice;

    /// A parse, an execution with a recursive statement in it, and two fetches with waits.
    const TRACE: &str = "\
Trace file /u01/orcl_ora_4711.trc
Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production
Unix process pid: 4711, image: oracle@db1
*** 2024-03-26T15:34:21.000000+00:00
=====================
PARSING IN CURSOR #7 len=20 dep=0 uid=5 oct=3 lid=5 tim=1711467261000100 hv=1 ad='0' sqlid='a'
select  *
from t
END OF STMT
PARSE #7:c=10,e=100,p=0,cr=0,cu=0,mis=1,r=0,dep=0,og=1,plh=1,tim=1711467261000200
=====================
PARSING IN CURSOR #8 len=20 dep=1 uid=0 oct=3 lid=0 tim=1711467261000210 hv=2 ad='0' sqlid='b'
select 1 from obj$
END OF STMT
EXEC #8:c=10,e=40,p=0,cr=0,cu=0,mis=0,r=0,dep=1,og=4,plh=2,tim=1711467261000250
CLOSE #8:c=0,e=1,dep=1,type=3,tim=1711467261000252
EXEC #7:c=10,e=90,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=1711467261000300
WAIT #7: nam='db file sequential read' ela= 60 file#=4 block#=130 blocks=1 obj#=7 tim=1711467261000400
FETCH #7:c=10,e=95,p=1,cr=3,cu=0,mis=0,r=1,dep=0,og=1,plh=1,tim=1711467261000405
WAIT #7: nam='SQL*Net message from client' ela= 500 driver id=1 #bytes=1 p3=0 obj#=7 tim=1711467261000910
FETCH #7:c=10,e=5,p=0,cr=3,cu=0,mis=0,r=4,dep=0,og=1,plh=1,tim=1711467261000920
";

    fn traced(text: &str) -> TracedSteps {
        let mut steps = TraceSteps::new(None, None, MemoryAccount::of_bytes(1 << 20));
        scan_slice(text.as_bytes(), &mut steps);
        steps.finish()
    }

    #[test]
    fn calls_of_an_execution_make_a_statement() {
        let traced = traced(TRACE);
        let micros = |step: &PathStep| step.start.as_nanos() / 1_000 - 1_711_467_261_000_000;
        let seen: Vec<(&str, u32, i64, u64, &str)> = traced
            .steps
            .iter()
            .map(|step| {
                let duration = step.duration.as_nanos() / 1_000;
                (&*step.name, step.recursion, micros(step), duration, &*step.subject)
            })
            .collect();
        let statements: Vec<_> = seen.iter().filter(|step| step.0 == "statement").collect();
        let wanted = [
            &("statement", 0, 100, 820, "select * from t"),
            &("statement", 1, 210, 40, "select 1 from obj$"),
        ];
        assert_eq!(statements, wanted);
        assert!(
            seen.contains(&(
                "db file sequential read",
                0,
                340,
                60,
                "file#=4 block#=130 blocks=1 obj#=7"
            )),
            "{seen:?}"
        );
        assert!(seen.contains(&("fetch", 0, 310, 95, "rows 1, gets 3, blocks read 1")), "{seen:?}");
        assert_eq!(traced.steps.len(), 2 + 2 + 6);
        assert!(traced.steps.iter().all(|step| step.process == 4711));
        assert_eq!((traced.left_out, traced.damaged, traced.remarks.len()), (0, 0, 0));
    }

    #[test]
    fn what_there_is_no_room_for_is_counted_and_what_is_kept_has_its_statements() {
        let mut steps = TraceSteps::new(None, None, MemoryAccount::of_bytes(4_000));
        let again = TRACE.lines().skip(14).collect::<Vec<_>>().join("\n") + "\n";
        scan_slice((TRACE.to_owned() + &again.repeat(50)).as_bytes(), &mut steps);
        let traced = steps.finish();
        let statements = traced.steps.iter().filter(|step| step.level == PathLevel::Statement);
        assert_eq!((traced.steps.len() < 10, statements.count()), (true, 2));
        // 8 steps and 2 statements of the first text; 7 and 2 of each time that it goes on.
        let all = traced.steps.len() as u64 + traced.left_out;
        assert_eq!(all, 10 + 50 * 9);
    }

    #[test]
    fn calls_for_large_objects_are_calls_with_bytes() {
        let lob = "LOBREAD: type=PERSISTENT LOB,bytes=8132,c=10,e=33,p=1,cr=2,cu=0,tim=1711467261002000\n";
        let traced = traced(&(TRACE.to_owned() + lob));
        let read = traced.steps.iter().find(|step| &*step.name == "LOBREAD").expect("the call");
        assert_eq!((read.duration.as_nanos(), read.bytes), (33_000, Some(8_132)));
        assert_eq!(traced.clock, Clock::Epoch);
    }

    #[test]
    fn the_same_cursor_executed_again_is_another_statement() {
        let again = TRACE.to_owned()
            + "EXEC #7:c=10,e=10,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=1711467261002000\n";
        let traced = traced(&again);
        let statements = traced.steps.iter().filter(|step| step.level == PathLevel::Statement);
        assert_eq!(statements.count(), 3);
    }
}
