//! What happens on the path of one I/O: a statement, its waits, system calls, block requests.

use std::sync::Arc;

use crate::{Nanos, Timestamp};

/// Which layer does something, the outermost first.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathLevel {
    /// A statement that a client sent.
    Statement,
    /// A call of a database for a statement: parse, execute, fetch.
    DatabaseCall,
    /// A wait of the database.
    Wait,
    /// A system call for I/O.
    SystemCall,
    /// A request to a block device.
    BlockRequest,
}

/// Something that one layer did and finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathStep {
    /// The layer.
    pub level: PathLevel,
    /// How deep a statement is that the database sent itself; 0 for a client's.
    pub recursion: u32,
    /// When it began; of a block request, when the device was given it.
    pub start: Timestamp,
    /// How long it took from then.
    pub duration: Nanos,
    /// Of a block request: how long it was in the kernel's queue before `start`.
    pub queued: Nanos,
    /// The process.
    pub process: u32,
    /// Its thread; of a block request the one that asked for it.
    pub thread: u32,
    /// What it is called: `pread64`, `DataFileRead`, `read`.
    pub name: Arc<str>,
    /// What it is about: the text of a statement, a file, a device. Empty where nothing says.
    pub subject: Arc<str>,
    /// The byte at which it begins, where it has one.
    pub offset: Option<u64>,
    /// Bytes read or written, where it has any.
    pub bytes: Option<u64>,
    /// How it ended.
    pub outcome: PathOutcome,
    /// The program of a block request; empty for all others.
    pub program: Arc<str>,
}

impl PathStep {
    /// About how many bytes a step takes until it is shown, at the moment when most is held: with its place among
    /// others, and with texts of its own.
    pub fn memory(&self) -> usize {
        const PLACED: usize = 3 * size_of::<PathStep>() + 64;
        /// What a text takes besides its bytes.
        const TEXT: usize = 32;
        let texts = [&self.name, &self.subject, &self.program];
        let own = texts.into_iter().filter(|text| Arc::strong_count(text) == 1);
        PLACED + own.map(|text| TEXT + text.len()).sum::<usize>()
    }
}

/// How a step ended.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum PathOutcome {
    /// As it should.
    #[default]
    Done,
    /// With an error.
    Failed,
    /// As it should; it is the rest of a request that was too large for the device.
    RestOfSplit,
}

impl PathLevel {
    /// Every level, the outermost first.
    pub const ALL: [PathLevel; 5] = [
        PathLevel::Statement,
        PathLevel::DatabaseCall,
        PathLevel::Wait,
        PathLevel::SystemCall,
        PathLevel::BlockRequest,
    ];

    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            PathLevel::Statement => "statement",
            PathLevel::DatabaseCall => "database call",
            PathLevel::Wait => "wait",
            PathLevel::SystemCall => "system call",
            PathLevel::BlockRequest => "block request",
        }
    }
}

impl PathStep {
    /// When its thread asked for it.
    pub fn asked(&self) -> Timestamp {
        self.start.minus(self.queued)
    }

    /// When it ended.
    pub fn end(&self) -> Timestamp {
        self.start.plus(self.duration)
    }
}
