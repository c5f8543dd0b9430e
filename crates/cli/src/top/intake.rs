//! What a feed of sessions says, handed on to what shows it.

use std::time::Duration;

use isotherm_analysis::Activity;
use isotherm_frame::{Nanos, SessionSample, Timestamp};
use isotherm_live::{ActivityFeed, ActivityItem, Address, KeptActivity, Sampling};
use isotherm_pipeline::leaving;

use crate::failure::{Code, Failure};
use crate::redact::redacted;
use crate::signals::Signals;
use crate::top_args::TopArgs;

/// What a user should know of a feed.
pub enum Notice {
    /// Something to know.
    Warning(String),
    /// The connection is lost and tried again.
    Lost(String),
    /// There is a connection again.
    Back,
    /// Why there will be no more.
    Failed(String),
}

/// What shows the sessions of a feed.
pub trait Listener {
    fn activity(&mut self) -> &mut Activity;

    fn sample(&mut self, sample: SessionSample) {
        self.activity().push(sample);
    }

    /// Samples that were due and not taken.
    fn skipped(&mut self, _samples: u64) {}

    fn notice(&mut self, notice: Notice);
}

/// Hands on what came at `now`.
pub fn pass_on(item: ActivityItem, now: Timestamp, to: &mut impl Listener) {
    match item {
        ActivityItem::Sample(sample) => to.sample(sample),
        ActivityItem::Skipped(samples) => to.skipped(samples),
        ActivityItem::Warning(text) => to.notice(Notice::Warning(redacted(&text))),
        ActivityItem::Lost(why) => {
            lost(to.activity(), now);
            to.notice(Notice::Lost(redacted(&format!("{why}; trying to connect again"))));
        }
        ActivityItem::Back => {
            to.activity().back(now);
            to.notice(Notice::Back);
        }
        ActivityItem::Failed(why) => {
            lost(to.activity(), now);
            to.notice(Notice::Failed(redacted(&why)));
        }
    }
}

/// Nothing is known since the last sample.
fn lost(activity: &mut Activity, now: Timestamp) {
    activity.lost(activity.latest().unwrap_or(now));
}

/// Connects to what is to be looked at; `bell` is rung after every item.
pub fn open(
    args: &TopArgs,
    (address, sampling): (&Address, Sampling),
    signals: &Signals,
    bell: impl Fn() + Send + 'static,
) -> Result<ActivityFeed, Failure> {
    let length = args.duration.map(|length| Duration::from_nanos(length.as_nanos()));
    let stop = signals.flag();
    let mut left = leaving(address, length, &stop);
    Ok(ActivityFeed::open(address, sampling, bell, &mut left)?)
}

/// Reads the samples of the last `length` that a database kept.
pub fn kept(address: &Address, length: Nanos, signals: &Signals) -> Result<KeptActivity, Failure> {
    let stop = signals.flag();
    let mut left = leaving(address, None, &stop);
    Ok(ActivityFeed::kept(address, length, &mut left)?)
}

/// How a feed failed.
pub fn failed(why: &str) -> Failure {
    Failure::new(Code::Unreachable, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Received(Activity, Vec<Notice>);

    impl Listener for Received {
        fn activity(&mut self) -> &mut Activity {
            &mut self.0
        }

        fn notice(&mut self, notice: Notice) {
            self.1.push(notice);
        }
    }

    #[test]
    fn nothing_is_known_from_the_last_sample_on_when_a_feed_is_lost_or_fails() {
        let at = |seconds: i64| Timestamp::new(seconds * 1_000_000_000);
        for lost in [ActivityItem::Lost("gone".into()), ActivityItem::Failed("gone".into())] {
            let activity = Activity::new(Nanos::from_millis(60_000), Nanos::from_millis(100));
            let mut received = Received(activity, Vec::new());
            let sample = SessionSample { at: at(3), ..SessionSample::default() };
            pass_on(ActivityItem::Sample(sample), at(3), &mut received);
            pass_on(lost, at(7), &mut received);
            assert_eq!(received.0.lost_since(), Some(at(3)));
            assert_eq!(received.0.unknown((at(0), at(8))), (1, Nanos::from_millis(5_000)));
            assert!(
                matches!(&received.1[..], [Notice::Lost(why) | Notice::Failed(why)] if why.starts_with("gone"))
            );
        }
    }
}
