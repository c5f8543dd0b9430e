//! How much memory a collector may keep.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

/// One account of several collectors, each in a thread of its own: what one keeps there is no room for at the
/// others.
#[derive(Clone, Debug)]
pub struct SharedMemory(Arc<Mutex<MemoryAccount>>);

impl SharedMemory {
    /// Room for so many bytes.
    pub fn of_bytes(most: usize) -> SharedMemory {
        SharedMemory(Arc::new(Mutex::new(MemoryAccount::of_bytes(most))))
    }

    /// As [`MemoryAccount::take`].
    pub fn take(&self, bytes: usize) -> bool {
        self.account().take(bytes)
    }

    /// As [`MemoryAccount::give_back`].
    pub fn give_back(&self, bytes: usize) {
        self.account().give_back(bytes);
    }

    fn account(&self) -> MutexGuard<'_, MemoryAccount> {
        // Both numbers are right at any moment.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_of_several_keeps_there_is_no_room_for_at_the_others() {
        let one = SharedMemory::of_bytes(10);
        let other = one.clone();
        assert!(one.take(6) && !other.take(5) && other.take(4));
        one.give_back(6);
        assert!(other.take(6) && !one.take(1));
    }

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
