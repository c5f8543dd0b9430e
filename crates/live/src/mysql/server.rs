//! What is asked of a server: which histograms it has, and their rows.

use isotherm_client::mysql::{MySqlError, Rows, Session};

/// Which histograms a server has.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Histograms {
    /// `QUERY_RESPONSE_TIME`.
    ResponseTime,
    /// `QUERY_RESPONSE_TIME_READ_WRITE`, from `MariaDB` 11.5 on.
    ReadWrite,
    /// `events_statements_histogram_global`.
    Global,
    /// `events_statements_histogram_by_digest`.
    ByDigest,
}

/// Why a server cannot be asked.
#[derive(Debug)]
pub(super) enum AskError {
    /// It has no histograms: the words say what helps.
    Missing(String),
    /// It does not answer, or refuses.
    Client(MySqlError),
}

impl From<MySqlError> for AskError {
    fn from(error: MySqlError) -> AskError {
        AskError::Client(error)
    }
}

const NO_PLUGIN: &str = "there is no table QUERY_RESPONSE_TIME: INSTALL SONAME \
    'query_response_time'; SET GLOBAL query_response_time_stats = 1; (and in my.cnf \
    plugin_load_add = query_response_time, query_response_time_stats = 1)";
const NOT_COUNTED: &str = "QUERY_RESPONSE_TIME does not count: SET GLOBAL \
    query_response_time_stats = 1; finer buckets: SET GLOBAL query_response_time_range_base = 2; \
    FLUSH QUERY_RESPONSE_TIME; (this resets the counts)";
const NO_SCHEMA: &str = "the performance schema is off: set performance_schema = ON in my.cnf, and \
    restart the server";
const NO_DIGESTS: &str = "there are no counts by statement: UPDATE performance_schema.setup_consumers SET \
    ENABLED = 'YES' WHERE NAME = 'statements_digest'";
const NOT_INSTRUMENTED: &str = "the performance schema does not count: UPDATE \
    performance_schema.setup_consumers SET ENABLED = 'YES' WHERE NAME = 'global_instrumentation'";

impl Histograms {
    /// Finds out which of them the server has; `by_digest` where statements are to be told apart.
    pub(super) fn of(session: &mut Session, by_digest: bool) -> Result<Histograms, AskError> {
        let version = text(session, "select version()")?;
        if version.contains("MariaDB") {
            if by_digest {
                return Err(AskError::Missing(format!(
                    "MariaDB ({version}) keeps one histogram of all statements: leave --by out"
                )));
            }
            return response_time(session);
        }
        let tables = text(
            session,
            "select count(*) from information_schema.tables where table_schema = \
             'performance_schema' and table_name = 'events_statements_histogram_global'",
        )?;
        if tables == "0" {
            return response_time(session).map_err(|error| match error {
                AskError::Missing(_) => AskError::Missing(format!(
                    "MySQL {version} keeps no histograms: 8.0 or later is needed"
                )),
                error @ AskError::Client(_) => error,
            });
        }
        performance_schema(session, by_digest)
    }

    /// The statement that asks for the rows, with the seconds since the server started in the last.
    pub(super) fn statement(self) -> &'static str {
        match self {
            Histograms::ResponseTime => {
                "select TIME, COUNT, TOTAL from information_schema.QUERY_RESPONSE_TIME union all \
                 select 'UPTIME', VARIABLE_VALUE, '' from information_schema.GLOBAL_STATUS where \
                 VARIABLE_NAME = 'UPTIME'"
            }
            Histograms::ReadWrite => {
                "select TIME, READ_COUNT, READ_TOTAL, WRITE_COUNT, WRITE_TOTAL from \
                 information_schema.QUERY_RESPONSE_TIME_READ_WRITE union all select 'UPTIME', \
                 VARIABLE_VALUE, '', '', '' from information_schema.GLOBAL_STATUS where \
                 VARIABLE_NAME = 'UPTIME'"
            }
            Histograms::Global => {
                "select BUCKET_TIMER_LOW, BUCKET_TIMER_HIGH, COUNT_BUCKET, COUNT_BUCKET_AND_LOWER from \
                 performance_schema.events_statements_histogram_global union all select 'UPTIME', \
                 VARIABLE_VALUE, '', '' from performance_schema.global_status where VARIABLE_NAME = \
                 'Uptime'"
            }
            Histograms::ByDigest => {
                "select h.BUCKET_TIMER_LOW, h.BUCKET_TIMER_HIGH, h.COUNT_BUCKET, \
                 h.COUNT_BUCKET_AND_LOWER, h.SCHEMA_NAME, h.DIGEST, s.DIGEST_TEXT, s.COUNT_STAR, \
                 s.SUM_TIMER_WAIT from performance_schema.events_statements_histogram_by_digest h \
                 left join performance_schema.events_statements_summary_by_digest s on s.SCHEMA_NAME \
                 <=> h.SCHEMA_NAME and s.DIGEST <=> h.DIGEST where h.COUNT_BUCKET > 0 union all \
                 select 'UPTIME', VARIABLE_VALUE, '', '', '', '', '', '', '' from \
                 performance_schema.global_status where VARIABLE_NAME = 'Uptime'"
            }
        }
    }
}

/// The tables of the plugin.
fn response_time(session: &mut Session) -> Result<Histograms, AskError> {
    let active = session.rows(
        "select PLUGIN_NAME from information_schema.PLUGINS where PLUGIN_STATUS = 'ACTIVE' and \
         PLUGIN_NAME like 'QUERY_RESPONSE_TIME%'",
    )?;
    let has =
        |name: &str| active.rows.iter().any(|row| row.first() == Some(&Some(name.to_owned())));
    if !has("QUERY_RESPONSE_TIME") {
        return Err(AskError::Missing(NO_PLUGIN.to_owned()));
    }
    if text(session, "select @@global.query_response_time_stats")? != "1" {
        return Err(AskError::Missing(NOT_COUNTED.to_owned()));
    }
    // From MariaDB 11.5 on a session can be left out of what is counted: ours is.
    let own = session.rows("set session query_response_time_session_stats = 'OFF'");
    match own {
        Err(error) if !error.is(&[UNKNOWN_VARIABLE]) => return Err(error.into()),
        _ => {}
    }
    let split = has("QUERY_RESPONSE_TIME_READ_WRITE");
    Ok(if split { Histograms::ReadWrite } else { Histograms::ResponseTime })
}

/// The number of the error that there is no such variable.
const UNKNOWN_VARIABLE: u16 = 1193;

/// The tables of the performance schema.
fn performance_schema(session: &mut Session, by_digest: bool) -> Result<Histograms, AskError> {
    let missing = |why: &str| Err(AskError::Missing(why.to_owned()));
    if text(session, "select @@performance_schema")? != "1" {
        return missing(NO_SCHEMA);
    }
    let consumers = session.rows(
        "select NAME from performance_schema.setup_consumers where ENABLED = 'YES' and NAME in \
         ('global_instrumentation', 'statements_digest')",
    )?;
    let is_on =
        |name: &str| consumers.rows.iter().any(|row| row.first() == Some(&Some(name.into())));
    match by_digest {
        _ if !is_on("global_instrumentation") => missing(NOT_INSTRUMENTED),
        true if !is_on("statements_digest") => missing(NO_DIGESTS),
        true => Ok(Histograms::ByDigest),
        false => Ok(Histograms::Global),
    }
}

/// The first value of the answer.
fn text(session: &mut Session, sql: &str) -> Result<String, MySqlError> {
    let Rows { rows, .. } = session.rows(sql)?;
    Ok(rows.into_iter().flatten().flatten().next().unwrap_or_default())
}
