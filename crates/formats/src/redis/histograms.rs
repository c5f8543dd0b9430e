//! `LATENCY HISTOGRAM`, printed once or again and again.

use std::collections::BTreeMap;

use isotherm_frame::{Place, Series};
use serde::Deserialize;

use super::histogram::histogram;
use super::nesting::Nesting;
use super::token::{is_number, pair};
use crate::number;
use crate::prints::Prints;
use crate::sink::reject;
use crate::stamp::StampReader;
use crate::{Context, DecodeError, Line, LineReader, Note, Sink};

/// One command as `redis-cli --json` prints it.
#[derive(Deserialize)]
struct Command {
    calls: u64,
    histogram_usec: BTreeMap<u64, u64>,
}

/// What is being read.
#[derive(Default)]
enum State {
    /// Nothing: a word may be the name of a command.
    #[default]
    Outside,
    /// The number of calls of a command.
    Calls,
    /// The word `histogram_usec`.
    Heading,
    /// Bounds and counts.
    Rows,
}

pub(super) struct Histograms<'c> {
    prints: Prints<'c>,
    stamps: StampReader,
    state: State,
    /// The last word: the name of the command if `calls` follows.
    word: (Place, Vec<u8>),
    command: (Place, String),
    calls: u64,
    rows: Vec<(u64, u64)>,
    bound: Option<u64>,
    nesting: Nesting,
    /// The last line.
    last: Place,
}

impl<'c> Histograms<'c> {
    /// More buckets than a command has.
    const MOST_ROWS: usize = 1_000;

    pub(super) fn new(context: &'c Context) -> Histograms<'c> {
        Histograms {
            prints: Prints::totals(context),
            stamps: StampReader::new(context),
            state: State::Outside,
            word: Default::default(),
            command: Default::default(),
            calls: 0,
            rows: Vec::new(),
            bound: None,
            nesting: Nesting::default(),
            last: Place::default(),
        }
    }

    pub(super) fn read(
        mut self,
        lines: &mut LineReader<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        lines.each(|line| self.line(line, sink))?;
        self.give(sink);
        self.end_answer(sink);
        self.prints.finish(sink);
        Ok(())
    }

    /// An answer in the protocol says how many values it has.
    fn end_answer(&mut self, sink: &mut dyn Sink) {
        const CUT: &str = "the answer ends here, before all the values that it says it has";
        if self.nesting.take_missing() {
            reject(sink, self.last, CUT, 0);
        }
    }

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let text = line.bytes.trim_ascii();
        if text.starts_with(b"{") {
            return self.json(line, sink);
        }
        let counts_next = matches!(self.state, State::Calls) || self.bound.is_some();
        if self.time(text, counts_next, sink) {
            return;
        }
        self.last = line.place;
        self.nesting.line(line);
        let (key, value) = pair(text);
        for token in [key, value].into_iter().flatten() {
            self.token(token, line, sink);
        }
    }

    fn token(&mut self, token: &[u8], line: Line<'_>, sink: &mut dyn Sink) {
        // The last number of an answer that is cut short may lack digits.
        if !line.ended && is_number(token) {
            return;
        }
        let number = is_number(token).then(|| number::whole(token).ok()).flatten();
        match (&self.state, token, number) {
            (State::Outside | State::Rows, b"calls", _) => self.begin(line.place, sink),
            (State::Calls, _, Some(calls)) => {
                (self.calls, self.state) = (calls, State::Heading);
            }
            (State::Heading, b"histogram_usec", _) => self.state = State::Rows,
            (State::Rows, _, Some(number)) => self.number(number),
            _ => {
                self.word.0 = line.place;
                self.word.1.clear();
                self.word.1.extend_from_slice(token);
            }
        }
    }

    /// A line that says when what follows was printed. A bare number is none where a count is due.
    fn time(&mut self, text: &[u8], counts_next: bool, sink: &mut dyn Sink) -> bool {
        /// Numbers of fewer digits are bounds and counts.
        const DIGITS: usize = 10;
        let text = text.strip_prefix(b"#t").or(text.strip_prefix(b"#")).unwrap_or(text);
        let has_marks = text.iter().any(|byte| matches!(byte, b'.' | b':' | b'-'));
        let may_be = has_marks || text.len() == DIGITS && !counts_next;
        if text.len() < DIGITS || !may_be {
            return false;
        }
        let Some(stamp) = self.stamps.read(&String::from_utf8_lossy(text), sink) else {
            return false;
        };
        self.give(sink);
        self.end_answer(sink);
        self.prints.begin(stamp, sink);
        true
    }

    /// The numbers of a command begin, whose name stands above them unless it is cut off.
    fn begin(&mut self, numbers: Place, sink: &mut dyn Sink) {
        self.give(sink);
        let name = String::from_utf8_lossy(&self.word.1).into_owned();
        self.command = (if name.is_empty() { numbers } else { self.word.0 }, name);
        self.state = State::Calls;
    }

    fn number(&mut self, number: u64) {
        match self.bound.take() {
            None => self.bound = Some(number),
            Some(bound) if self.rows.len() < Histograms::MOST_ROWS => {
                self.rows.push((bound, number));
            }
            Some(_) => {}
        }
    }

    /// Gives the command that is complete.
    fn give(&mut self, sink: &mut dyn Sink) {
        let state = std::mem::take(&mut self.state);
        let rows = std::mem::take(&mut self.rows);
        self.bound = None;
        if matches!(state, State::Outside) {
            return;
        }
        let command = std::mem::take(&mut self.command);
        self.tell(command, self.calls, &rows, sink);
    }

    fn tell(
        &mut self,
        (place, name): (Place, String),
        calls: u64,
        rows: &[(u64, u64)],
        sink: &mut dyn Sink,
    ) {
        let series = Series::named(name);
        match histogram(calls, rows) {
            Ok(counts) => self.prints.histogram(&series, counts, sink),
            Err(reason) => {
                reject(sink, place, reason, calls);
                self.prints.damaged(&series, sink);
            }
        }
    }

    fn json(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        self.give(sink);
        let commands: BTreeMap<String, Command> = match serde_json::from_slice(line.bytes) {
            Ok(commands) => commands,
            Err(error) => {
                return reject(sink, line.place, format!("not an answer of Redis: {error}"), 0);
            }
        };
        if commands.is_empty() {
            sink.note(Note::Ignored);
        }
        for (name, command) in commands {
            let rows: Vec<(u64, u64)> = command.histogram_usec.into_iter().collect();
            self.tell((line.place, name), command.calls, &rows, sink);
        }
    }
}
