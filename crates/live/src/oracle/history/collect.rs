//! The predefined queries of AWR's history, asked of a database one after the other.

use std::io;

use isotherm_oracle::awr::history::TableKind;
use thiserror::Error;

use crate::feed::OpenError;
use crate::oracle::remote::Remote;
use crate::oracle::sqlplus::{chosen, span};
use crate::oracle::{Connect, ScriptError, Session, SessionError};

use super::query::Span;
use super::run::Connection;
use super::series::AwrSeries;
use super::tell::{has_containers, in_microseconds, layout, licence};

/// Rows that are expected of a statement, for a client that fetches so many at once.
const ROWS: u32 = 5_000;

/// Some of the predefined queries, of a part of the history.
#[derive(Debug)]
pub struct AwrCollection {
    chosen: Vec<&'static AwrSeries>,
    span: Span,
}

/// Where what is collected goes.
pub trait AwrTables {
    /// Something for the user to know.
    fn say(&mut self, words: String);

    /// A table with all of its rows, which are lines of CSV. Fails when it cannot be written.
    fn table(&mut self, name: &str, heads: &str, rows: &[String]) -> io::Result<()>;

    /// The server refused a query; the others are asked nevertheless.
    fn refused(&mut self, name: &str, reason: &str);
}

/// Why the history could not be collected to its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AwrCollectError {
    /// There is no way to the database.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The database did not answer, or refused the connection.
    #[error("{0}")]
    Server(String),
    /// A table could not be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl From<SessionError> for AwrCollectError {
    fn from(error: SessionError) -> AwrCollectError {
        AwrCollectError::Server(error.to_string())
    }
}

impl AwrCollection {
    /// The queries of these names, all if there are none, between two moments as people write them.
    pub fn new(
        names: &[String],
        since: Option<&str>,
        until: Option<&str>,
    ) -> Result<AwrCollection, ScriptError> {
        Ok(AwrCollection { chosen: chosen(names)?, span: span(since, until)? })
    }

    /// The names of the queries, in the order they are asked.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.chosen.iter().map(|series| series.name)
    }

    /// Asks over a connection. A table is given once all of its rows are there.
    pub(in crate::oracle) fn over(
        &self,
        connect: Box<dyn Connect>,
        tables: &mut dyn AwrTables,
    ) -> Result<(), AwrCollectError> {
        let (remote, _wake) = Remote::start(connect)?;
        self.ask(&mut Connection::over(remote), tables)
    }

    pub(in crate::oracle) fn ask(
        &self,
        session: &mut dyn Session,
        tables: &mut dyn AwrTables,
    ) -> Result<(), AwrCollectError> {
        tables.say(licence(session));
        let mut layout = layout(session)?;
        if self.names().any(|name| name == TableKind::Segments.name()) {
            layout.containers = has_containers(session)?;
        }
        if let Some(words) = in_microseconds(&layout)
            && self.names().any(|name| name == TableKind::EventHistograms.name())
        {
            tables.say(words);
        }
        for series in &self.chosen {
            let mut rows = Vec::new();
            let sql = series.sql(&layout, &self.span);
            match session.lines(&sql, ROWS, &mut |line| rows.push(line.to_owned())) {
                Ok(()) => tables.table(series.name, &series.heads(&layout), &rows)?,
                Err(SessionError::Sql { message, .. }) => tables.refused(series.name, &message),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
