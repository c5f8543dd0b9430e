//! A plain script for hosts where only SQL*Plus may run: what it prints is read elsewhere.

use std::fmt::Write as _;

use isotherm_frame::{Nanos, Unit};
use jiff::tz::TimeZone;
use thiserror::Error;

use crate::oracle::Query;
use crate::oracle::history::{
    AwrSeries, Layout, NoMoment, QUERIES, SAME_CONTAINER, Selection, Span, Window, WindowEnd, polls,
};
use crate::oracle::pattern::Pattern;

use super::{SESSION, SETTINGS, statement};

/// A script for SQL*Plus, without input of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlPlusScript {
    /// Names of wait events, in which `*` stands for any text; all that are not idle if there are
    /// none.
    pub events: Vec<String>,
    /// What it asks for.
    pub asks: ScriptAsks,
}

/// What a script asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptAsks {
    /// What happens while it runs.
    Live(ScriptRepeats),
    /// What AWR remembers, in UTC if no zone is given: how long ago, or a date and time.
    History {
        /// From when on.
        since: Option<String>,
        /// Until when.
        until: Option<String>,
    },
    /// What AWR remembers, as a CSV for each of the predefined queries.
    Series {
        /// Which; all if there are none.
        names: Vec<String>,
        /// From when on.
        since: Option<String>,
        /// Until when.
        until: Option<String>,
        /// The statements alone, to be read and run by hand.
        bare: bool,
    },
}

/// How a script polls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptRepeats {
    /// The time between two polls, at least a hundredth of a second.
    pub interval: Nanos,
    /// How many intervals: one poll more.
    pub intervals: u64,
    /// Who sleeps in between.
    pub sleep: ScriptSleep,
    /// Milliseconds, for releases before 12.1.0.2.
    pub millis: bool,
    /// Counters of each container (12.2 and later).
    pub per_pdb: bool,
    /// All instances of a cluster, through the `GV$` views.
    pub cluster: bool,
}

/// Who sleeps between two polls.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum ScriptSleep {
    /// `DBMS_SESSION.SLEEP`, which everybody may use (18c and later).
    #[default]
    Session,
    /// `DBMS_LOCK.SLEEP`, on which EXECUTE must be granted.
    Lock,
    /// The command `sleep` of the host, which needs nothing of the database.
    Host,
}

/// Why there can be no such script.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScriptError {
    /// SQL*Plus has no loops, so each poll is a line of the script.
    #[error(
        "{0} intervals are too many: the script has a line for each, at most {most}; take longer \
         intervals (--interval)",
        most = SqlPlusScript::MOST
    )]
    TooMany(u64),
    /// Nothing to wait for.
    #[error("there must be at least one interval")]
    None,
    /// Sleeping is no finer.
    #[error("an interval of {0} is too short: SQL*Plus sleeps hundredths of a second")]
    TooShort(Nanos),
    /// Not the name of an event.
    #[error("{0}")]
    Event(String),
    /// None of the predefined queries.
    #[error("there is no series '{0}'; there are {all}", all = names())]
    Series(String),
    /// Not a moment.
    #[error(transparent)]
    Moment(#[from] NoMoment),
}

impl SqlPlusScript {
    /// Intervals at most.
    pub const MOST: u64 = 200_000;

    /// The text of the script.
    pub fn text(&self) -> Result<String, ScriptError> {
        let events = Pattern::all(&self.events).map_err(ScriptError::Event)?;
        match &self.asks {
            ScriptAsks::Live(repeats) => live(events, repeats),
            ScriptAsks::History { since, until } => {
                history(events, since.as_deref(), until.as_deref())
            }
            ScriptAsks::Series { names, since, until, bare } => {
                let span = span(since.as_deref(), until.as_deref())?;
                Ok(series(&chosen(names)?, &span, *bare))
            }
        }
    }
}

/// How such a script is run, as comments. None may end with a hyphen, which continues a line.
const USE: &str = "\
-- Wait histograms of an Oracle database as text, for isotherm to read on any machine.
-- Written by isotherm sqlplus-script; it only reads, and needs nothing but SQL*Plus.

--   sqlplus -S / as sysdba @isotherm.sql > waits.txt
--   isotherm show waits.txt
";
const USE_LIVE: &str = "\
--   ssh db1 'sqlplus -S / as sysdba @isotherm.sql' | isotherm live
";

/// An error ends the script: repeated at every poll, it would say nothing new.
const BEGIN: &str = "\
whenever sqlerror exit failure
whenever oserror exit failure
prompt isotherm-oracle 1
";

fn live(events: Vec<Pattern>, repeats: &ScriptRepeats) -> Result<String, ScriptError> {
    if repeats.interval < Nanos::from_millis(10) {
        return Err(ScriptError::TooShort(repeats.interval));
    }
    match repeats.intervals {
        0 => return Err(ScriptError::None),
        many if many > SqlPlusScript::MOST => return Err(ScriptError::TooMany(many)),
        _ => {}
    }
    let query = Query {
        unit: if repeats.millis { Unit::Millis } else { Unit::Micros },
        global: repeats.cluster,
        per_pdb: repeats.per_pdb,
        exact: true,
        events,
        idle_known: true,
        instances: Vec::new(),
        // LISTAGG came with 11.2; releases that need milliseconds may be older.
        aggregated: !repeats.millis,
        stamped: true,
    };
    let sleep = sleep(repeats);
    let polls = repeats.intervals + 1;
    let needs = needs(&query, repeats.sleep);
    let mut text = format!("{USE}{USE_LIVE}\n");
    let _ = writeln!(
        text,
        "-- It ends by itself after {polls} polls, {} apart: {} intervals.\n-- Needs {needs}.\n",
        repeats.interval, repeats.intervals
    );
    let _ = write!(text, "{SETTINGS}{SESSION}{BEGIN}{}", statement(&query.select()));
    for _ in 0..repeats.intervals {
        let _ = writeln!(text, "{sleep}/");
    }
    text.push_str("exit\n");
    Ok(text)
}

/// What must be granted, in words.
fn needs(query: &Query, sleep: ScriptSleep) -> String {
    let scope = if query.global { "GV_$" } else { "V_$" };
    let view = |name: &str| format!("SYS.{scope}{}", name.trim_start_matches("v$").to_uppercase());
    let views = ["v$instance", query.histogram_view(), query.totals_view()].map(view).join(", ");
    let sleep = match sleep {
        ScriptSleep::Session => "Oracle 18c or later (or --sleep lock, or --sleep host)",
        ScriptSleep::Lock => "EXECUTE on SYS.DBMS_LOCK (or --sleep host)",
        ScriptSleep::Host => "the command sleep on this host",
    };
    format!("SELECT on {views} and\n-- SYS.V_$EVENT_NAME, and {sleep}")
}

/// The lines that wait for an interval.
fn sleep(repeats: &ScriptRepeats) -> String {
    /// `DBMS_SESSION.SLEEP` refuses more (ORA-38148).
    const HOUR: u64 = 360_000;
    let line = |hundredths: u64| {
        let seconds = format!("{}.{:02}", hundredths / 100, hundredths % 100);
        let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
        match repeats.sleep {
            ScriptSleep::Session => format!("exec dbms_session.sleep({seconds})\n"),
            ScriptSleep::Lock => format!("exec dbms_lock.sleep({seconds})\n"),
            ScriptSleep::Host => format!("host sleep {seconds}\n"),
        }
    };
    let hundredths = repeats.interval.as_nanos() / 10_000_000;
    let hours = (0..hundredths / HOUR).map(|_| line(HOUR));
    let rest = Some(hundredths % HOUR).filter(|rest| *rest > 0).map(line);
    hours.chain(rest).collect()
}

fn history(
    events: Vec<Pattern>,
    since: Option<&str>,
    until: Option<&str>,
) -> Result<String, ScriptError> {
    let span = span(since, until)?;
    let wanted = Selection { events, ..Selection::default() };
    let sql = polls(&Layout::default(), &wanted, &span);
    Ok(format!(
        "{USE}\n\
         -- It prints what AWR remembers, and ends. AWR's history (DBA_HIST_*) may be read only where\n\
         -- the Diagnostics Pack is licensed. Needs Oracle 11.2.0.2 or later, and SELECT on\n\
         -- SYS.DBA_HIST_SNAPSHOT, SYS.DBA_HIST_EVENT_HISTOGRAM, SYS.DBA_HIST_SYSTEM_EVENT and\n\
         -- SYS.DBA_HIST_DATABASE_INSTANCE, or the role SELECT_CATALOG_ROLE.\n\n\
         {SETTINGS}{SESSION}{BEGIN}{}exit\n",
        statement(&sql)
    ))
}

/// The snapshots between two moments, in UTC if they say no zone.
pub(in crate::oracle) fn span(
    since: Option<&str>,
    until: Option<&str>,
) -> Result<Span, ScriptError> {
    let window = Window::read(since, until, &TimeZone::UTC)?;
    Ok(Span::Times(window.since.map(WindowEnd::sql), window.until.map(WindowEnd::sql)))
}

/// All names, for people.
fn names() -> String {
    QUERIES.iter().map(|series| series.name).collect::<Vec<_>>().join(", ")
}

/// The predefined queries of these names; all if there are none.
pub(in crate::oracle) fn chosen(names: &[String]) -> Result<Vec<&'static AwrSeries>, ScriptError> {
    if names.is_empty() {
        return Ok(QUERIES.iter().collect());
    }
    let find = |name: &String| {
        let found = QUERIES.iter().find(|series| series.name == *name);
        found.ok_or_else(|| ScriptError::Series(name.clone()))
    };
    names.iter().map(find).collect()
}

/// How the script of series is used. None of its lines may end with a hyphen.
const USE_SERIES: &str = "\
-- AWR's history as CSV files, one for each query, written where SQL*Plus runs.
-- Written by isotherm sqlplus-script; it only reads, and needs nothing but SQL*Plus.

--   sqlplus -S / as sysdba @series.sql

-- AWR's history (DBA_HIST_*) may be read only if the Diagnostics Pack is licensed. Needs Oracle
-- 11.2.0.2 or later, and the role SELECT_CATALOG_ROLE. A query that fails leaves its error in its file.
";

/// From 12.1 on numbers of segments are those of a container, and the views say of which: the script asks whether
/// they do, as it may run in any release, and sets a variable for the statement behind.
fn ask_for_containers() -> String {
    format!(
        "set define '&'\n\
         column same_container new_value same_container noprint\n\
         define same_container = ''\n\
         select '{SAME_CONTAINER}' as same_container\n\
         from all_tab_columns\n\
         where owner = 'SYS' and table_name = 'DBA_HIST_SEG_STAT_OBJ' and column_name = 'CON_DBID';\n"
    )
}

fn series(chosen: &[&AwrSeries], span: &Span, bare: bool) -> String {
    let layout = Layout { containers: !bare, ..Layout::default() };
    let mut text = if bare { String::new() } else { format!("{USE_SERIES}\n{SETTINGS}{SESSION}") };
    for series in chosen {
        let (name, heads, sql) = (series.name, series.heads(&layout), series.sql(&layout, span));
        if bare {
            let _ = writeln!(text, "-- {name}: {}\n-- {heads}\n{sql};\n", series.about);
        } else {
            let (ask, end) = if sql.contains(SAME_CONTAINER) {
                (ask_for_containers(), "set define off\n")
            } else {
                (String::new(), "")
            };
            let statement = statement(&sql.replace(SAME_CONTAINER, "&same_container"));
            let _ = write!(
                text,
                "{ask}spool awr-{name}.csv\nprompt {heads}\n{statement}spool off\n{end}"
            );
        }
    }
    if !bare {
        text.push_str("exit\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeats() -> ScriptRepeats {
        ScriptRepeats {
            interval: Nanos::SECOND,
            intervals: 3,
            sleep: ScriptSleep::Session,
            millis: false,
            per_pdb: false,
            cluster: false,
        }
    }

    fn script(repeats: ScriptRepeats) -> Result<String, ScriptError> {
        SqlPlusScript { events: vec!["log file*".into()], asks: ScriptAsks::Live(repeats) }.text()
    }

    #[test]
    fn the_statement_is_run_once_more_after_each_sleep() {
        let text = script(repeats()).unwrap();
        assert_eq!(text.matches("exec dbms_session.sleep(1)\n/\n").count(), 3);
        assert_eq!(text.matches("SELECT line FROM").count(), 1);
        assert!(text.contains("after 4 polls, 1s apart: 3 intervals"), "{text}");
        assert!(
            text.contains("SYS.V_$INSTANCE, SYS.V_$EVENT_HISTOGRAM_MICRO, SYS.V_$SYSTEM_EVENT")
        );
        let head: Vec<&str> = text.lines().filter(|line| line.starts_with("--")).collect();
        // Continued, ended or asked for values: what SQL*Plus does even in comments.
        let safe = |line: &&str| !line.contains('&') && !line.ends_with([';', '-']);
        assert!(head.len() > 5 && head.iter().all(safe), "{head:#?}");
        assert!(text.lines().all(|line| line.len() < 2_499));
    }

    #[test]
    fn sleeping_is_done_by_whom_it_is_asked_of() {
        let lines = |sleep, interval| super::sleep(&ScriptRepeats { interval, sleep, ..repeats() });
        assert_eq!(
            lines(ScriptSleep::Lock, Nanos::from_millis(250)),
            "exec dbms_lock.sleep(0.25)\n"
        );
        assert_eq!(lines(ScriptSleep::Host, Nanos::from_millis(10_000)), "host sleep 10\n");
        let long = lines(ScriptSleep::Session, Nanos::from_millis(7_201_500));
        assert_eq!(
            long,
            "exec dbms_session.sleep(3600)\nexec dbms_session.sleep(3600)\n\
             exec dbms_session.sleep(1.5)\n"
        );
    }

    #[test]
    fn what_cannot_be_a_script_is_refused() {
        let refused = |repeats| script(repeats).unwrap_err();
        assert_eq!(refused(ScriptRepeats { intervals: 0, ..repeats() }), ScriptError::None);
        assert_eq!(
            refused(ScriptRepeats { intervals: 1_000_000, ..repeats() }),
            ScriptError::TooMany(1_000_000)
        );
        let short = Nanos::from_millis(9);
        let short = ScriptRepeats { interval: short, ..repeats() };
        assert!(matches!(refused(short), ScriptError::TooShort(_)));
        let asks = ScriptAsks::History { since: Some("long ago".into()), until: None };
        let moment = SqlPlusScript { events: Vec::new(), asks }.text();
        assert!(matches!(moment, Err(ScriptError::Moment(_))));
    }

    #[test]
    fn a_history_asks_once_for_what_the_server_reckons() {
        let asks = ScriptAsks::History { since: Some("7d".into()), until: None };
        let text = SqlPlusScript { events: Vec::new(), asks }.text().unwrap();
        assert!(text.contains("numtodsinterval(604800, 'SECOND')"), "{text}");
        assert!(!text.contains("\n/\n") && text.ends_with(";\nexit\n"), "{text}");
    }

    #[test]
    fn series_are_one_csv_each_and_their_sql_can_be_read_alone() {
        let asks = |names: &[&str], bare| SqlPlusScript {
            events: Vec::new(),
            asks: ScriptAsks::Series {
                names: names.iter().map(|name| (*name).to_owned()).collect(),
                since: Some("7d".to_owned()),
                until: None,
                bare,
            },
        };
        let script = asks(&[], false).text().unwrap();
        assert_eq!(script.matches("\nspool awr-").count(), 14);
        assert_eq!(script.matches("\nspool off").count(), 14);
        assert!(script.contains("numtodsinterval(604800, 'SECOND')"), "{script}");
        assert!(
            script.contains("prompt end,seconds,dbid,instance,snap_id,wait_class,waits,time_us,")
        );
        assert!(script.ends_with("exit\n") && !script.lines().any(|line| line.ends_with('-')));
        let (before, segments) = script.split_once(&ask_for_containers()).unwrap();
        let (segments, after) = segments.split_once("set define off\n").unwrap();
        assert!(segments.starts_with("spool awr-segments.csv\n"), "{segments}");
        assert!(segments.contains(r#"t."DATAOBJ#"&same_container"#), "{segments}");
        assert!(![before, after].concat().contains('&'), "only these lines have a variable");
        let sql = asks(&["wait-classes"], true).text().unwrap();
        assert!(sql.starts_with("-- wait-classes: ") && !sql.contains("spool"), "{sql}");
        let sql = asks(&["segments"], true).text().unwrap();
        assert!(!sql.contains("con_dbid") && !sql.contains('&'), "{sql}");
        let error = asks(&["wait-clases"], true).text().unwrap_err().to_string();
        assert!(error.contains("no series 'wait-clases'; there are system-events, "), "{error}");
    }
}
