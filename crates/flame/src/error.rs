//! Why an input cannot be read.

use std::io;

use thiserror::Error;

use crate::account::OtherEvent;

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
    /// It is no text.
    #[error(
        "this is binary, no text: expected what perf script or bpftrace prints, or folded stacks"
    )]
    Binary,
    /// It is of no known kind.
    #[error(
        "no stacks: expected the output of perf script, a map of stacks that bpftrace prints, or \
             folded stacks such as 'main;read 12'. It begins with '{0}'"
    )]
    Unrecognised(String),
    /// Folded stacks with counts that are no counts.
    #[error(
        "no stacks: the counts at the ends of folded stacks must be whole numbers, as in 'main;read 12', not '{0}'"
    )]
    Fractions(String),
    /// Of what was recognised, nothing could be used.
    #[error("{0} without a single stack{1}")]
    Nothing(&'static str, String),
    /// The event asked for was not sampled, or there is no such map.
    #[error("there is no '{wanted}'. There is: {}", names(known))]
    NoSuchEvent {
        /// The event asked for.
        wanted: String,
        /// Those that there are.
        known: Vec<OtherEvent>,
    },
    /// The name asked for is that of several events but for their modifiers.
    #[error("'{wanted}' fits several: {}. Choose one by its whole name", names(known))]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// What it fits.
        known: Vec<OtherEvent>,
    },
    /// An event was asked for, and the input does not tell events apart.
    #[error("{0} has no events to choose from: leave out --counter")]
    NoEvents(&'static str),
    /// The sum of all counts is no longer exact.
    #[error("{0}: the counts add up to more than 64 bits hold")]
    TooLarge(&'static str),
    /// There is no memory for the times of all samples.
    #[error(
        "perf script: more than {0} samples with their times do not fit into memory: choose a part of time with \
             --from and --to"
    )]
    TooManySamples(u64),
    /// A part of time was asked for, and the input does not say when.
    #[error("{0} has no times, so that no part of time can be chosen and no heat map drawn")]
    NoTimes(&'static str),
}

fn names(known: &[OtherEvent]) -> String {
    let name =
        |other: &OtherEvent| format!("{} ({})", other.name, other.counts.amount(other.count));
    let names: Vec<String> = known.iter().map(name).collect();
    names.join(", ")
}
