//! The live maps in a browser: a web server on threads, and the history that it shares with whatever
//! measures.
//!
//! [`LiveHistory`] takes what happens; a [`Server`] answers from it. No client has a queue: each reads
//! what lies beyond its own position in the one history, so a slow one holds nobody up.

mod access;
mod changes;
mod clock;
mod document_cache;
mod documents;
mod events;
mod heavy;
mod history;
mod http;
mod layout;
mod marks;
mod metrics;
mod parameters;
mod routes;
mod said;
mod server;
mod shell;
mod summaries;
mod token;

pub use access::{Access, AccessError, host_names};
pub use history::{LiveHistory, SourceAbout};
pub use http::{Head, Limits, Method, Refusal, parse_head};
pub use metrics::Metrics;
pub use server::{RunningServer, Server, ServerError};
pub use shell::Shell;
pub use token::{Token, TokenError};
