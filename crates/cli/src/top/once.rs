//! Sampling for a while, and the tables of it.

use std::io::Write;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use isotherm_analysis::{Activity, ActivityFilter, Dimension, sample_period};
use isotherm_frame::{Nanos, SessionSample, Timestamp};
use isotherm_live::{ActivityFeed, Address, Sampling};
use isotherm_pipeline::now;
use isotherm_views::OutputForm;
use isotherm_views::activity::{
    ActivityJson, ActivityReport, ActivityTable, SampledBy, hidden_sessions,
};

use super::intake::{Listener, Notice, failed, kept, open, pass_on};
use crate::failure::Failure;
use crate::redact::redacted;
use crate::screen;
use crate::signals::Signals;
use crate::top_args::{TopArgs, TopFormat};

/// How long samples are taken where nothing is said.
const USUAL: Nanos = Nanos::SECOND;
/// The time that is read of samples which the database takes.
const USUAL_KEPT: Nanos = Nanos::from_millis(60_000);
/// How much longer the first answer is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often signals are looked at.
const TICK: Duration = Duration::from_millis(50);
/// Warnings that are kept.
const MOST: usize = 20;

/// What was said so far.
struct Received {
    activity: Activity,
    samples: u64,
    skipped: u64,
    /// What the user should know, the latest last.
    warnings: Vec<String>,
    /// Why there will be no more.
    failed: Option<String>,
}

impl Received {
    fn new(hz: u32) -> Received {
        Received {
            activity: Activity::new(Nanos::new(u64::MAX / 4), sample_period(hz)),
            samples: 0,
            skipped: 0,
            warnings: Vec::new(),
            failed: None,
        }
    }
}

impl Listener for Received {
    fn activity(&mut self) -> &mut Activity {
        &mut self.activity
    }

    fn sample(&mut self, sample: SessionSample) {
        self.samples += 1;
        self.activity.push(sample);
    }

    fn skipped(&mut self, samples: u64) {
        self.skipped += samples;
    }

    fn notice(&mut self, notice: Notice) {
        let text = match notice {
            Notice::Warning(text) | Notice::Lost(text) => text,
            Notice::Back => "connected again".to_owned(),
            Notice::Failed(why) => {
                self.failed = Some(why.clone());
                why
            }
        };
        self.warnings.push(text);
        if self.warnings.len() > MOST {
            self.warnings.remove(0);
        }
    }
}

/// The time in which samples were taken.
struct Sampled {
    from: Timestamp,
    length: Nanos,
}

impl Sampled {
    fn to(&self) -> Timestamp {
        self.from.plus(self.length)
    }
}

/// How long samples are taken, or how much is read of those that the database took.
pub fn length(args: &TopArgs) -> Nanos {
    let usual = if args.licensed.is_some() { USUAL_KEPT } else { USUAL };
    args.duration.unwrap_or(usual)
}

/// Prints the tables.
pub fn run(args: &TopArgs, address: &Address, signals: &Signals) -> Result<(), Failure> {
    let length = length(args);
    let (mut received, sampled, hz) = if args.licensed.is_some() {
        let kept = kept(address, length, signals)?;
        let mut received = Received::new(1);
        kept.items.into_iter().for_each(|item| pass_on(item, kept.until, &mut received));
        (received, Sampled { from: kept.until.minus(length), length }, 1)
    } else {
        let feed = open(args, (address, Sampling::Looks(args.hz)), signals, || ())?;
        let mut received = Received::new(feed.hz);
        let sampled = sample(&feed, length, &mut received, signals);
        (received, sampled, feed.hz)
    };
    if received.samples == 0 {
        let why = received.failed.or(received.warnings.pop());
        return Err(failed(&why.unwrap_or_else(|| "the server did not answer".to_owned())));
    }
    let report = report(args, hz, &received, &sampled);
    write(args, &report, &received.activity)?;
    match received.activity.lost_since() {
        Some(_) => Err(failed("sampling ended early, without a connection: see the warnings")),
        None => Ok(()),
    }
}

/// Takes the samples that are due in this time. Without any, the first one is waited for a little longer.
fn sample(
    feed: &ActivityFeed,
    asked: Nanos,
    received: &mut Received,
    signals: &Signals,
) -> Sampled {
    let (from, began) = (now(), Instant::now());
    let length = Duration::from_nanos(asked.as_nanos());
    let due = due(asked, feed.hz);
    loop {
        let patience = if received.samples == 0 { PATIENCE } else { Duration::ZERO };
        let left = (length + patience).saturating_sub(began.elapsed());
        let complete = received.samples + received.skipped >= due;
        if complete || left.is_zero() {
            return Sampled { from, length: asked };
        }
        match feed.items.recv_timeout(left.min(TICK)) {
            Ok(item) => pass_on(item, now(), received),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if signals.stop_asked() || received.failed.is_some() {
            break;
        }
    }
    Sampled { from, length: elapsed(began).min(asked) }
}

fn elapsed(began: Instant) -> Nanos {
    Nanos::new(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX))
}

/// The samples that are due in this time: the first one at once.
fn due(length: Nanos, hz: u32) -> u64 {
    let samples = u128::from(length.as_nanos()) * u128::from(hz);
    u64::try_from(samples.div_ceil(1_000_000_000)).unwrap_or(u64::MAX).max(1)
}

fn report(args: &TopArgs, hz: u32, received: &Received, sampled: &Sampled) -> ActivityReport {
    let (activity, all) = (&received.activity, ActivityFilter::default());
    let always = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
    let totals = activity.totals(always, &all);
    let chosen = args.by.map(|by| vec![Dimension::from(by)]);
    let by = chosen.unwrap_or_else(|| Dimension::ALL.to_vec());
    let warnings = received.warnings.iter().cloned().chain(hidden_sessions(totals.hidden));
    ActivityReport {
        source: redacted(&args.source),
        sampled_by: if args.licensed.is_some() { SampledBy::Database } else { SampledBy::Isotherm },
        hz,
        length: sampled.length,
        due: usize::try_from(due(sampled.length, hz)).unwrap_or(usize::MAX),
        skipped: received.skipped,
        gaps: activity.unknown((sampled.from, sampled.to())),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_due_from_the_start_on() {
        let due = |millis, hz| due(Nanos::from_millis(millis), hz);
        assert_eq!([due(1, 10), due(100, 10), due(101, 10), due(8_000, 10)], [1, 1, 2, 80]);
        assert_eq!([due(1_000, 3), due(1_000, 2), due(0, 1)], [3, 2, 1]);
    }
}
