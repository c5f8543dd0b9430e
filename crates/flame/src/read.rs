//! Reading an input of any kind.

use std::io::{self, Read};

use thiserror::Error;

use crate::account::Account;
use crate::bpftrace::BpftraceReader;
use crate::capture::{Capture, Counts};
use crate::folded::FoldedReader;
use crate::lines::Lines;
use crate::perf::PerfReader;
use crate::recognise::{Format, recognise};

/// What is wanted of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The event to show, where samples of several were taken; the first met if it is not given.
    pub event: Option<String>,
    /// The part of time to show.
    pub part: Part,
    /// Whether the time of each sample is kept.
    pub keeps_times: bool,
    /// What counts are of, where the input does not say.
    pub counts: Option<Counts>,
}

/// A part of the time of an input, in nanoseconds since its first sample.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its beginning.
    pub from_ns: u64,
    /// Its end, which is not in it; `None` for the end of the input.
    pub to_ns: Option<u64>,
}

impl Part {
    /// Whether it is less than everything.
    pub fn is_limited(self) -> bool {
        self.from_ns > 0 || self.to_ns.is_some()
    }

    pub(crate) fn contains(self, ns: u64) -> bool {
        ns >= self.from_ns && self.to_ns.is_none_or(|to_ns| ns < to_ns)
    }
}

/// Why an input cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The input broke off.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// There is nothing in it.
    #[error("the input is empty")]
    Empty,
    /// It is of no known kind.
    #[error(
        "no stacks: expected the output of perf script, a map of stacks that bpftrace prints, or \
             folded stacks such as 'main;read 12'. It begins with '{0}'"
    )]
    Unrecognised(String),
    /// Of what was recognised, nothing could be used.
    #[error("{0} without a single stack{1}")]
    Nothing(&'static str, String),
    /// The event asked for was not sampled.
    #[error("no sample of '{wanted}'. Sampled are: {}", names(known))]
    NoSuchEvent {
        /// The event asked for.
        wanted: String,
        /// Those that were sampled, with the number of samples.
        known: Vec<(String, u64)>,
    },
    /// A part of time was asked for, and the input does not say when.
    #[error("{0} has no times, so that no part of time can be chosen and no heat map drawn")]
    NoTimes(&'static str),
}

fn names(known: &[(String, u64)]) -> String {
    let names: Vec<String> =
        known.iter().map(|(name, count)| format!("{name} ({count} samples)")).collect();
    names.join(", ")
}

/// Reads an input to its end. Memory grows with the number of different stacks, not with the input,
/// but for sixteen bytes for each sample whose time is kept.
pub fn read(input: &mut dyn Read, options: &ReadOptions) -> Result<Capture, ReadError> {
    let mut lines = Lines::new(input);
    let head = lines.head()?;
    if head.trim_ascii().is_empty() {
        return Err(ReadError::Empty);
    }
    let Some(format) = recognise(head) else {
        let first = head.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty());
        let first = String::from_utf8_lossy(first.unwrap_or_default());
        return Err(ReadError::Unrecognised(first.trim().chars().take(60).collect()));
    };
    let account = Account::default();
    let mut capture = match format {
        Format::PerfScript => {
            let mut reader = PerfReader::new(options);
            let account = each_line(lines, account, |line, account| reader.line(line, account))?;
            reader.finish(account)?
        }
        Format::Bpftrace => {
            let mut reader = BpftraceReader::default();
            let account = each_line(lines, account, |line, account| reader.line(line, account))?;
            reader.finish(account)
        }
        Format::Folded | Format::SqlTrace => {
            let mut reader = FoldedReader::default();
            let account = each_line(lines, account, |line, account| reader.line(line, account))?;
            reader.finish(account)
        }
    };
    if capture.counts == Counts::Unknown {
        capture.counts = options.counts.unwrap_or(Counts::Unknown);
    }
    checked(capture, options)
}

fn checked(capture: Capture, options: &ReadOptions) -> Result<Capture, ReadError> {
    let name = capture.format.name();
    let needs_times = options.part.is_limited() || options.keeps_times;
    if needs_times && capture.times.is_none() && capture.account.outside == 0 {
        return Err(ReadError::NoTimes(name));
    }
    if capture.stacks.total() == 0 {
        let outside = capture.account.outside;
        let why = match capture.account.rejections.first() {
            Some(first) => format!("; {first}"),
            None if outside > 0 => format!(": {outside} samples lie outside of --from and --to"),
            None => String::new(),
        };
        return Err(ReadError::Nothing(name, why));
    }
    Ok(capture)
}

fn each_line(
    mut lines: Lines<'_>,
    mut account: Account,
    mut take: impl FnMut(&[u8], &mut Account),
) -> Result<Account, ReadError> {
    while let Some(line) = lines.next()? {
        account.lines += 1;
        take(line, &mut account);
    }
    account.bytes = lines.bytes;
    Ok(account)
}
