//! Folded stacks: a line for each stack, its frames with semicolons between them and its count.

use std::io::{self, Write};

use crate::account::Account;
use crate::capture::Capture;
use crate::counts::Counts;
use crate::format::Format;
use crate::names::NameId;
use crate::options::ReadOptions;
use crate::perf_time::number;
use crate::stacks::Stacks;
use crate::tree::in_order;

/// Takes a line apart: the frames and the count; `None` if it is no folded stack.
pub(crate) fn folded_line(line: &[u8]) -> Option<(&[u8], u64)> {
    let line = line.trim_ascii();
    let space = memchr::memrchr(b' ', line)?;
    let frames = line[..space].trim_ascii_end();
    let count = number(&line[space + 1..])?;
    (!frames.is_empty() && !line.starts_with(b"#")).then_some((frames, count))
}

/// Reads folded stacks line by line.
pub(crate) struct FoldedReader {
    stacks: Stacks,
    frames: Vec<NameId>,
}

impl FoldedReader {
    pub fn new(options: &ReadOptions) -> FoldedReader {
        FoldedReader { stacks: options.stacks(), frames: Vec::new() }
    }

    /// Takes a line.
    pub fn line(&mut self, line: &[u8], account: &mut Account) {
        if line.trim_ascii().is_empty() || line.starts_with(b"# ") {
            account.ignored_lines += 1;
            return;
        }
        let Some((frames, count)) = folded_line(line) else {
            return account.reject("no stack with a count at its end", line);
        };
        account.records += 1;
        if count == 0 {
            return;
        }
        self.frames.clear();
        for frame in frames.split(|&byte| byte == b';') {
            self.frames.push(self.stacks.name_id(frame.trim_ascii()));
        }
        self.stacks.add(&self.frames, count);
    }

    /// Ends the input.
    pub fn finish(self, account: Account) -> Capture {
        Capture {
            format: Format::Folded,
            stacks: self.stacks,
            account,
            counts: Counts::Unknown,
            event: None,
            rate_hz: None,
            times: None,
            samples: Vec::new(),
        }
    }
}

/// Writes stacks in folded form, in the order of their frames. Semicolons and line ends within a name
/// become colons and blanks.
pub fn write_folded(stacks: &Stacks, out: &mut dyn Write) -> io::Result<()> {
    for id in in_order(stacks) {
        let count = stacks.count(id);
        if count > 0 {
            writeln!(out, "{} {count}", joined(stacks, stacks.frames(id)))?;
        }
    }
    Ok(())
}

/// Writes two sets of stacks as other tools compare them: `stack before after`.
pub fn write_folded_difference(
    both: &Stacks,
    before: &[u64],
    out: &mut dyn Write,
) -> io::Result<()> {
    for id in in_order(both) {
        let (before, after) = (before.get(id as usize).copied().unwrap_or(0), both.count(id));
        if before > 0 || after > 0 {
            writeln!(out, "{} {before} {after}", joined(both, both.frames(id)))?;
        }
    }
    Ok(())
}

/// The names of frames with semicolons between them.
fn joined(stacks: &Stacks, frames: &[NameId]) -> String {
    let names: Vec<String> = frames.iter().map(|&frame| foldable(stacks.name(frame))).collect();
    names.join(";")
}

/// A name as it may stand in a folded line.
fn foldable(name: &str) -> String {
    let fold = |c: char| match c {
        ';' => ':',
        '\n' | '\r' => ' ',
        other => other,
    };
    name.chars().map(fold).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::read::read;

    #[test]
    fn what_cannot_be_read_is_counted() {
        let text =
            "main;read 12\nmain;write\nmain;read -5\nmain 3.5\n\n# heading\na b;c 4\n".to_owned();
        let text = text + &"main;seek 1\n".repeat(20);
        let capture = read(&mut text.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(capture.stacks.total(), 36);
        assert_eq!((capture.account.records, capture.account.rejected), (22, 3));
        let first = capture.account.rejections[0].to_string();
        assert_eq!(first, "line 2: no stack with a count at its end: 'main;write'");
    }

    #[test]
    fn a_sum_beyond_64_bits_is_refused_and_zeros_are_no_stacks() {
        let of = |text: &str| read(&mut text.as_bytes(), &ReadOptions::default());
        // 2^63 - 1 twice and 1 is the largest, 2^64 - 1.
        let half = "m;big 9223372036854775807\n";
        assert_eq!(of(&format!("{half}{half}m;x 1\nm;y 0\n")).unwrap().stacks.total(), u64::MAX);
        assert_eq!(of("m;x 1\nm;y 0\n").unwrap().stacks.len(), 1);
        for text in [format!("{half}{half}m;x 2\n"), format!("{half}{half}{half}")] {
            let said = of(&text).unwrap_err().to_string();
            assert_eq!(said, "folded stacks: the counts add up to more than 64 bits hold");
        }
    }

    /// Names as programs have them: no end of the line or of a frame, and no blank at an end.
    fn name() -> impl Strategy<Value = String> {
        "[a-zA-Z_<>:&*(),\\[\\]é\u{1b}'\"]{1,12}( [a-z0-9]{1,4})?"
    }

    proptest! {
        #[test]
        fn folding_keeps_every_count(
            given in prop::collection::vec((prop::collection::vec(name(), 1..6), 1..1_000_u64), 1..40)
        ) {
            let mut stacks = Stacks::default();
            for (frames, count) in &given {
                stacks.add_named(frames, *count);
            }
            let mut text = Vec::new();
            write_folded(&stacks, &mut text).unwrap();
            let mut again = FoldedReader::new(&ReadOptions::default());
            let mut account = Account::default();
            for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                again.line(line, &mut account);
            }
            let sum: u64 = given.iter().map(|(_, count)| count).sum();
            prop_assert_eq!((again.stacks.total(), account.rejected), (sum, 0));
            let mut twice = Vec::new();
            write_folded(&again.stacks, &mut twice).unwrap();
            prop_assert_eq!(text, twice);
        }

        #[test]
        fn no_input_breaks_a_reader(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = read(&mut bytes.as_slice(), &ReadOptions::default());
        }
    }
}
