//! Tables of wait events, and how closely they tell an event's time.

use schemars::JsonSchema;
use serde::Serialize;

use super::number::{self, Printed};
use super::report::{EventLine, Fault};
use super::table::{Row, Table};

/// Which of the two numbers a report prints states a time best.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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
        let product = self.average.map(|average| {
            let off = average.value * self.waits_half + average.half * waits as f64;
            Printed { value: average.value * waits as f64, half: off }
        });
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
        let head = average.and_then(|index| table.heads.get(index));
        // 12.2 began to print units in the cells. Where no cell has one, they are milliseconds as
        // before, whether the head says so or not.
        let unit = |row: &Row| row.cell(average).ends_with(|c: char| c.is_ascii_lowercase());
        let milli = head.is_some_and(|head| head.contains("(ms)")) || !table.rows.iter().any(unit);
        Columns {
            waits: table.named("waits"),
            total: table.column(|head| head.contains("time(s") && !head.starts_with('%')),
            average,
            timeouts: table.column(is_timeouts),
            share: table
                .column(|head| !is_timeouts(head) && head.starts_with('%') || head == "calltime"),
            class: table.column(|head| head.ends_with("class")),
            bare: milli.then_some(1e-3),
        }
    }

    /// Whether a row has a number where the table has waits or times, or the signs that stand for
    /// one that is too long for its column.
    fn has_numbers(&self, row: &Row) -> bool {
        let (waits, total) = (row.cell(self.waits), row.cell(self.total));
        let counted = number::count_or_shortened(waits).is_some();
        let timed = number::amount(total).is_some();
        let too_long = |cell: &str| cell.starts_with('#');
        counted || timed || too_long(waits) || too_long(total)
    }

    /// An error says what is wrong with the row.
    fn read(&self, row: &Row) -> Result<EventLine, String> {
        let event = row.cell(Some(0)).to_owned();
        let wrong = |cell: &str, what: &str| format!("'{cell}' is not {what} for '{event}'");
        let waits = row.cell(self.waits);
        let counted = number::count_or_shortened(waits);
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
        // Signs stand for a number too long for its column: the total says the same.
        let too_long = total.is_some() && printed.starts_with('#');
        if average.is_none() && !printed.is_empty() && !too_long {
            return Err(wrong(printed, "an average wait"));
        }
        let percent = |column| match row.cell(column) {
            "" => Ok(None),
            cell => number::percent(cell).map(Some).ok_or_else(|| wrong(cell, "a percentage")),
        };
        let (timeouts_percent, time_percent) = (percent(self.timeouts)?, percent(self.share)?);
        let class = row.cell(self.class);
        Ok(EventLine {
            waits: counted.map(number::Printed::rounded),
            waits_half: counted.map_or(0.0, |counted| counted.half),
            total,
            average,
            timeouts_percent,
            time_percent,
            wait_class: (!class.is_empty()).then(|| class.to_owned()),
            event,
        })
    }
}

/// Whether a head, in lower case and without blanks, is that of the share of timeouts: `%Time -outs`,
/// of Statspack `%Tim out`.
fn is_timeouts(head: &str) -> bool {
    head.contains("-outs") || head == "%timout"
}

/// The lines of a table of events; what cannot be read becomes a fault.
pub(super) fn lines(table: &Table, faults: &mut Vec<Fault>) -> Vec<EventLine> {
    let columns = Columns::of(table);
    let mut lines = Vec::new();
    if columns.waits.is_none() {
        let (title, heads) = (&table.title, table.heads.join(" | "));
        let text = format!("'{title}' has no column 'Waits': {heads}");
        faults.push(Fault { at: table.at(), text, waits: 0 });
        return lines;
    }
    for row in &table.rows {
        match columns.read(row) {
            Ok(line) => lines.push(line),
            Err(text) => faults.push(Fault { at: row.at, text, waits: 0 }),
        }
    }
    lines
}

/// The lines of the top list; what cannot be read becomes a fault. Text reports end the list
/// without a mark: at the first line that has no number where the list has its own.
pub(super) fn top(table: &Table, faults: &mut Vec<Fault>) -> Vec<EventLine> {
    let columns = Columns::of(table);
    let listed = |row: &&Row| table.cells_marked || columns.has_numbers(row);
    let rows = table.rows.iter().take_while(listed).cloned().collect();
    let known = faults.len();
    let (heads, start) = (table.heads.clone(), table.start);
    let listed = Table { heads, start, rows, ..Table::default() };
    let lines = lines(&listed, faults);
    if lines.is_empty() && faults.len() == known {
        let text = format!("'{}' has no row that can be read", table.title);
        faults.push(Fault { at: table.at(), text, waits: 0 });
    }
    lines
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

    fn table(rows: &[[&str; 6]], cells_marked: bool) -> Table {
        let heads =
            ["Event", "Waits", "Total Wait Time (sec)", "Wait Avg(ms)", "% DB time", "Wait Class"];
        let cells = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect();
        let rows = rows.iter().map(|row| Row { cells: cells(row), ..Row::default() }).collect();
        Table {
            title: "Top 10".into(),
            heads: cells(&heads),
            rows,
            cells_marked,
            ..Table::default()
        }
    }

    #[test]
    fn totals_of_the_top_list_may_be_shortened() {
        let mut faults = Vec::new();
        let rows = [
            ["library cache: mutex X", "17,795", "100.5K", "5648.11", "33.5", "Concurrency"],
            ["DB CPU", "", "3181.6", "", "1.1", ""],
            ["read", "1.1M", "2.2K", "2.00", ".9", "User I/O"],
        ];
        let lines = top(&table(&rows, true), &mut faults);
        assert!(faults.is_empty() && lines.len() == 3, "{faults:?}");
        assert_eq!(lines[0].total, Some(Printed { value: 100_500.0, half: 50.0 }));
        // 17,795 waits of 5.64811 s: 100,508.1 s to 0.09 s, closer than the total.
        let time = lines[0].time().unwrap();
        assert!((time.total.value - 100_508.117).abs() < 0.01 && time.total.half < 0.1);
        assert_eq!((lines[2].waits, lines[2].waits_half), (Some(1_100_000), 50_000.0));
        // 1.1M waits of 2.00 ms: 2,200 s to 5.5 s and 100 s; the total is to 50 s.
        assert!((lines[2].time().unwrap().total.half - 50.0).abs() < 1e-9);
    }

    #[test]
    fn rows_of_the_top_list_that_cannot_be_read_are_faults() {
        let rows = [
            ["one", "5", "##########", "1.00", ".1", "Other"],
            ["two", "7", "3", "1.00", ".1", "Other"],
            ["Host CPU (CPUs:    2 Cores:", "1", "Sockets", "", "", ""],
            ["Load Average", "Begin", "End", "%User", "", ""],
        ];
        let mut faults = Vec::new();
        assert_eq!(top(&table(&rows[..2], false), &mut faults).len(), 1);
        assert_eq!(faults.len(), 1);
        assert!(faults[0].text.contains("'##########' is not a time"), "{faults:?}");
        // Behind a list in text other lines may follow, which are not rows of HTML.
        faults.clear();
        assert_eq!(top(&table(&[rows[1], rows[3]], false), &mut faults).len(), 1);
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(top(&table(&[rows[1], rows[3]], true), &mut faults).len(), 1);
        assert_eq!(faults.len(), 1);
        faults.clear();
        assert!(top(&table(&[rows[3]], false), &mut faults).is_empty());
        assert!(faults[0].text.contains("no row"), "{faults:?}");
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
