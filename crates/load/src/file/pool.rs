//! The buffers of lanes: those that need one each have them together in one piece of memory.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::sys::{Buffers, HUGE, Pages};

/// Buffers that are lent out and come back.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    each: usize,
    pages: Pages,
    free: Arc<Mutex<Vec<Buffers>>>,
}

impl Pool {
    /// Nothing yet; buffers of `each` bytes are mapped when they are asked for.
    pub(super) fn new(each: usize, pages: Pages) -> Pool {
        Pool { each, pages, free: Arc::default() }
    }

    /// So many buffers that stay with who asked for them.
    pub(super) fn buffers(&self, count: usize) -> io::Result<Buffers> {
        Buffers::new(count, self.each, self.pages)
    }

    /// A buffer that nobody else has. A huge page of them is mapped at once, at least one.
    pub(super) fn lend(&self) -> io::Result<Lent> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.is_empty() {
            let count = (HUGE / self.each.max(1)).max(1);
            free.extend(self.buffers(count)?.split());
        }
        Ok(Lent { buffer: free.pop(), pool: self.clone() })
    }
}

/// A buffer that goes back when it is not needed any more.
#[derive(Debug)]
pub(super) struct Lent {
    buffer: Option<Buffers>,
    pool: Pool,
}

impl Lent {
    /// Its bytes.
    #[inline]
    pub(super) fn bytes(&mut self) -> &mut [u8] {
        self.buffer.as_mut().map_or(&mut [], |buffer| buffer.get_mut(0))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut free = self.pool.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.extend(self.buffer.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_lent_to_one_at_a_time_and_come_back() {
        for pages in [Pages::Huge, Pages::Small] {
            for each in [512, 8_192, 3 << 20] {
                let pool = Pool::new(each, pages);
                let mut lent: Vec<Lent> = (0..5).map(|_| pool.lend().unwrap()).collect();
                for (number, one) in (1..).zip(&mut lent) {
                    assert_eq!(one.bytes().len(), each);
                    one.bytes().fill(number);
                }
                for (number, one) in (1..).zip(&mut lent) {
                    assert!(one.bytes().iter().all(|byte| *byte == number), "{each} {number}");
                }
                let places = |lent: &mut [Lent]| {
                    let mut all: Vec<_> = lent.iter_mut().map(|one| one.bytes().as_ptr()).collect();
                    all.sort_unstable();
                    all
                };
                let first = places(&mut lent);
                drop(lent);
                let mut again: Vec<Lent> = (0..5).map(|_| pool.lend().unwrap()).collect();
                assert_eq!(places(&mut again), first);
            }
        }
    }
}
