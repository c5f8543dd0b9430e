//! Which field of some log lines is the latency, and whether that is beyond doubt.

use std::collections::BTreeMap;

use isotherm_frame::plausible::TEN_YEARS;
use isotherm_frame::{Nanos, Unit};

use super::access::is_number;
use super::candidate::{Candidate, is_named, nanos};
use super::json;
use super::moment::{Order, Written, comparable};
use super::names::{Kind, Moment, words};
use super::parsed::Parsed;
use super::request::FieldChoice;
use super::times::{abbreviated, undated};

/// What is read of each line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// The name of the latency.
    pub(super) name: String,
    /// Whether its name says that it is one.
    pub(super) is_certain: bool,
    /// In words, for the user.
    pub(super) words: String,
    /// Which number of a date is the day, where its lines tell.
    pub(super) order: Option<Order>,
}

/// What the lines look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// Not like a log with latencies.
    NotMine,
    /// Like one, but not beyond doubt: why, and how to choose.
    Refused(String),
    /// Like one, of which an option tells what its lines do not: which.
    Needs(String),
    /// What to read.
    Clear(Choice),
}

/// How often a name stands before a length of time, and in which way.
#[derive(Debug)]
struct Seen {
    lines: u64,
    kind: Kind,
    /// Whether some of its numbers have no unit.
    bare: bool,
    units: Vec<Unit>,
}

/// What is known of the first lines of a log.
#[derive(Debug, Default)]
pub(super) struct Sample {
    pub(super) lines: u64,
    names: BTreeMap<String, Seen>,
    /// Names that stood in one line together.
    together: Vec<String>,
    summaries: u64,
    /// The times of lines that hold a latency, where they have one.
    times: Vec<Option<Written>>,
    time_field: String,
    starts: bool,
    /// Whether a field says how many events a line is of.
    counts: bool,
    /// The numbers whose names tell their unit, in nanoseconds and in the order of the lines.
    numbers: Vec<u64>,
}

impl Sample {
    /// Lines that are looked at.
    pub(super) const ENOUGH: u64 = 200;

    pub(super) fn add(&mut self, parsed: &Parsed<'_>, wanted: &FieldChoice) {
        self.lines += 1;
        // A longer one is a time since 1970.
        let is_time = |found: &Candidate<'_>| {
            nanos(found, found.named_unit()).is_ok_and(|ns| ns > TEN_YEARS.as_nanos())
        };
        let is_asked = |found: &Candidate<'_>| {
            wanted.latency.as_ref().is_some_and(|name| is_named(&found.name, name))
        };
        let relevant = |found: &&Candidate<'_>| {
            is_asked(found) || matches!(found.kind, Kind::Latency(_) | Kind::Other(_)) && !is_time(found)
        };
        let mut relevant: Vec<&Candidate<'_>> = parsed.candidates.iter().filter(relevant).collect();
        if relevant.is_empty() {
            let delays =
                parsed.candidates.iter().filter(|found| matches!(found.kind, Kind::Delay(_)));
            relevant.extend(delays);
        }
        self.summaries +=
            parsed.candidates.iter().filter(|found| found.kind == Kind::Summary).count() as u64;
        if relevant.is_empty() {
            return;
        }
        if relevant.len() > 1 && self.together.is_empty() {
            self.together = relevant.iter().map(|found| found.name.to_string()).collect();
        }
        self.times.push(parsed.time.map(|(written, _)| written));
        if let Some((_, moment)) = parsed.time {
            self.starts = moment == Moment::Start;
            (*parsed.time_field).clone_into(&mut self.time_field);
        }
        for found in relevant {
            self.count(found);
        }
    }

    fn count(&mut self, found: &Candidate<'_>) {
        let seen = self.names.entry(found.name.to_string()).or_insert(Seen {
            lines: 0,
            kind: found.kind,
            bare: false,
            units: Vec::new(),
        });
        seen.lines += 1;
        if matches!(found.kind, Kind::Latency(_)) {
            seen.kind = found.kind;
        }
        if found.ns.is_some() {
            return;
        }
        self.numbers.extend(nanos(found, found.named_unit()).ok());
        match found.named_unit() {
            Some(unit) if seen.units.contains(&unit) => {}
            Some(unit) => seen.units.push(unit),
            None => seen.bare = true,
        }
    }

    /// How many lines hold a latency.
    pub(super) fn events(&self) -> usize {
        self.times.len()
    }

    /// What to read of the lines, if it is beyond doubt.
    pub(super) fn judge(&self, wanted: &FieldChoice) -> Judgement {
        let few = self.times.len() < 2 && self.lines > 1;
        if self.names.is_empty() && self.summaries > 1 && wanted.latency.is_none() {
            return Judgement::Refused(
                "it holds averages, percentiles or extremes, which cannot give a distribution".into(),
            );
        }
        let (name, seen) = match self.name(wanted) {
            Ok(found) => found,
            Err(None) => return Judgement::NotMine,
            Err(Some(refusal)) => return Judgement::Refused(refusal),
        };
        if few && wanted.latency.is_none() {
            return Judgement::NotMine;
        }
        if let Some(refusal) = self.unclear_time(wanted) {
            return Judgement::Refused(refusal);
        }
        let needed = unclear_unit(name, seen, wanted).or_else(|| self.unclear_zone(wanted));
        if let Some(needed) = needed {
            return Judgement::Needs(needed);
        }
        let words = self.words(name, seen, wanted);
        let is_certain = matches!(seen.kind, Kind::Latency(_));
        let order = self.order().unwrap_or(None);
        Judgement::Clear(Choice { name: name.clone(), is_certain, words, order })
    }

    /// The name of the latency; without a refusal if there is none at all.
    fn name(&self, wanted: &FieldChoice) -> Result<(&String, &Seen), Option<String>> {
        if let Some(asked) = &wanted.latency {
            let found = self.names.iter().find(|(name, _)| is_named(name, asked));
            return found.ok_or_else(|| {
                let there = self.names.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                let there = if there.is_empty() { "none".to_owned() } else { there };
                Some(format!("no duration is named '{asked}' in the first lines; there is {there}"))
            });
        }
        if !self.together.is_empty() {
            return Err(Some(several("its lines have more than one duration", &self.together)));
        }
        let mut clear = self.names.iter().filter(|(_, seen)| matches!(seen.kind, Kind::Latency(_)));
        let unnamed = self.names.iter().find(|(name, _)| name.is_empty());
        let only = self.names.iter().next().filter(|_| self.names.len() == 1);
        match (clear.next(), clear.next(), unnamed) {
            (Some(found), None, None) => Ok(found),
            (None, _, Some(found)) if self.names.len() == 1 => Ok(found),
            (None, _, _) if self.names.is_empty() => Err(None),
            (None, _, _) => {
                only.filter(|(name, seen)| self.is_clear_by_unit(name, seen)).ok_or_else(|| {
                    Some(several("nothing says that its durations are latencies", &self.all()))
                })
            }
            _ => Err(Some(several("its lines have durations of several names", &self.all()))),
        }
    }

    /// Whether a name that says nothing but a unit, such as `read_us`, is that of the latency: it is the only such
    /// one, no other field counts how many events a line is of, and its numbers are no running total.
    fn is_clear_by_unit(&self, name: &str, seen: &Seen) -> bool {
        let is_named =
            matches!(seen.kind, Kind::Other(Some(_)) | Kind::Delay(_)) && seen.units.len() == 1;
        // Of `items_s` the unit may be a second below a line: a rate.
        let is_rate = name.ends_with("_s") || name.ends_with("_S");
        let is_sum = words(name).iter().any(|word| word == "total");
        is_named && !seen.bare && !is_rate && !is_sum && !self.counts && !only_grows(&self.numbers)
    }

    /// Takes note of fields of a line that say how many events it is of.
    pub(super) fn add_names(&mut self, line: &str) {
        const COUNTS: [&str; 14] = [
            "count",
            "counts",
            "calls",
            "requests",
            "reqs",
            "ops",
            "iops",
            "samples",
            "hits",
            "events",
            "operations",
            "executions",
            "loops",
            "rate",
        ];
        let is_count =
            |name: &str| words(name).last().is_some_and(|last| COUNTS.contains(&last.as_str()));
        let line = line.trim();
        self.counts |= if line.starts_with('{') {
            json::fields(line)
                .is_some_and(|fields| fields.iter().any(|field| is_count(&field.name)))
        } else {
            let mut pairs = line.split_whitespace().filter_map(|word| word.split_once('='));
            pairs.any(|(name, _)| is_count(name))
        };
    }

    fn all(&self) -> Vec<String> {
        self.names.keys().cloned().collect()
    }

    fn unclear_time(&self, wanted: &FieldChoice) -> Option<String> {
        let written: Vec<Written> = self.times.iter().copied().flatten().collect();
        if written.contains(&Written::Undated) {
            return Some(undated());
        }
        if let Err(why) = self.order() {
            return Some(why);
        }
        let times: Vec<Nanos> = written.into_iter().map(comparable).collect();
        // A few lines more that say how long something took: they are rejected one by one.
        if times.len() * 3 < self.times.len() * 2 {
            let why = match &wanted.time {
                Some(name) => format!("'{name}' is not a time on each of its lines with a latency"),
                None if times.is_empty() => {
                    format!("none of its first {} lines with a latency has a time", self.times.len())
                }
                None => "most of its lines with a latency have no time".to_owned(),
            };
            return Some(format!(
                "{why}; a date, a time of day or seconds since 1970 is needed (--columns time=FIELD)"
            ));
        }
        go_back(&times).then(|| {
            "its times go back repeatedly, so they are probably not those of the events; name the \
             field of the time (--columns time=FIELD), or sort the lines"
                .to_owned()
        })
    }

    /// The order of day and month; none if no date needs one.
    fn order(&self) -> Result<Option<Order>, String> {
        let either = |written: &Option<Written>| match written {
            Some(Written::Either(either)) => Some(either.order()),
            _ => None,
        };
        let orders: Vec<Option<Order>> = self.times.iter().filter_map(either).collect();
        let has = |order: Order| orders.contains(&Some(order));
        match (has(Order::DayFirst), has(Order::MonthFirst)) {
            (true, false) => Ok(Some(Order::DayFirst)),
            (false, true) => Ok(Some(Order::MonthFirst)),
            (false, false) if orders.is_empty() => Ok(None),
            _ => Err("day and month cannot be distinguished in its dates: write them as \
                2026-03-13, or name another time with --columns time=FIELD"
                .to_owned()),
        }
    }

    /// The zone that the user has to name.
    fn unclear_zone(&self, wanted: &FieldChoice) -> Option<String> {
        let mut times = self.times.iter().flatten().filter(|_| !wanted.has_zone);
        let of = |written: &Written| match written {
            Written::Abbreviated(_, name) => Some(*name),
            Written::Either(either) => either.abbreviation(),
            _ => None,
        };
        times.find_map(of).map(abbreviated)
    }

    fn words(&self, name: &str, seen: &Seen, wanted: &FieldChoice) -> String {
        let time = match self.time_field.as_str() {
            "" => "the first time of each line".to_owned(),
            field => format!("field {field}"),
        };
        let end = if self.starts { ", the beginning of the event" } else { "" };
        let latency = if name.is_empty() { "the only duration of each line".to_owned() } else { format!("field {name}") };
        let unit = match (seen.bare, seen.units.as_slice(), wanted.unit) {
            (true, _, Some(unit)) => format!(" in {unit}"),
            (false, [_], None) if is_number(name) => format!(
                " in s, as nginx writes $request_time with three decimals: that is assumed \
                 (--columns latency_ms={name} if it is in ms)"
            ),
            (false, [unit], _) => format!(" in {}", wanted.unit.unwrap_or(*unit)),
            _ => ", with the unit behind it".to_owned(),
        };
        format!(
            "time = {time}{end}; latency = {latency}{unit} (correct it with --columns \
             time=FIELD,latency_ms=FIELD)"
        )
    }
}

/// Why the unit of the latencies is not known.
fn unclear_unit(name: &str, seen: &Seen, wanted: &FieldChoice) -> Option<String> {
    (seen.bare && wanted.unit.is_none()).then(|| {
        format!(
            "there is no unit for its latencies, '{name}': say --unit s, ms, us or ns"
        )
    })
}

fn several(what: &str, names: &[String]) -> String {
    /// Names that are listed.
    const SHOWN: usize = 5;
    let mut all: Vec<String> = names
        .iter()
        .map(|name| if name.is_empty() { "one without a name".to_owned() } else { format!("'{name}'") })
        .collect();
    all.dedup();
    let more = all.len().saturating_sub(SHOWN);
    let mut list = all[..all.len() - more].join(", ");
    if more > 0 {
        list = format!("{list} and {more} more");
    }
    match names.iter().find(|name| !name.is_empty()) {
        Some(first) => {
            format!("{what} ({list}): choose one with --columns, as in --columns 'latency={first}'")
        }
        None => format!("{what} ({list}): without names none of them can be chosen"),
    }
}

/// Whether numbers are those of a running total: none is less than the one before. Of a few that says nothing.
fn only_grows(numbers: &[u64]) -> bool {
    const ENOUGH: usize = 8;
    let grows = numbers.windows(2).filter(|pair| pair[0] < pair[1]).count();
    numbers.len() >= ENOUGH && numbers.is_sorted() && grows * 2 > numbers.len()
}

/// Whether times go back so often and so far that they cannot be those of a log. Lines a few seconds out of
/// order are usual: many workers write them, or they are written when an event ends and say when it began.
fn go_back(times: &[Nanos]) -> bool {
    /// As late as an event may come and still be counted where it ended.
    const LATE: u64 = 10_000_000_000;
    let (Some(first), Some(last)) = (times.iter().min(), times.iter().max()) else { return false };
    let span = last.as_nanos() - first.as_nanos();
    let backs: Vec<u64> = times
        .windows(2)
        .filter_map(|pair| pair[0].checked_sub(pair[1]))
        .map(Nanos::as_nanos)
        .filter(|back| *back > LATE)
        .collect();
    let all = backs.iter().fold(0_u64, |sum, back| sum.saturating_add(*back));
    backs.len() * 5 > times.len() && all > span.saturating_mul(2)
}
