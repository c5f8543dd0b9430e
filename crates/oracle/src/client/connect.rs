//! Connecting.

use std::time::Duration;

use oracledb::{Config, Connection, Error};

use super::{ClientError, ErrorKind, Logon, Role, explain, shelter};

/// What V$SESSION shows as PROGRAM and MODULE.
const PROGRAM: &str = "isotherm";
/// The part of the time for connecting that one address may take: a dead one must leave time for
/// the next, and for logging on.
const ONE_ADDRESS: f64 = 0.4;

/// How long things may take.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    /// Connecting, all in all. The driver does not keep to it where a server says nothing: the
    /// caller waits no longer.
    pub connect: Duration,
    /// One call to the server.
    pub call: Duration,
}

/// Logs on, in this thread. Once there was a connection, a service that the listener does not know
/// is one that is not up again yet.
pub fn connect(
    logon: &Logon,
    limits: Limits,
    was_connected: bool,
) -> Result<Connection, ClientError> {
    check(logon)?;
    match shelter(|| connect_unsheltered(logon, limits)) {
        Ok(connected) => {
            connected.map_err(|error| explain::not_connected(logon, &error, was_connected))
        }
        Err(panic) => Err(explain::panicked_connecting(logon, &panic)),
    }
}

/// Whether the driver can be used at all.
fn check(logon: &Logon) -> Result<(), ClientError> {
    let refused = |text: &str| Err(ClientError::new(ErrorKind::Refused, logon, text));
    if std::env::var_os("RSO_DEBUG_PACKETS").is_some() {
        return refused(
            "RSO_DEBUG_PACKETS is set, with which the driver writes every packet, passwords among \
             them, into the output: unset it",
        );
    }
    if logon.password.reveal().is_empty() {
        return refused("the password is empty, with which nobody can log on");
    }
    Ok(())
}

/// The call timeout is set first thing: until then nothing ends a call but its thread being left
/// behind.
fn connect_unsheltered(logon: &Logon, limits: Limits) -> Result<Connection, Error> {
    let mut config = Config::default()
        .set_credentials(&logon.user, logon.password.reveal())
        .set_auth_mode(logon.role.map_or(oracledb::AUTH_MODE_DEFAULT, mode))
        .set_transport_connect_timeout(Some(limits.connect.mul_f64(ONE_ADDRESS)))
        .set_program(PROGRAM)?;
    // The directory must be known when the alias is looked up, which is at once.
    if let Some(directory) = &logon.tns_admin {
        config = config.set_config_dir(&directory.to_string_lossy());
    }
    if let Some(directory) = &logon.wallet {
        config = config.set_wallet_location(directory.to_string_lossy());
    }
    if let Some(password) = &logon.wallet_password {
        config = config.set_wallet_password(password.reveal());
    }
    let connection = oracledb::connect(config.set_connect_string(&logon.connect)?)?;
    connection.set_call_timeout(Some(limits.call))?;
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
