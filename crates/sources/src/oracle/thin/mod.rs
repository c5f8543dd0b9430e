//! The network route: Oracle's own thin driver, kept at arm's length.
//!
//! The driver blocks where it should give up (a peer that accepts and never answers) and panics
//! where it should refuse (a server that requires native encryption). So it runs in a thread of
//! its own, which is waited for only so long, and whose panics become messages that say what to
//! do.

mod contained;
mod driver;
mod explain;
mod worker;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use isotherm_frame::Nanos;

use super::{Connect, OracleAddress, Role, Route, Session, SessionError};
use crate::password::Secret;
use worker::Worker;

/// How long connecting may take, looking up the name and logging on included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A call may take at least so long.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// So many threads may hang in the driver before no more are started.
const MOST_THREADS: usize = 8;
/// The variable that holds the password of the wallet.
const WALLET_VARIABLE: &str = "ISOTHERM_ORACLE_WALLET_PASSWORD";

/// Connects over the network.
pub(crate) struct ThinConnect {
    plan: Plan,
    connect_timeout: Duration,
    call_timeout: Duration,
    /// Whether it was connected once: then an unknown service is one that is not up again yet.
    was_connected: bool,
    /// Threads in the driver that have not ended.
    threads: Arc<AtomicUsize>,
}

/// What a connection is made of.
#[derive(Clone)]
struct Plan {
    /// `user@database`, for messages.
    target: String,
    user: String,
    connect: String,
    password: Secret,
    role: Option<Role>,
    tns_admin: Option<PathBuf>,
    wallet: Option<PathBuf>,
    wallet_password: Option<Secret>,
}

impl ThinConnect {
    /// Prepares connections for queries every `interval`. Nothing is sent yet.
    pub(crate) fn new(address: &OracleAddress, password: Secret, interval: Nanos) -> ThinConnect {
        let (user, connect) = match &address.route {
            Route::Thin { user, connect } => (user.clone(), connect.clone()),
            // SQL*Plus has a connector of its own; the driver says that nobody is named.
            Route::SqlPlus { logon } => (String::new(), logon.clone()),
        };
        let options = &address.options;
        let wallet_password = std::env::var(WALLET_VARIABLE).ok().map(Secret::new);
        let plan = Plan {
            target: address.target(),
            user,
            connect,
            password,
            role: options.role,
            tns_admin: options.tns_admin.clone(),
            wallet: options.wallet.clone(),
            wallet_password,
        };
        let interval = Duration::from_nanos(interval.as_nanos());
        let limit = options.connect_timeout;
        ThinConnect {
            plan,
            connect_timeout: limit
                .map_or(CONNECT_TIMEOUT, |limit| Duration::from_nanos(limit.as_nanos())),
            call_timeout: CALL_TIMEOUT.max(interval.saturating_mul(2)),
            was_connected: false,
            threads: Arc::default(),
        }
    }
}

impl Connect for ThinConnect {
    fn connect(&mut self) -> Result<Box<dyn Session>, SessionError> {
        let hanging = self.threads.load(Ordering::Acquire);
        if hanging >= MOST_THREADS {
            return Err(explain::too_many(&self.plan, hanging));
        }
        let worker = Worker::start(
            &self.plan,
            worker::Limits { connect: self.connect_timeout, call: self.call_timeout },
            self.was_connected,
            &self.threads,
        )?;
        self.was_connected = true;
        Ok(Box::new(worker))
    }

    fn name(&self) -> &str {
        &self.plan.target
    }
}
