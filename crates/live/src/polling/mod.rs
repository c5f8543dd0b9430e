//! Servers whose counters are read again and again.

mod counters;
mod poller;
mod server;

pub(crate) use poller::start;
pub(crate) use server::{PollError, Polled, PolledEvent, Totals};
