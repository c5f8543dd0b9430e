//! Tables that isotherm writes itself, and SLOB's: which of their columns belong together.

use super::PointsCsvError;
use crate::curve::rest_of;

/// A table whose columns are known, put into the columns that a fit needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Known {
    /// The headings of the new columns.
    pub names: Vec<String>,
    /// The new rows with the numbers of their lines.
    pub rows: Vec<(Vec<String>, u64)>,
    /// Which columns they were made of, in words for people.
    pub chosen: Vec<String>,
    /// What else is to be known of the choice.
    pub notes: Vec<String>,
}

/// A table as it was read.
#[derive(Copy, Clone, Debug)]
pub(super) struct Raw<'a> {
    pub names: &'a [String],
    pub rows: &'a [(Vec<String>, u64)],
    /// What a sweep of several, or an event of several, is called in part.
    pub only: Option<&'a str>,
}

/// Wait events of AWR tables: the column of their average in microseconds, that of their number, the
/// event, and the column of the rate where the number is missing (SLOB's own tables).
const EVENTS: [(&str, &str, &str, Option<&str>); 6] = [
    ("DFSR_LAT", "dfsr_waits", "db file sequential read", Some("PREADS")),
    ("DPR_LAT", "dpr_waits", "direct path read", Some("PREADS")),
    ("DFPR_LAT", "dfpr_waits", "db file parallel read", Some("PREADS")),
    ("DFPW_LAT", "dfpw_waits", "db file parallel write", Some("PWRITES")),
    ("LFPW_LAT", "lfpw_waits", "log file parallel write", None),
    ("log_file_sync_us", "log_file_sync_waits", "log file sync", None),
];

/// The table in the columns of a fit, if it is one that is known.
pub(super) fn known(raw: Raw<'_>) -> Result<Option<Known>, PointsCsvError> {
    if raw.has(&["FILE", "SESSIONS", "ELAPSED", "DFSR_LAT"]) {
        return awr(raw).map(Some);
    }
    if raw.has(&["label", "loop", "in_flight", "ops_per_s", "mean_us", "ended"]) {
        return runs(raw).map(Some);
    }
    if raw.has(&["label", "operations/s", "mean ms"]) {
        return points(raw).map(Some);
    }
    Ok(None)
}

impl Raw<'_> {
    fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.at(name).is_some())
    }

    fn at(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|one| one == name)
    }

    fn cell<'a>(&self, row: &'a [String], name: &str) -> &'a str {
        self.at(name).and_then(|at| row.get(at)).map_or("", String::as_str)
    }

    fn number(&self, row: &[String], name: &str) -> Option<f64> {
        self.cell(row, name).parse().ok().filter(|number: &f64| *number > 0.0)
    }
}

/// AWR reports: the waits of one event per second against their own average.
fn awr(raw: Raw<'_>) -> Result<Known, PointsCsvError> {
    one_instance(raw)?;
    let wanted = raw.only.map(str::to_lowercase);
    let is_wanted = |(column, _, event, _): &&(&str, &str, &str, Option<&str>)| {
        let names = |text: &String| event.contains(text) || column.to_lowercase().contains(text);
        wanted.as_ref().is_none_or(names)
    };
    let filled = |event: &(&str, &str, &str, Option<&str>)| {
        raw.rows.iter().filter(|(row, _)| rate(raw, row, event).is_some()).count()
    };
    let usable = EVENTS.iter().filter(|event| filled(event) > 0);
    let known: Vec<String> = usable.clone().map(|event| event.2.to_owned()).collect();
    // The first that most reports have: those of disks before those of the log.
    let most = usable.clone().map(filled).max().unwrap_or(0);
    let best =
        usable.clone().filter(is_wanted).find(|event| wanted.is_some() || filled(event) * 2 > most);
    let event = best.ok_or_else(|| PointsCsvError::NoSuch { known: known.join(", ") })?;
    let (latency, waits, name, requests) = *event;
    let counted = raw.at(waits).is_some();
    let row = |(row, line): &(Vec<String>, u64)| {
        let rate = rate(raw, row, event).map(|rate| rate.to_string());
        (vec![rate.unwrap_or_default(), raw.cell(row, latency).to_owned()], *line)
    };
    let arrivals = if counted {
        format!("arrivals = {waits} / ELAPSED")
    } else {
        format!("arrivals = {}", requests.unwrap_or_default())
    };
    let others: Vec<&str> =
        known.iter().map(String::as_str).filter(|other| *other != name).collect();
    let others = (!others.is_empty()).then(|| {
        format!("Fitted is '{name}'. --only chooses another event: {}.", others.join(", "))
    });
    Ok(Known {
        names: ["arrivals", "response_us"].map(str::to_owned).to_vec(),
        rows: raw.rows.iter().map(row).collect(),
        chosen: vec![arrivals, format!("response time = {latency} (µs)")],
        notes: others.into_iter().collect(),
    })
}

/// Reports of several instances are no one system under different loads.
fn one_instance(raw: Raw<'_>) -> Result<(), PointsCsvError> {
    let of = |(row, _): &(Vec<String>, u64)| {
        setting(&["db_name", "instance", "host"].map(|name| raw.cell(row, name)))
    };
    let mut instances: Vec<String> = raw.rows.iter().map(of).collect();
    instances.sort();
    instances.dedup();
    if instances.len() > 1 {
        return Err(PointsCsvError::Instances { instances: instances.join("; ") });
    }
    Ok(())
}

/// Waits per second of an event in a row, if its average is known, too.
fn rate(raw: Raw<'_>, row: &[String], event: &(&str, &str, &str, Option<&str>)) -> Option<f64> {
    let (latency, waits, _, requests) = *event;
    raw.number(row, latency)?;
    match raw.at(waits) {
        Some(_) => Some(raw.number(row, waits)? / raw.number(row, "ELAPSED")?),
        None => raw.number(row, requests?),
    }
}

/// What `analyze SWEEP --format csv` writes: a row for each run.
fn runs(raw: Raw<'_>) -> Result<Known, PointsCsvError> {
    let ended = |row: &[String]| ["time", "operations"].contains(&raw.cell(row, "ended"));
    let kept: Vec<Kept> = raw
        .rows
        .iter()
        .map(|(row, line)| Kept {
            line: *line,
            setting: setting(&[
                raw.cell(row, "sweep"),
                raw.cell(row, "loop"),
                &rest_of(raw.cell(row, "label")),
            ]),
            in_flight: (raw.cell(row, "loop") == "closed").then(|| raw.cell(row, "in_flight")),
            throughput: if ended(row) { raw.cell(row, "ops_per_s") } else { "" },
            response: raw.cell(row, "mean_us"),
        })
        .collect();
    sweep(raw, &kept, ["in_flight", "ops_per_s", "mean_us"])
}

/// What `sweep --format csv` writes: a row for each point.
fn points(raw: Raw<'_>) -> Result<Known, PointsCsvError> {
    let kept: Vec<Kept> = raw
        .rows
        .iter()
        .map(|(row, line)| {
            let label = raw.cell(row, "label");
            let in_flight = label.split(", ").find_map(|part| part.strip_prefix("in-flight "));
            let kind = if in_flight.is_some() { "closed" } else { "open" };
            Kept {
                line: *line,
                setting: setting(&[kind, &rest_of(label)]),
                in_flight,
                throughput: raw.cell(row, "operations/s"),
                response: raw.cell(row, "mean ms"),
            }
        })
        .collect();
    sweep(raw, &kept, ["label (in-flight)", "operations/s", "mean ms"])
}

/// What is used of a row of a sweep.
struct Kept<'a> {
    line: u64,
    /// What it is but for its load.
    setting: String,
    /// Operations in flight; none in an open loop.
    in_flight: Option<&'a str>,
    throughput: &'a str,
    response: &'a str,
}

fn setting(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

/// The rows of one setting; columns are in flight, throughput and response time.
fn sweep(raw: Raw<'_>, kept: &[Kept], columns: [&str; 3]) -> Result<Known, PointsCsvError> {
    let wanted = |kept: &&Kept| {
        raw.only.is_none_or(|text| kept.setting.to_lowercase().contains(&text.to_lowercase()))
    };
    let kept: Vec<&Kept> = kept.iter().filter(wanted).collect();
    let mut settings: Vec<&str> = kept.iter().map(|kept| kept.setting.as_str()).collect();
    settings.sort_unstable();
    settings.dedup();
    if settings.len() > 1 {
        return Err(PointsCsvError::Several { settings: settings.join("; ") });
    }
    let [in_flight, throughput, response] = columns;
    let time = if response.ends_with("us") { "response_us" } else { "response_ms" };
    let closed = kept.iter().any(|kept| kept.in_flight.is_some());
    let row = |kept: &&Kept| {
        let load = kept.in_flight.unwrap_or_default().to_owned();
        let both = [kept.throughput.to_owned(), kept.response.to_owned()];
        (closed.then_some(load).into_iter().chain(both).collect(), kept.line)
    };
    let loads = closed.then(|| ("n", format!("in flight = {in_flight}")));
    let rates = ("x", format!("throughput = {throughput}"));
    let times = (time, format!("response time = {response}"));
    let (names, chosen): (Vec<&str>, Vec<String>) = loads.into_iter().chain([rates, times]).unzip();
    Ok(Known {
        names: names.into_iter().map(str::to_owned).collect(),
        rows: kept.iter().map(row).collect(),
        chosen,
        notes: Vec::new(),
    })
}
