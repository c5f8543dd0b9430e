//! `isotherm bpftrace`: programs that look inside Oracle, and at the path of an I/O.

mod arguments;
mod list;
mod numbers;
mod path;
mod target;

use isotherm_oracle::uprobes::{Clock, Filter, Grouping, Kind, NumberedName, Request};
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
    let names = numbers::of(args)?;
    print(kind, &args.target, events(&args.events, names)?)
}

/// Which events to count, of those whose names are known, wherever the names come from.
fn events(wanted: &[String], names: Vec<NumberedName>) -> Result<Filter, Failure> {
    let only = numbers::chosen(wanted, &names)?;
    Ok(Filter { only, names })
}

fn print(kind: Kind, args: &TargetArgs, filter: Filter) -> Result<(), Failure> {
    let target = target::find(kind, args)?;
    target::warn_of(&target, &filter);
    let request =
        Request { kind, target, filter, interval: args.interval, command: arguments::command() };
    let program = request.program().map_err(|error| Failure::usage(error.to_string()))?;
    screen::print(screen::for_programs(), &program)
}
