//! What is counted beside fetches: statements that the server runs by itself, and ways to ask for all
//! rows at once.

use isotherm_client::postgres::error::PgError;

use super::counted::user_calls;
use super::session::Session;

/// Rows of the table that the published counts are of.
pub const ROWS: u64 = 71_353;
/// Statements that are sent one by one.
pub const STATEMENTS: u64 = 1_000;
/// Statements that are sent together.
pub const PIPELINED: u64 = 20;

/// All rows of the table.
pub const SELECT: &str = "select n from rows_fetched";

/// Tables, functions and procedures. `written` counts what the server ran by itself.
pub const PREPARE: [&str; 9] = [
    "create table written (n int)",
    "create table plain (n int)",
    "create table watched (n int)",
    "create function note() returns trigger language plpgsql as \
     'begin insert into written values (new.n); return null; end'",
    "create trigger note after insert on watched for each row execute function note()",
    "create procedure write(many int) language plpgsql as \
     'begin for n in 1..many loop insert into written values (n); end loop; end'",
    "create procedure write_out(many int, out last int) language plpgsql as \
     'begin for n in 1..many loop insert into written values (n); last := n; end loop; end'",
    "create function write_and_say(many int) returns int language plpgsql as \
     'begin for n in 1..many loop insert into written values (n); end loop; return many; end'",
    "create table rows_fetched as select n from generate_series(1, 71353) n",
];

/// One piece of work and the user calls it should have.
#[derive(Copy, Clone, Debug)]
pub struct Scenario {
    pub name: &'static str,
    pub law: u64,
    /// The user calls that were published for Oracle; empty if none were.
    pub published: &'static str,
    work: Work,
}

#[derive(Copy, Clone, Debug)]
enum Work {
    Run(&'static str),
    Query(&'static str),
    Repeat(&'static str, u64),
    Pipeline(&'static str, u64),
}

impl Scenario {
    /// In the order of the table.
    pub fn all() -> Vec<Scenario> {
        let new = |name, law, work| Scenario { name, law, published: "", work };
        let published = |published, scenario| Scenario { published, ..scenario };
        let insert = "insert into plain select generate_series(1, 1000)";
        let watched = "insert into watched select generate_series(1, 1000)";
        let block =
            "do 'begin for n in 1..1000 loop insert into written values (n); end loop; end'";
        let one = "insert into plain values (1)";
        vec![
            published("2", new("DDL", 2, Work::Run("create table made (n int)"))),
            new("an insert of 1,000 rows", 2, Work::Run(insert)),
            published("0 more", new("the same, with a trigger's inserts", 2, Work::Run(watched))),
            published("2", new("an anonymous block of 1,000 inserts", 2, Work::Run(block))),
            published("3", new("a procedure of 1,000 inserts", 2, Work::Run("call write(1000)"))),
            new("the same, with an OUT parameter", 3, Work::Run("call write_out(1000, null)")),
            new("a function of 1,000 inserts", 3, Work::Run("select write_and_say(1000)")),
            new("1,000 inserts, prepared once", 1 + STATEMENTS, Work::Repeat(one, STATEMENTS)),
            new("20 inserts in a pipeline", 2 * PIPELINED, Work::Pipeline(one, PIPELINED)),
            // More room than rows: one fetch.
            new("71,353 rows in one fetch", user_calls(ROWS, ROWS + 1), Work::Run(SELECT)),
            new("71,353 rows by the simple protocol", 1, Work::Query(SELECT)),
        ]
    }

    /// Whether its statements are sent together.
    pub fn is_pipeline(&self) -> bool {
        matches!(self.work, Work::Pipeline(..))
    }

    /// Does it.
    pub fn run(&self, session: &mut Session<'_>) -> Result<(), PgError> {
        match self.work {
            Work::Run(sql) => session.run(sql),
            Work::Query(sql) => session.query(sql),
            Work::Repeat(sql, times) => session.repeat(sql, times),
            Work::Pipeline(sql, times) => session.pipeline(sql, times),
        }
    }
}
