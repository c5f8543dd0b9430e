//! Who writes the lines: a process, and in it a session. Cursors of two of them may have the same number.

use std::collections::HashMap;

/// A process, or a session of it, as it is written.
type Name = Box<[u8]>;

/// The process and the session whose lines are being read, each pair with a number of its own.
///
/// A trace of a shared server or of pooled sessions holds lines of several sessions of one process; what trcsess
/// joins holds those of several processes.
#[derive(Clone, Debug, Default)]
pub(super) struct Writer {
    process: Name,
    /// The session that wrote last, by process; empty where that is not known.
    sessions: HashMap<Name, Name>,
    /// By process and session.
    numbers: HashMap<(Name, Name), usize>,
    number: usize,
}

impl Writer {
    /// The most pairs that are told apart; those beyond have the number of the first one.
    pub(super) const MOST: usize = 256;

    /// The number of the present pair, from 0.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// The lines that follow are of this process, and of the session of it that wrote last: `815` or
    /// `815, image: oracle@host`.
    pub(super) fn process(&mut self, process: &[u8]) -> usize {
        let digits = process.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let process = process.get(..digits).unwrap_or_default();
        self.process = process.into();
        let session = self.sessions.get(process).cloned().unwrap_or_default();
        self.sessions.insert(process.into(), session.clone());
        self.switch((process.into(), session))
    }

    /// The lines that follow are of this session of the present process.
    pub(super) fn session(&mut self, session: &[u8]) -> usize {
        let before = self.sessions.insert(self.process.clone(), session.into());
        let pair = (self.process.clone(), session.into());
        // What was read before the session was named is its own.
        if before.is_none_or(|before| before.is_empty()) && !self.numbers.contains_key(&pair) {
            self.numbers.remove(&(self.process.clone(), Box::default()));
            self.numbers.insert(pair, self.number);
            return self.number;
        }
        self.switch(pair)
    }

    fn switch(&mut self, pair: (Name, Name)) -> usize {
        // What was read before anybody was named is of the first one.
        let next = self.numbers.len();
        let is_full = next >= Writer::MOST;
        self.number = match self.numbers.get(&pair) {
            Some(number) => *number,
            None if is_full => 0,
            None => *self.numbers.entry(pair).or_insert(next),
        };
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_session_of_each_process_has_its_number() {
        let mut writer = Writer::default();
        assert_eq!(writer.number(), 0);
        assert_eq!(writer.process(b"4711"), 0);
        assert_eq!(writer.session(b"4.5"), 0);
        assert_eq!(writer.session(b"6.7"), 1);
        assert_eq!(writer.session(b"4.5"), 0);
        assert_eq!(writer.session(b"4.5"), 0);
        assert_eq!(writer.process(b"4712, image: oracle@db1"), 2);
        assert_eq!(writer.session(b"4.5"), 2);
        // The session of the process that wrote last goes on.
        assert_eq!(writer.process(b"4711"), 0);
        assert_eq!(writer.session(b"6.7"), 1);
        assert_eq!(writer.process(b"4712"), 2);
        assert_eq!(writer.process(b"4711"), 1);
    }

    #[test]
    fn sessions_of_a_trace_without_a_process_are_told_apart() {
        let mut writer = Writer::default();
        assert_eq!(writer.session(b"4.5"), 0);
        assert_eq!(writer.session(b"6.7"), 1);
        assert_eq!(writer.session(b"4.5"), 0);
    }

    #[test]
    fn the_sessions_beyond_those_told_apart_have_the_first_number() {
        let mut writer = Writer::default();
        for number in 0..Writer::MOST {
            assert_eq!(writer.session(number.to_string().as_bytes()), number);
        }
        assert_eq!(writer.session(b"one more"), 0);
        assert_eq!(writer.session(b"255"), 255);
    }
}
