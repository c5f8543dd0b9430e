//! The same work on many things, by several threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does `work` on each of `items`, on as many threads as there are processors; gives the results in
/// the order of the items. A panic of one is a panic here.
pub fn side_by_side<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    side_by_side_on(processors, items, work)
}

/// The same on so many threads, this one included.
pub fn side_by_side_on<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let some = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { return done };
            done.push((number, work(item)));
        }
    };
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        // Where no more threads can be had, those there are do it.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, some).ok();
        let others: Vec<_> = (1..threads.min(items.len())).filter_map(spawn).collect();
        let own = some();
        let others = others.into_iter().flat_map(|worker| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        own.into_iter().chain(others).collect()
    });
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..500).collect();
        let squares: Vec<u64> = items.iter().map(|n| n * n).collect();
        for threads in [0, 1, 2, 7] {
            assert_eq!(side_by_side_on(threads, &items, |n| n * n), squares);
        }
        assert_eq!(side_by_side(&items, |n| n * n), squares);
        assert_eq!(side_by_side(&[], |n: &u64| n * n), Vec::<u64>::new());
    }

    #[test]
    #[should_panic(expected = "the seventh")]
    fn a_panic_goes_on_here() {
        side_by_side_on(3, &[0_u64; 20], |_| panic!("the seventh"));
    }
}
