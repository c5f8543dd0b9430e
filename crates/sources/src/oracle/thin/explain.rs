//! What went wrong, in words that say what to do, and whether trying again can help.

use std::io;
use std::time::Duration;

use oracledb::{Error, ErrorKind};

use super::{MOST_THREADS, Plan};
use crate::oracle::SessionError;

/// Errors of the server after which another attempt can succeed: the session was ended, the
/// instance starts or stops, a process or the network went away.
const PASSING: [u32; 27] = [
    18, 20, 28, 1012, 1033, 1034, 1089, 1090, 1092, 2396, 3113, 3114, 3115, 3135, 12500, 12516,
    12518, 12519, 12520, 12526, 12527, 12528, 12537, 12541, 12547, 12570, 25408,
];

/// Whether the driver can be used at all.
pub(super) fn usable(plan: &Plan) -> Result<(), SessionError> {
    if std::env::var_os("RSO_DEBUG_PACKETS").is_some() {
        return Err(refused(
            plan,
            "RSO_DEBUG_PACKETS is set, with which the driver writes every packet, passwords among \
             them, into our output: unset it",
        ));
    }
    if plan.password.reveal().is_empty() {
        return Err(refused(plan, "the password is empty, with which nobody can log on"));
    }
    Ok(())
}

/// Why connecting failed. Once there was a connection, a service that the listener does not know
/// is one that is not up again yet.
pub(super) fn not_connected(plan: &Plan, error: &Error, was_connected: bool) -> SessionError {
    let passing =
        |text: String| if was_connected { lost(plan, &text) } else { refused(plan, &text) };
    match error.kind() {
        ErrorKind::DbError(told) => logon_failed(plan, code(told.code()), told.message()),
        ErrorKind::InvalidServiceName(_, service, host, port) => passing(format!(
            "the listener at {host}:{port} knows no service '{service}' (ORA-12514): 'lsnrctl \
             status' on the server lists those it knows; an instance makes its own known within a \
             minute of its start"
        )),
        ErrorKind::InvalidSid(_, sid, host, port) => passing(format!(
            "the listener at {host}:{port} knows no SID '{sid}' (ORA-12505): 'lsnrctl status' on \
             the server lists services and instances"
        )),
        ErrorKind::ListenerRefusedConnection(_, host, port, number) => {
            listener_refused(plan, host, *port, code(*number))
        }
        ErrorKind::UnexpectedRefuse(_) => passing(
            "the listener refused without saying why: this machine may not be among those it \
             lets in (TCP.INVITED_NODES in the server's sqlnet.ora)"
                .to_owned(),
        ),
        _ => network_failed(plan, error),
    }
}

/// Failures before the server or its listener said anything of sense.
fn network_failed(plan: &Plan, error: &Error) -> SessionError {
    let told = plain(error);
    match error.kind() {
        ErrorKind::TlsOperation => refused(plan, &format!("TLS: {told}{}", tls_advice(&told))),
        ErrorKind::StreamOperation if !tls_advice(&told).is_empty() => {
            refused(plan, &format!("TLS: {told}{}", tls_advice(&told)))
        }
        ErrorKind::StreamOperation => lost(plan, &format!("{told}{}", network_advice(&told))),
        ErrorKind::CallTimeoutExceeded => lost(
            plan,
            "no answer to the attempt to connect: a firewall drops it, or host and port are wrong",
        ),
        ErrorKind::DeadConnection => lost(
            plan,
            "the other side closed the connection before the logon: it may be a port for TLS \
             (oracle+tcps://), or not let this machine in (TCP.INVITED_NODES)",
        ),
        ErrorKind::ServerVersionNotSupported => refused(
            plan,
            "the server is older than 12.1, which this driver cannot talk to: use SQL*Plus, \
             sqlplus:USER@ALIAS",
        ),
        ErrorKind::TnsAliasNotFound(file, alias) => refused(
            plan,
            &format!(
                "there is no alias '{alias}' in {file}: name another directory with \
                 ?tns_admin=DIRECTORY, or write HOST:PORT/SERVICE"
            ),
        ),
        ErrorKind::NoConfigDir => refused(
            plan,
            &format!(
                "'{}' is taken for an alias of tnsnames.ora, and neither TNS_ADMIN nor \
                 ORACLE_HOME is set: name its directory with ?tns_admin=DIRECTORY, or write \
                 HOST:PORT/SERVICE",
                plan.connect
            ),
        ),
        ErrorKind::UnableToRecover | ErrorKind::NotConnected => lost(plan, &told),
        _ => refused(plan, &told),
    }
}

fn network_advice(told: &str) -> &'static str {
    if told.contains("refused") {
        ": no listener there; is the port right, and does 'lsnrctl status' on the server say that \
         it runs?"
    } else if told.contains("lookup") {
        ": the host name is not known here"
    } else if told.contains("No such file") {
        ": tnsnames.ora is looked for in ?tns_admin=, $TNS_ADMIN and $ORACLE_HOME/network/admin"
    } else {
        ""
    }
}

fn tls_advice(told: &str) -> &'static str {
    if told.contains("InvalidContentType") || told.contains("corrupt message") {
        ": the port does not speak TLS; write oracle:// or name the TCPS port, often 2484"
    } else if told.contains("UnknownIssuer") {
        ": the server's certificate is of an authority not known here; name the directory of an \
         ewallet.pem that holds it with ?wallet=DIRECTORY"
    } else if told.contains("NotValidForName") {
        ": the certificate is for another host name; use the name it was made for"
    } else {
        ""
    }
}

fn listener_refused(plan: &Plan, host: &str, port: u16, number: u32) -> SessionError {
    let advice = match number {
        12516 | 12518 | 12519 | 12520 => ": no process is free for us; PROCESSES may be reached",
        12526..=12528 => ": the instance is starting, stopping or restricted",
        12506 | 12529 => ": this machine or service is filtered out by the listener",
        _ => "",
    };
    of_code(plan, number, &format!("the listener at {host}:{port} refused (ORA-{number}){advice}"))
}

fn logon_failed(plan: &Plan, number: u32, message: &str) -> SessionError {
    let user = &plan.user;
    let advice = match number {
        1017 => format!(
            ": if user and password are right, the account may have no verifier of version 12C, \
             which this driver needs: ALTER USER {user} IDENTIFIED BY ... makes one (with \
             SEC_CASE_SENSITIVE_LOGON=TRUE), or use SQL*Plus, sqlplus:{user}@ALIAS"
        ),
        1031 => ": the user has not been granted the privilege that ?as= names, or is not in the \
                 password file (V$PWFILE_USERS)"
            .to_owned(),
        1035 => format!(": GRANT RESTRICTED SESSION TO {user}, or wait until it is open to all"),
        1045 => format!(": GRANT CREATE SESSION TO {user}"),
        28000 => format!(": ALTER USER {user} ACCOUNT UNLOCK"),
        28001 => ": log on with SQL*Plus, which asks for a new one".to_owned(),
        28009 => ": add ?as=sysdba".to_owned(),
        28040 => ": the server's SQLNET.ALLOWED_LOGON_VERSION_SERVER excludes this driver".into(),
        _ => String::new(),
    };
    of_code(plan, number, &format!("{message}{advice}"))
}

fn of_code(plan: &Plan, number: u32, text: &str) -> SessionError {
    if PASSING.contains(&number) { lost(plan, text) } else { refused(plan, text) }
}

/// Why a query was not answered.
pub(super) fn not_answered(plan: &Plan, error: &Error, limit: Duration) -> SessionError {
    match error.kind() {
        ErrorKind::DbError(told) if PASSING.contains(&code(told.code())) => {
            lost(plan, told.message())
        }
        ErrorKind::DbError(told) => {
            SessionError::Sql { code: code(told.code()), message: told.message().to_owned() }
        }
        // The server broke the statement off when it was asked to.
        ErrorKind::CallTimeoutExceeded => SessionError::Sql {
            code: 1013,
            message: format!("no answer within {limit:?}: the query was broken off"),
        },
        ErrorKind::UnableToRecover => lost(
            plan,
            &format!("no answer within {limit:?}, nor to a break: the connection is given up"),
        ),
        _ => lost(plan, &plain(error)),
    }
}

/// A panic while connecting. Where it was tells what the server asked for: the version of the
/// driver is pinned, and tests hold the places.
pub(super) fn panicked_connecting(plan: &Plan, panic: &str) -> SessionError {
    let user = &plan.user;
    let cause = if panic.contains("messages/connect.rs") {
        "the server requires native network encryption, which this driver does not have: use a \
         TCPS port (oracle+tcps://), have SQLNET.ENCRYPTION_SERVER=ACCEPTED set in the server's \
         sqlnet.ora, or use SQL*Plus, sqlplus:USER@ALIAS"
            .to_owned()
    } else if panic.contains("messages/auth.rs") {
        format!(
            "the account has no password verifier of version 12C, which this driver needs \
             (DBA_USERS.PASSWORD_VERSIONS lists them): ALTER USER {user} IDENTIFIED BY ... makes \
             one, or use SQL*Plus, sqlplus:{user}@ALIAS"
        )
    } else if panic.contains("/transport.rs") && panic.contains("unwrap") {
        "the host is not a name that a certificate can be for: use the name or IP address it was \
         made for"
            .to_owned()
    } else {
        format!(
            "the driver failed on what the server answered, which happens where the other side \
             is no Oracle listener or something between changes the packets ({})",
            first_line(panic)
        )
    };
    refused(plan, &cause)
}

/// A panic during a query.
pub(super) fn panicked(plan: &Plan, panic: &str) -> SessionError {
    lost(plan, &format!("the driver failed on what the server answered ({})", first_line(panic)))
}

/// Nothing came within the time that connecting may take.
pub(super) fn no_answer(plan: &Plan, limit: Duration) -> SessionError {
    lost(
        plan,
        &format!(
            "not connected within {limit:?}: the other side does not answer like an Oracle \
             listener (is it the right port? a port for TLS needs oracle+tcps://), the server \
             hangs, or the name is not resolved; ?connect_timeout=30s waits longer"
        ),
    )
}

/// Nothing came, not even what the driver makes of a timeout.
pub(super) fn silent(plan: &Plan, limit: Duration) -> SessionError {
    lost(plan, &format!("no answer within {limit:?}: the connection is given up"))
}

/// The thread has ended, after an error that was told before.
pub(super) fn vanished(plan: &Plan) -> SessionError {
    lost(plan, "the connection has ended")
}

/// Too many threads hang in the driver.
pub(super) fn too_many(plan: &Plan, hanging: usize) -> SessionError {
    lost(
        plan,
        &format!(
            "{hanging} earlier attempts still hang (at most {MOST_THREADS} may): the next one is \
             made when one of them has ended"
        ),
    )
}

/// The system gives no thread.
pub(super) fn no_thread(plan: &Plan, error: &io::Error) -> SessionError {
    lost(plan, &format!("cannot start a thread: {error}"))
}

fn lost(plan: &Plan, text: &str) -> SessionError {
    SessionError::Lost(format!("{}: {text}", plan.target))
}

fn refused(plan: &Plan, text: &str) -> SessionError {
    SessionError::Refused(format!("{}: {text}", plan.target))
}

fn code(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// What the driver says, without words that say nothing to a user.
fn plain(error: &Error) -> String {
    let told = error.to_string();
    let told = told.strip_prefix("stream operation failed: ").unwrap_or(&told);
    let told = told.strip_prefix("TLS operation failed: ").unwrap_or(told);
    told.split(" (CONNECTION_ID=").next().unwrap_or(told).to_owned()
}

fn first_line(panic: &str) -> String {
    let mut lines = panic.lines();
    let place = lines.next().unwrap_or_default();
    // The path of the driver's source on the machine that built us is nobody's business.
    let place = place.rsplit_once("/src/").map_or(place, |(_, place)| place);
    let said = lines.next().unwrap_or_default();
    format!("{place} {said}").trim().to_owned()
}
