//! Work that several threads share, with results in the order of what they are of.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

/// Gives each block that `next` has to `work`, and each result to `take`, in the order of the blocks.
///
/// `work` runs on up to `threads` threads, this one included; `next` and `take` run on this one. No
/// more than two blocks and results for each thread are held at once.
pub(crate) fn in_order<B: Send, D: Send>(
    threads: usize,
    next: &mut dyn FnMut() -> Option<B>,
    work: &(dyn Fn(B) -> D + Sync),
    take: &mut dyn FnMut(D),
) {
    let Some(first) = next() else { return };
    let queue = Queue {
        state: Mutex::new(State { jobs: VecDeque::new(), closed: false }),
        more: Condvar::new(),
    };
    std::thread::scope(|scope| {
        let _closing = Closing(&queue);
        for _ in 1..threads {
            let helper = || {
                while let Some(job) = queue.wait() {
                    job.run(work);
                }
            };
            // Where no more threads can be had, those there are do it.
            let _ = Builder::new().spawn_scoped(scope, helper);
        }
        let mut waiting: VecDeque<Receiver<D>> = VecDeque::from([queue.add(first)]);
        let mut ended = false;
        loop {
            while !ended && waiting.len() < 2 * threads {
                match next() {
                    Some(block) => waiting.push_back(queue.add(block)),
                    None => ended = true,
                }
            }
            let Some(oldest) = waiting.front() else { return };
            match oldest.try_recv() {
                Ok(done) => take(done),
                Err(TryRecvError::Empty) => match queue.pop() {
                    Some(job) => {
                        job.run(work);
                        continue;
                    }
                    None => match oldest.recv() {
                        Ok(done) => take(done),
                        Err(_) => return,
                    },
                },
                // The thread panicked, and so will the scope.
                Err(TryRecvError::Disconnected) => return,
            }
            waiting.pop_front();
        }
    });
}

/// A block, and where its result goes.
struct Job<B, D> {
    block: B,
    result: SyncSender<D>,
}

impl<B, D> Job<B, D> {
    fn run(self, work: &(dyn Fn(B) -> D + Sync)) {
        // Nobody waits for it only when all is given up.
        let _ = self.result.send(work(self.block));
    }
}

/// Blocks that no thread works on yet.
struct Queue<B, D> {
    state: Mutex<State<B, D>>,
    more: Condvar,
}

struct State<B, D> {
    jobs: VecDeque<Job<B, D>>,
    closed: bool,
}

impl<B, D> Queue<B, D> {
    fn lock(&self) -> MutexGuard<'_, State<B, D>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, block: B) -> Receiver<D> {
        let (result, receiver) = sync_channel(1);
        self.lock().jobs.push_back(Job { block, result });
        self.more.notify_one();
        receiver
    }

    fn pop(&self) -> Option<Job<B, D>> {
        self.lock().jobs.pop_front()
    }

    /// The next job; `None` once there will be no more.
    fn wait(&self) -> Option<Job<B, D>> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            if state.closed {
                return None;
            }
            state = self.more.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Ends the threads that wait for work, whatever ends this one.
struct Closing<'q, B, D>(&'q Queue<B, D>);

impl<B, D> Drop for Closing<'_, B, D> {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.more.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_no_more_than_a_few_are_held() {
        for threads in 1..5 {
            let (mut given, mut taken) = (0_u64, Vec::new());
            let ahead = std::cell::Cell::new(0_usize);
            in_order(
                threads,
                &mut || {
                    given += 1;
                    ahead.set(ahead.get() + 1);
                    assert!(ahead.get() <= 2 * threads);
                    (given <= 1_000).then_some(given)
                },
                &|block| {
                    (0..block % 17 * 1_000).fold(block, |sum, n| std::hint::black_box(sum ^ n ^ n))
                },
                &mut |done| {
                    ahead.set(ahead.get() - 1);
                    taken.push(done);
                },
            );
            assert_eq!(taken, (1..=1_000).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn nothing_to_do_is_done_at_once() {
        in_order(4, &mut || None::<u8>, &|block| block, &mut |_| panic!("there is nothing"));
    }
}
