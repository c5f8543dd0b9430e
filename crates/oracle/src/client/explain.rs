//! Why there is no connection, in words that say what to do.

use std::time::Duration;

use oracledb::{Error, ErrorKind};

use super::error::{code, plain};
use super::{ClientError, Logon, ends_session};
use crate::identifier;

/// Why connecting failed. Once there was a connection, a service that the listener does not know
/// is one that is not up again yet.
pub(super) fn not_connected(logon: &Logon, error: &Error, was_connected: bool) -> ClientError {
    let passing = |text: String| {
        if was_connected { ClientError::lost(logon, &text) } else { refused(logon, &text) }
    };
    match error.kind() {
        ErrorKind::DbError(server) => logon_failed(logon, code(server.code()), server.message()),
        ErrorKind::InvalidServiceName(_, service, host, port) => passing(format!(
            "the listener at {host}:{port} knows no service '{service}' (ORA-12514): 'lsnrctl \
             status' on the server lists those it knows; an instance makes its own known within a \
             minute of its start"
        ))
        .with_code(12514),
        ErrorKind::InvalidSid(_, sid, host, port) => passing(format!(
            "the listener at {host}:{port} knows no SID '{sid}' (ORA-12505): 'lsnrctl status' on \
             the server lists services and instances"
        ))
        .with_code(12505),
        ErrorKind::ListenerRefusedConnection(_, host, port, number) => {
            listener_refused(logon, host, *port, code(*number))
        }
        ErrorKind::UnexpectedRefuse(_) => passing(
            "the listener refused without saying why: this machine may not be among those it \
             lets in (TCP.INVITED_NODES in the server's sqlnet.ora)"
                .to_owned(),
        ),
        _ => network_failed(logon, error),
    }
}

/// Failures before the server or its listener said anything of sense.
fn network_failed(logon: &Logon, error: &Error) -> ClientError {
    let text = &plain(error);
    match error.kind() {
        ErrorKind::TlsOperation => refused(logon, &format!("TLS: {text}{}", tls_advice(text))),
        ErrorKind::StreamOperation if !tls_advice(text).is_empty() => {
            refused(logon, &format!("TLS: {text}{}", tls_advice(text)))
        }
        ErrorKind::StreamOperation => {
            ClientError::lost(logon, &format!("{text}{}", network_advice(text)))
        }
        ErrorKind::CallTimeoutExceeded => ClientError::lost(
            logon,
            "no answer to the attempt to connect: a firewall drops it, or host and port are wrong",
        ),
        ErrorKind::DeadConnection => ClientError::lost(
            logon,
            "the other side closed the connection before the logon: it may be a port for TLS \
             (oracle+tcps://), or not let this machine in (TCP.INVITED_NODES)",
        ),
        ErrorKind::ServerVersionNotSupported => refused(
            logon,
            "the server is older than 12.1, which this driver cannot talk to: use SQL*Plus, \
             sqlplus:USER@ALIAS",
        ),
        ErrorKind::TnsAliasNotFound(file, alias) => refused(
            logon,
            &format!(
                "there is no alias '{alias}' in {file}: name another directory with \
                 ?tns_admin=DIRECTORY, or write HOST:PORT/SERVICE"
            ),
        ),
        ErrorKind::NoConfigDir => refused(
            logon,
            &format!(
                "'{}' is taken for an alias of tnsnames.ora, and neither TNS_ADMIN nor \
                 ORACLE_HOME is set: name its directory with ?tns_admin=DIRECTORY, or write \
                 HOST:PORT/SERVICE",
                logon.connect
            ),
        ),
        ErrorKind::UnableToRecover | ErrorKind::NotConnected => ClientError::lost(logon, text),
        _ => refused(logon, text),
    }
}

fn network_advice(text: &str) -> &'static str {
    if text.contains("refused") {
        ": no listener there; is the port right, and does 'lsnrctl status' on the server say that \
         it runs?"
    } else if text.contains("lookup") {
        ": the host name is not known here"
    } else if text.contains("No such file") {
        ": tnsnames.ora is looked for in ?tns_admin=, $TNS_ADMIN and $ORACLE_HOME/network/admin"
    } else {
        ""
    }
}

fn tls_advice(text: &str) -> &'static str {
    if text.contains("InvalidContentType") || text.contains("corrupt message") {
        ": the port does not speak TLS; write oracle:// or name the TCPS port, often 2484"
    } else if text.contains("UnknownIssuer") {
        ": the server's certificate is of an authority not known here; name the directory of an \
         ewallet.pem that holds it with ?wallet=DIRECTORY"
    } else if text.contains("NotValidForName") {
        ": the certificate is for another host name; use the name it was made for"
    } else {
        ""
    }
}

fn listener_refused(logon: &Logon, host: &str, port: u16, number: u32) -> ClientError {
    let advice = match number {
        12516 | 12518 | 12519 | 12520 => ": no process is free for us; PROCESSES may be reached",
        12526..=12528 => ": the instance is starting, stopping or restricted",
        12506 | 12529 => ": this machine or service is filtered out by the listener",
        _ => "",
    };
    of_code(logon, number, &format!("the listener at {host}:{port} refused (ORA-{number}){advice}"))
}

fn logon_failed(logon: &Logon, number: u32, message: &str) -> ClientError {
    let (user, name) = (&logon.user, identifier(&logon.user));
    let advice = match number {
        1017 => format!(
            ": if user and password are right, the account may have no verifier of version 12C, \
             which this driver needs: ALTER USER {name} IDENTIFIED BY ... makes one (with \
             SEC_CASE_SENSITIVE_LOGON=TRUE), or use SQL*Plus, sqlplus:{user}@ALIAS"
        ),
        1031 => ": the user has not been granted the privilege that ?as= names, or is not in the \
                 password file (V$PWFILE_USERS)"
            .to_owned(),
        1035 => format!(": GRANT RESTRICTED SESSION TO {name}, or wait until it is open to all"),
        1045 => format!(": GRANT CREATE SESSION TO {name}"),
        28000 => format!(": ALTER USER {name} ACCOUNT UNLOCK"),
        28001 => ": log on with SQL*Plus, which asks for a new one".to_owned(),
        28009 => ": add ?as=sysdba".to_owned(),
        28040 => ": the server's SQLNET.ALLOWED_LOGON_VERSION_SERVER excludes this driver".into(),
        _ => String::new(),
    };
    of_code(logon, number, &format!("{message}{advice}"))
}

fn of_code(logon: &Logon, number: u32, text: &str) -> ClientError {
    let error =
        if ends_session(number) { ClientError::lost(logon, text) } else { refused(logon, text) };
    error.with_code(number)
}

/// A panic while connecting. Where it was tells what the server asked for: the version of the
/// driver is pinned, and tests hold the places.
pub(super) fn panicked_connecting(logon: &Logon, panic: &str) -> ClientError {
    let (user, name) = (&logon.user, identifier(&logon.user));
    let cause = if panic.contains("messages/connect.rs") {
        "the server requires native network encryption, which this driver does not have: use a \
         TCPS port (oracle+tcps://), have SQLNET.ENCRYPTION_SERVER=ACCEPTED set in the server's \
         sqlnet.ora, or use SQL*Plus, sqlplus:USER@ALIAS"
            .to_owned()
    } else if panic.contains("messages/auth.rs") {
        format!(
            "the account has no password verifier of version 12C, which this driver needs \
             (DBA_USERS.PASSWORD_VERSIONS lists them): ALTER USER {name} IDENTIFIED BY ... makes \
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
    refused(logon, &cause)
}

/// A panic during a query.
pub fn panicked(logon: &Logon, panic: &str) -> ClientError {
    ClientError::lost(
        logon,
        &format!("the driver failed on what the server answered ({})", first_line(panic)),
    )
}

/// Nothing came within the time that connecting may take.
pub fn no_answer(logon: &Logon, limit: Duration) -> ClientError {
    ClientError::lost(
        logon,
        &format!(
            "not connected within {limit:?}: the other side does not answer like an Oracle \
             listener (is it the right port? a port for TLS needs oracle+tcps://), the server \
             hangs, or the name is not resolved; ?connect_timeout=30s waits longer"
        ),
    )
}

fn refused(logon: &Logon, text: &str) -> ClientError {
    ClientError::new(super::ErrorKind::Refused, logon, text)
}

fn first_line(panic: &str) -> String {
    let mut lines = panic.lines();
    let place = lines.next().unwrap_or_default();
    // The path of the driver's source on the machine that built us is nobody's business.
    let place = place.rsplit_once("/src/").map_or(place, |(_, place)| place);
    let message = lines.next().unwrap_or_default();
    format!("{place} {message}").trim().to_owned()
}
