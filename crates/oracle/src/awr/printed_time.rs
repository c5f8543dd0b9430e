//! The time of an event's waits, as the tables of events print it: what a reader of the report compares
//! with, so it comes before anything that buckets suggest.
//!
//! Histograms and tables of events are made of different views, which are not read at the same moment and
//! need not count the same waits.

use super::events::only;
use super::names;
use super::number::Printed;
use super::report::{EventLine, Events};

/// What a report prints of all waits for an event, of all sessions in 10g, otherwise of the foreground and
/// the background together. Histograms count both.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct Known {
    /// How many waits.
    pub waits: Printed,
    /// Their time in seconds.
    pub total: Printed,
}

/// Whether a printed time is of the waits of a histogram.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    /// Both tables count the same waits, as far as they are printed.
    Same,
    /// A few more or less: the printed total is theirs but for a part that rounding would hide.
    Nearly,
    /// Clearly others: the time is computed from the mean.
    Other,
}

/// The time of a histogram's waits.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct PrintedTime {
    /// In seconds.
    pub total: Printed,
    /// How it comes to be theirs.
    pub agreement: Agreement,
}

impl Known {
    /// By how much the waits of a histogram and of the tables of events may differ for the printed total to
    /// be given as it is.
    const NEARLY: f64 = 0.01;

    /// Of the event that a histogram calls so; of all that may be meant where its name is cut off and
    /// `several` events have histograms under it. The top list has events that no other table lists where a
    /// report is printed in part.
    pub fn of(event: &str, several: bool, events: &Events, top: &[EventLine]) -> Option<Known> {
        let tables: &[&[EventLine]] = if events.all.is_empty() {
            &[&events.foreground, &events.background]
        } else {
            &[&events.all]
        };
        let lines: Option<Vec<&EventLine>> = if several {
            let lines = tables.iter().flat_map(|table| table.iter());
            Some(lines.filter(|line| may_be(&line.event, event)).collect())
        } else {
            tables.iter().filter_map(|table| line_of(event, table)).collect()
        };
        let lines = lines.filter(|lines| !lines.is_empty());
        let lines = lines.or_else(|| {
            let listed =
                tables.iter().any(|table| table.iter().any(|line| may_be(&line.event, event)));
            let line = only(top, event).filter(|_| !listed && !several)?;
            Some(vec![line])
        })?;
        lines.into_iter().map(Known::of_line).reduce(|one, two| Some(one?.plus(two?)))?
    }

    fn of_line(line: &EventLine) -> Option<Known> {
        if line.waits == Some(0) {
            return Some(Known { waits: Printed::exact(0.0), total: Printed::exact(0.0) });
        }
        let time = line.time()?;
        let waits = Printed { value: time.waits as f64, half: line.waits_half };
        Some(Known { waits, total: time.total })
    }

    fn plus(self, other: Known) -> Known {
        Known { waits: self.waits.plus(other.waits), total: self.total.plus(other.total) }
    }

    /// Whether this is the number of waits, printed in full.
    pub fn is_full_count(self, waits: u64) -> bool {
        self.waits.half == 0.0 && self.waits.rounded() == waits
    }

    /// The time of so many waits, whose number is printed as `printed`.
    pub fn time_of(self, waits: u64, printed: Printed) -> PrintedTime {
        let same = self.is_full_count(waits) || self.waits.overlaps(printed);
        if same || self.waits.value <= 0.0 {
            return PrintedTime { total: self.total, agreement: Agreement::Same };
        }
        let share = waits as f64 / self.waits.value;
        let off = (share - 1.0).abs();
        if off <= Known::NEARLY {
            let half = self.total.half + off * self.total.value;
            let total = Printed { half, ..self.total };
            return PrintedTime { total, agreement: Agreement::Nearly };
        }
        // The waits that only one of the tables has may have taken no time at all.
        let half = self.total.half * share.max(1.0) + off * self.total.value;
        let total = Printed { half, ..self.total.times(share) };
        PrintedTime { total, agreement: Agreement::Other }
    }
}

/// The line of an event in a table: none if the table does not list it, an error (`None` inside) if it is
/// not clear which line it is.
#[expect(clippy::option_option, reason = "no line and an unclear one differ")]
fn line_of<'a>(event: &str, table: &'a [EventLine]) -> Option<Option<&'a EventLine>> {
    let name = whole_name(event, table)?;
    Some(only(table, name))
}

/// Whether a name of a table of events may be what a histogram calls `event`: it is the same, or begins with
/// it where the histogram's column cut it off and the table's is wider.
fn may_be(name: &str, event: &str) -> bool {
    let cut = event.chars().count() >= names::HISTOGRAM_WIDTH;
    name == event || (cut && name.starts_with(event))
}

/// What a table calls an event: so, or by the one longer name that begins with it where the histogram's
/// column cut it off and the table's is wider (Statspack).
fn whole_name<'a>(event: &'a str, table: &'a [EventLine]) -> Option<&'a str> {
    if table.iter().any(|line| line.event == event) {
        return Some(event);
    }
    let cut = event.chars().count() == names::HISTOGRAM_WIDTH;
    let mut longer = table.iter().filter(|line| cut && line.event.starts_with(event));
    let name = longer.next().filter(|_| longer.next().is_none());
    name.map(|line| line.event.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(event: &str, waits: u64, seconds: f64) -> EventLine {
        let total = Some(Printed { value: seconds, half: 0.5 });
        EventLine { event: event.to_owned(), waits: Some(waits), total, ..EventLine::default() }
    }

    fn known(foreground: Vec<EventLine>, background: Vec<EventLine>, event: &str) -> Known {
        let events = Events { foreground, background, ..Events::default() };
        Known::of(event, false, &events, &[]).unwrap()
    }

    #[test]
    fn a_printed_total_is_kept_to_its_rounding_whatever_the_counts() {
        let read = || known(vec![line("read", 1_000, 100.0)], vec![line("read", 50, 5.0)], "read");
        let time = |waits: u64| read().time_of(waits, Printed::exact(waits as f64));
        assert_eq!(time(1_050).total, Printed { value: 105.0, half: 1.0 });
        assert_eq!(time(1_050).agreement, Agreement::Same);
        // One wait more: the total as printed, and a 1,050th of it as uncertain.
        assert_eq!(time(1_051).agreement, Agreement::Nearly);
        assert!((time(1_051).total.value - 105.0).abs() < 1e-9);
        assert!((time(1_051).total.half - 1.1).abs() < 1e-9);
        // Ten more than a tenth of them all: 100 ms each.
        let other = time(840);
        assert_eq!(other.agreement, Agreement::Other);
        assert!((other.total.value - 84.0).abs() < 1e-9);
        let (low, high) = other.total.range();
        assert!(low < 84.0 && high > 105.0, "{low} {high}");
    }

    #[test]
    fn shortened_counts_are_the_same_where_they_may_be() {
        let mut long = line("read", 700_000_000, 5_000.0);
        long.waits_half = 5_000_000.0;
        let known = known(vec![long], Vec::new(), "read");
        let printed = Printed { value: 698_400_000.0, half: 50_000.0 };
        assert_eq!(known.time_of(698_400_000, printed).agreement, Agreement::Same);
        assert!(!known.is_full_count(700_000_000));
    }

    #[test]
    fn names_that_are_cut_alike_have_their_time_together() {
        let cut = "latch: cache buffers lru c";
        let lines =
            || vec![line("latch: cache buffers lru chain", 100, 3.0), line("other", 9, 1.0)];
        let two = vec![line("latch: cache buffers lru chunk", 40, 2.0)];
        let events = Events { foreground: lines(), background: two, ..Events::default() };
        let both = Known::of(cut, true, &events, &[]).unwrap();
        assert_eq!((both.waits.value, both.total.value), (140.0, 5.0));
        // The same where both tables cut at the same place.
        let same = vec![line(cut, 100, 3.0), line(cut, 40, 2.0)];
        let events = Events { foreground: same, ..Events::default() };
        let both = Known::of(cut, true, &events, &[]).unwrap();
        assert_eq!((both.waits.value, both.total.value), (140.0, 5.0));
        // One histogram for two lines: nobody knows whose it is.
        assert_eq!(Known::of(cut, false, &events, &[]), None);
    }

    #[test]
    fn the_top_list_stands_in_for_tables_that_are_not_there() {
        let top = [line("read", 10, 7.0)];
        let none = Events::default();
        let seconds = |events| Known::of("read", false, events, &top).map(|known| known.total);
        let whole = |value| Some(Printed { value, half: 0.5 });
        assert_eq!(seconds(&none), whole(7.0));
        let listed = Events { foreground: vec![line("read", 10, 6.0)], ..Events::default() };
        assert_eq!(seconds(&listed), whole(6.0));
        assert_eq!(Known::of("write", false, &none, &top), None);
    }
}
