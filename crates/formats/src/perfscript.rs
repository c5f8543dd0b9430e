//! System calls as `perf script` prints them: entry and exit are paired.

mod calls;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::BufRead;

use isotherm_frame::{Clock, Nanos, Timestamp, Unit};

use crate::grouping::Grouping;
use crate::lines::first_lines;
use crate::number;
use crate::sink::reject;
use crate::{
    Context, Counting, DecodeError, Line, LineReader, Meta, Need, Note, ReadingOption, Sink, Source,
    Verdict,
};

/// Reads tracepoints of system calls.
pub(crate) struct PerfScript;

pub(crate) static SOURCE: PerfScript = PerfScript;

static META: Meta = Meta {
    name: "perfscript",
    address: "FILE or -",
    about: "System calls as perf script prints them: pairs of syscalls:sys_enter_NAME and sys_exit_NAME, or of \
        raw_syscalls:sys_enter and sys_exit",
    needs: &[
        Need { what: "perf for the running kernel", how: "apt install linux-perf" },
        Need { what: "root, or kernel.perf_event_paranoid = -1", how: "sudo perf record" },
    ],
    command: "perf record -e syscalls:sys_enter_pread64,syscalls:sys_exit_pread64 -p PID sleep 10; perf \
        script --ns | isotherm show -",
    overhead: "About a microsecond and two buffer records of about 100 bytes each for each call. \
        Unlike strace, perf does not stop the program.",
    loses: "Without --ns, times are whole microseconds. Calls that were running when the trace \
        began or ended have no latency; only their number is reported. Raw tracepoints have only \
        call numbers, which are translated to the names of x86-64. For asynchronous I/O \
        (io_submit, io_getevents, io_uring_enter), the calls are shown, not the requests. \
        Attributes for --by and --where: call, program, thread.",
    counting: Counting::Events,
    exact_time: true,
    example: "\
 fio 16793 [001]  2468.673435900:   syscalls:sys_enter_pread64: fd: 0x00000007, buf: 0x55bcb09d4000, count: 0x00002000, pos: 0x00c48000
 fio 16793 [001]  2468.674294368:    syscalls:sys_exit_pread64: 0x2000
",
    interpretation: "A read of 8 KiB by the thread 16793 took 858.5 microseconds, from the call's \
        entry to its exit.",
};

/// What calls can be told apart by.
const ATTRIBUTES: &[&str] = &["call", "program", "thread"];

/// A line taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step<'l> {
    at: Result<Nanos, number::Wrong>,
    program: &'l [u8],
    thread: &'l [u8],
    enters: bool,
    call: Cow<'l, str>,
    /// Whether the call has a number only.
    raw: bool,
}

/// Takes a line apart; `None` if it is of no system call.
fn step(line: &[u8]) -> Option<Step<'_>> {
    const NAMED: &[u8] = b" syscalls:sys_";
    const RAW: &[u8] = b" raw_syscalls:sys_";
    let (start, raw) = match memchr::memmem::find(line, NAMED) {
        Some(start) => (start + NAMED.len(), false),
        None => (memchr::memmem::find(line, RAW)? + RAW.len(), true),
    };
    let mark = if raw { RAW } else { NAMED };
    let (before, event) = (&line[..start - mark.len()], &line[start..]);
    let (enters, rest) = match (event.strip_prefix(b"enter"), event.strip_prefix(b"exit")) {
        (Some(rest), _) => (true, rest),
        (None, Some(rest)) => (false, rest),
        (None, None) => return None,
    };
    let call = if raw { raw_call(rest)? } else { named_call(rest)? };
    let before = before.trim_ascii_end().strip_suffix(b":")?;
    let (before, at) = split_last(before);
    let (before, cpu) = split_last(before);
    // Without a CPU that word is the thread.
    let (program, thread) = if cpu.starts_with(b"[") { split_last(before) } else { (before, cpu) };
    let at = number::nanos(at, Unit::Seconds).map(Nanos::new);
    let thread = thread.rsplit(|byte| *byte == b'/').next().unwrap_or(thread);
    Some(Step { at, program: program.trim_ascii(), thread, enters, call, raw })
}

/// `_pread64: ...`
fn named_call(text: &[u8]) -> Option<Cow<'_, str>> {
    let name = text.strip_prefix(b"_")?.split(|byte| *byte == b':').next()?;
    let is_name = name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    (is_name && !name.is_empty()).then(|| String::from_utf8_lossy(name))
}

/// `: NR 208 ...`
fn raw_call(text: &[u8]) -> Option<Cow<'_, str>> {
    let rest = text.strip_prefix(b": NR ")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&rest[..digits]).ok()?.parse::<u32>().ok()?;
    Some(calls::name(number).map_or_else(|| format!("call {number}").into(), Cow::Borrowed))
}

/// What is before the last word, and that word.
fn split_last(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_end();
    match text.iter().rposition(u8::is_ascii_whitespace) {
        Some(blank) => (text[..blank].trim_ascii_end(), &text[blank + 1..]),
        None => (b"", text),
    }
}

impl Source for PerfScript {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        const ENOUGH: usize = 200;
        let timed = |line| step(line).is_some_and(|step| step.at.is_ok());
        if first_lines(head).take(ENOUGH).any(timed) { Verdict::Yes } else { Verdict::No }
    }

    fn looks_at_attributes(&self) -> bool {
        true
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        ReadingOption::ALL
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut pairs = Pairs::new(context);
        LineReader::new(input).each(|line| pairs.line(line, sink))?;
        pairs.finish(sink);
        Ok(())
    }
}

/// Calls that run, by thread.
struct Pairs {
    grouping: Grouping,
    running: HashMap<Vec<u8>, (String, Nanos)>,
    reported: bool,
    raw: bool,
    without_entry: u64,
    without_exit: u64,
    beyond: u64,
}

impl Pairs {
    /// Threads that are remembered.
    const MOST: usize = 1 << 18;
    const NUMBERS: &'static str =
        "the numbers of system calls have the names of x86-64: perf script does not tell the machine";

    fn new(context: &Context) -> Pairs {
        let grouping = Grouping::new(context, "calls", ATTRIBUTES, &["call"]);
        let (running, reported, raw) = (HashMap::new(), false, false);
        Pairs { grouping, running, reported, raw, without_entry: 0, without_exit: 0, beyond: 0 }
    }

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        const CUT: &str = "the input ends in the middle of this line";
        if line.bytes.trim_ascii().is_empty() {
            return;
        }
        if !line.ended {
            return reject(sink, line.place, CUT, 0);
        }
        let Some(step) = step(line.bytes) else { return sink.note(Note::Ignored) };
        let Ok(at) = step.at else {
            return reject(sink, line.place, "the line has no time (perf script -F +time)", 0);
        };
        if !std::mem::replace(&mut self.reported, true) {
            sink.note(Note::Clock(Clock::Arbitrary));
        }
        if step.raw && !std::mem::replace(&mut self.raw, true) {
            sink.note(Note::Assumed(Pairs::NUMBERS.into()));
        }
        if step.enters {
            return self.enter(&step, at);
        }
        let entered = self.running.remove(step.thread).filter(|(call, _)| *call == step.call);
        let Some((call, entered)) = entered else { return self.without_entry += 1 };
        let Some(latency) = at.checked_sub(entered) else {
            return reject(sink, line.place, "the call ended before it began", 1);
        };
        sink.record();
        let values = [call.as_bytes(), step.program, step.thread];
        self.grouping.tell(&values, (Timestamp::new(0).plus(at), latency), sink);
    }

    fn enter(&mut self, step: &Step<'_>, at: Nanos) {
        let known = self.running.contains_key(step.thread);
        if !known && self.running.len() >= Pairs::MOST {
            self.beyond += 1;
            return;
        }
        let call = (step.call.clone().into_owned(), at);
        self.without_exit += u64::from(self.running.insert(step.thread.to_vec(), call).is_some());
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        let running = u64::try_from(self.running.len()).unwrap_or(u64::MAX);
        for (count, words) in [
            (self.without_entry, "exits of calls without an entry in the trace have no latency"),
            (self.without_exit + running, "calls have no exit in the trace"),
            (self.beyond, "calls ran while more threads were active than isotherm tracks: they \
                           have no latency"),
        ] {
            if count > 0 {
                sink.note(Note::Said(format!("{count} {words}").into()));
            }
        }
        self.grouping.finish(sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        let of = |line: &'static str| {
            let step = step(line.as_bytes())?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let at = step.at.ok().map(Nanos::as_nanos);
            Some((text(step.program), text(step.thread), at, step.enters, step.call.into_owned()))
        };
        let is = |line, program: &str, thread: &str, at, enters, call: &str| {
            let expected = (program.to_owned(), thread.to_owned(), Some(at), enters, call.to_owned());
            assert_eq!(of(line), Some(expected), "{line}");
        };
        is(
            "             fio 16793 [001]  2468.673428319:    syscalls:sys_exit_pread64: 0x2000",
            "fio",
            "16793",
            2_468_673_428_319,
            false,
            "pread64",
        );
        is(
            " my prog 7/8 [000]  1.000001: raw_syscalls:sys_enter: NR 74 (7f35, 1)",
            "my prog",
            "8",
            1_000_001_000,
            true,
            "fsync",
        );
        is(" x 5  1.5:  raw_syscalls:sys_exit: NR 9999 = 1", "x", "5", 1_500_000_000, false, "call 9999");
        for line in ["", "# comment", " x 5 1.5: block:block_rq_issue: 1,2 R", "syscalls:sys_enter_read"] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
