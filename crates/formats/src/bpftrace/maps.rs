//! The histograms of bpftrace's maps: which unit they count in, and which are no latencies.

use std::collections::BTreeSet;

use isotherm_frame::{Nanos, Rejection, Series, Unit};

use super::block::Block;
use super::declared::{Declaration, Declarations};
use super::halves::Halves;

use crate::printed::{self, Layout};
use crate::prints::Prints;
use crate::stamp::Stamp;
use crate::{Context, Note, Sink, Temporality};

/// Gives the histograms of maps their units and passes them on.
#[derive(Debug)]
pub(super) struct Maps<'c> {
    prints: Prints<'c>,
    /// The unit the user gave.
    given: Option<Unit>,
    /// The unit of maps whose names do not tell: decided once, so that no series changes it.
    otherwise: Option<Unit>,
    /// Histograms of the present print that wait for that decision.
    waiting: Vec<Block>,
    /// Whether it was said which unit that is.
    said_unit: bool,
    /// Names of maps that are no latencies.
    skipped: BTreeSet<String>,
    /// What the program says of its maps.
    declarations: Declarations,
    /// Histograms of the present print whose series it declared.
    halves: Halves,
}

impl<'c> Maps<'c> {
    const TRUNCATED: &'static str = "counts in the bucket from 2^31: before bpftrace 0.20 hist() \
        kept 32 bits only, and longer latencies than 2^31 units are in that bucket too";
    const UNENDED: &'static str = "the input ends without the empty line that bpftrace prints after \
        every map: it may be cut, and then the longest latencies";
    const NEGATIVE: &'static str = "negative values are not latencies";

    /// Nothing read yet.
    pub(super) fn new(context: &'c Context) -> Maps<'c> {
        Maps {
            prints: Prints::new(context, Temporality::Auto),
            given: context.unit,
            otherwise: None,
            waiting: Vec::new(),
            said_unit: false,
            skipped: BTreeSet::new(),
            declarations: Declarations::default(),
            halves: Halves::default(),
        }
    }

    /// The program says something of its maps.
    pub(super) fn declare(&mut self, declaration: &Declaration<'_>) {
        if *declaration == Declaration::Totals {
            self.prints.totals_from_zero();
        }
        self.declarations.learn(declaration);
    }

    /// A time was printed.
    pub(super) fn stamp(&mut self, stamp: Stamp, sink: &mut dyn Sink) {
        self.stop_waiting(sink);
        self.join_halves(sink);
        self.prints.begin(stamp, sink);
    }

    /// A histogram was printed.
    pub(super) fn block(&mut self, block: Block, sink: &mut dyn Sink) {
        if let Some((series, unit)) = self.declarations.series(&block.name, block.key.as_deref()) {
            if self.halves.holds(&block) {
                self.join_halves(sink);
            }
            Maps::notice_truncated(&block, sink);
            self.halves.add(series, block, unit);
            return;
        }
        let hint = Unit::of_name(&block.name);
        if hint.is_none() && measures_size(&block.name) {
            self.skip(&block, sink);
            return;
        }
        match self.given.or(hint).or(self.otherwise) {
            _ if block.damage.is_some() => self.refuse(&series(&block), &block, sink),
            Some(unit) => {
                if self.otherwise.is_none() {
                    self.decide(unit, sink);
                }
                self.pass_on(&block, unit, sink);
            }
            None => self.wait(block, sink),
        }
    }

    /// The input has ended.
    pub(super) fn finish(mut self, sink: &mut dyn Sink) {
        self.stop_waiting(sink);
        self.join_halves(sink);
        self.prints.finish(sink);
    }

    /// The print is complete: the histograms whose series the program declared are, too.
    fn join_halves(&mut self, sink: &mut dyn Sink) {
        for (series, block, unit) in self.halves.take() {
            self.tell(&series, &block, unit, sink);
        }
    }

    fn skip(&mut self, block: &Block, sink: &mut dyn Sink) {
        let events = block.events();
        if events > 0 {
            let reason = format!("{} counts sizes: not a latency", block.name);
            sink.reject(Rejection { place: block.place, reason: reason.into(), events });
        }
        if self.skipped.insert(block.name.clone()) {
            let words = format!(
                "{} is left out: its name says that it counts sizes, not times",
                block.name
            );
            sink.note(Note::Said(words.into()));
        }
    }

    /// Holds a histogram back until another map of the same print tells its unit.
    fn wait(&mut self, block: Block, sink: &mut dyn Sink) {
        let same = |other: &Block| other.name == block.name && other.key == block.key;
        if self.waiting.iter().any(same) {
            self.stop_waiting(sink);
        }
        match self.otherwise {
            Some(unit) => self.pass_on(&block, unit, sink),
            None => self.waiting.push(block),
        }
    }

    /// The print is complete and no map declared a unit.
    fn stop_waiting(&mut self, sink: &mut dyn Sink) {
        if !self.waiting.is_empty() {
            self.decide(Unit::Nanos, sink);
        }
    }

    /// From here on `unit` is the unit of maps whose names do not tell.
    fn decide(&mut self, unit: Unit, sink: &mut dyn Sink) {
        self.otherwise = Some(unit);
        for block in std::mem::take(&mut self.waiting) {
            self.pass_on(&block, unit, sink);
        }
    }

    fn pass_on(&mut self, block: &Block, unit: Unit, sink: &mut dyn Sink) {
        if self.given.is_none() && !self.said_unit && Unit::of_name(&block.name).is_none() {
            self.said_unit = true;
            let (first, others) = (&block.name, "of every map without a unit in its name");
            let words = format!("the unit of {first} and {others} is taken to be {unit} (--unit)");
            sink.note(Note::Said(words.into()));
        }
        Maps::notice_truncated(block, sink);
        self.tell(&series(block), block, unit.as_nanos(), sink);
    }

    fn notice_truncated(block: &Block, sink: &mut dyn Sink) {
        if block.may_be_truncated() {
            sink.note(Note::Said(Maps::TRUNCATED.into()));
        }
    }

    /// Tells what was counted in multiples of `unit`.
    fn tell(&mut self, series: &Series, block: &Block, unit: Nanos, sink: &mut dyn Sink) {
        if block.damage.is_some() {
            self.refuse(series, block, sink);
            return;
        }
        if block.negatives > 0 {
            let (place, events) = (block.negatives_at, block.negatives);
            sink.reject(Rejection { place, reason: Maps::NEGATIVE.into(), events });
        }
        match printed::histogram(&block.rows, unit, Layout::PowersOfTwo) {
            Ok(counts) => match block.unended {
                None => self.prints.histogram(series, counts, sink),
                Some(place) => {
                    let (words, name) = (Maps::UNENDED, &block.name);
                    sink.note(Note::Said(format!("{words} of {name} may be missing").into()));
                    self.prints.unended(series, counts, place, sink);
                }
            },
            Err(error) => {
                let mut block = Block { negatives: 0, ..block.clone() };
                block.damage(block.place, format!("{}: {error}", block.name));
                self.refuse(series, &block, sink);
            }
        }
    }

    /// A histogram that cannot be read as a whole is not read at all: a part of a total would look
    /// like a fall, and a part of an interval like all of it.
    fn refuse(&mut self, series: &Series, block: &Block, sink: &mut dyn Sink) {
        if let Some((place, reason)) = block.damage.clone() {
            sink.reject(Rejection { place, reason, events: block.events() });
        }
        self.prints.damaged(series, sink);
    }
}

fn series(block: &Block) -> Series {
    Series::with_attributes(&*block.name, block.key.iter().map(|key| ("key", key.as_str())))
}

/// The words of a map's name.
fn words(name: &str) -> impl Iterator<Item = String> + '_ {
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
}

/// Whether a map's name says that it counts sizes.
fn measures_size(name: &str) -> bool {
    const ENDINGS: [&str; 8] =
        ["bytes", "byte", "size", "sizes", "sectors", "sector", "len", "length"];
    words(name).any(|word| ENDINGS.iter().any(|ending| word.ends_with(ending)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_sizes() {
        for name in ["@bytes", "@rx_bytes", "@qlen", "@io_size", "@sectors"] {
            assert!(measures_size(name), "{name}");
        }
        for name in ["@usecs", "@lat", "@bytewise_us_x", "@"] {
            assert!(!measures_size(name), "{name}");
        }
    }
}
