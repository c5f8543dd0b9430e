//! Work that takes much memory and time.

use std::sync::{Mutex, PoisonError};

/// Lets one such work be done at a time, however many ask for it.
#[derive(Debug, Default)]
pub struct HeavyWork(Mutex<()>);

impl HeavyWork {
    /// Does work when no other is done.
    pub fn alone<T>(&self, work: impl FnOnce() -> T) -> T {
        let _alone = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn one_work_is_done_at_a_time() {
        let _ends = testing::bounded::watchdog("work that is done alone");
        let (heavy, now, most) = (HeavyWork::default(), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    heavy.alone(|| {
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        (0..100).for_each(|_| std::thread::yield_now());
                        now.fetch_sub(1, Ordering::SeqCst);
                    });
                });
            }
        });
        assert_eq!(most.load(Ordering::SeqCst), 1);
    }
}
