//! Making a report fit: columns are made of more and more of the finest ones until the document is
//! small enough; what then still does not fit is listed with its totals.

use super::document::{Packed, data};
use super::raster::MOST_COLUMNS;
use super::{Report, ReportError};

/// The largest page, in bytes, unless the user says otherwise.
pub const MOST_BYTES: u64 = 900_000;
/// The fewest columns an entry is drawn in to make room for others.
const LEAST_COLUMNS: u64 = 120;
/// The columns of all entries together to begin with: more never fit.
const BEGIN_WITH: u64 = 40_000;
/// The most columns of an entry that is a part of another, where all of its time is drawn finer.
const MOST_OF_PART: u64 = 240;

/// The document in at most `most` characters, and how many of the entries it holds.
pub(super) fn fitted(report: &Report, most: usize) -> Result<(String, usize), ReportError> {
    let each = (BEGIN_WITH / report.entries.len().max(1) as u64).clamp(LEAST_COLUMNS, MOST_COLUMNS);
    let pack = |index: usize, factor: u64| {
        let entry = &report.entries[index];
        Packed::of(&report.given[entry.recording], entry, factor)
    };
    let factor = |index: usize| {
        let entry = &report.entries[index];
        entry.axis.factor_for(if entry.part { each.min(MOST_OF_PART) } else { each })
    };
    let mut packed: Vec<Packed> =
        (0..report.entries.len()).map(|index| pack(index, factor(index))).collect();
    loop {
        let text = data(report, &packed)?;
        if text.len() <= most {
            return Ok((text, packed.len()));
        }
        let over = text.len() as f64 / most.max(1) as f64;
        let coarser = coarser(&packed, report, over);
        if coarser.is_empty() {
            if packed.len() <= 1 {
                let (least, most) = (text.len() as u64, most as u64);
                return Err(ReportError::TooLarge { least, most });
            }
            packed.truncate(packed.len() - packed.len().div_ceil(8).min(packed.len() - 1));
        }
        for (index, factor) in coarser {
            packed[index] = pack(index, factor);
        }
    }
}

/// The entries that are to be packed again, each with a larger factor: those that take at least
/// half of an even share and can still be coarser.
fn coarser(packed: &[Packed], report: &Report, over: f64) -> Vec<(usize, u64)> {
    let even = packed.iter().map(Packed::bytes).sum::<usize>() / packed.len().max(1);
    let wanted = packed.iter().enumerate().filter(|(_, one)| {
        one.columns > LEAST_COLUMNS && one.bytes() * 2 >= even
    });
    wanted
        .map(|(index, one)| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
            let factor = (one.factor as f64 * over).ceil() as u64;
            let most = report.entries[index].axis.factor_for(LEAST_COLUMNS);
            (index, factor.max(one.factor + 1).min(most.max(one.factor + 1)))
        })
        .collect()
}
