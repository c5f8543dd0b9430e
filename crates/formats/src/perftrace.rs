//! What `perf trace` prints: every system call is an event.

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

/// Reads system calls with their durations.
pub(crate) struct PerfTrace;

pub(crate) static SOURCE: PerfTrace = PerfTrace;

static META: Meta = Meta {
    name: "perftrace",
    address: "FILE or -",
    about: "System calls as perf trace prints them, one line each (not its summary, -s)",
    needs: &[
        Need { what: "perf for the running kernel", how: "apt install linux-perf" },
        Need { what: "root, or kernel.perf_event_paranoid = -1", how: "sudo perf trace -p PID" },
    ],
    command: "perf trace -e pread64,fsync -o calls.txt -p PID; isotherm show calls.txt",
    overhead: "Not measured; expect about a microsecond for each call. This is much less than with \
        strace, because perf does not stop the program. Reading the file costs the measured machine nothing.",
    loses: "Durations are whole microseconds; timestamps are milliseconds since perf started. \
        Calls that were running when perf started have no duration and are left out. For \
        asynchronous I/O (io_submit, io_getevents, io_uring_enter), the calls are shown, not the \
        requests. Attributes for --by and --where: call, program, pid.",
    counting: Counting::Events,
    exact_time: true,
    example: "\
     0.000 ( 0.027 ms): python3.11/15031 pread64(fd: 4, buf: 0x7ffc8094aa90, count: 784, pos: 64) = 784
    70.363 (         ): python3.11/15033 pread64(fd: 4, buf: 0x7fa6fc000bc0, count: 4096) ...
    70.363 ( 0.251 ms): python3.11/15033  ... [continued]: pread64()) = 4096
",
    interpretation: "Two reads, of 27 and 251 microseconds; the second is printed in two halves, \
        because another thread made a call in between. The timestamps are when the calls began.",
};

/// What calls can be told apart by.
const ATTRIBUTES: &[&str] = &["call", "program", "pid"];

/// A line taken apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Call<'l> {
    began: Nanos,
    /// The duration as it is printed.
    took: &'l [u8],
    /// None of the first half of a call, and of one that was running when perf began.
    latency: Option<Result<Nanos, number::Wrong>>,
    program: &'l [u8],
    pid: &'l [u8],
    name: &'l [u8],
}

/// Takes a line apart; `None` if it is none of a call.
fn call(line: &[u8]) -> Option<Call<'_>> {
    let (began, rest) = split(line, b" (")?;
    let (took, rest) = split(rest, b"): ")?;
    let began = Nanos::new(number::plain_nanos(began.trim_ascii(), Unit::Millis)?);
    let took = took.trim_ascii();
    let printed = took.strip_suffix(b" ms").unwrap_or(took);
    let latency = took.strip_suffix(b" ms").map(|ms| {
        number::latency(ms, Unit::Millis).map(Nanos::new)
    });
    if latency.is_none() && !matches!(took, b"" | b"?") {
        return None;
    }
    let (who, what) = match split(rest, b" ... [continued]: ") {
        Some((who, what)) => (who.trim_ascii(), what),
        None => who_and_call(rest)?,
    };
    let end = what.iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))?;
    let slash = memchr::memrchr(b'/', who).unwrap_or(who.len());
    let (program, pid) = (&who[..slash], who.get(slash + 1..).unwrap_or_default());
    let name = what.get(..end).filter(|name| !name.is_empty() && what[end] == b'(')?;
    Some(Call { began, took: printed, latency, program, pid, name })
}

/// Of `program/4711 pread64(...)` the program and the call; a name of a program may have blanks.
fn who_and_call(text: &[u8]) -> Option<(&[u8], &[u8])> {
    // The name of a program may have brackets: of the call they stand right behind its name.
    let is_call = |&at: &usize| at > 0 && text[at - 1] != b' ' && text[at - 1] != b'/';
    let bracket = memchr::memchr_iter(b'(', text).find(is_call)?;
    match memchr::memrchr(b' ', &text[..bracket]) {
        Some(blank) => Some((text[..blank].trim_ascii(), &text[blank + 1..])),
        // Of one thread only perf tells no names.
        None => Some((b"", text)),
    }
}

fn split<'t>(text: &'t [u8], mark: &[u8]) -> Option<(&'t [u8], &'t [u8])> {
    let at = memchr::memmem::find(text, mark)?;
    Some((&text[..at], &text[at + mark.len()..]))
}

impl Source for PerfTrace {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        const ENOUGH: usize = 50;
        let (mut timed, mut calls, mut others) = (0, 0, 0);
        for line in first_lines(head).take(ENOUGH) {
            match call(line) {
                Some(call) => {
                    calls += 1;
                    timed += usize::from(call.latency.is_some());
                }
                None => others += 1,
            }
        }
        if timed > 0 && calls > others { Verdict::Yes } else { Verdict::No }
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
        let mut grouping = Grouping::new(context, "calls", ATTRIBUTES, &["call"]);
        let mut lines = LineReader::new(input);
        let mut reported = false;
        while let Some(line) = lines.next_line()? {
            if !std::mem::replace(&mut reported, true) {
                sink.note(Note::Clock(Clock::Arbitrary));
            }
            one_line(line, &mut grouping, sink);
        }
        grouping.finish(sink);
        Ok(())
    }
}

fn one_line(line: Line<'_>, grouping: &mut Grouping, sink: &mut dyn Sink) {
    const CUT: &str = "the input ends in the middle of this line";
    if line.bytes.trim_ascii().is_empty() {
        return;
    }
    let Some(call) = call(line.bytes) else {
        return if line.ended { sink.note(Note::Ignored) } else { reject(sink, line.place, CUT, 0) };
    };
    let latency = match call.latency {
        Some(Ok(latency)) => latency,
        Some(Err(wrong)) => return reject(sink, line.place, wrong.about("duration", call.took), 1),
        None => return sink.note(Note::Ignored),
    };
    sink.record();
    let at = Timestamp::new(0).plus(call.began).plus(latency);
    grouping.tell(&[call.name, call.program, call.pid], (at, latency), sink);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        let of = |line: &str| {
            let call = call(line.as_bytes())?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let latency = call.latency.map(|latency| latency.unwrap().as_nanos());
            Some((text(call.name), text(call.program), text(call.pid), latency))
        };
        let is = |line: &str, call: &str, program: &str, pid: &str, latency: Option<u64>| {
            let expected = (call.to_owned(), program.to_owned(), pid.to_owned(), latency);
            assert_eq!(of(line), Some(expected), "{line}");
        };
        is(
            "  0.047 ( 1.835 ms): fio/16796  ... [continued]: io_getevents()) = 1",
            "io_getevents",
            "fio",
            "16796",
            Some(1_835_000),
        );
        is("     0.000 ( 0.027 ms): my prog/15 pread64(fd: 4) = 784", "pread64", "my prog", "15", Some(27_000));
        is("     0.000 ( 0.027 ms): (udev-worker)/15 read(fd: 4) = 784", "read", "(udev-worker)", "15", Some(27_000));
        is("     0.000 ( 0.027 ms): a (b)/15 read(fd: 4) = 784", "read", "a (b)", "15", Some(27_000));
        is("    70.363 (         ): py/15033 pread64(fd: 4) ...", "pread64", "py", "15033", None);
        is("     1.000 ( 0.002 ms): close(fd: 4) = 0", "close", "", "", Some(2_000));
        for line in ["", "Summary of events:", " fio (16783), 2304 events", "1 (2): x"] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
