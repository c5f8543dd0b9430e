//! How much memory a collector may keep.

/// Bytes that may be kept, and those that are: whoever collects what grows with its input asks before it
/// keeps something, and counts what it does not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryAccount {
    most: usize,
    kept: usize,
}

impl MemoryAccount {
    /// Room for so many bytes.
    pub const fn of_bytes(most: usize) -> MemoryAccount {
        MemoryAccount { most, kept: 0 }
    }

    /// Whether there is room for so many bytes more; they are kept from now on if there is.
    pub fn take(&mut self, bytes: usize) -> bool {
        let kept = self.kept.saturating_add(bytes);
        if kept > self.most {
            return false;
        }
        self.kept = kept;
        true
    }

    /// Bytes that were taken are kept no longer.
    pub fn give_back(&mut self, bytes: usize) {
        self.kept = self.kept.saturating_sub(bytes);
    }

    /// The bytes that are kept.
    pub fn kept(&self) -> usize {
        self.kept
    }

    /// The bytes that may be kept.
    pub fn most(&self) -> usize {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_and_takes_nothing() {
        let mut account = MemoryAccount::of_bytes(10);
        assert!(account.take(6));
        assert!(!account.take(5));
        assert!(!account.take(usize::MAX));
        assert!(account.take(4));
        assert!(account.take(0) && !account.take(1));
        account.give_back(3);
        assert!(account.take(3) && !account.take(1));
        assert_eq!((account.kept(), account.most()), (10, 10));
    }
}
