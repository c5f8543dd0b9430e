//! Latency histograms of ONTAP, as `stats show` prints them.

use std::collections::BTreeMap;
use std::io::BufRead;

use isotherm_frame::{Histogram, Nanos, Place, Scheme, Series, Unit};

use crate::lines::first_lines;
use crate::number;
use crate::prints::Prints;
use crate::sink::reject;
use crate::stamp::StampReader;
use crate::{
    Context, Counting, DecodeError, Line, LineReader, Meta, Need, Note, Sink, Source, Temporality,
    Verdict,
};

/// Reads what `stats show` prints.
pub(crate) struct Ontap;

pub(crate) static SOURCE: Ontap = Ontap;

static META: Meta = Meta {
    name: "ontap",
    address: "FILE or -",
    about: "NetApp ONTAP: latency histograms of volumes and protocols, as stats show prints them, \
        once or repeatedly",
    needs: &[Need {
        what: "the right to run statistics on a node",
        how: "system node run -node NODE stats show -r -n 1000 -i 1 \
            volume:VOLUME:nfs_protocol_read_latency",
    }],
    command: "ssh admin@cluster 'system node run -node NODE stats show -r -n 60 -i 1 \
        volume:myvol1:nfs_protocol_read_latency' | isotherm live -",
    overhead: "Not measured. ONTAP keeps the counts in any case, and prints about 45 lines for \
               each histogram.",
    loses: "The exact latency within a bucket: there are about 40 buckets from 20 microseconds to \
        120 seconds, with the printed bounds. The exact total time. ONTAP does not print whether \
        counts are totals or per interval: if counts fall from print to print, isotherm reads them \
        as counts per interval (--temporality). Without timestamps between the prints, isotherm \
        assumes one print per interval (--interval). A histogram without its last rows, as on \
        slides, is read with a warning: longer latencies are not in it. It is rejected if an earlier \
        one of the same counter has more rows.",
    counting: Counting::Varies(
        "ONTAP does not print which: isotherm reads totals if no count falls from print to \
        print, and increments otherwise, and says which (--temporality overrides this). A total \
        that falls later was reset.",
    ),
    exact_time: false,
    example: "\
volume:myvol1:nfs_protocol_read_latency.<20us:2656
volume:myvol1:nfs_protocol_read_latency.<40us:25885
volume:myvol1:nfs_protocol_read_latency.<60us:1040
",
    interpretation: "2,656 reads took less than 20 microseconds, 25,885 took 20 to 40: each row \
        counts the reads between the previous bound and its own.",
};

/// One row: `volume:myvol1:nfs_protocol_read_latency.<20us:2656`.
#[derive(Debug, PartialEq)]
struct Row<'a> {
    series: &'a str,
    /// The upper bound in nanoseconds; that of the last row has none.
    bound_ns: u64,
    count: &'a str,
}

/// The rows of one histogram up to now.
struct Open {
    place: Place,
    name: String,
    bounds: Vec<u64>,
    counts: Vec<u64>,
    /// Why they cannot be used.
    damage: Option<String>,
}

struct Reader<'c> {
    prints: Prints<'c>,
    stamps: StampReader,
    open: Option<Open>,
    /// The last bound of the first histogram of each counter.
    ends: BTreeMap<String, u64>,
}

impl Source for Ontap {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let is_row = |line: &[u8]| row(&String::from_utf8_lossy(line)).is_some();
        if first_lines(head).any(is_row) { Verdict::Yes } else { Verdict::No }
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let prints = Prints::new(context, Temporality::Auto);
        let stamps = StampReader::new(context);
        let mut reader = Reader { prints, stamps, open: None, ends: BTreeMap::new() };
        LineReader::new(input).each(|line| reader.line(line, sink))?;
        reader.give(sink);
        reader.prints.finish(sink);
        Ok(())
    }
}

impl Reader<'_> {
    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let text = line.text();
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let Some(row) = row(text) else {
            if let Some(open) = self.open.as_mut().filter(|open| open.is_cut_by(text, line.ended)) {
                open.damage.get_or_insert_with(|| CUT.to_owned());
            } else if let Some(stamp) = self.stamps.read(text, sink) {
                self.give(sink);
                self.prints.begin(stamp, sink);
            } else {
                sink.note(Note::Ignored);
            }
            return;
        };
        let follows = self.open.as_ref().is_some_and(|open| open.is_followed_by(&row));
        if !follows {
            self.give(sink);
        }
        let open = self.open.get_or_insert_with(|| Open::new(line.place, row.series));
        // The last number of a text that is cut short may lack digits.
        open.take(&row, line.ended || row.bound_ns == Scheme::UNBOUNDED);
        if row.bound_ns == Scheme::UNBOUNDED {
            self.give(sink);
        }
    }

    /// Tells the histogram that is complete.
    fn give(&mut self, sink: &mut dyn Sink) {
        let Some(open) = self.open.take() else { return };
        let series = Series::named(open.name.as_str());
        let events = open.counts.iter().fold(0_u64, |all, count| all.saturating_add(*count));
        let end = open.bounds.last().copied().unwrap_or_default();
        let first_end = *self.ends.entry(open.name.clone()).or_insert(end);
        let other = (end < first_end).then(|| OTHERS_HAVE_MORE.to_owned());
        let histogram = match open.damage.or(other) {
            Some(why) => Err(why),
            None => Scheme::new(open.bounds).map_err(|error| error.to_string()).and_then(|scheme| {
                Histogram::new(scheme, open.counts, None).map_err(|error| error.to_string())
            }),
        };
        match histogram {
            Ok(histogram) => {
                if end != Scheme::UNBOUNDED {
                    sink.note(Note::Said(rows_missing(Nanos::new(end)).into()));
                }
                self.prints.histogram(&series, histogram, sink);
            }
            Err(why) => {
                reject(sink, open.place, why, events);
                self.prints.damaged(&series, sink);
            }
        }
    }
}

impl Open {
    fn new(place: Place, name: &str) -> Open {
        let (bounds, counts) = (vec![0], Vec::new());
        Open { place, name: name.to_owned(), bounds, counts, damage: None }
    }

    /// Whether the row is of the same histogram.
    fn is_followed_by(&self, row: &Row<'_>) -> bool {
        self.name == row.series && self.bounds.last().is_some_and(|last| row.bound_ns > *last)
    }

    /// Whether a line that is no row is the beginning of one.
    fn is_cut_by(&self, text: &str, ended: bool) -> bool {
        !ended || text.starts_with(&self.name)
    }

    fn take(&mut self, row: &Row<'_>, ended: bool) {
        self.bounds.push(row.bound_ns);
        match number::whole(row.count.as_bytes()) {
            Ok(count) => {
                self.counts.push(count);
                if !ended {
                    self.damage.get_or_insert_with(|| CUT.to_owned());
                }
            }
            Err(wrong) => {
                self.counts.push(0);
                self.damage.get_or_insert(wrong.about("count", row.count.as_bytes()));
            }
        }
    }
}

const CUT: &str = "the input ends in the middle of this histogram";
const OTHERS_HAVE_MORE: &str =
    "the histogram is cut short: an earlier one of the same counter has more rows";

/// What is said of a histogram without its last rows.
fn rows_missing(end: Nanos) -> String {
    format!("the last row (>120s) is missing: latencies of {end} and more are not counted")
}

/// A line as a row, if it is one.
fn row(line: &str) -> Option<Row<'_>> {
    let (before, count) = line.trim().rsplit_once(':')?;
    let (series, bound) = before.rsplit_once('.')?;
    if !series.contains(':') || !series.contains("latency") {
        return None;
    }
    let bound_ns = match bound.split_at_checked(1)? {
        ("<", bound) => bound_ns(bound)?,
        (">", bound) => bound_ns(bound).map(|_| Scheme::UNBOUNDED)?,
        _ => return None,
    };
    Some(Row { series, bound_ns, count })
}

/// `20us`, `4ms` or `120s`.
fn bound_ns(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let unit = match unit {
        "us" => Unit::Micros,
        "ms" => Unit::Millis,
        "s" => Unit::Seconds,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit.as_nanos().as_nanos()).filter(|ns| *ns > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_other_lines_are_none() {
        let series = "volume:v.1:nfs_protocol_read_latency";
        for (end, bound_ns, count) in
            [("<20us:2656", 20_000, "2656"), ("<4ms:0", 4_000_000, "0"), (">120s:1", u64::MAX, "1")]
        {
            let line = format!("{series}.{end}");
            assert_eq!(row(&line), Some(Row { series, bound_ns, count }), "{line}");
        }
        for other in ["", "a:b", "volume:v:read_latency:12us", "x:cifs_latency.<us:3", "1:2.<3s:4"] {
            assert_eq!(row(other), None, "{other}");
        }
    }
}
