//! What a server says it was asked for, with `log_min_duration_statement = 0`: in its log, or in notices to
//! the client.

use super::calls::Calls;

/// The setting that makes it log each message.
pub const SETTING: &str = "-c log_min_duration_statement=0";
/// The settings that make it send the same to the client, and keep them out of its log.
pub const NOTICES: &str =
    "-c log_min_duration_statement=0 -c client_min_messages=log -c log_min_messages=fatal";

/// Counts the messages that the process of this number has logged.
pub fn calls(log: &str, process: i32) -> Calls {
    let head = format!("[{process}] LOG:");
    let mut calls = Calls::default();
    for line in log.lines() {
        if let Some((_, message)) = line.split_once(&head) {
            count(message.trim_start(), &mut calls);
        }
    }
    calls
}

/// Counts what one message says: `duration: 0.052 ms  parse <unnamed>: select 1`.
pub fn count(message: &str, calls: &mut Calls) {
    let what = message.strip_prefix("duration: ").and_then(|rest| rest.split_once(" ms  "));
    match what.and_then(|(_, what)| what.split([' ', ':']).next()) {
        Some("parse") => calls.parses += 1,
        Some("bind") => calls.binds += 1,
        // Also "execute fetch from": the same message to a portal that has given rows.
        Some("execute") => calls.executes += 1,
        Some("statement") => calls.queries += 1,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_other_processes_and_other_kinds_are_left_out() {
        let log = "\
2026-11-27 14:01:02.003 UTC [71] LOG:  starting PostgreSQL 15.18\n\
2026-11-27 14:01:02.003 UTC [72] LOG:  duration: 0.052 ms  parse <unnamed>: select 1\n\
2026-11-27 14:01:02.003 UTC [72] LOG:  duration: 0.011 ms  bind <unnamed>/c: select 1\n\
2026-11-27 14:01:02.003 UTC [72] LOG:  duration: 0.011 ms  execute <unnamed>/c: select 1\n\
2026-11-27 14:01:02.003 UTC [72] LOG:  duration: 0.011 ms  execute fetch from <unnamed>/c: select 1\n\
2026-11-27 14:01:02.003 UTC [72] LOG:  duration: 0.017 ms  statement: select 'parse'\n\
2026-11-27 14:01:02.003 UTC [72] ERROR:  duration: 1 ms  bind x\n\
2026-11-27 14:01:02.003 UTC [73] LOG:  duration: 0.017 ms  statement: commit\n\
2026-11-27 14:01:02.003 UTC [72] LOG:  duration: 0.0";
        assert_eq!(calls(log, 72), Calls { parses: 1, binds: 1, executes: 2, queries: 1 });
        assert_eq!(calls(log, 7), Calls::default());
    }
}
