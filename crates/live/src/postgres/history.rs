//! Samples of `pg_wait_sampling` with their times: intervals from poll to poll.

use std::collections::{BTreeMap, BTreeSet};

use isotherm_client::postgres::control::Row;
use isotherm_formats::{Note, Sink};
use isotherm_frame::{
    Frame, Gap, Histogram, Mark, Nanos, Partial, Quality, Reading, Series, Timestamp,
};

use super::sampled::{BUSY, EVENT};

/// One look at the ring of samples.
#[derive(Debug, Default, PartialEq)]
struct Look {
    /// How many sessions were seen in each event, by the time of the sample.
    samples: BTreeMap<i64, Vec<(String, u64)>>,
    /// When the oldest sample was taken that is still there, whatever it saw.
    oldest_us: i64,
}

/// What was seen of the samples up to now.
#[derive(Debug, Default)]
pub(super) struct History {
    last_us: Option<i64>,
    known: BTreeSet<Series>,
    overwritten: bool,
}

impl History {
    /// The query of a poll: every time of a sample, with the number of sessions in each event. Times at
    /// which no session waited for anything have a row without an event.
    pub(super) fn query() -> String {
        format!(
            "with samples as materialized (select pid, ts, event_type, event from pg_wait_sampling_history) \
             select (extract(epoch from ts) * 1000000)::bigint, {EVENT}, count(*) from samples where {BUSY} \
             group by 1, 2 union all select distinct (extract(epoch from ts) * 1000000)::bigint, null, 0 \
             from samples"
        )
    }

    /// Takes what a poll found.
    pub(super) fn take(&mut self, rows: &[Row], sink: &mut dyn Sink) {
        let Some(look) = Look::read(rows) else { return };
        let Some((newest_us, _)) = look.samples.last_key_value().map(|(us, seen)| (*us, seen))
        else {
            return;
        };
        let Some(last_us) = self.last_us.replace(newest_us) else { return };
        if newest_us <= last_us {
            self.last_us = Some(last_us);
            return;
        }
        let start_us = self.after_gap(&look, last_us, sink);
        self.interval(&look, (start_us, newest_us), sink);
    }

    /// Where the interval begins: after the last sample that was seen, or after the oldest one that is
    /// there, if others were overwritten in between.
    fn after_gap(&mut self, look: &Look, last_us: i64, sink: &mut dyn Sink) -> i64 {
        if look.oldest_us <= last_us {
            return last_us;
        }
        if !std::mem::replace(&mut self.overwritten, true) {
            let said = "samples were overwritten before they were read: a shorter --interval, or a larger \
                        pg_wait_sampling.history_size, is needed";
            sink.note(Note::Said(said.into()));
        }
        sink.note(Note::Mark(Mark {
            at: moment(look.oldest_us),
            text: "samples overwritten".to_owned(),
        }));
        for series in &self.known {
            let counts = Histogram::of_sampled_time(Nanos::ZERO);
            let (start, end) = (moment(last_us), moment(look.oldest_us));
            let (series, quality) = (series.clone(), Quality::Gap(Gap::SourceAway));
            sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
        }
        look.oldest_us
    }

    /// Tells the samples after `start_us` up to `end_us`. Each stands for the time between two.
    fn interval(&mut self, look: &Look, (start_us, end_us): (i64, i64), sink: &mut dyn Sink) {
        let Some(length_us) = end_us.checked_sub(start_us).filter(|us| *us > 0) else { return };
        let after = look.samples.range(start_us + 1..);
        let (mut ticks, mut seen) = (0_u64, BTreeMap::new());
        for (event, count) in after.inspect(|_| ticks += 1).flat_map(|(_, events)| events) {
            let series = Series::with_attributes("sampled waits", [("event", event.as_str())]);
            *seen.entry(series).or_insert(0_u64) += count;
        }
        self.known.extend(seen.keys().cloned());
        let each_ns = u128::from(length_us.unsigned_abs()) * 1_000 / u128::from(ticks.max(1));
        for series in &self.known {
            let samples = seen.get(series).copied().unwrap_or(0);
            let ns = u64::try_from(each_ns * u128::from(samples)).unwrap_or(u64::MAX);
            let counts = Histogram::of_sampled_time(Nanos::new(ns));
            let (start, end) = (moment(start_us), moment(end_us));
            let (series, quality) = (series.clone(), Quality::Partial(Partial::FromRates));
            sink.record();
            sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
        }
    }
}

impl Look {
    /// Reads the rows of a look; `None` if they are not what was asked for.
    fn read(rows: &[Row]) -> Option<Look> {
        let mut look = Look { oldest_us: i64::MAX, ..Look::default() };
        for row in rows {
            let [Some(us), event, Some(count)] = row.as_slice() else { return None };
            let (us, count) = (us.parse().ok()?, count.parse().ok()?);
            look.oldest_us = look.oldest_us.min(us);
            let seen = look.samples.entry(us).or_default();
            seen.extend(event.clone().map(|event| (event, count)));
        }
        Some(look)
    }
}

fn moment(us: i64) -> Timestamp {
    Timestamp::new(us.saturating_mul(1_000))
}

#[cfg(test)]
mod tests {

    use super::*;
    use isotherm_formats::Message;

    #[derive(Default)]
    struct Kept(Vec<Frame>, Vec<String>);

    impl Sink for Kept {
        fn take(&mut self, message: Message) {
            match message {
                Message::Reading(Reading::Delta(frame)) => self.0.push(frame),
                Message::Note(note) => self.1.push(format!("{note:?}")),
                _ => {}
            }
        }
    }

    fn rows(seen: &[(i64, &str, u64)], ticks: &[i64]) -> Vec<Row> {
        let events = seen.iter().map(|(ms, event, count)| (ms, Some((*event).to_owned()), *count));
        let all = events.chain(ticks.iter().map(|ms| (ms, None, 0)));
        all.map(|(ms, event, count)| {
            vec![Some((ms * 1_000).to_string()), event, Some(count.to_string())]
        })
        .collect()
    }

    fn told(frame: &Frame) -> (String, i64, i64, u64) {
        let ms = |at: Timestamp| at.as_nanos() / 1_000_000;
        assert_eq!((frame.counts.events(), frame.counts.mean_ns()), (0, None));
        let time = frame.counts.waited_in(0) / 1_000;
        (frame.series.full(), ms(frame.start), ms(frame.end), time)
    }

    #[test]
    fn a_sample_stands_for_the_time_between_two() {
        let (mut history, mut kept) = (History::default(), Kept::default());
        history.take(&rows(&[(10, "IO:A", 5)], &[10]), &mut kept);
        assert!(kept.0.is_empty(), "{:?}", kept.0);
        // Three samples in 33 ms: two sessions in the first two, nobody in the third.
        let second = rows(
            &[(10, "IO:A", 5), (21, "IO:A", 2), (32, "IO:A", 1), (32, "CPU", 1)],
            &[10, 21, 32, 43],
        );
        history.take(&second, &mut kept);
        let frames: Vec<_> = kept.0.drain(..).map(|frame| told(&frame)).collect();
        let expected =
            [("sampled waits{event=CPU}", 11_000), ("sampled waits{event=IO:A}", 33_000)];
        let expected = expected.map(|(name, us)| (name.to_owned(), 10, 43, us));
        assert_eq!(frames, expected);
        // Nothing new, then nobody waits.
        history.take(&second, &mut kept);
        assert!(kept.0.is_empty());
        history.take(&rows(&[], &[43, 54]), &mut kept);
        assert!(kept.0.iter().all(|frame| frame.counts.is_blank()) && kept.0.len() == 2);
    }

    #[test]
    fn samples_that_were_overwritten_are_a_gap() {
        let (mut history, mut kept) = (History::default(), Kept::default());
        history.take(&rows(&[(10, "IO:A", 1)], &[10]), &mut kept);
        history.take(&rows(&[(20, "IO:A", 1)], &[10, 20]), &mut kept);
        kept.0.clear();
        history.take(&rows(&[(80, "IO:A", 1), (90, "IO:A", 1)], &[70, 80, 90]), &mut kept);
        assert_eq!(
            (kept.0[0].quality, told(&kept.0[0]).1, told(&kept.0[0]).2),
            (Quality::Gap(Gap::SourceAway), 20, 70)
        );
        let last = ("sampled waits{event=IO:A}".to_owned(), 70, 90, 20_000);
        assert_eq!(told(&kept.0[1]), last);
        assert!(kept.1.iter().any(|note| note.contains("history_size")), "{:?}", kept.1);
    }
}
