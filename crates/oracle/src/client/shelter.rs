//! Panics of the driver, kept from the terminal and from ending the program.
//!
//! The driver panics on answers it does not expect. Such a panic poisons its lock, on which its
//! destructors panic in turn, and a panic in a destructor that runs because of a panic ends the
//! process. A lock is not poisoned by a thread that was panicking already when it took the lock:
//! so whatever uses the driver is done in a destructor while the thread unwinds, on purpose and
//! without a message.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether this thread is in the driver.
    static WITHIN: Cell<bool> = const { Cell::new(false) };
    /// Where the last panic in the driver was, and what it said.
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Does what may panic in the driver; what the panic said if it did.
pub fn shelter<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    struct Shelter<'a, T, W: FnOnce() -> T>(Option<W>, &'a mut Option<Result<T, String>>);
    impl<T, W: FnOnce() -> T> Drop for Shelter<'_, T, W> {
        fn drop(&mut self) {
            if let Some(work) = self.0.take() {
                let done = panic::catch_unwind(AssertUnwindSafe(work));
                *self.1 = Some(done.map_err(|_| LAST.take()));
            }
        }
    }
    silence();
    let before = WITHIN.replace(true);
    let mut result = None;
    let _ = panic::catch_unwind(AssertUnwindSafe(|| {
        let _shelter = Shelter(Some(work), &mut result);
        panic::resume_unwind(Box::new(()));
    }));
    WITHIN.set(before);
    result.unwrap_or_else(|| Err(String::new()))
}

/// Whether this thread is in the driver: whatever watches for panics leaves those of it alone.
pub fn is_sheltered() -> bool {
    WITHIN.get()
}

/// Keeps panics in the driver from being printed; others are as before.
fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if WITHIN.get() {
                LAST.replace(panic.to_string());
            } else {
                before(panic);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_panic_is_reported_and_leaves_locks_usable() {
        let lock = Mutex::new(1);
        let panic = shelter(|| {
            assert!(is_sheltered());
            let _held = lock.lock().unwrap();
            panic!("the driver failed");
        });
        let panic: String = panic.map(|(): ()| ()).unwrap_err();
        assert!(panic.contains("the driver failed") && panic.contains("shelter.rs:"), "{panic}");
        assert!(!lock.is_poisoned() && !is_sheltered());
        assert_eq!(shelter(|| 7), Ok(7));
    }
}
