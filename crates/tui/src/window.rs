//! Which stretch of time is shown.

use isotherm_frame::{Nanos, Timestamp};

/// The window of time: how long its columns are and where it ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Window {
    /// The length of a column without zoom.
    native: Nanos,
    /// Columns are `2^zoom` native ones.
    zoom: u32,
    /// At most so many columns, where the user said so.
    most: Option<usize>,
    /// The columns across the whole width, where there are fewer than could be.
    spread: Option<usize>,
    end: End,
    /// By how much native columns begin after multiples of their length, once an interval of that length
    /// was seen.
    phase: Option<i64>,
    /// Whether the window is all there is, however much that becomes.
    fits: bool,
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
/// With fewer columns a map is no longer one.
const LEAST_COLUMNS: usize = 4;

impl Window {
    pub(super) fn new(native: Nanos) -> Window {
        let native = native.max(Nanos::new(1));
        let (end, fits) = (End::Follows, false);
        Window { native, zoom: 0, most: None, spread: None, end, phase: None, fits }
    }

    /// Takes note of an interval: columns begin where those of their length do.
    pub(super) fn align_to(&mut self, start: Timestamp, end: Timestamp) {
        let width = i64::try_from(self.native.as_nanos()).unwrap_or(i64::MAX);
        if end.since(start) == self.native {
            self.phase = Some(start.as_nanos().rem_euclid(width));
        }
    }

    /// The same with at most so many columns across the map.
    pub(super) fn with_columns(self, columns: Option<usize>) -> Window {
        Window { most: columns.map(|columns| columns.max(1)), ..self }
    }

    /// The columns on a map of so many characters.
    pub(super) fn columns(&self, width: usize) -> usize {
        let most = self.most(width);
        self.spread.map_or(most, |columns| columns.min(most))
    }

    /// The most columns on a map of so many characters.
    fn most(&self, width: usize) -> usize {
        self.most.map_or(width, |most| most.min(width))
    }

    /// Shows all there is from now on, until something else is asked for.
    pub(super) fn fit_all(&mut self) {
        self.fits = true;
        self.end = End::Follows;
    }

    /// Whether the window is still where it was at the beginning: nobody has moved it.
    pub(super) fn is_untouched(&self) -> bool {
        self.zoom == 0 && self.spread.is_none() && self.end == End::Follows
    }

    /// Where the window is to be all there is: the shortest columns of which no more are needed
    /// than a map of so many characters may have, drawn over all of its width.
    pub(super) fn fit(&mut self, (earliest, latest): (Timestamp, Timestamp), width: usize) {
        if !self.fits || width == 0 {
            return;
        }
        let most = self.most(width);
        for zoom in 0..=MOST_ZOOM {
            self.zoom = zoom;
            let span = self.aligned(latest).since(earliest).as_nanos();
            let columns = span.div_ceil(self.column().as_nanos()).max(1);
            let columns = usize::try_from(columns).unwrap_or(usize::MAX);
            self.spread = Some(columns);
            if columns <= most {
                return;
            }
        }
    }

    /// The length of a column without zoom.
    pub(super) fn native(&self) -> Nanos {
        self.native
    }

    /// The length of a column.
    pub(super) fn column(&self) -> Nanos {
        Nanos::new(self.native.as_nanos().saturating_mul(1 << self.zoom))
    }

    /// How much time a map of so many characters shows, in nanoseconds, at least one.
    fn length(&self, width: usize) -> i128 {
        let columns = i128::try_from(self.columns(width)).unwrap_or(i128::MAX).max(1);
        i128::from(self.column().as_nanos()).saturating_mul(columns).max(1)
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

    /// Native columns end with the data, or where the interval would end whose beginning the data end
    /// with: the last one of a stream is cut to what was observed. Longer ones end at their multiples, so
    /// that they collect the same frames from one drawing to the next.
    fn aligned(&self, latest: Timestamp) -> Timestamp {
        let phase = match (self.zoom, self.phase) {
            (0, None) => return latest,
            (0, Some(phase)) => phase,
            _ => 0,
        };
        let width = i64::try_from(self.column().as_nanos()).unwrap_or(i64::MAX);
        let over = latest.as_nanos().saturating_sub(phase).rem_euclid(width);
        if over == 0 {
            latest
        } else {
            Timestamp::new(latest.as_nanos().saturating_add(width - over))
        }
    }

    /// Freezes, or follows again.
    pub(super) fn toggle_freeze(&mut self, latest: Timestamp) {
        self.fits = false;
        self.end = match self.end {
            End::Follows => End::Frozen(self.end(latest)),
            End::Frozen(_) | End::Back(_) => End::Follows,
        };
    }

    pub(super) fn follow(&mut self) {
        self.fits = false;
        self.end = End::Follows;
    }

    /// Scrolls by columns, back when negative, but not further back than the `oldest` end.
    pub(super) fn pan(&mut self, columns: i64, oldest: Timestamp, latest: Timestamp) {
        self.fits = false;
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

    /// Shows twice the time on a map of so many characters, or half of it, keeping the place `around`
    /// where it is unless the window follows the data. Columns are never shorter than the native
    /// one: then fewer of them fill the map. `false` when it cannot.
    pub(super) fn zoom(&mut self, out: bool, around: Timestamp, width: usize) -> bool {
        let (columns, most) = (self.columns(width), self.most(width));
        let before = self.length(width);
        let (zoom, spread) = if out && self.spread.is_some() && 2 * columns <= most {
            (self.zoom, Some(2 * columns))
        } else if out && self.spread.is_some() && columns < most {
            (self.zoom, None)
        } else if out {
            (self.zoom + 1, self.spread)
        } else if self.zoom > 0 {
            (self.zoom - 1, self.spread)
        } else if columns >= 2 * LEAST_COLUMNS {
            (0, Some(columns / 2))
        } else {
            return false;
        };
        if zoom > MOST_ZOOM {
            return false;
        }
        (self.zoom, self.spread, self.fits) = (zoom, spread, false);
        let length = self.length(width);
        if let End::Frozen(end) | End::Back(end) = &mut self.end {
            let after = i128::from(end.as_nanos()) - i128::from(around.as_nanos());
            let moved = i128::from(around.as_nanos()) + after * length / before;
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
        assert!(window.zoom(true, at(0), 60) && window.zoom(true, at(0), 60));
        assert_eq!(window.column(), Nanos::new(4_000_000_000));
        assert_eq!(window.end(at(101)), at(104));
        assert_eq!(window.end(at(104)), at(104));
    }

    #[test]
    fn zooming_a_frozen_window_keeps_the_place_it_is_about() {
        let mut window = Window::new(Nanos::SECOND);
        window.toggle_freeze(at(100));
        window.zoom(true, at(80), 60);
        assert_eq!(window.end(at(500)), at(120));
        window.zoom(false, at(80), 60);
        assert_eq!(window.end(at(500)), at(100));
    }

    #[test]
    fn fewer_columns_than_characters_when_native_ones_are_short_enough() {
        let mut window = Window::new(Nanos::SECOND);
        assert_eq!(window.columns(60), 60);
        assert!(window.zoom(false, at(0), 60) && window.zoom(false, at(0), 60));
        assert_eq!((window.columns(60), window.column()), (15, Nanos::SECOND));
        assert!(window.zoom(false, at(0), 60) && !window.zoom(false, at(0), 60), "7 are left");
        for columns in [14, 28, 56, 60] {
            assert!(window.zoom(true, at(0), 60));
            assert_eq!((window.columns(60), window.column()), (columns, Nanos::SECOND));
        }
    }

    #[test]
    fn zooming_keeps_the_place_it_is_about_however_many_columns_that_makes() {
        let mut window = Window::new(Nanos::SECOND);
        window.fit_all();
        window.fit((at(0), at(61)), 68);
        window.toggle_freeze(at(61));
        assert!(window.zoom(true, at(0), 68));
        assert_eq!((window.columns(68), window.end(at(61))), (68, at(68)), "from 61 columns to 68");
        assert!(window.zoom(false, at(0), 68) && window.zoom(false, at(0), 68));
        assert_eq!((window.columns(68), window.end(at(61))), (17, at(17)));
        assert!(window.zoom(false, at(0), 68));
        assert_eq!((window.columns(68), window.end(at(61))), (8, at(8)), "half of an odd number");
    }

    #[test]
    fn all_there_is_fits_in_the_columns_that_the_user_allows() {
        let mut window = Window::new(Nanos::SECOND).with_columns(Some(7));
        assert_eq!((window.columns(60), window.is_untouched()), (7, true));
        window.fit_all();
        window.fit((at(0), at(60)), 60);
        assert_eq!(window.column(), Nanos::new(16_000_000_000));
        assert_eq!(window.columns(60), 4);
        assert!(window.zoom(true, at(0), 60));
        assert_eq!(window.columns(60), 7);
    }

    #[test]
    fn all_there_is_fits_in_the_shortest_columns_that_do() {
        let mut window = Window::new(Nanos::SECOND);
        window.fit((at(0), at(26)), 60);
        assert!(window.is_untouched(), "nobody asked");
        window.fit_all();
        for (seconds, columns, length) in [(26, 26, 1), (60, 60, 1), (61, 31, 2), (300, 38, 8)] {
            window.fit((at(0), at(seconds)), 60);
            assert_eq!(window.columns(60), columns, "{seconds} s");
            assert_eq!(window.column(), Nanos::new(length * 1_000_000_000), "{seconds} s");
            assert!(window.end(at(seconds)) >= at(seconds));
        }
        window.pan(-1, at(10), at(300));
        window.fit((at(0), at(900)), 60);
        assert_eq!(window.column(), Nanos::new(8_000_000_000), "it was moved");
    }
}
