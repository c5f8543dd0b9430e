//! The text that bcc and the libbpf tools print.

use isotherm_frame::{Nanos, Unit};

use crate::named_unit::{names_sizes, unit_of_axis};
use crate::printed::{CUT_BUCKET, Layout, Row, is_whole};

/// What a line of text is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line {
    /// Nothing.
    Blank,
    /// A histogram begins.
    Header(Header),
    /// One of its buckets: its bounds as printed, or its slot, and its count.
    Row {
        /// The first bound, or the number of the slot.
        lo: u64,
        /// The last bound; `None` for a slot.
        hi: Option<u64>,
        /// The count.
        count: u64,
    },
    /// It looks like a bucket and is none, for this reason.
    BadRow(&'static str),
    /// It may be the beginning of a bucket, of which the rest is missing.
    CutRow,
    /// `disk = vda` and its kin: what the next histogram is about.
    Labels(Vec<(String, String)>),
    /// `avg = 84 usecs, total: 62152 usecs, count: 738`.
    Total {
        /// The total time.
        total: Nanos,
        /// The events it is the total of.
        count: u64,
    },
    /// What is traced, from the first line of a tool.
    Banner(String),
    /// Anything else.
    Other,
}

/// The line above a histogram.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    /// What is counted, without its unit; empty if there is only a unit.
    pub(super) name: String,
    /// The unit of the bounds or the width of a slot; `None` when it does not say.
    pub(super) step: Option<Nanos>,
    /// Whether it says that sizes or lengths of queues are counted.
    pub(super) sizes: bool,
    /// How bounds are to be read.
    pub(super) bounds: Bounds,
    /// Whether it is printed by a libbpf tool, whose 27th slot has no upper bound.
    pub(super) libbpf: bool,
}

/// How bounds are to be read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Bounds {
    /// Both ends belong to the bucket, as in bcc.
    Inclusive,
    /// The second end does not, as in perf-tools.
    HalfOpen,
}

impl Header {
    /// A bucket in multiples of the step.
    pub(super) fn row(&self, lo: u64, hi: Option<u64>, count: u64) -> Row {
        let hi = match (hi, self.bounds) {
            (None, _) => lo.checked_add(1),
            (Some(hi), Bounds::HalfOpen) => Some(hi),
            (Some(hi), Bounds::Inclusive) => hi.checked_add(1),
        };
        Row { lo, hi, count }
    }

    /// The layout of its buckets.
    pub(super) fn layout(&self) -> Layout {
        match self.bounds {
            Bounds::HalfOpen => Layout::PowersOfTwo,
            Bounds::Inclusive => Layout::PairedPowersOfTwo,
        }
    }
}

/// What `line` is.
pub(super) fn line(line: &[u8]) -> Line {
    let Ok(text) = std::str::from_utf8(line) else { return Line::Other };
    if text.trim().is_empty() {
        return Line::Blank;
    }
    header(text)
        .map(Line::Header)
        .or_else(|| row(text))
        .or_else(|| total(text))
        .or_else(|| banner(text))
        .or_else(|| labels(text))
        .or_else(|| is_cut_row(text).then_some(Line::CutRow))
        .unwrap_or(Line::Other)
}

/// Whether a line begins as a bucket does, without a bar: `16 -> 31   : 8`, `16 ->`, `16`.
fn is_cut_row(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let (first, rest) = words.split_first().map_or((None, &words[..]), |(one, rest)| (Some(one), rest));
    let rest = match rest {
        ["->" | "-"] => &[],
        ["->", hi, rest @ ..] if is_number(hi) => rest,
        rest => rest,
    };
    let is_count = match rest {
        [] | [":"] => true,
        // perf-tools print an estimate of time after the count.
        [":", count] | [":", count, _] => is_number(count),
        _ => false,
    };
    first.is_some_and(is_number) && is_count
}

/// `usecs : count     distribution`, or the heading of perf-tools' iolatency.
pub(super) fn header(text: &str) -> Option<Header> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix(">=(") {
        let (unit, rest) = rest.split_once(") .. <(")?;
        let step = unit_of(unit);
        let found = rest.contains(") ") && rest.contains(':') && step.is_some();
        let bounds = Bounds::HalfOpen;
        let header = Header { name: String::new(), step, sizes: false, bounds, libbpf: false };
        return found.then_some(header);
    }
    let (what, columns) = text.split_once(" : count")?;
    let gap = columns.strip_suffix("distribution")?;
    if gap.is_empty() || !gap.bytes().all(|byte| byte == b' ') || what.trim().is_empty() {
        return None;
    }
    Some(Header {
        name: without_unit(what),
        step: slots(what).or_else(|| unit_of(what)),
        sizes: names_sizes(what),
        bounds: Bounds::Inclusive,
        libbpf: gap.len() < 5,
    })
}

/// The unit that a heading states.
fn unit_of(text: &str) -> Option<Nanos> {
    unit_of_axis(text).map(Unit::as_nanos)
}

fn unit_word(word: &str) -> Option<Nanos> {
    match word.to_ascii_lowercase().as_str() {
        "s" => None,
        "mus" => Some(Unit::Micros.as_nanos()),
        other => other.parse::<Unit>().ok().map(Unit::as_nanos),
    }
}

/// The width of the slots of a linear histogram: `50us-slots`.
fn slots(what: &str) -> Option<Nanos> {
    let width = what.trim().strip_suffix("-slots")?;
    let unit = width.trim_start_matches(|c: char| c.is_ascii_digit());
    let count: u64 = width[..width.len() - unit.len()].parse().ok()?;
    let unit = unit_word(unit)?;
    count.checked_mul(unit.as_nanos()).filter(|&width| width > 0).map(Nanos::new)
}

/// A heading without its unit: `kcbgtcr latency, ns` speaks of `kcbgtcr latency`.
fn without_unit(what: &str) -> String {
    let what = what.trim();
    match what.rsplit_once([',', ' ', '(']) {
        _ if unit_word(what).is_some() || slots(what).is_some() => String::new(),
        Some((name, unit)) if unit_word(unit.trim_end_matches(')').trim()).is_some() => {
            name.trim_end_matches([',', ' ', '(']).to_owned()
        }
        _ => what.to_owned(),
    }
}

/// `16 -> 31 : 80 |***  |` or, of a linear histogram, `3 : 80 |***  |`.
fn row(text: &str) -> Option<Line> {
    let (bounds, rest) = text.split_once(':')?;
    let (counts, _) = rest.split_once('|')?;
    let (lo, hi) = match bounds.split_once("->") {
        Some((lo, hi)) => (lo.trim(), Some(hi.trim())),
        None => (bounds.trim(), None),
    };
    let numeric = |text: &str| text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty();
    if hi.is_none() && !numeric(lo) {
        return None;
    }
    let (Ok(lo), Ok(hi)) = (lo.parse(), hi.map(str::parse).transpose()) else {
        return Some(Line::BadRow("a bucket's bound is not a whole number"));
    };
    if !is_whole(text.as_bytes()) {
        return Some(Line::BadRow(CUT_BUCKET));
    }
    // perf-tools print an estimate of time after the count.
    let Some(Ok(count)) = counts.split_whitespace().next().map(str::parse) else {
        return Some(Line::BadRow("a bucket's count is not a whole number"));
    };
    Some(Line::Row { lo, hi, count })
}

/// `avg = 84 usecs, total: 62152 usecs, count: 738`
fn total(text: &str) -> Option<Line> {
    let (_, rest) = text.trim().strip_prefix("avg = ")?.split_once(", total: ")?;
    let (total, count) = rest.split_once(", count: ")?;
    let (total, unit) = total.split_once(' ')?;
    let total: u64 = total.parse().ok()?;
    let total = total.checked_mul(unit_word(unit)?.as_nanos()).map(Nanos::new)?;
    Some(Line::Total { total, count: count.trim().parse().ok()? })
}

/// `Tracing block device I/O... Hit Ctrl-C to end.`
fn banner(text: &str) -> Option<Line> {
    let (what, _) = text.strip_prefix("Tracing ")?.split_once("...")?;
    Some(Line::Banner(what.to_owned()))
}

/// `disk = vda`, `disk = vda\tflags = Sync-Read`, `event=db file sequential read`.
fn labels(text: &str) -> Option<Line> {
    let parts = text.split('\t').filter(|part| !part.trim().is_empty());
    let pairs: Option<Vec<_>> = parts.map(label).collect();
    pairs.filter(|pairs| !pairs.is_empty()).map(Line::Labels)
}

fn label(part: &str) -> Option<(String, String)> {
    let (key, value) = part.split_once('=')?;
    let key = key.trim().trim_end_matches('#');
    let plain = |c: char| c.is_ascii_alphanumeric() || "_ -".contains(c);
    let value = unquoted(value.trim());
    let fits = !key.is_empty() && key.len() <= 32 && key.chars().all(plain) && !value.is_empty();
    fits.then(|| (key.to_owned(), value.to_owned()))
}

/// A name without the marks older versions print around it: `b'vda'`, `'sdb'`.
pub(super) fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('b').unwrap_or(text);
    inner.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Header {
        header(text).unwrap_or_else(|| panic!("{text} is a heading"))
    }

    #[test]
    fn headings_tell_units_and_names() {
        let bcc = parsed("     usecs               : count     distribution");
        assert_eq!((bcc.step, bcc.name.as_str(), bcc.libbpf), (Some(Nanos::new(1_000)), "", false));
        assert!(parsed("     msecs               : count    distribution").libbpf);
        let wait = parsed("     wait time, microsec : count     distribution");
        assert_eq!((wait.step, wait.name.as_str()), (Some(Nanos::new(1_000)), "wait time"));
        let logical = parsed("     kcbgtcr latency, ns : count     distribution");
        assert_eq!((logical.step, logical.name.as_str()), (Some(Nanos::new(1)), "kcbgtcr latency"));
        let linear = parsed("     50us-slots    : count     distribution");
        assert_eq!((linear.step, linear.name.as_str()), (Some(Nanos::new(50_000)), ""));
        let perf = parsed(" >=(mus) .. <(mus)  : IOPS       IO_latency/DeltaT |IOPS |");
        assert_eq!((perf.step, perf.bounds), (Some(Nanos::new(1_000)), Bounds::HalfOpen));
        assert!(parsed("     Kbytes              : count     distribution").sizes);
        assert_eq!(parsed("     value               : count     distribution").step, None);
        assert_eq!(header("           value  ------------- Distribution ------------- count"), None);
        assert_eq!(header("  -D, --disks           print a histogram per disk device"), None);
    }

    #[test]
    fn rows_are_read_in_every_width() {
        let row = |lo, hi, count| Line::Row { lo, hi, count };
        assert_eq!(line(b"        16 -> 31         : 80       |*****    |"), row(16, Some(31), 80));
        let wide = b"          8589934592 -> 17179869183          : 2        |****    |";
        assert_eq!(line(wide), row(8_589_934_592, Some(17_179_869_183), 2));
        assert_eq!(line(b"        3          : 15       |*        |"), row(3, None, 15));
        let perf = b"     128 -> 256     : 45         8640              |#      |";
        assert_eq!(line(perf), row(128, Some(256), 45));
        assert_eq!(line(b"        16 -> 31         : 80       |*****"), Line::BadRow(CUT_BUCKET));
        assert!(matches!(line(b"        16 -> 31         : 8,0      |**|"), Line::BadRow(_)));
        assert!(matches!(line(b"        16 -> x          : 80       |**|"), Line::BadRow(_)));
    }

    #[test]
    fn labels_of_every_version_name_the_same_disk() {
        let labels = |pairs: &[(&str, &str)]| {
            let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
            Line::Labels(pairs.iter().map(owned).collect())
        };
        for text in ["disk = vda", "disk = vda\t", "disk = b'vda'", "disk = 'vda'"] {
            assert_eq!(line(text.as_bytes()), labels(&[("disk", "vda")]), "{text}");
        }
        assert_eq!(
            line(b"disk = vda\tflags = Sync-Read"),
            labels(&[("disk", "vda"), ("flags", "Sync-Read")])
        );
        assert_eq!(
            line(b"event=db file sequential read"),
            labels(&[("event", "db file sequential read")])
        );
        assert_eq!(line(b"event# = 123"), labels(&[("event", "123")]));
    }

    #[test]
    fn the_exact_total_is_read() {
        let total = Line::Total { total: Nanos::from_micros(62_152), count: 738 };
        assert_eq!(line(b"avg = 84 usecs, total: 62152 usecs, count: 738"), total);
        assert_eq!(
            line(b"Tracing block device I/O... Hit Ctrl-C to end."),
            Line::Banner("block device I/O".to_owned())
        );
    }
}
