//! One line of strace's output, taken apart.

use isotherm_frame::{Nanos, Unit};

use crate::number;
use crate::stamp::time_of_day;

/// The time at the beginning of a line.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Time {
    /// `-ttt`: since 1970.
    Epoch(Nanos),
    /// `-t` and `-tt`: since midnight.
    OfDay(Nanos),
    /// `-r`: since the line before.
    Since(Nanos),
}

/// What a line says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum What<'l> {
    /// A call that is complete: `call(arguments) = result <duration>`.
    Complete {
        call: &'l [u8],
        /// From behind the opening bracket to the end of the result.
        rest: &'l [u8],
        latency: Option<Nanos>,
    },
    /// A call begins: `call(arguments <unfinished ...>`.
    Begins {
        /// From behind the opening bracket.
        rest: &'l [u8],
    },
    /// A call ends: `<... call resumed>arguments) = result <duration>`.
    Ends { call: &'l [u8], rest: &'l [u8], latency: Option<Nanos> },
    /// A thread ended: `+++ exited with 0 +++`.
    Exits,
    /// Signals, words of strace about itself, and the functions that a call was made from (`-k`).
    Other,
}

/// A line taken apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Parts<'l> {
    pub(super) process: u64,
    pub(super) time: Option<Time>,
    pub(super) what: What<'l>,
}

/// More digits than a process number has.
const LONGEST_PROCESS: usize = 7;

/// Takes a line apart; `None` if strace does not write such lines.
pub(super) fn parts(line: &[u8]) -> Option<Parts<'_>> {
    let (process, rest) = process(line);
    let (time, rest) = time(rest);
    let rest = without_brackets(rest);
    let what = what(rest.trim_ascii())?;
    Some(Parts { process: process.unwrap_or(0), time, what })
}

/// `[pid 4711] ` as on a terminal, or `4711 ` as in a file, either with the name of the program behind
/// the number (`-Y`): `4711<a program> `.
fn process(line: &[u8]) -> (Option<u64>, &[u8]) {
    if let Some(rest) = line.strip_prefix(b"[pid ") {
        let digits = rest.trim_ascii_start();
        let digits = &digits[..digits.iter().take_while(|byte| byte.is_ascii_digit()).count()];
        let named = memchr::memmem::find(rest, b">] ").map(|end| end + 1);
        let Some(end) = named.or_else(|| memchr::memchr(b']', rest)) else { return (None, line) };
        return (number::digits(digits), &rest[end + 1..]);
    }
    if let Some((process, rest)) = process_with_program(line) {
        return (Some(process), rest);
    }
    let (word, rest) = first_word(line);
    if word.len() > LONGEST_PROCESS || rest.is_empty() {
        return (None, line);
    }
    number::digits(word).map_or((None, line), |process| (Some(process), rest))
}

/// `4711<a program> `: what -Y writes into a file.
fn process_with_program(line: &[u8]) -> Option<(u64, &[u8])> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let name = line[digits..].strip_prefix(b"<").filter(|_| digits <= LONGEST_PROCESS)?;
    let end = memchr::memmem::find(name, b"> ")?;
    Some((number::digits(&line[..digits])?, &name[end + 1..]))
}

/// What is behind the number of the call (`-n`) and the address it was made from (`-i`), each in
/// square brackets.
fn without_brackets(text: &[u8]) -> &[u8] {
    let mut rest = text.trim_ascii_start();
    while let Some(inner) = rest.strip_prefix(b"[") {
        let plain = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b' ' | b'?');
        let length = inner.iter().take_while(|byte| plain(byte)).count();
        if length == 0 || inner.get(length) != Some(&b']') {
            break;
        }
        rest = inner[length + 1..].trim_ascii_start();
    }
    rest
}

fn first_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let end = memchr::memchr(b' ', text).unwrap_or(text.len());
    text.split_at(end)
}

/// The time that stands before the call, if there is one; of an absolute and a relative one the
/// absolute.
fn time(text: &[u8]) -> (Option<Time>, &[u8]) {
    let (word, rest) = first_word(text);
    if !word.first().is_some_and(u8::is_ascii_digit) {
        return (None, text);
    }
    let Some(time) = absolute_or_relative(word) else { return (None, text) };
    let Some(relative) = rest.trim_ascii_start().strip_prefix(b"(+") else {
        return (Some(time), rest);
    };
    let end = memchr::memchr(b')', relative).map_or(relative.len(), |end| end + 1);
    (Some(time), &relative[end..])
}

fn absolute_or_relative(word: &[u8]) -> Option<Time> {
    if memchr::memchr(b':', word).is_some() {
        return std::str::from_utf8(word).ok().and_then(time_of_day).map(Time::OfDay);
    }
    let seconds = memchr::memchr(b'.', word).unwrap_or(word.len());
    let time = Nanos::new(number::plain_nanos(word, Unit::Seconds)?);
    Some(if seconds >= 9 { Time::Epoch(time) } else { Time::Since(time) })
}

fn what(text: &[u8]) -> Option<What<'_>> {
    if let Some(resumed) = text.strip_prefix(b"<... ") {
        let end = memchr::memmem::find(resumed, b" resumed>")?;
        let (rest, latency) = latency(&resumed[end + b" resumed>".len()..]);
        return Some(What::Ends { call: &resumed[..end], rest, latency });
    }
    if text.starts_with(b"+++ ") {
        return Some(What::Exits);
    }
    let stack = text.starts_with(b"> ") && text.ends_with(b"]");
    if stack || text.starts_with(b"--- ") || text.starts_with(b"strace: ") {
        return Some(What::Other);
    }
    let name = text.iter().position(|&byte| !(byte.is_ascii_alphanumeric() || byte == b'_'))?;
    let (call, rest) = text.split_at(name);
    let rest = rest.strip_prefix(b"(").filter(|_| name > 0 && !call[0].is_ascii_digit())?;
    if rest.ends_with(b"<unfinished ...>") || is_interrupted(rest) {
        return Some(What::Begins { rest });
    }
    let (rest, latency) = latency(rest);
    // What a buffer holds at the end of a line that is cut short is no duration.
    let latency = latency.filter(|_| result(rest).is_some());
    Some(What::Complete { call, rest, latency })
}

/// Whether strace's word about a new process stands within the line of the call that made it, as on a
/// terminal: `vfork(strace: Process 4711 attached`. The call is resumed later.
fn is_interrupted(rest: &[u8]) -> bool {
    let said = memchr::memmem::rfind(rest, b"strace: Process ").map(|at| &rest[at..]);
    said.is_some_and(|said| said.ends_with(b" attached") && !said.contains(&b')'))
}

/// The duration that a line ends with, and what is before it. Nothing else that looks like one
/// counts: what a buffer holds is printed too.
fn latency(text: &[u8]) -> (&[u8], Option<Nanos>) {
    let Some(inner) = text.strip_suffix(b">") else { return (text, None) };
    let Some(start) = memchr::memrchr(b'<', inner) else { return (text, None) };
    let digits = &inner[start + 1..];
    match number::plain_nanos(digits, Unit::Seconds) {
        Some(ns) => (text[..start].trim_ascii_end(), Some(Nanos::new(ns))),
        None => (text, None),
    }
}

/// What a call returned, from what is before its duration: the text behind `) = `, where strace may
/// have filled up with blanks before the sign.
pub(super) fn result(rest: &[u8]) -> Option<&[u8]> {
    let mut before = rest;
    while let Some(at) = memchr::memmem::rfind(before, b" = ") {
        before = &rest[..at];
        if before.trim_ascii_end().ends_with(b")") {
            return Some(rest[at + b" = ".len()..].trim_ascii_start());
        }
    }
    None
}

/// The file that `-y` writes behind the first argument where that is a descriptor: `6</path>`.
pub(super) fn file(arguments: &[u8]) -> &[u8] {
    let digits = arguments.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let Some(path) = arguments[digits..].strip_prefix(b"<").filter(|_| digits > 0) else {
        return b"";
    };
    let end = memchr::memchr_iter(b'>', path).find(|&end| {
        matches!(path.get(end + 1), None | Some(b',' | b')' | b' ' | b'<'))
    });
    end.map_or(b"".as_slice(), |end| &path[..end])
}

/// The name of the error in a result such as `-1 EAGAIN (Resource temporarily unavailable)`.
pub(super) fn error(result: &[u8]) -> &[u8] {
    let name = result.strip_prefix(b"-1 ").unwrap_or_default();
    let end = name.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(name.len());
    &name[..end]
}

/// The power of two that the bytes moved by a call do not exceed, as `8 KiB`; empty for calls that
/// move none.
pub(super) fn size(call: &[u8], result: &[u8]) -> &'static [u8] {
    const MOVERS: [&[u8]; 6] = [b"read", b"write", b"send", b"recv", b"splice", b"copy_file"];
    const CLASSES: [&str; 31] = [
        "1 B", "2 B", "4 B", "8 B", "16 B", "32 B", "64 B", "128 B", "256 B", "512 B", "1 KiB",
        "2 KiB", "4 KiB", "8 KiB", "16 KiB", "32 KiB", "64 KiB", "128 KiB", "256 KiB", "512 KiB",
        "1 MiB", "2 MiB", "4 MiB", "8 MiB", "16 MiB", "32 MiB", "64 MiB", "128 MiB", "256 MiB",
        "512 MiB", "1 GiB",
    ];
    let moves = MOVERS.iter().any(|mover| memchr::memmem::find(call, mover).is_some());
    let digits = result.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let Some(bytes) = number::digits(&result[..digits]).filter(|_| moves && !call.starts_with(b"readlink"))
    else {
        return b"";
    };
    let class = bytes.max(1).next_power_of_two().trailing_zeros();
    let class = usize::try_from(class).ok().and_then(|class| CLASSES.get(class));
    if bytes == 0 { b"0 B" } else { class.map_or(b"more than 1 GiB".as_slice(), |it| it.as_bytes()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Parts<'_> {
        parts(line.as_bytes()).unwrap()
    }

    #[test]
    fn every_way_to_begin_a_line_is_known() {
        let call = "close(3) = 0 <0.000012>";
        let begins = |prefix: &str| {
            let line = format!("{prefix}{call}");
            let parts = of(&line);
            let complete = matches!(parts.what, What::Complete { call: b"close", .. });
            assert!(complete, "{line}");
            (parts.process, parts.time)
        };
        assert_eq!(begins(""), (0, None));
        assert_eq!(begins("1792  "), (1_792, None));
        assert_eq!(begins("[pid   179] "), (179, None));
        let epoch = Some(Time::Epoch(Nanos::new(1_795_237_745_196_476_000)));
        assert_eq!(begins("1917  1795237745.196476 "), (1_917, epoch));
        assert_eq!(begins("1795237745.196476 "), (0, epoch));
        assert_eq!(begins("1795237745.196476000 (+     0.000160619) "), (0, epoch));
        let second = Some(Time::Epoch(Nanos::new(1_795_237_745_000_000_000)));
        assert_eq!(begins("1795237745 "), (0, second));
        let of_day = Some(Time::OfDay(Nanos::new(18_548_626_188_000)));
        assert_eq!(begins("[pid 5] 05:09:08.626188 "), (5, of_day));
        let since = Some(Time::Since(Nanos::new(70_000)));
        assert_eq!(begins("2228       0.000070 "), (2_228, since));
        assert_eq!(begins("     0.000070 "), (0, since));
        assert_eq!(begins("18557<py thon> 1795237745 "), (18_557, second));
        assert_eq!(begins("[pid 18557<py]thon>] "), (18_557, None));
        assert_eq!(begins("1917 1795237745.196476 [  17] "), (1_917, epoch));
        assert_eq!(begins("1917 1795237745.196476 [  17] [00007f91a2ce0b9a] "), (1_917, epoch));
        assert_eq!(begins("[00007f91a2ce0b9a] "), (0, None));
    }

    #[test]
    fn only_the_end_of_a_line_is_a_duration() {
        let line = r#"write(1, "a = 5 <0.1>", 11) = 11 <0.000009>"#;
        let What::Complete { rest, latency, .. } = of(line).what else { panic!("{line}") };
        assert_eq!((latency, result(rest)), (Some(Nanos::new(9_000)), Some(&b"11"[..])));
        let line = r#"write(1, "a = 5 <0.1>"#;
        let What::Complete { latency, .. } = of(line).what else { panic!("{line}") };
        assert_eq!(latency, None);
        let What::Complete { latency, rest, .. } = of("exit_group(0) = ?").what else { panic!() };
        assert_eq!((latency, result(rest)), (None, Some(&b"?"[..])));
    }

    #[test]
    fn halves_signals_and_ends_are_distinguished() {
        assert!(matches!(of("5  read(6,  <unfinished ...>").what, What::Begins { rest: b"6,  <unfinished ...>" }));
        let ends = of("5  1795237745.196476 <... pread64 resumed>\"\\0\", 8192, 4096) = 8192 <0.000115>");
        let What::Ends { call, rest, latency } = ends.what else { panic!("{ends:?}") };
        assert_eq!((call, latency), (&b"pread64"[..], Some(Nanos::new(115_000))));
        assert_eq!(size(call, result(rest).unwrap()), b"8 KiB");
        assert_eq!(of("+++ exited with 0 +++").what, What::Exits);
        assert_eq!(of("5 --- SIGCHLD {si_signo=SIGCHLD} ---").what, What::Other);
        assert_eq!(of("strace: Process 2575 attached").what, What::Other);
        assert_eq!(of(" > /usr/lib/ld.so.2(_dl_catch_error+0x871a) [0x20b9a]").what, What::Other);
        let forks = of("5  vfork(strace: Process 25833 attached").what;
        assert!(matches!(forks, What::Begins { .. }), "{forks:?}");
        for line in ["", "> a quotation", "[0, 1] f(x)", "hello world", "12 34 56", "1795237745.5 250", "(a) = 1"] {
            assert_eq!(parts(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn files_sizes_and_errors_are_found() {
        assert_eq!(file(b"6</tmp/a b>, \"\", 5"), b"/tmp/a b");
        assert_eq!(file(b"6<TCP:[127.0.0.1:52020->127.0.0.1:80]>, 5"), b"TCP:[127.0.0.1:52020->127.0.0.1:80]");
        assert_eq!(file(b"6, \"<x>\", 5"), b"");
        assert_eq!(error(b"-1 EAGAIN (Resource temporarily unavailable)"), b"EAGAIN");
        assert_eq!(error(b"0"), b"");
        let sizes = [("0", "0 B"), ("1", "1 B"), ("4096", "4 KiB"), ("4097", "8 KiB"), ("-1", "")];
        for (result, class) in sizes {
            assert_eq!(size(b"pread64", result.as_bytes()), class.as_bytes(), "{result}");
        }
        assert_eq!(size(b"openat", b"3"), b"");
    }
}
