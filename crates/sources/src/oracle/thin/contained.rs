//! Panics of the driver, kept from the terminal and from ending the program.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::thread;

pub(super) use crate::CONTAINED_THREADS as CONTAINED;

thread_local! {
    /// Where in the driver the last panic of this thread was, and what it said.
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps panics of contained threads from being printed; those of others are as before.
pub(super) fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |told| {
            if thread::current().name().is_some_and(|name| name.starts_with(CONTAINED)) {
                LAST.replace(told.to_string());
            } else {
                before(told);
            }
        }));
    });
}

/// Runs what may panic; what the panic said if it did.
pub(super) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| LAST.take())
}

/// Runs everything a thread does with the driver so that a panic can be caught at all.
///
/// A panic during a query poisons the driver's lock, on which the destructor of its statement
/// panics in turn, and a panic in a destructor that runs because of a panic ends the process. A
/// lock is not poisoned by a thread that was panicking already when it took the lock. So the work
/// is done in a destructor while the thread unwinds, on purpose and without a message.
pub(super) fn shelter(work: impl FnOnce()) {
    struct Shelter<W: FnOnce()>(Option<W>);
    impl<W: FnOnce()> Drop for Shelter<W> {
        fn drop(&mut self) {
            if let Some(work) = self.0.take() {
                // Whoever waits for an answer of this thread sees that none will come.
                let _ = catch(work);
            }
        }
    }
    let _ = catch(|| {
        let _shelter = Shelter(Some(work));
        panic::resume_unwind(Box::new(()));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[test]
    fn a_lock_held_during_a_panic_is_not_poisoned_in_the_shelter() {
        silence();
        let lock = Arc::new(Mutex::new(1));
        let shared = Arc::clone(&lock);
        let thread = thread::Builder::new().name(CONTAINED.into()).spawn(move || {
            let mut told = String::new();
            shelter(|| {
                told = catch(|| {
                    let _held = shared.lock().unwrap();
                    panic!("the driver failed");
                })
                .unwrap_err();
            });
            told
        });
        let told = thread.unwrap().join().unwrap();
        assert!(told.contains("the driver failed"), "{told}");
        assert!(told.contains("contained.rs:"), "{told}");
        assert!(!lock.is_poisoned());
    }
}
