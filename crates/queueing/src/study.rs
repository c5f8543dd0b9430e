//! What a sweep says of the system: the models that fit it, its knee, and whether throughput falls.

use crate::fits::Fits;
use crate::knee::{KneeFound, knee};
use crate::points::Points;
use crate::request::FitRequest;
use crate::retrograde::Retrograde;

/// All that is found of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The models, fitted.
    pub fits: Fits,
    /// Where the sweep turns; `None` without any model.
    pub knee: Option<KneeFound>,
    /// Where throughput falls with more load; `None` where that was not seen.
    pub retrograde: Option<Retrograde>,
}

impl Study {
    /// Fits the models, then looks for the knee and for a fall of throughput.
    pub fn of(points: Points, request: &FitRequest) -> Study {
        let fits = Fits::of(points, request);
        let knee = knee(&fits);
        let retrograde = Retrograde::of(&fits, request.seed);
        Study { fits, knee, retrograde }
    }
}
