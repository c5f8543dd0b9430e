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

/// A wait event of AWR tables.
struct Event {
    /// The column of its average, microseconds.
    latency: &'static str,
    /// The column of its number.
    waits: &'static str,
    name: &'static str,
    /// The column of the rate where the number is missing, as in SLOB's own tables.
    requests: Option<&'static str>,
}

const fn event(
    latency: &'static str,
    waits: &'static str,
    name: &'static str,
    requests: Option<&'static str>,
) -> Event {
    Event { latency, waits, name, requests }
}

static EVENTS: [Event; 6] = [
    event("DFSR_LAT", "dfsr_waits", "db file sequential read", Some("PREADS")),
    event("DPR_LAT", "dpr_waits", "direct path read", Some("PREADS")),
    event("DFPR_LAT", "dfpr_waits", "db file parallel read", Some("PREADS")),
    event("DFPW_LAT", "dfpw_waits", "db file parallel write", Some("PWRITES")),
    event("LFPW_LAT", "lfpw_waits", "log file parallel write", None),
    event("log_file_sync_us", "log_file_sync_waits", "log file sync", None),
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
    let filled =
        |event: &Event| raw.rows.iter().filter(|(row, _)| rate(raw, row, event).is_some()).count();
    let usable: Vec<&Event> = EVENTS.iter().filter(|event| filled(event) > 0).collect();
    let most = usable.iter().map(|event| filled(event)).max().unwrap_or(0);
    // The first that most reports have: those of disks before those of the log.
    let is_wanted = |event: &&&Event| match raw.only {
        Some(text) => is_called(event, &text.to_lowercase()),
        None => filled(event) * 2 > most,
    };
    let known = || usable.iter().map(|event| event.name);
    let event = usable.iter().find(is_wanted).ok_or_else(|| PointsCsvError::NoSuch {
        known: known().collect::<Vec<&str>>().join(", "),
    })?;
    let row = |(row, line): &(Vec<String>, u64)| {
        let rate = rate(raw, row, event).map(|rate| rate.to_string());
        (vec![rate.unwrap_or_default(), raw.cell(row, event.latency).to_owned()], *line)
    };
    let arrivals = match raw.at(event.waits) {
        Some(_) => format!("arrivals = {} / ELAPSED", event.waits),
        None => format!("arrivals = {}", event.requests.unwrap_or_default()),
    };
    let others: Vec<&str> = known().filter(|name| *name != event.name).collect();
    let note = (!others.is_empty()).then(|| {
        format!("Event: {}. --series chooses another: {}.", event.name, others.join(", "))
    });
    Ok(Known {
        names: ["arrivals", "response_us"].map(str::to_owned).to_vec(),
        rows: raw.rows.iter().map(row).collect(),
        chosen: vec![arrivals, format!("response time = {} (µs)", event.latency)],
        notes: note.into_iter().collect(),
    })
}

/// Whether an event or its column has a text in its name.
fn is_called(event: &Event, text: &str) -> bool {
    event.name.contains(text) || event.latency.to_lowercase().contains(text)
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
fn rate(raw: Raw<'_>, row: &[String], event: &Event) -> Option<f64> {
    raw.number(row, event.latency)?;
    match raw.at(event.waits) {
        Some(_) => Some(raw.number(row, event.waits)? / raw.number(row, "ELAPSED")?),
        None => raw.number(row, event.requests?),
    }
}

/// What `analyze SWEEP --format csv` writes: a row for each run.
fn runs(raw: Raw<'_>) -> Result<Known, PointsCsvError> {
    let ended = |row: &[String]| ["time", "operations"].contains(&raw.cell(row, "ended"));
    let kept: Vec<UsedRow> = raw
        .rows
        .iter()
        .map(|(row, line)| UsedRow {
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
    let kept: Vec<UsedRow> = raw
        .rows
        .iter()
        .map(|(row, line)| {
            let label = raw.cell(row, "label");
            let in_flight = label.split(", ").find_map(|part| part.strip_prefix("in-flight "));
            let kind = if in_flight.is_some() { "closed" } else { "open" };
            UsedRow {
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
struct UsedRow<'a> {
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
fn sweep(raw: Raw<'_>, kept: &[UsedRow], columns: [&str; 3]) -> Result<Known, PointsCsvError> {
    let wanted = |kept: &&UsedRow| {
        raw.only.is_none_or(|text| kept.setting.to_lowercase().contains(&text.to_lowercase()))
    };
    let kept: Vec<&UsedRow> = kept.iter().filter(wanted).collect();
    let mut settings: Vec<&str> = kept.iter().map(|kept| kept.setting.as_str()).collect();
    settings.sort_unstable();
    settings.dedup();
    if settings.len() > 1 {
        return Err(PointsCsvError::Several { settings: settings.join("; ") });
    }
    let [in_flight, throughput, response] = columns;
    let time = if response.ends_with("us") { "response_us" } else { "response_ms" };
    let closed = kept.iter().any(|kept| kept.in_flight.is_some());
    let row = |kept: &&UsedRow| {
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
