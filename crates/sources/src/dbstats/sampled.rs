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
pub(crate) struct SampleTimes {
    last: Option<Timestamp>,
    known: BTreeSet<Series>,
}

impl SampleTimes {
    /// Tells what was seen at a moment: each session stands for the time since the one before. The first
    /// moment begins it.
    pub(crate) fn add(&mut self, at: Timestamp, seen: &BTreeMap<Series, u64>, sink: &mut dyn Sink) {
        self.known.extend(seen.keys().cloned());
        sink.record();
        let Some(start) = self.last.replace(at) else { return };
        let since = at.since(start);
        if since == Nanos::ZERO {
            self.last = Some(start);
            return;
        }
        for series in &self.known {
            let sessions = seen.get(series).copied().unwrap_or(0);
            let time = Nanos::new(since.as_nanos().saturating_mul(sessions));
            let counts = Histogram::of_averages(sessions, time).with_partly_known_sum(time);
            let (series, quality) = (series.clone(), Quality::Partial(Partial::FromRates));
            sink.reading(Reading::Delta(Frame { series, start, end: at, counts, quality }));
        }
    }

    /// The next moment does not go on from the last one.
    pub(crate) fn forget(&mut self) {
        self.last = None;
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
            self.forget();
        }
        let last = self.last;
        for (at, seen) in seen.iter().filter(|(at, _)| last.is_none_or(|last| **at > last)) {
            self.add(*at, seen, sink);
        }
    }
}

#[cfg(test)]
mod tests {
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

    /// Keeps the frames as milliseconds, events and milliseconds waited.
    #[derive(Default)]
    struct Kept(Vec<(u64, u64, u64)>, usize);

    impl Sink for Kept {
        fn reading(&mut self, reading: Reading) {
            let Reading::Delta(frame) = reading else { panic!("{reading:?}") };
            let time = frame.counts.partly_known_sum().unwrap();
            let length = frame.end.since(frame.start);
            self.0.push((
                length.as_nanos() / 1_000_000,
                frame.counts.events(),
                time.as_nanos() / 1_000_000,
            ));
        }
        fn record(&mut self) {}
        fn reject(&mut self, _: isotherm_frame::Rejection) {}
        fn note(&mut self, _: Note) {
            self.1 += 1;
        }
    }

    #[test]
    fn a_sample_stands_for_the_time_since_the_one_before() {
        let at = |ms: i64| Timestamp::new(ms * 1_000_000);
        let (mut moments, mut kept) = (SampleTimes::default(), Kept::default());
        let seen = |sessions: u64| BTreeMap::from([(waits("CPU"), sessions)]);
        for (ms, sessions) in [(100, 9), (110, 2), (130, 1), (140, 0)] {
            moments.add(at(ms), &seen(sessions), &mut kept);
        }
        assert_eq!(kept.0, [(10, 2, 20), (20, 1, 20), (10, 0, 0)]);
        // The ring once more with one sample more, then all of it new.
        kept.0.clear();
        let ring = |moments: &[i64]| moments.iter().map(|ms| (at(*ms), seen(1))).collect();
        moments.add_all(&ring(&[130, 140, 150]), &mut kept);
        assert_eq!((kept.0.clone(), kept.1), (vec![(10, 1, 10)], 0));
        moments.add_all(&ring(&[190, 200]), &mut kept);
        assert_eq!((kept.0.clone(), kept.1), (vec![(10, 1, 10), (10, 1, 10)], 1));
    }
}
