//! Counter logs of perfmon, typeperf and esxtop (PDH-CSV): wide tables of rates and mean times, of which
//! `--columns` names those to be read.

mod heads;

use std::io::BufRead;

use isotherm_frame::{
    Clock, Frame, Histogram, Nanos, Partial, Place, Quality, Reading, Series, Timestamp, Unit,
};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use self::heads::{Heads, cells, unit_in};
use crate::number::shown;
use crate::sink::reject;
use crate::{Context, DecodeError, Line, LineReader, Note, Sink};

const MARK: &[u8] = b"(PDH-CSV 4.0)";
const FIRST: &str = "the first sample is left out: how long it counted is not known";
const TOTALS: &str = "the instance _Total is left out: it has the others together";

/// Whether a text is such a log.
pub(crate) fn begins_in(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    head.strip_prefix(b"\"").unwrap_or(head).starts_with(MARK)
}

/// How such a log can be read: the line to type.
pub(crate) fn advice(head: &[u8]) -> Option<String> {
    if !begins_in(head) {
        return None;
    }
    let line = head.trim_ascii_start().split(|byte| *byte == b'\n').next().unwrap_or_default();
    let example = Heads::read(&String::from_utf8_lossy(line)).and_then(|heads| heads.example());
    Some(match example {
        Some((mean, rate)) => format!("read its averages with --columns '{mean},rate={rate}'"),
        None => "read its averages with --columns 'latency_s=HEAD,rate=HEAD': the counters of the mean time and of \
                 how many a second, as the first line names them"
            .to_owned(),
    })
}

/// A mean time and a rate of one object.
struct Pair {
    series: Series,
    mean: usize,
    rate: usize,
}

/// What `--columns` asks for.
struct Asked<'c> {
    mean: &'c str,
    unit: Unit,
    rate: &'c str,
}

impl Asked<'_> {
    fn of(context: &Context) -> Option<Asked<'_>> {
        let (mut mean, mut rate) = (None, None);
        for name in &context.columns.as_ref()?.names {
            let (role, head) = name.split_once('=')?;
            match role.trim() {
                "rate" => rate = Some(head.trim()),
                "latency" => mean = Some((head.trim(), context.unit?)),
                // There is only one.
                "time" => {}
                role => mean = Some((head.trim(), role.strip_prefix("latency_")?.parse().ok()?)),
            }
        }
        let ((mean, unit), rate) = mean.zip(rate)?;
        Some(Asked { mean, unit, rate })
    }
}

/// Reads the counters that `--columns` names.
pub(crate) fn read(
    input: &mut (dyn BufRead + Send),
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let mut lines = LineReader::new(input);
    let head = loop {
        let Some(line) = lines.next_line()? else { return Ok(()) };
        if line.cut {
            let text = "the line of the counters' names is longer than 1 MiB: log fewer of them";
            return Err(DecodeError::Nothing(text.to_owned()));
        }
        // typeperf begins with an empty line.
        if !line.bytes.trim_ascii().is_empty() {
            break line.text().into_owned();
        }
    };
    let refused =
        |why: String| DecodeError::Nothing(format!("this counter log is not read: {why}"));
    let how = || advice(head.as_bytes()).unwrap_or_default();
    let heads = Heads::read(&head)
        .ok_or_else(|| refused("its first line names no counters, or no time zone".to_owned()))?;
    if !context.by.is_empty() || !context.only.is_empty() {
        return Err(refused(
            "--by and --where are for single events, and it has averages".to_owned(),
        ));
    }
    let asked = Asked::of(context).ok_or_else(|| refused(how()))?;
    let pairs = pairs(&heads, &asked, sink).map_err(refused)?;
    in_its_unit(&heads, &pairs, asked.unit).map_err(refused)?;
    sink.note(Note::Clock(Clock::Epoch));
    let mut samples = Samples { heads: &heads, pairs, unit: asked.unit, from: None };
    lines.each(|line| samples.line(line, sink))
}

/// The counters with a name like the mean's, each with the rate of the same object.
fn pairs(heads: &Heads, asked: &Asked<'_>, sink: &mut dyn Sink) -> Result<Vec<Pair>, String> {
    let means = heads.like(asked.mean)?;
    let rates = heads.like(asked.rate)?;
    let mut pairs = Vec::new();
    for mean in means {
        let of_mean = &heads.counters[mean];
        let rate = rates.iter().find(|rate| heads.counters[**rate].is_of_object_of(of_mean));
        let Some(rate) = rate else {
            return Err(format!(
                "there is no counter like '{}' beside '{}'",
                asked.rate, of_mean.whole
            ));
        };
        pairs.push(Pair { series: of_mean.series(), mean, rate: *rate });
    }
    let is_total = |pair: &Pair| heads.counters[pair.mean].instance == "_Total";
    if pairs.iter().any(is_total) && !pairs.iter().all(is_total) {
        sink.note(Note::Said(TOTALS.into()));
        pairs.retain(|pair| !is_total(pair));
    }
    one_object(heads, &pairs, asked)?;
    Ok(pairs)
}

/// A counter that names its unit is read in no other: a thousandfold would be taken for a measurement.
fn in_its_unit(heads: &Heads, pairs: &[Pair], asked: Unit) -> Result<(), String> {
    for pair in pairs {
        let counter = &heads.counters[pair.mean];
        if let Some(own) = unit_in(&counter.name).filter(|own| *own != asked) {
            return Err(format!(
                "the counter '{}' is in {own} by its name, not in {asked}: use latency_{own}={}",
                counter.name, counter.name
            ));
        }
    }
    Ok(())
}

/// Several objects count the same operations: a disk and its volumes, an adapter and its paths.
fn one_object(heads: &Heads, pairs: &[Pair], asked: &Asked<'_>) -> Result<(), String> {
    let mut objects: Vec<&str> =
        pairs.iter().map(|pair| heads.counters[pair.mean].object.as_str()).collect();
    objects.sort_unstable();
    objects.dedup();
    let [first, _, ..] = objects[..] else { return Ok(()) };
    Err(format!(
        "several objects have such counters, which may count the same operations: {}; name one of them: \
         --columns 'latency_{}={first}\\{},rate={}'",
        objects.join(", "),
        asked.unit,
        asked.mean,
        asked.rate,
    ))
}

/// The samples, each of the time since the one before.
struct Samples<'h> {
    heads: &'h Heads,
    pairs: Vec<Pair>,
    unit: Unit,
    from: Option<Timestamp>,
}

impl Samples<'_> {
    const CUT: &'static str = "the input ends in the middle of this line";

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let text = line.text();
        if !text.starts_with('"') {
            // `The command completed successfully.`
            return sink.note(Note::Ignored);
        }
        let cells = cells(&text, self.heads.separator);
        let width = self.heads.counters.len() + 1;
        let is_whole = text.trim_end().ends_with('"');
        if line.cut || !line.ended && (cells.len() < width || !is_whole) {
            return self.lose(line.place, Samples::CUT.to_owned(), sink);
        }
        if cells.len() < width {
            let why = format!("{} columns instead of {width}", cells.len());
            return self.lose(line.place, why, sink);
        }
        let Some(at) = time(&cells[0], self.heads.offset_minutes) else {
            let why = format!(
                "'{}' is no time such as 03/31/2026 10:00:00.000",
                shown(cells[0].as_bytes())
            );
            return self.lose(line.place, why, sink);
        };
        match self.from.replace(at) {
            None => sink.note(Note::Said(FIRST.into())),
            Some(from) if from >= at => {
                reject(sink, line.place, "the time is not after that of the sample before", 0);
            }
            Some(from) => {
                sink.record();
                self.sample(&cells, (from, at), line.place, sink);
            }
        }
    }

    /// A sample of which the time or a column is not known: the next one is of a time that is not known.
    fn lose(&mut self, place: Place, why: String, sink: &mut dyn Sink) {
        reject(sink, place, why, 0);
        self.from = None;
    }

    fn sample(
        &self,
        cells: &[String],
        (start, end): (Timestamp, Timestamp),
        place: Place,
        sink: &mut dyn Sink,
    ) {
        let seconds = end.since(start).as_secs_f64();
        for Pair { series, mean, rate } in &self.pairs {
            let number = |index: usize| {
                let text = cells[index + 1].trim().replace(',', ".");
                let number = text.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
                let counter = &self.heads.counters[index].whole;
                number.ok_or_else(|| {
                    format!("'{}' is no number for {counter}", shown(text.as_bytes()))
                })
            };
            let counts = number(*mean).and_then(|mean| {
                let unit_s = self.unit.as_nanos().as_secs_f64();
                averages(number(*rate)? * seconds, mean * unit_s)
            });
            match counts {
                Ok(counts) => {
                    let (series, quality) = (series.clone(), Quality::Partial(Partial::FromRates));
                    sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
                }
                Err(why) => reject(sink, place, why, 0),
            }
        }
    }
}

/// So many events of this mean: a whole number of them, and the time of all.
fn averages(events: f64, mean_s: f64) -> Result<Histogram, String> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let whole = events.round() as u64;
    let total = Nanos::from_secs_f64(whole as f64 * mean_s);
    let total = total.ok_or_else(|| "the time of a sample is too large to be true".to_owned())?;
    Ok(Histogram::of_averages(whole, total).with_partly_known_sum(total))
}

/// `03/31/2026 10:00:00.123`, in a zone so far east.
fn time(text: &str, offset_minutes: i64) -> Option<Timestamp> {
    let (date, clock) = text.trim().split_once(' ')?;
    let mut date = date.split('/').map(str::parse::<i16>);
    let (month, day, year) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let mut clock = clock.split(':').map(str::parse::<i8>);
    let (hour, minute, second) = (clock.next()?.ok()?, clock.next()?.ok()?, clock.next()?.ok()?);
    let digits = fraction.len() <= 9 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let nanos = format!("{fraction:0<9}").parse().ok().filter(|_| digits)?;
    let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    let local = DateTime::new(year, month, day, hour, minute, second, nanos).ok()?;
    let utc = local.to_zoned(TimeZone::UTC).ok()?.timestamp().as_nanosecond();
    let offset = i128::from(offset_minutes) * 60_000_000_000;
    i64::try_from(utc - offset).ok().map(Timestamp::new)
}

#[cfg(test)]
mod tests;
