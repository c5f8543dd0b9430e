//! The calls that users made, and how many rows their fetches took.

use std::collections::{BTreeMap, HashMap};

use super::head::names_process;
use super::session::SESSION;
use super::writer::Writer;
use super::{Call, CallKind, Cursor, Damage, LobCall, Parsing, Visitor, Wait, Wants};

/// The event in which a session waits for its client: one for each round trip.
const CLIENT: &[u8] = b"SQL*Net message from client";
/// The most statements told apart; calls of further ones are counted together.
const MOST_STATEMENTS: usize = 20_000;
/// The most cursors remembered; when there are more, all are forgotten.
const MOST_CURSORS: usize = 1 << 16;
/// The most different [`UserStatement::executions`], of all statements together.
const MOST_EXECUTIONS: usize = 1 << 20;
/// The most bytes kept of a statement's text.
const TEXT: usize = 200;

/// Calls of the kinds that are user calls.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// `PARSE`
    pub parses: u64,
    /// `EXEC`
    pub execs: u64,
    /// `FETCH`
    pub fetches: u64,
}

/// A statement that users called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserStatement {
    /// Its `sqlid`, its `hv` where there is none, or what stands for it in parentheses.
    pub name: String,
    /// How its text begins.
    pub text: String,
    /// `oct`, the kind of command.
    pub command: Option<u32>,
    /// Its calls.
    pub calls: CallCounts,
    /// The rows that its fetches took.
    pub rows: u64,
    /// The most rows of a fetch.
    pub largest: u64,
    /// Executions that were fetched from, by their rows and fetches. Those that began before the trace
    /// are not among them.
    pub executions: BTreeMap<(u64, u64), u64>,
}

/// The calls of a trace.
#[derive(Clone, Debug, Default)]
pub struct UserCalls {
    statements: Vec<UserStatement>,
    by_name: HashMap<String, usize>,
    cursors: HashMap<(usize, Cursor), Opened>,
    writer: Writer,
    /// How many different executions are kept.
    kept: usize,
    /// Calls that the database made on its own, within others.
    pub recursive: CallCounts,
    /// Calls that read and write LOBs.
    pub lobs: u64,
    /// Waits for the client, one for each round trip.
    pub round_trips: u64,
    /// Records that are damaged.
    pub damaged: u64,
    /// Executions that there was no room for.
    pub left_out: u64,
}

/// A cursor that users called.
#[derive(Copy, Clone, Debug)]
struct Opened {
    statement: usize,
    /// Rows and fetches since its last execution; none if that is not in the trace.
    fetched: Option<(u64, u64)>,
}

impl CallCounts {
    /// All of them.
    pub fn sum(self) -> u64 {
        self.parses + self.execs + self.fetches
    }

    /// The sum with other calls.
    #[must_use]
    pub fn plus(self, more: CallCounts) -> CallCounts {
        CallCounts {
            parses: self.parses + more.parses,
            execs: self.execs + more.execs,
            fetches: self.fetches + more.fetches,
        }
    }

    fn count(&mut self, kind: CallKind) {
        match kind {
            CallKind::Parse => self.parses += 1,
            CallKind::Exec => self.execs += 1,
            CallKind::Fetch => self.fetches += 1,
            CallKind::Close | CallKind::Unmap | CallKind::SortUnmap => {}
        }
    }
}

impl UserCalls {
    /// Ends a file: cursors of the next one are others.
    pub fn end_file(&mut self) {
        for (_, opened) in std::mem::take(&mut self.cursors) {
            self.executed(opened);
        }
        self.writer = Writer::default();
    }

    /// The statements that users called, in the order in which they were first met.
    pub fn statements(&self) -> &[UserStatement] {
        &self.statements
    }

    /// The user calls of all statements.
    pub fn calls(&self) -> CallCounts {
        let none = CallCounts::default();
        self.statements.iter().fold(none, |sum, one| sum.plus(one.calls))
    }

    fn statement(&mut self, name: String) -> usize {
        let is_full = self.statements.len() >= MOST_STATEMENTS;
        let name =
            if is_full && !self.by_name.contains_key(&name) { "(others)".to_owned() } else { name };
        if let Some(&at) = self.by_name.get(&name) {
            return at;
        }
        let at = self.statements.len();
        self.statements.push(UserStatement { name: name.clone(), ..UserStatement::default() });
        self.by_name.insert(name, at);
        at
    }

    /// An execution is over.
    fn executed(&mut self, opened: Opened) {
        let Some(seen) = opened.fetched.filter(|(_, fetches)| *fetches > 0) else { return };
        let Some(statement) = self.statements.get_mut(opened.statement) else { return };
        let is_known = statement.executions.contains_key(&seen);
        if !is_known && self.kept >= MOST_EXECUTIONS {
            self.left_out += 1;
            return;
        }
        self.kept += usize::from(!is_known);
        *statement.executions.entry(seen).or_default() += 1;
    }

    fn open(&mut self, cursor: Cursor, statement: usize) {
        if self.cursors.len() >= MOST_CURSORS {
            let writer = std::mem::take(&mut self.writer);
            self.end_file();
            self.writer = writer;
        }
        let opened = Opened { statement, fetched: None };
        if let Some(before) = self.cursors.insert((self.writer.number(), cursor), opened) {
            self.executed(before);
        }
    }

    fn fetched(&mut self, cursor: Cursor, rows: u64) {
        let Some(opened) = self.cursors.get_mut(&(self.writer.number(), cursor)) else { return };
        opened.fetched = opened
            .fetched
            .map(|(before, fetches)| (before.saturating_add(rows), fetches.saturating_add(1)));
        if let Some(statement) = self.statements.get_mut(opened.statement) {
            statement.rows = statement.rows.saturating_add(rows);
            statement.largest = statement.largest.max(rows);
        }
    }

    fn begun(&mut self, cursor: Cursor, fetched: Option<(u64, u64)>) {
        let Some(opened) = self.cursors.get_mut(&(self.writer.number(), cursor)) else { return };
        let before = std::mem::replace(opened, Opened { fetched, ..*opened });
        self.executed(before);
    }
}

impl Visitor for UserCalls {
    const WANTS: Wants = Wants::WAITS
        .and(Wants::CALLS)
        .and(Wants::LOBS)
        .and(Wants::STATEMENTS)
        .and(Wants::STAMPS)
        .and(Wants::HEADER);

    fn wait(&mut self, wait: &Wait<'_>) {
        self.round_trips += u64::from(wait.event == CLIENT);
    }

    fn call(&mut self, call: &Call) {
        if call.depth > 0 {
            self.recursive.count(call.kind);
            return;
        }
        if !self.cursors.contains_key(&(self.writer.number(), call.cursor)) {
            let at = self.statement("(not in the file)".to_owned());
            self.open(call.cursor, at);
        }
        let at =
            self.cursors.get(&(self.writer.number(), call.cursor)).map(|opened| opened.statement);
        if let Some(statement) = at.and_then(|at| self.statements.get_mut(at)) {
            statement.calls.count(call.kind);
        }
        match call.kind {
            CallKind::Exec => self.begun(call.cursor, Some((0, 0))),
            CallKind::Fetch => self.fetched(call.cursor, call.rows),
            CallKind::Parse | CallKind::Close => self.begun(call.cursor, None),
            CallKind::Unmap | CallKind::SortUnmap => {}
        }
    }

    fn lob(&mut self, _: &LobCall<'_>) {
        self.lobs += 1;
    }

    fn parsing(&mut self, parsing: &Parsing<'_>) {
        if parsing.depth > 0 {
            // The cursor is the database's now.
            if let Some(before) = self.cursors.remove(&(self.writer.number(), parsing.cursor)) {
                self.executed(before);
            }
            return;
        }
        let name = match (parsing.sql_id, parsing.hash) {
            (Some(id), _) => String::from_utf8_lossy(id).into_owned(),
            (None, Some(hash)) => format!("hv={hash}"),
            (None, None) => "(no name)".to_owned(),
        };
        let at = self.statement(name);
        if let Some(statement) = self.statements.get_mut(at).filter(|one| one.text.is_empty()) {
            let text = parsing.text.get(..parsing.text.len().min(TEXT)).unwrap_or_default();
            let text = String::from_utf8_lossy(text);
            text.trim_end_matches('\u{fffd}').clone_into(&mut statement.text);
            statement.command = parsing.command;
        }
        self.open(parsing.cursor, at);
    }

    fn header(&mut self, key: &[u8], value: &[u8]) {
        if names_process(key) {
            self.writer.process(value);
        }
    }

    fn label(&mut self, label: &[u8], value: &[u8]) {
        if label == SESSION {
            self.writer.session(value);
        }
    }

    fn damage(&mut self, _: Damage) {
        self.damaged += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan_slice;
    use super::*;

    const TRACE: &str = "\
=====================
PARSING IN CURSOR #1 len=15 dep=0 uid=5 oct=3 lid=5 tim=1 hv=7 ad='1' sqlid='aaa'
select * from t
END OF STMT
PARSE #1:c=0,e=1,p=0,cr=0,cu=0,mis=1,r=0,dep=0,og=1,plh=1,tim=2
PARSING IN CURSOR #2 len=11 dep=1 uid=0 oct=3 lid=0 tim=3 hv=8 ad='2' sqlid='bbb'
select 1 x
END OF STMT
PARSE #2:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=0,dep=1,og=1,plh=2,tim=4
EXEC #2:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=0,dep=1,og=1,plh=2,tim=5
FETCH #2:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=1,dep=1,og=1,plh=2,tim=6
EXEC #1:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=7
FETCH #1:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=1,dep=0,og=1,plh=1,tim=8
WAIT #1: nam='SQL*Net message from client' ela= 100 driver id=1 #bytes=1 p3=0 obj#=-1 tim=9
FETCH #1:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=15,dep=0,og=1,plh=1,tim=10
WAIT #1: nam='SQL*Net message from client' ela= 100 driver id=1 #bytes=1 p3=0 obj#=-1 tim=11
FETCH #1:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=4,dep=0,og=1,plh=1,tim=12
WAIT #1: nam='db file sequential read' ela= 100 file#=1 block#=1 blocks=1 obj#=-1 tim=13
EXEC #1:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=14
FETCH #1:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=15
CLOSE #1:c=0,e=1,dep=0,type=0,tim=16
EXEC #9:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=1,dep=0,og=1,plh=1,tim=17
FETCH #8:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=3,dep=0,og=1,plh=1,tim=18
";

    fn of(trace: &str) -> UserCalls {
        let mut calls = UserCalls::default();
        scan_slice(trace.as_bytes(), &mut calls);
        calls.end_file();
        calls
    }

    #[test]
    fn calls_are_counted_by_their_statement_and_depth() {
        let calls = of(TRACE);
        let [query, missing] = calls.statements() else { panic!("{:?}", calls.statements()) };
        assert_eq!((query.name.as_str(), query.text.as_str()), ("aaa", "select * from t"));
        assert_eq!(query.calls, CallCounts { parses: 1, execs: 2, fetches: 4 });
        assert_eq!((query.rows, query.largest, query.command), (20, 15, Some(3)));
        // 1 + 15 + 4 rows in three fetches, then none in one.
        assert_eq!(query.executions, BTreeMap::from([((20, 3), 1), ((0, 1), 1)]));
        assert_eq!(missing.name, "(not in the file)");
        assert_eq!(missing.calls, CallCounts { parses: 0, execs: 1, fetches: 1 });
        assert!(missing.executions.is_empty(), "its execution is not in the file");
        assert_eq!(calls.recursive, CallCounts { parses: 1, execs: 1, fetches: 1 });
        assert_eq!((calls.calls().sum(), calls.round_trips, calls.damaged), (9, 2, 0));
    }

    #[test]
    fn cursors_of_another_file_are_others() {
        let mut calls = UserCalls::default();
        for part in
            [&TRACE[..TRACE.find("EXEC #9").unwrap()], &TRACE[TRACE.find("EXEC #9").unwrap()..]]
        {
            scan_slice(part.replace("#9", "#1").as_bytes(), &mut calls);
            calls.end_file();
        }
        assert_eq!(calls.statements()[0].calls.execs, 2);
        assert_eq!(calls.statements()[1].calls.execs, 1);
    }
}
