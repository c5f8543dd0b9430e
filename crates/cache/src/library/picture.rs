//! What of a model is drawn.

use serde::Serialize;

use super::LibraryModel;
use super::objects::{Library, LibraryObject, ObjectId};

/// The library cache at moments of a run, for the page that draws buffers: a bucket is a chain, its mutex
/// a latch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LibraryPicture {
    /// Hash buckets.
    chains: u32,
    /// The mutex of each bucket.
    latches: Vec<usize>,
    /// The cache at moments, the last at the end of the run.
    moments: Vec<Moment>,
}

/// The cache at a moment: each list has one entry for each object number.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Moment {
    /// Executions so far.
    references: u64,
    /// Executions so far that found a cursor.
    hits: u64,
    /// The statement; -1 where there is no object.
    block: Vec<i64>,
    /// The bucket; -1 where there is no object.
    chain: Vec<i64>,
    /// The place in the bucket: children follow their handle.
    place: Vec<i64>,
    /// 0 a handle, 1 a child in the half of the LRU list that was used last, 2 in the other, 3 an invalid
    /// one.
    list: Vec<u8>,
    /// The place on the LRU list, 0 the last used; -1 of a handle.
    rank: Vec<i64>,
    /// Executions.
    touches: Vec<u32>,
    /// 1 pinned, 2 executed once, 3 both.
    state: Vec<u8>,
    /// The handle of a child; -1 of a handle.
    parent: Vec<i64>,
    /// What each object says.
    text: Vec<String>,
}

impl LibraryModel {
    /// What is drawn.
    pub fn picture(&self) -> LibraryPicture {
        LibraryPicture {
            chains: self.settings.buckets,
            latches: (0..self.settings.buckets as usize).collect(),
            moments: self.moments.iter().map(moment).collect(),
        }
    }
}

fn moment(library: &Library) -> Moment {
    let count = library.objects.len();
    let (mut chain, mut place, mut rank) = (vec![-1; count], vec![-1; count], vec![-1; count]);
    for (bucket, handles) in (0..).zip(&library.buckets) {
        let in_order = handles.iter().flat_map(|&handle| {
            std::iter::once(handle).chain(library.children[handle as usize].iter().copied())
        });
        for (number, id) in (0..).zip(in_order) {
            (chain[id as usize], place[id as usize]) = (bucket, number);
        }
    }
    for (number, &id) in (0..).zip(library.lru.iter().rev()) {
        rank[id as usize] = number;
    }
    let half = i64::try_from(library.lru.len() / 2).unwrap_or(i64::MAX);
    let mut moment = Moment {
        references: library.counts.executions,
        hits: library.counts.hits,
        ..Moment::default()
    };
    for (id, object) in (0..).zip(&library.objects) {
        let rank_of = rank[id as usize];
        let is_pinned = library.pinned.contains(&id);
        moment.block.push(object.as_ref().map_or(-1, |one| i64::from(one.statement)));
        moment.list.push(object.as_ref().map_or(0, |one| list(one, rank_of < half)));
        moment.touches.push(object.as_ref().map_or(0, |one| one.executions));
        moment.state.push(
            object
                .as_ref()
                .map_or(0, |one| u8::from(is_pinned) + 2 * u8::from(one.executions <= 1)),
        );
        moment.parent.push(object.as_ref().and_then(|one| one.parent).map_or(-1, i64::from));
        moment.text.push(object.as_ref().map_or_else(String::new, |one| {
            text(library, (id, one), (chain[id as usize], rank_of), is_pinned)
        }));
    }
    Moment { chain, place, rank, ..moment }
}

fn list(object: &LibraryObject, is_recent: bool) -> u8 {
    match (object.parent, object.is_valid) {
        (None, _) => 0,
        (Some(_), false) => 3,
        (Some(_), true) if is_recent => 1,
        (Some(_), true) => 2,
    }
}

/// What an object says.
fn text(
    library: &Library,
    (id, object): (ObjectId, &LibraryObject),
    (bucket, rank): (i64, i64),
    is_pinned: bool,
) -> String {
    let (statement, executions) = (object.statement + 1, object.executions);
    let times = if executions == 1 { "once".to_owned() } else { format!("{executions} times") };
    let bucket = bucket + 1;
    let Some(parent) = object.parent else {
        let children = library.children[id as usize].len();
        return format!(
            "Handle of statement {statement} · bucket {bucket}, mutex {bucket} · child cursors: {children} · \
             executed {times}"
        );
    };
    let siblings = &library.children[parent as usize];
    let number = siblings.iter().position(|&one| one == id).unwrap_or(0);
    let pinned = if is_pinned { " · pinned by a session that executes it" } else { "" };
    let invalid =
        if object.is_valid { "" } else { " · invalid: parsed again when it is used next" };
    format!(
        "Child cursor {number} of statement {statement}, environment {} · bucket {bucket}, mutex {bucket} · \
         place {} on the LRU list · executed {times}{pinned}{invalid}",
        object.environment + 1,
        rank + 1
    )
}
