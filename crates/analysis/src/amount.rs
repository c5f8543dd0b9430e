//! How many events there are of something, and how long they waited.

use isotherm_frame::Nanos;

/// Events and the time waited in them.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Amount {
    /// Events.
    pub events: u64,
    /// Nanoseconds waited in them.
    pub waited_ns: u64,
    /// The sum of the squares of their lengths, in seconds: by how much a share of the time waited
    /// may differ by chance.
    pub squares_s2: f64,
    /// How many of them are slow; see [`Explainer::slow_from`](crate::Explainer::slow_from).
    pub slow: u64,
}

impl Amount {
    /// So many events as long as this.
    pub fn of(events: u64, length: Nanos) -> Amount {
        let waited_ns = length.as_nanos().saturating_mul(events);
        let squares_s2 = length.as_secs_f64().powi(2) * events as f64;
        Amount { events, waited_ns, squares_s2, slow: 0 }
    }

    /// So many events of which only the mean is known: their lengths vary as those of waits that end
    /// at random do.
    pub fn of_average(events: u64, mean: Nanos) -> Amount {
        let amount = Amount::of(events, mean);
        Amount { squares_s2: 2.0 * amount.squares_s2, ..amount }
    }

    pub(crate) fn add(&mut self, more: Amount) {
        self.events = self.events.saturating_add(more.events);
        self.waited_ns = self.waited_ns.saturating_add(more.waited_ns);
        self.squares_s2 += more.squares_s2;
        self.slow = self.slow.saturating_add(more.slow);
    }

    /// What is left of it.
    pub(crate) fn less(self, part: Amount) -> Amount {
        Amount {
            events: self.events.saturating_sub(part.events),
            waited_ns: self.waited_ns.saturating_sub(part.waited_ns),
            squares_s2: (self.squares_s2 - part.squares_s2).max(0.0),
            slow: self.slow.saturating_sub(part.slow),
        }
    }
}
