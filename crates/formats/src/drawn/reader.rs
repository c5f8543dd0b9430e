//! Output in which drawn histograms stand between other lines.

use std::collections::BTreeMap;
use std::io::BufRead;

use isotherm_frame::{Clock, Histogram, Nanos, Place, Rejection, Series, Timestamp, Unit};

use super::Drawn;
use super::cut_title::{CutTitle, TextKind};
use super::statistics::statistics;
use crate::calendar;
use crate::named_unit::{names_sizes, unit_of_line, unit_of_title};
use crate::number::shown;
use crate::prints::Prints;
use crate::stamp::Stamp;
use crate::stamp::StampReader;
use crate::{
    Context, DecodeError, Line, LineReader, Meta, Note, Sink, Source, Temporality, Verdict, bars,
    pylatencymap,
};

/// What is particular to a tool.
pub(crate) struct Dialect {
    /// What it is, needs and costs.
    pub(crate) meta: &'static Meta,
    /// Whether a line heads a histogram.
    pub(crate) heads: fn(&str) -> bool,
    /// Whether a line is the beginning of one that does.
    pub(crate) begins_head: fn(&str) -> bool,
    /// Whether a line, with the blanks around it, is a title and can be nothing else.
    pub(crate) is_key: fn(&str) -> bool,
    /// What a line is that only this tool prints; `None` for any other line.
    pub(crate) special: fn(&str) -> Option<Special>,
    /// The unit of latencies if nothing names one.
    pub(crate) unit: Unit,
    /// What is said when that unit is assumed.
    pub(crate) assumed: &'static str,
}

impl Source for Dialect {
    fn meta(&self) -> &'static Meta {
        self.meta
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let mut lines = head.split(|&byte| byte == b'\n');
        let mine = |line: &[u8]| std::str::from_utf8(line).is_ok_and(self.heads);
        let yes = !pylatencymap::begins_in(head) && lines.any(mine);
        if yes { Verdict::Yes } else { Verdict::No }
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut reader = Reader::new(context, self);
        LineReader::new(input).each(|line| reader.line(line, sink))?;
        reader.finish(sink);
        Ok(())
    }
}

/// A line that only one tool prints.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// Rows without events were left out here.
    Elision,
    /// A line that is about nothing of use here.
    Ignored,
    /// The least, the greatest and the like of the histogram below or above.
    Statistics,
    /// So many events were lost.
    Lost(u64),
    /// A timer of this length fired: what follows was printed by it.
    Tick(Nanos),
    /// What follows was printed at another moment.
    Boundary,
    /// The number and the sum of what the histograms above count, in units.
    Total(u64, u64),
}

/// A histogram that waits for its exact total.
struct Waiting {
    series: Series,
    counts: Histogram,
    unit: Unit,
}

/// Reads such output line by line.
pub(crate) struct Reader<'c> {
    context: &'c Context,
    dialect: &'c Dialect,
    prints: Prints<'c>,
    stamps: StampReader,
    open: Option<(Series, Unit, Drawn)>,
    /// The line above, if it may be a title.
    above: Option<String>,
    /// What stands at the end and may be the beginning of a histogram.
    cut_title: CutTitle,
    /// The unit that a line between the histograms names.
    hint: Option<Unit>,
    waiting: Vec<Waiting>,
    /// The least and the greatest value that a title's statistics say, of the histogram above.
    known_extremes: BTreeMap<String, (f64, f64)>,
    /// How many histograms without a title followed the last boundary; `None` before the first.
    untitled: Option<u32>,
    ticks: Ticks,
}

/// The moments of timer lines, counted from the first one's start.
#[derive(Default)]
struct Ticks {
    length: Option<Nanos>,
    fired: u64,
    /// The moment of a tick that printed nothing so far.
    pending: Option<Stamp>,
    /// Dates are printed too: they say more.
    dated: bool,
}

impl<'c> Reader<'c> {
    const CUT: &'static str = "the input ends in the middle of this line";
    const CUT_TOTAL: &'static str =
        "the input ends in a total, which may lack digits: the time of the last print is estimated";
    const TOO_LONG: &'static str = "a line longer than 1 MiB";
    const SIZES: &'static str = "the title names sizes, not latencies";
    const NO_HEADING: &'static str = "a row without a heading above it";
    /// Longer titles are cut.
    const LONGEST_TITLE: usize = 200;

    pub(crate) fn new(context: &'c Context, dialect: &'c Dialect) -> Reader<'c> {
        Reader {
            context,
            dialect,
            prints: Prints::new(context, Temporality::Auto),
            stamps: StampReader::new(context),
            open: None,
            above: None,
            cut_title: CutTitle::default(),
            hint: None,
            waiting: Vec::new(),
            known_extremes: BTreeMap::new(),
            untitled: None,
            ticks: Ticks::default(),
        }
    }

    /// Takes the next line.
    pub(crate) fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let whole = line.text();
        let text = whole.trim();
        if line.cut {
            self.cut_title.goes_on();
            self.refuse(line.place, Reader::TOO_LONG, 0, sink);
        } else if text.is_empty() && !line.ended && self.open.is_some() {
            // The blanks before the label of a row; of a heading without rows the end of the input is said anyway.
            if self.has_rows() {
                self.refuse(line.place, Reader::CUT, 0, sink);
            }
        } else if text.is_empty() {
            self.close(sink);
            self.forget_above(sink);
        } else if (self.dialect.heads)(text) {
            self.close(sink);
            self.begin(line.place, sink);
        } else if let Some(bar) = bars::bar(text) {
            self.forget_above(sink);
            self.cut_title.goes_on();
            self.row(line, bar, sink);
        } else if let Some(special) = (self.dialect.special)(text) {
            let is_cut = !line.ended && matches!(special, Special::Total(..));
            if is_cut {
                sink.note(Note::Said(Reader::CUT_TOTAL.into()));
            }
            self.special(if is_cut { Special::Statistics } else { special }, sink);
        } else if let Some(statistics) = statistics(text) {
            self.extremes(&statistics);
            self.special(Special::Statistics, sink);
        } else if !line.ended && self.open.is_some() && may_begin_row(text) {
            self.refuse(line.place, Reader::CUT, 0, sink);
        } else {
            self.close(sink);
            let is_below_title = self.above.is_some();
            self.other(text, sink);
            if self.above.is_some() {
                let kind = self.kind_of(&whole);
                self.cut_title.text(text, line, is_below_title, kind);
            }
        }
    }

    /// What a line of text shows itself to be.
    fn kind_of(&self, whole: &str) -> TextKind {
        if (self.dialect.begins_head)(whole) {
            TextKind::Heading
        } else if (self.dialect.is_key)(whole) {
            TextKind::Key
        } else {
            TextKind::Any
        }
    }

    /// The input has ended.
    pub(crate) fn finish(mut self, sink: &mut dyn Sink) {
        if let Some((_, _, drawn)) = &mut self.open {
            drawn.expect_end();
        }
        self.close(sink);
        self.cut_title.report(sink);
        self.forget_above(sink);
        self.flush(sink);
        self.prints.finish(sink);
    }

    /// Whether rows of a histogram are being read.
    fn has_rows(&self) -> bool {
        self.open.as_ref().is_some_and(|(_, _, drawn)| !drawn.is_bare())
    }

    fn begin(&mut self, place: Place, sink: &mut dyn Sink) {
        let title = self.above.take();
        self.cut_title.headed(title.as_deref());
        let named = title.as_deref().and_then(unit_of_title);
        let sizes = named.is_none() && title.as_deref().is_some_and(names_sizes);
        let known = self.context.unit.or(named).or(self.hint);
        let unit = known.unwrap_or_else(|| {
            if sizes {
                return self.dialect.unit;
            }
            sink.note(Note::Said(self.dialect.assumed.into()));
            self.dialect.unit
        });
        let series = Series::named(match title {
            Some(title) => name_of(&title),
            None => self.untitled_name(),
        });
        let mut drawn = Drawn::new(place);
        if sizes {
            drawn.damage(place, Reader::SIZES);
        }
        self.open = Some((series, unit, drawn));
    }

    /// Histograms of one print that have no title are numbered, if it is known where prints begin.
    fn untitled_name(&mut self) -> String {
        let Some(count) = &mut self.untitled else { return "latency".to_owned() };
        *count += 1;
        if *count == 1 { "latency".to_owned() } else { format!("latency {count}") }
    }

    fn row(&mut self, line: Line<'_>, bar: bars::Bar<'_>, sink: &mut dyn Sink) {
        let events = bar.count.unwrap_or(0);
        match &mut self.open {
            Some((_, _, drawn)) if line.ended => drawn.row(line.place, bar),
            Some((_, _, drawn)) => drawn.damage(line.place, Reader::CUT),
            None => {
                let reason = Reader::NO_HEADING.into();
                sink.reject(Rejection { place: line.place, reason, events });
            }
        }
    }

    /// Damages the open histogram, or rejects a line outside of any.
    fn refuse(&mut self, place: Place, reason: &'static str, events: u64, sink: &mut dyn Sink) {
        match &mut self.open {
            Some((_, _, drawn)) => drawn.damage(place, reason),
            None => sink.reject(Rejection { place, reason: reason.into(), events }),
        }
    }

    fn special(&mut self, special: Special, sink: &mut dyn Sink) {
        if let (Special::Elision, Some((_, _, drawn))) = (special, &mut self.open) {
            drawn.elide();
            return;
        }
        self.close(sink);
        if let (Special::Statistics | Special::Total(..), Some(_)) = (special, &self.above) {
            // They belong to the histogram that is only headed below them.
            sink.note(Note::Ignored);
            return;
        }
        self.forget_above(sink);
        self.cut_title.goes_on();
        match special {
            Special::Total(count, sum) => self.total(count, sum),
            Special::Lost(events) => sink.note(Note::Lost(events)),
            Special::Statistics | Special::Elision | Special::Ignored => sink.note(Note::Ignored),
            Special::Boundary => {
                self.boundary(sink);
                sink.note(Note::Ignored);
            }
            Special::Tick(length) => {
                self.boundary(sink);
                self.tick(length, sink);
            }
        }
    }

    fn boundary(&mut self, sink: &mut dyn Sink) {
        self.flush(sink);
        self.untitled = Some(0);
    }

    fn tick(&mut self, length: Nanos, sink: &mut dyn Sink) {
        let ticks = &mut self.ticks;
        if ticks.dated || *ticks.length.get_or_insert(length) != length {
            return;
        }
        if let Some(empty) = ticks.pending.take() {
            self.prints.begin(empty, sink);
        }
        ticks.fired += 1;
        let at = Nanos::new(length.as_nanos().saturating_mul(ticks.fired));
        let at = Timestamp::new(0).plus(at);
        ticks.pending = Some(Stamp::Running(at, Clock::Arbitrary));
    }

    /// Any other line: a time, a title, or of no use.
    fn other(&mut self, text: &str, sink: &mut dyn Sink) {
        let stamp = self.stamps.read(text, sink).or_else(|| {
            let date = calendar::date(text)?;
            self.stamps.date(&date, sink)
        });
        self.forget_above(sink);
        if let Some(stamp) = stamp {
            self.boundary(sink);
            self.ticks.dated = true;
            self.ticks.pending = None;
            self.prints.begin(stamp, sink);
        } else {
            self.above = Some(text.chars().take(Reader::LONGEST_TITLE).collect());
        }
    }

    /// The line above was no title.
    fn forget_above(&mut self, sink: &mut dyn Sink) {
        if let Some(above) = self.above.take() {
            self.hint = unit_of_line(&above).or(self.hint);
            sink.note(Note::Ignored);
        }
    }

    /// The histogram being drawn is complete.
    fn close(&mut self, sink: &mut dyn Sink) {
        let Some((series, unit, drawn)) = self.open.take() else { return };
        if drawn.is_bare() {
            return;
        }
        if self.waiting.iter().any(|waiting| waiting.series == series) {
            self.flush(sink);
        }
        if let Some(counts) = drawn.histogram(unit, sink) {
            self.waiting.push(Waiting { series, counts, unit });
        } else {
            self.flush(sink);
            self.begin_pending(sink);
            self.prints.damaged(&series, sink);
        }
        if self.context.is_live() {
            // When it arrived is when it happened: an exact total is not waited for.
            self.flush(sink);
        }
    }

    /// Of totals the least value never grows and the greatest never falls.
    fn extremes(&mut self, statistics: &[(String, f64)]) {
        let value = |name: &str| Some(statistics.iter().find(|(own, _)| own == name)?.1);
        let above = self.above.as_deref().map(name_of);
        let drawn = self.open.as_ref().map(|(series, ..)| series.to_string());
        let (Some(name), Some((least, greatest))) =
            (above.or(drawn), value("min").zip(value("max")))
        else {
            return;
        };
        let before = self.known_extremes.insert(name, (least, greatest));
        if before.is_some_and(|before| least > before.0 || greatest < before.1) {
            self.prints.show_intervals();
        }
    }

    /// The exact total of what was drawn above, where it is of the same events.
    fn total(&mut self, count: u64, sum: u64) {
        for waiting in &mut self.waiting {
            let sum = sum.checked_mul(waiting.unit.as_nanos().as_nanos()).map(Nanos::new);
            if waiting.counts.events() == count && sum.is_some() {
                waiting.counts = waiting.counts.clone().with_sum(sum);
            }
        }
    }

    /// Passes on what waits.
    fn flush(&mut self, sink: &mut dyn Sink) {
        if !self.waiting.is_empty() {
            self.begin_pending(sink);
        }
        for waiting in self.waiting.drain(..) {
            self.prints.histogram(&waiting.series, waiting.counts, sink);
        }
    }

    fn begin_pending(&mut self, sink: &mut dyn Sink) {
        if let Some(stamp) = self.ticks.pending.take() {
            self.prints.begin(stamp, sink);
        }
    }
}

/// Whether a text may be the beginning of a row, up to its bar.
fn may_begin_row(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '<' | '>' | '~'))
        || text.starts_with("abs()")
        || "abs()".starts_with(text)
}

/// A title as a name: without the unit in brackets after it and with single blanks.
fn name_of(title: &str) -> String {
    // Lines such as `=== accept ===` are titles of which the signs are no part.
    let words = title.trim().trim_matches(['=', '-', '*', '#']).trim().trim_end_matches(':');
    let bracketed = words.strip_suffix([')', ']']).and_then(|open| open.rsplit_once(['(', '[']));
    let name = match bracketed {
        Some((name, unit)) if unit.parse::<Unit>().is_ok() => name,
        _ => words,
    };
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() { shown(title.as_bytes()) } else { name }
}
