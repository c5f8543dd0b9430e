//! Which event of `perf script` is shown.

use crate::account::{Account, OtherEvent};
use crate::counts::Counts;
use crate::error::ReadError;
use crate::perf_header::{is_on_cpu, without_modifiers};

/// What samples of an event are.
pub(crate) fn counts_of(event: &str) -> Counts {
    if is_on_cpu(event) { Counts::OnCpuSamples } else { Counts::Events }
}

/// The event that is shown: the one asked for, by its whole name or without modifiers, or the first met.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    wanted: Option<String>,
    shown: Option<String>,
    /// Samples of it.
    samples: u64,
    /// Others that the name asked for fits too.
    fitting: Vec<String>,
    /// What was shown before the whole name asked for was met.
    given_up: Option<(String, u64)>,
}

impl Choice {
    pub fn of(wanted: Option<String>) -> Choice {
        Choice { wanted, ..Choice::default() }
    }

    /// Whether a sample of this event is shown.
    pub fn takes(&mut self, event: &str) -> bool {
        if self.shown.as_deref() != Some(event) && !self.changes_to(event) {
            return false;
        }
        self.samples += 1;
        true
    }

    /// Whether an event that is not shown is from now on.
    fn changes_to(&mut self, event: &str) -> bool {
        let is_whole = self.wanted.as_deref().is_none_or(|wanted| wanted == event);
        let fits = self.wanted.as_deref().is_some_and(|wanted| without_modifiers(event) == wanted);
        let changes = match (&self.shown, &self.wanted) {
            (None, _) => is_whole || fits,
            (Some(_), Some(_)) => is_whole,
            (Some(_), None) => false,
        };
        if changes {
            self.given_up = self.shown.replace(event.to_owned()).map(|name| (name, self.samples));
            self.samples = 0;
        } else if fits && !self.fitting.iter().any(|known| known == event) {
            self.fitting.push(event.to_owned());
        }
        changes
    }

    /// What is shown no longer, once: its name, and how many samples of it were taken.
    pub fn given_up(&mut self) -> Option<(String, u64)> {
        self.given_up.take()
    }

    /// The event that was shown, unless there is none, or it is one of several that fit.
    pub fn chosen(self, account: &Account) -> Result<String, ReadError> {
        let known = account.other_events.clone();
        match (self.shown, self.wanted) {
            (None, Some(wanted)) if !known.is_empty() => {
                Err(ReadError::NoSuchEvent { wanted, known })
            }
            (Some(shown), Some(wanted)) if shown != wanted && !self.fitting.is_empty() => {
                let counts = counts_of(&shown);
                let shown = OtherEvent { name: shown, count: self.samples, counts };
                let others = known.into_iter().filter(|other| self.fitting.contains(&other.name));
                let known = std::iter::once(shown).chain(others).collect();
                Err(ReadError::Ambiguous { wanted, known })
            }
            (shown, _) => Ok(shown.unwrap_or_default()),
        }
    }
}
