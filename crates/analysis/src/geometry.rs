//! How a picture is to be drawn, as far as somebody has said: so that two can be compared.

use isotherm_frame::Nanos;

use crate::{ColourMax, Grid, Request};

/// What was said of a picture's axes and colours; the data say the rest.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Geometry {
    /// The most rows of latency.
    pub rows: Option<usize>,
    /// The most columns of time.
    pub columns: Option<usize>,
    /// The latencies that have rows of their own, whatever was measured.
    pub latency: Option<(Nanos, Nanos)>,
    /// The events per second of the strongest colour.
    pub max_rate: Option<f64>,
    /// The average waiting of the strongest colour.
    pub max_waiting: Option<f64>,
}

impl Geometry {
    /// The request for this picture on this axis of time, in at most so many rows if nothing was said.
    pub fn request(&self, grid: Grid, most_rows: usize) -> Request {
        let only = self.latency;
        Request { only, ..Request::on(grid, self.rows.unwrap_or(most_rows)) }
    }

    /// The largest values of the frequency and of the intensity map.
    pub fn colour_maxima(&self) -> (ColourMax, ColourMax) {
        let max = |said: Option<f64>| said.map_or_else(ColourMax::default, ColourMax::pinned);
        (max(self.max_rate), max(self.max_waiting))
    }
}
