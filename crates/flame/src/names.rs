//! Names of frames, each kept once.

use std::borrow::Cow;
use std::collections::HashMap;

use ahash::RandomState;

/// The number of a name.
pub type NameId = u32;

/// Names by number, and numbers by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    list: Vec<Box<str>>,
    index: HashMap<Box<[u8]>, NameId, RandomState>,
}

impl Names {
    /// The number of a name, if there is one. Bytes that are not UTF-8 are replaced.
    pub fn known(&self, name: &[u8]) -> Option<NameId> {
        let known = self.index.get(name).copied();
        known.or_else(|| match String::from_utf8_lossy(name) {
            Cow::Owned(replaced) => self.index.get(replaced.as_bytes()).copied(),
            Cow::Borrowed(_) => None,
        })
    }

    /// The number of a name, which is made if it is new.
    pub fn number(&mut self, name: &[u8]) -> NameId {
        if let Some(number) = self.known(name) {
            return number;
        }
        #[expect(clippy::cast_possible_truncation, reason = "four billion names fit in no memory")]
        let number = self.list.len() as NameId;
        let name: Box<str> = String::from_utf8_lossy(name).into();
        self.index.insert(name.as_bytes().into(), number);
        self.list.push(name);
        number
    }

    /// The name with this number.
    pub fn name(&self, number: NameId) -> &str {
        self.list.get(number as usize).map_or("", |name| name)
    }

    /// All names by number.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.list.iter().map(|name| &**name)
    }
}
