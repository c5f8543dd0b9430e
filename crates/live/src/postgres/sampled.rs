//! What `pg_wait_sampling` sampled: which of its two views is asked for, and how.

use std::collections::BTreeMap;

use isotherm_client::postgres::control::{Control, Row};
use isotherm_client::postgres::error::PgError;
use isotherm_frame::Series;

/// A view of `pg_wait_sampling`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum SampledView {
    /// The last samples, each with its time.
    History,
    /// How many samples there were of each event.
    Profile,
    /// What sessions do at the moment, which we sample ourselves.
    Sessions,
}

/// How many sessions work or wait for each event, processes that run a part of a session's statement
/// among them. A session that waits for nothing is on a processor.
pub(super) const SESSIONS: &str = "select coalesce(wait_event_type || ':' || wait_event, 'CPU'), count(*) \
    from pg_stat_activity where state = 'active' and \
    backend_type in ('client backend', 'parallel worker') and \
    (wait_event_type, wait_event) is distinct from ('Client', 'ClientRead') and \
    pid <> pg_backend_pid() group by 1";

/// How many sessions are active, by event, at a moment.
pub(super) fn sessions(rows: Vec<Row>) -> BTreeMap<Series, u64> {
    let count = |row: Row| {
        let [Some(event), Some(count)] = <[_; 2]>::try_from(row).ok()? else { return None };
        Some((Series::with_attributes("sampled waits", [("event", event)]), count.parse().ok()?))
    };
    rows.into_iter().filter_map(count).collect()
}

/// What a wait of background processes for work, or of a session for its client, is no wait for.
pub(super) const BUSY: &str = "event_type is distinct from 'Activity' and \
    (event_type, event) is distinct from ('Client', 'ClientRead') and pid <> pg_backend_pid()";

/// How an event is called; a session that waited for nothing was on a processor.
pub(super) const EVENT: &str = "coalesce(event_type || ':' || event, 'CPU')";

impl SampledView {
    /// Reads what stands after `waits=`.
    pub(super) fn read(word: &str) -> Result<SampledView, String> {
        match word {
            "history" => Ok(SampledView::History),
            "profile" => Ok(SampledView::Profile),
            "sessions" => Ok(SampledView::Sessions),
            _ => Err(format!(
                "waits={word}: there are sessions, and of pg_wait_sampling history and profile"
            )),
        }
    }

    /// How far apart samples of the extension are meant to be, in milliseconds; or why the server has
    /// none.
    pub(super) fn period_ms(self, control: &mut Control<'_>) -> Result<u64, String> {
        let name = if self == SampledView::History { "history" } else { "profile" };
        // The extension must be there, and let this user read it.
        let one = format!("select 1 from pg_wait_sampling_{name} limit 1");
        control.rows(&one).map_err(|error| refused(&error))?;
        let period = control.number(&format!("show pg_wait_sampling.{name}_period"));
        period.map_err(|error| refused(&error))
    }
}

/// Why the server does not let it be read, and what to do.
fn refused(error: &PgError) -> String {
    let is_missing = ["42P01", "42883", "42704", "55000"].iter().any(|code| error.is(code));
    if is_missing {
        return format!(
            "{error}: add pg_wait_sampling to shared_preload_libraries, restart the server, and \
             CREATE EXTENSION pg_wait_sampling in this database"
        );
    }
    format!("{error}: GRANT pg_read_all_stats TO the user")
}

const OF_SESSIONS: &str = "these are samples of active sessions, each of which stands for the time since \
    the previous sample: time waited and average waiting are estimates, and neither the number of waits \
    nor their lengths are known. Sessions that wait for their client (ClientRead) and \
    background processes are left out";

/// What is said of every run.
pub(super) fn about(view: SampledView, period_ms: u64) -> String {
    let stands = match view {
        SampledView::History => "for the time since the previous sample".to_owned(),
        SampledView::Profile => format!("for {period_ms} ms"),
        SampledView::Sessions => return OF_SESSIONS.to_owned(),
    };
    format!(
        "these are samples of pg_wait_sampling, each of which stands {stands}: time waited and \
         average waiting are estimates, and neither the number of waits nor their lengths are known. \
         Waits for the client (ClientRead) and of background processes for work \
         (Activity) are left out"
    )
}
