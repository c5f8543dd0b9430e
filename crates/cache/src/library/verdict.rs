//! What a model of a library cache shows, in sentences.

use isotherm_frame::numbers::{grouped, quantity, waited};
use isotherm_frame::percent;
use schemars::JsonSchema;
use serde::Serialize;

use super::{BETWEEN_NS, HELD_NS, HELD_PER_OBJECT_NS, LibraryModel};

/// What costs most in a library cache.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LibraryVerdict {
    /// Cursors are found, and sessions wait for mutexes less than one hundredth of their time.
    Shared,
    /// Texts that were never there before are parsed: literals.
    NotShared,
    /// Cursors are parsed again because tables changed.
    Invalidated,
    /// Cursors are parsed again because memory did not hold them.
    AgedOut,
    /// Sessions wait, and most of the search is among child cursors.
    ManyVersions,
    /// Sessions wait for the mutex of one bucket.
    HotMutex,
    /// Sessions wait for mutexes, none of them in particular.
    BusyMutexes,
}

/// More hard parses than this share of executions are many.
const NOTABLE_PARSES: f64 = 0.02;
/// Less waiting than this share of the time of sessions is none to speak of.
const NOTABLE_WAITING: f64 = 0.01;
/// More objects looked at than these are a long search.
const LONG_SEARCH: f64 = 8.0;
/// A mutex with more than this share of all gets is hot.
const HOT: f64 = 0.25;

impl LibraryModel {
    /// The share of executions that found a cursor.
    pub fn hit_ratio(&self) -> f64 {
        self.counts.hits as f64 / self.counts.executions.max(1) as f64
    }

    /// What costs most.
    pub fn verdict(&self) -> LibraryVerdict {
        let counts = &self.counts;
        let share = |part: u64| part as f64 / counts.executions.max(1) as f64;
        let (literal, again) = (counts.literal_loads, counts.reloads);
        // What is parsed once and shared from then on is no fault.
        if share(literal).max(share(again)) > NOTABLE_PARSES {
            return match again {
                again if again <= literal => LibraryVerdict::NotShared,
                _ if counts.invalidations >= counts.aged_out => LibraryVerdict::Invalidated,
                _ => LibraryVerdict::AgedOut,
            };
        }
        if self.contention.session_share < NOTABLE_WAITING {
            LibraryVerdict::Shared
        } else if self.examined() > LONG_SEARCH {
            LibraryVerdict::ManyVersions
        } else if self.contention.busiest_share > HOT {
            LibraryVerdict::HotMutex
        } else {
            LibraryVerdict::BusyMutexes
        }
    }

    /// Objects that an execution looked at on average.
    pub(super) fn examined(&self) -> f64 {
        self.counts.examined as f64 / self.counts.executions.max(1) as f64
    }

    /// The verdict first, then what happened, then what is modelled and what is not.
    pub fn sentences(&self) -> Vec<String> {
        vec![
            self.verdict_in_words(),
            self.parses(),
            self.waiting(),
            self.lengths(),
            model(),
            absent(),
        ]
    }

    fn verdict_in_words(&self) -> String {
        let parsed = percent(1.0 - self.hit_ratio());
        let waits = percent(self.contention.session_share);
        match self.verdict() {
            LibraryVerdict::Shared => format!(
                "Cursors are shared: {parsed} of executions had to parse, and sessions wait for mutexes {waits} \
                 of their time."
            ),
            LibraryVerdict::NotShared => format!(
                "Cursors are not shared: {parsed} of executions had to parse, {} of them texts with \
                 literals that nobody executes again. Bind variables in place of literals would help.",
                percent(self.counts.literal_loads as f64 / self.counts.loads.max(1) as f64)
            ),
            LibraryVerdict::Invalidated => format!(
                "Cursors become invalid: {parsed} of executions had to parse, most of them again because a \
                 table had changed. Fewer changes while sessions work would help."
            ),
            LibraryVerdict::AgedOut => format!(
                "Too little memory: {parsed} of executions had to parse, most of them again because their \
                 cursor had been aged out. Memory for more cursors would help."
            ),
            LibraryVerdict::ManyVersions => format!(
                "Too many child cursors: sessions wait for mutexes {waits} of their time, and an execution \
                 looks at {} objects. Fewer environments for a statement would help.",
                quantity(self.examined())
            ),
            LibraryVerdict::HotMutex => format!(
                "One hot statement: sessions wait for mutexes {waits} of their time, and one mutex has {} of \
                 all gets. More buckets do not help; fewer executions of it would.",
                percent(self.contention.busiest_share)
            ),
            LibraryVerdict::BusyMutexes => format!(
                "Busy mutexes: sessions wait for them {waits} of their time. More hash buckets or fewer \
                 executions would help."
            ),
        }
    }

    fn parses(&self) -> String {
        let counts = &self.counts;
        format!(
            "{} executions: {} found a cursor, {} parsed what was never there, {} parsed again; {} cursors \
             became invalid, {} were aged out.",
            grouped(counts.executions),
            grouped(counts.hits),
            grouped(counts.loads - counts.reloads),
            grouped(counts.reloads),
            grouped(counts.invalidations),
            grouped(counts.aged_out)
        )
    }

    fn waiting(&self) -> String {
        let one = &self.contention;
        format!(
            "{} of mutex gets wait, {} on average of all gets. The busiest mutex has {} of all gets and is \
             held {} of the time.",
            percent(one.waiting_share),
            waited(one.mean_wait_ns / 1e9),
            percent(one.busiest_share),
            percent(one.busiest_held)
        )
    }

    fn lengths(&self) -> String {
        let Some(last) = self.last() else { return String::new() };
        let handles: usize = last.buckets.iter().map(Vec::len).sum();
        let longest = last.buckets.iter().map(Vec::len).max().unwrap_or(0);
        let children = last.children.iter().map(Vec::len).max().unwrap_or(0);
        format!(
            "At the end there are {} objects: {} handles, at most {} in a bucket, with {} child cursors, at \
             most {} of one handle; an execution looked at {} objects.",
            grouped(last.len() as u64),
            grouped(handles as u64),
            longest,
            grouped(last.lru.len() as u64),
            children,
            quantity(self.examined())
        )
    }
}

fn model() -> String {
    format!(
        "A model, no measurement. Modelled: hash buckets with a mutex each, handles, child cursors by \
         environment, an LRU list of cursors, one pin for each session, invalidation by table. Assumed: a \
         mutex is held for {} and {} more for each object that is looked at; a session does something else \
         for {} on average between two mutexes.",
        waited(HELD_NS as f64 / 1e9),
        waited(HELD_PER_OBJECT_NS as f64 / 1e9),
        waited(BETWEEN_NS as f64 / 1e9)
    )
}

fn absent() -> String {
    "Not modelled: the time of parsing, sizes of cursors (memory is a number of them), locks and pins that \
     wait, other objects than cursors, cursors cached by a session. It does not model any real server. PostgreSQL has \
     no library cache: each session keeps plans of its own."
        .to_owned()
}
