//! Real outputs of tools, with counts that an independent program computed.
//!
//! The samples are not part of the project: `ISOTHERM_SAMPLES` names the folder that holds them.
//! Without it these tests say so and pass.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its files must fail")]
#![allow(clippy::print_stdout, reason = "what was skipped and compared must be seen")]

mod buckets;
mod drawn_and_columns;
mod events;
mod oracletrace;
mod printed;
mod totals;

use std::path::PathBuf;

fn folder(name: &str) -> Option<PathBuf> {
    let Some(root) = std::env::var_os("ISOTHERM_SAMPLES") else {
        println!("SKIPPED: ISOTHERM_SAMPLES does not name the folder of samples");
        return None;
    };
    let folder = PathBuf::from(root).join(name);
    if !folder.is_dir() {
        println!("SKIPPED: there is no folder {}", folder.display());
        return None;
    }
    Some(folder)
}
