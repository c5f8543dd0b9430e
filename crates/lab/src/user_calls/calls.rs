//! Messages by which a client asks a server for work.

use std::ops::{AddAssign, Sub};

/// Messages of one kind each, counted.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Parse: a statement is prepared.
    pub parses: u64,
    /// Bind: a portal is opened on it.
    pub binds: u64,
    /// Execute: a portal is run, or asked for its next rows.
    pub executes: u64,
    /// Query: the simple protocol, all of it in one message.
    pub queries: u64,
}

impl Calls {
    /// All of them.
    pub fn sum(self) -> u64 {
        self.parses + self.binds + self.executes + self.queries
    }
}

impl AddAssign for Calls {
    fn add_assign(&mut self, more: Calls) {
        self.parses += more.parses;
        self.binds += more.binds;
        self.executes += more.executes;
        self.queries += more.queries;
    }
}

impl Sub for Calls {
    type Output = Calls;

    /// What came since an earlier count.
    fn sub(self, before: Calls) -> Calls {
        Calls {
            parses: self.parses - before.parses,
            binds: self.binds - before.binds,
            executes: self.executes - before.executes,
            queries: self.queries - before.queries,
        }
    }
}
