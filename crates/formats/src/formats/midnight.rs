//! Dates of lines that have the time of day only.

use isotherm_frame::Timestamp;

/// Times of day below the date of a line above: those after midnight are of the next day.
#[derive(Debug, Default)]
pub(super) struct Midnight {
    /// The date and time of that line.
    since: Vec<u8>,
    days: i64,
    last: Timestamp,
}

impl Midnight {
    /// A moment with the days that passed since the line above; the moment itself where it has a date of its
    /// own. `read` reads the date and time of that line.
    pub(super) fn passed(
        &mut self,
        at: Timestamp,
        since: Option<&[u8]>,
        read: &mut dyn FnMut(&str) -> Option<Timestamp>,
    ) -> Timestamp {
        const DAY: i64 = 86_400_000_000_000;
        let Some(since) = since else { return at };
        if self.since != since {
            self.since = since.to_vec();
            let begin = std::str::from_utf8(since).ok().and_then(read);
            (self.days, self.last) = (0, begin.unwrap_or(at));
        }
        let mut passed = at.as_nanos().saturating_add(self.days * DAY);
        if passed.saturating_add(DAY / 2) < self.last.as_nanos() {
            (self.days, passed) = (self.days + 1, passed.saturating_add(DAY));
        }
        self.last = Timestamp::new(passed);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn past_midnight_it_is_the_next_day() {
        const HOUR: i64 = 3_600_000_000_000;
        let read = |text: &str| text.parse().ok().map(|hours: i64| Timestamp::new(hours * HOUR));
        let mut midnight = Midnight::default();
        let mut hours = |at: i64, since: &str| {
            let passed = midnight.passed(Timestamp::new(at * HOUR), Some(since.as_bytes()), &mut { read });
            passed.as_nanos() / HOUR
        };
        // The line above may be of the evening before the first event, or a little later than it.
        assert_eq!([(1, "23"), (2, "23"), (1, "23")].map(|(at, since)| hours(at, since)), [25, 26, 25]);
        assert_eq!([(22, "47"), (23, "47"), (0, "47")].map(|(at, since)| hours(at, since)), [46, 47, 48]);
        assert_eq!(midnight.passed(Timestamp::new(5), None, &mut { read }), Timestamp::new(5));
    }
}
