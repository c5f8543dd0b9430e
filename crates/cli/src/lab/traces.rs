//! SQL traces of the user.

use isotherm_frame::numbers::counted;
use isotherm_lab::Traced;
use isotherm_oracle::trace::{NO_SQL_TRACE, UserCalls};

use crate::failure::{Code, Failure};
use crate::trace::{Warn, scanned};
use crate::{input, screen};

/// Counts the calls of all traces together.
pub fn read(inputs: &[String], is_strict: bool) -> Result<Traced, Failure> {
    let mut calls = UserCalls::default();
    let (mut with, mut without) = (0, Vec::new());
    for file in input::traces_once(inputs, false)? {
        if scanned(&file, &mut calls, Warn::Yes)? {
            with += 1;
        } else {
            without.push(file.to_string());
        }
        calls.end_file();
    }
    let name = input::title(inputs);
    if is_strict && calls.damaged > 0 {
        let records = counted(calls.damaged, "damaged record");
        return Err(Failure::new(Code::BadData, format!("{name}: {records}, and --strict is set")));
    }
    match (with, &without[..]) {
        (0, _) => Err(Failure::new(Code::Runtime, format!("{name}: {NO_SQL_TRACE}"))),
        (_, []) => Ok(Traced { name, calls }),
        (_, some) => {
            screen::warn(&format!("{}: no record of a SQL trace in it; left out", some.join(", ")));
            Ok(Traced { name, calls })
        }
    }
}
