//! Whole traces, read by what is made of them.

use std::io::{self, Read};

use super::profile::Profiler;
use super::{Account, CutCalls, TraceSpan, TraceSteps, UserCalls, WithinRange, scan};

/// What reads a trace from its beginning to its end.
///
/// Each implementation compiles the loop over all bytes here: this crate is built for speed, and the program
/// that calls it for size.
pub trait ReadTrace {
    /// Reads the trace, as [`scan`] does.
    ///
    /// # Errors
    /// When reading fails, or there is no record in the first 256 MiB.
    fn read_trace(&mut self, input: &mut dyn Read) -> Result<Account, io::Error>;
}

impl ReadTrace for Profiler {
    fn read_trace(&mut self, input: &mut dyn Read) -> Result<Account, io::Error> {
        scan(input, self)
    }
}

impl ReadTrace for UserCalls {
    fn read_trace(&mut self, input: &mut dyn Read) -> Result<Account, io::Error> {
        scan(input, self)
    }
}

impl ReadTrace for WithinRange<Profiler> {
    fn read_trace(&mut self, input: &mut dyn Read) -> Result<Account, io::Error> {
        scan(input, self)
    }
}

impl ReadTrace for CutCalls {
    fn read_trace(&mut self, input: &mut dyn Read) -> Result<Account, io::Error> {
        scan(input, self)
    }
}

impl ReadTrace for TraceSpan {
    fn read_trace(&mut self, input: &mut dyn Read) -> Result<Account, io::Error> {
        scan(input, self)
    }
}

impl ReadTrace for TraceSteps {
    fn read_trace(&mut self, input: &mut dyn Read) -> Result<Account, io::Error> {
        scan(input, self)
    }
}
