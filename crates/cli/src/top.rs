//! `isotherm top`: the active sessions of a database.

mod intake;
mod once;
mod watch;

use isotherm_frame::Nanos;
use isotherm_sources::Address;

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
    let signals = Signals::register()?;
    if args.once {
        return once::run(args, &address, &signals);
    }
    watch::run(args, &address, &signals)
}

/// The time between two samples.
fn period(hz: u32) -> Nanos {
    Nanos::new(Nanos::SECOND.as_nanos() / u64::from(hz.max(1)))
}

/// Columns shorter than the time between two samples would be empty.
fn check_columns(every: Nanos, hz: u32) -> Result<(), Failure> {
    let period = period(hz);
    if every >= period {
        return Ok(());
    }
    let enough = Nanos::SECOND.as_nanos().div_ceil(every.as_nanos().max(1));
    Err(Failure::usage(format!(
        "--every {every} is shorter than the time between two samples ({period} at {hz} samples/s): \
         use --every {period}, or --hz {enough}"
    )))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_long_as_the_time_between_two_samples_at_least() {
        assert!(check_columns(Nanos::from_millis(100), 10).is_ok());
        assert!(check_columns(Nanos::from_millis(334), 3).is_ok());
        let refused = check_columns(Nanos::from_millis(150), 2).unwrap_err().to_string();
        assert!(refused.contains("use --every 500ms, or --hz 7"), "{refused}");
    }
}
