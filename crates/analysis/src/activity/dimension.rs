//! By what sessions are told apart, and which are chosen.

use std::sync::Arc;

use isotherm_frame::ActiveSession;

/// By what sessions are told apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// The class of the wait.
    Class,
    /// The event.
    Event,
    /// The statement.
    Sql,
    /// The user.
    User,
    /// The program.
    Program,
    /// The session that is waited for.
    Blocker,
    /// The session itself.
    Session,
}

impl Dimension {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Dimension; 7] = [
        Dimension::Class,
        Dimension::Event,
        Dimension::Sql,
        Dimension::User,
        Dimension::Program,
        Dimension::Blocker,
        Dimension::Session,
    ];

    /// What a session is told apart by.
    pub fn of(self, session: &ActiveSession) -> &Arc<str> {
        match self {
            Dimension::Class => &session.class,
            Dimension::Event => &session.event,
            Dimension::Sql => &session.sql,
            Dimension::User => &session.user,
            Dimension::Program => &session.program,
            Dimension::Blocker => &session.blocker,
            Dimension::Session => &session.session,
        }
    }
}

/// Only sessions with all of these values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActivityFilter(pub Vec<(Dimension, Arc<str>)>);

impl ActivityFilter {
    /// The same for fewer sessions: those with this value, too.
    #[must_use]
    pub fn and(&self, by: Dimension, value: &Arc<str>) -> ActivityFilter {
        let mut all = self.0.clone();
        all.push((by, Arc::clone(value)));
        ActivityFilter(all)
    }
}
