//! Making a report fit: columns are made of more and more of the finest ones until the document is
//! small enough; what then still does not fit is listed with its totals.

use isotherm_analysis::side_by_side;

use crate::document::data;
use crate::error::ReportError;
use crate::facet::{self, MOST_TILES};
use crate::packed::Packed;
use crate::raster::MOST_COLUMNS;
use crate::report::Report;

/// The largest page, in bytes, unless the user says otherwise.
pub const MOST_BYTES: u64 = 900_000;
/// The size of a page, in bytes, for which parts of entries are drawn coarser and fewer of them.
pub(super) const AIM: usize = 300_000;

/// The fewest columns an entry is drawn in to make room for others.
const LEAST_COLUMNS: u64 = 120;
/// The most and the fewest columns of an entry that is a part of another, where all of its time is
/// drawn finer.
const COLUMNS_OF_PART: (u64, u64) = (240, 60);
/// The columns of all entries together to begin with: more never fit.
const BEGIN_WITH: u64 = 40_000;
/// So many parts stay, however large the page becomes of them.
const LEAST_PARTS: usize = 2;
/// The fewest stretches of time that attributes are counted in.
const LEAST_TILES: u64 = 120;
/// The fewest bytes, before they are compressed, that the counts of an attribute are cut to.
const LEAST_BYTES_OF_FACET: usize = 25_000;

/// The entries with the resolution they are drawn in; none for those that are only listed.
struct Plan<'a> {
    report: &'a Report<'a>,
    packed: Vec<Option<Packed>>,
    /// The most stretches of time, and the most bytes of an attribute.
    tiles: u64,
    facet_bytes: usize,
    /// How much larger the document is than the sum of its parts, compressed one by one.
    bias: f64,
}

/// What may be given up to become smaller.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Sacrifice {
    /// Only what is shown somewhere else, too.
    Parts,
    /// Anything but the totals.
    Anything,
}

/// The document in at most `most` characters, in about `aim` if that costs little; and the indices
/// of the entries it holds.
pub(super) fn fitted(
    report: &Report,
    aim: usize,
    most: usize,
) -> Result<(String, Vec<usize>), ReportError> {
    let mut plan = Plan::begin(report);
    // What differs must not hide a value to save space: attributes are not counted here.
    while plan.estimate_of_maps() > aim.min(most) as f64
        && plan.shrink(aim.min(most), Sacrifice::Parts)
    {}
    loop {
        if plan.estimate() <= most as f64 {
            let (text, drawn) = plan.written()?;
            if text.len() <= most {
                return Ok((text, drawn));
            }
        }
        if !plan.shrink(most, Sacrifice::Anything) {
            let (text, drawn) = plan.written()?;
            let (least, most) = (text.len() as u64, most as u64);
            let fits = least <= most;
            return if fits {
                Ok((text, drawn))
            } else {
                Err(ReportError::TooLarge { least, most })
            };
        }
    }
}

impl<'a> Plan<'a> {
    fn begin(report: &'a Report<'a>) -> Plan<'a> {
        let (tiles, facet_bytes) = (MOST_TILES, facet::MOST_BYTES);
        let mut plan = Plan { report, packed: Vec::new(), tiles, facet_bytes, bias: 1.05 };
        let whole = report.entries.iter().filter(|entry| !entry.part).count();
        let each = (BEGIN_WITH / whole.max(1) as u64).clamp(LEAST_COLUMNS, MOST_COLUMNS);
        let factors = report.entries.iter().enumerate().map(|(index, entry)| {
            let most = if entry.part { each.min(COLUMNS_OF_PART.0) } else { each };
            (index, entry.axis.factor_for(most))
        });
        let factors: Vec<(usize, u64)> = factors.collect();
        plan.packed = report.entries.iter().map(|_| None).collect();
        plan.pack_all(&factors);
        plan
    }

    /// Packs entries, each with this factor.
    fn pack_all(&mut self, factors: &[(usize, u64)]) {
        let packed = side_by_side(factors, |&(index, factor)| self.pack(index, factor));
        for (&(index, _), packed) in factors.iter().zip(packed) {
            self.packed[index] = Some(packed);
        }
    }

    fn pack(&self, index: usize, factor: u64) -> Packed {
        let entry = &self.report.entries[index];
        let facets = (self.tiles, self.facet_bytes);
        Packed::of(&self.report.given[entry.recording], entry, factor, facets)
    }

    /// The size of the document in characters, about.
    fn estimate(&self) -> f64 {
        self.bias * self.packed.iter().flatten().map(|one| one.size).sum::<usize>() as f64
    }

    /// The same without what attributes take.
    fn estimate_of_maps(&self) -> f64 {
        let maps = |one: &Packed| one.size.saturating_sub(one.size_of_facets);
        self.bias * self.packed.iter().flatten().map(maps).sum::<usize>() as f64
    }

    /// The document, and which entries are in it.
    fn written(&mut self) -> Result<(String, Vec<usize>), ReportError> {
        let drawn: Vec<(usize, &Packed)> = self.drawn().collect();
        let text = data(self.report, &drawn)?;
        let drawn = drawn.into_iter().map(|(index, _)| index).collect();
        self.bias *= text.len() as f64 / self.estimate().max(1.0);
        Ok((text, drawn))
    }

    fn drawn(&self) -> impl Iterator<Item = (usize, &Packed)> {
        self.packed.iter().enumerate().filter_map(|(index, one)| Some((index, one.as_ref()?)))
    }

    /// Gives something up; `false` if there is nothing left to give up.
    fn shrink(&mut self, room: usize, sacrifice: Sacrifice) -> bool {
        if sacrifice == Sacrifice::Anything && self.facets_too_large(room) {
            self.facet_bytes /= 2;
            self.pack_facets();
            return true;
        }
        let estimate = match sacrifice {
            Sacrifice::Parts => self.estimate_of_maps(),
            Sacrifice::Anything => self.estimate(),
        };
        let over = (estimate / room.max(1) as f64).max(1.01);
        let coarser = self.coarser(over, sacrifice);
        self.pack_all(&coarser);
        let anything = sacrifice == Sacrifice::Anything;
        !coarser.is_empty() || (anything && self.with_fewer_tiles()) || self.without_some(sacrifice)
    }

    /// The entries to pack again, each with a larger factor: those that take at least half of an
    /// even share and can still be coarser.
    fn coarser(&self, over: f64, sacrifice: Sacrifice) -> Vec<(usize, u64)> {
        let may =
            |index: usize| sacrifice == Sacrifice::Anything || self.report.entries[index].part;
        let open: Vec<(usize, &Packed)> = self.drawn().filter(|(index, _)| may(*index)).collect();
        let even = open.iter().map(|(_, one)| one.size).sum::<usize>() / open.len().max(1);
        let coarser = open.into_iter().filter_map(|(index, one)| {
            let entry = &self.report.entries[index];
            let least = if entry.part { COLUMNS_OF_PART.1 } else { LEAST_COLUMNS };
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
            let wanted = (one.factor as f64 * over).ceil() as u64;
            let most = entry.axis.factor_for(least);
            (one.factor < most && one.size * 2 >= even)
                .then(|| (index, wanted.clamp(one.factor + 1, most)))
        });
        coarser.collect()
    }

    /// Whether attributes take more than half of the room and can be cut.
    fn facets_too_large(&self, room: usize) -> bool {
        let facets: usize = self.packed.iter().flatten().map(|one| one.size_of_facets).sum();
        facets > room / 2 && self.facet_bytes / 2 >= LEAST_BYTES_OF_FACET
    }

    /// Counts attributes in longer stretches of time.
    fn with_fewer_tiles(&mut self) -> bool {
        if self.tiles / 2 < LEAST_TILES {
            return false;
        }
        self.tiles /= 2;
        self.pack_facets();
        true
    }

    /// Packs all entries with attributes again.
    fn pack_facets(&mut self) {
        let faceted = self.drawn().filter(|(_, one)| !one.facets.is_empty());
        let faceted: Vec<(usize, u64)> = faceted.map(|(index, one)| (index, one.factor)).collect();
        self.pack_all(&faceted);
    }

    /// Only lists some of the entries that waited least, parts first.
    fn without_some(&mut self, sacrifice: Sacrifice) -> bool {
        let drawn: Vec<usize> = self.drawn().map(|(index, _)| index).collect();
        let is_part = |index: &usize| self.report.entries[*index].part;
        let parts: Vec<usize> = drawn.iter().copied().filter(is_part).collect();
        let least = if sacrifice == Sacrifice::Parts { LEAST_PARTS } else { 0 };
        let (candidates, keep) = if parts.len() > least { (parts, least) } else { (drawn, 1) };
        if candidates.len() <= keep || (keep == 1 && sacrifice == Sacrifice::Parts) {
            return false;
        }
        let go = (candidates.len() - keep).min(candidates.len().div_ceil(4));
        for index in candidates.into_iter().rev().take(go) {
            self.packed[index] = None;
        }
        true
    }
}
