//! What the lines of a SQL trace say. Numbers are as written: their unit follows from the
//! version (centiseconds in 8i, microseconds since), which the reader of the file tells.

use super::BindLine;

/// A cursor number: small up to 11.2.0.1, address-like after; 0 where a wait belongs to none.
pub type Cursor = u64;

/// `WAIT #c: nam='...' ela= n ... tim=n`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Wait<'a> {
    /// The cursor that waited.
    pub cursor: Cursor,
    /// The wait event, in the database's character set.
    pub event: &'a [u8],
    /// How long, in the trace's unit.
    pub ela: u64,
    /// What stands between `ela` and `tim`: the parameters, as written, with `obj#` among them.
    pub parameters: &'a [u8],
    /// When the wait ended, in the trace's unit and on its own clock; 9i and 10.1 do not say.
    pub tim: Option<u64>,
}

/// The database calls that are written with what they cost.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallKind {
    /// `PARSE`
    Parse,
    /// `EXEC`
    Exec,
    /// `FETCH`
    Fetch,
    /// `CLOSE`
    Close,
    /// `UNMAP`
    Unmap,
    /// `SORT UNMAP`
    SortUnmap,
}

/// `PARSE|EXEC|FETCH|CLOSE|UNMAP|SORT UNMAP #c:c=,e=,...`: written when the call ends, with the
/// work of deeper calls in it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Which call.
    pub kind: CallKind,
    /// The cursor.
    pub cursor: Cursor,
    /// `c`: processor time.
    pub cpu: u64,
    /// `e`: elapsed time.
    pub elapsed: u64,
    /// `p`: blocks read from disk.
    pub physical_reads: u64,
    /// `cr`: consistent gets.
    pub consistent_gets: u64,
    /// `cu`: current gets.
    pub current_gets: u64,
    /// `mis`: library cache misses.
    pub misses: u64,
    /// `r`: rows.
    pub rows: u64,
    /// `dep`: recursion depth; 0 is a call of the user.
    pub depth: u32,
    /// `type` of a `CLOSE`: 0 closed, 1 to 3 kept in the session's cache.
    pub close_type: Option<u32>,
    /// `plh`: the hash of the plan.
    pub plan_hash: Option<u64>,
    /// When the call ended.
    pub tim: Option<u64>,
}

/// `PARSING IN CURSOR #c ...` with the text up to `END OF STMT`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Parsing<'a> {
    /// The cursor.
    pub cursor: Cursor,
    /// `len`: bytes of the text as the server counts them.
    pub length: Option<u64>,
    /// Recursion depth.
    pub depth: u32,
    /// `uid`: the user's number.
    pub user: Option<u64>,
    /// `oct`: the kind of command.
    pub command: Option<u32>,
    /// `hv`: the hash of the text.
    pub hash: Option<u64>,
    /// `sqlid`, since 11g.
    pub sql_id: Option<&'a [u8]>,
    /// When.
    pub tim: Option<u64>,
    /// The statement, without the line end before `END OF STMT`.
    pub text: &'a [u8],
}

/// `PARSE ERROR #c:...` and the text that follows it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ParseError<'a> {
    /// The cursor.
    pub cursor: Cursor,
    /// Recursion depth.
    pub depth: u32,
    /// The number of the ORA- error.
    pub error: Option<u32>,
    /// When.
    pub tim: Option<u64>,
    /// The statement.
    pub text: &'a [u8],
}

/// `LOBREAD|LOBWRITE|...: type=..,bytes=..,c=..,e=..`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LobCall<'a> {
    /// Which call, such as `LOBREAD`.
    pub kind: &'a [u8],
    /// Bytes moved.
    pub bytes: u64,
    /// Processor time.
    pub cpu: u64,
    /// Elapsed time.
    pub elapsed: u64,
    /// Blocks read from disk.
    pub physical_reads: u64,
    /// Consistent gets.
    pub consistent_gets: u64,
    /// Current gets.
    pub current_gets: u64,
    /// When the call ended.
    pub tim: Option<u64>,
}

/// `STAT #c id=.. cnt=.. pid=.. pos=.. obj=.. op='...'`: a line of the executed plan.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Stat<'a> {
    /// The cursor.
    pub cursor: Cursor,
    /// The step.
    pub id: u32,
    /// The step it belongs to.
    pub parent: u32,
    /// Rows it gave.
    pub rows: u64,
    /// The object.
    pub object: u64,
    /// The operation with its numbers, as written.
    pub operation: &'a [u8],
}

/// What the server says about the trace itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Notice<'a> {
    /// `*** TRACE CONTINUED FROM FILE <path> ***`
    ContinuedFrom(&'a [u8]),
    /// `*** TRACE FILE RECREATED AFTER BEING REMOVED ***`
    Recreated,
    /// `*** DUMP FILE SIZE IS LIMITED TO n BYTES ***`: later waits are missing.
    SizeLimited,
}

/// Kinds of records, as a set.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Wants(u16);

impl Wants {
    /// [`Visitor::wait`]
    pub const WAITS: Wants = Wants(1);
    /// Parameters and `tim` of waits: without this, what they are is not said.
    pub const WAIT_TIMES: Wants = Wants(1 << 1);
    /// [`Visitor::call`]
    pub const CALLS: Wants = Wants(1 << 2);
    /// [`Visitor::lob`]
    pub const LOBS: Wants = Wants(1 << 3);
    /// [`Visitor::parsing`] and [`Visitor::parse_error`]
    pub const STATEMENTS: Wants = Wants(1 << 4);
    /// [`Visitor::error`]
    pub const ERRORS: Wants = Wants(1 << 5);
    /// [`Visitor::stat`]
    pub const STATS: Wants = Wants(1 << 6);
    /// [`Visitor::transaction_end`]
    pub const TRANSACTIONS: Wants = Wants(1 << 7);
    /// [`Visitor::stamp`], [`Visitor::label`] and [`Visitor::notice`]
    pub const STAMPS: Wants = Wants(1 << 8);
    /// [`Visitor::header`]
    pub const HEADER: Wants = Wants(1 << 9);
    /// [`Visitor::binds`] and [`Visitor::bind`]
    pub const BINDS: Wants = Wants(1 << 10);
    /// Every record.
    pub const ALL: Wants = Wants(0x7ff);
    /// Every record but the lines of executed plans and the values of bind variables.
    pub const ALL_BUT_STATS: Wants = Wants(Wants::ALL.0 & !(Wants::STATS.0 | Wants::BINDS.0));

    /// Both kinds.
    #[must_use]
    pub const fn and(self, other: Wants) -> Wants {
        Wants(self.0 | other.0)
    }

    /// Whether all of `kinds` are in the set.
    pub const fn has(self, kinds: Wants) -> bool {
        self.0 & kinds.0 == kinds.0
    }
}

/// Takes the records of a trace in order. Every method does nothing unless it is written.
pub trait Visitor {
    /// What is to be reported. Records of other kinds are recognised and passed over, not parsed:
    /// they cost little, and what is damaged in them is not noticed.
    const WANTS: Wants = Wants::ALL;

    /// The line that the next record begins on, from 1, counted from where reading began.
    fn at_line(&mut self, _line: u64) {}
    /// A wait.
    fn wait(&mut self, _wait: &Wait<'_>) {}
    /// A database call that ended.
    fn call(&mut self, call: &Call) {
        self.tim(call.tim);
    }
    /// A LOB call that ended.
    fn lob(&mut self, call: &LobCall<'_>) {
        self.tim(call.tim);
    }
    /// A statement.
    fn parsing(&mut self, parsing: &Parsing<'_>) {
        self.tim(parsing.tim);
    }
    /// A statement that could not be parsed by the server.
    fn parse_error(&mut self, error: &ParseError<'_>) {
        self.tim(error.tim);
    }
    /// `ERROR #c:err=n tim=n`.
    fn error(&mut self, _cursor: Cursor, _error: u32, tim: Option<u64>) {
        self.tim(tim);
    }
    /// A line of an executed plan.
    fn stat(&mut self, _stat: &Stat<'_>) {}
    /// `BINDS #c:`: what is bound to the variables of a statement follows.
    fn binds(&mut self, _cursor: Cursor) {}
    /// A line of that.
    fn bind(&mut self, _line: BindLine<'_>) {}
    /// `XCTEND rlbk=r, rd_only=o`: a transaction ended.
    fn transaction_end(&mut self, _rolled_back: bool, _read_only: bool, tim: Option<u64>) {
        self.tim(tim);
    }
    /// The time of a record of which nothing else is looked at, and which is no wait.
    fn tim(&mut self, _tim: Option<u64>) {}
    /// `*** 2024-03-26T15:34:21.557766-07:00 (PDB1(3))`: the wall clock, as written behind the
    /// asterisks. The time behind a label is a stamp too, reported before the label.
    fn stamp(&mut self, _stamp: &[u8]) {}
    /// `*** SESSION ID:(1.2) ...`, `*** MODULE NAME:(x) ...`: the label (such as `MODULE NAME`)
    /// and what stands in the parentheses.
    fn label(&mut self, _label: &[u8], _value: &[u8]) {}
    /// A line of the header: `Node name:` with its value. Keys are as written, with their colon
    /// if they have one (`Version:` is the operating system's); the line with the release of the
    /// database has the key `banner`, that of the trace file `Trace file`, and the release that
    /// 18c and later write below the banner `Version`.
    fn header(&mut self, _key: &[u8], _value: &[u8]) {}
    /// Something the server says about the trace.
    fn notice(&mut self, _notice: Notice<'_>) {}
    /// Something that looks like a record and is damaged: where it begins, counted from the
    /// beginning of the file, and why it cannot be read.
    fn damaged(&mut self, _byte: u64, _why: &'static str) {}
    /// The same with the line; the scanner calls this one.
    fn damage(&mut self, damage: Damage) {
        self.damaged(damage.byte, damage.why);
    }
}

/// Something that looks like a record and cannot be read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where it begins, counted from the beginning of the input.
    pub byte: u64,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub why: &'static str,
    /// Whether it is a wait.
    pub wait: bool,
}
