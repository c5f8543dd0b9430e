//! What the server says of itself: `INFO`.

use super::session::{Answer, Session};
use crate::{Count, Unit};

/// The lines of an answer to `INFO`.
pub struct Info(String);

impl Info {
    /// Asks for a section: `default`, `commandstats`. Nothing if the user may not.
    pub fn ask(session: &mut Session, section: &str) -> Option<Info> {
        match session.ask("read INFO", &[b"INFO", section.as_bytes()]) {
            Ok(Answer::Value(bytes)) => Some(Info(String::from_utf8_lossy(&bytes).into_owned())),
            _ => None,
        }
    }

    /// The value of a line.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut lines = self.0.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim_end)
    }

    /// The value of a line, as a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok()
    }

    /// Keys of all databases.
    pub fn keys(&self) -> u64 {
        let databases = self.0.lines().filter(|line| line.starts_with("db"));
        databases.filter_map(|line| part(line.split_once(':')?.1, "keys")).sum()
    }

    /// Totals that the server keeps for all its clients.
    pub fn totals(&self) -> Vec<Count> {
        let simple = [
            ("keyspace hits", "keyspace_hits", Unit::Count),
            ("keyspace misses", "keyspace_misses", Unit::Count),
            ("commands processed", "total_commands_processed", Unit::Count),
            ("evicted keys", "evicted_keys", Unit::Count),
            ("expired keys", "expired_keys", Unit::Count),
            ("network in", "total_net_input_bytes", Unit::Bytes),
            ("network out", "total_net_output_bytes", Unit::Bytes),
        ];
        let totals = simple.into_iter().filter_map(|(name, line, unit)| {
            Some(Count { name: name.into(), value: self.number(line)?, unit })
        });
        let cpu = self.cpu_ns().map(|value| Count {
            name: "server cpu".into(),
            value,
            unit: Unit::Nanos,
        });
        totals.chain(cpu).collect()
    }

    /// CPU time of the server process, user and system, nanoseconds.
    fn cpu_ns(&self) -> Option<u64> {
        let part = |name| nanoseconds(self.get(name)?);
        part("used_cpu_user")?.checked_add(part("used_cpu_sys")?)
    }

    /// How often `GET` and `SET` were called, and how long the server was at it.
    pub fn calls(&self) -> Vec<Count> {
        let kinds = [
            ("get calls", "get time in server", "cmdstat_get"),
            ("set calls", "set time in server", "cmdstat_set"),
        ];
        let mut counts = Vec::new();
        for (calls, time, line) in kinds {
            // A command that was never called has no line.
            let line = self.get(line).unwrap_or("calls=0,usec=0");
            let mut add = |name: &'static str, value: Option<u64>, unit| {
                counts.extend(value.map(|value| Count { name: name.into(), value, unit }));
            };
            add(calls, part(line, "calls"), Unit::Count);
            add(time, part(line, "usec").and_then(|us| us.checked_mul(1_000)), Unit::Nanos);
        }
        counts
    }
}

/// `calls` of `calls=12,usec=30`.
fn part(line: &str, name: &str) -> Option<u64> {
    line.split(',').find_map(|part| part.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

/// Nanoseconds of `12.345678` seconds, exactly.
fn nanoseconds(text: &str) -> Option<u64> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    seconds.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(digits.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_read_and_what_is_not_there_is_left_out() {
        let info = Info(
            "# Stats\r\nkeyspace_hits:12\r\nused_cpu_sys:1.5\r\nused_cpu_user:0.000001\r\n\
             db0:keys=10,expires=0,avg_ttl=0\r\ndb3:keys=5,expires=1\r\n"
                .to_owned(),
        );
        let totals: Vec<_> =
            info.totals().into_iter().map(|count| (count.name.into_owned(), count.value)).collect();
        let expected = [("keyspace hits".to_owned(), 12), ("server cpu".to_owned(), 1_500_001_000)];
        assert_eq!(totals, expected);
        assert_eq!(info.keys(), 15);
    }

    #[test]
    fn calls_of_commands_never_called_are_none() {
        let info = Info("cmdstat_get:calls=3,usec=7,usec_per_call=2.33\r\n".to_owned());
        let values: Vec<u64> = info.calls().into_iter().map(|count| count.value).collect();
        assert_eq!(values, [3, 7_000, 0, 0]);
    }
}
