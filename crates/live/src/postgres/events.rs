//! What a server has to show, and with which option of an address.

use isotherm_client::postgres::control::Control;
use isotherm_frame::Nanos;

use super::address::PgAddress;
use super::averages::{Averages, StatsView};
use super::logging_on::checked;
use super::sampled::SampledView;
use crate::feed::OpenError;
use crate::wait_event::{self, WaitEvent};

/// The first release that lists its wait events.
const WITH_LIST: u64 = 170_000;

/// The averages and wait events of a server, those first that took longest. What it does not have is
/// given to `warn`, with the reason.
pub(super) fn listed(
    address: &PgAddress,
    warn: &mut dyn FnMut(String),
) -> Result<Vec<WaitEvent>, OpenError> {
    let (logon, warning) = address.logon()?;
    warning.into_iter().for_each(&mut *warn);
    let (logon, version) = checked(logon)?;
    let server = |why: String| OpenError::Server(format!("{logon}: {why}"));
    let mut control = Control::open(&logon, None).map_err(|error| server(error.to_string()))?;
    let mut events = Vec::new();
    for (view, word) in StatsView::WORDS {
        let class = format!("averages={word}");
        let found = Averages::of(view, version, &mut control)
            .and_then(|averages| totals(&averages, &class, &mut control, warn));
        match found {
            Ok(found) => events.extend(found),
            // Some reasons begin with what was asked for.
            Err(why) if why.starts_with(&class) => warn(why),
            Err(why) => warn(format!("{class}: {why}")),
        }
    }
    if let Ok(period_ms) = SampledView::Profile.period_ms(&mut control)
        && let Some(profile) = Averages::of_profile(period_ms)
    {
        events.extend(totals(&profile, "waits=profile", &mut control, warn).map_err(server)?);
    }
    wait_event::sort(&mut events);
    events.extend(sampled(version, &mut control).map_err(server)?);
    Ok(events)
}

/// The totals of a view; what is wrong with a row is given to `warn`.
fn totals(
    averages: &Averages,
    class: &str,
    control: &mut Control<'_>,
    warn: &mut dyn FnMut(String),
) -> Result<Vec<WaitEvent>, String> {
    let rows = control.rows(averages.query()).map_err(|error| error.to_string())?;
    let mut events = Vec::new();
    for row in &rows {
        let (found, _) = averages.totals(row).unwrap_or_else(|why| {
            warn(format!("{class}: {why}"));
            (Vec::new(), None)
        });
        for (series, total) in found {
            let is_sampled = total.is_time_only();
            let sampled = is_sampled.then(|| Nanos::new(total.waited_in(0)));
            let time = sampled.or(total.sum()).or(total.partly_known_sum());
            events.push(WaitEvent {
                name: series.full(),
                class: class.to_owned(),
                waits: (!is_sampled).then(|| total.events()),
                micros: time.map(|time| time.as_nanos() / 1_000),
            });
        }
    }
    Ok(events)
}

/// The wait events that sampling may see: all of the server's, or before release 17, which has no list,
/// those that sessions wait for at the moment. The server counts neither.
fn sampled(version: u64, control: &mut Control<'_>) -> Result<Vec<WaitEvent>, String> {
    let (query, class) = if version >= WITH_LIST {
        (
            "select type || ':' || name from pg_wait_events where type <> 'Activity' order by 1",
            "sampled",
        )
    } else {
        (
            "select distinct wait_event_type || ':' || wait_event from pg_stat_activity where \
             wait_event_type <> 'Activity' and pid <> pg_backend_pid() order by 1",
            "sampled, now",
        )
    };
    let rows = control.rows(query).map_err(|error| error.to_string())?;
    let names = rows.into_iter().filter_map(|row| row.into_iter().next().flatten());
    let event = |name| WaitEvent { name, class: class.to_owned(), waits: None, micros: None };
    Ok(names.map(event).collect())
}
