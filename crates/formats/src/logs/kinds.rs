//! What names say, worked out once for each: the names of a log are few.

use std::cell::RefCell;

use isotherm_oracle::trace::Names;

use super::names::{Kind, kind};
use super::sayings::{Saying, saying};

/// What is known of the names and words that have been met.
pub(super) struct Kinds(RefCell<Known>);

struct Known {
    names: Names,
    of: Vec<OfName>,
}

#[derive(Copy, Clone)]
struct OfName {
    /// Before a number without a unit.
    bare: Kind,
    /// Before a number with its unit.
    with_unit: Kind,
    saying: Saying,
}

impl OfName {
    fn new(name: &str) -> OfName {
        OfName { bare: kind(name, true), with_unit: kind(name, false), saying: saying(name) }
    }
}

impl Default for Kinds {
    fn default() -> Kinds {
        Kinds(RefCell::new(Known { names: Names::new(Kinds::MOST), of: Vec::new() }))
    }
}

impl Kinds {
    /// Names that are remembered. Beyond so many, and of such a length, they are no names of fields.
    const MOST: usize = 4_096;
    const LONGEST: usize = 64;

    /// What a name says; `bare` where it stands before a number without a unit.
    pub(super) fn kind(&self, name: &str, bare: bool) -> Kind {
        match self.known(name) {
            Some(known) if bare => known.bare,
            Some(known) => known.with_unit,
            None => kind(name, bare),
        }
    }

    /// What a word before a length of time says about it.
    pub(super) fn saying(&self, word: &str) -> Saying {
        self.known(word).map_or_else(|| saying(word), |known| known.saying)
    }

    fn known(&self, name: &str) -> Option<OfName> {
        let Known { names, of } = &mut *self.0.try_borrow_mut().ok()?;
        let number = Some(name).filter(|name| name.len() <= Kinds::LONGEST);
        let number = names.number(number?.as_bytes())?;
        if number >= of.len() {
            of.push(OfName::new(name));
        }
        of.get(number).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_the_same_whether_it_is_remembered_or_not() {
        let kinds = Kinds::default();
        let long = "x".repeat(Kinds::LONGEST) + "_duration";
        for round in 0..3 {
            for name in ["took", "in", "dur_ms", "", "status", "p99", "timeout", "total_ms", &long]
            {
                for bare in [true, false] {
                    assert_eq!(kinds.kind(name, bare), kind(name, bare), "{name} {bare} {round}");
                }
            }
        }
        for number in 0..2 * Kinds::MOST {
            let name = format!("id{number}_ms");
            assert_eq!(kinds.kind(&name, true), kind(&name, true), "{name}");
        }
    }
}
