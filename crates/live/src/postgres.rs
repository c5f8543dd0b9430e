//! `PostgreSQL`'s waits, sampled from `pg_stat_activity`.

mod address;
mod averages;
mod blocking;
mod events;
mod history;
mod logging_on;
mod meta;
mod monitor;
mod prepared;
mod probed;
mod row;
mod sampled;
mod sampler;
mod waits;

use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::control::Control;
use isotherm_formats::dbstats::SampleTimes;
use isotherm_formats::unread_options::check;
use isotherm_formats::{Context, Note, Sink};
use isotherm_frame::{Nanos, Timestamp};

pub(crate) use self::address::PgAddress;
use self::averages::Averages;
pub(crate) use self::blocking::{BLOCKERS, BLOCKERS_AFTER};
use self::history::History;
pub(crate) use self::logging_on::checked;
use self::monitor::Monitor;
pub(crate) use self::prepared::Prepared;
use self::sampled::SampledView;
use self::sampler::{Sampler, Work};
pub(crate) use self::sampler::{connecting, may_pass};
use self::waits::Waits;
use crate::feed::{LiveOptions, OpenError, Running};
use crate::live::{Live, LiveAddress, LiveScheme, Start, Target};
use crate::wait_event::WaitEvent;

const EXAMPLE: &str = "postgres://monitor@db1/postgres";

/// `postgres://...`.
pub(crate) static LIVE: Live = Live {
    metas: &[&meta::POSTGRES],
    schemes: &[
        LiveScheme { name: "postgres", needs: "a server", example: EXAMPLE },
        LiveScheme { name: "postgresql", needs: "a server", example: EXAMPLE },
    ],
    target: |scheme, rest| match probed::target(scheme, rest)? {
        Some(probes) => Ok(probes),
        None => Ok(LiveAddress::new(PgAddress::read(scheme, rest)?)),
    },
    load_instead: |_| None,
};

impl Target for PgAddress {
    fn connects(&self) -> bool {
        true
    }

    fn events(&self, warn: &mut dyn FnMut(String)) -> Option<Result<Vec<WaitEvent>, OpenError>> {
        Some(events::listed(self, warn))
    }

    fn open(&self, options: &LiveOptions, start: Start) -> Result<Running, OpenError> {
        let mut outbox = start.outbox;
        let (logon, warning) = self.logon()?;
        outbox.keep_warnings(warning);
        let (logon, version) = checked(logon)?;
        let interval = options.interval.unwrap_or(Nanos::SECOND);
        let polls_hz = 1e9 / interval.as_nanos().max(1) as f64;
        let (rate_hz, work) = match self.view(version, &logon)? {
            None => {
                let waits = Waits::new(&options.context, self.hz, interval);
                (f64::from(self.hz), Work::Waits(Box::new(waits)))
            }
            Some((work, about)) => {
                check(&isotherm_formats::dbstats::SOURCE, &options.context, &mut outbox)?;
                if let Some(about) = about {
                    outbox.note(Note::Said(about.into()));
                }
                let is_sampled = matches!(work, Work::Sessions(..));
                (if is_sampled { f64::from(self.hz) } else { polls_hz }, work)
            }
        };
        let sampler = Sampler::new(logon, rate_hz, work, outbox);
        let worker = std::thread::Builder::new()
            .name("isotherm-postgres".into())
            .spawn(move || sampler.run())
            .map_err(|source| OpenError::NotStarted { program: "a thread".into(), source })?;
        let sampling = worker.thread().clone();
        Ok(Running { wake: Box::new(move || sampling.unpark()), worker })
    }
}

/// A view that is read again and again, and what to say of it.
type View = (Work, Option<String>);

impl PgAddress {
    /// The view that the address asks for, or why the server has none; `None` where its sessions are
    /// sampled.
    fn view(&self, version: u64, logon: &Logon) -> Result<Option<View>, OpenError> {
        if self.averages.is_none() && self.sampled.is_none() && !self.monitor {
            return Ok(None);
        }
        let server = |why: String| OpenError::Server(format!("{logon}: {why}"));
        let mut control = Control::open(logon, None).map_err(|error| server(error.to_string()))?;
        let view = match (self.averages, self.sampled) {
            (Some(view), _) => Averages::of(view, version, &mut control)
                .map(|averages| (Work::Averages(averages), None)),
            (None, Some(view)) => sampled_by(view, &mut control),
            (None, None) => {
                Monitor::open(&mut control).map(|monitor| (Work::Monitor(monitor), None))
            }
        };
        view.map(Some).map_err(server)
    }
}

/// What to ask `pg_wait_sampling` for, and what to say of it; or why the server has none.
fn sampled_by(view: SampledView, control: &mut Control<'_>) -> Result<View, String> {
    if view == SampledView::Sessions {
        let work = Work::Sessions(SampleTimes::default(), Prepared::new(sampled::SESSIONS));
        return Ok((work, Some(sampled::about(view, 0))));
    }
    let period_ms = view.period_ms(control)?;
    let work = match view {
        SampledView::History => Some(Work::History(History::default())),
        SampledView::Profile | SampledView::Sessions => {
            Averages::of_profile(period_ms).map(Work::Averages)
        }
    };
    let work = work.ok_or("the view has other columns")?;
    Ok((work, Some(sampled::about(view, period_ms))))
}

/// Reads bytes as the rows of a sample. For tests that feed anything at all.
pub(crate) fn read_any(text: &str, sink: &mut dyn Sink) -> u64 {
    let mut waits = Waits::new(&Context::default(), 10, Nanos::SECOND);
    let (mut at, mut taken) = (Timestamp::new(0), 0);
    for sample in text.split("\n\n") {
        let rows = sample.lines().map(|line| {
            let value = |value: &str| (!value.is_empty()).then(|| value.to_owned());
            line.split('|').map(value).collect()
        });
        let rows: Vec<Vec<Option<String>>> = rows.collect();
        at = at.plus(Nanos::from_millis(100));
        taken += row::sample(&rows).map_or(0, |sample| waits.take(at, sample, sink));
    }
    waits.finish(sink);
    taken
}
