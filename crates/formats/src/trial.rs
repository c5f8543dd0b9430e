//! Trying an input: how each decoder judges it, and what would come of it.

use isotherm_frame::Account;

use crate::input::{Bytes, ReadError, Unrecognised};
use crate::lines::whole_lines;
use crate::logs::refusal;
use crate::recognise::judge;
use crate::unread_options::check;
use crate::{Context, HEAD, Message, Note, SOURCES, Sink, Source, Verdict};

/// So much of a file is read: the records of most files. A format that begins or ends with a table
/// says nothing until that has been seen.
const MOST: usize = 16 << 20;

/// What is said of an input that is longer.
const CUT: &str = "only the beginning of the input was read: what is missing or cut short may stand \
    behind it";

/// What each decoder says of the beginning of an input.
#[derive(Debug)]
pub struct Trial {
    /// The bytes that were looked at.
    pub bytes: usize,
    /// The decoder that takes it, and how sure it is.
    pub taken_by: Option<(&'static str, Verdict)>,
    /// What it looks like and what to do, if no decoder takes it.
    pub unknown: Option<Unrecognised>,
    /// Every decoder, in the order in which `isotherm sources` lists them.
    pub judgements: Vec<Judgement>,
}

/// What one decoder says.
#[derive(Debug)]
pub struct Judgement {
    /// The decoder.
    pub source: &'static str,
    /// Whether it claims the input.
    pub verdict: Verdict,
    /// Why it does not, where more can be said than that its marks are missing.
    pub refusal: Option<String>,
    /// What came of reading what was looked at; only of a decoder that claims it.
    pub outcome: Option<Outcome>,
}

/// What came of reading an input, or the beginning of a long one.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Records, rejections, and what the decoder says of the input.
    pub account: Account,
    /// Events, intervals or totals that were read.
    pub readings: u64,
    /// Why reading could not go on.
    pub error: Option<String>,
}

impl Sink for Outcome {
    fn take(&mut self, message: Message) {
        self.readings += u64::from(message.into_reading(&mut self.account).is_some());
    }
}

/// Tries every decoder on a file or on standard input, just opened. Who claims it is judged by its first 64 KiB, and
/// each that does reads the first 16 MiB of a file, or those 64 KiB of what comes only once, as `context` says. A
/// decoder that is named is tried alone.
pub fn try_sources(
    mut bytes: Bytes,
    context: &Context,
    as_source: Option<&'static dyn Source>,
) -> Result<Trial, ReadError> {
    let notes = bytes.make_plain(as_source, context)?;
    let head = bytes.head(HEAD)?;
    let most = if bytes.path().is_file() { MOST } else { HEAD };
    let text = if head.len() < HEAD { head.clone() } else { bytes.head(most)? };
    let text = Text { is_cut: text.len() >= most, bytes: &text, notes: &notes };
    let name = bytes.path().display().to_string();
    if head.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::Empty(name));
    }
    let claim = |source: &'static dyn Source| (Verdict::Yes, source);
    let taken = as_source.map(claim).or_else(|| judge(SOURCES, &head));
    let unknown = taken.is_none().then(|| Unrecognised::of(&name, &head));
    let chosen = as_source.map(|source| vec![source]);
    let tried = chosen.as_deref().unwrap_or(SOURCES);
    let judgements = tried
        .iter()
        .map(|source| judgement(*source, (&head, text), context, as_source.is_some()))
        .collect();
    let taken_by = taken.map(|(verdict, source)| (source.meta().name, verdict));
    Ok(Trial { bytes: text.bytes.len(), taken_by, unknown, judgements })
}

/// What decoders read of an input.
#[derive(Copy, Clone)]
struct Text<'t> {
    bytes: &'t [u8],
    /// Whether there may be more.
    is_cut: bool,
    /// What was said of it before it was read.
    notes: &'t [Note],
}

fn judgement(
    source: &'static dyn Source,
    (head, text): (&[u8], Text<'_>),
    context: &Context,
    named: bool,
) -> Judgement {
    let name = source.meta().name;
    let verdict = source.sniff(head);
    let refusal = (verdict == Verdict::No && name == crate::logs::NAME).then(|| refusal(head));
    let outcome = (named || verdict != Verdict::No).then(|| outcome(source, text, context));
    Judgement { source: name, verdict, refusal: refusal.flatten(), outcome }
}

/// Reads the whole lines of a beginning; all of it where the input is no longer.
fn outcome(source: &'static dyn Source, text: Text<'_>, context: &Context) -> Outcome {
    let mut input = if text.is_cut { whole_lines(text.bytes) } else { text.bytes };
    let mut outcome = Outcome::default();
    for note in text.notes {
        outcome.note(note.clone());
    }
    if text.is_cut {
        outcome.note(Note::Said(CUT.into()));
    }
    let read = check(source, context, &mut outcome)
        .and_then(|()| source.decode(&mut input, context, &mut outcome));
    outcome.error = read.err().map(|error| error.to_string());
    outcome
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// A report of fio with much before its end.
    fn report(padding: usize) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let report = include_str!("../fixtures/fio/report/input.json");
        let (begin, end) = report.split_at(report.find("\"jobs\"").unwrap());
        write!(file, "{begin}{}{end}", " ".repeat(padding)).unwrap();
        file
    }

    fn tried(file: &tempfile::NamedTempFile) -> Outcome {
        let bytes = Bytes::file(file.path()).unwrap();
        let trial = try_sources(bytes, &Context::default(), None).unwrap();
        assert_eq!(trial.taken_by, Some(("fio", Verdict::Yes)));
        let fio = trial.judgements.into_iter().find(|one| one.source == "fio").unwrap();
        fio.outcome.unwrap()
    }

    #[test]
    fn what_stands_behind_the_first_block_is_not_missing() {
        let short = tried(&report(0));
        assert!(short.account.records > 0);
        for padding in [HEAD, 3 * HEAD] {
            let long = tried(&report(padding));
            assert_eq!((long.account.records, long.account.rejected), (short.account.records, 0));
            assert_eq!((long.readings, &long.error), (short.readings, &None));
        }
        let cut = tried(&report(MOST));
        assert!(cut.account.notices.iter().any(|notice| **notice == *CUT), "{:?}", cut.account);
    }
}
