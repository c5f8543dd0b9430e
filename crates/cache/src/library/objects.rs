//! Handles in hash buckets, and their child cursors.

use std::collections::{HashSet, VecDeque};

use isotherm_frame::Random;
use schemars::JsonSchema;
use serde::Serialize;

use super::settings::LibrarySettings;

/// The number of an object: it keeps its number while it is in the cache.
pub(super) type ObjectId = u32;

/// Something in the library cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LibraryObject {
    /// The statement.
    pub statement: u32,
    /// The handle of a child cursor; none of a handle.
    pub parent: Option<ObjectId>,
    /// The environment of a child cursor; 0 of a handle.
    pub environment: u32,
    /// Executions since it was loaded; of a handle those of all its children.
    pub executions: u32,
    /// Whether it can be executed as it is.
    pub is_valid: bool,
}

/// What happened in a model.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LibraryCounts {
    /// Executions.
    pub executions: u64,
    /// Executions that found a cursor that could be used: soft parses.
    pub hits: u64,
    /// Executions that had to parse: hard parses.
    pub loads: u64,
    /// Hard parses of texts with literals, which nobody executes again.
    pub literal_loads: u64,
    /// Hard parses of what had been in the cache before.
    pub reloads: u64,
    /// Cursors that became invalid.
    pub invalidations: u64,
    /// Cursors that were removed for others.
    pub aged_out: u64,
    /// Handles and child cursors that were looked at.
    pub examined: u64,
}

/// The library cache.
#[derive(Clone, Debug)]
pub(super) struct Library {
    /// By number; none is free.
    pub objects: Vec<Option<LibraryObject>>,
    /// The handles of each bucket, the newest first.
    pub buckets: Vec<Vec<ObjectId>>,
    /// The children of each object by number, the oldest first; none of a child.
    pub children: Vec<Vec<ObjectId>>,
    /// Child cursors, the most recently used last.
    pub lru: VecDeque<ObjectId>,
    /// What each session executes: it is pinned.
    pub pinned: VecDeque<ObjectId>,
    pub counts: LibraryCounts,
    free: Vec<ObjectId>,
    seen: HashSet<(u32, u32)>,
    cursors: usize,
    sessions: usize,
    /// Statements from this one on have literals.
    literals_from: u32,
}

/// One table in this many statements' reach: statements with the same remainder depend on one.
pub(super) const TABLES: u32 = 20;

impl Library {
    pub fn new(settings: &LibrarySettings) -> Library {
        Library {
            objects: Vec::new(),
            buckets: vec![Vec::new(); settings.buckets as usize],
            children: Vec::new(),
            lru: VecDeque::new(),
            pinned: VecDeque::new(),
            counts: LibraryCounts::default(),
            free: Vec::new(),
            seen: HashSet::new(),
            cursors: settings.cursors as usize,
            sessions: settings.sessions as usize,
            literals_from: settings.statements,
        }
    }

    pub fn object(&self, id: ObjectId) -> Option<&LibraryObject> {
        self.objects.get(id as usize)?.as_ref()
    }

    /// The bucket of a statement, by a hash of its text.
    pub fn bucket_of(&self, statement: u32) -> usize {
        Random::new(u64::from(statement) ^ 0x11b0).index(self.buckets.len())
    }

    /// Looks for a valid cursor: the handle if there is one, the child if it can be used, and how many
    /// objects were looked at.
    pub fn find(
        &self,
        statement: u32,
        environment: u32,
    ) -> (Option<ObjectId>, Option<ObjectId>, u64) {
        let mut examined = 0;
        for &handle in &self.buckets[self.bucket_of(statement)] {
            examined += 1;
            if self.object(handle).is_none_or(|one| one.statement != statement) {
                continue;
            }
            for &child in &self.children[handle as usize] {
                examined += 1;
                let fits = |one: &LibraryObject| one.environment == environment && one.is_valid;
                if self.object(child).is_some_and(fits) {
                    return (Some(handle), Some(child), examined);
                }
            }
            return (Some(handle), None, examined);
        }
        (None, None, examined)
    }

    /// Executes a statement in an environment.
    pub fn execute(&mut self, statement: u32, environment: u32) {
        let (handle, child, examined) = self.find(statement, environment);
        self.counts.executions += 1;
        self.counts.examined += examined;
        self.counts.hits += u64::from(child.is_some());
        let child = child.unwrap_or_else(|| self.load(handle, statement, environment));
        self.pin(child);
        let parent = self.object(child).and_then(|one| one.parent);
        for id in [Some(child), parent].into_iter().flatten() {
            if let Some(Some(object)) = self.objects.get_mut(id as usize) {
                object.executions = object.executions.saturating_add(1);
            }
        }
        self.lru.retain(|&id| id != child);
        self.lru.push_back(child);
    }

    /// A session executes this cursor, and what it executed before is no longer pinned.
    fn pin(&mut self, child: ObjectId) {
        self.pinned.push_back(child);
        if self.pinned.len() > self.sessions {
            self.pinned.pop_front();
        }
    }

    /// Parses: a new child, or an invalid one made valid; a new handle if there is none.
    fn load(&mut self, handle: Option<ObjectId>, statement: u32, environment: u32) -> ObjectId {
        self.counts.loads += 1;
        self.counts.literal_loads += u64::from(statement >= self.literals_from);
        self.counts.reloads += u64::from(!self.seen.insert((statement, environment)));
        let new = |parent, environment| LibraryObject {
            statement,
            parent,
            environment,
            executions: 0,
            is_valid: true,
        };
        let handle = handle.unwrap_or_else(|| {
            let id = self.put(new(None, 0));
            let bucket = self.bucket_of(statement);
            self.buckets[bucket].insert(0, id);
            id
        });
        let invalid = self.children[handle as usize].iter().copied();
        let mut invalid =
            invalid.filter(|&id| self.object(id).is_some_and(|one| one.environment == environment));
        if let Some(found) = invalid.next() {
            self.objects[found as usize] = Some(new(Some(handle), environment));
            return found;
        }
        let child = self.put(new(Some(handle), environment));
        self.children[handle as usize].push(child);
        self.lru.push_back(child);
        while self.lru.len() > self.cursors && self.age_out(child) {}
        child
    }

    /// Removes the cursor that was unused for the longest time and is not pinned; its handle with it if
    /// it was the last.
    fn age_out(&mut self, kept: ObjectId) -> bool {
        let can_go = |id: &ObjectId| *id != kept && !self.pinned.contains(id);
        let Some(at) = self.lru.iter().position(can_go) else { return false };
        let Some(id) = self.lru.remove(at) else { return false };
        self.counts.aged_out += 1;
        let parent = self.object(id).and_then(|one| one.parent);
        self.drop_object(id);
        if let Some(handle) = parent {
            self.children[handle as usize].retain(|&child| child != id);
            if self.children[handle as usize].is_empty() {
                self.buckets.iter_mut().for_each(|bucket| bucket.retain(|&one| one != handle));
                self.drop_object(handle);
            }
        }
        true
    }

    fn drop_object(&mut self, id: ObjectId) {
        self.objects[id as usize] = None;
        self.free.push(id);
    }

    fn put(&mut self, object: LibraryObject) -> ObjectId {
        if let Some(id) = self.free.pop() {
            self.objects[id as usize] = Some(object);
            return id;
        }
        self.objects.push(Some(object));
        self.children.push(Vec::new());
        u32::try_from(self.objects.len() - 1).unwrap_or(u32::MAX)
    }

    /// A table changes: the cursors that depend on it can no longer be used.
    pub fn change(&mut self, table: u32) {
        for object in self.objects.iter_mut().flatten() {
            let depends = object.parent.is_some() && object.statement % TABLES == table;
            if depends && object.is_valid {
                object.is_valid = false;
                self.counts.invalidations += 1;
            }
        }
    }

    /// Objects that are there.
    pub fn len(&self) -> usize {
        self.objects.iter().flatten().count()
    }
}
