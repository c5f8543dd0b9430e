//! What `strace -T` prints: every system call is an event.

mod clock;
mod line;

use std::collections::HashMap;
use std::io::{BufRead, Write as _};

use isotherm_frame::Nanos;

use self::clock::CallClock;
use self::line::What;
use crate::grouping::Grouping;
use crate::lines::first_lines;
use crate::sink::reject;
use crate::{
    Context, Counting, DecodeError, Line, LineReader, Meta, Need, Note, ReadingOption, Sink, Source,
    Verdict,
};

/// Reads system calls with their durations.
pub(crate) struct Strace;

pub(crate) static SOURCE: Strace = Strace;

static META: Meta = Meta {
    name: "strace",
    address: "FILE or -",
    about: "System calls of a program as strace -T prints them: with and without -f, -y, -o, -Y, \
        -n, -i, -k and with every kind of timestamp (-ttt, -tt, -t, -r)",
    needs: &[
        Need { what: "the duration of each call", how: "strace -T; without -T there are no \
                                                        latencies" },
        Need {
            what: "the right to trace the program",
            how: "the same user or root; for a running program use -p PID, as root or with \
                kernel.yama.ptrace_scope=0",
        },
    ],
    command: "strace -f -ttt -T -y -o calls.txt PROGRAM",
    overhead: "strace stops the program twice for each traced call: fio with one request of 4 KiB \
        at a time fell from 6,800-10,800 to 3,200-5,800 requests a second in a virtual machine. -e \
        trace=pread64,fsync traces only these calls. Reading the file costs the traced program \
        nothing.",
    loses: "The true durations: strace's own stops are included, so read the durations as upper \
        bounds. Asynchronous requests: only the calls that submit and collect them are shown \
        (io_submit, io_getevents, io_uring_enter). Without timestamps (-ttt), calls are placed one \
        after another. Calls that never returned have no duration and are left out. Each system \
        call is one series; --by call,file,size,error,pid splits them further (file needs -y).",
    counting: Counting::Events,
    exact_time: true,
    example: "\
1795253272.365783 write(1</tmp/scratch>, \"\\0\\0\\0\\0\\0\\0\\0\\0\"..., 8192) = 8192 <0.000182>
1795253272.366057 write(1</tmp/scratch>, \"\\0\\0\\0\\0\\0\\0\\0\\0\"..., 8192) = 8192 <0.000146>
1795253272.366245 write(1</tmp/scratch>, \"\\0\\0\\0\\0\\0\\0\\0\\0\"..., 8192) = 8192 <0.000145>
",
    interpretation: "Three writes of 8 KiB, which took 0.18, 0.15 and 0.15 milliseconds. A line's \
        timestamp is when its call began or, if another thread's call was printed in between, when \
        it returned. isotherm counts each call at its end.",
};

impl Source for Strace {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        /// Lines that are looked at.
        const ENOUGH: usize = 200;
        let (mut calls, mut timed, mut others) = (0, 0, 0);
        let is_stack = |line: &&[u8]| line.starts_with(b"> ");
        for line in first_lines(head).filter(|line| !is_stack(line)).take(ENOUGH) {
            match line::parts(line).map(|parts| parts.what) {
                Some(What::Complete { rest, latency, .. } | What::Ends { rest, latency, .. }) => {
                    timed += usize::from(latency.is_some() && line::result(rest).is_some());
                    calls += usize::from(line::result(rest).is_some());
                }
                Some(_) => {}
                None => others += 1,
            }
        }
        if timed > 0 && calls > others {
            return Verdict::Yes;
        }
        // Without durations it is recognised only to say what is missing.
        if calls > 1 && others == 0 { Verdict::Unsure } else { Verdict::No }
    }

    fn looks_at_attributes(&self) -> bool {
        true
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Unit, ReadingOption::TimeUnit, ReadingOption::Temporality]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut decoder = Decoder::new(context);
        LineReader::new(input).each(|line| decoder.line(line, sink))?;
        decoder.finish(sink)
    }
}

/// A call that has ended.
#[derive(Copy, Clone)]
struct Returned<'l> {
    call: &'l [u8],
    arguments: &'l [u8],
    /// What is before the duration.
    rest: &'l [u8],
    /// Whether the time of the line is that of the return.
    resumed: bool,
    latency: Option<Nanos>,
}

/// What a call can be told apart by.
const ATTRIBUTES: &[&str] = &["call", "file", "size", "error", "pid"];

struct Decoder<'c> {
    clock: CallClock<'c>,
    grouping: Grouping,
    /// Whether arguments of calls matter, and not only their names.
    looks_inside: bool,
    /// The arguments of calls that have begun, by thread.
    begun: HashMap<u64, Vec<u8>>,
    /// The number of the thread as text.
    pid: Vec<u8>,
    timed: u64,
    untimed: u64,
}

impl<'c> Decoder<'c> {
    /// Threads whose calls are remembered while they have not ended.
    const MOST_THREADS: usize = 1 << 16;
    const NO_DURATIONS: &'static str = "strace wrote no durations here, so there is no latency: \
        run strace with -T, as in strace -f -ttt -T -o FILE PROGRAM";
    const UNTIMED: &'static str = "the call has no duration <...> at the end of its line";

    fn new(context: &'c Context) -> Decoder<'c> {
        let grouping = Grouping::new(context, "calls", ATTRIBUTES, &["call"]);
        let looks_inside = ATTRIBUTES.iter().skip(1).any(|name| grouping.asks_for(name));
        let clock = CallClock::new(context);
        let (begun, pid) = (HashMap::new(), Vec::new());
        Decoder { clock, grouping, looks_inside, begun, pid, timed: 0, untimed: 0 }
    }

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        if line.bytes.trim_ascii().is_empty() {
            return;
        }
        let Some(parts) = line::parts(line.bytes) else {
            // A call whose duration cannot be read any more is an event all the same.
            if line.cut {
                reject(sink, line.place, "a line longer than 1 MiB", 0);
            } else {
                sink.note(Note::Ignored);
            }
            return;
        };
        self.clock.line(parts.time, sink);
        match parts.what {
            What::Complete { call, rest, latency } => {
                let returned = Returned { call, arguments: rest, rest, resumed: false, latency };
                self.call(line, parts.process, returned, sink);
            }
            What::Ends { call, rest, latency } => {
                let mut begun = self.begun.remove(&parts.process).unwrap_or_default();
                let arguments = &begun[..];
                let returned = Returned { call, arguments, rest, resumed: true, latency };
                self.call(line, parts.process, returned, sink);
                // Its memory is used again for the next call of the thread.
                if begun.capacity() > 0 {
                    begun.clear();
                    self.begun.insert(parts.process, begun);
                }
            }
            What::Begins { rest } => self.begins(parts.process, rest),
            What::Exits => {
                self.begun.remove(&parts.process);
                self.clock.forget(parts.process);
                sink.note(Note::Ignored);
            }
            What::Other => sink.note(Note::Ignored),
        }
    }

    /// Keeps the first arguments of a call: the descriptor is on this half only.
    fn begins(&mut self, process: u64, rest: &[u8]) {
        /// Longer than any path.
        const KEPT: usize = 8 << 10;
        if !self.looks_inside
            || self.begun.len() >= Decoder::MOST_THREADS && !self.begun.contains_key(&process)
        {
            return;
        }
        let kept = self.begun.entry(process).or_default();
        kept.clear();
        kept.extend_from_slice(&rest[..rest.len().min(KEPT)]);
    }

    /// A call has ended.
    fn call(
        &mut self,
        line: Line<'_>,
        process: u64,
        returned: Returned<'_>,
        sink: &mut dyn Sink,
    ) {
        let Returned { call, arguments, rest, resumed, latency } = returned;
        let result = line::result(rest).unwrap_or_default();
        let Some(latency) = latency else {
            self.untimed += 1;
            if result.starts_with(b"?") {
                // The call never returned.
                sink.note(Note::Ignored);
            } else {
                reject(sink, line.place, Decoder::UNTIMED, 1);
            }
            return;
        };
        self.timed += 1;
        sink.record();
        let at = self.clock.end(process, resumed, latency, sink);
        if self.looks_inside {
            self.pid.clear();
            if process > 0 && write!(self.pid, "{process}").is_err() {
                self.pid.clear();
            }
            let (size, error) = (line::size(call, result), line::error(result));
            let file = line::file(arguments);
            self.grouping.tell(&[call, file, size, error, &self.pid], (at, latency), sink);
        } else {
            self.grouping.tell(&[call], (at, latency), sink);
        }
    }

    fn finish(mut self, sink: &mut dyn Sink) -> Result<(), DecodeError> {
        self.grouping.finish(sink);
        if self.timed == 0 && self.untimed > 0 {
            return Err(DecodeError::Nothing(Decoder::NO_DURATIONS.to_owned()));
        }
        Ok(())
    }
}
