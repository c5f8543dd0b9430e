//! How a sequence of runs goes on.

use isotherm_frame::{Event, Nanos};
use isotherm_load::{Observer, Progress as Preparation, RunStatus};

use crate::Run;
use crate::calibrate::Phase;

/// What a sweep or a calibration reports while it goes on.
#[derive(Debug)]
pub enum Progress<'a> {
    /// The system rests before a run.
    Resting,
    /// Something is made ready, and how far that has come.
    Preparing(Preparation),
    /// A run begins.
    Started {
        /// The part of a calibration it belongs to.
        phase: Option<Phase>,
        /// What it is called.
        label: &'a str,
        /// The time that runs have taken so far.
        elapsed: Nanos,
    },
    /// What happened during a run.
    Events(Vec<Event>),
    /// How the run that is under way goes.
    Status(Box<RunStatus>),
    /// A run has ended and counts.
    Finished(&'a Run),
}

/// Hands on what happens in a run as progress.
pub(crate) struct RunProgress<'a>(pub &'a mut dyn FnMut(Progress));

impl Observer for RunProgress<'_> {
    fn events(&mut self, events: Vec<Event>) {
        (self.0)(Progress::Events(events));
    }

    fn status(&mut self, status: RunStatus) {
        (self.0)(Progress::Status(Box::new(status)));
    }
}
