//! `isotherm live ADDRESS --events`: what a server has to show.

use std::fmt::Write as _;

use isotherm_frame::{Nanos, shown_name, span};
use isotherm_live::{Address, WaitEvent};
use isotherm_views::OutputForm;

use crate::failure::Failure;
use crate::screen;

/// Lists the events of the server at `source`, those waited for longest first.
pub fn run(source: &str) -> Result<(), Failure> {
    let address: Address = source.parse().map_err(|error| Failure::usage(format!("{error}")))?;
    let Some(events) = address.events(&mut |warning: String| screen::warn(&warning)) else {
        let source = crate::redact::redacted(source);
        return Err(Failure::usage(format!(
            "--events is for servers: '{source}' is no address of oracle:, sqlplus:, postgres: or redis:"
        )));
    };
    screen::print(OutputForm::Text, &table(&events?))
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
        let unknown = || "-".to_owned();
        let waits = event.waits.map_or_else(unknown, |waits| waits.to_string());
        let waited = event.micros.map_or_else(unknown, |us| span(Nanos::from_micros(us)));
        let mean = event.mean().map_or_else(unknown, |mean| mean.to_string());
        row([&shown_name(&event.name), &shown_name(&event.class), &waits, &waited, &mean]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str, class: &str, waits: u64, micros: u64) -> WaitEvent {
        WaitEvent {
            name: name.into(),
            class: class.into(),
            waits: Some(waits),
            micros: Some(micros),
        }
    }

    #[test]
    fn a_row_for_each_event_with_its_mean() {
        let events = [
            event("SQL*Net message from client", "Idle", 5, 432_000_000_000),
            event("log file sync", "Commit", 1_000, 7_200_000_000),
            event("read", "User I/O", 4, 9_001),
            event("never", "Other", 0, 0),
            WaitEvent {
                name: "IO:DataFileRead".into(),
                class: "sampled".into(),
                waits: None,
                micros: None,
            },
        ];
        let expected = "\
event                        class               waits     waited     mean
SQL*Net message from client  Idle                    5         5d   86400s
log file sync                Commit               1000         2h     7.2s
read                         User I/O                4        9ms   2.25ms
never                        Other                   0         0s        -
IO:DataFileRead              sampled                 -          -        -
";
        assert_eq!(table(&events), expected);
    }
}
