//! `oracle-path` and `pg-path`: the path of each I/O.

use isotherm_live::{OpenError, PathDatabase, PathDevice, PathProgram};
use isotherm_oracle::uprobes::{Clock, Filter, Kind};

use super::arguments::{DeviceArgs, OraclePathArgs, PgPathArgs};
use super::{arguments, numbers, target};
use crate::failure::Failure;
use crate::screen;

/// Oracle's waits with what is below them.
pub(super) fn of_oracle(args: &OraclePathArgs) -> Result<(), Failure> {
    let OraclePathArgs { events: args, devices, session_at } = args;
    if !args.events.is_empty() {
        return Err(Failure::usage(
            "oracle-path prints every wait: system calls belong to the one they are made in. Choose when \
             the output is read: isotherm stats path.json --where 'name=db file*'",
        ));
    }
    let names = numbers::of(args)?;
    let found = target::find(Kind::Waits(Clock::Kernel), &args.target)?;
    let filter = Filter { only: Vec::new(), names };
    target::warn_of(&found, &filter);
    let (binary, offset, names) = (found.binary, found.offset, filter.names);
    let database = PathDatabase::Oracle { binary, offset, names, session: *session_at };
    print(database, found.pids, devices)
}

/// `PostgreSQL`'s statements and waits with what is below them.
pub(super) fn of_postgres(args: &PgPathArgs) -> Result<(), Failure> {
    let database = PathDatabase::postgres(args.binary.as_deref())?;
    print(database, args.pids.clone(), &args.devices)
}

fn print(database: PathDatabase, processes: Vec<u32>, devices: &DeviceArgs) -> Result<(), Failure> {
    let found: Result<Vec<PathDevice>, OpenError> =
        devices.devices.iter().map(|name| PathDevice::find(name)).collect();
    let program =
        PathProgram { database, processes, devices: found?, command: arguments::command() };
    let text = program.text().map_err(|error| Failure::usage(error.to_string()))?;
    screen::print(screen::for_programs(), &text)
}
