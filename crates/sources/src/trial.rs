//! Trying an input: how each decoder judges it, and what would come of it.

use isotherm_frame::{Account, Reading, Rejection};

use crate::feed::{Bytes, OpenError, Unrecognised};
use crate::lines::whole_lines;
use crate::logs::refusal;
use crate::recognise::judge;
use crate::unread_options::check;
use crate::{Address, Context, HEAD, Note, SOURCES, Sink, Source, Verdict};

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
    /// What came of reading the beginning; only of a decoder that claims it.
    pub outcome: Option<Outcome>,
}

/// What came of reading the beginning of an input.
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
    fn reading(&mut self, _: Reading) {
        self.readings += 1;
    }

    fn record(&mut self) {
        self.account.records += 1;
    }

    fn reject(&mut self, rejection: Rejection) {
        self.account.reject(rejection);
    }

    fn note(&mut self, note: Note) {
        note.account(&mut self.account);
    }
}

/// Tries every decoder on a file or on standard input, of which only the beginning is read. Of those
/// that claim it each reads that beginning as `context` says. A decoder that is named is tried alone.
pub fn try_sources(
    address: &Address,
    context: &Context,
    as_source: Option<&'static dyn Source>,
) -> Result<Trial, OpenError> {
    let head = Bytes::open(address)?.head(HEAD)?;
    let name = address.to_string();
    if head.iter().all(u8::is_ascii_whitespace) {
        return Err(OpenError::Empty(name));
    }
    let claim = |source: &'static dyn Source| (Verdict::Yes, source);
    let taken = as_source.map(claim).or_else(|| judge(SOURCES, &head));
    let unknown = taken.is_none().then(|| Unrecognised::of(&name, &head));
    let chosen = as_source.map(|source| vec![source]);
    let tried = chosen.as_deref().unwrap_or(SOURCES);
    let judgements = tried
        .iter()
        .map(|source| judgement(*source, &head, context, as_source.is_some()))
        .collect();
    let taken_by = taken.map(|(verdict, source)| (source.meta().name, verdict));
    Ok(Trial { bytes: head.len(), taken_by, unknown, judgements })
}

fn judgement(
    source: &'static dyn Source,
    head: &[u8],
    context: &Context,
    named: bool,
) -> Judgement {
    let name = source.meta().name;
    let verdict = source.sniff(head);
    let refusal = (verdict == Verdict::No && name == crate::logs::NAME).then(|| refusal(head));
    let outcome = (named || verdict != Verdict::No).then(|| outcome(source, head, context));
    Judgement { source: name, verdict, refusal: refusal.flatten(), outcome }
}

/// Reads the whole lines of a beginning; all of it where the input is no longer.
fn outcome(source: &'static dyn Source, head: &[u8], context: &Context) -> Outcome {
    let mut input = if head.len() < HEAD { head } else { whole_lines(head) };
    let mut outcome = Outcome::default();
    let read = check(source, context, &mut outcome)
        .and_then(|()| source.decode(&mut input, context, &mut outcome));
    outcome.error = read.err().map(|error| error.to_string());
    outcome
}
