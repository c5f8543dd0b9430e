//! The first line of a sample that `perf script` prints.

use crate::perf_time::nanoseconds;

/// `comm pid/tid [cpu] time: period event: ...` taken apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct SampleHeader<'l> {
    /// The program.
    pub program: &'l [u8],
    /// When, in nanoseconds of the recording's clock.
    pub at_ns: Option<u64>,
    /// How much of what is counted passed between two samples.
    pub period: Option<u64>,
    /// The event as it is printed, with its modifiers.
    pub event: &'l [u8],
    /// What follows: fields of a tracepoint, or the only frame where stacks were not recorded.
    pub rest: &'l [u8],
}

/// How many words a program's name may have, and what stands before the event.
const MOST_WORDS: usize = 16;

/// Takes a line apart; `None` if it begins no sample.
pub(crate) fn sample_header(line: &[u8]) -> Option<SampleHeader<'_>> {
    let mut words = Words { line, at: 0 };
    let mut ids: Option<(usize, usize)> = None;
    for _ in 0..MOST_WORDS {
        let (start, word) = words.next()?;
        if start > 0 && is_ids(word) {
            ids = Some((start, words.at));
            continue;
        }
        let Some((ids_start, _)) = ids else { continue };
        let at_ns = word.strip_suffix(b":").and_then(nanoseconds);
        if at_ns.is_some() {
            return event_of(line, ids_start, at_ns, words);
        }
        // Without times the event follows at once.
        let is_last =
            word.ends_with(b":") && word.len() > 1 && line[words.at..].trim_ascii().is_empty();
        if is_last {
            words.at = start;
            return event_of(line, ids_start, None, words);
        }
    }
    None
}

fn event_of<'l>(
    line: &'l [u8],
    ids_start: usize,
    at_ns: Option<u64>,
    mut words: Words<'l>,
) -> Option<SampleHeader<'l>> {
    let program = line[..ids_start].trim_ascii();
    let (_, mut word) = words.next()?;
    let period = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
    if period.is_some() {
        word = words.next()?.1;
    }
    let event = word.strip_suffix(b":")?;
    let rest = line[words.at..].trim_ascii();
    (!event.is_empty() && !program.is_empty()).then_some(SampleHeader {
        program,
        at_ns,
        period,
        event,
        rest,
    })
}

/// Words between blanks, with where they begin.
struct Words<'l> {
    line: &'l [u8],
    at: usize,
}

impl<'l> Words<'l> {
    fn next(&mut self) -> Option<(usize, &'l [u8])> {
        let is_word = |byte: &u8| !byte.is_ascii_whitespace();
        let start = self.at + self.line[self.at..].iter().position(is_word)?;
        let length = self.line[start..].iter().position(u8::is_ascii_whitespace);
        let end = length.map_or(self.line.len(), |length| start + length);
        self.at = end;
        Some((start, &self.line[start..end]))
    }
}

/// `123` or `123/456`.
fn is_ids(word: &[u8]) -> bool {
    let mut parts = word.split(|&byte| byte == b'/');
    let is_number = |part: &[u8]| {
        let digits = part.strip_prefix(b"-").unwrap_or(part);
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
    };
    parts.by_ref().take(2).all(is_number) && parts.next().is_none()
}

/// `cycles:ppp` is `cycles`, and `cpu/cycles/u` is `cpu/cycles/`; tracepoints have a colon of their own.
pub(crate) fn without_modifiers(event: &str) -> &str {
    let Some(at) = event.rfind([':', '/']) else { return event };
    let modifiers = &event[at + 1..];
    let is_modifier = |letter: char| "ukhGHIpPSDWeb".contains(letter);
    let is_bare =
        modifiers.is_empty() || modifiers.len() > 8 || !modifiers.chars().all(is_modifier);
    match event.as_bytes()[at] {
        _ if is_bare => event,
        b':' => &event[..at],
        _ => &event[..=at],
    }
}

/// Whether samples of an event fall where a processor runs code.
pub(crate) fn is_on_cpu(event: &str) -> bool {
    const NAMES: [&str; 8] = [
        "cpu-clock",
        "task-clock",
        "cycles",
        "cpu-cycles",
        "ref-cycles",
        "instructions",
        "bus-cycles",
        "slots",
    ];
    // `cpu/cycles/`, `cpu_core/cycles/`.
    let event = without_modifiers(event);
    let base = event.trim_end_matches('/').rsplit('/').next().unwrap_or(event);
    NAMES.contains(&base)
}

/// The rate that a line of the header (`perf script --header`) says an event was sampled at.
pub(crate) fn rate_in(line: &[u8]) -> Option<(String, f64)> {
    let text = std::str::from_utf8(line).ok()?;
    let fields = text.strip_prefix("# event : name = ")?;
    let name = fields.split(',').next()?.trim();
    let (_, behind) = fields.split_once("{ sample_period, sample_freq } = ")?;
    let hz: f64 = behind.split(',').next()?.trim().parse().ok()?;
    let is_rate = fields.contains(", freq = 1") && hz > 0.0;
    is_rate.then(|| (name.to_owned(), hz))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_begin_in_every_way_that_perf_prints_them() {
        let taken = |line: &'static str| {
            let header = sample_header(line.as_bytes())?;
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            Some((text(header.program), header.at_ns, header.period, text(header.event)))
        };
        let is = |program: &str, at_ns, period, event: &str| {
            Some((program.to_owned(), at_ns, period, event.to_owned()))
        };
        for (line, expected) in [
            (
                "python3 16244 63025.205443:   10101010 cpu-clock:pppH: ",
                is("python3", Some(63_025_205_443_000), Some(10_101_010), "cpu-clock:pppH"),
            ),
            (
                "swapper     0 [000] 1234.567890123: 1 cycles: ",
                is("swapper", Some(1_234_567_890_123), Some(1), "cycles"),
            ),
            (
                " fio 16793/16794 [001]  2468.673:   sched:sched_switch: prev_comm=fio prev_pid=1",
                is("fio", Some(2_468_673_000_000), None, "sched:sched_switch"),
            ),
            (
                "oracle_123 (LOCAL 9 77/78 [001] 3.5: 7 cpu-clock:u:",
                is("oracle_123 (LOCAL 9", Some(3_500_000_000), Some(7), "cpu-clock:u"),
            ),
            ("java 12 cycles:u: ", is("java", None, None, "cycles:u")),
            ("java 12/13 [001] cpu/cycles/: ", is("java", None, None, "cpu/cycles/")),
        ] {
            assert_eq!(taken(line), expected, "{line}");
        }
        for line in ["", "a", "a 1", "a 1 2.5", "a 1 2.5:", "12 3.4: cycles:", "\t5f77 f (x)"] {
            assert_eq!(taken(line), None, "{line}");
        }
    }

    #[test]
    fn the_rate_is_in_the_header() {
        let line =
            b"# event : name = cpu-clock:pppH, , id = { 1 }, { sample_period, sample_freq } = 99, \
            sample_type = IP, freq = 1, task = 1";
        assert_eq!(rate_in(line), Some(("cpu-clock:pppH".to_owned(), 99.0)));
        assert_eq!(rate_in(b"# cmdline : perf record -F 99"), None);
    }

    #[test]
    fn clocks_and_cycles_are_on_cpu_and_tracepoints_are_not() {
        for name in
            ["cycles", "cycles:u", "cpu-clock:pppH", "cpu_core/cycles/", "cpu_core/cycles/u"]
        {
            assert!(is_on_cpu(name), "{name}");
        }
        assert!(
            !is_on_cpu("sched:sched_switch")
                && !is_on_cpu("cpu/cache-misses/u")
                && !is_on_cpu("page-faults")
        );
    }
}
