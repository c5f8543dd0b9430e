//! The pieces that sentences are made of: moments, shares and lengths of time in words.

use isotherm_analysis::{Operation, PartOfTime, RankedRemark};
use isotherm_frame::{Nanos, Timestamp, percent};

use crate::times::TimeFormat;

/// How the moments of a sentence are written.
pub(super) struct Times<'a> {
    pub(super) moments: &'a TimeFormat,
    /// What follows them, unless an earlier sentence said it.
    pub(super) zone: &'static str,
}

/// What is known to within less is known to the second: a poll may come a little late.
const TO_THE_SECOND: Nanos = Nanos::from_millis(1_500);

impl Times<'_> {
    pub(super) fn at(&self, moment: Timestamp, exact_to: Nanos) -> String {
        format!("{}{}", self.moments.moment(moment, exact_to), self.zone)
    }

    /// The same, marked as an estimate where it is not known to the second.
    pub(super) fn about(&self, moment: Timestamp, exact_to: Nanos) -> String {
        format!("{}{}", estimated(exact_to), self.at(moment, exact_to))
    }

    /// `From 14:25:10 to 14:33:05 UTC`, or `From 14:25:10 UTC on` of what lasts. Moments that are not
    /// known to the second are marked as estimates.
    pub(super) fn stretch(
        &self,
        start: Timestamp,
        end: Option<Timestamp>,
        exact_to: Nanos,
    ) -> String {
        format!("From {}", self.stretch_words(start, end, exact_to))
    }

    /// The same behind "from".
    pub(super) fn stretch_words(
        &self,
        start: Timestamp,
        end: Option<Timestamp>,
        exact_to: Nanos,
    ) -> String {
        match end {
            Some(end) => self.span_words(start, end, exact_to),
            None => format!("{} on", self.about(start, exact_to)),
        }
    }

    /// `14:25:10 to 14:33:05 UTC`.
    pub(super) fn span_words(&self, start: Timestamp, end: Timestamp, exact_to: Nanos) -> String {
        let (about, start) = (estimated(exact_to), self.moments.moment(start, exact_to));
        format!("{about}{start} to {about}{}", self.at(end, exact_to))
    }
}

/// The mark before a moment that is not known to the second.
fn estimated(exact_to: Nanos) -> &'static str {
    if is_to_the_second(exact_to) { "" } else { "≈" }
}

/// Whether a moment is known to the second.
pub(super) fn is_to_the_second(exact_to: Nanos) -> bool {
    exact_to < TO_THE_SECOND
}

pub(super) fn noun(operation: Operation) -> &'static str {
    match operation {
        Operation::Read => "reads",
        Operation::Write => "writes",
        Operation::Flush => "flushes",
        Operation::Discard => "discards",
        Operation::Other | Operation::Unknown => "events",
    }
}

/// The one series that a remark is about, as it is called beside the others.
pub(super) fn named(ranked: &RankedRemark) -> Option<String> {
    let in_full = || ranked.series.as_ref().map(ToString::to_string);
    ranked.series_name.clone().or_else(in_full).map(in_quotes_if_a_word)
}

/// Ordinary words that are names of operations, statements or commands as well.
const WORDS: [&str; 45] = [
    "all",
    "analyze",
    "begin",
    "call",
    "close",
    "commit",
    "connect",
    "copy",
    "create",
    "delete",
    "discard",
    "end",
    "events",
    "everything",
    "execute",
    "fetch",
    "flush",
    "get",
    "insert",
    "latency",
    "load",
    "lock",
    "merge",
    "open",
    "other",
    "parse",
    "query",
    "rate",
    "read",
    "receive",
    "rollback",
    "select",
    "send",
    "set",
    "show",
    "start",
    "stop",
    "sync",
    "time",
    "truncate",
    "unknown",
    "update",
    "wait",
    "waits",
    "write",
];

/// The name of a series that reads as an ordinary word is in quotes: Redis has a command `time`, and
/// "time stopped" says something else.
fn in_quotes_if_a_word(name: String) -> String {
    if WORDS.contains(&name.as_str()) { format!("'{name}'") } else { name }
}

/// `: 98 % of all time waited`; nothing where that is not known or nothing was waited for.
pub(super) fn owning(ranked: &RankedRemark) -> String {
    match ranked.time_share {
        Some(share) if share > 0.0 => {
            format!(": {} of all time waited", about_share(share, ranked.exact))
        }
        _ => String::new(),
    }
}

/// A share in a sentence, with `≈` where it is estimated: `≈70 %`.
pub fn about_share(share: f64, exact: bool) -> String {
    let text = percent(share);
    // `<0.1 %` and `>99 %` are no more exact than they say.
    let exact = exact || text.starts_with(['<', '>']);
    format!("{}{text}", if exact { "" } else { "≈" })
}

/// The share of the time waited of some events as it is known: `84 %` where buckets and total leave
/// hardly anything open, `≈84 %` of fine buckets, `60–100 %` of coarse ones.
pub(super) fn share_within(part: &PartOfTime) -> String {
    if part.is_known() {
        return about_share(part.least.midpoint(part.most), true);
    }
    if !part.coarse {
        return about_share(part.share, false);
    }
    let percent = |share: f64| 100.0 * share.clamp(0.0, 1.0);
    format!("{}–{} %", percent(part.least).floor(), percent(part.most).ceil())
}

/// An estimated length of time: `≈` and two digits.
pub(super) fn about(length: Nanos) -> String {
    format!("≈{}", two_digits(length))
}

pub(super) fn about_ns(ns: f64) -> String {
    Nanos::from_secs_f64(ns / 1e9).map_or("-".to_owned(), about)
}

/// A length of time rounded to two digits, in its unit: `230µs`, `7.9ms`, `8ms`.
pub fn two_digits(length: Nanos) -> String {
    let ns = length.as_nanos();
    let unit = 10_u64.saturating_pow(ns.checked_ilog10().unwrap_or(0).saturating_sub(1));
    let rounded = ns.saturating_add(unit / 2) / unit * unit;
    let text = Nanos::new(rounded).to_string();
    let digits = text.trim_end_matches(char::is_alphabetic);
    let name = &text[digits.len()..];
    let digits = if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    };
    format!("{digits}{name}")
}

/// `one, two and three`.
pub(crate) fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
