//! Columns of time across the characters of a map: one to a character, or fewer, each wider.

use std::ops::Range;

/// So many columns of time across so many characters.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Across {
    pub(super) columns: usize,
    pub(super) width: u16,
}

impl Across {
    /// The characters of a column.
    pub(super) fn cells(self, column: usize) -> Range<u16> {
        let edge = |column: usize| {
            let at = column.saturating_mul(usize::from(self.width)) / self.columns.max(1);
            u16::try_from(at).unwrap_or(u16::MAX).min(self.width)
        };
        edge(column)..edge(column.saturating_add(1))
    }

    /// The column of a character.
    pub(super) fn column(self, x: u16) -> usize {
        let width = usize::from(self.width).max(1);
        ((usize::from(x) + 1) * self.columns).div_ceil(width).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_belongs_to_one_column() {
        for width in 1..90 {
            for columns in 1..=usize::from(width) {
                let across = Across { columns, width };
                let cells: Vec<u16> = (0..columns).flat_map(|one| across.cells(one)).collect();
                assert_eq!(cells, (0..width).collect::<Vec<_>>(), "{columns} in {width}");
                for column in 0..columns {
                    assert!(!across.cells(column).is_empty());
                    assert!(across.cells(column).all(|x| across.column(x) == column));
                }
            }
        }
    }
}
