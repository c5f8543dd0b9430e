//! `isotherm top`: the active sessions of a database.

mod intake;
mod io;
mod once;
mod rate;
mod watch;

use isotherm_frame::Nanos;
use isotherm_live::{ActivityFeed, Address, IoReader};

use crate::failure::Failure;
use crate::screen;
use crate::signals::Signals;
use crate::top_args::{TopArgs, TopFormat};

/// The shortest and the longest column of the strip.
const SHORTEST: Nanos = Nanos::from_millis(100);
const LONGEST: Nanos = Nanos::from_millis(3_600_000);

/// The least time of which samples of the database are read at once: that of its end is not known yet.
const LEAST_KEPT: Nanos = Nanos::from_millis(10_000);

/// `isotherm top`
pub fn run(args: &TopArgs) -> Result<(), Failure> {
    check(args)?;
    let address: Address =
        args.source.parse().map_err(|error| Failure::usage(format!("{error}")))?;
    if args.show_sql {
        return show_sql(args, &address);
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

/// Prints the statements.
fn show_sql(args: &TopArgs, address: &Address) -> Result<(), Failure> {
    let statements = if args.io {
        IoReader::statements(address)
    } else {
        let length = if args.once { once::length(args) } else { watch::history(args) };
        ActivityFeed::kept_statements(address, length)
    };
    let text = statements?.join(";\n\n");
    screen::print(screen::for_programs(), &format!("{text};\n"))
}

/// What does not go together.
fn check(args: &TopArgs) -> Result<(), Failure> {
    check_licensed(args)?;
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

/// What does not go together with samples that the database takes.
fn check_licensed(args: &TopArgs) -> Result<(), Failure> {
    let text = match args.licensed {
        None if args.show_sql && !args.io => {
            "--show-sql prints the statements of --io or of --licensed: add one of them".to_owned()
        }
        Some(_) if args.io => "--licensed is about sessions, and --io reads counters that need no \
                               licence: leave out one of them"
            .to_owned(),
        Some(_) if args.hz.is_some() => "--hz has no effect with --licensed: Oracle takes one \
                                         sample a second. Leave it out"
            .to_owned(),
        Some(_) if args.every < Nanos::SECOND && !args.once => format!(
            "--every {}: with --licensed there is one sample a second: use --every 1s or more",
            args.every
        ),
        Some(_) if args.once && once::length(args) < LEAST_KEPT => format!(
            "--for {}: what is known of the samples of the database is some seconds old: use --for {LEAST_KEPT} \
             or more",
            once::length(args)
        ),
        _ => return Ok(()),
    };
    Err(Failure::usage(text))
}
