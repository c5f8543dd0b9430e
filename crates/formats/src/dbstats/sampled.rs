//! Sampled sessions of `PostgreSQL`: who waited for what at a moment (`pg_stat_activity`,
//! `pg_wait_sampling_current`), at many (`pg_wait_sampling_history`), and how often since the start
//! (`pg_wait_sampling_profile`).

use std::collections::{BTreeMap, BTreeSet};

use isotherm_frame::{Frame, Histogram, Nanos, Partial, Quality, Reading, Series, Timestamp};

use super::record::fields;
use crate::{Note, Sink};

/// What a view says of time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Form {
    /// A row is a session at the moment of the print.
    Moment,
    /// A row is a session at a moment of its own, which this column says.
    SampleTimes(usize),
    /// A row is a number of samples, in this column.
    Counts(usize),
}

/// A table of samples, by its header.
#[derive(Debug)]
pub(super) struct SampledTable {
    form: Form,
    separator: char,
    width: usize,
    class: usize,
    event: usize,
    /// The state of a session, which tells those that work from those that idle.
    state: Option<usize>,
}

/// What a row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sample {
    /// A session at the moment of the print.
    Now(Series),
    /// A session at this moment; without a series one that idles, which shows that a sample was taken.
    At(String, Option<Series>),
    /// So many samples since counting began.
    Counted(Series, u64),
}

impl SampledTable {
    /// How far apart samples are taken unless `pg_wait_sampling.profile_period` says otherwise.
    pub(super) const PERIOD: Nanos = Nanos::from_millis(10);

    /// The table that begins with this line; `None` if it is no header that is known.
    pub(super) fn of_header(line: &str) -> Option<SampledTable> {
        let line = line.trim_end_matches('\r');
        let separator = ['\t', ',', '|'].into_iter().find(|separator| line.contains(*separator))?;
        let names: Vec<String> =
            fields(line, separator).iter().map(|name| name.trim().to_ascii_lowercase()).collect();
        let column = |name: &str| names.iter().position(|own| own == name);
        column("pid")?;
        let (sampled, activity) = (column("event_type"), column("wait_event_type"));
        let (class, event, state) = match (sampled, activity) {
            (Some(class), None) => (class, column("event")?, None),
            (None, Some(class)) => (class, column("wait_event")?, Some(column("state")?)),
            _ => return None,
        };
        let form = match (column("ts"), column("count"), state) {
            (None, None, _) => Form::Moment,
            (Some(ts), None, None) => Form::SampleTimes(ts),
            (None, Some(count), None) => Form::Counts(count),
            _ => return None,
        };
        Some(SampledTable { form, separator, width: names.len(), class, event, state })
    }

    /// Whether both are of one view.
    pub(super) fn is_of(&self, other: &SampledTable) -> bool {
        self.form == other.form && self.state.is_some() == other.state.is_some()
    }

    /// Whether its rows are samples taken at the moment of the print.
    pub(super) fn is_of_moment(&self) -> bool {
        self.form == Form::Moment
    }

    /// What a row says; none of a session that idles, or a background process.
    pub(super) fn row(&self, line: &str) -> Result<Option<Sample>, String> {
        let values = fields(line.trim_end_matches('\r'), self.separator);
        if values.len() != self.width {
            return Err(format!("{} columns instead of {}", values.len(), self.width));
        }
        let value = |column: usize| values.get(column).map_or("", |value| value.trim());
        let is_idle = match (value(self.class), value(self.event)) {
            ("Activity", _) | ("Client", "ClientRead") => true,
            ("", _) => self.state.is_some_and(|state| value(state) != "active"),
            // A background process.
            _ => self.state.is_some_and(|state| value(state).is_empty()),
        };
        let event = match value(self.class) {
            "" => "CPU".to_owned(),
            class => format!("{class}:{}", value(self.event)),
        };
        let series = Series::with_attributes("sampled waits", [("event", event)]);
        Ok(Some(match self.form {
            Form::SampleTimes(ts) => {
                Sample::At(value(ts).to_owned(), Some(series).filter(|_| !is_idle))
            }
            _ if is_idle => return Ok(None),
            Form::Moment => Sample::Now(series),
            Form::Counts(count) => {
                let text = value(count).as_bytes();
                let count =
                    crate::number::whole(text).map_err(|wrong| wrong.about("count", text))?;
                Sample::Counted(series, count)
            }
        }))
    }
}

/// Moments at which sessions were looked at, in their order.
#[derive(Debug, Default)]
pub struct SampleTimes {
    last: Option<Timestamp>,
    known: BTreeSet<Series>,
    /// The length of the intervals that samples are taken together in; without one each sample is an
    /// interval of its own.
    every: Option<Nanos>,
    /// Where the interval that is not complete begins, and what was waited in it, in nanoseconds.
    begun: Option<Timestamp>,
    waited_ns: BTreeMap<Series, u64>,
}

impl SampleTimes {
    /// Takes the samples of an interval together.
    pub fn every(interval: Nanos) -> SampleTimes {
        SampleTimes { every: Some(interval.max(Nanos::new(1))), ..SampleTimes::default() }
    }

    /// Tells what was seen at a moment: each session stands for the time since the one before. The first
    /// moment begins it.
    pub fn add(&mut self, at: Timestamp, seen: &BTreeMap<Series, u64>, sink: &mut dyn Sink) {
        self.known.extend(seen.keys().cloned());
        sink.record();
        let Some(start) = self.last.replace(at) else { return };
        let since = at.since(start);
        if since == Nanos::ZERO {
            self.last = Some(start);
            return;
        }
        let mut from = start;
        while from < at {
            let border = self.border_after(from).filter(|border| *border <= at);
            let to = border.unwrap_or(at);
            self.begun.get_or_insert(from);
            for (series, sessions) in seen {
                let ns = to.since(from).as_nanos().saturating_mul(*sessions);
                let sum = self.waited_ns.entry(series.clone()).or_default();
                *sum = sum.saturating_add(ns);
            }
            if border.is_some() || self.every.is_none() {
                self.give(to, sink);
            }
            from = to;
        }
    }

    /// Where the interval that a moment lies in ends.
    fn border_after(&self, moment: Timestamp) -> Option<Timestamp> {
        let every = i64::try_from(self.every?.as_nanos()).ok()?;
        let into = moment.as_nanos().rem_euclid(every);
        Some(Timestamp::new(moment.as_nanos().checked_add(every - into)?))
    }

    /// Gives the interval that ends here.
    fn give(&mut self, end: Timestamp, sink: &mut dyn Sink) {
        let waited_ns = std::mem::take(&mut self.waited_ns);
        let Some(start) = self.begun.take().filter(|start| *start < end) else { return };
        for series in &self.known {
            let time = Nanos::new(waited_ns.get(series).copied().unwrap_or(0));
            let counts = Histogram::of_sampled_time(time);
            let (series, quality) = (series.clone(), Quality::Partial(Partial::FromRates));
            sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
        }
    }

    /// The next moment does not go on from the last one: what is known up to that is told.
    pub fn forget(&mut self, sink: &mut dyn Sink) {
        if let Some(last) = self.last.take() {
            self.give(last, sink);
        }
    }

    /// Tells the moments of a table that go on from those before; some of these may be in it again.
    pub(super) fn add_all(
        &mut self,
        seen: &BTreeMap<Timestamp, BTreeMap<Series, u64>>,
        sink: &mut dyn Sink,
    ) {
        let Some((oldest, _)) = seen.first_key_value() else { return };
        if self.last.is_some_and(|last| last < *oldest) {
            let said = "samples were overwritten before they were read: the time between is a gap";
            sink.note(Note::Said(said.into()));
            self.forget(sink);
        }
        let last = self.last;
        for (at, seen) in seen.iter().filter(|(at, _)| last.is_none_or(|last| **at > last)) {
            self.add(*at, seen, sink);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Message;
    use super::*;

    fn waits(event: &str) -> Series {
        Series::with_attributes("sampled waits", [("event", event)])
    }

    #[test]
    fn sessions_that_idle_are_left_out() {
        let activity = SampledTable::of_header("pid,wait_event_type,wait_event,state,now").unwrap();
        let now = |line: &str| activity.row(line).unwrap();
        assert_eq!(now("1,Lock,tuple,active,2026-11-21"), Some(Sample::Now(waits("Lock:tuple"))));
        assert_eq!(now("1,,,active,2026-11-21"), Some(Sample::Now(waits("CPU"))));
        assert_eq!(now("1,Client,ClientRead,idle in transaction,2026-11-21"), None);
        assert_eq!(now("1,Activity,WalWriterMain,,2026-11-21"), None);
        assert_eq!(now("1,,,idle,2026-11-21"), None);
        assert!(activity.row("1,Lock,tuple").is_err());
    }

    #[test]
    fn each_view_has_its_own_form() {
        let row =
            |header: &str, line: &str| SampledTable::of_header(header).unwrap().row(line).unwrap();
        let profile = row("pid,event_type,event,queryid,count", "7,IO,DataFileRead,0,12");
        assert_eq!(profile, Some(Sample::Counted(waits("IO:DataFileRead"), 12)));
        let history = row("pid,ts,event_type,event,queryid", "7,2026-11-21 05:15:17.47+00,,,0");
        assert_eq!(
            history,
            Some(Sample::At("2026-11-21 05:15:17.47+00".into(), Some(waits("CPU"))))
        );
        for header in
            ["pid,state,now", "event_type,event,count", "pid,wait_event_type,wait_event,count"]
        {
            assert!(SampledTable::of_header(header).is_none(), "{header}");
        }
    }

    /// Keeps the frames as milliseconds and milliseconds waited.
    #[derive(Default)]
    struct Kept(Vec<(u64, u64)>, usize);

    impl Sink for Kept {
        fn take(&mut self, message: Message) {
        match message {
            Message::Reading(Reading::Delta(frame)) => {
                assert_eq!((frame.counts.events(), frame.counts.mean_ns()), (0, None));
                let length = frame.end.since(frame.start);
                self.0.push((length.as_nanos() / 1_000_000, frame.counts.waited_in(0) / 1_000_000));
            }
            Message::Reading(reading) => panic!("{reading:?}"),
            Message::Note(_) => self.1 += 1,
            _ => {}
        }
        }
    }

    #[test]
    fn samples_taken_together_fill_whole_intervals_and_lose_nothing() {
        let at = |ms: i64| Timestamp::new(ms * 1_000_000);
        let (mut moments, mut kept) =
            (SampleTimes::every(Nanos::from_millis(1_000)), Kept::default());
        let seen = |sessions: u64| BTreeMap::from([(waits("CPU"), sessions)]);
        // From 600 ms on: one session, from 1,200 to 2,300 ms three, then none.
        for (ms, sessions) in [(600, 9), (900, 1), (1_200, 1), (2_300, 3), (2_500, 0)] {
            moments.add(at(ms), &seen(sessions), &mut kept);
        }
        assert_eq!(kept.0, [(400, 400), (1_000, 200 + 3 * 800)]);
        moments.forget(&mut kept);
        assert_eq!(kept.0[2..], [(500, 3 * 300)]);
        moments.forget(&mut kept);
        assert_eq!(kept.0.len(), 3, "nothing is told twice");
    }

    #[test]
    fn a_sample_stands_for_the_time_since_the_one_before() {
        let at = |ms: i64| Timestamp::new(ms * 1_000_000);
        let (mut moments, mut kept) = (SampleTimes::default(), Kept::default());
        let seen = |sessions: u64| BTreeMap::from([(waits("CPU"), sessions)]);
        for (ms, sessions) in [(100, 9), (110, 2), (130, 1), (140, 0)] {
            moments.add(at(ms), &seen(sessions), &mut kept);
        }
        assert_eq!(kept.0, [(10, 20), (20, 20), (10, 0)]);
        // The ring once more with one sample more, then all of it new.
        kept.0.clear();
        let ring = |moments: &[i64]| moments.iter().map(|ms| (at(*ms), seen(1))).collect();
        moments.add_all(&ring(&[130, 140, 150]), &mut kept);
        assert_eq!((kept.0.clone(), kept.1), (vec![(10, 10)], 0));
        moments.add_all(&ring(&[190, 200]), &mut kept);
        assert_eq!((kept.0.clone(), kept.1), (vec![(10, 10), (10, 10)], 1));
    }
}
