//! What is asked of the driver, in its own words.

use std::time::Duration;

use oracledb::{Config, Connection, Error, Row};

use super::Plan;
use crate::oracle::Role;

/// What V$SESSION shows as PROGRAM and MODULE.
const PROGRAM: &str = "isotherm";
/// So many rows are fetched together with the execution at most. The driver reads an answer anew
/// from its beginning whenever another packet of it has arrived.
const MOST_AT_ONCE: u32 = 10_000;
/// So many rows are fetched at a time after that at most.
const MOST_LATER: u32 = 2_000;

/// Connects. The call timeout is set first thing: until then nothing ends a call but the thread
/// being abandoned.
pub(super) fn connect(
    plan: &Plan,
    connect_timeout: Duration,
    call_timeout: Duration,
) -> Result<Connection, Error> {
    let mut config = Config::default()
        .set_credentials(&plan.user, plan.password.reveal())
        .set_auth_mode(plan.role.map_or(oracledb::AUTH_MODE_DEFAULT, mode))
        // A dead address must leave time for the next, and for logging on.
        .set_transport_connect_timeout(Some(connect_timeout.mul_f64(0.4)))
        .set_program(PROGRAM)?;
    // The directory must be known when the alias is looked up, which is at once.
    if let Some(directory) = &plan.tns_admin {
        config = config.set_config_dir(&directory.to_string_lossy());
    }
    if let Some(directory) = &plan.wallet {
        config = config.set_wallet_location(directory.to_string_lossy());
    }
    if let Some(password) = &plan.wallet_password {
        config = config.set_wallet_password(password.reveal());
    }
    let connection = oracledb::connect(config.set_connect_string(&plan.connect)?)?;
    connection.set_call_timeout(Some(call_timeout))?;
    connection.set_module(PROGRAM)?;
    Ok(connection)
}

fn mode(role: Role) -> u8 {
    match role {
        Role::Sysdba => oracledb::AUTH_MODE_SYSDBA,
        Role::Sysoper => oracledb::AUTH_MODE_SYSOPER,
        Role::Sysbackup => oracledb::AUTH_MODE_SYSBKP,
        Role::Sysdg => oracledb::AUTH_MODE_SYSDGD,
        Role::Syskm => oracledb::AUTH_MODE_SYSKMT,
        Role::Sysrac => oracledb::AUTH_MODE_SYSRAC,
        Role::Sysasm => oracledb::AUTH_MODE_SYSASM,
    }
}

/// Runs a query of one text column, in one round trip if it has at most `rows` rows.
pub(super) fn query(
    connection: &Connection,
    sql: &str,
    rows: u32,
    line: &mut dyn FnMut(String),
) -> Result<(), Error> {
    // The server says that there are no more rows only when it could have sent one more.
    let at_once = rows.saturating_add(1).min(MOST_AT_ONCE + 1);
    let statement = connection
        .statement(sql)?
        .prefetch_rows(at_once)
        .fetch_array_size(at_once.clamp(100, MOST_LATER))
        .build()?;
    for row in statement.query(&[])? {
        line(text(&row?)?);
    }
    Ok(())
}

fn text(row: &Row) -> Result<String, Error> {
    Ok(row.get::<Option<String>>(0)?.unwrap_or_default())
}
