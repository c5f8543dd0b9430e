//! How much memory what is read may take.

use isotherm_analysis::History;

/// What is held of an input takes about so many bytes at most. Where there is more, intervals get
/// longer, or the oldest go.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct MemoryBudget {
    bytes: usize,
}

impl Default for MemoryBudget {
    fn default() -> MemoryBudget {
        MemoryBudget { bytes: 256 << 20 }
    }
}

impl MemoryBudget {
    /// The least that is of use, in bytes: below it the program itself takes more.
    pub const LEAST: usize = 32 << 20;

    /// A budget of so many bytes, at least [`MemoryBudget::LEAST`].
    pub fn of_bytes(bytes: usize) -> MemoryBudget {
        MemoryBudget { bytes: bytes.max(MemoryBudget::LEAST) }
    }

    /// Bytes for intervals that are looked at one series at a time.
    pub fn packed(self) -> usize {
        self.bytes / 3
    }

    /// Bytes for intervals that are looked at all at once: unpacked they take several times as much.
    pub fn unpacked(self) -> usize {
        self.bytes / 8
    }

    /// The message about a history in which intervals were joined, or dropped, so that it fits.
    pub fn message(self, history: &History) -> Option<String> {
        let megabytes = self.bytes >> 20;
        if history.dropped() > 0 {
            return Some(format!(
                "{} of the oldest intervals do not fit in --memory {megabytes}M and are left out",
                history.dropped(),
            ));
        }
        let column = history.joined_to()?;
        Some(format!(
            "intervals are joined to {column}: shorter ones do not fit in --memory {megabytes}M"
        ))
    }
}
