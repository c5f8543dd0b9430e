//! What of a model is drawn.

use serde::Serialize;

use super::buffers::Buffers;
use super::{BufferList, CacheModel, chain_of, latch_of};

/// The buffers at moments of a run, for the page that draws them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelPicture {
    /// Hash chains.
    chains: u32,
    /// The latch of each chain.
    latches: Vec<usize>,
    /// The buffers at moments, the last at the end of the run.
    moments: Vec<Moment>,
}

/// The buffers at a moment: each list has one number for each header.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Moment {
    /// References so far.
    references: u64,
    /// References so far that found their block.
    hits: u64,
    /// The block; -1 in a free buffer.
    block: Vec<i64>,
    /// The chain; -1 of a free buffer.
    chain: Vec<i64>,
    /// The place on the chain, 0 beside the latch.
    place: Vec<i64>,
    /// The list: 0 none, 1 hot, 2 cold, 3 to be written.
    list: Vec<u8>,
    /// The place on the list; the cold half goes on where the hot one ends.
    rank: Vec<i64>,
    /// Touches.
    touches: Vec<u32>,
    /// 1 dirty, 2 a clone, 3 both.
    state: Vec<u8>,
}

impl CacheModel {
    /// What is drawn.
    pub fn picture(&self) -> ModelPicture {
        let latches = self.settings.latches as usize;
        ModelPicture {
            chains: self.settings.chains,
            latches: (0..self.settings.chains as usize)
                .map(|chain| latch_of(chain, latches))
                .collect(),
            moments: self.moments.iter().map(|(count, buffers)| moment(*count, buffers)).collect(),
        }
    }
}

fn moment(references: u64, buffers: &Buffers) -> Moment {
    let count = buffers.headers.len();
    let (mut place, mut rank) = (vec![-1; count], vec![-1; count]);
    for chain in &buffers.chains {
        number(chain.iter(), &mut place);
    }
    number(buffers.hot.iter().chain(&buffers.cold), &mut rank);
    number(buffers.write_list.iter(), &mut rank);
    let headers = || buffers.headers.iter();
    let chain = |block: u32| chain_of(block, buffers.chains.len());
    Moment {
        references,
        hits: buffers.counts.hits,
        block: headers().map(|header| header.block.map_or(-1, i64::from)).collect(),
        chain: headers()
            .map(|header| header.block.and_then(|block| i64::try_from(chain(block)).ok()))
            .map(|chain| chain.unwrap_or(-1))
            .collect(),
        place,
        list: headers().map(|header| list_number(header.list)).collect(),
        rank,
        touches: headers().map(|header| header.touches).collect(),
        state: headers()
            .map(|header| u8::from(header.is_dirty) + 2 * u8::from(header.is_clone))
            .collect(),
    }
}

/// Gives each of these buffers its number in their order.
fn number<'a>(ids: impl Iterator<Item = &'a u32>, places: &mut [i64]) {
    for (number, &id) in (0..).zip(ids) {
        if let Some(place) = places.get_mut(id as usize) {
            *place = number;
        }
    }
}

fn list_number(list: BufferList) -> u8 {
    match list {
        BufferList::Free => 0,
        BufferList::Hot => 1,
        BufferList::Cold => 2,
        BufferList::Write => 3,
    }
}
