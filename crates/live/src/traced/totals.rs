//! What our bpftrace programs print: totals of two generations that take turns.

use std::collections::BTreeMap;
use std::io::BufRead;

use isotherm_formats::{Context, DecodeError, LineReader, Note, Sink};
use isotherm_frame::{
    Bucket, Clock, Histogram, Nanos, Place, Reading, Rejection, Scheme, Series, Timestamp, Unit,
};
use serde::Deserialize;
use serde_json::Value;

/// One line of bpftrace's JSON output.
#[derive(Deserialize)]
struct Message {
    r#type: String,
    data: Value,
}

/// One bucket of a histogram, both bounds included, in microseconds.
#[derive(Deserialize)]
struct Row {
    min: u64,
    max: u64,
    count: u64,
}

/// The count and total of a key, in nanoseconds.
#[derive(Copy, Clone, Default, Deserialize)]
struct Stats {
    count: u64,
    total: u64,
}

/// What is printed between `tick` and `tock`.
struct Tick {
    at: Timestamp,
    /// The generation that is complete; 0 when counting only begins.
    complete: u8,
    histograms: BTreeMap<String, Vec<u64>>,
    stats: BTreeMap<String, Stats>,
}

/// Everything known between two lines.
struct Totals<'c> {
    context: &'c Context,
    name: &'c dyn Fn(&str) -> Option<Series>,
    /// The series of each key that was printed.
    named: BTreeMap<String, Series>,
    scheme: Scheme,
    open: Option<Tick>,
    /// The last totals of generations 1 and 2.
    generations: [BTreeMap<String, Histogram>; 2],
    series: BTreeMap<String, Series>,
    /// From the program's clock to ours, in nanoseconds.
    offset: Option<i64>,
    last: Option<Timestamp>,
}

/// Reads the output of one of our programs; `name` says which series a key without its generation is.
pub(crate) fn read(
    input: &mut (dyn BufRead + Send),
    context: &Context,
    name: &dyn Fn(&str) -> Option<Series>,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    sink.note(Note::Clock(if context.is_live() { Clock::Epoch } else { Clock::Arbitrary }));
    let mut totals = Totals::new(context, name);
    let mut lines = LineReader::new(input);
    while let Some(line) = lines.next_line()? {
        if line.bytes.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice(line.bytes) {
            Ok(message) => totals.take(line.place, message, sink),
            Err(_) => sink.note(Note::Ignored),
        }
    }
    Ok(())
}

/// Whether an input is the output of one of our programs.
pub(crate) fn is_ours(head: &[u8]) -> bool {
    memchr::memmem::find(head, br#""data": "tick "#).is_some()
}

impl<'c> Totals<'c> {
    fn new(context: &'c Context, name: &'c dyn Fn(&str) -> Option<Series>) -> Totals<'c> {
        Totals {
            context,
            name,
            named: BTreeMap::new(),
            scheme: Scheme::powers_of_two(Unit::Micros),
            open: None,
            generations: Default::default(),
            series: BTreeMap::new(),
            offset: None,
            last: None,
        }
    }

    fn take(&mut self, place: Place, message: Message, sink: &mut dyn Sink) {
        match message.r#type.as_str() {
            "printf" => self.mark(place, &message.data, sink),
            "hist" => self.histograms(place, message.data, sink),
            "stats" => self.stats(message.data),
            "attached_probes" => {}
            // The messages lost are ours; the totals in the next ones make up for them.
            "lost_events" => sink.note(Note::Said("bpftrace was late to report".into())),
            _ => sink.note(Note::Ignored),
        }
    }

    /// A `tick` or a `tock`.
    fn mark(&mut self, place: Place, data: &Value, sink: &mut dyn Sink) {
        let text = data.as_str().unwrap_or_default().trim();
        if text == "tock" {
            if let Some(tick) = self.open.take() {
                self.close(tick, sink);
            }
            return;
        }
        let numbers = text.strip_prefix("tick ").and_then(|rest| rest.split_once(' '));
        let tick = numbers.and_then(|(at, generation)| {
            Some((at.parse::<i64>().ok()?, generation.parse::<u8>().ok().filter(|g| *g <= 2)?))
        });
        let Some((at, complete)) = tick else {
            sink.reject(reject(place, "neither tick nor tock", 0));
            return;
        };
        let at = self.on_our_clock(at);
        self.open =
            Some(Tick { at, complete, histograms: BTreeMap::new(), stats: BTreeMap::new() });
    }

    /// The program's clock runs evenly: its first reading is put at its arrival, and the others
    /// at their distances from it.
    fn on_our_clock(&mut self, at: i64) -> Timestamp {
        let arrival = self.context.arrived().map(Timestamp::as_nanos);
        let first = arrival.map_or(0, |now| now.saturating_sub(at));
        Timestamp::new(at.saturating_add(*self.offset.get_or_insert(first)))
    }

    fn histograms(&mut self, place: Place, data: Value, sink: &mut dyn Sink) {
        let Some(tick) = &mut self.open else { return };
        for (key, rows) in entries(data, "@us") {
            let Some((generation, key)) = parse_key(&key) else {
                sink.reject(reject(place, "a key without its generation", 0));
                continue;
            };
            if generation != tick.complete {
                continue;
            }
            if !self.named.contains_key(&key) {
                let Some(series) = (self.name)(&key) else {
                    sink.reject(reject(place, "a key that names no series", 0));
                    continue;
                };
                self.named.insert(key.clone(), series);
            }
            let mut counts = vec![0_u64; self.scheme.buckets()];
            for row in rows.as_array().into_iter().flatten() {
                match count(row, &self.scheme) {
                    Ok((index, count)) => {
                        if let Some(counted) = counts.get_mut(index) {
                            *counted = counted.saturating_add(count);
                        }
                    }
                    Err(events) => {
                        sink.reject(reject(place, "a bucket that is no power of two", events));
                    }
                }
            }
            tick.histograms.insert(key, counts);
        }
    }

    fn stats(&mut self, data: Value) {
        let Some(tick) = &mut self.open else { return };
        for (key, stats) in entries(data, "@ns") {
            // What is not understood leaves the time waited an estimate.
            let stats = serde_json::from_value(stats).unwrap_or_default();
            if let Some((_, key)) =
                parse_key(&key).filter(|(generation, _)| *generation == tick.complete)
            {
                tick.stats.insert(key, stats);
            }
        }
    }

    /// Tells the totals of every key.
    fn close(&mut self, tick: Tick, sink: &mut dyn Sink) {
        sink.record();
        let Tick { at, complete, histograms, stats } = tick;
        for (key, counts) in histograms {
            let known = stats.get(&key).copied().unwrap_or_default();
            let histogram = Histogram::new(self.scheme.clone(), counts, None);
            let Ok(histogram) = histogram else { continue };
            // Both are kept per event: should they differ, one was read while it was counting.
            let exact = (known.count == histogram.events()).then_some(Nanos::new(known.total));
            if let Some(kept) = self.generations.get_mut(usize::from(complete).wrapping_sub(1)) {
                kept.insert(key, histogram.with_sum(exact));
            }
        }
        self.begin_new(sink);
        for (key, series) in &self.series {
            let counted = self.generations.iter().filter_map(|kept| kept.get(key));
            let Some(total) = Histogram::merged(counted) else { continue };
            let series = series.clone();
            sink.reading(Reading::Cumulative { at, series, total, epoch: None });
        }
        self.last = Some(at);
    }

    /// Keys seen for the first time stood at zero at the last tick, because counting began at one.
    fn begin_new(&mut self, sink: &mut dyn Sink) {
        for key in self.generations.iter().flat_map(BTreeMap::keys) {
            if self.series.contains_key(key) {
                continue;
            }
            let Some(series) = self.named.get(key).cloned() else { continue };
            self.series.insert(key.clone(), series.clone());
            if let Some(at) = self.last {
                let total = Histogram::empty(self.scheme.clone());
                sink.reading(Reading::Cumulative { at, series, total, epoch: None });
            }
        }
    }
}

/// The keyed entries of the map called `name`.
fn entries(mut data: Value, name: &str) -> Vec<(String, Value)> {
    match data.get_mut(name).map(Value::take) {
        Some(Value::Object(entries)) => entries.into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The generation that a key begins with, and the rest of it.
fn parse_key(text: &str) -> Option<(u8, String)> {
    let (generation, key) = text.split_once(',').unwrap_or((text, ""));
    Some((generation.trim().parse().ok()?, key.trim().to_owned()))
}

/// The bucket and count of a row; how many events it stands for if it has no bucket.
fn count(row: &Value, scheme: &Scheme) -> Result<(usize, u64), u64> {
    let events = row.get("count").and_then(Value::as_u64).unwrap_or(0);
    let Row { min, max, count } = Row::deserialize(row).map_err(|_| events)?;
    let (lo, hi) = (Nanos::from_micros(min), Nanos::from_micros(max.saturating_add(1)));
    let index = scheme.position_of(Bucket { lo, hi: Some(hi) });
    index.map(|index| (index, count)).ok_or(events)
}

fn reject(place: Place, reason: &'static str, events: u64) -> Rejection {
    Rejection { place, reason: reason.into(), events }
}
