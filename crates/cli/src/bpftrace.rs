//! `isotherm bpftrace`: programs that look inside Oracle, and at the path of an I/O.

mod arguments;
mod list;
mod numbers;
mod path;
mod target;

use isotherm_oracle::uprobes::{Clock, Filter, Grouping, Kind, NumberedName, Request, Target};
use isotherm_views::OutputForm;

pub use self::arguments::BpftraceArgs;
use self::arguments::{By, ClockArg, EventArgs, Program, TargetArgs};
use crate::failure::Failure;
use crate::screen;

/// `isotherm bpftrace`
pub fn run(args: &BpftraceArgs) -> Result<(), Failure> {
    match &args.program {
        Program::List => screen::print(OutputForm::Text, &list::text()),
        Program::OracleWaits(waits) => {
            let clock = match waits.clock {
                ClockArg::Kernel => Clock::Kernel,
                ClockArg::Oracle => Clock::Oracle,
            };
            of_events(Kind::Waits(clock), &waits.events)
        }
        Program::OracleIo(events) => of_events(Kind::Io, events),
        Program::OraclePath(events) => path::of_oracle(events),
        Program::PgPath(args) => path::of_postgres(args),
        Program::OracleLio(reads) => {
            let grouping = match reads.by {
                By::Object => Grouping::Object,
                By::Tablespace => Grouping::Tablespace,
            };
            let names = numbers::names_of(reads.names.as_deref())?;
            let only = reads.only.clone();
            print(Kind::LogicalReads(grouping), &reads.target, Filter { only, names })
        }
    }
}

fn of_events(kind: Kind, args: &EventArgs) -> Result<(), Failure> {
    let names = names_of(args)?;
    print(kind, &args.target, events(&args.events, names)?)
}

/// The names of wait events, asked of the instance or read from a file.
fn names_of(args: &EventArgs) -> Result<Vec<NumberedName>, Failure> {
    match &args.connect {
        Some(address) => numbers::asked_of(address),
        None => numbers::names_of(args.names.as_deref()),
    }
}

/// Which events to count, of those whose names are known, wherever the names come from.
fn events(wanted: &[String], names: Vec<NumberedName>) -> Result<Filter, Failure> {
    let only = numbers::chosen(wanted, &names)?;
    Ok(Filter { only, names })
}

fn print(kind: Kind, args: &TargetArgs, filter: Filter) -> Result<(), Failure> {
    let target = target::find(kind, args)?;
    warn_of(&target, &filter);
    let request = Request { kind, target, filter, interval: args.interval, command: command() };
    let program = request.program().map_err(|error| Failure::usage(error.to_string()))?;
    screen::print(screen::for_programs(), &program)
}

/// What the user should know before the program is used.
fn warn_of(target: &Target, filter: &Filter) {
    if let Some(version) = target.version.filter(|version| !version.is_tried()) {
        screen::warn(&format!(
            "it is not known that these probes work with Oracle {version}: first \
                 check their places on a test system, as the head of the program says"
        ));
    }
    if filter.names.is_empty() {
        screen::warn(
            "without --names numbers stay numbers (event#152): spool the output of \
             `select event#, name from v$event_name` of that instance, or let --connect ask it",
        );
    }
}

/// The words of the command line behind `isotherm bpftrace`.
fn command() -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,+=:#$".contains(c);
        if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{word}'") }
    };
    let words = std::env::args().skip_while(|word| !"bpftrace".starts_with(word.as_str()));
    words.skip(1).map(quoted).collect::<Vec<_>>().join(" ")
}
