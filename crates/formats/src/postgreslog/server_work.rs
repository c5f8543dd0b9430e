//! What the server logs of its own work and of waits for locks: checkpoints, autovacuum, temporary files.
//!
//! None of it counts beside the statements unless it is asked for: a wait for a lock is a part of the time of a
//! statement, and a checkpoint that is spread over minutes would be most of all time waited.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use isotherm_frame::{Mark, Nanos, Timestamp, Unit};

use crate::{Note, Sink, number};

/// What the log tells beside the durations of statements.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum ServerWork {
    Checkpoint,
    Lock,
    Autovacuum,
    TemporaryFile,
}

/// One message of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) work: ServerWork,
    /// What it was: a lock, a table.
    pub(super) name: String,
    /// How long it took; `None` where the message gives no time.
    pub(super) latency: Option<Nanos>,
    /// How far the true length may be from that.
    pub(super) within: Nanos,
    /// The size of a temporary file.
    bytes: u64,
    mark: String,
}

impl ServerWork {
    const ALL: [ServerWork; 4] = [
        ServerWork::Checkpoint,
        ServerWork::Lock,
        ServerWork::Autovacuum,
        ServerWork::TemporaryFile,
    ];

    /// The value of the attribute `step`.
    pub(super) fn step(self) -> &'static str {
        match self {
            ServerWork::Checkpoint => "checkpoint",
            ServerWork::Lock => "lock",
            ServerWork::Autovacuum => "autovacuum",
            ServerWork::TemporaryFile => "",
        }
    }

    fn words(self, number: u64) -> &'static str {
        match (self, number) {
            (ServerWork::Checkpoint, 1) => "checkpoint",
            (ServerWork::Checkpoint, _) => "checkpoints",
            (ServerWork::Lock, 1) => "wait for a lock",
            (ServerWork::Lock, _) => "waits for locks",
            (ServerWork::Autovacuum, 1) => "run of autovacuum",
            (ServerWork::Autovacuum, _) => "runs of autovacuum",
            (ServerWork::TemporaryFile, 1) => "temporary file",
            (ServerWork::TemporaryFile, _) => "temporary files",
        }
    }
}

/// Whether a message may be one of these: a quick look at its beginning.
pub(super) fn may_be_work(message: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 5] =
        [b"checkpoint ", b"restartpoint ", b"process ", b"automatic ", b"temporary file: "];
    BEGINNINGS.iter().any(|beginning| message.starts_with(beginning))
}

/// What a message tells; `None` if it is none of these, and for the first message of a wait that ends later.
pub(super) fn finding(message: &[u8]) -> Option<Finding> {
    if !may_be_work(message) {
        return None;
    }
    let text = String::from_utf8_lossy(message);
    checkpoint(&text).or_else(|| lock(&text)).or_else(|| autovacuum(&text)).or_else(|| temporary(&text))
}

/// `checkpoint complete: wrote 442 buffers (21.6%); ...; write=0.018 s, sync=0.116 s, total=0.150 s; ...`
fn checkpoint(text: &str) -> Option<Finding> {
    let (kind, rest) = text.split_once(' ').filter(|(kind, _)| kind.ends_with("point"))?;
    let rest = rest.strip_prefix("complete: ")?;
    let total = between(rest, "total=", " s")?;
    let wrote = rest.split(';').next().unwrap_or_default();
    let (latency, mark) = (Some(seconds(total)?), format!("{kind}: {total} s, {wrote}"));
    let (work, name, within) = (ServerWork::Checkpoint, kind.to_owned(), Nanos::ZERO);
    Some(Finding { work, name, latency, within, bytes: 0, mark })
}

/// `process 2091 acquired ShareLock on transaction 726 after 245.692 ms`, and `process 2190 detected deadlock
/// while waiting for ShareLock on transaction 752 after 100.083 ms`, which ends a wait, too.
fn lock(text: &str) -> Option<Finding> {
    const DEADLOCK: &str = "detected deadlock while waiting for ";
    let (_, rest) = text.strip_prefix("process ")?.split_once(' ')?;
    let deadlock = rest.strip_prefix(DEADLOCK);
    let (what, after) = deadlock.or_else(|| rest.strip_prefix("acquired "))?.rsplit_once(" after ")?;
    let ms = between(after, "", " ms")?;
    let latency = Nanos::new(number::latency(ms.as_bytes(), Unit::Millis).ok()?);
    let is_number = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit() || byte == b'[');
    let name: Vec<&str> = what.split(' ').take_while(|word| !is_number(word)).collect();
    let end = if deadlock.is_some() { "deadlock: " } else { "" };
    let mark = format!("{end}waited {ms} ms for {what}");
    let (work, latency, within) = (ServerWork::Lock, Some(latency), Nanos::ZERO);
    Some(Finding { work, name: name.join(" "), latency, within, bytes: 0, mark })
}

/// Half of the hundredth of a second that lengths of autovacuum are logged in.
const CUT_OFF: Nanos = Nanos::from_millis(5);

/// `automatic vacuum of table "db.public.t": index scans: 0`, further lines, and in the last one
/// `system usage: CPU: user: 0.00 s, system: 0.00 s, elapsed: 0.02 s`
fn autovacuum(text: &str) -> Option<Finding> {
    let rest = text.strip_prefix("automatic ")?;
    let (kind, rest) = rest.split_once(" of table \"")?;
    let table = rest.split_once('"')?.0;
    let command = if kind == "analyze" { "autoanalyze" } else { "autovacuum" };
    // Up to version 9.4 in other words: `system usage: CPU 0.00s/0.00u sec elapsed 0.02 sec`.
    let elapsed = between(rest, "elapsed: ", " s").or_else(|| between(rest, "elapsed ", " s"))?;
    let logged = seconds(elapsed)?;
    Some(Finding {
        work: ServerWork::Autovacuum,
        name: format!("{command} {table}"),
        // PostgreSQL cuts off what is less than a hundredth of a second (pg_rusage_show): 0.02 s took 20 ms
        // or longer, up to 30.
        latency: Some(logged.checked_add(CUT_OFF)?),
        within: CUT_OFF,
        bytes: 0,
        mark: format!("{command} {table}: {elapsed} s"),
    })
}

/// `temporary file: path "base/pgsql_tmp/pgsql_tmp2082.0", size 280000`
fn temporary(text: &str) -> Option<Finding> {
    let size = text.strip_prefix("temporary file: ")?.rsplit_once(", size ")?.1;
    let bytes: u64 = size.trim().parse().ok()?;
    let mark = format!("temporary file of {}", kilobytes(bytes));
    let (work, name, within) = (ServerWork::TemporaryFile, String::new(), Nanos::ZERO);
    Some(Finding { work, name, latency: None, within, bytes, mark })
}

/// What stands between two texts, the first of them included in neither.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let start = text.find(before)? + before.len();
    let rest = &text[start..];
    Some(&rest[..rest.find(after)?])
}

fn seconds(text: &str) -> Option<Nanos> {
    number::latency(text.as_bytes(), Unit::Seconds).ok().map(Nanos::new)
}

fn kilobytes(bytes: u64) -> String {
    format!("{} kB", bytes.div_ceil(1_024))
}

/// How much of a kind there was.
#[derive(Clone, Debug, Default)]
struct Sum {
    messages: u64,
    timed: u64,
    time: Nanos,
    /// Whether lengths are rounded.
    is_estimate: bool,
    bytes: u64,
    /// The longest or largest so far.
    longest: BinaryHeap<Reverse<u64>>,
}

/// Adds up what was found, and marks the longest.
#[derive(Debug, Default)]
pub(super) struct Findings([Sum; 4]);

impl Findings {
    /// Marked is what is among so many longest of its kind when it is read: a log of a month must not become
    /// ten thousand marks.
    const LONGEST: usize = 20;

    /// Counts what was found, and marks it if it is long.
    pub(super) fn add(&mut self, finding: &Finding, at: Timestamp, sink: &mut dyn Sink) {
        let Some(sum) = self.0.get_mut(finding.work as usize) else { return };
        sum.messages += 1;
        sum.bytes = sum.bytes.saturating_add(finding.bytes);
        if let Some(latency) = finding.latency {
            sum.timed += 1;
            sum.time = Nanos::new(sum.time.as_nanos().saturating_add(latency.as_nanos()));
            sum.is_estimate |= finding.within > Nanos::ZERO;
        }
        let least_ns = |latency: Nanos| latency.as_nanos().saturating_sub(finding.within.as_nanos());
        let size = finding.latency.map_or(finding.bytes, least_ns);
        let least = sum.longest.peek().map_or(0, |least| least.0);
        let is_full = sum.longest.len() >= Findings::LONGEST;
        if size == 0 || is_full && size <= least {
            return sink.note(Note::Ignored);
        }
        if is_full {
            sum.longest.pop();
        }
        sum.longest.push(Reverse(size));
        sink.note(Note::Mark(Mark { at, text: finding.mark.clone() }));
    }

    /// What was found, in words; `None` if nothing was.
    pub(super) fn words(&self) -> Option<String> {
        let each = ServerWork::ALL.iter().zip(&self.0).filter(|(_, sum)| sum.messages > 0);
        let parts: Vec<String> = each
            .map(|(work, sum)| {
                let counted = format!("{} {}", sum.messages, work.words(sum.messages));
                match work {
                    ServerWork::TemporaryFile => format!("{counted} ({})", kilobytes(sum.bytes)),
                    _ if sum.is_estimate => format!("{counted} (≈{})", sum.time),
                    _ => format!("{counted} ({})", sum.time),
                }
            })
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// How to see the times of what has some.
    pub(super) fn advice(&self) -> Option<String> {
        let timed = ServerWork::ALL.iter().zip(&self.0).filter(|(_, sum)| sum.timed > 0);
        let asked: Vec<String> =
            timed.map(|(work, _)| format!("--where step={}", work.step())).collect();
        (!asked.is_empty()).then(|| asked.join(" or "))
    }
}

#[cfg(test)]
mod tests {
    use crate::Message;
    use super::*;

    /// Lines of a server of version 15.
    #[test]
    fn messages_of_the_server_are_known() {
        let of = |message: &str| {
            let found = finding(message.as_bytes())?;
            let ms = found.latency.map(|latency| latency.as_nanos() / 1_000_000);
            Some((found.work.step(), found.name, ms, found.mark))
        };
        let found = |step, name: &str, ms, mark: &str| Some((step, name.to_owned(), ms, mark.to_owned()));
        assert_eq!(of("checkpoint starting: immediate force wait"), None);
        assert_eq!(
            of("checkpoint complete: wrote 442 buffers (21.6%); 0 WAL file(s) added, 0 removed, 0 recycled; write=0.018 s, sync=0.116 s, total=0.150 s; sync files=37, longest=0.006 s, average=0.004 s; distance=4573 kB, estimate=4573 kB"),
            found("checkpoint", "checkpoint", Some(150), "checkpoint: 0.150 s, wrote 442 buffers (21.6%)")
        );
        assert_eq!(
            of("process 2091 acquired ShareLock on transaction 726 after 245.692 ms"),
            found("lock", "ShareLock on transaction", Some(245), "waited 245.692 ms for ShareLock on transaction 726")
        );
        assert_eq!(
            of("process 2190 detected deadlock while waiting for ShareLock on transaction 752 after 100.083 ms"),
            found("lock", "ShareLock on transaction", Some(100), "deadlock: waited 100.083 ms for ShareLock on transaction 752")
        );
        let tuple = of("process 7 acquired ExclusiveLock on tuple (0,1) of relation 16384 of database 5 after 1000.000 ms");
        assert_eq!(tuple.unwrap().1, "ExclusiveLock on tuple");
        let advisory = of("process 7 acquired ExclusiveLock on advisory lock [5,0,1,1] after 1000.000 ms");
        assert_eq!(advisory.unwrap().1, "ExclusiveLock on advisory lock");
        assert_eq!(of("process 2091 still waiting for ShareLock on transaction 726 after 101.894 ms"), None);
        let vacuum = "automatic aggressive vacuum of table \"db.public.t\": index scans: 0\n\tpages: 0 removed\n\tsystem usage: CPU: user: 0.00 s, system: 0.00 s, elapsed: 0.02 s";
        assert_eq!(
            of(vacuum),
            found("autovacuum", "autovacuum db.public.t", Some(25), "autovacuum db.public.t: 0.02 s")
        );
        let short = "automatic analyze of table \"db.public.t\"\n\tsystem usage: CPU: user: 0.00 s, system: 0.00 s, elapsed: 0.00 s";
        assert_eq!(
            of(short),
            found("autovacuum", "autoanalyze db.public.t", Some(5), "autoanalyze db.public.t: 0.00 s")
        );
        assert_eq!(
            of("temporary file: path \"base/pgsql_tmp/pgsql_tmp2082.0\", size 280000"),
            found("", "", None, "temporary file of 274 kB")
        );
        assert_eq!(of("process 1 exited"), None);
        assert_eq!(of("checkpoint complete: cut sho"), None);
    }

    #[test]
    fn of_many_only_the_longest_are_marked() {
        struct Marks(Vec<String>);
        impl Sink for Marks {
            fn take(&mut self, message: Message) {
            if let Message::Note(Note::Mark(mark)) = message {
                self.0.push(mark.text);
            }
            }
        }
        let (mut findings, mut marks) = (Findings::default(), Marks(Vec::new()));
        let sizes = (0..10_000_u64).map(|number| if number == 7_000 { 9_000_000 } else { 280_000 });
        for size in sizes {
            let message = format!("temporary file: path \"x\", size {size}");
            findings.add(&finding(message.as_bytes()).unwrap(), Timestamp::new(0), &mut marks);
        }
        assert_eq!(marks.0.len(), 21);
        assert_eq!(marks.0[20], "temporary file of 8790 kB");
        // 9,999 x 280,000 + 9,000,000 bytes.
        assert_eq!(findings.words().unwrap(), "10000 temporary files (2742891 kB)");
    }
}
