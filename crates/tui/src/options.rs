//! What the view is made from, and what it asks of the program around it.

use std::sync::Arc;

use isotherm_analysis::{Geometry, Scale};
use isotherm_frame::{Clock, Nanos, Timestamp};
use jiff::tz::TimeZone;

use isotherm_views::Style;

use crate::key_map::KeyMap;

/// What the view shows and how it begins.
#[derive(Clone, Debug)]
pub struct AppOptions {
    /// The address of the source, shown first.
    pub title: String,
    /// Colours and glyphs of the terminal.
    pub style: Style,
    /// The length of a column without zoom: the source's interval.
    pub column: Nanos,
    /// Where frames come from.
    pub feed: Feed,
    /// What the timestamps count from.
    pub clock: Clock,
    /// The time zone of local times.
    pub zone: TimeZone,
    /// Whether times are shown in UTC at first.
    pub utc: bool,
    /// The scale of the frequency map.
    pub frequency_scale: Scale,
    /// The scale of the intensity map.
    pub intensity_scale: Scale,
    /// What was said of axes and colours.
    pub geometry: Geometry,
    /// The memory, in bytes, that intervals to scroll back to may take.
    pub most_bytes: usize,
    /// What is recorded and where, if it is.
    pub recording: Option<String>,
    /// What each key does.
    pub keys: Arc<KeyMap>,
    /// Whether a panic of the thread that asks is reported by whoever started it.
    pub is_contained: fn() -> bool,
}

/// Where frames come from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Feed {
    /// A source that measures now: silence is shown as missing data.
    Live,
    /// A recording: silence means nothing.
    Replay,
}

/// What a key asks of the program around the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    None,
    /// To end.
    Quit,
    /// To end and leave the picture on the normal screen.
    QuitLeavingPicture,
    /// To add a mark to the recording, if there is one; the view shows it already.
    Mark(Timestamp, String),
    /// To save a report; [`App::kept`](super::App::kept) is what of.
    Save(Extent),
    /// To stop until continued.
    Suspend,
}

/// How much of what is known.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything that is kept.
    Everything,
    /// The series shown, in the window of time shown.
    Shown,
}

/// At 1 s and 60 occupied buckets a week of one series.
const MOST_BYTES: usize = 128 << 20;

impl AppOptions {
    /// A live view of this source with everything else at its default.
    pub fn new(title: impl Into<String>, style: Style, column: Nanos) -> AppOptions {
        AppOptions {
            title: title.into(),
            style,
            column,
            feed: Feed::Live,
            clock: Clock::Epoch,
            zone: TimeZone::system(),
            utc: false,
            frequency_scale: Scale::Sqrt,
            intensity_scale: Scale::Power,
            geometry: Geometry::default(),
            most_bytes: MOST_BYTES,
            recording: None,
            keys: Arc::default(),
            is_contained: || false,
        }
    }
}
