//! Which hosts of a fleet wait differently: as text, as a section of a page, and as JSON.

mod json;
mod strip;

use std::io::{self, Write};

use isotherm_analysis::FleetDistance;
use isotherm_frame::numbers::{grouped, seconds};
use isotherm_frame::{Histogram, Nanos, Scheme, Timestamp, percent, shown_name, whole_percent};

pub use self::json::{FleetHostJson, FleetJson};
use self::strip::{Course, Strips};
use crate::description::wrapped;
use crate::ranges::{Digits, range};
use crate::section::{Detail, Section, Table};
use crate::times::{TimeFormat, span};

/// A fleet, the most different hosts first.
#[derive(Clone, Debug)]
pub struct FleetReport {
    /// The server's address, or the directory of the recordings.
    pub source: String,
    /// The histogram, or which series.
    pub metric: String,
    /// The label whose values are the hosts, or what one of them is called.
    pub by: String,
    /// The time that was looked at.
    pub span: (Timestamp, Timestamp),
    /// The hosts, ranked.
    pub hosts: Vec<FleetHost>,
    /// The length of an interval of the hosts' p99.
    pub step: Nanos,
    /// Histograms that could not be used.
    pub rejected: u64,
    /// Why the first of them could not.
    pub rejected_reason: Option<String>,
    /// How many layouts of buckets the hosts have.
    pub layouts: usize,
    /// Whether a bound that all hosts compared have in common divides their latencies.
    pub has_bounds: bool,
    /// How many waited more than half of all time together, each more than twice as long as the median one.
    pub dominant: usize,
    /// Whether counts and times are estimates of a server.
    pub is_estimate: bool,
    /// How to read one host sample by sample: a command with HOST for its name.
    pub open: String,
}

/// One of them.
#[derive(Clone, Debug)]
pub struct FleetHost {
    /// Its name.
    pub name: String,
    /// Its latencies over all of the time.
    pub counts: Histogram,
    /// How far it is from the others; `None` where nothing can be said.
    pub distance: Option<FleetDistance>,
    /// Whether it is left out of the comparison because of its buckets.
    pub is_left_out: bool,
    /// For how long it was there; `None` where that is not known.
    pub present: Option<Nanos>,
    /// What its rates are of, where some of its intervals have no known length.
    pub measured: Option<MeasuredPart>,
    /// Its p99 over time, seconds; a server interpolates it.
    pub p99_s: Vec<Option<f64>>,
}

/// What happened in the intervals whose length is known.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct MeasuredPart {
    /// Events that ended in them.
    pub events: u64,
    /// Time waited in them, in seconds.
    pub waited_s: f64,
    /// How long they are; zero if there are none.
    pub length: Nanos,
}

/// The hosts that are named in a sentence.
const NAMED: usize = 8;
/// A host that was there for this part of the time was there for all of it.
const MOSTLY: f64 = 0.95;
const HEAD: [&str; 8] =
    ["rank", "", "distance", "its time above", "events/s", "waiting", "p50", "p99"];

impl FleetReport {
    /// The column of its table that has the names of the hosts.
    pub const HOST_COLUMN: usize = 1;

    /// What there is to say first.
    pub fn sentences(&self) -> Vec<String> {
        let mut said = self.who_differs();
        said.extend(self.who_dominates());
        let telling = self.hosts.iter().filter(|host| host.is_telling()).count() as u64;
        if telling > 2 && telling * 2 > self.compared() {
            let how = if self.is_estimate { " with labels (--metric)" } else { "" };
            said.push(format!(
                "Most differ: the others of each include those that differ most. Leave the first ones out{how} to see \
                 what remains."
            ));
        }
        said.extend(self.left_out());
        if self.is_estimate {
            said.push(
                "All counts and times are estimates (≈): what the server's increase() gives for each interval, \
                 which Prometheus extrapolates to its ends. Percentiles over time are interpolated within buckets."
                    .to_owned(),
            );
        }
        let partly = self.hosts.iter().filter(|host| self.part_s(host).is_some()).count();
        if partly > 0 {
            said.push(format!(
                "{} of {} were there for a part of the time only (in brackets): events/s and waiting are of that \
                 part.",
                grouped(partly as u64),
                grouped(self.hosts.len() as u64)
            ));
        }
        if self.layouts > 1 {
            said.push(format!(
                "The hosts have {} layouts of buckets: the map of all has the bounds that their counts have in \
                 common.",
                self.layouts
            ));
        }
        if self.rejected > 0 {
            let reason = self.rejected_reason.as_deref();
            let why = reason.map(|why| format!(", the first because {why}")).unwrap_or_default();
            said.push(format!(
                "Histograms that could not be used: {}{why}.",
                grouped(self.rejected)
            ));
        }
        said
    }

    fn who_dominates(&self) -> Option<String> {
        let each = match self.dominant {
            0 => return None,
            1 => "it counts as twice the median one among the others, so that it hides none",
            _ => "each counts as twice the median one among the others, so that they hide none",
        };
        let (dominant, compared) = (grouped(self.dominant as u64), grouped(self.compared()));
        Some(format!("{dominant} of {compared} waited more than half of all time: {each}."))
    }

    fn who_differs(&self) -> Vec<String> {
        let compared = grouped(self.compared());
        let telling = self.hosts.iter().filter(|host| host.is_telling()).count();
        let said = match self.hosts.first().and_then(|host| Some((host, host.distance?))) {
            Some((host, distance)) if distance.is_telling() => {
                let others = match telling {
                    1 => format!("No other of the {compared} differs by more than chance (1 %)."),
                    _ => format!(
                        "{} of {compared} differ from the others by more than chance (1 %).",
                        grouped(telling as u64)
                    ),
                };
                return vec![self.first(host, distance), others];
            }
            Some(_) => {
                format!("None of {compared} differs from the others by more than chance (1 %).")
            }
            None if self.hosts.len() == 1 => {
                format!("There is only one {}: nothing to compare it with.", self.by)
            }
            None if self.hosts.iter().all(|host| host.counts.is_empty()) || self.has_bounds => {
                "Too little was waited to compare one with the others.".to_owned()
            }
            None => format!(
                "These {} cannot be compared: no bound that all have in common divides their latencies.",
                grouped(self.hosts.len() as u64)
            ),
        };
        vec![said]
    }

    /// The names of those that cannot be compared.
    fn left_out(&self) -> Option<String> {
        let left_out = self.hosts.iter().filter(|host| host.is_left_out);
        let left_out: Vec<String> = left_out.map(FleetHost::shown).collect();
        let more = left_out.len().saturating_sub(NAMED);
        let first = left_out[..left_out.len() - more].join(", ");
        let more =
            if more > 0 { format!(" and {} more", grouped(more as u64)) } else { String::new() };
        (!left_out.is_empty()).then(|| {
            format!(
                "Not compared and not in the map, because their buckets lie across bounds of the others: \
                 {first}{more}."
            )
        })
    }

    fn compared(&self) -> u64 {
        self.hosts.iter().filter(|host| host.distance.is_some()).count() as u64
    }

    fn first(&self, host: &FleetHost, distance: FleetDistance) -> String {
        let (own, others) =
            (about(&percent(distance.own_above)), about(&percent(distance.others_above)));
        format!(
            "{} differs most from the other {}: {own} of its time waited lies at {} and above, of theirs \
             {others}.",
            host.shown(),
            grouped(self.compared().saturating_sub(1)),
            Nanos::new(distance.at_ns)
        )
    }

    fn seconds(&self) -> f64 {
        self.span.1.since(self.span.0).as_secs_f64().max(1e-9)
    }

    /// The seconds for which a host was there, where that is clearly less than all of the time.
    fn part_s(&self, host: &FleetHost) -> Option<f64> {
        let present = host.present?.as_secs_f64();
        (present > 0.0 && present < self.seconds() * MOSTLY).then_some(present)
    }

    /// The cells of a host, without its course.
    fn cells(&self, rank: usize, host: &FleetHost) -> Vec<String> {
        let quantile = |q| {
            host.counts.quantile(q).map_or("-".to_owned(), |of| range(of.bucket, Digits::Three))
        };
        let distance = host.distance.map(|of| {
            let mark = if of.is_telling() { "" } else { " (chance)" };
            format!("{}{mark}", whole_percent(of.distance))
        });
        let above = host.distance.filter(|of| of.distance > 0.0).map(|of| {
            let (own, others) = (whole_percent(of.own_above), whole_percent(of.others_above));
            format!("{own} ≥{}, others {others}", Nanos::new(of.at_ns))
        });
        let part = self.part_s(host);
        let waited = host.counts.time_waited();
        let all = || part.unwrap_or_else(|| self.seconds());
        let (events, waited_s, length_s) = match host.measured {
            Some(MeasuredPart { events, waited_s, length }) => {
                (events, waited_s, length.as_secs_f64())
            }
            None => (host.counts.events(), waited.seconds, all()),
        };
        let about = |number: String, exact| if exact { number } else { about(&number) };
        let per_second = |amount: f64, number: fn(f64) -> String, exact| {
            let is_known = length_s > 0.0;
            if is_known { about(number(amount / length_s), exact) } else { "-".to_owned() }
        };
        let rate = per_second(events as f64, crate::numbers::rate, !self.is_estimate);
        let waiting = per_second(waited_s, seconds, !self.is_estimate && waited.exact);
        let part = part.and_then(Nanos::from_secs_f64).map(|part| format!(" ({})", span(part)));
        let without = if host.is_left_out { "other buckets" } else { "-" };
        vec![
            rank.to_string(),
            host.shown(),
            distance.unwrap_or_else(|| without.to_owned()),
            above.unwrap_or_else(|| "-".to_owned()),
            rate + &part.unwrap_or_default(),
            waiting,
            quantile(0.5),
            quantile(0.99),
        ]
    }

    fn head(&self) -> Vec<String> {
        let mut head: Vec<String> = HEAD.map(str::to_owned).to_vec();
        head[1].clone_from(&self.by);
        head
    }

    /// As a section of a page: the first `most` hosts, and all of them on demand.
    pub fn section(&self, most: usize) -> Section {
        let strips = Strips::of(self.hosts.iter().map(FleetHost::course));
        let row = |(index, host): (usize, &FleetHost)| {
            let mut cells = self.cells(index + 1, host);
            cells.push(strips.strip(host.course()));
            cells
        };
        let rows: Vec<Vec<String>> = self.hosts.iter().enumerate().map(row).collect();
        let mut head = self.head();
        head.push("p99 over time".to_owned());
        let table = |caption: &str, rows: &[Vec<String>]| Table {
            caption: caption.to_owned(),
            head: head.clone(),
            rows: rows.to_vec(),
        };
        let (first, rest) = rows.split_at(most.min(rows.len()));
        let mut sentences = self.sentences();
        sentences.extend(strips.sentence(self.step));
        sentences.push(self.how_to_open());
        let detail = Detail {
            summary: format!("{} more, by {}", grouped(rest.len() as u64), self.by),
            tables: vec![table("The others", rest)],
            ..Detail::default()
        };
        Section {
            title: "Who waits differently".to_owned(),
            sentences,
            tables: vec![table("Those that differ most", first)],
            details: if rest.is_empty() { Vec::new() } else { vec![detail] },
            ..Section::default()
        }
    }

    /// Writes the answer in lines of so many characters, and a table of the first `most` hosts. Fails
    /// only when `out` does.
    pub fn write_text(
        &self,
        (most, width): (usize, usize),
        moments: &TimeFormat,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let when = moments.between(self.span.0, self.span.1);
        writeln!(out, "{} by {}, {when}", shown_name(&self.metric), self.by)?;
        let said = self.sentences();
        let mut lines = said.iter().flat_map(|sentence| wrapped(sentence, Some(width)));
        lines.try_for_each(|line| writeln!(out, "{line}"))?;
        let strips = Strips::of(self.hosts.iter().map(FleetHost::course));
        let mut rows = vec![self.head()];
        let first = self.hosts.iter().enumerate().take(most);
        rows.extend(first.map(|(index, host)| self.cells(index + 1, host)));
        let width = |column: usize| {
            rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
        writeln!(out)?;
        for (index, row) in rows.iter().enumerate() {
            let cell = |(column, text): (usize, &String)| {
                let wide = widths[column];
                if matches!(column, 1 | 3) {
                    format!("{text:<wide$}")
                } else {
                    format!("{text:>wide$}")
                }
            };
            let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
            let course = match index.checked_sub(1) {
                Some(index) => strips.short(self.hosts[index].course()),
                None => "p99 over time".to_owned(),
            };
            writeln!(out, "{}  {course}", cells.join("  "))?;
        }
        let left = self.hosts.len().saturating_sub(most);
        if left > 0 {
            writeln!(out, "{} more (--top N)", grouped(left as u64))?;
        }
        strips.sentence(self.step).map_or(Ok(()), |sentence| writeln!(out, "\n{sentence}"))?;
        writeln!(out, "{}", self.how_to_open())
    }

    fn how_to_open(&self) -> String {
        let finely = if self.is_estimate { "sample by sample" } else { "as it is recorded" };
        format!("One of them, {finely}: {}", self.open)
    }
}

impl FleetHost {
    /// Its name on a screen or page.
    pub fn shown(&self) -> String {
        if self.name.is_empty() { "(none)".to_owned() } else { shown_name(&self.name) }
    }

    /// Its p99 over time, and the number that stands for more.
    fn course(&self) -> Course<'_> {
        Course { values: &self.p99_s, highest_s: self.highest_bound_s() }
    }

    /// The highest bound of its buckets in seconds, if there is a bucket above: a server gives it as a percentile of what
    /// lies there.
    fn highest_bound_s(&self) -> Option<f64> {
        match self.counts.scheme().bounds() {
            [.., highest, Scheme::UNBOUNDED] if *highest > 0 => {
                Some(Nanos::new(*highest).as_secs_f64())
            }
            _ => None,
        }
    }

    fn is_telling(&self) -> bool {
        self.distance.is_some_and(|distance| distance.is_telling())
    }
}

/// An estimate; what is less or more than something is no more exact than it says.
fn about(number: &str) -> String {
    if number.starts_with(['<', '>']) { number.to_owned() } else { format!("≈{number}") }
}
