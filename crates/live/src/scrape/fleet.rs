//! One histogram of many hosts, as a Prometheus server keeps it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

use isotherm_formats::promquery::{
    BoundCounts, HistogramsByTime, Increases, number_in, quantities,
};
use isotherm_frame::{Frame, Histogram, Nanos, Partial, Quality, Series, Timestamp, Unit};

use super::address::{HttpAddress, Kind, encoded};
use super::api::{ApiError, QueryApi, milliseconds, seconds};
use super::fleet_layouts::{self, FleetLayouts};
use super::fleet_question::{FleetError, FleetHistogram, FleetQuestion};
use super::intervals::Intervals;
use super::selector::{name_in, quoted};
use crate::http::HttpClient;

/// A server adds up the buckets of thousands of hosts in seconds, not in milliseconds.
const PATIENCE: Duration = Duration::from_mins(1);
/// Hosts that are asked for at once.
const AT_ONCE: usize = 8;
/// An interval holds at least so many samples: with fewer, `increase()` is mostly extrapolated.
const LEAST_SAMPLES: i64 = 4;
/// How far back the distance between samples is looked for.
const LOOK_MS: i64 = 600_000;
/// How finely the time is divided in which a host was there.
const PRESENT_STEPS: i64 = 240;
/// The distance between samples where it is not known.
const USUAL_MS: i64 = 60_000;

/// A fleet in a server; counts and times are what the server's `increase()` gives: estimates.
#[derive(Debug)]
pub struct Fleet {
    api: QueryApi,
    name: String,
    kind: Kind,
    matchers: String,
    by: String,
    unit: Unit,
    end_ms: i64,
    since_ms: i64,
    step_ms: Option<i64>,
    /// The distance between samples.
    samples_ms: i64,
    cost: Cell<FleetCost>,
    rejected: Cell<u64>,
    reason: RefCell<Option<String>>,
    layouts: FleetLayouts,
}

/// What the answers have cost.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetCost {
    /// Requests.
    pub requests: u64,
    /// Bytes of all answers, unpacked.
    pub bytes: u64,
}

/// Numbers of each host over time.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetCourse {
    /// The length of an interval.
    pub step: Nanos,
    /// By host, one number for each interval; `None` where the server has none.
    pub hosts: BTreeMap<String, Vec<Option<f64>>>,
}

impl Fleet {
    /// Asks for the histogram of each host over all of the time; hosts by name.
    pub fn ask(
        question: &FleetQuestion<'_>,
    ) -> Result<(Fleet, Vec<(String, Histogram)>), FleetError> {
        let (server, base) = HttpAddress::server_and_base(question.address)?;
        let histogram = FleetHistogram::read(question.metric, question.by, question.unit)?;
        let FleetHistogram { name, matchers, unit } = histogram;
        let client = HttpClient::waiting(&server, PATIENCE);
        let client = client.map_err(|error| FleetError::Server(error.to_string()))?;
        let api = QueryApi::new(client, base);
        let mut fleet = Fleet {
            end_ms: api.now_ms().map_err(FleetError::Server)?,
            api,
            name,
            kind: Kind::Classic,
            matchers,
            by: question.by.to_owned(),
            unit,
            since_ms: milliseconds(question.since),
            step_ms: question.step.map(milliseconds),
            samples_ms: USUAL_MS,
            cost: Cell::new(FleetCost { requests: 1, bytes: 0 }),
            rejected: Cell::new(0),
            reason: RefCell::new(None),
            layouts: FleetLayouts::default(),
        };
        let mut hosts = fleet.totals()?;
        let may_be_native = || !name_in(question.metric).ends_with("_bucket");
        if hosts.is_empty() && fleet.rejected.get() == 0 && may_be_native() {
            fleet.kind = Kind::Native;
            hosts = fleet.totals()?;
        }
        if fleet.kind == Kind::Classic && !hosts.is_empty() {
            fleet.layouts = fleet.find_layouts()?;
            let all = hosts.len();
            hosts.retain(|(host, _)| !fleet.layouts.is_mixed(host));
            fleet.reject((all - hosts.len()) as u64, || fleet_layouts::MIXED.to_owned());
        }
        let named = |(host, _): &(String, Histogram)| !host.is_empty();
        if !hosts.iter().any(named) {
            return Err(fleet.nothing(hosts.is_empty()));
        }
        fleet.samples_ms = fleet.distance_of_samples()?;
        Ok((fleet, hosts))
    }

    /// The histogram of all hosts but some together over time, in at most so many intervals.
    pub fn map(&self, columns: u32, but: &[&str]) -> Result<Vec<Frame>, FleetError> {
        let intervals = self.intervals(columns);
        let mut all = HistogramsByTime::new();
        for chosen in self.layouts.choices(but) {
            let matchers = self.matchers_and(&chosen);
            let query = self.sum("", &matchers, intervals.step_ms);
            let found = self.increases(&query, intervals)?.histograms;
            for (ms, counts) in found.into_values().flatten() {
                match all.entry(ms) {
                    Entry::Vacant(none) => _ = none.insert(counts),
                    Entry::Occupied(mut known) => known.get_mut().add(&counts),
                }
            }
        }
        let series = Series::named(self.name.clone());
        let frames = all.into_iter();
        Ok(frames
            .map(|(ms, counts)| frame(series.clone(), (ms, intervals.step_ms), counts))
            .collect())
    }

    /// The histograms of some hosts over time, in at most so many intervals.
    pub fn maps(&self, hosts: &[&str], columns: u32) -> Result<Vec<Frame>, FleetError> {
        let intervals = self.intervals(columns);
        let mut frames = Vec::new();
        for some in hosts.chunks(AT_ONCE) {
            let matchers = self.matchers_and(&fleet_layouts::chosen(some));
            let query = self.sum(&self.by, &matchers, intervals.step_ms);
            for (host, histograms) in self.increases(&query, intervals)?.histograms {
                let series = Series::with_attributes(self.name.clone(), [(&self.by, &host)]);
                frames.extend(
                    histograms
                        .into_iter()
                        .map(|(ms, counts)| frame(series.clone(), (ms, intervals.step_ms), counts)),
                );
            }
        }
        frames.sort_by(|one, other| (one.end, &one.series).cmp(&(other.end, &other.series)));
        Ok(frames)
    }

    /// The matchers, and what the label of the hosts has to match: nothing where all are chosen.
    fn matchers_and(&self, hosts: &str) -> String {
        let by = if hosts.is_empty() { "" } else { &self.by };
        let chosen = format!("{by}{hosts}");
        let matchers =
            [self.matchers.as_str(), &chosen].into_iter().filter(|part| !part.is_empty());
        matchers.collect::<Vec<_>>().join(",")
    }

    /// A quantile of each host over time in seconds, as the server interpolates it within a bucket.
    pub fn quantile(&self, q: f64, columns: u32) -> Result<FleetCourse, FleetError> {
        let intervals = self.intervals(columns);
        let sum = self.sum(&self.by, &self.matchers, intervals.step_ms);
        let body = self.body(&format!("histogram_quantile({q}, {sum})"), intervals)?;
        let found = quantities(&body, &self.by).map_err(FleetError::Server)?;
        let scale = self.unit.as_nanos().as_secs_f64();
        let course = |values: BTreeMap<i64, f64>| {
            let ends =
                (0..intervals.count).map(|at| intervals.first_end_ms() + at * intervals.step_ms);
            ends.map(|end| values.get(&end).map(|value| value * scale)).collect()
        };
        let hosts = found.into_iter().map(|(host, values)| (host, course(values)));
        Ok(FleetCourse { step: nanos(intervals.step_ms), hosts: hosts.collect() })
    }

    /// The name of the histogram.
    pub fn metric(&self) -> &str {
        &self.name
    }

    /// The address whose history is that of one host, sample by sample.
    pub fn address_of(&self, server: &str, host: &str) -> String {
        let end = if self.kind == Kind::Classic { "_bucket" } else { "" };
        let comma = if self.matchers.is_empty() { "" } else { "," };
        let matchers = format!("{}{comma}{}={}", self.matchers, self.by, quoted(host));
        let matchers = matchers.replace('%', "%25").replace('&', "%26");
        let server = server.trim_end_matches('/');
        let range = nanos(self.since_ms);
        format!("{server}/?query={}{end}{{{matchers}}}&range={range}", self.name)
    }

    /// The moments between which all of it lies.
    pub fn span(&self) -> (Timestamp, Timestamp) {
        (moment(self.end_ms - self.since_ms), moment(self.end_ms))
    }

    /// How many layouts of buckets the hosts have; counts of different ones are added up here, not by the
    /// server.
    pub fn layouts(&self) -> usize {
        self.layouts.number()
    }

    /// For how long each host was there, in whole steps of a 240th of the time.
    pub fn present(&self) -> Result<BTreeMap<String, Nanos>, FleetError> {
        let step_ms = (self.since_ms / PRESENT_STEPS).max(self.samples_ms).max(1_000);
        let query = format!(
            "count_over_time((count by ({}) ({}))[{}ms:{step_ms}ms])",
            self.by,
            self.counter(),
            self.since_ms
        );
        let body = self.body(&query, self.all())?;
        let found = quantities(&body, &self.by).map_err(FleetError::Server)?;
        let length = |numbers: BTreeMap<i64, f64>| {
            let steps = numbers.into_values().next_back()?;
            Nanos::from_secs_f64((steps * step_ms as f64).min(self.since_ms as f64) / 1e3)
        };
        let hosts = found.into_iter().filter_map(|(host, numbers)| Some((host, length(numbers)?)));
        Ok(hosts.collect())
    }

    /// What the answers have cost until now.
    pub fn cost(&self) -> FleetCost {
        self.cost.get()
    }

    /// How many histograms could not be used, and why the first of them could not.
    pub fn rejected(&self) -> (u64, Option<String>) {
        (self.rejected.get(), self.reason.borrow().clone())
    }

    /// All of the time as one interval.
    fn all(&self) -> Intervals {
        Intervals { step_ms: self.since_ms, count: 1, end_ms: self.end_ms }
    }

    /// From samples older than a minute: a scrape just now may not be there in full.
    fn find_layouts(&self) -> Result<FleetLayouts, FleetError> {
        let (name, matchers, ms) = (&self.name, &self.matchers, self.since_ms);
        let count = |by: &str, label: &str| {
            let samples = format!("count_over_time({name}_bucket{{{matchers}}}[{ms}ms] offset 1m)");
            let query = format!("sum by ({by}) ({samples})");
            let body = self.body(&query, self.all())?;
            BoundCounts::read(&body, label, self.unit).map_err(FleetError::Server)
        };
        let all = count("le", "")?;
        if all.values().all(BoundCounts::are_equal) {
            return Ok(FleetLayouts::default());
        }
        Ok(FleetLayouts::of(count(&format!("le,{}", self.by), &self.by)?))
    }

    fn totals(&self) -> Result<Vec<(String, Histogram)>, FleetError> {
        let query = self.sum(&self.by, &self.matchers, self.since_ms);
        let found = self.increases(&query, self.all())?;
        let only = |(host, mut histograms): (String, BTreeMap<i64, Histogram>)| {
            histograms.pop_last().map(|(_, counts)| (host, counts))
        };
        Ok(found.histograms.into_iter().filter_map(only).collect())
    }

    /// The increases of all parts of the histogram by their bounds and, if one is given, a label.
    fn sum(&self, by: &str, matchers: &str, step_ms: i64) -> String {
        let name = &self.name;
        let (bounds, selector) = match self.kind {
            Kind::Classic => {
                ("le,vmrange", format!("{{__name__=~\"{name}_(bucket|sum)\",{matchers}}}"))
            }
            Kind::Native => ("", format!("{name}{{{matchers}}}")),
        };
        let labels = [bounds, by].into_iter().filter(|part| !part.is_empty());
        let labels = labels.collect::<Vec<_>>().join(",");
        format!("sum by ({labels}) (increase({selector}[{step_ms}ms]))")
    }

    fn increases(&self, query: &str, intervals: Intervals) -> Result<Increases, FleetError> {
        let body = self.body(query, intervals)?;
        let found = Increases::read(&body, &self.by, self.unit).map_err(FleetError::Server)?;
        self.reject(found.rejected, || found.reason.clone().unwrap_or_default());
        Ok(found)
    }

    fn reject(&self, histograms: u64, reason: impl FnOnce() -> String) {
        self.rejected.set(self.rejected.get() + histograms);
        if histograms > 0 {
            self.reason.borrow_mut().get_or_insert_with(reason);
        }
    }

    /// The selector of what counts all events of a host.
    fn counter(&self) -> String {
        let end = if self.kind == Kind::Classic { "_count" } else { "" };
        format!("{}{end}{{{}}}", self.name, self.matchers)
    }

    fn body(&self, query: &str, intervals: Intervals) -> Result<Vec<u8>, FleetError> {
        let (start, end) = (seconds(intervals.first_end_ms()), seconds(intervals.end_ms));
        let step = seconds(intervals.step_ms);
        let query = encoded(query, b"");
        self.fetch(&format!("query_range?query={query}&start={start}&end={end}&step={step}"))
    }

    fn fetch(&self, question: &str) -> Result<Vec<u8>, FleetError> {
        let body = self.api.body(question).map_err(|error| match error {
            ApiError::TooMuch(why) => FleetError::Server(format!(
                "{why}: choose fewer hosts with labels (--metric 'NAME{{job=\"x\"}}'), or less time \
                 (--since)"
            )),
            ApiError::Failed(why) => FleetError::Server(why),
        })?;
        let FleetCost { requests, bytes } = self.cost.get();
        self.cost.set(FleetCost { requests: requests + 1, bytes: bytes + body.len() as u64 });
        Ok(body)
    }

    /// The distance between the samples of a host, from how many there are.
    fn distance_of_samples(&self) -> Result<i64, FleetError> {
        let query = format!("max(count_over_time({}[{LOOK_MS}ms]))", self.counter());
        let time = seconds(self.end_ms);
        let body = self.fetch(&format!("query?query={}&time={time}", encoded(&query, b"")))?;
        let samples = number_in(&body).filter(|samples| *samples >= 1.0);
        #[expect(clippy::cast_possible_truncation, reason = "at most the time looked at")]
        Ok(samples.map_or(USUAL_MS, |samples| (LOOK_MS as f64 / samples).ceil() as i64))
    }

    /// Whole seconds, at most so many intervals, each with several samples.
    fn intervals(&self, columns: u32) -> Intervals {
        let whole = |ms: i64| (ms + 999) / 1_000 * 1_000;
        let least =
            (self.since_ms / i64::from(columns.max(1))).max(self.samples_ms * LEAST_SAMPLES);
        let step_ms = self.step_ms.unwrap_or_else(|| whole(least)).clamp(1, self.since_ms.max(1));
        self.all().divided(step_ms)
    }

    fn nothing(&self, is_empty: bool) -> FleetError {
        let Fleet { name, by, .. } = self;
        if let (rejected @ 1.., Some(reason)) = self.rejected() {
            return FleetError::Nothing(format!(
                "{rejected} of the histograms {name} could not be used, the first because {reason}"
            ));
        }
        if is_empty {
            let what = match self.kind {
                Kind::Classic => format!("{name}_bucket"),
                Kind::Native => format!("{name}_bucket, and no native histogram {name},"),
            };
            return FleetError::Nothing(format!(
                "the server has no {what} with samples in this time: check the name, the labels and --since"
            ));
        }
        let known = self.known_labels();
        let known =
            if known.is_empty() { String::new() } else { format!("; it has {}", known.join(", ")) };
        FleetError::Nothing(format!("{name} has no label '{by}'{known} (--by LABEL)"))
    }

    /// The labels of the histogram.
    fn known_labels(&self) -> Vec<String> {
        let selector = format!("{{__name__=~\"{}(_bucket)?\",{}}}", self.name, self.matchers);
        let (start, end) = (seconds(self.end_ms - self.since_ms), seconds(self.end_ms));
        let question =
            format!("labels?match[]={}&start={start}&end={end}", encoded(&selector, b""));
        let body = self.fetch(&question.replace("[]", "%5B%5D")).unwrap_or_default();
        let labels = serde_json::from_slice::<serde_json::Value>(&body).unwrap_or_default();
        let labels = labels["data"].as_array().into_iter().flatten();
        let labels = labels.filter_map(|label| label.as_str());
        let of_buckets = ["__name__", "le", "vmrange"];
        labels.filter(|label| !of_buckets.contains(label)).map(str::to_owned).collect()
    }
}

fn frame(series: Series, (end_ms, step_ms): (i64, i64), counts: Histogram) -> Frame {
    Frame {
        series,
        start: moment(end_ms - step_ms),
        end: moment(end_ms),
        counts,
        quality: Quality::Partial(Partial::FromRates),
    }
}

fn nanos(ms: i64) -> Nanos {
    Nanos::from_millis(u64::try_from(ms).unwrap_or(0))
}

fn moment(ms: i64) -> Timestamp {
    Timestamp::new(ms.saturating_mul(1_000_000))
}
