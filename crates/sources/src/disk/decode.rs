//! What our bpftrace program prints.

use std::collections::BTreeMap;
use std::io::BufRead;

use isotherm_frame::{
    Bucket, Clock, Histogram, Nanos, Place, Reading, Rejection, Scheme, Series, Timestamp, Unit,
};
use serde::Deserialize;
use serde_json::Value;

use crate::{Context, DecodeError, LineReader, Meta, Note, Sink, Source, Verdict};

use super::meta;

use super::device::Devices;

/// Reads the output of `disk.bt`.
pub(crate) struct Disk;
pub(crate) static DISK: Disk = Disk;

/// A device number and an operation.
type Key = (u32, u8);

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
    histograms: BTreeMap<Key, Vec<u64>>,
    stats: BTreeMap<Key, Stats>,
}

/// Everything known between two lines.
struct Totals<'c> {
    context: &'c Context,
    devices: Devices,
    scheme: Scheme,
    open: Option<Tick>,
    /// The last totals of generations 1 and 2.
    generations: [BTreeMap<Key, Histogram>; 2],
    series: BTreeMap<Key, Series>,
    /// From the program's clock to ours, in nanoseconds.
    offset: Option<i64>,
    last: Option<Timestamp>,
}

impl Source for Disk {
    fn meta(&self) -> &'static Meta {
        &meta::DISK
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let tick = memchr::memmem::find(head, br#""data": "tick "#).is_some();
        if tick { Verdict::Yes } else { Verdict::No }
    }

    fn decode(
        &self,
        input: &mut dyn BufRead,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        sink.note(Note::Clock(if context.arrival.is_some() {
            Clock::Epoch
        } else {
            Clock::Arbitrary
        }));
        let mut totals = Totals::new(context);
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
}

impl<'c> Totals<'c> {
    fn new(context: &'c Context) -> Totals<'c> {
        Totals {
            context,
            devices: Devices::of_this_machine(),
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
        let arrival = self.context.arrival.as_ref().map(|now| now().as_nanos());
        let first = arrival.map_or(0, |now| now.saturating_sub(at));
        Timestamp::new(at.saturating_add(*self.offset.get_or_insert(first)))
    }

    fn histograms(&mut self, place: Place, data: Value, sink: &mut dyn Sink) {
        let Some(tick) = &mut self.open else { return };
        for (key, rows) in entries(data, "@us") {
            let Some((generation, key)) = parse_key(&key) else {
                sink.reject(reject(place, "a key that is not generation,device,operation", 0));
                continue;
            };
            if generation != tick.complete {
                continue;
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
            let (device, op) = (self.devices.name_of(key.0), operation(key.1));
            let series =
                Series::with_attributes("block I/O", [("device", device.as_str()), ("op", op)]);
            self.series.insert(*key, series.clone());
            if let Some(at) = self.last {
                let total = Histogram::empty(self.scheme.clone());
                sink.reading(Reading::Cumulative { at, series, total, epoch: None });
            }
        }
    }
}

fn operation(number: u8) -> &'static str {
    match number {
        1 => "read",
        2 => "write",
        3 => "discard",
        4 => "flush",
        _ => "other",
    }
}

/// The keyed entries of the map called `name`.
fn entries(mut data: Value, name: &str) -> Vec<(String, Value)> {
    match data.get_mut(name).map(Value::take) {
        Some(Value::Object(entries)) => entries.into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Reads `generation,device,operation`.
fn parse_key(text: &str) -> Option<(u8, Key)> {
    let mut parts = text.split(',').map(str::trim);
    let generation = parts.next()?.parse().ok()?;
    Some((generation, (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?)))
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

#[cfg(test)]
mod tests {
    use isotherm_frame::Account;

    use std::sync::Arc;

    use super::*;

    /// Time, series, events by lower bound in microseconds, exact total in nanoseconds.
    type Told = (i64, String, Vec<(u64, u64)>, Option<u64>);

    #[derive(Default)]
    struct Heard {
        totals: Vec<Told>,
        tally: Account,
    }

    impl Sink for Heard {
        fn reading(&mut self, reading: Reading) {
            let Reading::Cumulative { at, series, total, .. } = reading else {
                panic!("only totals are told, not {reading:?}");
            };
            let counts =
                total.non_zero().map(|(bucket, count)| (bucket.lo.as_nanos() / 1_000, count));
            let sum = total.sum().map(Nanos::as_nanos);
            self.totals.push((at.as_nanos(), series.to_string(), counts.collect(), sum));
        }

        fn record(&mut self) {
            self.tally.records += 1;
        }

        fn reject(&mut self, rejection: Rejection) {
            self.tally.reject(rejection);
        }

        fn note(&mut self, note: Note) {
            note.account(&mut self.tally);
        }
    }

    fn decoded(text: &str, context: &Context) -> Heard {
        let mut heard = Heard::default();
        DISK.decode(&mut text.as_bytes(), context, &mut heard).expect("decoded");
        heard
    }

    fn printed(text: &str) -> String {
        format!("{{\"type\": \"printf\", \"data\": \"{text}\\n\"}}\n")
    }

    fn tick(at: u64, complete: u8, maps: &[&str]) -> String {
        let maps: String = maps.iter().flat_map(|map| [map, "\n"]).collect();
        format!("{}{maps}{}", printed(&format!("tick {at} {complete}")), printed("tock"))
    }

    // No machine has a device 4095:1 (4095 << 20 | 1), so its number stands for its name.
    const READ: &str = "block I/O{device=4095:1,op=read}";
    const FLUSH: &str = "block I/O{device=4095:1,op=flush}";

    #[test]
    fn the_total_is_the_sum_of_both_generations_as_last_seen_at_rest() {
        let begin = tick(1_000, 0, &[]);
        let first = tick(
            2_000,
            1,
            &[
                // Generation 2 is counting already: what it shows may still change.
                r#"{"type": "hist", "data": {"@us": {"1,4293918721,1": [{"min": 64, "max": 127, "count": 2}], "2,4293918721,1": [{"min": 1, "max": 1, "count": 9}]}}}"#,
                r#"{"type": "stats", "data": {"@ns": {"1,4293918721,1": {"count": 2, "average": 100000, "total": 200000}}}}"#,
            ],
        );
        let second = tick(
            3_000,
            2,
            &[
                r#"{"type": "hist", "data": {"@us": {"1,4293918721,1": [{"min": 64, "max": 127, "count": 7}], "2,4293918721,1": [{"min": 0, "max": 0, "count": 1}, {"min": 64, "max": 127, "count": 3}], "2,4293918721,4": [{"min": 1024, "max": 2047, "count": 1}]}}}"#,
                r#"{"type": "stats", "data": {"@ns": {"2,4293918721,1": {"count": 4, "average": 75000, "total": 300500}, "2,4293918721,4": {"count": 1, "average": 1500000, "total": 1500000}}}}"#,
            ],
        );
        let heard = decoded(&format!("{begin}{first}{second}"), &Context::default());
        let told = |at, series: &str, counts: &[(u64, u64)], sum| {
            (at, series.to_owned(), counts.to_vec(), Some(sum))
        };
        assert_eq!(
            heard.totals,
            [
                told(1_000, READ, &[], 0),
                told(2_000, READ, &[(64, 2)], 200_000),
                told(2_000, FLUSH, &[], 0),
                told(3_000, READ, &[(0, 1), (64, 5)], 500_500),
                told(3_000, FLUSH, &[(1_024, 1)], 1_500_000),
            ]
        );
        assert_eq!((heard.tally.records, heard.tally.rejected), (3, 0));
    }

    #[test]
    fn a_total_that_does_not_belong_to_the_counts_is_not_called_exact() {
        let map = r#"{"type": "hist", "data": {"@us": {"1,4293918721,1": [{"min": 4, "max": 7, "count": 2}]}}}"#;
        let stats = r#"{"type": "stats", "data": {"@ns": {"1,4293918721,1": {"count": 3, "total": 15000}}}}"#;
        let heard = decoded(&tick(5, 1, &[map, stats]), &Context::default());
        assert_eq!(heard.totals, [(5, READ.to_owned(), vec![(4, 2)], None)]);
    }

    #[test]
    fn times_are_put_at_the_arrival_of_the_first() {
        let context =
            Context { arrival: Some(Arc::new(|| Timestamp::new(70_000))), ..Context::default() };
        let map = r#"{"type": "hist", "data": {"@us": {"1,4293918721,1": [{"min": 4, "max": 7, "count": 2}]}}}"#;
        let text = format!("{}{}", tick(1_000, 0, &[]), tick(2_500, 1, &[map]));
        let times: Vec<i64> = decoded(&text, &context).totals.iter().map(|told| told.0).collect();
        assert_eq!(times, [70_000, 71_500]);
    }

    #[test]
    fn what_is_outside_a_tick_does_not_count() {
        let map = r#"{"type": "hist", "data": {"@us": {"1,4293918721,1": [{"min": 4, "max": 7, "count": 2}]}}}"#;
        let unfinished = printed("tick 9 1");
        let text = format!("Attaching\n{map}\n\n{unfinished}{map}\n");
        let heard = decoded(&text, &Context::default());
        assert_eq!(heard.totals, []);
        assert_eq!(heard.tally.ignored_lines, 1);
    }

    #[test]
    fn what_is_broken_is_rejected_with_its_place() {
        let map = r#"{"type": "hist", "data": {"@us": {"1,4293918721,1": [{"min": 4, "max": 7, "count": 2}, {"min": 5, "max": 6, "count": 30}, {"max": -1, "count": 4}], "1,x": []}}}"#;
        let begin = printed("tick soon");
        let heard = decoded(&format!("{begin}{}", tick(9, 1, &[map])), &Context::default());
        assert_eq!(heard.totals, [(9, READ.to_owned(), vec![(4, 2)], None)]);
        let lines: Vec<u64> = heard.tally.rejections.iter().map(|one| one.place.line).collect();
        assert_eq!((lines, heard.tally.rejected_events), (vec![1, 3, 3, 3], 34));
    }
}
