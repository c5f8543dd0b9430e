//! Tables of wait events, and how closely they tell an event's time.

use serde::Serialize;

use super::number::{self, Printed};
use super::report::{EventLine, Fault};
use super::table::{Row, Table};

/// Which of the two numbers a report prints told a time best.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeFrom {
    /// The printed total: whole seconds, in newer top lists tenths.
    Total,
    /// The printed average, times the number of waits.
    Average,
}

/// The time waited for an event, as closely as a report tells it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Time {
    /// How many waits.
    pub waits: u64,
    /// Their total, in seconds.
    pub total: Printed,
    /// What it was computed from.
    pub from: TimeFrom,
}

impl EventLine {
    /// The time of the event's waits from whichever printed number is closer; `None` without
    /// waits, or if the report prints neither.
    pub fn time(&self) -> Option<Time> {
        let waits = self.waits.filter(|waits| *waits > 0)?;
        let product = self.average.map(|average| average.times(waits as f64));
        let by_total = self.total.map(|total| (total, TimeFrom::Total));
        let by_average = product.map(|total| (total, TimeFrom::Average));
        let closer = |one: &(Printed, TimeFrom), two: &(Printed, TimeFrom)| {
            one.0.half.total_cmp(&two.0.half)
        };
        let (total, from) = by_total.into_iter().chain(by_average).min_by(closer)?;
        Some(Time { waits, total, from })
    }
}

/// The line of an event, if there is exactly one: cut names can make two events look alike.
pub(super) fn only<'a>(lines: &'a [EventLine], event: &str) -> Option<&'a EventLine> {
    let mut found = lines.iter().filter(|line| line.event == event);
    found.next().filter(|_| found.next().is_none())
}

/// Where a table of events has what.
struct Columns {
    waits: Option<usize>,
    total: Option<usize>,
    average: Option<usize>,
    timeouts: Option<usize>,
    share: Option<usize>,
    class: Option<usize>,
    /// Seconds that an average without a unit counts in; `None` if it must have one.
    bare: Option<f64>,
}

impl Columns {
    fn of(table: &Table) -> Columns {
        let average = table.column(|head| head.contains("avg") || head.ends_with("(ms)"));
        let milli = average.and_then(|index| table.heads.get(index));
        let milli = milli.is_some_and(|head| head.contains("(ms)"));
        Columns {
            waits: table.named("waits"),
            total: table.column(|head| head.contains("time(s") && !head.starts_with('%')),
            average,
            timeouts: table.column(|head| head.contains("-outs")),
            share: table.column(|head| {
                !head.contains("-outs") && matches!(head.chars().next(), Some('%'))
                    || head == "calltime"
            }),
            class: table.column(|head| head.ends_with("class")),
            bare: milli.then_some(1e-3),
        }
    }

    /// An error says what is wrong with the row.
    fn read(&self, row: &Row) -> Result<EventLine, String> {
        let event = row.cell(Some(0)).to_owned();
        let wrong = |cell: &str, what: &str| format!("'{cell}' is not {what} for '{event}'");
        let waits = row.cell(self.waits);
        let counted = number::count(waits);
        if event.is_empty() || (counted.is_none() && !waits.is_empty()) {
            return Err(wrong(waits, "a number of waits"));
        }
        let seconds = row.cell(self.total);
        let total = number::amount(seconds);
        if total.is_none() && !seconds.is_empty() {
            return Err(wrong(seconds, "a time in seconds"));
        }
        let printed = row.cell(self.average);
        let bare = self.bare.unwrap_or(f64::NAN);
        let average = number::duration(printed, bare).filter(|average| average.value.is_finite());
        if average.is_none() && !printed.is_empty() {
            return Err(wrong(printed, "an average wait"));
        }
        let percent = |column| number::amount(row.cell(column)).map(|printed| printed.value);
        let class = row.cell(self.class);
        Ok(EventLine {
            waits: counted,
            total,
            average,
            timeouts_percent: percent(self.timeouts),
            time_percent: percent(self.share),
            wait_class: (!class.is_empty()).then(|| class.to_owned()),
            event,
        })
    }
}

/// The lines of a table of events; what cannot be read becomes a fault.
pub(super) fn lines(table: &Table, faults: &mut Vec<Fault>) -> Vec<EventLine> {
    let columns = Columns::of(table);
    let mut lines = Vec::new();
    for row in &table.rows {
        match columns.read(row) {
            Ok(line) => lines.push(line),
            Err(text) => faults.push(Fault { at: row.at, text, waits: 0 }),
        }
    }
    lines
}

/// The lines of the top list, which text reports end without a mark.
pub(super) fn top(table: &Table) -> Vec<EventLine> {
    let columns = Columns::of(table);
    table.rows.iter().map_while(|row| columns.read(row).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(waits: u64, total: &str, average: &str, bare: f64) -> EventLine {
        EventLine {
            event: "e".to_owned(),
            waits: Some(waits),
            total: number::amount(total),
            average: number::duration(average, bare),
            ..EventLine::default()
        }
    }

    #[test]
    fn the_closer_number_tells_the_time() {
        // 35,732 waits of 6,575 s: known to 0.5 s in the total, to 18 s by the average of 184 ms.
        let time = line(35_732, "6,575", "184", 1e-3).time().unwrap();
        assert_eq!((time.total.value, time.from), (6_575.0, TimeFrom::Total));
        // 1,412 waits of 2 s: the average of 1.70 ms tells 2.4004 s to 7 ms.
        let time = line(1_412, "2", "1.70ms", 1.0).time().unwrap();
        assert_eq!(time.from, TimeFrom::Average);
        assert!((time.total.value - 2.4004).abs() < 1e-9);
        assert!((time.total.half - 1_412.0 * 5e-6).abs() < 1e-12);
        assert_eq!(line(0, "0", "0", 1e-3).time(), None);
    }
}
