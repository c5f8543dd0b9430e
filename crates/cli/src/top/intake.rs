//! What a feed of sessions says, put into sums.

use isotherm_analysis::Activity;
use isotherm_frame::Timestamp;
use isotherm_sources::{ActivityItem, OpenError};

use crate::failure::{Code, Failure};

/// What was said so far.
pub struct Intake {
    pub activity: Activity,
    pub samples: u64,
    pub skipped: u64,
    /// What the user should know, the latest last.
    pub warnings: Vec<String>,
    /// Why there will be no more.
    pub failed: Option<String>,
}

/// Warnings that are kept.
const MOST: usize = 20;

impl Intake {
    pub fn new(activity: Activity) -> Intake {
        Intake { activity, samples: 0, skipped: 0, warnings: Vec::new(), failed: None }
    }

    /// Takes what came at `now`.
    pub fn take(&mut self, item: ActivityItem, now: Timestamp) {
        match item {
            ActivityItem::Sample(sample) => {
                self.samples += 1;
                self.activity.push(sample);
            }
            ActivityItem::Skipped(number) => self.skipped += number,
            ActivityItem::Warning(text) => self.warn(text),
            ActivityItem::Lost(why) => {
                self.activity.lost(self.activity.latest().unwrap_or(now));
                self.warn(format!("{why}; trying to connect again"));
            }
            ActivityItem::Back => {
                self.activity.back(now);
                self.warn("connected again".to_owned());
            }
            ActivityItem::Failed(why) => {
                self.activity.lost(self.activity.latest().unwrap_or(now));
                self.warn(why.clone());
                self.failed = Some(why);
            }
        }
    }

    fn warn(&mut self, text: String) {
        self.warnings.push(text);
        if self.warnings.len() > MOST {
            self.warnings.remove(0);
        }
    }
}

/// What is said of sessions that may not be seen.
pub fn hidden(sessions: u32) -> Option<String> {
    (sessions > 0).then(|| {
        format!(
            "{sessions} sessions of other users are hidden and not counted: a superuser can allow it \
             with GRANT pg_read_all_stats TO this user"
        )
    })
}

/// A server that refuses is one that cannot be reached; what is wrong with the address is usage.
pub fn failure(error: OpenError) -> Failure {
    match error {
        OpenError::Option(text) => Failure::usage(text),
        other => other.into(),
    }
}

/// How a feed failed.
pub fn failed(why: &str) -> Failure {
    Failure::new(Code::Unreachable, why)
}
