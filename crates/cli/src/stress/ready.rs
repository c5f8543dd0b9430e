//! `isotherm stress setup` and `teardown`.

use std::sync::atomic::AtomicBool;

use isotherm_load::{Address, Hooks, Job, LoadError, Progress, setup, teardown};
use isotherm_views::OutputForm;

use crate::failure::{Code, Failure};
use crate::load_address;
use crate::progress::ProgressLine;
use crate::redact::redacted;
use crate::screen;
use crate::signals::Signals;
use crate::stress_args::{SetupArgs, StressCommand};

/// What makes things ready, or takes them away.
type Act = fn(&Address, &Job, &mut Hooks) -> Result<Vec<String>, LoadError>;

/// Makes what is to be loaded, or takes it away.
pub fn run(command: &StressCommand) -> Result<(), Failure> {
    match command {
        StressCommand::Setup(args) => act(args, setup),
        StressCommand::Teardown(args) => act(args, teardown),
    }
}

fn act(args: &SetupArgs, act: Act) -> Result<(), Failure> {
    let job = args.load().job(&args.target)?;
    let address = load_address::address(&args.target)?;
    let signals = Signals::register()?;
    let mut line = ProgressLine::new(!args.quiet.quiet && !args.quiet.no_progress);
    let mut progress = |progress: Progress| line.progress(&progress);
    let stop: &AtomicBool = &signals.flag();
    let done = act(&address, &job, &mut Hooks { progress: &mut progress, stop });
    line.clear();
    let sentences = match done {
        Ok(sentences) => sentences,
        Err(error) if signals.stop_asked() => {
            return Err(Failure::new(Code::Interrupted, error.to_string()));
        }
        Err(error) => return Err(error.into()),
    };
    for words in &sentences {
        screen::print(OutputForm::Text, &format!("{}\n", redacted(words)))?;
    }
    if signals.stop_asked() {
        let words = "stopped: the same command continues from there";
        return Err(Failure::new(Code::Interrupted, words));
    }
    Ok(())
}
