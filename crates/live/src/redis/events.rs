//! Which commands a server has executed.

use isotherm_client::redis::replies::Reply;
use isotherm_formats::redis::command;

use super::session::{RedisError, Session};
use crate::wait_event::{self, WaitEvent};

/// The commands of a server since it started or its statistics were reset, those first that took
/// longest.
pub(super) fn listed(session: &mut Session) -> Result<Vec<WaitEvent>, RedisError> {
    let mut events = session.ask(&[b"INFO", b"commandstats"], |reply| match reply {
        Reply::Bulk(text) => Ok(read(text)),
        _ => Err("INFO commandstats has no text".to_owned()),
    })?;
    wait_event::sort(&mut events);
    Ok(events)
}

fn read(text: &[u8]) -> Vec<WaitEvent> {
    let commands = text.split(|byte| *byte == b'\n').filter_map(|line| command(line)?.ok());
    let event = |(series, total): (isotherm_frame::Series, isotherm_frame::Histogram)| WaitEvent {
        name: series.full(),
        class: "command".to_owned(),
        waits: Some(total.events()),
        micros: total.sum().map(|sum| sum.as_nanos() / 1_000),
    };
    commands.map(event).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_an_event_with_its_calls_and_their_time() {
        let text = b"# Commandstats\r\ncmdstat_get:calls=4,usec=10,usec_per_call=2.50\r\n\
            cmdstat_config|get:calls=1,usec=90,usec_per_call=90.00\r\n";
        let found = read(text);
        let told: Vec<_> =
            found.iter().map(|event| (event.name.as_str(), event.waits, event.micros)).collect();
        assert_eq!(told, [("get", Some(4), Some(10)), ("config|get", Some(1), Some(90))]);
    }
}
