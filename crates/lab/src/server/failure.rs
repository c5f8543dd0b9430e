//! Errors of a server as errors of a lab.

use isotherm_client::postgres::error::PgError;

use crate::LabError;

/// What the server or the connection to it says, as an error of a lab.
pub fn failed(error: PgError) -> LabError {
    match error {
        PgError::Stopped => LabError::Interrupted,
        error if error.is("42501") => LabError::OutOfReach {
            what: "what the lab needs of the server",
            why: error.to_string(),
            next: "name a superuser with --server, or grant what is missing",
        },
        error => LabError::Server { next: error.next_step(), error },
    }
}
