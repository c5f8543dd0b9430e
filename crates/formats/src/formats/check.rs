//! What a format makes of an input, line by line.

use std::cell::RefCell;
use std::rc::Rc;

use isotherm_frame::{Account, Nanos, Reading, Series, Timestamp};

use super::book::all;
use super::format::Format;
use super::reader::read_watched;
use super::recognition::{is_of, recognise};
use crate::number::shown;
use crate::{Message, Context, HEAD, Note, Sink};

/// What a format makes of an input.
#[derive(Debug)]
pub struct FormatCheck {
    /// The name of the format.
    pub name: String,
    /// Whether the input is recognised as it: if not, as what.
    pub recognised: Result<(), Option<&'static str>>,
    /// Each line.
    pub lines: Vec<CheckedLine>,
    /// The whole account.
    pub account: Account,
    /// Why reading could not go on.
    pub error: Option<String>,
}

/// A line, and what came of it.
#[derive(Debug)]
pub struct CheckedLine {
    /// Its number.
    pub number: u64,
    /// How it begins.
    pub text: String,
    /// What it is.
    pub outcome: LineOutcome,
}

/// What came of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineOutcome {
    /// Nothing: it is empty, or goes on in the next line.
    Nothing,
    /// It holds no event that counts.
    LeftOut,
    /// It says that an event was lost.
    Lost,
    /// It holds an event: when that ended, its series and its latency.
    Event(Timestamp, Series, Nanos),
    /// It cannot be used.
    Rejected(String),
}

/// Reads `input` by a definition, or by the known format of that name; an error where that is wrong.
pub fn check_format(definition: &str, input: &[u8], context: &Context) -> Result<FormatCheck, String> {
    let known = all().find(|format| format.definition.name == definition);
    let parsed = if known.is_none() { Some(Format::parse(definition.to_owned())?) } else { None };
    let Some(format) = known.or(parsed.as_ref()) else { return Err("there is no such format".to_owned()) };
    let head = &input[..input.len().min(HEAD)];
    let is_of = is_of(format, head);
    let other = || recognise(head).map(|format| format.definition.name.as_str());
    let lines = Rc::new(RefCell::new(Vec::new()));
    let mut sink = LineSink { lines: Rc::clone(&lines), account: Account::default() };
    let mut watch = |place: isotherm_frame::Place, bytes: &[u8]| {
        let text = shown(bytes);
        let outcome = LineOutcome::Nothing;
        lines.borrow_mut().push(CheckedLine { number: place.line, text, outcome });
    };
    let read = read_watched(format, &mut &*input, context, &mut sink, &mut watch);
    let account = sink.account;
    Ok(FormatCheck {
        name: format.definition.name.clone(),
        recognised: if is_of { Ok(()) } else { Err(other()) },
        lines: lines.take(),
        account,
        error: read.err().map(|error| error.to_string()),
    })
}

/// Gives each line what came of it.
struct LineSink {
    lines: Rc<RefCell<Vec<CheckedLine>>>,
    account: Account,
}

impl LineSink {
    fn is(&self, outcome: LineOutcome) {
        if let Some(line) = self.lines.borrow_mut().last_mut() {
            line.outcome = outcome;
        }
    }
}

impl Sink for LineSink {
    fn take(&mut self, message: Message) {
    match &message {
        Message::Reading(Reading::Event { at, series, latency }) => {
            self.is(LineOutcome::Event(*at, series.clone(), *latency));
        }
        Message::Rejected(rejection) => {
            self.is(LineOutcome::Rejected(rejection.reason.to_string()));
        }
        Message::Note(Note::Ignored) => self.is(LineOutcome::LeftOut),
        Message::Note(Note::Lost(_)) => self.is(LineOutcome::Lost),
        _ => {}
    }
    message.into_reading(&mut self.account);
    }
}
