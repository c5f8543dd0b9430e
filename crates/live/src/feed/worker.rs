//! The thread that decodes what arrives.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use isotherm_formats::input::{
    CountedInput, Damage, LastLine, PlainText, PlausibleSink, Said, live_text, opening,
};
use isotherm_formats::unread_options::check;
use isotherm_formats::{
    Context, DecodeError, Message, Note, Sink, Source, Unrecognised, printable,
};
use isotherm_frame::Place;

use super::batch::{END_OF_INPUT, Ending, Running};
use super::child::{Child, Output};
use super::choice::Choice;
use super::clock::now;
use super::failure::{FeedError, OpenError};
use super::growing::Growing;
use super::input::{Chunk, LiveInput, locked, pump};
use super::named_pipe::{FromFirstWriter, open_live};
use super::outbox::Outbox;
use super::recognition::recognise_live;

/// Everything the thread owns.
struct Worker {
    name: String,
    choice: Choice,
    context: Context,
    chunks: Receiver<Chunk>,
    child: Option<Child>,
    outbox: Outbox,
}

/// Reads standard input: live, unless it is a regular file.
pub(crate) fn read_stdin(
    choice: Choice,
    context: &Context,
    outbox: Outbox,
) -> Result<Running, OpenError> {
    let stdin = opening::stdin().map_err(|error| OpenError::unreadable(Path::new("-"), error))?;
    read_open(stdin, Path::new("-"), choice, context, outbox)
}

/// Reads a file: live if it is a pipe or a terminal, else as fast as it is taken.
pub(crate) fn read_file(
    path: &Path,
    choice: Choice,
    context: &Context,
    outbox: Outbox,
) -> Result<Running, OpenError> {
    read_open(open_live(path)?, path, choice, context, outbox)
}

/// Reads a file and what is written to it later, until the feed is stopped.
pub(crate) fn follow_file(
    path: &Path,
    choice: Choice,
    context: &Context,
    outbox: Outbox,
) -> Result<Running, OpenError> {
    let file = open_live(path)?;
    if !file.metadata().is_ok_and(|found| found.is_file()) {
        return read_open(file, path, choice, context, outbox);
    }
    let growing = Growing::new(path, file, outbox.warnings());
    let context = Context { arrival: Some(Arc::new(now)), ..context.clone() };
    start(live_text(growing), (path.display().to_string(), choice, context, None), outbox)
}

fn read_open(
    file: File,
    path: &Path,
    choice: Choice,
    context: &Context,
    outbox: Outbox,
) -> Result<Running, OpenError> {
    let live = !file.metadata().is_ok_and(|found| found.is_file());
    let (name, mut context) = (path.display().to_string(), context.clone());
    if live {
        context.arrival = Some(Arc::new(now));
        let file = FromFirstWriter::new(file);
        return start(live_text(file), (name, choice, context, None), outbox);
    }
    let (input, damage) = opening::without_compression(file, path)?;
    let text = PlainText::new(input).and_then(|text| text.fit(choice.fixed, &context));
    let text = text.map_err(|error| OpenError::unreadable(path, error))?;
    let source = opening::choose(path, text.head(), choice.fixed, choice.among)?;
    let choice = Choice { fixed: Some(source), ..choice };
    let (input, notes) = text.into_parts();
    let mut outbox = outbox;
    for note in notes {
        outbox.note(note);
    }
    let (input, cut) = LastLine::of(source, input);
    let input = Watched { input, damage, cut, outbox: outbox.warnings() };
    start(input, (name, choice, context, None), outbox)
}

/// Reads what a program prints.
pub(crate) fn read_child(
    output: Output,
    choice: Choice,
    context: &Context,
    outbox: Outbox,
) -> Result<Running, OpenError> {
    let mut context = context.clone();
    context.arrival = Some(Arc::new(now));
    let Output { child, stdout } = output;
    start(stdout, (child.name().to_owned(), choice, context, Some(child)), outbox)
}

/// A file that tells, at its end, whether that came before its time.
struct Watched<R> {
    input: R,
    damage: Damage,
    cut: Said,
    outbox: Outbox,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        if read == 0
            && let Some(message) = self.damage.message().or_else(|| self.cut.get().copied())
        {
            self.outbox.note(Note::Said(message.to_owned().into()));
            self.outbox.flush();
        }
        Ok(read)
    }
}

fn start(
    bytes: impl Read + Send + 'static,
    (name, choice, context, child): (String, Choice, Context, Option<Child>),
    outbox: Outbox,
) -> Result<Running, OpenError> {
    let failed = |source| OpenError::NotStarted { program: "a thread".into(), source };
    let (wake, chunks) = pump(bytes).map_err(failed)?;
    let worker = Worker { name, choice, context, chunks, child, outbox };
    let worker = spawn_named("isotherm-decode", move || worker.run()).map_err(failed)?;
    Ok(Running { wake: Box::new(move || stop(&wake)), worker })
}

fn spawn_named(name: &str, run: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.into()).spawn(run)
}

/// Wakes a reader that waits; one with chunks before it looks by itself.
fn stop(wake: &SyncSender<Chunk>) {
    let _ = wake.try_send(Chunk::Stop);
}

impl Worker {
    fn run(self) {
        let Worker { name, choice, context, chunks, child, outbox } = self;
        let stopped = outbox.stopped().clone();
        let outbox = Arc::new(Mutex::new(outbox));
        let mut input = LiveInput::new(chunks, outbox.clone());
        let failure = decode(&name, &choice, &context, &mut input, &outbox).err();
        // What was broken off is incomplete by wish: that is no failure of the input.
        let failure = failure.filter(|_| !stopped.is_set());
        let silent = !input.has_begun();
        drop(input);
        let ending = match child {
            Some(child) => child.end(failure, silent, &stopped),
            None => Ending {
                error: failure,
                status: if stopped.is_set() { "stopped" } else { END_OF_INPUT }.into(),
                stderr_tail: Vec::new(),
            },
        };
        if let Some(outbox) = Arc::into_inner(outbox) {
            outbox.into_inner().unwrap_or_else(PoisonError::into_inner).end(ending);
        }
    }
}

fn decode(
    name: &str,
    choice: &Choice,
    context: &Context,
    input: &mut LiveInput,
    outbox: &Arc<Mutex<Outbox>>,
) -> Result<(), FeedError> {
    let source = match choice.fixed {
        Some(source) => source,
        None => recognise(name, choice, input, outbox)?,
    };
    let _ = choice.chosen.set(source);
    check(source, context, &mut Shared(outbox.clone()))?;
    let mut shared = Shared(outbox.clone());
    let (mut input, last) = CountedInput::new(input);
    let mut plausible = PlausibleSink::new(source, &mut shared, last).live();
    source.decode(&mut input, context, &mut plausible)?;
    plausible.finish();
    Ok(())
}

fn recognise(
    name: &str,
    choice: &Choice,
    input: &mut LiveInput,
    outbox: &Arc<Mutex<Outbox>>,
) -> Result<&'static dyn Source, FeedError> {
    let puzzled = |head: &[u8]| {
        let unknown = Unrecognised::of(name, head);
        locked(outbox).warn(format!("still waiting for latencies: {unknown}"));
    };
    let found = recognise_live(input, choice.among, puzzled)
        .map_err(|source| DecodeError::Read { place: Place::default(), source })?;
    found.ok_or_else(|| {
        let head = input.held();
        if head.iter().all(u8::is_ascii_whitespace) {
            return FeedError::Empty(printable(name.as_bytes(), 60));
        }
        Unrecognised::of(name, head).into()
    })
}

/// The outbox as a decoder sees it, while the input sends its batches.
struct Shared(Arc<Mutex<Outbox>>);

impl Sink for Shared {
    fn take(&mut self, message: Message) {
        locked(&self.0).take(message);
    }
}
