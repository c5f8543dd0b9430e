//! Tables of points as people and spreadsheets write them: loads, throughputs, response times.

mod cells;
mod error;
mod heading;
mod known;

pub use error::PointsCsvError;

use cells::{Decimal, split};
use error::MOST_ROWS;
use heading::{Column, Role, delimiter};
use known::Raw;

/// How many rejected rows are kept with their reasons; all are counted.
const MOST_REASONS: usize = 20;

/// One row in seconds and operations per second; what the table does not say is not there.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct PointsRow {
    /// The number of its line, counted from 1.
    pub line: u64,
    /// Operations in flight.
    pub in_flight: Option<f64>,
    /// Operations per second.
    pub throughput: Option<f64>,
    /// Mean response time, seconds.
    pub response: Option<f64>,
    /// Arrivals per second.
    pub arrival: Option<f64>,
    /// Service time, seconds.
    pub service: Option<f64>,
    /// Queue time, seconds.
    pub queue: Option<f64>,
}

/// A table that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointsTable {
    /// The rows that could be read.
    pub rows: Vec<PointsRow>,
    /// Rows that could not.
    pub rejected: u64,
    /// The first of them: the line, and why.
    pub reasons: Vec<(u64, String)>,
    /// Headings that mean nothing to a fit.
    pub unused: Vec<String>,
    /// Which columns were chosen for what, in words for people.
    pub chosen: Vec<String>,
    /// What else is to be known of that choice.
    pub notes: Vec<String>,
    /// Whether the user named the columns.
    pub named: bool,
    /// Headings of times without a unit, read as seconds.
    pub without_unit: Vec<String>,
}

/// What a user says of the columns of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnChoice {
    /// What a column holds, as a heading would say it (`n`, `x`, `response_us`), and its heading. Empty
    /// to choose by the headings.
    pub columns: Vec<(String, String)>,
    /// A part of the name of one sweep, or of one event, of a table that has several.
    pub only: Option<String>,
}

impl PointsTable {
    /// Reads a table: the first line that is neither empty nor a comment (`#`) names the columns;
    /// they are separated by tabs, semicolons or commas.
    pub fn read(text: &str) -> Result<PointsTable, PointsCsvError> {
        PointsTable::read_as(text, &ColumnChoice::default())
    }

    /// The same with columns as the user says. Without a word of them, tables of isotherm's own and
    /// of SLOB are recognised; of others the headings decide.
    pub fn read_as(text: &str, choice: &ColumnChoice) -> Result<PointsTable, PointsCsvError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let numbered = text.lines().zip(1_u64..);
        let mut lines = numbered.filter(|(line, _)| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with('#')
        });
        let (head, line) = lines.next().ok_or(PointsCsvError::Empty)?;
        let delimiter = delimiter(head);
        let names = split(head, delimiter);
        let rows: Vec<(Vec<String>, u64)> =
            lines.map(|(row, line)| (split(row, delimiter), line)).take(MOST_ROWS + 1).collect();
        if rows.len() > MOST_ROWS {
            return Err(PointsCsvError::TooLong);
        }
        let only = choice.only.as_deref();
        if !choice.columns.is_empty() {
            let columns = as_named(&names, &choice.columns)?;
            check(line, &names, &columns)?;
            let table = PointsTable::of_rows((&names, &columns), &rows, delimiter);
            return Ok(PointsTable { named: true, ..table });
        }
        let Some(known) = known::known(Raw { names: &names, rows: &rows, only })? else {
            let columns: Vec<Option<Column>> =
                names.iter().map(|name| Column::named(name)).collect();
            check(line, &names, &columns)?;
            return Ok(PointsTable::of_rows((&names, &columns), &rows, delimiter));
        };
        let columns: Vec<Option<Column>> =
            known.names.iter().map(|name| Column::named(name)).collect();
        let table = PointsTable::of_rows((&known.names, &columns), &known.rows, delimiter);
        Ok(PointsTable { chosen: known.chosen, notes: known.notes, ..table })
    }

    /// The rows that can be read with these columns.
    fn of_rows(
        (names, columns): (&[String], &[Option<Column>]),
        rows: &[(Vec<String>, u64)],
        delimiter: char,
    ) -> PointsTable {
        let cells = rows.iter().flat_map(|(cells, _)| cells).map(String::as_str);
        let decimal = Decimal::of(cells, delimiter);
        let mut table = PointsTable::headed(names, columns);
        for (cells, line) in rows {
            match row(cells, columns, decimal) {
                Ok(found) => table.rows.push(PointsRow { line: *line, ..found }),
                Err(why) => table.reject(*line, why),
            }
        }
        table
    }

    fn headed(names: &[String], columns: &[Option<Column>]) -> PointsTable {
        let both = || names.iter().zip(columns);
        let unused = both().filter(|(_, column)| column.is_none()).map(|(name, _)| name.clone());
        let bare = both().filter(|(_, column)| {
            column.as_ref().is_some_and(|column| column.role.is_time() && column.scale.is_none())
        });
        let chosen = both().filter_map(|(name, column)| {
            let column = column.as_ref()?;
            Some(format!("{} = {}", column.role.in_words(), shown(name)))
        });
        PointsTable {
            chosen: chosen.collect(),
            unused: unused.filter(|name| !name.is_empty()).collect(),
            without_unit: bare.map(|(name, _)| name.clone()).collect(),
            ..PointsTable::default()
        }
    }

    fn reject(&mut self, line: u64, why: String) {
        self.rejected += 1;
        if self.reasons.len() < MOST_REASONS {
            self.reasons.push((line, why));
        }
    }

    /// What was rejected, in words for people; none if nothing was.
    pub fn account(&self) -> Option<String> {
        let (line, why) = self.reasons.first()?;
        let rest = match self.rejected {
            ..=1 => String::new(),
            more => format!(", and {} more", more - 1),
        };
        Some(format!("line {line} is skipped ({why}){rest}"))
    }
}

/// The columns that the user named, each by its heading, whatever its case.
fn as_named(
    names: &[String],
    chosen: &[(String, String)],
) -> Result<Vec<Option<Column>>, PointsCsvError> {
    let mut columns = vec![None; names.len()];
    for (role, heading) in chosen {
        let column = Column::named(role).ok_or_else(|| PointsCsvError::NoRole(shown(role)))?;
        let same = |name: &String| name.eq_ignore_ascii_case(heading);
        let place = names.iter().position(same).and_then(|at| columns.get_mut(at));
        *place.ok_or_else(|| no_column(heading, names))? = Some(column);
    }
    Ok(columns)
}

fn no_column(heading: &str, names: &[String]) -> PointsCsvError {
    let found: Vec<String> = names.iter().map(|name| shown(name)).take(40).collect();
    PointsCsvError::NoColumn { heading: shown(heading), found: found.join(", ") }
}

/// Whether the columns make points.
fn check(line: u64, names: &[String], columns: &[Option<Column>]) -> Result<(), PointsCsvError> {
    let at = |role: Role| {
        let has = |column: &Option<Column>| column.as_ref().is_some_and(|one| one.role == role);
        let mut found = names.iter().zip(columns).filter(move |(_, column)| has(column));
        (found.next().map(|(name, _)| name), found.next().map(|(name, _)| name))
    };
    for role in Role::ALL {
        if let (Some(first), Some(second)) = at(role) {
            let (first, second) = (shown(first), shown(second));
            let (role, key) = (role.in_words(), role.key());
            return Err(PointsCsvError::Twice { line, first, second, role, key });
        }
    }
    let has = |role: Role| at(role).0.is_some();
    let response = has(Role::Response) || (has(Role::Service) && has(Role::Queue));
    let closed = has(Role::InFlight) && (has(Role::Throughput) || response);
    let open = (has(Role::Arrival) || has(Role::Throughput)) && response;
    if closed || open {
        return Ok(());
    }
    let found: Vec<String> = names.iter().map(|name| shown(name)).take(20).collect();
    Err(PointsCsvError::NoPoints { line, found: found.join(", ") })
}

/// A text of the input in a message: not longer than one wants to read.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

fn row(
    cells: &[String],
    columns: &[Option<Column>],
    decimal: Decimal,
) -> Result<PointsRow, String> {
    if cells.len() != columns.len() {
        return Err(format!("{} cells where there are {} columns", cells.len(), columns.len()));
    }
    let mut found = PointsRow::default();
    for (cell, column) in cells.iter().zip(columns) {
        let Some(column) = column else { continue };
        if cell.is_empty() {
            continue;
        }
        let number = decimal.number(cell).map_err(|why| format!("'{}' {why}", shown(cell)))?;
        let value = number * column.scale.unwrap_or(1.0);
        if !(1e-15..=1e15).contains(&value) {
            return Err(format!(
                "'{}' is not above zero, or not a size that is measured",
                shown(cell)
            ));
        }
        *found.place(column.role) = Some(value);
    }
    if found.makes_a_point() {
        Ok(found)
    } else {
        Err("cells that are needed are empty".to_owned())
    }
}

impl PointsRow {
    fn place(&mut self, role: Role) -> &mut Option<f64> {
        match role {
            Role::InFlight => &mut self.in_flight,
            Role::Throughput => &mut self.throughput,
            Role::Response => &mut self.response,
            Role::Arrival => &mut self.arrival,
            Role::Service => &mut self.service,
            Role::Queue => &mut self.queue,
        }
    }

    /// Response time: as it is written, or service and queue together.
    pub fn response_time(&self) -> Option<f64> {
        self.response.or_else(|| Some(self.service? + self.queue?))
    }

    /// Queue time: as it is written, or response without service.
    pub fn queue_time(&self) -> Option<f64> {
        let queue = self.queue.or_else(|| Some(self.response? - self.service?));
        queue.filter(|queue| *queue > 0.0)
    }

    fn makes_a_point(&self) -> bool {
        let response = self.response_time().is_some();
        match self.in_flight {
            Some(_) => self.throughput.is_some() || response,
            None => response && (self.arrival.is_some() || self.throughput.is_some()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_table_is_read_with_any_separator() {
        for text in [
            "n,throughput,response_ms\n1,1000,1\n8,4000,2.0\n",
            "workers;iops;latency (ms)\n1;1000;1\n\n# note\n8;4000;2,0\n",
            "\u{feff}in-flight\tTPS\tmean_us\r\n1\t1000\t1000\r\n8\t4e3\t2000\r\n",
            "\"sessions\",\"ops/s\",\"avg [ms]\"\n\"1\",\"1000\",\"1\"\n8,4000,2\n",
        ] {
            let table = PointsTable::read(text).unwrap();
            assert_eq!(table.rejected, 0, "{text:?}: {:?}", table.reasons);
            let found: Vec<_> = table
                .rows
                .iter()
                .map(|row| (row.in_flight.unwrap(), row.throughput.unwrap(), row.response.unwrap()))
                .collect();
            assert_eq!(found, [(1.0, 1_000.0, 0.001), (8.0, 4_000.0, 0.002)], "{text:?}");
        }
    }

    #[test]
    fn arrivals_service_and_queue_are_a_response_time() {
        let text = "batch,l_per_ms,s_ms,q_ms\n1,10.8445,0.0914,0.1356\n";
        let table = PointsTable::read(text).unwrap();
        let row = table.rows[0];
        assert!((row.arrival.unwrap() - 10_844.5).abs() < 1e-9);
        assert!((row.response_time().unwrap() - 227e-6).abs() < 1e-12);
        assert!((row.queue_time().unwrap() - 135.6e-6).abs() < 1e-12);
        assert_eq!(table.unused, ["batch"]);
    }

    #[test]
    fn times_without_a_unit_are_seconds_and_said() {
        let table = PointsTable::read("l,r\n100,0.01\n").unwrap();
        assert_eq!((table.rows[0].arrival, table.rows[0].response), (Some(100.0), Some(0.01)));
        assert_eq!(table.without_unit, ["r"]);
    }

    #[test]
    fn what_cannot_be_read_is_counted_with_its_line_and_reason() {
        let text = "n,x\n1,100\ntwo,200\n4\n8,-1\n16,\n32,3200\n64,1,5\n";
        let table = PointsTable::read(text).unwrap();
        assert_eq!(table.rows.iter().map(|row| row.line).collect::<Vec<u64>>(), [2, 7]);
        assert_eq!(table.rejected, 5);
        let lines: Vec<u64> = table.reasons.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [3, 4, 5, 6, 8]);
        assert_eq!(table.reasons[0].1, "'two' is not a number");
        assert_eq!(
            table.account().unwrap(),
            "line 3 is skipped ('two' is not a number), and 4 more"
        );
    }

    #[test]
    fn a_comma_is_a_decimal_point_only_where_it_cannot_be_anything_else() {
        let german = PointsTable::read("n;x\n1;1234,5\n2;2,125\n").unwrap();
        assert_eq!(german.rows[1].throughput, Some(2.125));
        let unclear = PointsTable::read("n;x\n1;1,234\n2;2,125\n").unwrap();
        assert_eq!((unclear.rows.len(), unclear.rejected), (0, 2));
        assert!(unclear.reasons[0].1.contains("1.234 or 1234"), "{:?}", unclear.reasons);
    }

    #[test]
    fn tables_without_points_are_refused() {
        assert_eq!(PointsTable::read(" \n#\n"), Err(PointsCsvError::Empty));
        let refused = PointsTable::read("# t\nn,colour\n1,red\n").unwrap_err();
        assert_eq!(refused, PointsCsvError::NoPoints { line: 2, found: "n, colour".to_owned() });
        let twice = PointsTable::read("n,x,iops\n").unwrap_err();
        let (first, second) = ("x".to_owned(), "iops".to_owned());
        let (role, key) = ("throughput", "x");
        assert_eq!(twice, PointsCsvError::Twice { line: 1, first, second, role, key });
        let long = format!("n,x\n{}", "1,1\n".repeat(MOST_ROWS + 1));
        assert_eq!(PointsTable::read(&long), Err(PointsCsvError::TooLong));
    }

    #[test]
    fn tables_of_awr_reports_are_waits_of_an_event_against_their_own_average() {
        let head = "FILE,SESSIONS,ELAPSED,PREADS,DFSR_LAT,DPR_LAT,dfsr_waits,dpr_waits,\
                    transactions_per_s";
        let text = format!(
            "{head}\na,65,3600,900,1500,,1800000,,0.7\nb,70,3600,1900,2500,8000,3600000,36000,0.9\n"
        );
        let table = PointsTable::read(&text).unwrap();
        // 1,800,000 waits in 3,600 s are 500 a second.
        let rows: Vec<_> = table.rows.iter().map(|row| (row.arrival, row.response)).collect();
        assert_eq!(rows, [(Some(500.0), Some(0.0015)), (Some(1_000.0), Some(0.0025))]);
        assert_eq!(
            table.chosen,
            ["arrivals = dfsr_waits / ELAPSED", "response time = DFSR_LAT (µs)"]
        );
        assert!(table.notes[0].contains("direct path read"), "{:?}", table.notes);
        let choice = ColumnChoice { only: Some("Direct".to_owned()), ..ColumnChoice::default() };
        let other = PointsTable::read_as(&text, &choice).unwrap();
        assert_eq!((other.rows.len(), other.rejected), (1, 1));
        assert_eq!(other.rows[0].arrival, Some(10.0));
        let two = "FILE,SESSIONS,ELAPSED,DFSR_LAT,dfsr_waits,db_name\na,1,9,1,9,X\nb,1,9,1,9,Y\n";
        let refused = PointsTable::read(two).unwrap_err().to_string();
        assert!(refused.contains("X; Y; give those of one"), "{refused}");
        // SLOB's own table has no numbers of waits.
        let slob = "FILE,SESSIONS,ELAPSED,PREADS,DFSR_LAT\na,1,300,900,1500\n";
        let table = PointsTable::read(slob).unwrap();
        assert_eq!((table.rows[0].arrival, table.rows[0].response), (Some(900.0), Some(0.0015)));
        assert_eq!(table.chosen[0], "arrivals = PREADS");
    }

    #[test]
    fn columns_that_are_named_are_used_and_no_others() {
        let text = "SESSIONS,IOPS,tps,lat\n4,100,9,20\n8,150,8,50\n";
        let named = |columns: &[(&str, &str)]| {
            let columns = columns.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
            PointsTable::read_as(text, &ColumnChoice { columns, only: None })
        };
        assert!(matches!(PointsTable::read(text), Err(PointsCsvError::Twice { .. })));
        let table = named(&[("arrivals", "iops"), ("response_ms", "lat")]).unwrap();
        assert_eq!((table.rows[1].arrival, table.rows[1].response), (Some(150.0), Some(0.05)));
        assert_eq!((table.rows[1].in_flight, table.named), (None, true));
        let missing = named(&[("n", "users"), ("x", "iops")]).unwrap_err().to_string();
        assert!(missing.contains("no column 'users'; there are SESSIONS, IOPS"), "{missing}");
        let colour = named(&[("colour", "iops")]).unwrap_err().to_string();
        assert!(colour.contains("response_us"), "{colour}");
    }
}
