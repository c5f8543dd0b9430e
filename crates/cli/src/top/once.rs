//! Sampling for a while, and the tables of it.

use std::io::Write;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use isotherm_analysis::{Activity, ActivityFilter, Dimension};
use isotherm_frame::{Nanos, Timestamp};
use isotherm_sources::{ActivityFeed, Address};
use isotherm_views::OutputForm;
use isotherm_views::activity::{ActivityJson, ActivityReport, ActivityTable};

use super::intake::{Intake, failed, failure, hidden};
use crate::failure::{Code, Failure};
use crate::redact::redacted;
use crate::screen;
use crate::signals::Signals;
use crate::top_args::{TopArgs, TopFormat};

/// How long samples are taken where nothing is said.
const USUAL: Nanos = Nanos::SECOND;
/// How much longer an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often signals are looked at.
const TICK: Duration = Duration::from_millis(50);

pub fn run(args: &TopArgs, address: &Address, signals: &Signals) -> Result<(), Failure> {
    let asked = args.duration.unwrap_or(USUAL);
    let feed = ActivityFeed::open(address, args.hz, || ()).map_err(failure)?;
    let mut intake = Intake::new(Activity::new(Nanos::new(u64::MAX / 4)));
    sample(&feed, asked, &mut intake, signals);
    if intake.samples == 0 {
        let why = intake.failed.or(intake.warnings.pop());
        return Err(failed(&why.unwrap_or_else(|| "the server did not answer".to_owned())));
    }
    let report = report(args, &feed, &intake);
    write(args, &report, &intake.activity)?;
    match intake.failed {
        Some(_) => Err(Failure::new(Code::Unreachable, "sampling ended early: see the warnings")),
        None => Ok(()),
    }
}

/// Takes as many samples as are due in this time, or until it is over.
fn sample(feed: &ActivityFeed, asked: Nanos, intake: &mut Intake, signals: &Signals) {
    let wanted = (asked.as_secs_f64() * f64::from(feed.hz)).ceil().max(1.0);
    let over = Instant::now() + Duration::from_nanos(asked.as_nanos()) + PATIENCE;
    while ((intake.samples + intake.skipped) as f64) < wanted
        && Instant::now() < over
        && !signals.stop_asked()
        && intake.failed.is_none()
    {
        match feed.items.recv_timeout(TICK) {
            Ok(item) => intake.take(item, super::watch::now()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn report(args: &TopArgs, feed: &ActivityFeed, intake: &Intake) -> ActivityReport {
    let (activity, all) = (&intake.activity, ActivityFilter::default());
    let always = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
    let totals = activity.totals(always, &all);
    let chosen = args.by.map(|by| vec![Dimension::from(by)]);
    let by = chosen.unwrap_or_else(|| Dimension::ALL.to_vec());
    let warnings = intake.warnings.iter().cloned().chain(hidden(totals.hidden));
    let (first, last) = (totals.first.unwrap_or_default(), totals.last.unwrap_or_default());
    ActivityReport {
        source: redacted(&args.source),
        hz: feed.hz,
        skipped: intake.skipped,
        gaps: activity.unknown((first, last)),
        totals,
        tables: by.into_iter().map(|by| activity.rows(always, by, &all)).collect(),
        warnings: warnings.collect(),
    }
}

fn write(args: &TopArgs, report: &ActivityReport, activity: &Activity) -> Result<(), Failure> {
    let json = args.format == TopFormat::Json;
    let mut out = screen::output(if json { OutputForm::Json } else { OutputForm::Text });
    let written = if json {
        ActivityJson::new(report, activity).write(&mut out)
    } else {
        let top = usize::try_from(args.top).unwrap_or(usize::MAX);
        ActivityTable { width: screen::width(args.width), top }.write(report, activity, &mut out)
    };
    screen::written(written.and_then(|()| out.flush()))
}
