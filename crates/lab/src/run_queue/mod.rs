//! Does the run queue hold the waiting only, or those that run as well?

mod counters;
mod hogs;
mod measure;
mod report;

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use isotherm_frame::Nanos;

use crate::{Bench, Estimate, Finding, Lab, LabError, Verdict};
use measure::{Level, measure};

pub(crate) static LAB: Lab = Lab {
    name: "run-queue",
    question: "Does the run queue count only tasks that wait for a processor, or also those that run?",
    method: "Starts 0.5 to 2.5 compute threads per processor, one level after the other in random \
             order, and compares what /proc/loadavg, /proc/stat, vmstat and sar count with the tasks in \
             state R, counted one by one",
    lesson: &[
        "Textbooks draw a queue in front of servers, and the queue holds who waits. Many read `r` of \
         vmstat, `runq-sz` of sar and the load average in this way: with 10 processes on 4 cores \
         they expect 6.",
        "Linux counts runnable tasks: those that run and those that wait. With 10 processes on 4 \
         cores it shows 10. A run queue equal to the number of processors means that all of them \
         are busy and nobody waits.",
        "So the tasks that wait are the run queue minus the number of processors, and only above it. \
         Time waited for a processor is measured, not guessed, in schedstat, in the pressure files \
         (/proc/pressure/cpu), or with `isotherm live runq:`.",
        "The lab does not assume an idle machine: what else runs is counted as well. If the run queue \
         left out the running, it would fall short of the tasks in state R by the number of busy \
         processors; that shortfall is what is measured.",
    ],
    needs: "Linux",
    takes: (Nanos::from_millis(8_000), Nanos::from_millis(80_000)),
    disk: 0,
    takes_events: false,
    takes_traces: false,
    on_server: None,
    run,
};

/// Hogs per processor.
const LOADS: [f64; 6] = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5];
/// A share of the running that decides: the run queue leaves out fewer of them, or more.
const HALF: f64 = 0.5;

fn run(bench: &mut Bench<'_>) -> Result<Finding, LabError> {
    let cores = available_parallelism().map_or(1, NonZeroUsize::get);
    let levels = measure(&hogs_of(cores), cores, bench)?;
    let missing = shortfall(&levels);
    let verdict = judged(missing);
    Ok(report::finding(&levels, cores, (verdict, missing)))
}

/// The numbers of hogs, ascending, each once.
fn hogs_of(cores: usize) -> Vec<usize> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small number above zero"
    )]
    let mut hogs: Vec<usize> =
        LOADS.iter().map(|load| (load * cores as f64).round() as usize).collect();
    hogs.dedup();
    hogs
}

/// Which share of the running tasks the run queue leaves out: 0 if it counts all of them, 1 if it
/// counts those that wait only.
fn shortfall(levels: &[Level]) -> Option<Estimate> {
    let loaded = levels.iter().filter(|level| level.hogs > 0);
    let shares: Vec<f64> = loaded.flat_map(|level| level.shortfalls.iter().copied()).collect();
    Estimate::of(&shares)
}

fn judged(missing: Option<Estimate>) -> Verdict {
    match missing {
        Some(share) if share.lies_within(-HALF, HALF) => Verdict::Holds,
        Some(share) if share.lies_within(HALF, 1.0 + HALF) => Verdict::Fails,
        _ => Verdict::Unsure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_half_a_hog_a_core_apart() {
        assert_eq!(hogs_of(2), [0, 1, 2, 3, 4, 5]);
        assert_eq!(hogs_of(1), [0, 1, 2, 3]);
        assert_eq!(hogs_of(4), [0, 2, 4, 6, 8, 10]);
    }

    #[test]
    fn the_verdict_follows_the_shortfall_and_never_a_wide_interval() {
        let of = |values: &[f64]| judged(Estimate::of(values));
        assert_eq!(of(&[0.0, 0.02, -0.02, 0.01]), Verdict::Holds);
        assert_eq!(of(&[1.0, 0.98, 1.02, 0.99]), Verdict::Fails);
        assert_eq!(of(&[0.0, 1.0, 0.2, 0.9]), Verdict::Unsure);
        // Tasks that cannot be seen, in a container: more is counted than is there.
        assert_eq!(of(&[-3.0, -3.1, -2.9]), Verdict::Unsure);
        assert_eq!(of(&[0.0]), Verdict::Unsure);
        assert_eq!(judged(None), Verdict::Unsure);
    }
}
