//! Oracle's AWR reports: one interval of wait event histograms each.

use std::io::{BufRead, Read};

use isotherm_frame::numbers::waited;
use isotherm_frame::{
    Bucket, Clock, Frame, Histogram, IdleWaits, Nanos, Partial, Place, Quality, Reading, Rejection,
    Scheme, Series, Timestamp,
};
use isotherm_oracle::awr::{self, EventHistogram, Moment, Report};
use jiff::tz::TimeZone;

use crate::grouping::Grouping;
use crate::{
    Context, Counting, DecodeError, Meta, Need, Note, ReadingOption, Sink, Source, Verdict,
};

/// Reads AWR reports, text and HTML.
pub(crate) struct AwrReport;

pub(crate) static SOURCE: AwrReport = AwrReport;

static META: Meta = Meta {
    name: "awrreport",
    address: "FILE, FILE ... or -",
    about: "AWR and Statspack reports of Oracle databases, 9i to 21c: their wait event histograms",
    needs: &[
        Need {
            what: "a report",
            how: "@?/rdbms/admin/awrrpt.sql (awrrpti.sql for another instance of a cluster) writes \
                an AWR report between two snapshots, as text or HTML; @?/rdbms/admin/spreport.sql \
                writes a Statspack report, as text",
        },
        Need {
            what: "the Diagnostics Pack licence for the database that writes an AWR report",
            how: "Oracle sells it; CONTROL_MANAGEMENT_PACK_ACCESS shows whether it is switched on; \
                Statspack needs no licence",
        },
    ],
    command: "isotherm show awr_0600.html awr_0700.html awr_0800.html --series 'log file sync'",
    overhead: "None: the report is a file. The database needs seconds to a minute to write one.",
    loses: "Changes within a report: it is one interval, usually an hour. AWR prints percentages \
        with one decimal, so counts are estimates, marked `from percentages`: a bucket is correct \
        to about 0.05 % of the event's waits. A printed `.0` means at least one wait but less than \
        0.05 %; isotherm assumes fewer waits for slower buckets, and no more than fit into the \
        printed total time. The sum over the buckets is the printed number of waits; if that is \
        abbreviated (`2M`), a note says so. The total time is that of the report's event tables, \
        marked ≈ if they count other waits or print it less closely than to 2 %; where they count more \
        than 1 % other waits, it is their mean times the waits of the histogram. Idle events, which reports list \
        last, are left out without --idle. Reports of a pluggable database and truncated reports \
        may have no histograms. Timestamps have no time zone (use --zone). Text reports cut names \
        to 26 characters. Statspack uses buckets of milliseconds in every release, has no \
        histograms before 10g, and cuts counts to whole thousands (`74K`): isotherm takes the full \
        number from the event tables if it is there, otherwise the middle of the thousand. Reports \
        of a whole cluster and reports that compare periods are rejected.",
    counting: Counting::Intervals("between the two snapshots of a report, as Oracle computes it"),
    exact_time: false,
    example: "\
$ isotherm stats awrrpt_1_1201_1202.txt --series log
series                                   events   ev/s  waited  waiting    mean           p50           p90         p99        p99.9          max
log file sync{db=HEAT,inst=1}               499  0.554   2.91s  0.00323  5.83ms  0.512–1.02ms   1.02–2.05ms  4.1–8.19ms    2.1–4.19s    2.1–4.19s
log file parallel write{db=HEAT,inst=1}    2945   3.27   1.70s  0.00189   577µs     256–512µs  0.512–1.02ms  2.05–4.1ms  8.19–16.4ms  8.19–16.4ms

input  6 records  3444 events  0 rejected  0 lost  0 resets  0 gaps  2026-03-05 14:00:03–14:15:03 UTC, 15m
",
    interpretation: "The mean commit took 5.83 ms, the median one 0.5 to 1 ms: a single wait of 2 \
        to 4 seconds makes up most of the 2.91 seconds, which an average alone would have hidden. \
        The sums have no ≈ because the event tables count the same waits and print their time \
        precisely enough. The report's buckets begin at 1 microsecond, so the database is 12.2 or \
        later.",
};

/// More than any report: the largest have tens of megabytes.
const MOST_BYTES: u64 = 256 << 20;

impl Source for AwrReport {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        if awr::looks_like_one(head) { Verdict::Yes } else { Verdict::No }
    }

    fn looks_at_attributes(&self) -> bool {
        true
    }

    fn tells_apart(&self) -> bool {
        false
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Unit, ReadingOption::TimeUnit, ReadingOption::Temporality]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut bytes = Vec::new();
        let read = input.take(MOST_BYTES).read_to_end(&mut bytes);
        read.map_err(|source| DecodeError::Read { place: START, source })?;
        let report = awr::parse(&bytes).map_err(|error| malformed(error.to_string()))?;
        let interval = Interval::of(&report, context)?;
        let mut grouping = Grouping::new(context, "", &ATTRIBUTES, &[]);
        sink.note(Note::Clock(interval.clock));
        interval.said.iter().for_each(|said| sink.note(Note::Said(said.clone().into())));
        tell(&report, sink);
        for histogram in &report.histograms {
            if context.leave_out_idle && histogram.idle {
                sink.note(Note::Idle(left_out(histogram)));
                continue;
            }
            let values = values(histogram, &report, context);
            if grouping.series(&values.each_ref().map(String::as_bytes)).is_none() {
                continue;
            }
            match frame(histogram, &report, &interval, context) {
                Some(frame) => {
                    sink.record();
                    sink.reading(Reading::Delta(frame));
                }
                None => sink.reject(rejection(
                    START,
                    "its buckets do not fit".to_owned(),
                    histogram.waits,
                )),
            }
        }
        grouping.finish(sink);
        Ok(())
    }
}

/// What `--where` can ask of a histogram.
static ATTRIBUTES: [&str; 5] = ["event", "inst", "db", "update_pct", "workers"];

/// The values of [`ATTRIBUTES`], empty where there is none.
fn values(histogram: &EventHistogram, report: &Report, context: &Context) -> [String; 5] {
    let place = |name: &str| {
        let found = context.attributes.iter().find(|(known, _)| *known == name);
        found.map_or_else(String::new, |(_, value)| value.to_string())
    };
    let number = report.instance.number.map_or_else(String::new, |number| number.to_string());
    let database = report.database.name.clone();
    [histogram.event.clone(), number, database, place("update_pct"), place("workers")]
}

const START: Place = Place { line: 1, byte: 0 };

fn malformed(found: String) -> DecodeError {
    let expected = "a whole AWR report of one instance".to_owned();
    DecodeError::Malformed { place: START, found, expected }
}

fn rejection(place: Place, reason: String, events: u64) -> Rejection {
    Rejection { place, reason: reason.into(), events }
}

/// What the report, or its reader, has to say beside the histograms.
fn tell(report: &Report, sink: &mut dyn Sink) {
    for fault in &report.faults {
        let place = Place { line: fault.at.line, byte: fault.at.byte };
        sink.reject(rejection(place, fault.text.clone(), fault.waits));
    }
    for remark in &report.remarks {
        sink.note(Note::Said(remark.clone().into()));
    }
    if report.cut_off {
        let text = "the report has no end: it is truncated, and tables may be missing";
        sink.reject(rejection(START, text.to_owned(), 0));
    }
    if let Some(words) = without_end(report) {
        sink.note(Note::Said(words.into()));
    }
    if report.histograms.is_empty() {
        let text = if report.histogram_tables > 0 {
            "the report has wait event histograms, but none of them can be read: nothing to draw; \
             `isotherm awr` prints its other numbers"
        } else {
            "the report has no wait event histograms (those of a pluggable database have none): \
             nothing to draw; `isotherm awr` prints its numbers"
        };
        sink.note(Note::Said(text.into()));
    } else {
        let text = "the waits of each bucket are estimates, rebuilt from percentages with one \
                    decimal; the waits of each event are as printed";
        sink.note(Note::Said(text.into()));
    }
}

/// Says whose time is at least what is shown: waits beyond the last bound, and no printed time.
fn without_end(report: &Report) -> Option<String> {
    /// How many events are named.
    const NAMED: usize = 5;
    let is_open = |histogram: &&EventHistogram| {
        let beyond = histogram.counts.last().is_some_and(|count| *count > 0);
        let open = histogram.bounds.last() == Some(&Scheme::UNBOUNDED);
        !histogram.idle && histogram.printed_total.is_none() && beyond && open
    };
    let open = report.histograms.iter().filter(is_open);
    let events: Vec<&str> = open.map(|histogram| histogram.event.as_str()).collect();
    let more = match events.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = events.get(..NAMED).unwrap_or(&events).join(", ");
    (!events.is_empty()).then(|| {
        format!(
            "the report prints no time for {named}{more}, and has waits beyond its last bound: their \
             time is at least what is shown"
        )
    })
}

/// When the report's snapshots were taken.
struct Interval {
    start: Timestamp,
    end: Timestamp,
    clock: Clock,
    said: Vec<String>,
}

impl Interval {
    fn of(report: &Report, context: &Context) -> Result<Interval, DecodeError> {
        let elapsed = report.elapsed.and_then(|elapsed| Nanos::from_secs_f64(elapsed.value));
        let elapsed = elapsed.filter(|length| *length > Nanos::ZERO);
        let zone = context.zone.clone().unwrap_or(TimeZone::UTC);
        let at = |moment: &Moment| timestamp(moment, &zone);
        let Some((start, end)) = at(&report.begin.time).zip(at(&report.end.time)) else {
            return Interval::without_times(report, elapsed);
        };
        let mut said = Vec::new();
        if context.zone.is_none() {
            said.push(
                "the times of a report have no time zone: UTC is assumed (--zone)".to_owned(),
            );
        }
        let Some(elapsed) = elapsed else {
            let found = format!(
                "the snapshots of '{}' and '{}'",
                report.begin.time.text, report.end.time.text
            );
            return (start < end)
                .then_some(Interval { start, end, clock: Clock::Epoch, said })
                .ok_or_else(|| malformed(format!("{found}, which are not an interval")));
        };
        let clocked = end.since(start);
        // Minutes are printed with two decimals, times in whole seconds.
        let apart = clocked.as_secs_f64() - elapsed.as_secs_f64();
        if start < end && apart.abs() <= 2.0 {
            return Ok(Interval { start, end, clock: Clock::Epoch, said });
        }
        said.push(format!(
            "{} passed between the snapshots by their times, {} by the report: its clock \
             was changed, or summer time (--zone); the report's length is used, up to its end",
            waited(clocked.as_secs_f64()),
            waited(elapsed.as_secs_f64())
        ));
        Ok(Interval { start: end.minus(elapsed), end, clock: Clock::Epoch, said })
    }

    fn without_times(report: &Report, elapsed: Option<Nanos>) -> Result<Interval, DecodeError> {
        let (begin, end) = (&report.begin.time, &report.end.time);
        let unread = if begin.local.is_none() { begin } else { end };
        let why = format!("the time '{}' has an unknown format", unread.text);
        let length = elapsed.ok_or_else(|| malformed(format!("{why}, and no time elapsed")))?;
        let start = Timestamp::new(0);
        let said = vec![format!("{why}: the report is drawn from time zero")];
        Ok(Interval { start, end: start.plus(length), clock: Clock::Arbitrary, said })
    }
}

fn timestamp(moment: &Moment, zone: &TimeZone) -> Option<Timestamp> {
    let zoned = zone.to_ambiguous_zoned(moment.local?).compatible().ok()?;
    i64::try_from(zoned.timestamp().as_nanosecond()).ok().map(Timestamp::new)
}

/// Idle waits: as many as are printed, with their time where the report tells it. Reports have no
/// details of idle events, so most of their waits are in a bucket without an end.
fn left_out(histogram: &EventHistogram) -> IdleWaits {
    let about = histogram.printed_total.filter(|total| total.value > 0.0);
    let time = histogram.total.or(about).and_then(|total| Nanos::from_secs_f64(total.value));
    let exact = histogram.total.is_some();
    IdleWaits { event: histogram.event.clone(), waits: histogram.waits, time, exact }
}

fn counts(histogram: &EventHistogram) -> Option<Histogram> {
    let scheme = Scheme::new(histogram.bounds.clone()).ok()?;
    let sum = histogram.total.and_then(|total| Nanos::from_secs_f64(total.value));
    let counts = Histogram::new(scheme, histogram.counts.clone(), sum).ok()?;
    Some(match about_time(histogram, &counts) {
        Some(time) => counts.with_partly_known_sum(time),
        None => counts,
    })
}

/// The time where the report prints too few digits to take it for exact, or other waits: as printed, as
/// far as the buckets allow it. A DBA who compares it with the report finds the same number. Of a printed
/// zero, something in the range that both leave possible: what the buckets suggest, if it is inside.
fn about_time(histogram: &EventHistogram, counts: &Histogram) -> Option<Nanos> {
    let printed = histogram.printed_total.filter(|_| histogram.total.is_none())?;
    let (low, high) = printed.range();
    let seconds = |of: fn(Bucket) -> f64| -> f64 {
        counts.non_zero().map(|(bucket, count)| of(bucket) * count as f64).sum()
    };
    let least = seconds(|bucket| bucket.lo.as_secs_f64());
    let most = seconds(|bucket| bucket.hi.map_or(f64::INFINITY, Nanos::as_secs_f64));
    let estimate = counts.latency_total().seconds;
    let fits = low <= most && least <= high;
    let time = match printed.value > 0.0 {
        true if fits => printed.value.clamp(least, most),
        // A remark of the reader says that they rule each other out.
        true => printed.value,
        false if (low..=high).contains(&estimate) => estimate,
        false => f64::midpoint(low.max(least), high.max(least)),
    };
    Nanos::from_secs_f64(time)
}

fn frame(
    histogram: &EventHistogram,
    report: &Report,
    interval: &Interval,
    context: &Context,
) -> Option<Frame> {
    let counts = counts(histogram)?;
    // Only of these do recordings keep a time that is no exact sum.
    let about = counts.partly_known_sum().is_some();
    let quality = if about { Partial::FromRates } else { Partial::FromPercentages };
    let number = report.instance.number.map(|number| ("inst", number.to_string()));
    let name = Some(("db", report.database.name.clone())).filter(|(_, name)| !name.is_empty());
    let place = context.attributes.iter().map(|(name, value)| (*name, value.to_string()));
    Some(Frame {
        series: Series::with_attributes(
            &histogram.event,
            number.into_iter().chain(name).chain(place),
        ),
        start: interval.start,
        end: interval.end,
        counts,
        quality: Quality::Partial(quality),
    })
}
