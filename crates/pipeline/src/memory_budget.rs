//! How much memory what is read may take.

use isotherm_analysis::History;
use isotherm_frame::MemoryAccount;

/// What is held of an input takes about so many bytes at most. Where there is more, intervals get
/// longer, or the oldest go.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct MemoryBudget {
    bytes: usize,
    /// How many inputs are held at the same time.
    inputs: usize,
}

impl Default for MemoryBudget {
    fn default() -> MemoryBudget {
        MemoryBudget::of_bytes(256 << 20)
    }
}

impl MemoryBudget {
    /// The least that is of use, in bytes: below it the program itself takes more.
    pub const LEAST: usize = 32 << 20;

    /// A budget of so many bytes, at least [`MemoryBudget::LEAST`].
    pub fn of_bytes(bytes: usize) -> MemoryBudget {
        MemoryBudget { bytes: bytes.max(MemoryBudget::LEAST), inputs: 1 }
    }

    /// All of it, in bytes.
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// The same where so many inputs are held at the same time, each in an equal share.
    #[must_use]
    pub fn shared_by(self, inputs: usize) -> MemoryBudget {
        MemoryBudget { inputs: inputs.max(1), ..self }
    }

    /// Bytes for the intervals of an input, packed: three tenths, as the allocator keeps up to twice as
    /// much once intervals were joined, and what is drawn and found takes room, too.
    pub fn packed(self) -> usize {
        self.bytes / 10 * 3 / self.inputs
    }

    /// Bytes for the rows of tables that are added up, as they are counted: a half.
    pub fn rows(self) -> usize {
        self.bytes / 2 / self.inputs
    }

    /// The account of what collects rows or steps, of which a page is made: three quarters, and less of little
    /// memory, so that there is room beside it for the program itself and for the page.
    pub fn collected(self) -> MemoryAccount {
        /// What the program takes with all of its code in memory, and a page of the usual size.
        const BESIDE: usize = 64 << 20;
        let most = (self.bytes / 4 * 3).min(self.bytes.saturating_sub(BESIDE));
        MemoryAccount::of_bytes(most.max(self.bytes / 2) / self.inputs)
    }

    /// A history of everything within it.
    pub fn history(self) -> History {
        History::of_everything(self.packed())
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

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp};

    use super::*;

    #[test]
    fn inputs_share_what_there_is_and_messages_name_all_of_it() {
        let budget = MemoryBudget::of_bytes(256 << 20);
        assert_eq!(budget.shared_by(1).packed(), budget.packed());
        assert_eq!(budget.shared_by(4).packed(), budget.packed() / 4);
        assert_eq!(budget.shared_by(0), budget);
        let mut history = History::of_everything(20_000);
        assert_eq!(budget.shared_by(2).message(&history), None);
        for second in 0..1_000 {
            let mut counts = Histogram::empty(Scheme::log_linear());
            counts.record(Nanos::from_micros(100));
            let at = |second: i64| Timestamp::new(second * 1_000_000_000);
            let (series, quality) = (Series::named("a"), Quality::Complete);
            history.push(&Frame {
                series,
                start: at(second),
                end: at(second + 1),
                counts,
                quality,
            });
        }
        let message = budget.shared_by(2).message(&history).unwrap();
        assert!(message.ends_with("shorter ones do not fit in --memory 256M"), "{message}");
    }
}
