//! What the bars of a printed histogram say of buckets that are missing: an input may be cut between two lines.

use isotherm_frame::Place;

use super::is_whole;

/// The bars of one histogram. Tools scale them: that of the fullest bucket fills the width. Behind the last bucket
/// that counts something they print none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bars {
    /// Where the last one is.
    last: Option<Place>,
    /// Whether one fills the width.
    is_filled: bool,
    /// Whether the last bucket counts nothing.
    ends_empty: bool,
}

impl Bars {
    /// What is wrong where no bar fills the width.
    const NO_FULLEST: &'static str =
        "buckets are missing: no bar has the full width, which that of the fullest bucket has";
    /// What is wrong where the last bucket is empty.
    const NO_LAST: &'static str =
        "buckets are missing: the last one counts nothing, and no tool ends with such a one";

    /// A bucket with this count was printed.
    pub(crate) fn add(&mut self, line: &[u8], count: u64, place: Place) {
        self.last = Some(place);
        self.ends_empty = count == 0;
        self.is_filled |= is_filled(line);
    }

    /// Where the last bar is.
    pub(crate) fn last(&self) -> Option<Place> {
        self.last
    }

    /// Why buckets are missing, if the bars show it.
    fn missing(&self) -> Option<&'static str> {
        match self {
            Bars { last: None, .. } => None,
            Bars { is_filled: false, .. } => Some(Bars::NO_FULLEST),
            Bars { ends_empty: true, .. } => Some(Bars::NO_LAST),
            Bars { .. } => None,
        }
    }
}

/// Whether the bar of a bucket has no blank in it.
fn is_filled(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let bar =
        line.strip_suffix(b"|").and_then(|line| Some(&line[memchr::memchr(b'|', line)? + 1..]));
    is_whole(line) && bar.is_some_and(|bar| !bar.is_empty() && !bar.contains(&b' '))
}

/// Whether the histograms of an input are drawn as the tools draw them: texts made by other means may be not, and
/// then their bars say nothing.
#[derive(Debug, Default)]
pub(crate) struct Drawing {
    is_known: bool,
    is_other: bool,
}

impl Drawing {
    /// Where and why buckets of the next histogram are missing; nothing follows `at_end`.
    pub(crate) fn missing(&mut self, bars: &Bars, at_end: bool) -> Option<(Place, &'static str)> {
        let place = bars.last?;
        let Some(reason) = bars.missing() else {
            self.is_known = true;
            return None;
        };
        if self.is_known || at_end && !self.is_other {
            return Some((place, reason));
        }
        self.is_other = true;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(rows: &[&str]) -> Bars {
        let mut bars = Bars::default();
        for row in rows {
            let count = if row.contains(" 0 ") { 0 } else { 7 };
            bars.add(row.as_bytes(), count, Place { line: 3, byte: 9 });
        }
        bars
    }

    #[test]
    fn the_fullest_bucket_and_the_last_one_show_whether_a_histogram_is_whole() {
        let (low, full, none) = ("[1]  7 |@@  |", "[2, 4)  7 |@@@@|", "[4, 8)  0 |    |");
        for (rows, is_whole) in [
            (&[full][..], true),
            (&[low, full], true),
            (&[low, none, full, low], true),
            (&[low], false),
            (&[low, none], false),
            (&[full, none], false),
            (&["[1]  7 ||"], false),
        ] {
            let missing = Drawing::default().missing(&bars(rows), true);
            assert_eq!(missing.is_none(), is_whole, "{rows:?} {missing:?}");
            // In a text of which nothing is known, only its end can be cut.
            assert_eq!(Drawing::default().missing(&bars(rows), false), None);
        }
        assert_eq!(Drawing::default().missing(&Bars::default(), true), None);
    }

    #[test]
    fn bars_of_another_scale_say_nothing() {
        let (low, full) = (bars(&["[1]  7 |@@  |"]), bars(&["[1]  7 |@@@@|"]));
        let mut drawing = Drawing::default();
        assert_eq!(drawing.missing(&low, false), None);
        assert_eq!(drawing.missing(&low, true), None);
        let mut drawing = Drawing::default();
        assert_eq!(drawing.missing(&full, false), None);
        assert!(drawing.missing(&low, false).is_some());
        assert!(drawing.missing(&low, true).is_some());
    }
}
