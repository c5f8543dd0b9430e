//! Does the mean of latencies say what most of them took?

mod measure;
mod normality;
mod report;
mod statistics;

use isotherm_frame::Nanos;

use crate::server::Server;
use crate::{Bench, Events, Finding, Lab, LabError, OnServer};
pub use measure::ReadFile;
use statistics::Statistics;

pub(crate) static LAB: Lab = Lab {
    name: "averages",
    question: "Does the mean of latencies say what most of them took?",
    method: "Times one statement in PostgreSQL, with another key each time, and reads of 8 KiB at random \
             places of a file, past the system's cache and through it; sets the mean of each beside its \
             median, and its histogram beside the normal curve of the same mean and standard deviation, with \
             Lilliefors' test of whether they are normal",
    lesson: &[
        "A mean and a standard deviation describe a normal distribution: as many values above the mean \
         as below it, two thirds of them within one standard deviation. Latencies are seldom like \
         that. Nothing takes less than no time, and a few take very long.",
        "One thing that answers alone, such as a disk with nothing else to do, comes near to it. But \
         what a server waits for has several answers: a cache, a disk, a queue before the disk, a lock. \
         Each makes a hill of its own, and the mean lies somewhere between them, where nothing ever \
         happens.",
        "The long ones pull the mean up: often most events are faster than the average says. A user who \
         hears of a mean of 10 ms may wait 1 ms nearly always, and 200 ms now and then.",
        "The normal curve over the histogram shows it: it promises events below zero and around the \
         mean, and hardly any of the longest, which are those that people complain about.",
        "So look at the distribution before you believe a mean; say the median and a high percentile, \
         or show the heat map. The mean is right for one thing: times the number of events it is the \
         time waited in all.",
    ],
    needs: "PostgreSQL: one that is installed here is started for the run, or --server names one; or \
            events of your own with --measured, such as an strace of a server's reads",
    takes: (Nanos::from_millis(4_000), Nanos::from_millis(10_000)),
    disk: 512 << 20,
    takes_events: true,
    takes_traces: false,
    on_server: Some(OnServer {
        does: "It fills a table and times statements of one session. The file that is read lies on this \
               machine.",
        disturbs: false,
        oracle: "a table of its own and statements with binds by the thin driver; `isotherm stress oracle://` times \
                 reads of one row, and --measured takes an SQL trace",
    }),
    run,
};

/// The fewest events that are judged.
const LEAST: usize = 200;

fn run(bench: &mut Bench<'_>) -> Result<Finding, LabError> {
    let mut remarks = Vec::new();
    let measured = if let Some(events) = bench.events {
        vec![events.clone()]
    } else {
        let server = Server::ready(bench)?;
        remarks.clone_from(&server.remarks);
        let statements = measure::statements(&server, bench)?;
        drop(server);
        let mut file = ReadFile::write(bench, 0.6)?;
        let device = file.of_the_device((bench, 0.65))?;
        if device.is_none() {
            remarks.push(measure::IN_MEMORY.to_owned());
        }
        let cached = file.through_the_cache((bench, 0.78))?;
        [statements].into_iter().chain(device).chain([cached]).collect()
    };
    let mut found = Vec::new();
    for (events, part) in measured.iter().zip(1..) {
        bench.step(0.9, "adding up")?;
        found.push(described(events, &mut bench.random(part))?);
    }
    Ok(report::finding(&found, remarks))
}

fn described(events: &Events, random: &mut isotherm_frame::Random) -> Result<Statistics, LabError> {
    if events.latencies.len() < LEAST {
        let (name, events) = (events.name.clone(), events.latencies.len());
        return Err(LabError::TooFew { name, events, least: LEAST });
    }
    Ok(Statistics::of(&events.name, &events.latencies, random))
}
