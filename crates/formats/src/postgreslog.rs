//! Server logs of `PostgreSQL`: every duration they tell is an event, and the server's own work is marked.

mod csv;
mod durations;
mod json;
mod message;
mod moment;
mod plans;
mod server_work;
mod text;

use std::io::BufRead;

use self::durations::Durations;
use crate::lines::whole_lines;
use crate::{
    Context, Counting, DecodeError, LineReader, Meta, Need, ReadingOption, Sink, Source, Verdict,
};

/// Reads durations of statements from server logs.
pub(crate) struct PostgresLog;

pub(crate) static SOURCE: PostgresLog = PostgresLog;

static META: Meta = Meta {
    name: "postgreslog",
    address: "FILE or -",
    about: "Server logs of PostgreSQL as text, CSV or JSON: the durations logged by \
        log_min_duration_statement and auto_explain, by normalized statement (literals become ?); \
        checkpoints, lock waits, autovacuum and temporary files as marks",
    needs: &[
        Need {
            what: "durations in the log",
            how: "alter system set log_min_duration_statement = 0 (or a threshold in ms); select \
                pg_reload_conf()",
        },
        Need {
            what: "timestamps in log_line_prefix, and English messages",
            how: "log_line_prefix = '%m [%p] %u@%d ' and lc_messages = 'C'",
        },
        Need {
            what: "for marks of what the server does",
            how: "log_checkpoints = on, log_lock_waits = on, log_temp_files = 0, \
                log_autovacuum_min_duration = 0",
        },
    ],
    command: "isotherm show /var/log/postgresql/postgresql-15-main.log",
    overhead: "The server writes 100-200 bytes for each logged statement; log_min_duration_sample \
        and log_statement_sample_rate log only a sample. Reading the file does not touch the \
        server.",
    loses: "Statements below the threshold are missing, and so are failed statements: the log has \
        no duration for them. Timestamps are in milliseconds, durations in microseconds. \
        Statements with the same fingerprint are one series: the normalized text of the first 8 \
        KiB, cut to 1,000 bytes. After 1,000 different statements, all further ones share one \
        series. Parse, bind and fetch are separate series. A plan of auto_explain is left out when \
        its backend logged the duration of the same statement just before or after it: the two are \
        one execution. Of checkpoints, lock waits, runs of autovacuum and temporary files each that is \
        among the 20 longest of its kind so far is a mark; --where step=checkpoint, step=lock or \
        step=autovacuum shows how long all of them took, in place of the statements: a lock wait is \
        part of a statement, and a checkpoint is spread on purpose. A lock wait that was cancelled has \
        no duration in the log. Of autovacuum only whole hundredths of a second are logged: a run counts 5 ms \
        more than that, and may have taken 5 ms less or more. The longest call of each statement is an \
        example, with its line in the log: statistics and reports show those of ten statements, with their \
        values, which may be personal data. A statement that may set a password is shown without its values. Attributes for --by and --where: statement, step, database, user, pid, \
        application (text logs have only those in their prefix: [%p] and %u@%d).",
    counting: Counting::Events,
    exact_time: true,
    example: "\
2026-11-22 22:32:24.527 UTC [8937] postgres@postgres LOG:  duration: 3.354 ms  statement: select count(*) from t where b in ('x1','x2','x3');
2026-11-22 22:32:24.549 UTC [8937] postgres@postgres LOG:  duration: 0.084 ms  statement: select a from t where a = 7;
2026-11-22 22:32:24.549 UTC [8937] postgres@postgres LOG:  duration: 0.025 ms  statement: SELECT a FROM t WHERE a = 8;
",
    interpretation: "These three statements are two series: the last two differ only in a number \
        and in upper and lower case, so both are 'select a from t where a = ?'. The timestamp is \
        when the statement ended.",
};

/// How a log is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Form {
    Text,
    Csv,
    Json,
}

/// How a log that begins with `head` is written; `None` if it is of another kind.
fn form(head: &[u8]) -> Option<Form> {
    let has = |line: &[u8], mark: &[u8]| memchr::memmem::find(line, mark).is_some();
    whole_lines(head).split(|byte| *byte == b'\n').find_map(|line| {
        let dated = line.len() > 30 && line[4] == b'-' && line[10] == b' ' && line[13] == b':';
        if line.starts_with(b"{\"timestamp\":") && has(line, b"\"error_severity\":") {
            Some(Form::Json)
        } else if dated && (has(line, b",LOG,00000,") || has(line, b",FATAL,") || has(line, b",ERROR,")) {
            Some(Form::Csv)
        } else if has(line, b"LOG:  duration: ") || dated && has(line, b" LOG:  ") {
            Some(Form::Text)
        } else {
            None
        }
    })
}

impl Source for PostgresLog {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        if form(head).is_some() { Verdict::Yes } else { Verdict::No }
    }

    fn looks_at_attributes(&self) -> bool {
        true
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Unit, ReadingOption::TimeUnit, ReadingOption::Temporality]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let head = crate::peek(input).unwrap_or_default();
        let mut lines = LineReader::new(input);
        let mut durations = Durations::new(context);
        match form(&head).unwrap_or(Form::Text) {
            Form::Text => text::read(&mut lines, context, &mut durations, sink)?,
            Form::Csv => csv::read(&mut lines, context, &mut durations, sink)?,
            Form::Json => json::read(&mut lines, context, &mut durations, sink)?,
        }
        durations.finish(sink)
    }
}
