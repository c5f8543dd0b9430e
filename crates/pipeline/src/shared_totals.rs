//! Totals of one series in several inputs: added up, their events would count twice.

use std::collections::BTreeMap;

use isotherm_frame::{Counted, CountedTotals, Series};
use isotherm_live::Address;

use crate::PipelineError;

/// The running totals of the inputs read so far.
#[derive(Debug, Default)]
pub(crate) struct SharedTotals {
    known: BTreeMap<Series, Vec<(Address, Counted)>>,
}

impl SharedTotals {
    /// Takes the totals of one more input. An error if an input before holds some of their events.
    pub(crate) fn check(
        &mut self,
        input: &Address,
        totals: &[CountedTotals],
    ) -> Result<(), PipelineError> {
        for CountedTotals { series, counted } in totals {
            let before = self.known.entry(series.clone()).or_default();
            if let Some((other, _)) = before.iter().find(|(_, one)| one.overlaps(*counted)) {
                return Err(PipelineError::Request(message(other, input, series)));
            }
            before.push((input.clone(), *counted));
        }
        Ok(())
    }
}

fn message(one: &Address, other: &Address, series: &Series) -> String {
    format!(
        "'{one}' and '{other}' both hold totals of {series}: added up, events would count twice. Read them \
         one at a time. Only files of one program that follow each other in time can be read as one input, \
         oldest first (cat {one} {other} | isotherm stats -)"
    )
}
