//! One page after the other, each fetched at a known moment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use isotherm_formats::prometheus::{Complete, Metrics, NATIVE, NONE, read_line};
use isotherm_formats::running_totals::{RunningTotals, is_reset, series_memory};
use isotherm_formats::{Context, LineReader, Note, Sink, Stamp, StampReader, reject};
use isotherm_frame::{Clock, Mark, Place, Reading, Series, SharedMemory, Timestamp, Unit};

use crate::http::LONGEST;

/// The only place in what is read as a whole.
pub(super) const PLACE: Place = Place { line: 1, byte: 0 };

/// Reads pages of metrics.
///
/// A series that was not on the page before stood at zero then, as long as the program was not
/// started anew in between. One that comes back may have begun anew: what was counted meanwhile is
/// a gap. So is the time in which pages are missing, unless the program says when it was started and
/// that is what it said before.
#[derive(Debug)]
pub(super) struct PageReader {
    unit: Option<Unit>,
    known: BTreeMap<Series, RunningTotals>,
    room: ScrapeRoom,
    /// Bytes of the series that are told apart.
    taken: usize,
    /// The series of the last page, and when it was fetched.
    last: Option<(BTreeSet<Series>, Timestamp)>,
    started: Option<Timestamp>,
    /// Whether pages are missing since the last.
    missed: bool,
    names: bool,
    /// Whether there is no room for more series.
    is_full: bool,
}

/// What is known of a page as a whole.
struct PageFacts {
    at: Timestamp,
    started: Option<Timestamp>,
    /// Whether the counters surely went on from the last page.
    went_on: bool,
}

/// The room that all addresses share which are scraped: however many there are, they keep no more.
#[derive(Clone, Debug)]
pub(super) struct ScrapeRoom {
    /// For the texts of pages.
    text: SharedMemory,
    /// For the histograms of pages.
    histograms: SharedMemory,
    /// For the series that are told apart.
    series: SharedMemory,
}

impl ScrapeRoom {
    /// Bytes for the series that are told apart: some 12,000 with ten buckets.
    const SERIES: usize = 32 << 20;

    /// That of this process.
    pub(super) fn of_process() -> ScrapeRoom {
        static ROOM: OnceLock<ScrapeRoom> = OnceLock::new();
        ROOM.get_or_init(ScrapeRoom::new).clone()
    }

    fn new() -> ScrapeRoom {
        ScrapeRoom {
            text: SharedMemory::of_bytes(usize::try_from(LONGEST).unwrap_or(usize::MAX) + 1),
            histograms: SharedMemory::of_bytes(Metrics::MEMORY),
            series: SharedMemory::of_bytes(ScrapeRoom::SERIES),
        }
    }
}

impl Drop for PageReader {
    fn drop(&mut self) {
        self.room.series.give_back(self.taken);
    }
}

impl PageReader {
    pub(super) fn new(unit: Option<Unit>, room: ScrapeRoom) -> PageReader {
        PageReader {
            unit,
            known: BTreeMap::new(),
            room,
            taken: 0,
            last: None,
            started: None,
            missed: false,
            names: false,
            is_full: false,
        }
    }

    /// Room for the text of a page.
    pub(super) fn text_room(&self) -> &SharedMemory {
        &self.room.text
    }

    /// A page could not be fetched.
    pub(super) fn miss(&mut self) {
        self.missed = true;
    }

    /// Takes a page that was fetched at a moment. Why there is nothing on it, if so.
    pub(super) fn page(
        &mut self,
        at: Timestamp,
        bytes: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let mut metrics = Metrics::within(self.unit, self.room.histograms.clone());
        let mut input = bytes;
        let mut lines = LineReader::new(&mut input);
        while let Ok(Some(line)) = lines.next_line() {
            read_line(&mut metrics, line, sink);
        }
        let started = metrics.started;
        let same = started.is_some() && started == self.started;
        let went_on = same || (!self.missed && started.is_none() && self.started.is_none());
        let facts = PageFacts { at, started, went_on };
        let found = self.take(&facts, &mut metrics, sink);
        self.started = started;
        self.missed = false;
        self.tell_names(&metrics, found, sink)
    }

    fn take(&mut self, facts: &PageFacts, metrics: &mut Metrics, sink: &mut dyn Sink) -> bool {
        let (mut present, mut reset, mut found) = (BTreeSet::new(), false, false);
        let is_full = metrics.left_out().is_some();
        for complete in metrics.take() {
            if complete.is_native() {
                sink.note(Note::Said(NATIVE.into()));
                continue;
            }
            found = true;
            present.insert(complete.series.clone());
            reset |= self.histogram(facts, complete, sink);
        }
        if is_full && !std::mem::replace(&mut self.is_full, true) {
            sink.note(Note::Said(too_many(present.len()).into()));
        }
        if reset {
            let text = "counters reset".to_owned();
            sink.note(Note::Mark(Mark { at: facts.at, text }));
        }
        self.last = Some((present, facts.at));
        found
    }

    /// Takes one histogram; whether it began anew.
    fn histogram(&mut self, facts: &PageFacts, complete: Complete, sink: &mut dyn Sink) -> bool {
        let Complete { series, counts, time, .. } = complete;
        let total = match counts {
            Ok(total) => total,
            Err((reason, events)) => {
                reject(sink, PLACE, format!("{series}: {reason}"), events);
                return false;
            }
        };
        let memory =
            if self.known.contains_key(&series) { 0 } else { series_memory(&series, &total) };
        if !self.room.series.take(memory) {
            if !std::mem::replace(&mut self.is_full, true) {
                sink.note(Note::Said(too_many(self.known.len()).into()));
            }
            return false;
        }
        self.taken += memory;
        sink.record();
        let at = time.and_then(|time| moment(&time, sink)).unwrap_or(facts.at);
        let last = self.last.as_ref();
        let was_there = last.is_some_and(|(present, _)| present.contains(&series));
        let before = last.filter(|_| facts.went_on).map(|(_, before)| *before);
        let frame = match (self.known.get_mut(&series), before) {
            // Its program was started anew, or says so of itself.
            (Some(totals), _) if was_there && facts.started.is_some() => {
                totals.take(at, total, facts.started)
            }
            (Some(totals), Some(_)) if was_there => totals.take(at, total, None),
            (Some(totals), _) => totals.take_after_gap(at, total, facts.started),
            (None, before) => {
                let mut totals = RunningTotals::new(series.clone());
                if let Some(before) = before.filter(|before| *before < at) {
                    let sum = total.sum().map(|_| isotherm_frame::Nanos::ZERO);
                    totals.take(before, total.cleared().with_sum(sum), facts.started);
                }
                let frame = totals.take(at, total, facts.started);
                self.known.insert(series, totals);
                frame
            }
        };
        let Some(frame) = frame else { return false };
        let reset = is_reset(&frame);
        sink.note(Note::Clock(Clock::Epoch));
        sink.reading(Reading::Delta(frame));
        reset
    }

    /// Says once which metrics are left out; fails where nothing is left.
    fn tell_names(
        &mut self,
        metrics: &Metrics,
        found: bool,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let names = metrics.without_unit();
        if !found && self.known.is_empty() {
            if names.is_empty() {
                return Err(NONE.to_owned());
            }
            return Err(format!("no histogram here names a unit of time (--unit): {names}"));
        }
        if !names.is_empty() && !std::mem::replace(&mut self.names, true) {
            let said = format!("left out, as they name no unit of time (--unit): {names}");
            sink.note(Note::Said(said.into()));
        }
        Ok(())
    }
}

fn too_many(series: usize) -> String {
    format!("more than {series} series do not fit into memory: the others are left out")
}

/// The moment that a sample names.
fn moment(time: &str, sink: &mut dyn Sink) -> Option<Timestamp> {
    match StampReader::new(&Context::default()).read(time, sink)? {
        Stamp::Running(at, Clock::Epoch) => Some(at),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Gap, Quality};

    use super::*;
    use isotherm_formats::Message;

    #[derive(Default)]
    struct Decoded {
        frames: Vec<Frame>,
        marks: Vec<String>,
        said: Vec<String>,
        rejected: usize,
    }

    impl Sink for Decoded {
        fn take(&mut self, message: Message) {
            match message {
                Message::Reading(Reading::Delta(frame)) => self.frames.push(frame),
                Message::Reading(reading) => panic!("{reading:?}"),
                Message::Rejected(_) => self.rejected += 1,
                Message::Note(Note::Mark(mark)) => self.marks.push(mark.text),
                Message::Note(Note::Said(text)) => self.said.push(text.into_owned()),
                _ => {}
            }
        }
    }

    impl Decoded {
        /// What was reported of a series: its intervals in seconds, counts and quality.
        fn of(&self, series: &str) -> Vec<(f64, f64, u64, Quality)> {
            let of = self.frames.iter().filter(|frame| frame.series.full() == series);
            of.map(|frame| {
                let (start, end) = (frame.start.as_secs_f64(), frame.end.as_secs_f64());
                (start, end, frame.counts.events(), frame.quality)
            })
            .collect()
        }
    }

    /// A page with totals of operations.
    fn page(totals: &[(&str, u64)]) -> String {
        let one = |(op, total): &(&str, u64)| {
            format!(
                "x_seconds_bucket{{op=\"{op}\",le=\"1\"}} {total}\n\
                 x_seconds_bucket{{op=\"{op}\",le=\"+Inf\"}} {total}\n"
            )
        };
        totals.iter().map(one).collect()
    }

    fn read(reader: &mut PageReader, decoded: &mut Decoded, second: i64, totals: &[(&str, u64)]) {
        let at = Timestamp::new(second * 1_000_000_000);
        reader.page(at, page(totals).as_bytes(), decoded).unwrap();
    }

    #[test]
    fn what_is_new_stood_at_zero_and_what_comes_back_is_a_gap() {
        let (mut reader, mut decoded) =
            (PageReader::new(None, ScrapeRoom::new()), Decoded::default());
        read(&mut reader, &mut decoded, 1, &[("a", 5)]);
        read(&mut reader, &mut decoded, 2, &[("a", 6), ("b", 3)]);
        read(&mut reader, &mut decoded, 3, &[("a", 8)]);
        read(&mut reader, &mut decoded, 4, &[("a", 8), ("b", 9)]);
        read(&mut reader, &mut decoded, 5, &[("a", 2), ("b", 10)]);
        let complete = Quality::Complete;
        assert_eq!(
            decoded.of("x_seconds{op=a}"),
            [
                (1.0, 2.0, 1, complete),
                (2.0, 3.0, 2, complete),
                (3.0, 4.0, 0, complete),
                (4.0, 5.0, 0, Quality::Gap(Gap::Reset)),
            ]
        );
        assert_eq!(
            decoded.of("x_seconds{op=b}"),
            [
                (1.0, 2.0, 3, complete),
                (2.0, 4.0, 0, Quality::Gap(Gap::SourceAway)),
                (4.0, 5.0, 1, complete),
            ]
        );
        assert_eq!(decoded.marks, ["counters reset"]);
    }

    #[test]
    fn what_is_missing_is_a_gap_where_nothing_says_that_the_program_went_on() {
        let (mut reader, mut decoded) =
            (PageReader::new(None, ScrapeRoom::new()), Decoded::default());
        read(&mut reader, &mut decoded, 1, &[("a", 5)]);
        reader.miss();
        read(&mut reader, &mut decoded, 3, &[("a", 9), ("b", 4)]);
        read(&mut reader, &mut decoded, 4, &[("a", 10), ("b", 5)]);
        let gap = Quality::Gap(Gap::SourceAway);
        let next = (3.0, 4.0, 1, Quality::Complete);
        assert_eq!(decoded.of("x_seconds{op=a}"), [(1.0, 3.0, 0, gap), next]);
        assert_eq!(decoded.of("x_seconds{op=b}"), [next], "what it counted before is not known");
    }

    /// Of more series than there is room for the first ones are read, page after page, and it is said once.
    #[test]
    fn a_page_of_a_million_series_is_read_as_far_as_there_is_room() {
        let lines = |series: usize| {
            format!(
                "x_seconds_bucket{{op=\"{series:06}\",le=\"1\"}} 1\nx_seconds_bucket{{op=\"{series:06}\",le=\"+Inf\"}} 1\n"
            )
        };
        let page: String = (0..200_000).map(lines).collect();
        let (mut reader, mut decoded) =
            (PageReader::new(None, ScrapeRoom::new()), Decoded::default());
        let page_of = |reader: &mut PageReader, decoded: &mut Decoded, second: i64| {
            let at = Timestamp::new(second * 1_000_000_000);
            reader.page(at, page.as_bytes(), decoded).unwrap();
        };
        page_of(&mut reader, &mut decoded, 1);
        let kept = reader.known.len();
        assert!((5_000..50_000).contains(&kept), "{kept}");
        page_of(&mut reader, &mut decoded, 2);
        assert_eq!((reader.known.len(), decoded.frames.len(), decoded.rejected), (kept, kept, 0));
        let [said] = &decoded.said[..] else { panic!("{:?}", decoded.said) };
        assert!(said.ends_with("series do not fit into memory: the others are left out"), "{said}");
    }

    /// However many addresses are scraped: what one of them keeps there is no room for at the others, until it
    /// ends.
    #[test]
    fn addresses_share_the_room_for_their_series() {
        let lines =
            |series: usize| format!("x_seconds_bucket{{op=\"{series:06}\",le=\"+Inf\"}} 1\n");
        let page: String = (0..20_000).map(lines).collect();
        let (room, mut decoded) = (ScrapeRoom::new(), Decoded::default());
        let mut read = || {
            let mut reader = PageReader::new(None, room.clone());
            let of_one_bucket = page.replace("le=\"+Inf\"} 1\n", "le=\"1\"} 1\n");
            let text = format!("{of_one_bucket}{page}");
            reader.page(Timestamp::new(1), text.as_bytes(), &mut decoded).unwrap();
            reader
        };
        let readers: Vec<PageReader> = (0..4).map(|_| read()).collect();
        let kept: Vec<usize> = readers.iter().map(|reader| reader.known.len()).collect();
        let all: usize = kept.iter().sum();
        assert!(kept[0] > 10_000 && all < 2 * kept[0] && kept[3] == 0, "{kept:?}");
        drop(readers);
        assert_eq!(read().known.len(), kept[0]);
    }

    #[test]
    fn a_page_without_latencies_is_an_error_and_a_damaged_histogram_is_rejected() {
        let (mut reader, mut decoded) =
            (PageReader::new(None, ScrapeRoom::new()), Decoded::default());
        let at = Timestamp::new(1);
        let nothing = reader.page(at, b"up 1\n", &mut decoded).unwrap_err();
        assert!(nothing.contains("no classic histogram"), "{nothing}");
        let unnamed = b"x_bucket{le=\"1\"} 1\nx_bucket{le=\"+Inf\"} 1\n";
        let unnamed = reader.page(at, unnamed, &mut decoded).unwrap_err();
        assert!(unnamed.contains("--unit"), "{unnamed}");
        let falling = b"x_seconds_bucket{le=\"1\"} 3\nx_seconds_bucket{le=\"+Inf\"} 2\n";
        reader.page(at, falling, &mut decoded).unwrap();
        assert_eq!((decoded.rejected, decoded.frames.len()), (1, 0));
    }
}
