//! Percentile tables of `HdrHistogram`: what `outputPercentileDistribution`, wrk2 and others print.

use std::io::BufRead;

use isotherm_frame::{
    Bucket, Clock, Histogram, Frame, Nanos, Place, Quality, Reading, Series, Timestamp, Unit,
};

use crate::disjoint::histogram;
use crate::number;
use crate::sink::reject;
use crate::unread_options::say_named_unit;
use crate::{    Context, Counting, DecodeError, LineReader, Meta, Need, Note, ReadingOption, Sink, Source,
    Verdict,
};

/// Reads percentile tables.
pub(crate) struct Percentiles;

pub(crate) static SOURCE: Percentiles = Percentiles;

static META: Meta = Meta {
    name: "hgrm",
    address: "FILE or -; --unit and --interval if the table does not contain them",
    about: "Percentile tables of HdrHistogram (.hgrm, also as CSV), and the tables that wrk2 \
        prints with --latency",
    needs: &[Need {
        what: "the unit of the values, which only wrk2 prints",
        how: "--unit us, for example; give the time that the table covers with --interval",
    }],
    command: "wrk2 -t2 -c100 -d30s -R2000 --latency http://127.0.0.1/ > run.txt; isotherm stats run.txt",
    overhead: "None: the table is printed once.",
    loses: "The exact latency within a bucket: the table is cumulative, so each row and the next \
        form a bucket; buckets are narrower towards the longest latencies. Changes over time: \
        there is one histogram for the whole run. Where wrk2's line of requests is missing, the run \
        is as long as its first line says (Running 30s test), in whole minutes from 51 s on. wrk2 \
        counts latencies from the time a request \
        should have been sent. Whether counts were corrected for coordinated omission is not \
        visible. The total time is the printed mean times the number of events; the mean was \
        computed from buckets and is close to the true one.",
    counting: Counting::Intervals("during the whole run"),
    exact_time: false,
    example: "\
       Value     Percentile TotalCount 1/(1-Percentile)

       0.921     0.000000            1         1.00
       1.103     0.500000         4988         2.00
       2.407     0.990000         9900       100.00
       8.191     1.000000        10000          inf
#[Mean    =        1.204, StdDeviation   =        0.396]
#[Max     =        8.188, Total count    =        10000]
",
    interpretation: "One event took up to 0.921 (wrk2 prints milliseconds), 4,987 took 0.921 to \
        1.103, 4,912 up to 2.407, and the slowest hundred up to 8.191.",
};

const HEADER: &[u8] = b"1/(1-Percentile)";
/// What wrk2 prints before its table, whose values are milliseconds.
const WRK: &str = "Detailed Percentile spectrum:";

impl Source for Percentiles {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let has = memchr::memmem::find(head, HEADER).is_some();
        let counts = memchr::memmem::find(head, b"TotalCount").is_some();
        if has && counts && !head.contains(&0) { Verdict::Yes } else { Verdict::No }
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::TimeUnit, ReadingOption::Temporality, ReadingOption::Zone]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut lines = LineReader::new(input);
        let mut table = Table::default();
        while let Some(line) = lines.next_line()? {
            if !line.bytes.trim_ascii().is_empty() {
                table.line(&line.text(), line.place, sink);
            }
        }
        table.finish(context, sink)
    }
}

/// A row: the value as it is printed, and how many events took at most as long.
struct Row {
    value: String,
    count: u64,
    place: Place,
}

/// What is known of a table.
#[derive(Default)]
struct Table {
    /// Where it begins.
    place: Option<Place>,
    rows: Vec<Row>,
    ended: bool,
    /// Whether another table has begun, to which all further rows and statistics belong.
    is_over: bool,
    /// Whether it is wrk2's, in milliseconds.
    of_wrk: bool,
    total: Option<u64>,
    /// The mean as it is printed.
    mean: Option<String>,
    /// How long the run was, measured.
    length: Option<Nanos>,
    /// How long it was to be, as its first line says.
    planned: Option<Planned>,
}

/// How long a run was to be.
struct Planned {
    /// As it is written.
    text: String,
    length: Nanos,
}

impl Table {
    fn line(&mut self, text: &str, place: Place, sink: &mut dyn Sink) {
        let text = text.trim();
        if self.planned.is_none() {
            self.planned = Planned::of(text);
        }
        if text.starts_with(WRK) {
            self.of_wrk = true;
        } else if text.as_bytes().windows(HEADER.len()).any(|part| part == HEADER) {
            match self.place {
                Some(_) => {
                    self.is_over = true;
                    let reason = "a second table: only the first table of a file is read";
                    reject(sink, place, reason, 0);
                }
                None => self.place = Some(place),
            }
        } else if self.is_over {
            // What wrk2 says of the run stands below all tables.
            self.wrk_line(text, sink);
        } else if text.starts_with("#[") {
            self.ended = true;
            self.total = total_of(text).or(self.total);
            self.mean = mean_of(text).or(self.mean.take());
        } else if self.place.is_some() && !self.ended {
            self.row(text, place, sink);
        } else {
            self.wrk_line(text, sink);
        }
    }

    fn row(&mut self, text: &str, place: Place, sink: &mut dyn Sink) {
        let fields: Vec<&str> = text.split([',', ' ', '\t']).filter(|field| !field.is_empty()).collect();
        let count = fields.get(2).and_then(|count| number::digits(count.as_bytes()));
        let (Some(value), Some(count), 3..=4) = (fields.first(), count, fields.len()) else {
            return reject(sink, place, "not a row of 'value percentile count'", 0);
        };
        if self.rows.last().is_some_and(|last| count < last.count) {
            let reason = "the count falls, but the counts of a table are cumulative";
            return reject(sink, place, reason, 0);
        }
        self.rows.push(Row { value: (*value).to_owned(), count, place });
    }

    /// `  59930 requests in 30.00s, 5.14MB read`
    fn wrk_line(&mut self, text: &str, sink: &mut dyn Sink) {
        let time = text.split_once(" requests in ").and_then(|(_, rest)| rest.split(',').next());
        match time.and_then(wrk_time) {
            Some(length) if self.of_wrk => self.length = Some(length),
            _ => sink.note(Note::Ignored),
        }
    }

    /// The time that the table covers.
    fn length(&self, context: &Context, sink: &mut dyn Sink) -> Nanos {
        if let Some(length) = self.length {
            return length;
        }
        if context.interval.is_some() {
            return context.assumed_interval();
        }
        if let Some(planned) = self.planned.as_ref().filter(|_| self.of_wrk) {
            sink.note(Note::Assumed(planned.words().into()));
            return planned.length;
        }
        let said = "the table does not state the time it covers: one second is assumed (--interval)";
        sink.note(Note::Said(said.into()));
        context.assumed_interval()
    }

    fn finish(self, context: &Context, sink: &mut dyn Sink) -> Result<(), DecodeError> {
        let Some(place) = self.place else {
            return Err(DecodeError::Nothing(
                "there is no percentile table of HdrHistogram in it: wrk2 prints one with --latency".into(),
            ));
        };
        let named = self.of_wrk.then_some(Unit::Millis);
        say_named_unit(context.unit, named, sink);
        let Some(unit) = named.or(context.unit) else {
            return Err(DecodeError::Nothing(
                "a percentile table does not name the unit of its values: give it with --unit, and \
                 the time it covers with --interval"
                    .into(),
            ));
        };
        let Some(buckets) = self.buckets(unit, sink) else { return Ok(()) };
        let Some(counts) = histogram(buckets.into_iter()) else {
            reject(sink, place, "its values do not rise", 0);
            return Ok(());
        };
        self.check_total(counts.events(), place, sink);
        if counts.events() == 0 {
            return Ok(());
        }
        let counts = self.with_mean(counts, unit, sink);
        sink.record();
        let is_stated = self.length.is_some() || self.of_wrk && self.planned.is_some();
        sink.note(Note::Clock(if is_stated { Clock::Arbitrary } else { Clock::Assumed }));
        let length = self.length(context, sink);
        let (start, end) = (Timestamp::new(0), Timestamp::new(0).plus(length));
        let (series, quality) = (Series::named("latency"), Quality::Complete);
        sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
        Ok(())
    }

    /// The events between each row and the one before it. A value is the greatest of its bucket, so
    /// that it is inside.
    fn buckets(&self, unit: Unit, sink: &mut dyn Sink) -> Option<Vec<(u64, u64, u64)>> {
        let (mut from, mut before, mut buckets) = (0_u64, 0_u64, Vec::new());
        for row in &self.rows {
            let value = match number::nanos(row.value.as_bytes(), unit) {
                Ok(value) => value.saturating_add(1),
                Err(wrong) => {
                    reject(sink, row.place, wrong.about("value", row.value.as_bytes()), 0);
                    return None;
                }
            };
            if row.count == before {
                continue;
            }
            if value <= from {
                reject(sink, row.place, "the value does not rise although the count does", 0);
                return None;
            }
            buckets.push((from, value, row.count - before));
            (from, before) = (value, row.count);
        }
        Some(buckets)
    }

    /// The counts with a total time of count times mean. Tools compute the mean from buckets: it is
    /// close, and not exact.
    fn with_mean(&self, counts: Histogram, unit: Unit, sink: &mut dyn Sink) -> Histogram {
        let mean = self.mean.as_deref().filter(|_| self.total == Some(counts.events()));
        let Some(mean) = mean.and_then(|mean| number::nanos(mean.as_bytes(), unit).ok()) else {
            return counts;
        };
        let bound = |of: fn(Bucket) -> Nanos| -> u128 {
            counts.non_zero().map(|(bucket, count)| u128::from(of(bucket).as_nanos()) * u128::from(count)).sum()
        };
        let least = bound(|bucket| bucket.lo);
        let most = bound(|bucket| bucket.hi.unwrap_or(bucket.lo));
        let sum = u128::from(mean) * u128::from(counts.events());
        match u64::try_from(sum) {
            Ok(ns) if least <= sum && sum <= most => counts.with_partly_known_sum(Nanos::new(ns)),
            _ => {
                sink.note(Note::Said("the mean at the end of the table does not fit its rows: it is not used".into()));
                counts
            }
        }
    }

    fn check_total(&self, found: u64, place: Place, sink: &mut dyn Sink) {
        match self.total {
            Some(total) if total != found => {
                let reason = format!("its rows hold {found} events, and its end says {total}");
                reject(sink, place, reason, total.saturating_sub(found));
            }
            Some(_) => {}
            None => sink.note(Note::Said(
                "the table has no last line with the number of events: it may be truncated".into(),
            )),
        }
    }
}

impl Planned {
    /// `Running 30s test @ http://127.0.0.1:8080/`
    fn of(text: &str) -> Option<Planned> {
        let (text, _) = text.strip_prefix("Running ")?.split_once(" test @ ")?;
        Some(Planned { text: text.to_owned(), length: wrk_time(text).filter(|length| *length > Nanos::ZERO)? })
    }

    /// What is assumed. From 51 seconds on wrk2 writes whole minutes there.
    fn words(&self) -> String {
        let rounded = if self.text.ends_with('m') { ", which is rounded to minutes" } else { "" };
        format!("the run is as long as 'Running {} test' says{rounded} (--interval)", self.text)
    }
}

/// A length of time as wrk2 writes it: `812.00ms`, `30.00s`, `1.50m`.
fn wrk_time(text: &str) -> Option<Nanos> {
    let units = [("ms", Unit::Millis), ("s", Unit::Seconds)];
    let read = |(end, unit)| number::nanos(text.strip_suffix(end)?.as_bytes(), unit).ok();
    let minutes = || number::nanos(text.strip_suffix('m')?.as_bytes(), Unit::Seconds).ok()?.checked_mul(60);
    units.into_iter().find_map(read).or_else(minutes).map(Nanos::new)
}

/// The mean at the end of a table: `#[Mean = 1.204, StdDeviation = 0.396]`.
fn mean_of(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("Mean")?;
    let mean = rest.trim_start_matches([' ', '=']).split([',', ' ', ']']).next()?;
    Some(mean.to_owned())
}

/// The number of events at the end of a table: `#[Max = 8.188, Total count = 10000]`, or as Python's
/// library writes it `TotalCount = 10000.000`.
fn total_of(text: &str) -> Option<u64> {
    let rest = text.split_once("Total count").or_else(|| text.split_once("TotalCount"))?.1;
    let number = rest.trim_matches([' ', '=', ']']);
    let whole = number.split_once('.').map_or(number, |(whole, _)| whole);
    number::digits(whole.as_bytes())
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Account;

    use crate::Message;
    use super::*;

    #[derive(Default)]
    struct Decoded {
        frames: Vec<Frame>,
        account: Account,
    }

    impl Sink for Decoded {
        fn take(&mut self, message: Message) {
        let Some(reading) = message.into_reading(&mut self.account) else { return };
        let Reading::Delta(frame) = reading else { panic!("{reading:?}") };
        self.frames.push(frame);
        }
    }

    const TABLE: &str = "\
  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

       0.921     0.000000            1         1.00
       8.191     1.000000        10000          inf
#[Mean    =        1.204, StdDeviation   =        0.396]
#[Max     =        8.188, Total count    =        10000]
";

    fn length_of(text: &str, interval: Option<Nanos>) -> (u64, Vec<String>, Vec<String>) {
        let context = Context { interval, ..Context::default() };
        let mut decoded = Decoded::default();
        SOURCE.decode(&mut text.as_bytes(), &context, &mut decoded).unwrap();
        let [frame] = &decoded.frames[..] else { panic!("{:?}", decoded.frames) };
        assert_eq!((frame.counts.events(), decoded.account.rejected), (10_000, 0));
        let length = frame.end.since(frame.start).as_nanos() / 1_000_000;
        let Account { notices, assumptions, .. } = decoded.account;
        let texts = |said: Vec<std::borrow::Cow<'_, str>>| said.into_iter().map(String::from).collect();
        (length, texts(notices), texts(assumptions))
    }

    #[test]
    fn the_length_of_a_run_is_the_measured_one_then_the_planned_one() {
        let begin = |time: &str| format!("Running {time} test @ http://127.0.0.1/\n{TABLE}");
        let end = "  10000 requests in 30.02s, 5.14MB read\n";
        let no = Vec::<String>::new;
        assert_eq!(length_of(&(begin("30s") + end), None), (30_020, no(), no()));
        let planned = "the run is as long as 'Running 30s test' says (--interval)".to_owned();
        assert_eq!(length_of(&begin("30s"), None), (30_000, no(), vec![planned]));
        let rounded = "the run is as long as 'Running 2m test' says, which is rounded to minutes (--interval)";
        assert_eq!(length_of(&begin("2m"), None), (120_000, no(), vec![rounded.to_owned()]));
        assert_eq!(length_of(&begin("30s"), Some(Nanos::from_millis(29_500))), (29_500, no(), no()));
        let assumed = "the table does not state the time it covers: one second is assumed (--interval)";
        assert_eq!(length_of(TABLE, None), (1_000, vec![assumed.to_owned()], no()));
        assert_eq!(length_of(&begin("0s"), None).0, 1_000);
    }

    #[test]
    fn times_of_wrk_have_their_units() {
        for (text, expected) in [
            ("812.00ms", Some(812_000_000)),
            ("30.00s", Some(30_000_000_000)),
            ("1.50m", Some(90_000_000_000)),
            ("30", None),
            ("m", None),
            ("-1s", None),
        ] {
            assert_eq!(wrk_time(text).map(Nanos::as_nanos), expected, "{text}");
        }
    }
}
