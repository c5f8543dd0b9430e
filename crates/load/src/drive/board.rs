//! Where a lane writes what happened, for the gatherer to fetch.

use std::borrow::Cow;

use super::counter::{Fine, Total};
use super::earlier::Earlier;
use super::run_clock::RunClock;
use crate::engine::Operation;

/// An operation that has ended.
#[derive(Clone, Debug)]
pub struct Ended {
    pub operation: Operation,
    /// When it was meant to begin.
    pub start_ns: u64,
    /// When it was handed to the engine.
    pub sent_ns: u64,
    pub at_ns: u64,
    /// Begun in the measured time, where operations are counted.
    pub ticket: bool,
    pub result: Result<u32, Cow<'static, str>>,
}

/// What a lane counted of one kind in one interval.
#[derive(Clone, Debug)]
struct KindBoard {
    response: Fine,
    /// What of the response times lies before the interval.
    earlier: Earlier,
    service: Option<Fine>,
    bytes: u64,
    failed: u64,
}

/// What a lane has counted and nobody has fetched yet.
#[derive(Debug)]
pub struct Board {
    /// The interval that is being counted.
    number: u64,
    /// Where it begins and ends.
    from_ns: u64,
    until_ns: u64,
    kinds: Vec<KindBoard>,
    touch: Option<(Fine, Fine)>,
    faults: Vec<(Cow<'static, str>, u64)>,
    finished: Vec<Part>,
    pub account: LaneAccount,
}

/// What a lane counted over the measured time beside latencies.
#[derive(Copy, Clone, Debug, Default)]
pub struct LaneAccount {
    /// Time that operations were in flight within the measured time, added up.
    pub held_ns: u64,
    /// Operations of the measured time that were begun when they were counted.
    pub visits: u64,
    /// Open loop: arrivals that found no slot free.
    pub queued: u64,
    /// Open loop: arrivals that were due and never begun.
    pub unserved: u64,
    /// Open loop: the longest that an arrival waited to be begun.
    pub longest_lag_ns: u64,
    /// When the last operation that counts ended.
    pub last_ns: u64,
    /// CPU time of the lane's thread in the measured time.
    pub cpu_ns: u64,
}

/// What was counted in one interval, by one lane or several.
#[derive(Clone, Debug)]
pub struct Part {
    pub number: u64,
    pub kinds: Vec<KindPart>,
    /// Reads of places visited for the first time, and of others; measured time only.
    pub touch: Option<(Total, Total)>,
    pub faults: Vec<(Cow<'static, str>, u64)>,
}

/// One kind of operation in one interval.
#[derive(Clone, Debug)]
pub struct KindPart {
    pub response: Total,
    /// What of the response times lies before the interval.
    pub earlier: Earlier,
    pub service: Option<Total>,
    pub bytes: u64,
    pub failed: u64,
}

/// What is to be counted.
#[derive(Copy, Clone, Debug)]
pub struct Counted {
    pub kinds: usize,
    /// Service times beside response times.
    pub service: bool,
    /// First visits beside others.
    pub touch: bool,
}

impl Board {
    pub fn new(course: &RunClock, counted: Counted) -> Board {
        let fine = || Fine::new(course.buckets);
        let kind = || KindBoard {
            response: fine(),
            earlier: Earlier::default(),
            service: counted.service.then(fine),
            bytes: 0,
            failed: 0,
        };
        Board {
            number: 0,
            from_ns: 0,
            until_ns: 0,
            kinds: (0..counted.kinds).map(|_| kind()).collect(),
            touch: counted.touch.then(|| (fine(), fine())),
            faults: Vec::new(),
            finished: Vec::new(),
            account: LaneAccount::default(),
        }
    }

    /// Counts an operation that has ended before the end of the measured time.
    #[inline]
    pub fn record(&mut self, course: &RunClock, ended: &Ended, reads: bool) {
        let begin_ns = course.begin_ns();
        let measured = ended.at_ns >= begin_ns && (ended.ticket || !course.counts_operations());
        // What was begun before operations were counted belongs to the warm-up.
        let at_ns = if measured { ended.at_ns } else { ended.at_ns.min(begin_ns - 1) };
        if !(self.from_ns..self.until_ns).contains(&at_ns) {
            self.turn(course, course.interval_of(at_ns));
        }
        self.account.last_ns = ended.at_ns;
        let Some(kind) = self.kinds.get_mut(usize::from(ended.operation.kind)) else { return };
        match &ended.result {
            Ok(bytes) => {
                let response_ns = ended.at_ns.saturating_sub(ended.start_ns);
                kind.bytes += u64::from(*bytes);
                kind.response.record(course.buckets, response_ns);
                if ended.start_ns < self.from_ns {
                    kind.earlier.record(course, self.number, (ended.start_ns, ended.at_ns));
                }
                if let Some(service) = &mut kind.service {
                    service.record(course.buckets, ended.at_ns.saturating_sub(ended.sent_ns));
                }
                self.touch(course, ended, (reads && measured, response_ns));
            }
            Err(words) => {
                kind.failed += 1;
                add_fault(&mut self.faults, words.clone(), 1);
            }
        }
    }

    #[inline]
    fn touch(&mut self, course: &RunClock, ended: &Ended, (is_counted, response_ns): (bool, u64)) {
        let Some(touches) = &course.touches else { return };
        self.account.visits += 1;
        let first = touches.visit(ended.operation.place);
        if let (true, Some((new, again))) = (is_counted, &mut self.touch) {
            if first { new } else { again }.record(course.buckets, response_ns);
        }
    }

    /// Goes on to another interval.
    fn turn(&mut self, course: &RunClock, number: u64) {
        self.finish();
        self.number = number;
        self.from_ns = course.interval_start(number);
        self.until_ns = course.interval_start(number + 1);
    }

    /// Puts what was counted so far among what is finished.
    fn finish(&mut self) {
        let nothing = self.kinds.iter().all(|kind| kind.failed == 0 && kind.response.is_empty());
        if nothing {
            return;
        }
        let mut part = Part::new(self.number, self.counted());
        for (kind, total) in self.kinds.iter_mut().zip(&mut part.kinds) {
            kind.response.drain_into(&mut total.response);
            total.earlier = std::mem::take(&mut kind.earlier);
            if let (Some(service), Some(sum)) = (&mut kind.service, &mut total.service) {
                service.drain_into(sum);
            }
            total.bytes = std::mem::take(&mut kind.bytes);
            total.failed = std::mem::take(&mut kind.failed);
        }
        if let (Some((new, again)), Some((new_sum, again_sum))) = (&mut self.touch, &mut part.touch)
        {
            new.drain_into(new_sum);
            again.drain_into(again_sum);
        }
        part.faults = std::mem::take(&mut self.faults);
        self.finished.push(part);
    }

    fn counted(&self) -> Counted {
        Counted {
            kinds: self.kinds.len(),
            service: self.kinds.iter().any(|kind| kind.service.is_some()),
            touch: self.touch.is_some(),
        }
    }

    /// Hands over everything counted up to now.
    pub fn fetch(&mut self, now_ns: u64) -> Vec<Part> {
        if now_ns >= self.until_ns {
            self.finish();
        }
        std::mem::take(&mut self.finished)
    }
}

impl Part {
    /// Nothing, in one interval.
    pub fn new(number: u64, counted: Counted) -> Part {
        let total = Total::new;
        let kind = || KindPart {
            response: total(),
            earlier: Earlier::default(),
            service: counted.service.then(total),
            bytes: 0,
            failed: 0,
        };
        Part {
            number,
            kinds: (0..counted.kinds).map(|_| kind()).collect(),
            touch: counted.touch.then(|| (total(), total())),
            faults: Vec::new(),
        }
    }

    /// Adds what another lane, or another interval, counted.
    pub fn add(&mut self, other: &Part) {
        for (kind, more) in self.kinds.iter_mut().zip(&other.kinds) {
            kind.response.add(&more.response);
            kind.earlier.add(&more.earlier);
            if let (Some(service), Some(more)) = (&mut kind.service, &more.service) {
                service.add(more);
            }
            kind.bytes += more.bytes;
            kind.failed += more.failed;
        }
        if let (Some((new, again)), Some((more_new, more_again))) = (&mut self.touch, &other.touch)
        {
            new.add(more_new);
            again.add(more_again);
        }
        for (words, count) in &other.faults {
            add_fault(&mut self.faults, words.clone(), *count);
        }
    }

    /// Operations that ended well.
    pub fn operations(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.response.events).sum()
    }
}

/// Different faults that are counted each by its words; more are counted together.
const MOST_FAULTS: usize = 64;

fn add_fault(faults: &mut Vec<(Cow<'static, str>, u64)>, words: Cow<'static, str>, count: u64) {
    if let Some((_, known)) = faults.iter_mut().find(|(known, _)| *known == words) {
        *known += count;
    } else if faults.len() < MOST_FAULTS {
        faults.push((words, count));
    } else if let Some((last, known)) = faults.last_mut() {
        *last = Cow::Borrowed("other faults");
        *known += count;
    }
}
