//! Measurements that cannot be true, refused in one place for all decoders.

use std::collections::HashMap;
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use isotherm_frame::plausible::{
    LEAST_FULL_COUNTER, Plausible, TEN_YEARS, TOO_LONG, below_zero, full_counter,
    short_of_full_counter,
};
use isotherm_frame::{
    Frame, Histogram, Nanos, Overlaps, Place, Reading, Rejection, Series, Timestamp,
};

use super::endless::nothing_found;
use crate::{Message, Note, Sink, Source};

/// The line that a decoder has read last, counted as it takes its input, and whether it has given anything.
#[derive(Clone, Debug, Default)]
pub struct LastLineRead(Arc<[AtomicU64; 4]>);

impl LastLineRead {
    fn take(&self, bytes: &[u8]) {
        let [lines, begin, read, _] = &*self.0;
        let at = read.load(Ordering::Relaxed);
        read.store(at + bytes.len() as u64, Ordering::Relaxed);
        let mut ends = memchr::memchr_iter(b'\n', bytes);
        let Some(last) = ends.next_back() else { return };
        lines.store(lines.load(Ordering::Relaxed) + 1 + ends.count() as u64, Ordering::Relaxed);
        // A decoder takes a line with its end: the line begins where the one before it ended.
        let start = memchr::memrchr(b'\n', &bytes[..last]).map_or(0, |end| end + 1);
        begin.store(at + start as u64, Ordering::Relaxed);
    }

    fn place(&self) -> Place {
        let [line, byte, _] = [0, 1, 2].map(|index: usize| self.0[index].load(Ordering::Relaxed));
        Place { line, byte }
    }

    /// Something that can be used was given.
    fn found(&self) {
        self.0[3].store(1, Ordering::Relaxed);
    }

    /// How many bytes were read, as long as nothing was given.
    fn read_in_vain(&self) -> u64 {
        let has_found = self.0[3].load(Ordering::Relaxed) > 0;
        if has_found { 0 } else { self.0[2].load(Ordering::Relaxed) }
    }
}

/// An input of which the lines taken are counted.
pub struct CountedInput<R> {
    input: R,
    last: LastLineRead,
    /// How much is read without anything that can be used.
    searched: u64,
}

impl<R: BufRead> CountedInput<R> {
    /// Fails where so many bytes were read and nothing was given.
    pub(crate) fn search_only(&mut self, bytes: u64) {
        self.searched = bytes;
    }

    fn check(&self) -> io::Result<()> {
        if self.last.read_in_vain() < self.searched {
            return Ok(());
        }
        Err(nothing_found("there is nothing that can be read"))
    }

    /// Counts what is read of `input`; the second tells where that is now.
    pub fn new(input: R) -> (CountedInput<R>, LastLineRead) {
        let last = LastLineRead::default();
        (CountedInput { input, last: last.clone(), searched: u64::MAX }, last)
    }
}

impl<R: BufRead> Read for CountedInput<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.check()?;
        let read = self.input.read(into)?;
        self.last.take(&into[..read]);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for CountedInput<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.check()?;
        self.input.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        // What is consumed is held in the buffer, so that nothing is read for this.
        if let Ok(held) = self.input.fill_buf() {
            self.last.take(held.get(..amount).unwrap_or(held));
        }
        self.input.consume(amount);
    }
}

/// Passes on what a decoder reads, without what cannot be true: latencies of more than ten years, events that are
/// nearly as long as a full counter and far longer than the input ([`below_zero`]), and more events than can be
/// counted exactly. Such numbers are counters that were subtracted from larger ones, or memory that nobody set.
pub struct PlausibleSink<'s> {
    sink: &'s mut dyn Sink,
    last: LastLineRead,
    /// Whether there was a record, a measurement or a rejection.
    given: bool,
    /// Whether a measurement was passed on.
    passed: bool,
    first: Option<Rejection>,
    /// Events of running totals that were refused before, by series.
    refused: HashMap<Series, u64>,
    overlaps: Overlaps,
    overlapping: Option<Overlapping>,
    /// Whether what is noticed is said at once: the input may never end.
    is_live: bool,
    /// Very long events of a trace of which each line is written when its event ends: what follows shows
    /// whether they can be true. None of an input that is in another order.
    suspects: Option<Vec<Suspect>>,
    /// Events that are nearly as long as a full counter: how long the input is shows whether they can be true. None of
    /// a trace of which each line shows what is true of those before it.
    full_counters: Option<Vec<Suspect>>,
    /// When the first and the last of the other events ended.
    ends: Option<(Timestamp, Timestamp)>,
    /// Where the next event was read, and the moment that is written there, if the decoder says so.
    read_at: Option<(Place, Timestamp)>,
    /// What is added to a reason where the decoder holds events back and says no places.
    up_to: &'static str,
}

/// Intervals that overlap the one before them in the same series: how many, and the first of them.
struct Overlapping {
    count: u64,
    series: Series,
    place: Place,
}

/// A very long event, and the line that says it.
struct Suspect {
    place: Place,
    at: Timestamp,
    /// The moment that its line says.
    written: Timestamp,
    series: Series,
    latency: Nanos,
}

/// Shorter events are passed on at once.
const SUSPECT: Nanos = Nanos::new(60 * 1_000_000_000);

impl<'s> PlausibleSink<'s> {
    /// What `source` reads goes to `sink`.
    pub fn new(
        source: &dyn Source,
        sink: &'s mut dyn Sink,
        last: LastLineRead,
    ) -> PlausibleSink<'s> {
        const BY_END: [&str; 2] = ["strace", "perftrace"];
        const AHEAD: [&str; 1] = ["oracletrace"];
        let suspects = BY_END.contains(&source.meta().name).then(Vec::new);
        let up_to = if AHEAD.contains(&source.meta().name) { UP_TO_HERE } else { "" };
        PlausibleSink {
            sink,
            last,
            given: false,
            passed: false,
            first: None,
            refused: HashMap::new(),
            overlaps: Overlaps::default(),
            overlapping: None,
            is_live: false,
            full_counters: suspects.is_none().then(Vec::new),
            suspects,
            ends: None,
            read_at: None,
            up_to,
        }
    }

    /// The same for an input that is read as it comes.
    #[must_use]
    pub fn live(self) -> PlausibleSink<'s> {
        PlausibleSink { is_live: true, ..self }
    }

    /// The input has ended: gives what was held back.
    pub fn finish(&mut self) {
        if !self.is_live {
            self.say_overlapping();
        }
        for suspect in self.suspects.take().unwrap_or_default() {
            self.pass_event(suspect);
        }
        let span = self.span_of_full_counters();
        self.ends = self.ends.or(span);
        for suspect in self.full_counters.take().unwrap_or_default() {
            self.judge_full_counter(&suspect);
        }
    }

    /// Passes on an event that can be true by itself; whether it can beside the others is seen at the end.
    fn pass_event(&mut self, event: Suspect) {
        /// More are not held.
        const MOST: usize = 1 << 16;
        let is_full = full_counter(event.latency).is_some() && self.full_counters.is_some();
        let span = self.span_with(&event);
        if !is_full || span.is_some_and(|span| below_zero(event.latency, span).is_none()) {
            self.take_end(event.at, event.at);
            self.passed = true;
            return self.sink.event(event.at, &event.series, event.latency);
        }
        match &mut self.full_counters {
            Some(held) if !self.is_live && held.len() < MOST => held.push(event),
            _ => self.judge_full_counter(&event),
        }
    }

    /// Whether an event that is nearly as long as a full counter can be true, by all others that are known.
    fn judge_full_counter(&mut self, event: &Suspect) {
        let span = self.span_with(event);
        let Some(reason) = span.and_then(|span| below_zero(event.latency, span)) else {
            self.passed = true;
            return self.sink.event(event.at, &event.series, event.latency);
        };
        let up_to = self.up_to;
        let rejection =
            Rejection { place: event.place, reason: format!("{reason}{up_to}").into(), events: 1 };
        self.first.get_or_insert_with(|| rejection.clone());
        self.sink.reject(rejection);
    }

    /// From the first moment to the last of those written beside events that are nearly as long as a full counter,
    /// where there are no others. Sessions that waited for one lock end together and are as long as each other, too: all
    /// must be short of a full counter by no more than that time, as differences of moments within it are.
    fn span_of_full_counters(&self) -> Option<(Timestamp, Timestamp)> {
        let held = self.full_counters.as_deref().filter(|held| held.len() > 1)?;
        let ends = || held.iter().map(|suspect| suspect.written);
        let (first, last) = (ends().min()?, ends().max()?);
        let is_difference = |suspect: &Suspect| {
            short_of_full_counter(suspect.latency).is_some_and(|short| short <= last.since(first))
        };
        held.iter().all(is_difference).then_some((first, last))
    }

    /// From the first moment to the last of those at which the others ended and that is written beside this one.
    fn span_with(&self, event: &Suspect) -> Option<Nanos> {
        let (first, last) = self.ends?;
        Some(last.max(event.written).since(first.min(event.written)))
    }

    /// Other events ended from one moment to another.
    fn take_end(&mut self, first: Timestamp, last: Timestamp) {
        let (begin, end) = self.ends.unwrap_or((first, last));
        self.ends = Some((begin.min(first), end.max(last)));
    }

    /// Where the event was read that is given now.
    fn place_of_event(&mut self) -> Place {
        self.read_at.take().map_or_else(|| self.last.place(), |(place, _)| place)
    }

    /// Whether an event that ended at this moment shows which of the very long ones before it are true:
    /// none ended later.
    fn judge_suspects(&mut self, at: Timestamp) {
        /// Lines of several processes may be a little out of order.
        const DISORDER: Nanos = Nanos::SECOND;
        let Some(suspects) = self.suspects.as_mut().filter(|suspects| !suspects.is_empty()) else {
            return;
        };
        for suspect in std::mem::take(suspects) {
            if at.plus(DISORDER) >= suspect.at {
                self.pass_event(suspect);
                continue;
            }
            let reason = format!(
                "a latency of {}: the lines after it show that it ended sooner",
                suspect.latency
            );
            let rejection = Rejection { place: suspect.place, reason: reason.into(), events: 1 };
            self.first.get_or_insert_with(|| rejection.clone());
            self.sink.reject(rejection);
        }
    }

    /// Takes note of intervals of one series that overlap.
    fn check_overlap(&mut self, frame: &Frame) {
        if !self.overlaps.finds(frame) {
            return;
        }
        let place = self.last.place();
        let found = self.overlapping.get_or_insert_with(|| Overlapping {
            count: 0,
            series: frame.series.clone(),
            place,
        });
        found.count += 1;
        if self.is_live && found.count == 1 {
            self.say_overlapping();
        }
    }

    /// Says once that intervals of one series overlap.
    fn say_overlapping(&mut self) {
        let Some(Overlapping { count, series, place }) = &self.overlapping else { return };
        let said = match count {
            1 => format!(
                "an interval of {series} overlaps the one before it, at {place}: rates are too high there"
            ),
            _ => format!(
                "{count} intervals overlap the one before them in the same series, the first one of {series} at \
                 {place}: rates are too high there"
            ),
        };
        self.sink.note(Note::Said(said.into()));
    }

    /// Whether the decoder has given anything at all.
    pub fn has_given(&self) -> bool {
        self.given
    }

    /// The first measurement that cannot be true, if there was no other one.
    pub fn only_impossible(&self) -> Option<&Rejection> {
        self.first.as_ref().filter(|_| !self.passed)
    }

    fn check(&mut self, reading: Reading) {
        self.given = true;
        match reading {
            Reading::Event { at, series, latency } => self.event(at, &series, latency),
            Reading::Delta(frame) => self.frame(frame),
            Reading::Cumulative { at, series, total, epoch } => {
                self.total(at, series, total, epoch);
            }
            Reading::Sampled { latency, .. } if latency > TEN_YEARS => {
                self.refuse(format!("a latency of {latency}: {TOO_LONG}"), 1);
            }
            other @ (Reading::Sampled { .. } | Reading::Unselected { .. }) => self.pass(other),
        }
    }

    fn refuse(&mut self, reason: String, events: u64) {
        let rejection = Rejection { place: self.place_of_event(), reason: reason.into(), events };
        self.first.get_or_insert_with(|| rejection.clone());
        self.sink.reject(rejection);
    }

    fn pass(&mut self, reading: Reading) {
        self.passed = true;
        self.sink.reading(reading);
    }

    fn frame(&mut self, frame: Frame) {
        match frame.counts.plausible() {
            Plausible::Yes => {
                self.check_overlap(&frame);
                self.pass(Reading::Delta(frame));
            }
            Plausible::Without(events, counts) => {
                self.refuse(format!("{}: {TOO_LONG}{UP_TO_HERE}", frame.series), events);
                self.pass(Reading::Delta(Frame { counts, ..frame }));
            }
            Plausible::No(reason) => {
                self.refuse(format!("{}: {reason}{UP_TO_HERE}", frame.series), 0);
            }
        }
    }

    fn total(&mut self, at: Timestamp, series: Series, total: Histogram, epoch: Option<Timestamp>) {
        let total = match total.plausible() {
            Plausible::Yes => total,
            Plausible::Without(events, rest) => {
                // Totals hold what was refused before.
                let before = self.refused.insert(series.clone(), events).unwrap_or(0);
                if events > before {
                    self.refuse(format!("{series}: {TOO_LONG}{UP_TO_HERE}"), events - before);
                }
                rest
            }
            Plausible::No(reason) => {
                return self.refuse(format!("{series}: {reason}{UP_TO_HERE}"), 0);
            }
        };
        self.pass(Reading::Cumulative { at, series, total, epoch });
    }
}

impl Sink for PlausibleSink<'_> {
    fn take(&mut self, message: Message) {
        match message {
            Message::Reading(reading) => self.check(reading),
            Message::Record => {
                self.last.found();
                self.given = true;
                self.sink.record();
            }
            Message::Rejected(rejection) => {
                self.given = true;
                self.sink.reject(rejection);
            }
            other => self.sink.take(other),
        }
    }

    fn event(&mut self, at: Timestamp, series: &Series, latency: Nanos) {
        self.given = true;
        if latency > TEN_YEARS {
            return self.refuse(format!("a latency of {latency}: {TOO_LONG}"), 1);
        }
        self.judge_suspects(at);
        let is_suspect = latency > SUSPECT && self.suspects.is_some();
        if is_suspect || latency >= LEAST_FULL_COUNTER {
            let written = self.read_at.map_or(at, |(_, written)| written);
            let (place, series) = (self.place_of_event(), series.clone());
            let event = Suspect { place, at, written, series, latency };
            return match &mut self.suspects {
                Some(suspects) if is_suspect => suspects.push(event),
                _ => self.pass_event(event),
            };
        }
        self.take_end(at, at);
        self.passed = true;
        self.sink.event(at, series, latency);
    }

    fn events(&mut self, series: &Series, events: &[(Timestamp, Nanos)]) {
        self.last.found();
        let ends = events.iter().map(|(at, _)| *at);
        let Some((first, last)) = ends.clone().min().zip(ends.max()) else { return };
        if events.iter().all(|(_, latency)| *latency < LEAST_FULL_COUNTER) {
            self.take_end(first, last);
            (self.given, self.passed) = (true, true);
            return self.sink.events(series, events);
        }
        for &(at, latency) in events {
            self.record();
            self.event(at, series, latency);
        }
    }

    fn read_at(&mut self, place: Place, written: Timestamp) {
        self.read_at = Some((place, written));
    }
}

/// Intervals and totals are complete only with lines behind them.
const UP_TO_HERE: &str = " (in what was read up to this line)";

#[cfg(test)]
mod tests {
    use isotherm_frame::plausible::MOST_EVENTS;
    use isotherm_frame::{Account, Scheme, Unit};

    use super::*;

    /// Events passed on, and what was refused.
    #[derive(Default)]
    struct Passed {
        events: u64,
        account: Account,
        said: Vec<String>,
    }

    impl Sink for Passed {
        fn take(&mut self, message: Message) {
            if let Message::Note(Note::Said(words)) = message {
                self.said.push(words.into_owned());
                return;
            }
            self.events += match message.into_reading(&mut self.account) {
                Some(Reading::Delta(frame)) => frame.counts.events(),
                Some(Reading::Cumulative { total, .. }) => total.events(),
                Some(_) => 1,
                None => 0,
            };
        }
    }

    fn passed(give: impl Fn(&mut PlausibleSink<'_>)) -> (u64, u64, u64) {
        let mut passed = Passed::default();
        let last = LastLineRead::default();
        let mut sink = PlausibleSink::new(&crate::strace::SOURCE, &mut passed, last);
        give(&mut sink);
        sink.finish();
        (passed.events, passed.account.rejected, passed.account.rejected_events)
    }

    fn counts(buckets: &[(Nanos, u64)]) -> Histogram {
        let scheme = Scheme::powers_of_two(Unit::Micros);
        let mut counts = vec![0; scheme.buckets()];
        for (latency, count) in buckets {
            counts[scheme.index_of(*latency).unwrap()] = *count;
        }
        Histogram::new(scheme, counts, None).unwrap()
    }

    #[test]
    fn latencies_beyond_ten_years_are_refused_and_counted() {
        let series = Series::named("x");
        let at = Timestamp::new(0);
        let long = Nanos::new(10 * TEN_YEARS.as_nanos());
        assert_eq!(passed(|sink| sink.event(at, &series, long)), (0, 1, 1));
        assert_eq!(passed(|sink| sink.event(at, &series, TEN_YEARS)), (1, 0, 0));
        let events = [(at, Nanos::SECOND), (at, long), (at, TEN_YEARS)];
        assert_eq!(passed(|sink| sink.events(&series, &events)), (2, 1, 1));
    }

    /// Which of some events, each with its end and length in nanoseconds, are passed on.
    fn lengths(events: &[(i64, u64)], is_live: bool) -> (u64, Vec<String>) {
        let (mut passed, last) = (Passed::default(), LastLineRead::default());
        let mut sink = PlausibleSink::new(&crate::columns::SOURCE, &mut passed, last);
        if is_live {
            sink = sink.live();
        }
        for (line, (at, latency)) in events.iter().enumerate() {
            let place = Place { line: line as u64 + 1, byte: 0 };
            // A negative moment stands for one that is written as the beginning.
            let (written, latency) = (Timestamp::new(at.abs()), Nanos::new(*latency));
            let end = if *at < 0 { written.plus(latency) } else { written };
            sink.read_at(place, written);
            sink.event(end, &Series::named("x"), latency);
        }
        sink.finish();
        let rejected = passed
            .account
            .rejections
            .iter()
            .map(|one| format!("{} {}", one.place.line, one.reason));
        (passed.events, rejected.collect())
    }

    #[test]
    fn a_difference_below_zero_is_refused_with_its_line_and_a_long_event_is_not() {
        const FULL: u64 = 4_294_967_290_000;
        // By hand: two events of 100 us, and one of 4,294.97 s, within a millisecond.
        let events = [(0, 100_000), (500_000, FULL), (1_000_000, 100_000)];
        for is_live in [false, true] {
            let (passed, rejected) = lengths(&events, is_live);
            assert_eq!((passed, rejected.len()), (2, 1), "{is_live}");
            assert!(rejected[0].starts_with("2 a latency of 4295s"), "{rejected:?}");
            // What comes later is not known of a live input.
            let span = if is_live { "the 500\u{b5}s between" } else { "the 1ms between" };
            assert!(rejected[0].contains("2^32 us") && rejected[0].contains(span), "{rejected:?}");
        }
        // Stamped with its beginning, it ends more than an hour later.
        assert_eq!(
            lengths(&[(100_000, 100_000), (-500_000, FULL), (1_100_000, 100_000)], false).0,
            2
        );
        // Stamped with its end, it began with the others and ended an hour after them.
        let last = FULL.cast_signed() + 500_000;
        assert_eq!(lengths(&[(100_000, 100_000), (last, FULL)], false), (2, vec![]));
        // Ten seconds of events: an hour-long one began before them.
        assert_eq!(
            lengths(&[(0, 100_000), (5_000_000_000, FULL), (10_000_000_000, 100_000)], false),
            (3, vec![])
        );
        // The last line shows how long the input is.
        assert_eq!(lengths(&[(0, 1), (1_000, FULL), (20_000_000_000, 1)], false), (3, vec![]));
        // One event alone shows nothing.
        assert_eq!(lengths(&[(0, FULL)], false), (1, vec![]));
        assert_eq!(lengths(&[(0, FULL), (1_000_000, FULL), (2_000_000, FULL)], false).0, 0);
        // Eight sessions that waited for one lock, each 3 ms shorter than the one before, within 3 ms.
        let waits: Vec<(i64, u64)> = (0..8)
            .map(|wait: u32| {
                (i64::from(wait) * 400_000, 4_300_000_000 - u64::from(wait) * 3_000_000)
            })
            .collect();
        assert_eq!(lengths(&waits, false), (8, vec![]));
        // Two jobs of 35:50 and 35:45 minutes that end within two seconds.
        let jobs = [(0, 2_150_000_000_000), (1_500_000_000, 2_145_000_000_000)];
        assert_eq!(lengths(&jobs, false), (2, vec![]));
    }

    #[test]
    fn buckets_beyond_ten_years_are_left_out_once_of_running_totals() {
        let total = |many: u64| Reading::Cumulative {
            at: Timestamp::new(0),
            series: Series::named("x"),
            total: counts(&[(Nanos::SECOND, 3), (Nanos::new(9_000_000_000_000_000_000), many)]),
            epoch: None,
        };
        assert_eq!(passed(|sink| sink.reading(total(2))), (3, 1, 2));
        let thrice = |sink: &mut PlausibleSink<'_>| {
            for many in [2, 2, 5] {
                sink.reading(total(many));
            }
        };
        assert_eq!(passed(thrice), (9, 2, 5));
    }

    #[test]
    fn counts_beyond_a_float_are_refused() {
        let frame = |events: u64| {
            let counts = Histogram::of_averages(events, Nanos::SECOND);
            let (start, end) = (Timestamp::new(0), Timestamp::new(1));
            Reading::Delta(Frame {
                series: Series::named("x"),
                start,
                end,
                counts,
                quality: isotherm_frame::Quality::Complete,
            })
        };
        assert_eq!(passed(|sink| sink.reading(frame(MOST_EVENTS + 1))), (0, 1, 0));
        assert_eq!(passed(|sink| sink.reading(frame(MOST_EVENTS))), (MOST_EVENTS, 0, 0));
    }

    #[test]
    fn intervals_that_overlap_are_said_once_with_their_number() {
        let said = |starts_s: &[i64], is_live: bool| {
            let mut passed = Passed::default();
            let sink =
                PlausibleSink::new(&crate::strace::SOURCE, &mut passed, LastLineRead::default());
            let mut sink = if is_live { sink.live() } else { sink };
            for start in starts_s {
                let at = |second: i64| Timestamp::new(second * 1_000_000_000);
                sink.reading(Reading::Delta(Frame {
                    series: Series::named("x"),
                    start: at(*start),
                    end: at(start + 10),
                    counts: counts(&[(Nanos::from_millis(1), 1)]),
                    quality: isotherm_frame::Quality::Complete,
                }));
            }
            sink.finish();
            passed.said
        };
        assert_eq!(said(&[0, 10, 20], false), Vec::<String>::new());
        let twice = said(&[0, 5, 10, 20], false);
        assert!(
            twice.len() == 1 && twice[0].starts_with("2 intervals overlap the one before them")
        );
        for is_live in [false, true] {
            let once = said(&[0, 10, 15], is_live);
            assert!(
                once.len() == 1 && once[0].starts_with("an interval of x overlaps"),
                "{once:?}"
            );
        }
        assert_eq!(said(&[0, 5, 10], true).len(), 1);
    }

    #[test]
    fn an_event_that_ended_after_all_that_follow_it_is_refused() {
        let series = Series::named("x");
        let at = |seconds: i64| Timestamp::new(seconds * 1_000_000_000);
        let long = Nanos::new(4_295 * 1_000_000_000);
        let short = Nanos::from_millis(1);
        let give = |events: &[(i64, Nanos)]| {
            passed(|sink| {
                for &(seconds, latency) in events {
                    sink.event(at(seconds), &series, latency);
                }
            })
        };
        assert_eq!(give(&[(10, short), (4_305, long), (11, short)]), (2, 1, 1));
        assert_eq!(give(&[(10, short), (4_305, long), (4_306, short)]), (3, 0, 0));
        // Nothing follows that could show it.
        assert_eq!(give(&[(10, short), (4_305, long)]), (2, 0, 0));
    }

    #[test]
    fn the_line_that_was_read_last_is_known() {
        let (mut input, last) = CountedInput::new(&b"one\ntwo\nthree\n"[..]);
        let mut line = String::new();
        for (number, byte) in [(1, 0), (2, 4), (3, 8)] {
            line.clear();
            input.read_line(&mut line).unwrap();
            assert_eq!(last.place(), Place { line: number, byte });
        }
    }
    #[test]
    fn an_input_without_end_is_searched_only_until_something_is_found() {
        let read = |is_found: bool| {
            let (mut input, last) =
                CountedInput::new(io::BufReader::new(io::repeat(b'x').take(1 << 20)));
            input.search_only(100_000);
            if is_found {
                let mut passed = Passed::default();
                PlausibleSink::new(&crate::strace::SOURCE, &mut passed, last).record();
            }
            io::copy(&mut input, &mut io::sink())
        };
        assert_eq!(read(true).unwrap(), 1 << 20);
        let error = read(false).unwrap_err().to_string();
        assert!(error.starts_with("there is nothing that can be read in its first "), "{error}");
    }
}
