//! One line of an exposition, taken apart.

use isotherm_frame::{Nanos, Scheme, Timestamp, Unit};

use crate::number::{self, Wrong};

/// A sample: `name{labels} value [timestamp] [# exemplar]`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sample<'l> {
    pub(crate) name: &'l [u8],
    /// What is between the curly brackets.
    pub(crate) labels: &'l [u8],
    pub(crate) value: &'l [u8],
    pub(crate) timestamp: Option<&'l [u8]>,
}

/// Takes a line apart; `None` if it is no sample.
pub(crate) fn sample(line: &[u8]) -> Option<Sample<'_>> {
    let end = line.iter().position(|byte| matches!(byte, b'{' | b' ' | b'\t'))?;
    let (name, rest) = line.split_at(end);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.');
    if name.is_empty() || !name.iter().all(is_name) {
        return None;
    }
    let (labels, rest) = match rest.strip_prefix(b"{") {
        Some(rest) => {
            let end = end_of_labels(rest)?;
            (&rest[..end], &rest[end + 1..])
        }
        None => (&rest[..0], rest),
    };
    let mut words = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let value = words.next()?;
    let timestamp = words.next().filter(|word| *word != b"#");
    Some(Sample { name, labels, value, timestamp })
}

/// Where the bracket is that closes the labels: one in quotation marks does not.
fn end_of_labels(text: &[u8]) -> Option<usize> {
    let (mut quoted, mut at) = (false, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' if quoted => at += 1,
            b'"' => quoted = !quoted,
            b'}' if !quoted => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The labels one after another: the name and what is between the quotation marks.
pub(crate) fn labels(text: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.iter().position(|byte| !matches!(byte, b',' | b' '))?;
        let equals = start + memchr::memchr(b'=', &rest[start..])?;
        let name = rest[start..equals].trim_ascii();
        let value = rest[equals + 1..].trim_ascii_start().strip_prefix(b"\"")?;
        let mut end = 0;
        while !matches!(value.get(end)?, b'"') {
            end += if value[end] == b'\\' { 2 } else { 1 };
        }
        rest = &value[end + 1..];
        Some((name, &value[..end]))
    })
}

/// A value of a label as it is meant.
pub(crate) fn unescaped(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    if !text.contains('\\') {
        return text.into_owned();
    }
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (char, if char == '\\' { chars.next() } else { None }) {
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some(escaped)) => out.push(escaped),
            _ => out.push(char),
        }
    }
    out
}

/// What the name of a metric says about its unit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum NamedUnit {
    /// It is this unit of time.
    Time(Unit),
    /// It is no unit of time.
    Other,
    /// Nothing.
    None,
}

/// What the end of a metric's name says about its unit.
pub fn unit_of(name: &[u8]) -> NamedUnit {
    const UNITS: [(&[u8], Unit); 13] = [
        (b"_seconds", Unit::Seconds),
        (b"_secs", Unit::Seconds),
        (b"_sec", Unit::Seconds),
        (b"_milliseconds", Unit::Millis),
        (b"_millis", Unit::Millis),
        (b"_msec", Unit::Millis),
        (b"_ms", Unit::Millis),
        (b"_microseconds", Unit::Micros),
        (b"_usec", Unit::Micros),
        (b"_us", Unit::Micros),
        (b"_nanoseconds", Unit::Nanos),
        (b"_nsec", Unit::Nanos),
        (b"_ns", Unit::Nanos),
    ];
    const OTHERS: [&[u8]; 8] = [
        b"_bytes", b"_samples", b"_size", b"_ratio", b"_count", b"_percent", b"_length", b"_bits",
    ];
    let known = UNITS.iter().find(|(end, _)| name.ends_with(end));
    let other = OTHERS.iter().any(|end| name.ends_with(end));
    match known {
        Some((_, unit)) => NamedUnit::Time(*unit),
        None if other => NamedUnit::Other,
        None => NamedUnit::None,
    }
}

/// A count, which may be written as `1.287408e+06`, or why it is none.
pub(crate) fn count(text: &[u8]) -> Result<u64, &'static str> {
    const FRACTION: &str = "its counts have fractions, as those of rate() and increase(): isotherm needs \
        the samples themselves, such as NAME_bucket{...}[1h]";
    number::whole_float(text).map_err(|wrong| match wrong {
        Wrong::Fraction => FRACTION,
        _ => "the count is not a number",
    })
}

/// When the program that is measured was started, if the sample is the one that says so.
pub(crate) fn started(sample: Sample<'_>) -> Option<Timestamp> {
    if sample.name != b"process_start_time_seconds" || !sample.labels.is_empty() {
        return None;
    }
    let since = number::nanos(sample.value, Unit::Seconds).ok().filter(|ns| *ns > 0)?;
    Some(Timestamp::new(0).plus(Nanos::new(since)))
}

/// A bound in nanoseconds; [`Scheme::UNBOUNDED`] for infinity.
pub(crate) fn bound(text: &[u8], unit: Unit) -> Option<u64> {
    if text.eq_ignore_ascii_case(b"+inf") || text.eq_ignore_ascii_case(b"inf") {
        return Some(Scheme::UNBOUNDED);
    }
    number::nanos(text, unit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_taken_apart() {
        let line = br#"x_bucket{op="a}\"b",le="0.00025"} 1234 # {trace_id="1"} 0.0002 1.7e+09"#;
        let found = sample(line).unwrap();
        assert_eq!((found.name, found.value), (&b"x_bucket"[..], &b"1234"[..]));
        assert_eq!(found.timestamp, None);
        let pairs: Vec<_> = labels(found.labels).map(|(name, value)| (name, unescaped(value))).collect();
        assert_eq!(pairs, [(&b"op"[..], "a}\"b".to_owned()), (b"le", "0.00025".to_owned())]);
        let found = sample(b"x_sum 1.5e-3 1395066363000").unwrap();
        assert_eq!((found.labels, found.timestamp), (&b""[..], Some(&b"1395066363000"[..])));
        for line in ["", "# TYPE x histogram", "x{", "x{a=\"b}", "hello, world 5", "x"] {
            assert_eq!(sample(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn names_tell_units() {
        assert_eq!(unit_of(b"bio_latency_seconds"), NamedUnit::Time(Unit::Seconds));
        assert_eq!(unit_of(b"op_us"), NamedUnit::Time(Unit::Micros));
        assert_eq!(unit_of(b"chunk_size_bytes"), NamedUnit::Other);
        assert_eq!(unit_of(b"protocol_access_latency"), NamedUnit::None);
    }

    #[test]
    fn numbers_are_read_exactly() {
        assert_eq!(count(b"1.287408e+06"), Ok(1_287_408));
        assert_eq!(count(b"NaN"), Err("the count is not a number"));
        assert!(count(b"3893.33").unwrap_err().contains("rate()"));
        assert_eq!(bound(b"1.6e-05", Unit::Seconds), Some(16_000));
        assert_eq!(bound(b"+Inf", Unit::Seconds), Some(Scheme::UNBOUNDED));
    }
}
