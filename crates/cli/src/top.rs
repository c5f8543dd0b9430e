//! `isotherm top`: the active sessions of a database.

mod intake;
mod io;
mod once;
mod rate;
mod watch;

use isotherm_frame::Nanos;
use isotherm_live::Address;

use crate::failure::Failure;
use crate::screen;
use crate::signals::Signals;
use crate::top_args::{TopArgs, TopFormat};

/// The shortest and the longest column of the strip.
const SHORTEST: Nanos = Nanos::from_millis(100);
const LONGEST: Nanos = Nanos::from_millis(3_600_000);

/// `isotherm top`
pub fn run(args: &TopArgs) -> Result<(), Failure> {
    check(args)?;
    let address: Address =
        args.source.parse().map_err(|error| Failure::usage(format!("{error}")))?;
    if args.show_sql {
        return io::show_sql(&address);
    }
    let signals = Signals::register()?;
    if args.io {
        return io::run(args, &address, &signals);
    }
    if args.once {
        return once::run(args, &address, &signals);
    }
    watch::run(args, &address, &signals)
}

/// What does not go together.
fn check(args: &TopArgs) -> Result<(), Failure> {
    if !(SHORTEST..=LONGEST).contains(&args.every) {
        let text = format!("--every {}: must be from {SHORTEST} to {LONGEST}", args.every);
        return Err(Failure::usage(text));
    }
    if args.duration == Some(Nanos::ZERO) {
        return Err(Failure::usage("--for 0s: there would be nothing to see"));
    }
    if args.show_sql {
        return Ok(());
    }
    if !args.once && args.format == TopFormat::Json {
        return Err(Failure::usage("--format json has no effect: it needs --once"));
    }
    if !args.once && !screen::is_terminal() {
        return Err(Failure::usage(
            "top draws on a terminal, and standard output is none: use --once for tables",
        ));
    }
    Ok(())
}
