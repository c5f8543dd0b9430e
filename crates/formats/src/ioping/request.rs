//! Single requests, and what is known of their times.

use isotherm_frame::{Clock, Nanos, Timestamp};

use crate::grouping::Grouping;
use crate::stamp::unwrap_day;
use crate::{Context, Note, Sink};

/// What requests can be told apart by.
const ATTRIBUTES: &[&str] = &["operation", "size", "target", "state"];

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) operation: String,
    pub(super) size: String,
    pub(super) target: String,
    pub(super) state: String,
    pub(super) number: u64,
    pub(super) latency: Nanos,
    pub(super) ended: Option<Ended>,
}

/// When a request ended, as far as it is printed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    At(Timestamp),
    OfDay(Nanos),
}

/// Tells the sink requests, with the best that is known of their times.
pub(super) struct Requests<'c> {
    grouping: Grouping,
    context: &'c Context,
    last: Option<Timestamp>,
    reported: bool,
    left_out: u64,
    /// Requests without times, until ioping's summary says in how long a time they were made.
    held: Vec<Request>,
    /// The time from one request to the next, as a summary says.
    every: Option<Nanos>,
}

impl<'c> Requests<'c> {
    /// The states of requests that ioping leaves out of its statistics.
    const LEFT_OUT: [&'static str; 4] = ["warmup", "ignored", "too fast", "too slow"];
    /// More requests than this are not held back.
    const MOST_HELD: usize = 1 << 16;
    const OF_DAY: &'static str = "the times have no year: they are taken as times of an unknown day";

    pub(super) fn new(context: &'c Context) -> Requests<'c> {
        let grouping = Grouping::new(context, "requests", ATTRIBUTES, &["operation"]);
        let (last, reported, left_out, held, every) = (None, false, 0, Vec::new(), None);
        Requests { grouping, context, last, reported, left_out, held, every }
    }

    pub(super) fn take(&mut self, request: Request, sink: &mut dyn Sink) {
        let has_time = request.ended.is_some() || self.context.arrived().is_some();
        if !has_time && self.context.interval.is_none() && self.held.len() < Requests::MOST_HELD {
            return self.held.push(request);
        }
        self.release(sink);
        self.tell(&request, sink);
    }

    /// A summary: so many requests were made in so long a time. After the last one ioping does not
    /// wait: 12 requests each 50 ms take 550 ms.
    pub(super) fn made(&mut self, requests: u64, length: Nanos, sink: &mut dyn Sink) {
        let every = length.as_nanos().checked_div(requests.saturating_sub(1));
        self.every = every.filter(|every| *every > 0).map(Nanos::new);
        self.release(sink);
    }

    fn release(&mut self, sink: &mut dyn Sink) {
        for request in std::mem::take(&mut self.held) {
            self.tell(&request, sink);
        }
    }

    fn tell(&mut self, request: &Request, sink: &mut dyn Sink) {
        let at = self.at(request, sink);
        sink.record();
        if Requests::LEFT_OUT.contains(&request.state.as_str()) {
            self.left_out += 1;
            return;
        }
        let texts = [&request.operation, &request.size, &request.target, &request.state];
        let values = texts.map(String::as_bytes);
        self.grouping.tell(&values, (at, request.latency), sink);
    }

    /// There are no more requests.
    pub(super) fn finish(&mut self, sink: &mut dyn Sink) {
        self.release(sink);
        if self.left_out > 0 {
            let requests = if self.left_out == 1 { "request" } else { "requests" };
            let said = format!(
                "{} {requests} left out as in ioping's own statistics (warm-up, too fast or too slow)",
                self.left_out
            );
            sink.note(Note::Said(said.into()));
        }
        self.grouping.finish(sink);
    }

    fn at(&mut self, request: &Request, sink: &mut dyn Sink) -> Timestamp {
        let first = !std::mem::replace(&mut self.reported, true);
        if let Some(now) = self.context.arrived()
            && !matches!(request.ended, Some(Ended::At(_)))
        {
            if first {
                sink.note(Note::Clock(Clock::Epoch));
            }
            return now;
        }
        let (clock, said, at) = match request.ended {
            Some(Ended::At(at)) => (Clock::Epoch, None, at),
            Some(Ended::OfDay(time)) => {
                (Clock::TimeOfDay, Some(Requests::OF_DAY.to_owned()), unwrap_day(time, self.last))
            }
            None => {
                let every = self.every.unwrap_or(self.context.assumed_interval());
                let since = every.as_nanos().saturating_mul(request.number);
                let (clock, said) = match self.every {
                    Some(every) => (
                        Clock::Arbitrary,
                        format!(
                            "ioping printed no times: one request every {every}, as its summary says \
                             (ioping -J prints times)"
                        ),
                    ),
                    None => (
                        Clock::Assumed,
                        format!(
                            "ioping printed no times: one request every {every} is assumed \
                             (--interval; ioping -J prints times)"
                        ),
                    ),
                };
                (clock, Some(said), Timestamp::new(0).plus(Nanos::new(since)))
            }
        };
        self.last = Some(at);
        if first {
            sink.note(Note::Clock(clock));
            if let Some(said) = said {
                sink.note(Note::Said(said.into()));
            }
        }
        at
    }
}
