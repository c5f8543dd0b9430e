//! From a run to what is shown of it.

use isotherm_analysis::{Circumstances, Findings, is_unstable, modes};
use isotherm_experiment::calibrate::QUANTILES;
use isotherm_experiment::{Run, Verdict};
use isotherm_frame::{Clock, Nanos, Timestamp};
use isotherm_load::{
    Arrival, Distribution, Ended, Job, KindOutcome, Medium, Mix, Outcome, Pattern, Spacing,
    Touched, engine_of,
};
use isotherm_views::{
    LoadArrival, LoadCpu, LoadEnd, LoadEnded, LoadKind, LoadLatency, LoadLittle, LoadObserved,
    LoadRate, LoadSchedule, LoadSheet, LoadSpread, LoadSteady, LoadTouched, LoadVerdict, LoadWhat,
    Moments, narration, quantity,
};

/// Everything shown of a run.
pub fn sheet(run: &Run, recording: Option<String>) -> LoadSheet {
    let (outcome, job) = (&run.outcome, &run.job);
    let verdicts = run.verdicts.iter().map(verdict).collect();
    LoadSheet {
        what: what(run),
        rate: rate(job, outcome),
        latency: latency(run),
        little: LoadLittle {
            computed: outcome.little.computed,
            in_flight: outcome.little.in_flight,
            gap: outcome.little.gap(),
        },
        schedule: schedule(outcome),
        cpu: cpu(outcome),
        touched: outcome.touched.as_ref().filter(|touched| touched.visits > 0).map(touched),
        observed: observed(outcome),
        steady: LoadSteady {
            steady: run.steady.steady,
            drift: run.steady.drift,
            deviation: run.steady.deviation,
        },
        verdicts,
        faults: outcome.faults.clone(),
        end: LoadEnd { why: why(&outcome.ended), recording },
    }
}

fn what(run: &Run) -> LoadWhat {
    let (job, outcome) = (&run.job, &run.outcome);
    LoadWhat {
        target: job.target.clone(),
        arrival: match job.arrival {
            Arrival::Closed { in_flight, think } => {
                LoadArrival::Closed { in_flight, think: think.is_some() }
            }
            Arrival::Open { rate_hz, spacing, slots } => {
                LoadArrival::Open { rate_hz, fixed: spacing == Spacing::Fixed, slots }
            }
        },
        threads: outcome.offered.threads,
        update_pct: job.work.update_pct,
        work: work(job),
        facts: run.facts.clone(),
        warmup_s: outcome.warmup_s,
        measured_s: outcome.measured_s,
    }
}

/// What the work is, as far as it is not the usual one.
fn work(job: &Job) -> Vec<String> {
    let work = &job.work;
    let mut words = Vec::new();
    words.push(match work.pattern {
        Pattern::Random => "random".to_owned(),
        Pattern::Sequential => "sequential".to_owned(),
    });
    if work.mix == Mix::Slob {
        words.push("updates in bursts (SLOB)".to_owned());
    }
    if let Some(hot) = work.hot {
        words.push(format!("1 in {} to the hottest {}%", hot.one_in, hot.size_pct));
    }
    if is_database(job) {
        words.push(format!("{} blocks an operation", job.database.work_unit));
    }
    words
}

fn is_database(job: &Job) -> bool {
    engine_of(&job.target).medium() == Medium::Database
}

fn rate(job: &Job, outcome: &Outcome) -> LoadRate {
    let per_s = outcome.per_second();
    let bytes_per_s = outcome.megabytes_per_second() * 1e6;
    let blocks = f64::from(job.database.work_unit) * per_s;
    LoadRate {
        unit: match engine_of(&job.target).medium() {
            Medium::Database => "TPS",
            Medium::Storage | Medium::Model => "IOPS",
            Medium::KeyValue => "operations/s",
        },
        per_s,
        bytes_per_s: (bytes_per_s > 0.0).then_some(bytes_per_s),
        blocks_per_s: is_database(job).then_some(blocks),
    }
}

fn latency(run: &Run) -> LoadLatency {
    let outcome = &run.outcome;
    let response = outcome.response();
    let services: Vec<&Distribution> =
        outcome.kinds.iter().filter_map(|kind| kind.service.as_ref()).collect();
    let withheld = run.verdicts.iter().find_map(|one| Some((&one.code, one.withholds_tail()?)));
    let seen = |kind: &&KindOutcome| kind.response.events > 0 || kind.failed > 0;
    LoadLatency {
        all: spread(&response),
        service: (!services.is_empty()).then(|| spread(&Distribution::merged(services))),
        kinds: outcome.kinds.iter().filter(seen).map(|one| kind(one, outcome)).collect(),
        waited_per_s: outcome.waited_per_second(),
        sentences: sentences(&response, outcome.measured_s),
        withheld: withheld.map(|(code, why)| (code.clone(), why.to_owned())),
    }
}

/// What there is to say of the distribution. What is too fast to be true is a verdict already.
fn sentences(response: &Distribution, measured_s: f64) -> Vec<String> {
    if response.events == 0 {
        return Vec::new();
    }
    let findings = Findings::of_total(&response.histogram(), measured_s, &Circumstances::default());
    let moments = Moments::new(Clock::Epoch, Timestamp::default());
    let remarks: Vec<_> = findings.remarks().into_iter().filter(is_new).collect();
    narration::sentences(&remarks, &moments)
}

/// Whether the remark is neither a verdict nor in the table above.
fn is_new(ranked: &isotherm_analysis::RankedRemark) -> bool {
    use isotherm_analysis::Remark;
    !matches!(ranked.remark, Remark::Doubtful(_) | Remark::Unstable(_) | Remark::Plain { .. })
}

fn kind(kind: &KindOutcome, outcome: &Outcome) -> LoadKind {
    let each_s = |amount: u64| {
        if outcome.measured_s > 0.0 { amount as f64 / outcome.measured_s } else { 0.0 }
    };
    LoadKind {
        name: kind.name.clone(),
        per_s: each_s(kind.response.events),
        bytes_per_s: (kind.bytes > 0).then(|| each_s(kind.bytes)),
        failed: kind.failed,
        response: spread(&kind.response),
        service: kind.service.as_ref().map(spread),
    }
}

/// The latencies of a run, each quantile with whether it is unstable.
pub fn spread(distribution: &Distribution) -> LoadSpread {
    let counts = distribution.histogram();
    let found = modes(&counts);
    let quantile = |q: f64| Some((counts.quantile(q).ok()?, is_unstable(&counts, &found, q)));
    let extremes = (Nanos::new(distribution.min_ns), Nanos::new(distribution.max_ns));
    LoadSpread {
        events: distribution.events,
        mean_ns: distribution.mean_ns(),
        // The longest is known exactly.
        quantiles: QUANTILES.into_iter().filter_map(quantile).collect(),
        extremes: (distribution.events > 0).then_some(extremes),
    }
}

fn schedule(outcome: &Outcome) -> Option<LoadSchedule> {
    let asked_hz = outcome.offered.rate_hz?;
    let ended = outcome.operations() + outcome.failed();
    let delivered_hz = ended as f64 / outcome.measured_s.max(1e-9);
    Some(LoadSchedule {
        asked_hz,
        delivered_hz,
        queued: outcome.offered.queued,
        longest_lag: Nanos::new(outcome.offered.longest_lag_ns),
    })
}

fn cpu(outcome: &Outcome) -> LoadCpu {
    let operations = outcome.operations();
    let each = |seconds: f64| (operations > 0).then(|| seconds * 1e9 / operations as f64);
    let cpu = &outcome.cpu;
    let available_s = outcome.measured_s * f64::from(cpu.processors);
    LoadCpu {
        lanes_ns: outcome.cpu_per_operation_ns(),
        process_ns: each(cpu.process_s),
        machine_ns: cpu.machine_s.and_then(each),
        machine_share: cpu.machine_s.filter(|_| available_s > 0.0).map(|busy| busy / available_s),
        processors: cpu.processors,
    }
}

fn touched(touched: &Touched) -> LoadTouched {
    LoadTouched {
        places: touched.places,
        distinct: touched.distinct,
        visits: touched.visits,
        first: spread(&touched.first),
        again: spread(&touched.again),
    }
}

fn observed(outcome: &Outcome) -> Vec<LoadObserved> {
    let operations = outcome.operations();
    let each = |value: u64| (operations > 0).then(|| value as f64 / operations as f64);
    let one = |seen: &isotherm_load::Observed| LoadObserved {
        name: seen.name.clone(),
        value: seen.value,
        unit: seen.unit.clone(),
        per_operation: each(seen.value),
    };
    outcome.observed.iter().map(one).collect()
}

fn verdict(verdict: &Verdict) -> LoadVerdict {
    let Verdict { code, serious, words } = verdict.clone();
    LoadVerdict { code, serious, words }
}

fn why(ended: &Ended) -> LoadEnded {
    match ended {
        Ended::Time => LoadEnded::Time,
        Ended::Operations => LoadEnded::Operations,
        Ended::Interrupted => LoadEnded::Interrupted,
        Ended::Failed(words) => LoadEnded::Failed(words.clone()),
    }
}

/// The point of a single run in words, as in a sweep.
pub fn label(job: &Job) -> String {
    match job.arrival {
        Arrival::Closed { in_flight, .. } => format!("in-flight {in_flight}"),
        Arrival::Open { rate_hz, .. } => format!("rate {}", quantity(rate_hz)),
    }
}
