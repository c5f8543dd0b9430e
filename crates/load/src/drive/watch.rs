//! Watches a run from its first operation to its outcome.

use isotherm_frame::{Event, Mark};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use super::aggregator::Aggregator;
use super::board::{Board, LaneAccount, Part};
use super::in_flight_gauge::InFlightGauge;
use super::machine::Machine;
use super::run_clock::UNKNOWN;
use super::workers::{LOOK, Workers, in_flight, joined, series};
use crate::engine::{Count, processors};
use crate::fault::Broken;
use crate::job::{Arrival, Warmup};
use crate::outcome::{
    Cpu, Ended, IntervalOutcome, KindOutcome, Little, Observed, Offered, Outcome, Touched,
};
use crate::status::{Observer, RunStatus};
use crate::{clock, steadiness};

/// A run being watched.
pub struct Watch<'a> {
    pub workers: &'a Workers<'a>,
    pub aggregator: Aggregator<'a>,
    pub boards: &'a [Mutex<Board>],
    gauges: &'a [InFlightGauge],
    /// Looks at the operations in flight since the status was last reported, and their sum.
    looks: (u32, u64),
    reported_ns: u64,
    pub stop: &'a AtomicBool,
}

/// How often it is told how the run goes, at most.
const TELL_NS: u64 = 200_000_000;

/// What others had counted when measuring began.
struct Before {
    counts: Vec<Count>,
    machine: Machine,
}

/// Which stretch was measured, and what is known of it.
struct Measured {
    begin_ns: u64,
    end_ns: u64,
    counts: (Vec<Count>, Vec<Count>),
    machine: (Machine, Machine),
    ended: Ended,
}

impl<'a> Watch<'a> {
    pub fn new(
        workers: &'a Workers<'a>,
        aggregator: Aggregator<'a>,
        (boards, gauges): (&'a [Mutex<Board>], &'a [InFlightGauge]),
        stop: &'a AtomicBool,
    ) -> Watch<'a> {
        Watch { workers, aggregator, boards, gauges, looks: (0, 0), reported_ns: 0, stop }
    }
}

impl Watch<'_> {
    /// Watches until the end, and says what came of it.
    pub fn watch(
        mut self,
        lanes: Vec<ScopedJoinHandle<Result<(), Broken>>>,
        observer: &mut dyn Observer,
    ) -> Outcome {
        let course = self.workers.course;
        let mut before = None;
        let mut asked = false;
        while !lanes.iter().all(ScopedJoinHandle::is_finished) {
            thread::sleep(LOOK.min(self.until_something()));
            let now_ns = clock::now_ns();
            if self.stop.load(Ordering::Acquire) && !asked {
                asked = true;
                course.end_at(now_ns);
                course.stop();
            }
            if before.is_none() && now_ns >= course.begin_ns() {
                before = Some(self.begun(observer));
            }
            self.aggregator.gather(now_ns, false, &mut |events| observer.events(events));
            self.perhaps_tell(now_ns, observer);
            self.perhaps_steady(now_ns);
        }
        let results: Vec<Result<(), Broken>> = lanes.into_iter().map(joined).collect();
        let now_ns = clock::now_ns();
        // The last of a limited number of operations is the end, not when somebody looked.
        let all_done = !asked && results.iter().all(Result::is_ok) && course.no_tickets_left();
        course.end_at(if all_done { self.account().last_ns + 1 } else { now_ns });
        self.aggregator.gather(now_ns, true, &mut |events| observer.events(events));
        let before = before.unwrap_or_else(|| self.before());
        let measured = self.measured(before, &results, asked);
        if measured.begin_ns < measured.end_ns {
            let at = self.aggregator.calendar().at(measured.end_ns);
            let text = "measured until here".to_owned();
            observer.events(vec![Event::Mark(Mark { at, text })]);
        }
        self.outcome(measured)
    }

    /// How long until the beginning of measuring, so that it is not missed.
    fn until_something(&self) -> std::time::Duration {
        let (now_ns, begin_ns) = (clock::now_ns(), self.workers.course.begin_ns());
        let left = if begin_ns > now_ns { begin_ns - now_ns } else { u64::MAX };
        std::time::Duration::from_nanos(left)
    }

    /// Looks at what is in flight, and tells how the run goes if it was not reported just now.
    fn perhaps_tell(&mut self, now_ns: u64, observer: &mut dyn Observer) {
        let in_flight: u64 = self.gauges.iter().map(|gauge| u64::from(gauge.get())).sum();
        self.looks = (self.looks.0 + 1, self.looks.1 + in_flight);
        if now_ns.saturating_sub(self.reported_ns) < TELL_NS {
            return;
        }
        let (looks, sum) = std::mem::take(&mut self.looks);
        self.reported_ns = now_ns;
        observer.status(self.status(now_ns, sum as f64 / f64::from(looks)));
    }

    fn status(&self, now_ns: u64, in_flight: f64) -> RunStatus {
        let (course, job) = (self.workers.course, self.workers.job);
        let (zero_ns, begin_ns) = (course.zero_ns(), course.begin_ns());
        let (operations, failed) = self.aggregator.counted();
        let most_ns = match job.warmup {
            Warmup::Time(length) | Warmup::UntilSteady(length) => length.as_nanos(),
        };
        let known = begin_ns != UNKNOWN;
        let warmup_ns = if known { begin_ns.saturating_sub(zero_ns) } else { most_ns };
        let counted_ns = self.aggregator.given_until_ns().saturating_sub(begin_ns);
        RunStatus {
            arrival: job.arrival,
            limit: job.limit,
            measuring: known && now_ns >= begin_ns,
            elapsed_s: now_ns.saturating_sub(zero_ns) as f64 / 1e9,
            warmup_s: warmup_ns as f64 / 1e9,
            warmup_may_end: !known,
            operations,
            counted_s: if known { counted_ns as f64 / 1e9 } else { 0.0 },
            failed,
            in_flight,
            latest: self.aggregator.latest().cloned(),
        }
    }

    /// Ends the warm-up when it has become steady, or has lasted long enough.
    fn perhaps_steady(&self, now_ns: u64) {
        let course = self.workers.course;
        let Warmup::UntilSteady(most) = self.workers.job.warmup else { return };
        if course.begin_ns() != UNKNOWN {
            return;
        }
        let lasted = now_ns.saturating_sub(course.zero_ns()) >= most.as_nanos();
        if lasted || steadiness::is_warm(&self.aggregator.recent()) {
            // Not the interval that is running: lanes must learn of it in time.
            let interval = course.interval_of(now_ns) + 2;
            course.measure_from(interval, self.workers.job.limit.time.as_nanos());
        }
    }

    fn begun(&self, observer: &mut dyn Observer) -> Before {
        let at = self.aggregator.calendar().at(self.workers.course.begin_ns());
        let text = "measured from here".to_owned();
        observer.events(vec![Event::Mark(Mark { at, text })]);
        self.before()
    }

    fn before(&self) -> Before {
        Before { counts: self.workers.system.counts(), machine: Machine::read() }
    }

    fn measured(&self, before: Before, results: &[Result<(), Broken>], asked: bool) -> Measured {
        let course = self.workers.course;
        let broken = results.iter().find_map(|result| result.as_ref().err());
        let limit_ns = course.begin_ns().saturating_add(self.workers.job.limit.time.as_nanos());
        let ended = match broken {
            Some(Broken(words)) => Ended::Failed(words.clone()),
            None if asked => Ended::Interrupted,
            None if course.end_ns() < limit_ns => Ended::Operations,
            None => Ended::Time,
        };
        let (counts, machine) = (self.workers.system.counts(), Machine::read());
        Measured {
            begin_ns: course.begin_ns().min(course.end_ns()),
            end_ns: course.end_ns(),
            counts: (before.counts, counts),
            machine: (before.machine, machine),
            ended,
        }
    }

    fn outcome(self, measured: Measured) -> Outcome {
        let workers = self.workers;
        let account = self.account();
        let began = self.aggregator.calendar().at(measured.begin_ns);
        let warmup_ns = measured.begin_ns.saturating_sub(workers.course.zero_ns());
        let seconds = (measured.end_ns - measured.begin_ns) as f64 / 1e9;
        let (part, mut intervals) = self.aggregator.finish();
        if seconds <= 0.0 {
            intervals = Vec::<IntervalOutcome>::new();
        }
        let mut faults = reported_faults(&part);
        if account.unserved > 0 {
            let words = "arrivals that were never begun: the system did not keep up".to_owned();
            faults.push((words, account.unserved));
        }
        let cpu = Cpu {
            lanes_s: account.cpu_ns as f64 / 1e9,
            process_s: measured.machine.1.process_s_since(&measured.machine.0),
            machine_s: measured.machine.1.busy_s_since(&measured.machine.0),
            processors: processors(),
        };
        Outcome {
            began_ns: began.as_nanos(),
            warmup_s: warmup_ns as f64 / 1e9,
            measured_s: seconds,
            offered: offered(workers, &account),
            little: little(workers, &part, &account, seconds),
            touched: touched(workers, &part, &account),
            kinds: kinds(workers, part),
            intervals,
            cpu,
            observed: observed(&measured.counts.0, &measured.counts.1),
            faults,
            ended: measured.ended,
        }
    }

    /// The accounts of all lanes together.
    fn account(&self) -> LaneAccount {
        let mut all = LaneAccount::default();
        for board in self.boards {
            let one = board.lock().unwrap_or_else(PoisonError::into_inner).account;
            all.held_ns += one.held_ns;
            all.visits += one.visits;
            all.queued += one.queued;
            all.unserved += one.unserved;
            all.longest_lag_ns = all.longest_lag_ns.max(one.longest_lag_ns);
            all.last_ns = all.last_ns.max(one.last_ns);
            all.cpu_ns += one.cpu_ns;
        }
        all
    }
}

fn offered(workers: &Workers, account: &LaneAccount) -> Offered {
    let arrival = workers.job.arrival;
    Offered {
        in_flight: in_flight(arrival),
        rate_hz: match arrival {
            Arrival::Open { rate_hz, .. } => Some(rate_hz),
            Arrival::Closed { .. } => None,
        },
        threads: workers.lanes(),
        think: matches!(arrival, Arrival::Closed { think: Some(_), .. }),
        queued: account.queued,
        longest_lag_ns: account.longest_lag_ns,
    }
}

/// In a closed loop without pauses the slots are what is in flight, and the time that operations
/// were seen in them, cut off at both ends of the measured time, is what throughput and mean
/// response time come to: what is missing was waited unseen. Elsewhere that time is what was in
/// flight, and throughput times mean response time is taken as it is.
fn little(workers: &Workers, part: &Part, account: &LaneAccount, seconds: f64) -> Little {
    if seconds <= 0.0 {
        return Little::default();
    }
    let held = account.held_ns as f64 / 1e9 / seconds;
    if let Arrival::Closed { in_flight, think: None } = workers.job.arrival {
        return Little { computed: held, in_flight: f64::from(in_flight) };
    }
    let waited: f64 = part.kinds.iter().map(|kind| kind.response.sum_ns as f64 / 1e9).sum();
    Little { computed: waited / seconds, in_flight: held }
}

fn touched(workers: &Workers, part: &Part, account: &LaneAccount) -> Option<Touched> {
    let touches = workers.course.touches.as_ref()?;
    let (first, again) = part.touch.as_ref()?;
    Some(Touched {
        places: workers.system.places(),
        distinct: touches.distinct(),
        visits: account.visits,
        first: first.distribution(),
        again: again.distribution(),
    })
}

/// The kinds of operations that were asked for.
fn kinds(workers: &Workers, part: Part) -> Vec<KindOutcome> {
    let wanted = series(workers.system, workers.job);
    let kinds = workers.system.kinds().iter().zip(part.kinds).zip(wanted);
    let asked = kinds
        .filter(|((_, part), wanted)| wanted.is_some() || part.response.events + part.failed > 0);
    asked
        .map(|((kind, part), _)| KindOutcome {
            name: kind.name.to_owned(),
            role: Some(kind.role),
            bytes: part.bytes,
            failed: part.failed,
            response: part.response.distribution(),
            service: part.service.map(|service| service.distribution()),
        })
        .collect()
}

/// Most often first.
fn reported_faults(part: &Part) -> Vec<(String, u64)> {
    let mut faults: Vec<(String, u64)> =
        part.faults.iter().map(|(words, count)| (words.clone().into_owned(), *count)).collect();
    faults.sort_by(|one, two| two.1.cmp(&one.1).then_with(|| one.0.cmp(&two.0)));
    faults
}

/// The differences of what is there before and after; what went down began anew and says nothing.
fn observed(before: &[Count], after: &[Count]) -> Vec<Observed> {
    let known: HashMap<&Cow<'static, str>, u64> =
        before.iter().map(|count| (&count.name, count.value)).collect();
    let difference = |count: &Count| {
        let value = count.value.checked_sub(*known.get(&count.name)?)?;
        Some(Observed { name: count.name.clone().into_owned(), value, unit: count.unit })
    };
    after.iter().filter_map(difference).collect()
}
