//! What a lab is.

use isotherm_frame::Nanos;
use isotherm_frame::numbers::bytes;

use crate::server::schema_head;
use crate::{Bench, Finding, LabError, Length};

/// One experiment.
#[derive(Debug)]
pub struct Lab {
    /// What it is called on the command line.
    pub name: &'static str,
    /// The question it answers, in one sentence.
    pub question: &'static str,
    /// What it does, in one sentence that begins with a verb: printed before it runs.
    pub method: &'static str,
    /// The lesson, in paragraphs: what people believe, what is true, and how to tell.
    pub lesson: &'static [&'static str],
    /// What it needs, in a few words; empty if nothing.
    pub needs: &'static str,
    /// About how long it takes: short, full.
    pub takes: (Nanos, Nanos),
    /// The most that it writes to disk, bytes; it is removed at the end.
    pub disk: u64,
    /// Whether it may be run on events that the user gives.
    pub takes_events: bool,
    /// Whether it may be run on SQL traces that the user gives.
    pub takes_traces: bool,
    /// What it does on a server that the user names; none where it cannot.
    pub on_server: Option<OnServer>,
    /// Runs it.
    pub run: fn(&mut Bench<'_>) -> Result<Finding, LabError>,
}

/// A lab on a server of the user.
#[derive(Debug)]
pub struct OnServer {
    /// What it needs there, and does besides work in its own schema, in sentences: printed before it runs.
    pub does: &'static str,
    /// Whether others who use the server are slowed down, so that the user has to allow it.
    pub disturbs: bool,
    /// What is missing to run it on Oracle, as the end of a sentence.
    pub oracle: &'static str,
}

impl Lab {
    /// What it writes, as the end of a sentence.
    pub fn writes(&self) -> String {
        match self.disk {
            0 => "writes nothing to disk".to_owned(),
            most => format!("writes up to {} to disk and removes it", bytes(most)),
        }
    }

    /// What it does on a server of the user, in sentences; nothing where it cannot.
    pub fn on_server(&self, place: &str) -> String {
        self.on_server.as_ref().map_or_else(String::new, |on_server| {
            format!(
                "On {place} it makes the schema {}RANDOM, works in it and drops it at the end, also when a \
                 signal ends the lab; it writes up to {} there. {}",
                schema_head(),
                bytes(self.disk),
                on_server.does
            )
        })
    }

    /// About how long a run of this length takes.
    pub fn time(&self, length: Length) -> Nanos {
        match length {
            Length::Short => self.takes.0,
            Length::Full => self.takes.1,
        }
    }
}
