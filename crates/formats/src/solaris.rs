//! Latency histograms of Solaris, as `iostat -x -L` prints them.

use std::io::BufRead;

use isotherm_frame::{Histogram, Place, Scheme, Series};

use crate::lines::first_lines;
use crate::number;
use crate::prints::Prints;
use crate::sink::reject;
use crate::stamp::StampReader;
use crate::{
    Context, Counting, DecodeError, Line, LineReader, Meta, Need, Note, ReadingOption, Sink, Source,
    Verdict,
};

/// Reads what `iostat -x -L` prints.
pub(crate) struct Solaris;

pub(crate) static SOURCE: Solaris = Solaris;

static META: Meta = Meta {
    name: "solaris",
    address: "FILE or -",
    about: "Oracle Solaris 11.4: latency histograms of devices, as iostat -x -L prints them, \
            repeatedly",
    needs: &[
        Need { what: "Solaris 11.4", how: "iostat -x -L sd0" },
        Need {
            what: "totals, printed repeatedly",
            how: "a loop, without an interval argument to iostat: the format of its output with an \
                  interval is not known",
        },
    ],
    command: "while sleep 5; do date +%s; iostat -x -L sd0; done | isotherm live -",
    overhead: "Not measured.",
    loses: "The exact latency within a bucket: bucket bounds are powers of two of nanoseconds, and \
        1us means 1,024 ns, because 1-2us follows 512-1024ns. The exact total time, and whether a \
        request was a read or a write. Counts are totals since the machine was started; a single \
        print is one interval of unknown length. This source was written from published output of \
        Solaris 11.4 and was never run there. With an interval argument (iostat -x -L 5) it is not \
        known whether counts are per interval or per second: counts that fall are treated as a \
        counter reset, and the interval is a gap.",
    counting: Counting::Totals("a reboot"),
    exact_time: false,
    example: "\
device     r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b
sd2        0,7    0,8   10,3    0,8  0,0  0,0    0,0    0,2   0   0
latency          range         count      density distribution
               16-32us            10        5,00%       26,00%
               32-64us            25       12,50%       38,50%
",
    interpretation: "Two rows of a table. 10 requests took 16,384 to 32,767 nanoseconds and 25 \
        took up to 65,535; 38.5 % of all requests took less than that.",
};

/// Why a table is of no use that comes after no line of a device's statistics.
const NO_DEVICE: &str = "no device before this table: print it with the line of its statistics (iostat -x -L)";

/// One row: `32-64us   25   12,50%   38,50%`.
#[derive(Debug, PartialEq)]
struct Row<'a> {
    lo_ns: u64,
    hi_ns: u64,
    count: &'a str,
    /// Whether it says that all requests are in it and in the rows before.
    is_last: bool,
}

/// The rows of a table up to now.
struct Open {
    place: Place,
    bounds: Vec<u64>,
    counts: Vec<u64>,
    is_whole: bool,
    damage: Option<String>,
}

struct Reader<'c> {
    prints: Prints<'c>,
    stamps: StampReader,
    device: String,
    open: Option<Open>,
}

impl Source for Solaris {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let mine = first_lines(head).any(|line| is_header(&String::from_utf8_lossy(line)));
        if mine { Verdict::Yes } else { Verdict::No }
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Unit]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let (prints, stamps) = (Prints::totals(context), StampReader::new(context));
        let mut reader = Reader { prints, stamps, device: String::new(), open: None };
        let mut lines = LineReader::new(input);
        while let Some(line) = lines.next_line()? {
            reader.line(line, sink);
        }
        reader.give(sink);
        reader.prints.finish(sink);
        Ok(())
    }
}

impl Reader<'_> {
    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let text = line.text();
        let text = text.trim();
        if text.is_empty() || is_columns(text) || text == "extended device statistics" {
            return;
        }
        if is_header(text) {
            self.give(sink);
            self.open = Some(Open::new(line.place));
        } else if let (Some(open), Some(row)) = (&mut self.open, row(text)) {
            open.take(&row, line.ended);
        } else if let Some(stamp) = self.stamps.stamp_or_date(text, sink) {
            self.give(sink);
            self.prints.begin(stamp, sink);
        } else if let Some(device) = device(text) {
            self.give(sink);
            device.clone_into(&mut self.device);
        } else {
            // If it stands in the place of a row, the next row does not follow the one before.
            sink.note(Note::Ignored);
        }
    }

    /// Tells the table that is complete, or cut. The next one is of the device that is named after it.
    fn give(&mut self, sink: &mut dyn Sink) {
        let Some(open) = self.open.take() else { return };
        let (place, device) = (open.place, std::mem::take(&mut self.device));
        let events = open.counts.iter().fold(0_u64, |all, count| all.saturating_add(*count));
        if device.is_empty() {
            return reject(sink, place, NO_DEVICE, events);
        }
        let series = Series::with_attributes("disk I/O", [("device", device)]);
        match open.histogram() {
            Ok(histogram) => self.prints.histogram(&series, histogram, sink),
            Err(why) => {
                reject(sink, place, why, events);
                self.prints.damaged(&series, sink);
            }
        }
    }
}

impl Open {
    fn new(place: Place) -> Open {
        Open { place, bounds: vec![0], counts: Vec::new(), is_whole: false, damage: None }
    }

    /// Takes a row; one that is not `ended` may lack digits.
    fn take(&mut self, row: &Row<'_>, ended: bool) {
        if self.bounds.last() != Some(&row.lo_ns) {
            self.damage.get_or_insert("a row does not follow the one before".to_owned());
        }
        self.bounds.push(row.hi_ns);
        self.is_whole |= row.is_last && ended;
        self.counts.push(number::whole(row.count.as_bytes()).unwrap_or_else(|wrong| {
            self.damage.get_or_insert(wrong.about("count", row.count.as_bytes()));
            0
        }));
    }

    fn histogram(self) -> Result<Histogram, String> {
        let counted = self.counts.iter().any(|count| *count > 0);
        let cut = (counted && !self.is_whole || self.counts.is_empty())
            .then(|| "the table is cut short: no row reaches 100 %".to_owned());
        if let Some(why) = self.damage.or(cut) {
            return Err(why);
        }
        let scheme = Scheme::new(self.bounds).map_err(|error| error.to_string())?;
        Histogram::new(scheme, self.counts, None).map_err(|error| error.to_string())
    }
}

fn is_header(line: &str) -> bool {
    let words = ["latency", "range", "count", "density", "distribution"];
    line.split_whitespace().eq(words)
}

/// Whether a line names the columns of the statistics, with the device first or, with -n, last.
fn is_columns(line: &str) -> bool {
    let has = |name: &str| line.split_whitespace().any(|word| word == name);
    has("device") && has("r/s")
}

/// The device of a line of its statistics: a name and ten numbers, or these and then the name.
fn device(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_number =
        |word: &str| word.bytes().all(|byte| byte.is_ascii_digit() || b".,".contains(&byte));
    let (name, numbers) = match words.as_slice() {
        [name, numbers @ ..] if !is_number(name) => (name, numbers),
        [numbers @ .., name] if !is_number(name) => (name, numbers),
        _ => return None,
    };
    (numbers.len() >= 9 && numbers.iter().all(|word| is_number(word))).then_some(name)
}

/// A line as a row, if it is one.
fn row(line: &str) -> Option<Row<'_>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [range, count, _, reached] = words[..] else { return None };
    let reached = reached.strip_suffix('%')?.replace(',', ".");
    let is_last = reached.parse::<f64>().ok()? >= 100.0;
    let digits = range.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    // 1us is 1,024 ns: the buckets are powers of two.
    let unit_ns = match &range[digits.len()..] {
        "ns" => 1,
        "us" => 1 << 10,
        "ms" => 1 << 20,
        "s" => 1 << 30,
        _ => return None,
    };
    let ns = |text: &str| text.parse::<u64>().ok()?.checked_mul(unit_ns);
    let (lo_ns, hi_ns) = match digits.split_once('-') {
        Some((lo, hi)) => (ns(lo)?, ns(hi)?),
        None if digits.starts_with('<') => (0, ns(digits.trim_start_matches(['<', '=']))?),
        None => (ns(digits.strip_prefix('>')?.trim_start_matches('='))?, Scheme::UNBOUNDED),
    };
    Some(Row { lo_ns, hi_ns, count, is_last })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_other_lines_are_none() {
        for (line, lo_ns, hi_ns, is_last) in [
            ("<1ns            38        0,05%        0,05%", 0, 1, false),
            ("512-1024ns      38        0,05%        0,05%", 512, 1_024, false),
            ("1-2us           38        0.05%        100.00%", 1_024, 2_048, true),
            (">=8s            38        0,05%        100,00%", 8 << 30, u64::MAX, true),
        ] {
            assert_eq!(row(line), Some(Row { lo_ns, hi_ns, count: "38", is_last }), "{line}");
        }
        for line in ["", "sd0 2,1 11,0", "1-2 5 0% 0%", "a-bus 5 0% 0%"] {
            assert_eq!(row(line), None, "{line}");
        }
        assert_eq!(device("sd0  2,1 11,0 52,5 69,4 0,0 0,0 0,1 0,3 0 0"), Some("sd0"));
        assert_eq!(device("2.1 11.0 52.5 69.4 0.0 0.0 0.1 0.3 0 0 c0t1d0"), Some("c0t1d0"));
        assert_eq!(device("2.1 11.0 52.5 69.4 0.0 0.0 0.1 0.3 0 0"), None);
        assert_eq!(device("sd0 2.1 11.0 52.5 69.4 0.0 0.0 0.1 0.3 0 sd1"), None);
        assert_eq!(device("Mon Nov 23 05:49:28 2026"), None);
        assert!(is_columns("r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device"));
    }
}
