//! What a server has to show, as a list.

use isotherm_frame::Nanos;

/// Something that was waited for or done since counting began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitEvent {
    /// Its name.
    pub name: String,
    /// Its class, such as `User I/O` or `Idle`, or what of an address shows it, such as
    /// `averages=wal`.
    pub class: String,
    /// How often; none where the server does not count it.
    pub waits: Option<u64>,
    /// How long in all, in microseconds; none where the server does not count it.
    pub micros: Option<u64>,
}

impl WaitEvent {
    /// The mean length of a wait; none if there was no wait.
    pub fn mean(&self) -> Option<Nanos> {
        self.micros?.saturating_mul(1_000).checked_div(self.waits?).map(Nanos::new)
    }
}

/// Puts those first that took longest.
pub(crate) fn sort(events: &mut [WaitEvent]) {
    events.sort_by_key(|event| std::cmp::Reverse(event.micros));
}
