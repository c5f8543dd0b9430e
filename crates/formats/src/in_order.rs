//! Blocks of an input that several threads read and take apart, with results in the order of the
//! input.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::Builder;

use crate::blocks::{Block, Blocks};

/// What is left of a result: the memory of its block, and whether any more are wanted.
pub(crate) struct SpentBlock {
    pub bytes: Vec<u8>,
    pub more: bool,
}

/// Gives each block to `work`, and each result to `take`, in the order of the blocks. Gives back what
/// was not cut into blocks.
///
/// Blocks are read and worked on by up to `threads` threads, this one included; `take` runs on this
/// one. No more than two blocks or results for each thread are held at once.
pub(crate) fn in_order<'i, D: Send>(
    threads: usize,
    blocks: Blocks<'i>,
    work: &(dyn Fn(Block) -> D + Sync),
    take: &mut dyn FnMut(D) -> SpentBlock,
) -> Blocks<'i> {
    let shared = Shared {
        blocks: Mutex::new(blocks),
        state: Mutex::new(State {
            results: VecDeque::new(),
            ahead: 0,
            ended: false,
            spare: Vec::new(),
        }),
        changed: Condvar::new(),
        most: 2 * threads,
    };
    std::thread::scope(|scope| {
        let _ending = Ending(&shared);
        for _ in 1..threads {
            let helper = || {
                while let Some(job) = shared.wait() {
                    job.run(work);
                }
            };
            // Where no more threads can be had, those there are do it.
            let _ = Builder::new().spawn_scoped(scope, helper);
        }
        while let Some(oldest) = shared.oldest(work) {
            // If a thread panicked, so will the scope.
            let Some(done) = shared.result(&oldest, work) else { return };
            shared.is_taken(take(done));
        }
    });
    shared.blocks.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// A block, and where its result goes.
struct Job<D> {
    block: Block,
    result: SyncSender<D>,
}

impl<D> Job<D> {
    fn run(self, work: &(dyn Fn(Block) -> D + Sync)) {
        // Nobody waits for it only when all is given up.
        let _ = self.result.send(work(self.block));
    }
}

/// What the threads share. Who holds both locks took that of the blocks first.
struct Shared<'i, D> {
    blocks: Mutex<Blocks<'i>>,
    state: Mutex<State<D>>,
    changed: Condvar,
    /// The most blocks and results that are held.
    most: usize,
}

struct State<D> {
    /// In the order of the blocks.
    results: VecDeque<Receiver<D>>,
    /// How many blocks were cut and their results not taken.
    ahead: usize,
    /// There will be no more blocks.
    ended: bool,
    spare: Vec<Vec<u8>>,
}

impl<D> Shared<'_, D> {
    fn state(&self) -> MutexGuard<'_, State<D>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next block, once there is room for it; `None` once there will be no more.
    fn wait(&self) -> Option<Job<D>> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |state: &mut State<D>| !state.ended && state.ahead >= self.most;
        drop(self.changed.wait_while(self.state(), full));
        self.cut(&mut blocks)
    }

    /// The next block, if there is room for it and no other thread is reading one.
    fn claim(&self) -> Option<Job<D>> {
        let mut blocks = match self.blocks.try_lock() {
            Ok(blocks) => blocks,
            Err(TryLockError::Poisoned(blocks)) => blocks.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        self.cut(&mut blocks)
    }

    fn cut(&self, blocks: &mut Blocks<'_>) -> Option<Job<D>> {
        let mut state = self.state();
        if state.ended || state.ahead >= self.most {
            return None;
        }
        state.spare.drain(..).for_each(|bytes| blocks.recycle(bytes));
        drop(state);
        let block = blocks.next();
        let mut state = self.state();
        self.changed.notify_all();
        let Some(block) = block else {
            state.ended = true;
            return None;
        };
        let (result, receiver) = sync_channel(1);
        state.ahead += 1;
        state.results.push_back(receiver);
        Some(Job { block, result })
    }

    /// Where the oldest result not taken will be; `None` at the end.
    fn oldest(&self, work: &(dyn Fn(Block) -> D + Sync)) -> Option<Receiver<D>> {
        loop {
            let mut state = self.state();
            let ended = state.ended;
            if let Some(oldest) = state.results.pop_front() {
                return Some(oldest);
            }
            drop(state);
            if ended {
                // Another thread may still have been reading.
                drop(self.blocks.lock());
                return self.state().results.pop_front();
            }
            if let Some(job) = self.claim() {
                job.run(work);
                continue;
            }
            let none = |state: &mut State<D>| state.results.is_empty() && !state.ended;
            drop(self.changed.wait_while(self.state(), none));
        }
    }

    /// What was made of a block, working on others until it is there.
    fn result(&self, oldest: &Receiver<D>, work: &(dyn Fn(Block) -> D + Sync)) -> Option<D> {
        loop {
            match oldest.try_recv() {
                Ok(done) => return Some(done),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => match self.claim() {
                    Some(job) => job.run(work),
                    None => return oldest.recv().ok(),
                },
            }
        }
    }

    fn is_taken(&self, taken: SpentBlock) {
        let mut state = self.state();
        state.ahead -= 1;
        state.ended |= !taken.more;
        state.spare.push(taken.bytes);
        self.changed.notify_all();
    }
}

/// Ends the threads that wait for room, whatever ends this one.
struct Ending<'s, 'i, D>(&'s Shared<'i, D>);

impl<D> Drop for Ending<'_, '_, D> {
    fn drop(&mut self) {
        self.0.state().ended = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::after_last_line;

    /// The numbers of the lines of an input, as they are taken, until one is reached.
    fn taken(threads: usize, length: usize, until: u64) -> (Vec<u64>, usize, String) {
        let _watch = testing::bounded::watchdog("work on blocks");
        let lines: Vec<String> = (1..=2_000).map(|number| number.to_string()).collect();
        let text = lines.join("\n") + "\n";
        let mut input = text.as_bytes();
        let blocks = Blocks::new(&mut input, 0, length, after_last_line);
        let (held, most) = (Mutex::new(0_usize), Mutex::new(0_usize));
        let work = |block: Block| {
            let mut held = held.lock().unwrap();
            *held += 1;
            let mut most = most.lock().unwrap();
            *most = (*most).max(*held);
            drop((held, most));
            let text = std::str::from_utf8(&block.bytes).unwrap();
            let numbers: Vec<u64> = text.lines().map(|line| line.parse().unwrap()).collect();
            let busy = numbers.iter().map(|number| number % 17 * 300).sum();
            let turns = (0..busy).fold(0, |sum: u64, turn| std::hint::black_box(sum ^ turn));
            assert!(turns < u64::MAX);
            (numbers, block.bytes)
        };
        let mut all = Vec::new();
        let blocks = in_order(threads, blocks, &work, &mut |(numbers, bytes)| {
            *held.lock().unwrap() -= 1;
            all.extend(numbers);
            SpentBlock { bytes, more: all.last().is_none_or(|&last| last < until) }
        });
        let (mut rest, input) = blocks.into_rest();
        input.read_to_end(&mut rest).unwrap();
        let most = *most.lock().unwrap();
        (all, most, String::from_utf8(rest).unwrap())
    }

    #[test]
    fn results_come_in_order_and_no_more_than_a_few_are_held() {
        for threads in 1..5 {
            for length in [5, 16, 100, 100_000] {
                let (all, most, rest) = taken(threads, length, u64::MAX);
                let after: Vec<u64> = rest.lines().map(|line| line.parse().unwrap()).collect();
                let whole: Vec<u64> = all.into_iter().chain(after).collect();
                assert_eq!(whole, (1..=2_000).collect::<Vec<u64>>(), "{threads} {length}");
                assert!(most <= 2 * threads, "{threads} {length}: {most}");
            }
        }
    }

    #[test]
    fn what_was_cut_is_taken_when_no_more_is_wanted_and_the_rest_is_given_back() {
        for threads in 1..5 {
            let (all, _, rest) = taken(threads, 16, 500);
            let (last, next) = (*all.last().unwrap(), rest.lines().next().unwrap());
            assert_eq!(all, (1..=last).collect::<Vec<u64>>());
            assert!((500..600).contains(&last), "{threads}: {last}");
            assert_eq!(next, (last + 1).to_string(), "{threads}");
        }
    }

    #[test]
    fn nothing_to_do_is_done_at_once() {
        let _watch = testing::bounded::watchdog("no work");
        let mut input: &[u8] = b"";
        let blocks = Blocks::new(&mut input, 0, 8, after_last_line);
        in_order(4, blocks, &drop, &mut |()| panic!("there is nothing"));
    }
}
