//! Names of frames, each kept once.

use std::collections::HashMap;

use ahash::RandomState;

/// The number of a name.
pub type NameId = u32;

/// Names by number, and numbers by what stood in the input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    list: Vec<Box<str>>,
    index: HashMap<Box<[u8]>, NameId, RandomState>,
}

impl Names {
    /// The number of a name, if there is one.
    pub fn known(&self, name: &[u8]) -> Option<NameId> {
        self.index.get(name).copied()
    }

    /// The number of a name, which is made if it is new. Bytes that are not UTF-8 are replaced.
    pub fn number(&mut self, name: &[u8]) -> NameId {
        if let Some(&number) = self.index.get(name) {
            return number;
        }
        #[expect(clippy::cast_possible_truncation, reason = "four billion names fit in no memory")]
        let number = self.list.len() as NameId;
        self.list.push(String::from_utf8_lossy(name).into());
        self.index.insert(name.into(), number);
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
