//! The connection that sessions are asked for over.

use std::collections::VecDeque;

use super::scope::Scope;
use crate::activity::look::LookError;
use crate::oracle::{Answer, Connect, MAY_NOT_READ, Session, SessionError, grants, user_of};

/// ORA-01013: the statement was broken off, because it took too long.
const BROKEN_OFF: u32 = 1013;

/// A database, and the instances of it that are looked at.
pub(super) struct Link {
    connect: Box<dyn Connect>,
    session: Option<Box<dyn Session>>,
    pub(super) scope: Scope,
    /// What the user should know, the first thing first.
    pub(super) warnings: VecDeque<String>,
}

impl Link {
    pub(super) fn new(connect: Box<dyn Connect>, scope: Scope, warning: Option<String>) -> Link {
        Link { connect, session: None, scope, warnings: warning.into_iter().collect() }
    }

    /// Connects, again after the connection was lost.
    pub(super) fn connect(&mut self) -> Result<(), SessionError> {
        self.session = None;
        self.session = Some(self.connect.connect()?);
        Ok(())
    }

    /// Asks a statement that is expected to give at most this many rows.
    pub(super) fn ask(&mut self, sql: &str, rows: u32) -> Result<Answer, SessionError> {
        match &mut self.session {
            Some(session) => Answer::to(sql, rows, session.as_mut()),
            None => Err(SessionError::Lost("there is no connection".into())),
        }
    }

    /// Asks about the view with this name: of the instance connected to where no other may be seen.
    pub(super) fn ask_scope(
        &mut self,
        name: &str,
        rows: u32,
        sql: &dyn Fn(&Scope) -> String,
    ) -> Result<Answer, SessionError> {
        let answer = self.ask(&sql(&self.scope), rows);
        match answer {
            Err(SessionError::Sql { code, .. })
                if MAY_NOT_READ.contains(&code) && self.scope == Scope::All =>
            {
                let own = self.ask(&sql(&Scope::Own), rows)?;
                let text = "only sessions of the instance connected to are shown; a DBA can allow \
                            all instances with";
                self.warnings.push_back(format!("{text}\n{}", self.grant(name)));
                self.scope = Scope::Own;
                Ok(own)
            }
            answer => answer,
        }
    }

    /// The statement that lets the user read the view with this name.
    pub(super) fn grant(&self, name: &str) -> String {
        grants(&[self.scope.view(name)], user_of(self.connect.name()))
    }

    /// What a failure to read the view with this name means.
    pub(super) fn failed(&self, error: SessionError, name: &str) -> LookError {
        match error {
            SessionError::Lost(why) => LookError::Lost(why),
            SessionError::Sql { code: BROKEN_OFF, message } => LookError::Lost(message),
            SessionError::Sql { code, .. } if MAY_NOT_READ.contains(&code) => {
                let (whom, view) = (self.connect.name(), self.scope.view(name).to_uppercase());
                let text = format!("{whom} may not read {view}; a DBA can allow it with");
                LookError::Refused(format!("{text}\n{}", self.grant(name)))
            }
            SessionError::Refused(why) | SessionError::Sql { message: why, .. } => {
                LookError::Refused(why)
            }
        }
    }
}
