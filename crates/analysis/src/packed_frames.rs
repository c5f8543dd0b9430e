//! The packed frames of a series.

use std::collections::VecDeque;
use std::sync::Arc;

use isotherm_frame::Timestamp;

use crate::compact::{Compact, settle};

/// Packed frames in the order of their starts, in blocks of one size: one long list for each of a
/// thousand series would leave a hole behind in memory whenever it grows, as large as itself. A clone
/// shares the blocks: only those that change after that are copied.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackedFrames {
    /// None is empty.
    blocks: VecDeque<Arc<Vec<Compact>>>,
    length: usize,
}

impl PackedFrames {
    /// The most frames of a block: 4 KB.
    const BLOCK: usize = 32;

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn front(&self) -> Option<&Compact> {
        self.blocks.front()?.first()
    }

    pub(crate) fn back(&self) -> Option<&Compact> {
        self.blocks.back()?.last()
    }

    pub(crate) fn back_mut(&mut self) -> Option<&mut Compact> {
        Arc::make_mut(self.blocks.back_mut()?).last_mut()
    }

    /// Adds a frame that begins no earlier than all others.
    pub(crate) fn push_back(&mut self, frame: Compact) {
        self.length += 1;
        if let Some(block) = self.blocks.back_mut()
            && block.len() < PackedFrames::BLOCK
        {
            return Arc::make_mut(block).push(frame);
        }
        if let Some(full) = self.blocks.back_mut() {
            settle(Arc::make_mut(full).as_mut_slice());
        }
        // Of many series there are only a few frames each: the first block grows.
        let room = if self.blocks.is_empty() { 0 } else { PackedFrames::BLOCK };
        let mut block = Vec::with_capacity(room);
        block.push(frame);
        self.blocks.push_back(Arc::new(block));
    }

    /// Adds a frame after all that begin no later.
    pub(crate) fn insert(&mut self, frame: Compact) {
        if self.back().is_none_or(|last| last.start <= frame.start) {
            return self.push_back(frame);
        }
        let earlier = |block: &Arc<Vec<Compact>>| block[0].start <= frame.start;
        let index = self.blocks.partition_point(earlier).saturating_sub(1);
        let block = Arc::make_mut(&mut self.blocks[index]);
        block.insert(block.partition_point(|known| known.start <= frame.start), frame);
        self.length += 1;
        if block.len() > PackedFrames::BLOCK {
            let later = block.split_off(PackedFrames::BLOCK / 2);
            self.blocks.insert(index + 1, Arc::new(later));
        }
    }

    /// Takes the first frame out if it is wanted.
    pub(crate) fn pop_front_if(&mut self, wanted: impl Fn(&Compact) -> bool) -> Option<Compact> {
        let block = self.blocks.front_mut()?;
        block.first().filter(|first| wanted(first))?;
        let block = Arc::make_mut(block);
        let first = block.remove(0);
        if block.is_empty() {
            self.blocks.pop_front();
        }
        self.length -= 1;
        Some(first)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Compact> {
        self.blocks.iter().flat_map(|block| block.iter())
    }

    /// The frames that end after a moment.
    pub(crate) fn ending_after(&self, moment: Timestamp) -> impl Iterator<Item = &Compact> {
        let is_over = |frame: &Compact| frame.end <= moment;
        let first = self.blocks.partition_point(|block| block.last().is_some_and(is_over));
        let over = self.blocks.get(first).map_or(0, |block| block.partition_point(is_over));
        self.blocks.range(first..).flat_map(|block| block.iter()).skip(over)
    }

    /// All frames, block by block, so that those that were taken need no room any more.
    pub(crate) fn into_iter(self) -> impl Iterator<Item = Compact> {
        self.blocks.into_iter().flat_map(Arc::unwrap_or_clone)
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Histogram, Quality, Random, Scheme, Series};

    use super::*;

    fn frame(start: i64) -> Compact {
        Compact::new(&Frame {
            series: Series::named("a"),
            start: Timestamp::new(start),
            end: Timestamp::new(start + 1),
            counts: Histogram::empty(Scheme::log_linear()),
            quality: Quality::Complete,
        })
    }

    fn starts<'a>(frames: impl Iterator<Item = &'a Compact>) -> Vec<i64> {
        frames.map(|frame| frame.start.as_nanos()).collect()
    }

    #[test]
    fn it_is_a_list_in_the_order_of_time_whatever_the_order_of_insertion() {
        let mut random = Random::new(5);
        for round in 0..40 {
            let (mut frames, mut list) = (PackedFrames::default(), Vec::new());
            for at in 0..500_i64 {
                // One in four is late.
                let late = if random.index(4) == 0 { random.index(400) } else { 0 };
                let start = at - i64::try_from(late).unwrap();
                frames.insert(frame(start));
                list.push(start);
            }
            list.sort_unstable();
            assert_eq!((starts(frames.iter()), frames.len()), (list.clone(), 500), "{round}");
            let ends = [frames.front(), frames.back()].map(|frame| frame.unwrap().start.as_nanos());
            assert_eq!(ends, [list[0], list[499]]);
            for moment in [-500, -3, 0, 77, 250, 600] {
                let after = frames.ending_after(Timestamp::new(moment));
                let expected: Vec<i64> =
                    list.iter().copied().filter(|start| start + 1 > moment).collect();
                assert_eq!(starts(after), expected, "{round} {moment}");
            }
            let is_past = |frame: &Compact| frame.start.as_nanos() < 100;
            while frames.pop_front_if(is_past).is_some() {}
            list.retain(|start| *start >= 100);
            assert_eq!(frames.len(), list.len());
            let rest: Vec<Compact> = frames.into_iter().collect();
            assert_eq!(starts(rest.iter()), list);
        }
    }

    #[test]
    fn a_clone_costs_no_more_than_the_blocks_that_change_after_it() {
        let mut frames = PackedFrames::default();
        (0..1_000).for_each(|at| frames.insert(frame(at)));
        let clone = frames.clone();
        let before = starts(frames.iter());
        let own = |frames: &PackedFrames| {
            let known = frames
                .blocks
                .iter()
                .filter(|&block| !clone.blocks.iter().any(|shared| Arc::ptr_eq(block, shared)));
            known.count()
        };
        assert_eq!((own(&frames), frames.blocks.len()), (0, 32));
        // The last block, one in the middle, and the first one.
        frames.insert(frame(1_000));
        frames.insert(frame(500));
        frames.pop_front_if(|_| true);
        assert!(frames.pop_front_if(|_| false).is_none());
        assert!((3..=4).contains(&own(&frames)), "{}", own(&frames));
        assert_eq!(starts(clone.iter()), before);
        assert_eq!(starts(frames.iter()).len(), 1_001);
    }
}
