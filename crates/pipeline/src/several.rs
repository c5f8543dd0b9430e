//! Several inputs, one after the other or some of them at a time.

use std::collections::{HashSet, VecDeque};
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

use isotherm_formats::{Bytes, Context};
use isotherm_frame::{Account, Event, shown_name};

use crate::PipelineError;
use crate::combined_account::CombinedAccount;
use crate::file_range::read_range;
use crate::input::{Binning, Input, Read, ReadOptions, Whole, read_one};
use crate::intake::TakeEvent;
use crate::overflow::Overflow;
use crate::repeated_logs::RepeatedLogs;
use crate::shared_totals::SharedTotals;

/// Reads whole inputs, some of them at a time where there are threads for that, and hands on what
/// happened in the order of the inputs and of each. Totals are never subtracted across inputs, and
/// intervals are binned for each. Gives the account of all inputs together.
pub fn read_all(
    inputs: &[Input],
    options: &ReadOptions,
    binning: Binning,
    take: &mut dyn FnMut(Event),
) -> Result<Account, PipelineError> {
    read_each((inputs, None), options, binning, (None, take))
}

/// Reads one input as [`read_all`] does, from bytes of it that are open already: a pipe gives them
/// only once.
pub fn read_opened(
    (input, bytes): (&Input, Bytes),
    options: &ReadOptions,
    binning: Binning,
    take: &mut dyn FnMut(Event),
) -> Result<Account, PipelineError> {
    let inputs = std::slice::from_ref(input);
    read_each((inputs, Some(bytes)), options, binning, (None, take))
}

/// Reads whole inputs as [`read_all`] does, but hands on single events as they are instead of
/// intervals of them, and tells apart many more series.
pub(crate) fn read_events(
    inputs: &[Input],
    options: &ReadOptions,
    binning: Binning,
    (event, take): (&mut TakeEvent<'_>, &mut dyn FnMut(Event)),
) -> Result<Account, PipelineError> {
    read_each((inputs, None), options, binning, (Some(event), take))
}

/// Reads all inputs, of which the first may be open already, and hands on what happened in their
/// order. Single events are handed on as they are where they are asked for.
fn read_each(
    (inputs, mut opened): (&[Input], Option<Bytes>),
    options: &ReadOptions,
    binning: Binning,
    (mut events, take): (Option<&mut TakeEvent<'_>>, &mut dyn FnMut(Event)),
) -> Result<Account, PipelineError> {
    let several = inputs.len() > 1;
    let paths: Vec<Option<&Path>> = inputs.iter().map(Input::path).collect();
    // Ranges of one file are parts of it.
    let again = options.again || inputs.iter().any(|input| input.range.is_some());
    let repeated = RepeatedLogs::among(&paths, again);
    let same = repeated.twice_message(&paths).into_iter().chain(repeated.copies_message(&paths));
    let said = same.chain(repeated.message(&paths));
    said.for_each(|text| take(Event::Message(text)));
    let wanted = inputs.iter().enumerate().filter(|(place, _)| !repeated.holds(*place));
    let wanted: Vec<&Input> = wanted.map(|(_, input)| input).collect();
    let mut together = Together::new(several, take);
    let at_once = options.at_once.map_or(options.context.threads, NonZeroUsize::get);
    let threads = at_once.min(wanted.len());
    if threads > 1 && events.is_none() {
        side_by_side(&wanted, threads, (options, binning), &mut together)?;
        return together.finish();
    }
    for input in wanted {
        let whole = Whole { input, opened: opened.take(), several };
        let mut tell = |event| together.event(input, event);
        let read = read_input(whole, options, binning, (events.as_deref_mut(), &mut tell))?;
        together.end(input, read)?;
    }
    together.finish()
}

/// Reads one input, or a range of one.
fn read_input(
    whole: Whole<'_>,
    options: &ReadOptions,
    binning: Binning,
    (events, take): (Option<&mut TakeEvent<'_>>, &mut dyn FnMut(Event)),
) -> Result<Read, PipelineError> {
    match (whole.input.path(), whole.input.range) {
        (Some(path), Some(range)) => read_range((path, range), options, binning, take),
        _ => read_one(whole, options, binning, (events, take)),
    }
}

/// The name of a file without where it lies on this machine.
fn shown_file(name: &OsStr) -> String {
    shown_name(&name.to_string_lossy())
}

/// What several inputs give together.
struct Together<'t> {
    several: bool,
    combined: CombinedAccount,
    /// The messages that were reported, each of the first input that has it.
    known: HashSet<String>,
    totals: SharedTotals,
    overflow: Overflow,
    take: &'t mut dyn FnMut(Event),
}

impl<'t> Together<'t> {
    fn new(several: bool, take: &'t mut dyn FnMut(Event)) -> Together<'t> {
        let (combined, known) = (CombinedAccount::default(), HashSet::new());
        let (totals, overflow) = (SharedTotals::default(), Overflow::default());
        Together { several, combined, known, totals, overflow, take }
    }

    fn event(&mut self, input: &Input, event: Event) {
        match event {
            Event::Frame(frame) => {
                self.overflow.add(&frame);
                (self.take)(Event::Frame(frame));
            }
            Event::Message(text) if self.several => {
                if self.known.insert(text.clone()) {
                    (self.take)(Event::Message(format!("{}: {text}", input.address)));
                }
            }
            other => (self.take)(other),
        }
    }

    fn end(&mut self, input: &Input, read: Read) -> Result<(), PipelineError> {
        match read {
            Read::Done(mut account) => {
                for example in account.examples.values_mut() {
                    example.input = input.path().and_then(Path::file_name).map(shown_file);
                }
                self.totals.check(&input.address, &account.running_totals)?;
                self.combined.add(*account);
            }
            Read::Skipped(reason) => self.combined.skip(reason),
        }
        Ok(())
    }

    fn finish(self) -> Result<Account, PipelineError> {
        let Together { combined, overflow, take, .. } = self;
        combined.messages()?.into_iter().for_each(|text| take(Event::Message(text)));
        overflow.messages().for_each(|text| take(Event::Message(text)));
        Ok(combined.account)
    }
}

/// What a thread says of the input that it reads.
enum FromThread {
    Events(Vec<Event>),
    Ended(Result<Read, PipelineError>),
}

/// Events sent together, and such messages under way of one input: a thread that is far ahead waits.
const AT_ONCE: usize = 64;
const UNDER_WAY: usize = 4;

/// Reads as many inputs at a time as there are threads.
fn side_by_side(
    inputs: &[&Input],
    threads: usize,
    (options, binning): (&ReadOptions, Binning),
    together: &mut Together<'_>,
) -> Result<(), PipelineError> {
    let context = &options.context;
    let each = Context { threads: context.threads / threads, ..context.clone() };
    let options = &ReadOptions { context: each, ..options.clone() };
    let (senders, receivers): (Vec<_>, Vec<_>) =
        inputs.iter().map(|_| sync_channel(UNDER_WAY)).unzip();
    let jobs = inputs.iter().copied().zip(senders);
    let jobs: Mutex<VecDeque<_>> = Mutex::new(jobs.collect());
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let read = || {
        while let Some((input, sender)) = next() {
            send_all(input, (options, binning), &sender);
        }
    };
    std::thread::scope(|scope| {
        let spawn = |_| Builder::new().spawn_scoped(scope, read).is_ok();
        if (0..threads).filter(|number| spawn(*number)).count() == 0 {
            return Err(PipelineError::System("cannot start a thread to read".to_owned()));
        }
        let mut pairs = inputs.iter().zip(receivers);
        let taken = pairs.try_for_each(|(input, receiver)| take_all(input, receiver, together));
        // After an error no other input is begun.
        while next().is_some() {}
        taken
    })
}

/// Reads one input and sends what it gives. What nobody takes any more is dropped.
fn send_all(
    input: &Input,
    (options, binning): (&ReadOptions, Binning),
    sender: &SyncSender<FromThread>,
) {
    let mut some = Vec::with_capacity(AT_ONCE);
    let mut tell = |event| {
        some.push(event);
        if some.len() >= AT_ONCE {
            let _ = sender.send(FromThread::Events(std::mem::take(&mut some)));
        }
    };
    let whole = Whole { input, opened: None, several: true };
    let read = read_input(whole, options, binning, (None, &mut tell));
    let _ = sender.send(FromThread::Events(some));
    let _ = sender.send(FromThread::Ended(read));
}

/// Takes what one input gives, to its end.
fn take_all(
    input: &Input,
    receiver: Receiver<FromThread>,
    together: &mut Together<'_>,
) -> Result<(), PipelineError> {
    for said in receiver {
        match said {
            FromThread::Events(events) => {
                for event in events {
                    together.event(input, event);
                }
            }
            FromThread::Ended(read) => {
                return together.end(input, read?);
            }
        }
    }
    // The thread panicked, as the scope is about to.
    Err(PipelineError::System(format!("{}: reading it failed", input.address)))
}

#[cfg(test)]
mod tests;
