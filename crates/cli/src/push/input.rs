//! What is pushed: a live source, or what was recorded as fast as it is read.

use std::path::PathBuf;

use isotherm_frame::{BinnerLimits, Nanos, Timestamp};
use isotherm_pipeline::{
    Binning, EventStream, Live, OpenRecordings, Replay, Speed, WholeInputs, is_recording,
};

use crate::failure::Failure;
use crate::live::{self, SourceOptions};
use crate::push_args::PushArgs;
use crate::redact::redacted;
use crate::signals::Signals;
use crate::{idle, input, screen};

/// Events of files are counted in seconds.
const BINNING: Binning = Binning::new(Nanos::SECOND, BinnerLimits::cells(8_192));

/// An input that is open.
pub enum PushedInput {
    Live(Box<Live>),
    Replay(Box<Replay>),
}

impl PushedInput {
    /// Opens what the arguments name.
    pub fn open(args: &PushArgs, signals: &Signals) -> Result<PushedInput, Failure> {
        let PushArgs { source, input, probe, follow, duration, .. } = args;
        // Options of Oracle are refused elsewhere.
        input.oracle.address(source)?;
        let Some(path) = file_of(source).filter(|_| !*follow) else {
            let options = SourceOptions {
                source,
                input,
                probe,
                duration: *duration,
                follow: *follow,
                keeps: false,
            };
            return Ok(PushedInput::Live(Box::new(live::open(&options, signals)?)));
        };
        if duration.is_some() {
            return Err(Failure::usage(format!(
                "--for: '{}' is read to its end; --follow waits for more",
                redacted(source)
            )));
        }
        let all = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
        let replay = if is_recording(&path) {
            let nothing = || Failure::nothing(format!("{}: there are no events", redacted(source)));
            let recordings = OpenRecordings::open(&[&path])?.ok_or_else(nothing)?;
            let all = (recordings.span().0, all.1);
            recordings.replay(all, input.oracle.idle, Speed::Max, signals.flag())
        } else {
            let inputs = input::expand(std::slice::from_ref(source), &input.oracle)?;
            let whole = WholeInputs::read(&inputs, &input::options(input)?, BINNING)?;
            input::strict(input, whole.account())?;
            let start = whole.start().unwrap_or_default();
            whole.replay((start, all.1), Speed::Max, signals.flag())
        };
        Ok(PushedInput::Replay(Box::new(replay)))
    }

    /// Whether it goes on while it is pushed.
    pub fn is_live(&self) -> bool {
        matches!(self, PushedInput::Live(_))
    }

    pub fn stream(&mut self) -> &mut dyn EventStream {
        match self {
            PushedInput::Live(live) => live.as_mut(),
            PushedInput::Replay(replay) => replay.as_mut(),
        }
    }

    /// Why a recording could not be read to its end.
    pub fn failed(&mut self) -> Option<Failure> {
        match self {
            PushedInput::Live(_) => None,
            PushedInput::Replay(replay) => replay.take_error().map(Failure::from),
        }
    }

    /// Ends it.
    pub fn close(self, args: &PushArgs) -> Result<(), Failure> {
        match self {
            PushedInput::Live(live) => live::close(*live, &args.input, None),
            PushedInput::Replay(replay) => {
                if let Some(text) = idle::message(replay.account()) {
                    screen::warn(&text);
                }
                Ok(())
            }
        }
    }
}

/// The path of an input that is a file.
fn file_of(source: &str) -> Option<PathBuf> {
    let path = PathBuf::from(source);
    (source != "-" && path.is_file()).then_some(path)
}
