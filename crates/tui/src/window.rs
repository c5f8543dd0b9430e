//! Which stretch of time is shown.

use isotherm_frame::{Nanos, Timestamp};

/// The window of time: how long its columns are and where it ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Window {
    /// The length of a column without zoom.
    native: Nanos,
    /// Columns are `2^zoom` native ones.
    zoom: u32,
    end: End,
}

/// Where a window ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At the latest data.
    Follows,
    /// Frozen by the user.
    Frozen(Timestamp),
    /// Scrolled back.
    Back(Timestamp),
}

/// 2^20 seconds are 12 days: longer columns are of no use to a live view.
const MOST_ZOOM: u32 = 20;

impl Window {
    pub(super) fn new(native: Nanos) -> Window {
        Window { native: native.max(Nanos::new(1)), zoom: 0, end: End::Follows }
    }

    /// The length of a column without zoom.
    pub(super) fn native(&self) -> Nanos {
        self.native
    }

    /// The length of a column.
    pub(super) fn column(&self) -> Nanos {
        Nanos::new(self.native.as_nanos().saturating_mul(1 << self.zoom))
    }

    pub(super) fn position(&self) -> End {
        self.end
    }

    /// The end of the last column when the latest data end at `latest`.
    pub(super) fn end(&self, latest: Timestamp) -> Timestamp {
        match self.end {
            End::Frozen(end) | End::Back(end) => end,
            End::Follows => self.aligned(latest),
        }
    }

    /// Native columns end with the data. Longer ones end at their multiples, so that they collect
    /// the same frames from one drawing to the next.
    fn aligned(&self, latest: Timestamp) -> Timestamp {
        if self.zoom == 0 {
            return latest;
        }
        let width = i64::try_from(self.column().as_nanos()).unwrap_or(i64::MAX);
        let over = latest.as_nanos().rem_euclid(width);
        if over == 0 {
            latest
        } else {
            Timestamp::new(latest.as_nanos().saturating_add(width - over))
        }
    }

    /// Freezes, or follows again.
    pub(super) fn toggle_freeze(&mut self, latest: Timestamp) {
        self.end = match self.end {
            End::Follows => End::Frozen(self.end(latest)),
            End::Frozen(_) | End::Back(_) => End::Follows,
        };
    }

    pub(super) fn follow(&mut self) {
        self.end = End::Follows;
    }

    /// Scrolls by columns, back when negative, but not further back than the `oldest` end.
    pub(super) fn pan(&mut self, columns: i64, oldest: Timestamp, latest: Timestamp) {
        let by = i128::from(self.column().as_nanos()) * i128::from(columns);
        let wanted = i128::from(self.end(latest).as_nanos()) + by;
        let nanos = i64::try_from(wanted).unwrap_or(if wanted < 0 { i64::MIN } else { i64::MAX });
        self.place(Timestamp::new(nanos).max(oldest), latest);
    }

    /// Ends the window there, or at the latest data if that is earlier.
    fn place(&mut self, end: Timestamp, latest: Timestamp) {
        let newest = self.aligned(latest);
        self.end = match self.end {
            End::Frozen(_) => End::Frozen(end.min(newest)),
            End::Follows | End::Back(_) if end >= newest => End::Follows,
            End::Follows | End::Back(_) => End::Back(end),
        };
    }

    /// Doubles the length of columns (or halves it, down to the native one), keeping the place
    /// `around` where it is unless the window follows the data. `false` when it cannot.
    pub(super) fn zoom(&mut self, out: bool, around: Timestamp) -> bool {
        let zoom = if out { self.zoom + 1 } else { self.zoom.wrapping_sub(1) };
        if zoom > MOST_ZOOM {
            return false;
        }
        self.zoom = zoom;
        if let End::Frozen(end) | End::Back(end) = &mut self.end {
            let after = i128::from(end.as_nanos()) - i128::from(around.as_nanos());
            let after = if out { after * 2 } else { after / 2 };
            let moved = i128::from(around.as_nanos()) + after;
            *end = Timestamp::new(i64::try_from(moved).unwrap_or(i64::MAX));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::new(seconds * 1_000_000_000)
    }

    #[test]
    fn a_frozen_window_stands_and_a_following_one_moves() {
        let mut window = Window::new(Nanos::SECOND);
        assert_eq!(window.end(at(100)), at(100));
        window.toggle_freeze(at(100));
        assert_eq!(window.end(at(250)), at(100));
        window.toggle_freeze(at(250));
        assert_eq!(window.end(at(250)), at(250));
    }

    #[test]
    fn scrolling_on_to_the_latest_follows_again() {
        let mut window = Window::new(Nanos::SECOND);
        window.pan(-30, at(10), at(100));
        assert_eq!(window.position(), End::Back(at(70)));
        window.pan(-300, at(10), at(101));
        assert_eq!(window.end(at(101)), at(10));
        window.pan(500, at(10), at(102));
        assert_eq!(window.position(), End::Follows);
    }

    #[test]
    fn long_columns_end_at_their_multiples_and_zooming_in_ends_at_the_native_length() {
        let mut window = Window::new(Nanos::SECOND);
        assert!(!window.zoom(false, at(0)));
        assert!(window.zoom(true, at(0)) && window.zoom(true, at(0)));
        assert_eq!(window.column(), Nanos::new(4_000_000_000));
        assert_eq!(window.end(at(101)), at(104));
        assert_eq!(window.end(at(104)), at(104));
    }

    #[test]
    fn zooming_a_frozen_window_keeps_the_place_it_is_about() {
        let mut window = Window::new(Nanos::SECOND);
        window.toggle_freeze(at(100));
        window.zoom(true, at(80));
        assert_eq!(window.end(at(500)), at(120));
        window.zoom(false, at(80));
        assert_eq!(window.end(at(500)), at(100));
    }
}
