//! `isotherm live ADDRESS --events`: which wait events a database has had.

use std::fmt::Write as _;

use isotherm_frame::{Nanos, shown_name, span};
use isotherm_sources::{Address, WaitEvent, wait_events};
use isotherm_views::OutputForm;

use crate::failure::Failure;
use crate::screen;

/// Lists the wait events of the database at `source`, those waited for longest first.
pub fn run(source: &str) -> Result<(), Failure> {
    let address: Address = source.parse().map_err(|error| Failure::usage(format!("{error}")))?;
    let Some(oracle) = address.oracle() else {
        let text = format!("--events is for databases: '{source}' is not an oracle: address");
        return Err(Failure::usage(text));
    };
    let events = wait_events(oracle, &mut |warning: String| screen::warn(&warning))?;
    screen::print(OutputForm::Text, &table(&events))
}

fn table(events: &[WaitEvent]) -> String {
    let widest = |text: fn(&WaitEvent) -> &str, least: usize| {
        events
            .iter()
            .map(|event| shown_name(text(event)).chars().count())
            .max()
            .unwrap_or(0)
            .max(least)
    };
    let (name, class) = (widest(|event| &event.name, 5), widest(|event| &event.class, 5));
    let mut table = String::new();
    let mut row = |cells: [&str; 5]| {
        let [event, of, waits, waited, mean] = cells;
        // Writing to a text cannot fail.
        let _ = writeln!(table, "{event:name$}  {of:class$}  {waits:>15}  {waited:>9}  {mean:>7}");
    };
    row(["event", "class", "waits", "waited", "mean"]);
    for event in events {
        let waited = span(Nanos::from_micros(event.micros));
        let mean = event.mean().map_or_else(|| "-".to_owned(), |mean| mean.to_string());
        row([
            &shown_name(&event.name),
            &shown_name(&event.class),
            &event.waits.to_string(),
            &waited,
            &mean,
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str, class: &str, waits: u64, micros: u64) -> WaitEvent {
        WaitEvent { name: name.into(), class: class.into(), waits, micros }
    }

    #[test]
    fn a_row_for_each_event_with_its_mean() {
        let events = [
            event("SQL*Net message from client", "Idle", 5, 432_000_000_000),
            event("log file sync", "Commit", 1_000, 7_200_000_000),
            event("read", "User I/O", 4, 9_001),
            event("never", "Other", 0, 0),
        ];
        let expected = "\
event                        class               waits     waited     mean
SQL*Net message from client  Idle                    5         5d   86400s
log file sync                Commit               1000         2h     7.2s
read                         User I/O                4        9ms   2.25ms
never                        Other                   0         0s        -
";
        assert_eq!(table(&events), expected);
    }
}
