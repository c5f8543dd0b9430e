//! What all tests need: waits that end ([`bounded`]), how much of a grid of cases is tried ([`grid`]), and a
//! grammar of Oracle's SQL ([`oracle_grammar`]).

#![allow(
    clippy::print_stderr,
    clippy::missing_panics_doc,
    reason = "a test that waited too long fails by panicking, and says what it waited for"
)]

pub mod bounded;
pub mod grid;
pub mod oracle_grammar;
