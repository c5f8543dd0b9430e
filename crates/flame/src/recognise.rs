//! What an input is, by its content.

use crate::folded::folded_line;
use crate::format::Format;
use crate::frame_name::frame_line;
use crate::perf_header::{SampleHeader, sample_header};

/// Of folded lines, one in so many may be damaged, and two more.
const FITTING_FOR_ONE_DAMAGED: usize = 10;
/// The most words of a program's or a thread's name.
const MOST_WORDS: usize = 6;

/// What an input is that begins like this; `None` if it holds no stacks that can be read.
pub fn recognise(head: &[u8]) -> Option<Format> {
    let mut lines: Vec<&[u8]> =
        head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end).collect();
    // The head may end within a line; behind the last line end there is an empty one.
    if lines.len() > 1 {
        lines.pop();
    }
    let certain = (0..lines.len()).find_map(|at| certain(lines[at], lines.get(at + 1).copied()));
    certain.or_else(|| is_folded(&lines).then_some(Format::Folded))
}

/// The first line of folded stacks of which nearly all counts are numbers and some of them have decimals.
pub(crate) fn with_fractions(head: &[u8]) -> Option<String> {
    let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty() && line[0] != b'#').collect();
    let count = |line: &[u8]| {
        let (stack, count) = std::str::from_utf8(line).ok()?.rsplit_once(' ')?;
        count.parse::<f64>().ok().filter(|_| stack.contains(';'))
    };
    // The head may end within a line.
    let whole = &lines[..lines.len().saturating_sub(usize::from(lines.len() > 1))];
    let fitting = whole.iter().filter(|line| count(line).is_some()).count();
    let others = whole.len() - fitting;
    let are_stacks = fitting > 0 && 2 * others <= fitting && are_few(others, fitting);
    let broken = lines.iter().find(|line| count(line).is_some_and(|count| count.fract() != 0.0));
    broken
        .filter(|_| are_stacks)
        .map(|line| String::from_utf8_lossy(line).chars().take(60).collect())
}

/// What a line, with the one behind it, says the input is beyond doubt.
fn certain(line: &[u8], next: Option<&[u8]>) -> Option<Format> {
    if begins_map(line) {
        return Some(Format::Bpftrace);
    }
    let is_perf = line.starts_with(b"# captured on")
        || line.starts_with(b"# event : name =")
        || sample_header(line).is_some_and(|header| is_sample(&header, next));
    is_perf.then_some(Format::PerfScript)
}

/// `@name[`
fn begins_map(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"@") else { return false };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    rest.iter().find(|byte| !is_name(byte)) == Some(&b'[')
}

/// Whether a line that can be taken apart like a sample's is one: its stack follows, or it has a time
/// and nothing follows.
fn is_sample(header: &SampleHeader<'_>, next: Option<&[u8]>) -> bool {
    let is_event = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-:/,=.@".contains(byte);
    if !header.event[0].is_ascii_alphabetic() || !header.event.iter().all(is_event) {
        return false;
    }
    // Pasted texts have lost the blanks before their frames; with a time above it a frame is one still.
    let is_frame =
        |line: &[u8]| line.starts_with(b"\t") || line.starts_with(b" ") || header.at_ns.is_some();
    let has_stack = frame_line(header.rest).is_some()
        || next.is_some_and(|next| is_frame(next) && frame_line(next).is_some());
    let ends = header.rest.is_empty() && next.is_none_or(<[u8]>::is_empty);
    has_stack || (header.at_ns.is_some() && ends)
}

/// Whether damaged lines are few beside those that are folded stacks.
fn are_few(damaged: usize, fitting: usize) -> bool {
    damaged <= fitting.min(2 + fitting / FITTING_FOR_ONE_DAMAGED)
}

/// Whether nearly all lines are folded stacks. Without a single caller every line has to be one, with
/// a name that is no number: other tables end in a count too.
fn is_folded(lines: &[&[u8]]) -> bool {
    let (mut fitting, mut damaged, mut with_callers, mut named) = (0, 0, 0, 0);
    for line in lines.iter().filter(|line| !line.trim_ascii().is_empty() && line[0] != b'#') {
        let Some(frames) = frames_of(line) else {
            damaged += 1;
            continue;
        };
        fitting += 1;
        let has_name = frames.split(|&byte| byte == b';').any(|frame| is_name(frame.trim_ascii()));
        with_callers += usize::from(frames.contains(&b';') && has_name);
        named += usize::from(has_name && has_no_number(frames));
    }
    if with_callers > 0 {
        are_few(damaged, fitting)
    } else {
        fitting > 0 && named == fitting && damaged == 0
    }
}

/// The frames of a folded line whose first may be a program: a line of a log is longer, or begins with
/// a number.
fn frames_of(line: &[u8]) -> Option<&[u8]> {
    let (frames, _) = folded_line(line).filter(|(frames, _)| is_text(frames))?;
    let program = frames.split(|&byte| byte == b';').next()?.trim_ascii();
    let first_word = program.split(u8::is_ascii_whitespace).next()?;
    let words = program.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    (has_no_number(first_word) && words.count() <= MOST_WORDS).then_some(frames)
}

fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok()
}

/// Whether a frame begins like a name, and is no label of a value such as `Total:`.
fn is_name(frame: &[u8]) -> bool {
    let begins = |byte: u8| {
        byte.is_ascii_alphabetic() || !byte.is_ascii() || b"_[<(~.$@/?-*&".contains(&byte)
    };
    frame.first().is_some_and(|&byte| begins(byte))
        && frame.iter().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
        && !frame.ends_with(b":")
        && !frame.ends_with(b"=")
}

/// Whether no word is a number.
fn has_no_number(frames: &[u8]) -> bool {
    let is_number = |word: &[u8]| word.iter().all(|byte| b"0123456789.,+-".contains(byte));
    frames.split(u8::is_ascii_whitespace).all(|word| word.is_empty() || !is_number(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_recognised_behind_messages() {
        for (head, format) in [
            ("python3 1 2.5: 7 cpu-clock: \n\t12 f (x)\n", Format::PerfScript),
            ("Warning:\nlost 3 chunks!\n\nx y 1 cycles:u: \n\t12 f (x)\n", Format::PerfScript),
            ("a 1 1.0: 5 cycles:  ffff81 read+0x1 (k)\n", Format::PerfScript),
            ("a 1 1.0: 5 cycles: \n\n", Format::PerfScript),
            ("# ========\n# captured on    : Mon\n", Format::PerfScript),
            ("Attaching 2 probes...\n\n@[\n    f+1\n]: 5\n", Format::Bpftrace),
            // Pasted without the blanks before the frames.
            (
                "dd 99 100.000001:   10101010 cpu-clock:\nffffffff8103d0ca copy_user ([k])\n",
                Format::PerfScript,
            ),
            ("main;read;ksys_read 12\n", Format::Folded),
            ("main;read 12\nmain;wri", Format::Folded),
            ("# a heading\nmain;read 12\nmain;write\n", Format::Folded),
            ("main 12\n[idle] 3\nstd::vec::push 1\n", Format::Folded),
            ("worker 3;run 12\n", Format::Folded),
            ("main;a 12\nmain;b 3\nan odd line\nanother one, too\nmain;c 4\n", Format::Folded),
        ] {
            assert_eq!(recognise(head.as_bytes()), Some(format), "{head}");
        }
    }

    #[test]
    fn what_ends_in_a_number_is_no_stack() {
        for head in [
            "",
            "nothing that is known\n",
            // /proc/diskstats, a log of pgbench, ioping -B, blkparse.
            "   7       1 loop1 0 0 0 0\n   8       0 sda 5 6 7 8\n",
            "0 1 19799 0 1795238114 388980 2716\n",
            "4 1046379 3823 15657807 189903 261595 329311 49528 5 4004326340\n",
            "    0.000000000   7,0    1 Q RS 430848 16 8192 ",
            "{\n \"groups\": 29,\n \"n\": 1856\n}\n",
            "Total: 5\n",
            "1;2;3 4\n",
            // Access logs.
            "10.0.0.1 - - [21/Nov/2026:05:16:28 +0000] \"GET /a\" 200 3 \"Mozilla/5.0 (X11;Linux)\" 82788\n",
            "host - - [21/Nov/2026:05:16:28 +0000] \"GET /a\" 200 3 \"Mozilla/5.0 (X11;Linux)\" 82788\n",
            "read 12\nwrite many\n",
            "Some words; and others.\nThe year was 2026\nmore words\n",
            "Run status group 0 (all jobs):\n",
            "Run status group 0 all:\n   READ: bw=7 (x)\n",
            "\u{7}a;b 1\nx\u{0}\n\u{1}\n",
        ] {
            assert_eq!(recognise(head.as_bytes()), None, "{head}");
        }
        assert_eq!(recognise(b"\xff\xfe;\xff 1\n"), None);
    }

    #[test]
    fn counts_with_decimals_are_named() {
        let found = |head: &str| with_fractions(head.as_bytes());
        assert_eq!(found("main;read 1.5\nmain;write 2.5\n"), Some("main;read 1.5".to_owned()));
        assert_eq!(
            found("main;read 2\nmain;write 2.25\nmain;wr"),
            Some("main;write 2.25".to_owned())
        );
        let damaged = "main;a 1.5\nmain;b 2\nan odd line\nmain;c 3\nmain;d 4\nmain;e 5\n";
        assert_eq!(found(damaged), Some("main;a 1.5".to_owned()));
        for head in
            ["", "main;read 1\n", "hello 1.5\n", "main;read 1.5\nwords without an end\nmore\n"]
        {
            assert_eq!(found(head), None, "{head}");
        }
    }
}
