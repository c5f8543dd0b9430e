//! The points of a sweep as a table for spreadsheets: a row for each.

use crate::csv::{Cell, Csv};
use crate::{PointSummary, RunTable, Spread};

impl Csv {
    /// A row for each point: medians over repeats with the least and the most. Times are in the
    /// units that the headings say.
    pub fn of_points(table: &RunTable) -> Csv {
        Csv::of(table.points().iter().map(row).collect())
    }
}

fn row(point: &PointSummary) -> Vec<(String, Cell)> {
    let count = |number: usize| Cell::Count(number as u64);
    let (steady, judged) = point.steady();
    let mut row: Vec<(String, Cell)> = vec![
        ("point".to_owned(), Cell::Count(u64::from(point.point))),
        ("label".to_owned(), Cell::text(point.label)),
        ("runs".to_owned(), count(point.runs.len())),
        ("unusable runs".to_owned(), count(point.unusable.len())),
    ];
    let p99_s = point.p99_s.filter(|_| !point.p99_withheld());
    let spreads = [
        ("operations/s", point.throughput, 1.0),
        ("MB/s", point.megabytes, 1.0),
        ("mean ms", point.mean_s, 1e3),
        ("p50 ms", point.p50_s, 1e3),
        ("p99 ms", p99_s, 1e3),
        ("average waiting", point.waited, 1.0),
        ("CPU us/operation", point.cpu_s, 1e6),
        ("failed %", point.failed_share, 100.0),
    ];
    for (name, spread, scale) in spreads {
        let part = |of: fn(Spread) -> f64| Cell::number(spread.map(|spread| of(spread) * scale));
        row.push((name.to_owned(), part(|spread| spread.median)));
        row.push((format!("{name} least"), part(|spread| spread.low)));
        row.push((format!("{name} most"), part(|spread| spread.high)));
    }
    row.push(("steady runs".to_owned(), count(steady)));
    row.push(("judged runs".to_owned(), count(judged)));
    let codes: Vec<&str> = point.verdicts().iter().map(|verdict| verdict.code).collect();
    row.push(("warnings".to_owned(), Cell::text(codes.join(" "))));
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_runs::run_of;

    #[test]
    fn a_point_is_a_row_with_its_ranges() {
        let runs = vec![run_of(0, 0, 100, 2_000_000), run_of(0, 1, 400, 1_000_000)];
        let table = RunTable { runs, ..RunTable::default() };
        let mut out = Vec::new();
        Csv::of_points(&table).write(&mut out).expect("memory");
        let text = String::from_utf8(out).expect("text");
        let lines: Vec<&str> = text.split("\r\n").collect();
        let column = |name: &str| {
            let place = lines[0].split(',').position(|head| head == name).expect(name);
            lines[1].split(',').nth(place).expect(name).to_owned()
        };
        assert_eq!(lines.len(), 3, "heading, one point, and the end of its line");
        assert_eq!(column("operations/s"), "250");
        assert_eq!(column("operations/s least"), "100");
        assert_eq!(column("operations/s most"), "400");
        assert_eq!(column("mean ms"), "1.5");
        assert_eq!(column("CPU us/operation least"), "312.5");
    }
}
