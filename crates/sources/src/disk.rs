//! stub
use crate::Source;
use crate::feed::*;
use std::process::Command;
use std::sync::{Arc, OnceLock};
pub(crate) fn start(
    _d: Option<&str>,
    _o: &LiveOptions,
    _s: &Arc<OnceLock<&'static dyn Source>>,
    _b: Outbox,
) -> Result<Running, OpenError> {
    Err(OpenError::Device("not yet".into()))
}
pub(crate) fn bpftrace(needed_by: &str) -> Result<Command, OpenError> {
    find_program("bpftrace").map(Command::new).ok_or(OpenError::ProgramMissing {
        needed_by: needed_by.into(),
        program: "bpftrace".into(),
        install: "x",
    })
}
