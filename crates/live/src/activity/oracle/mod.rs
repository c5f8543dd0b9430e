//! Active sessions of Oracle: looked at by isotherm, or from the history of samples that the database keeps.

mod escape;
mod history;
mod link;
mod names;
mod scope;
mod sessions;

pub(super) use history::{
    BEHIND, looker as history_looker, read as read_history, statements as history_statements,
};
pub(super) use sessions::{RATE, looker};
