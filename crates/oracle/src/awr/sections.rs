//! From the tables of a report to what it says.

use std::borrow::Cow;

use super::events;
use super::histograms;
use super::moment::Moment;
use super::number;
use super::report::{Fault, IoFunction, Load, Report, Snapshot, Statistic, TimeModel};
use super::table::{Row, Table, squeezed};

/// Everything that the tables say.
pub(super) fn report(tables: &[Table]) -> Report {
    let mut report = Report::default();
    let mut histogram_tables = Vec::new();
    for table in tables {
        let kind = kind(table);
        if kind.is_some() {
            report.faults.extend(cut_short(table));
        }
        let rows = kind.filter(|kind| kind.has_rows_of_all_cells() && table.cells_marked);
        let table = &*rows.map_or(Cow::Borrowed(table), |_| whole_rows(table, &mut report.faults));
        match kind {
            Some(Kind::Header) => header(table, &mut report),
            Some(Kind::Snapshots) => snapshots(table, &mut report),
            Some(Kind::Load) => load(table, &mut report),
            Some(Kind::Top) if report.top_events.is_empty() => {
                report.top_events = events::top(table, &mut report.faults);
            }
            Some(Kind::All) => {
                report.events.all.extend(events::lines(table, &mut report.faults));
            }
            Some(Kind::Foreground) => {
                report.events.foreground.extend(events::lines(table, &mut report.faults));
            }
            Some(Kind::Background) => {
                report.events.background.extend(events::lines(table, &mut report.faults));
            }
            Some(Kind::Histogram) => histogram_tables.push(table.clone()),
            Some(Kind::TimeModel) => time_model(table, &mut report),
            Some(Kind::Activity) => statistics(table, &mut report),
            Some(Kind::IoFunctions) => io_functions(table, &mut report),
            Some(Kind::Top) | None => {}
        }
    }
    report.histogram_tables = histogram_tables.len();
    histograms::read(&histogram_tables.iter().collect::<Vec<_>>(), &mut report);
    report.faults.sort_by_key(|fault| fault.at.byte);
    report
}

/// The tables that are read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    Header,
    Snapshots,
    Load,
    Top,
    All,
    Foreground,
    Background,
    Histogram,
    TimeModel,
    Activity,
    IoFunctions,
}

impl Kind {
    /// Whether its rows have a cell for each head: those of snapshots and headers may not.
    fn has_rows_of_all_cells(self) -> bool {
        !matches!(self, Kind::Header | Kind::Snapshots | Kind::Load)
    }
}

/// Says that rows of a table are missing.
fn cut_short(table: &Table) -> Option<Fault> {
    let (title, read) = (&table.title, table.rows.len());
    let text = match (table.unended, table.beyond) {
        (true, _) => format!("'{title}' is cut short behind its row {read}: the report ends there"),
        (false, 1..) => format!("'{title}' has {} more rows than can be read", table.beyond),
        (false, 0) => return None,
    };
    Some(Fault { at: table.at(), text, waits: 0 })
}

/// The table without rows that lack cells; these are faults: what is not there is not zero.
fn whole_rows<'a>(table: &'a Table, faults: &mut Vec<Fault>) -> Cow<'a, Table> {
    let cells = table.heads.len();
    let (whole, cut): (Vec<&Row>, Vec<&Row>) =
        table.rows.iter().partition(|row| row.cells.len() >= cells);
    if cut.is_empty() {
        return Cow::Borrowed(table);
    }
    faults.extend(cut.into_iter().map(|row| {
        let (name, found) = (row.cell(Some(0)), row.cells.len());
        let text = format!("'{name}' has {found} of {cells} cells in '{}'", table.title);
        Fault { at: row.at, text, waits: 0 }
    }));
    Cow::Owned(Table { rows: whole.into_iter().cloned().collect(), ..table.clone() })
}

/// What a cell prints; nothing if it is empty. What cannot be read becomes a fault.
fn cell<T>(
    row: &Row,
    column: Option<usize>,
    faults: &mut Vec<Fault>,
    read: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let text = row.cell(column);
    let found = read(text);
    if found.is_none() && !text.is_empty() {
        let text = format!("'{text}' cannot be read as a number of '{}'", row.cell(Some(0)));
        faults.push(Fault { at: row.at, text, waits: 0 });
    }
    found
}

/// What a table is: by its heads and its title, and by its summary where the title is missing.
fn kind(table: &Table) -> Option<Kind> {
    let first = squeezed(table.heads.first().map_or("", String::as_str));
    let has = |name: &str| table.named(name).is_some();
    let summary = table.summary.to_lowercase();
    let about = |words: &str| summary.contains(words);
    match first.as_str() {
        "dbname" | "hostname" | "containerdbid" => return Some(Kind::Header),
        "database" if has("dbid") => return Some(Kind::Header),
        "host" if has("name") => return Some(Kind::Header),
        "instance" if has("instnum") && table.rows.len() == 1 => return Some(Kind::Header),
        _ if has("snapid") && has("snaptime") => return Some(Kind::Snapshots),
        "functionname" if has("waits:count") => return Some(Kind::IoFunctions),
        "function" if table.is_titled("IO Stat by Function - summary") => {
            return Some(Kind::IoFunctions);
        }
        "statistic" if has("total") && has("persecond") => return Some(Kind::Activity),
        "statistic" | "statisticname"
            if table.title_begins("Time Model") || about("time model") =>
        {
            return has("time(s)").then_some(Kind::TimeModel);
        }
        "" if has("persecond") => {
            let profile = about("displays load profile") || table.is_titled("Load Profile");
            return profile.then_some(Kind::Load);
        }
        "event" => {}
        _ => return None,
    }
    let buckets = table.heads.iter().any(|head| head.starts_with('<'));
    let top = table.title_begins("Top ") || about("table displays top");
    match () {
        () if buckets => Some(Kind::Histogram),
        () if top && has("waits") => Some(Kind::Top),
        () if table.is_titled("Foreground Wait Events") => Some(Kind::Foreground),
        () if table.is_titled("Background Wait Events") => Some(Kind::Background),
        () if table.is_titled("Wait Events") => Some(Kind::All),
        () if table.is_titled("Wait Events (fg and bg)") => Some(Kind::All),
        () if about("foreground wait events") => Some(Kind::Foreground),
        () if about("background wait events") => Some(Kind::Background),
        () => None,
    }
}

fn header(table: &Table, report: &mut Report) {
    let Some(row) = table.rows.first() else { return };
    for (head, value) in table.heads.iter().zip(&row.cells).filter(|(_, value)| !value.is_empty()) {
        named(&squeezed(head), value, report);
    }
}

/// One field of the header; the first value of each counts.
fn named(head: &str, value: &str, report: &mut Report) {
    let (database, instance) = (&mut report.database, &mut report.instance);
    let text = value.to_owned();
    let yes = Some(value.eq_ignore_ascii_case("YES"));
    let whole = number::count(value);
    let small = whole.and_then(|number| u32::try_from(number).ok());
    match head {
        "dbname" => first(&mut database.name, text),
        "dbid" => database.id = database.id.or(whole),
        "uniquename" => database.unique_name = database.unique_name.take().or(Some(text)),
        "role" | "dbrole" => database.role = database.role.take().or(Some(text)),
        "edition" => database.edition = database.edition.take().or(Some(text)),
        "release" => first(&mut database.release, text),
        "rac" => database.rac = database.rac.or(yes),
        "cdb" => database.cdb = database.cdb.or(yes),
        "containername" | "pdbname" => {
            database.container = database.container.take().or(Some(text));
        }
        "instance" => first(&mut instance.name, text),
        "instnum" => instance.number = instance.number.or(small),
        "startuptime" => instance.startup = instance.startup.take().or(Some(Moment::read(value))),
        // The heads of Statspack are `Host Name`, above two columns.
        "host" | "hostname" | "name" => first(&mut instance.host, text),
        "platform" => instance.platform = instance.platform.take().or(Some(text)),
        "cpus" => instance.cpus = instance.cpus.or(small),
        "cores" => instance.cores = instance.cores.or(small),
        "sockets" => instance.sockets = instance.sockets.or(small),
        "memory(gb)" | "memory(g)" => {
            let memory = number::amount(value).map(|printed| printed.value);
            instance.memory_gib = instance.memory_gib.or(memory);
        }
        "memory(mb)" => {
            let memory = number::amount(value).map(|printed| printed.value / 1_024.0);
            instance.memory_gib = instance.memory_gib.or(memory);
        }
        _ => {}
    }
}

fn first(field: &mut String, value: String) {
    if field.is_empty() {
        *field = value;
    }
}

fn snapshots(table: &Table, report: &mut Report) {
    let columns = [table.named("snapid"), table.named("snaptime"), table.named("sessions")];
    for row in &table.rows {
        match row.cell(Some(0)) {
            "Begin Snap:" if report.begin.time.text.is_empty() => {
                report.begin = snapshot(row, columns);
            }
            "End Snap:" if report.end.time.text.is_empty() => report.end = snapshot(row, columns),
            "Elapsed:" => report.elapsed = report.elapsed.or(minutes(row)),
            "DB Time:" | "DB time:" => report.db_time = report.db_time.or(minutes(row)),
            _ => {}
        }
    }
}

fn snapshot(row: &Row, [id, time, sessions]: [Option<usize>; 3]) -> Snapshot {
    Snapshot {
        id: number::count(row.cell(id)),
        time: Moment::read(row.cell(time)),
        sessions: number::count(row.cell(sessions)),
    }
}

/// `60.27 (mins)` in seconds.
fn minutes(row: &Row) -> Option<number::Printed> {
    let text = row.cells.iter().find_map(|cell| cell.split_once("(min"))?.0;
    number::amount(text).map(|minutes| minutes.times(60.0))
}

fn load(table: &Table, report: &mut Report) {
    for row in &table.rows {
        let name = row.cell(Some(0)).trim_end_matches(':').to_owned();
        if name.is_empty() || report.load_profile.iter().any(|load| load.name == name) {
            continue;
        }
        let mut value = |column| cell(row, Some(column), &mut report.faults, number::amount);
        let (per_second, per_transaction) = (value(1), value(2));
        let (per_exec, per_call) = (value(3), value(4));
        report.load_profile.push(Load { name, per_second, per_transaction, per_exec, per_call });
    }
}

fn time_model(table: &Table, report: &mut Report) {
    let column = table.named("time(s)");
    for row in &table.rows {
        let name = row.cell(Some(0)).to_owned();
        let seconds = cell(row, column, &mut report.faults, number::amount);
        if let Some(seconds) = seconds.filter(|_| report.time_model(&name).is_none()) {
            report.activity.time_model.push(TimeModel { name, seconds });
        }
    }
    // 10g's Statspack prints it nowhere else.
    report.db_time = report.db_time.or(report.time_model("DB time"));
}

fn statistics(table: &Table, report: &mut Report) {
    let columns = [table.named("total"), table.named("persecond")];
    for row in &table.rows {
        let (name, total) = (row.cell(Some(0)).to_owned(), row.cell(columns[0]));
        match number::count_or_shortened(total) {
            Some(printed) if report.statistic(&name).is_none() => {
                let per_second = cell(row, columns[1], &mut report.faults, number::amount);
                let (total, total_half) = (printed.rounded(), printed.half);
                report.activity.statistics.push(Statistic { name, total, total_half, per_second });
            }
            // A statistic that shrank, such as memory in use, is no number of operations.
            Some(_) => {}
            None if total.starts_with('-') => {}
            None => {
                let text = format!("'{total}' is not a number for the statistic '{name}'");
                report.faults.push(Fault { at: row.at, text, waits: 0 });
            }
        }
    }
}

fn io_functions(table: &Table, report: &mut Report) {
    let milli = table.heads.last().is_some_and(|head| head.contains("(ms)"));
    let bare = if milli { 1e-3 } else { f64::NAN };
    for row in &table.rows {
        let function = row.cell(Some(0)).to_owned();
        if function.is_empty()
            || report.activity.io_functions.iter().any(|io| io.function == function)
        {
            continue;
        }
        let faults = &mut report.faults;
        let reads_per_second = cell(row, Some(2), faults, number::amount);
        let writes_per_second = cell(row, Some(5), faults, number::amount);
        let mut data = |column| cell(row, Some(column), faults, number::mebibytes);
        let (read_mib, read_mib_per_second) = (data(1), data(3));
        let (written_mib, written_mib_per_second) = (data(4), data(6));
        let waits = cell(row, Some(7), faults, number::shortened);
        let average = cell(row, Some(8), faults, |text| {
            number::duration(text, bare).filter(|average| average.value.is_finite())
        });
        report.activity.io_functions.push(IoFunction {
            function,
            read_mib,
            reads_per_second,
            read_mib_per_second,
            written_mib,
            writes_per_second,
            written_mib_per_second,
            waits,
            average,
        });
    }
}
