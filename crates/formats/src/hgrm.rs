//! Percentile tables of `HdrHistogram`: what `outputPercentileDistribution`, wrk2 and others print.

use std::io::BufRead;

use isotherm_frame::{
    Bucket, Clock, Histogram, Frame, Nanos, Place, Quality, Reading, Series, Timestamp, Unit,
};

use crate::disjoint::histogram;
use crate::number;
use crate::sink::reject;
use crate::unread_options::say_named_unit;
use crate::{
    Context, Counting, DecodeError, LineReader, Meta, Need, Note, ReadingOption, Sink, Source,
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
        there is one histogram for the whole run. wrk2 counts latencies from the time a request \
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
    length: Option<Nanos>,
}

impl Table {
    fn line(&mut self, text: &str, place: Place, sink: &mut dyn Sink) {
        let text = text.trim();
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
        let units = [("ms", Unit::Millis), ("s", Unit::Seconds)];
        let length = time.and_then(|time| {
            let read = |(end, unit)| number::nanos(time.strip_suffix(end)?.as_bytes(), unit).ok();
            units.into_iter().find_map(read).or_else(|| {
                let minutes = number::nanos(time.strip_suffix('m')?.as_bytes(), Unit::Seconds).ok()?;
                minutes.checked_mul(60)
            })
        });
        match length {
            Some(length) if self.of_wrk => self.length = Some(Nanos::new(length)),
            _ => sink.note(Note::Ignored),
        }
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
        let clock = if self.length.is_some() { Clock::Arbitrary } else { Clock::Assumed };
        sink.note(Note::Clock(clock));
        let length = self.length.unwrap_or_else(|| {
            let length = context.assumed_interval();
            if context.interval.is_none() {
                let said = "the table does not state the time it covers: one second is assumed \
                            (--interval)";
                sink.note(Note::Said(said.into()));
            }
            length
        });
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
