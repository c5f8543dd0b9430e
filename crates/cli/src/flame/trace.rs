//! SQL traces as stacks of time: statement, call, wait event.

use std::io::Read as Input;

use isotherm_flame::{Counts, Stacks};
use isotherm_oracle::trace::profile::{Limits, Profile, Profiler, TimeStacks};
use isotherm_oracle::trace::{Account, NO_SQL_TRACE, scan};
use isotherm_report::FlameInput;
use isotherm_views::{row_sources, waited};

use super::input::Read;
use crate::failure::{Code, Failure};

/// Bytes in a block of the database, which matters for what is not drawn only.
pub const BLOCK_BYTES: u64 = 8_192;

/// Reads a SQL trace.
pub fn read(name: &str, input: &mut dyn Input) -> Result<Read, Failure> {
    let mut profiler = Profiler::new(name, Limits::default(), BLOCK_BYTES).with_stacks();
    let account = scan(input, &mut profiler)
        .map_err(|error| Failure::new(Code::Runtime, format!("{name}: {error}")))?;
    let (profile, times) = profiler.finish_with_stacks();
    let mut stacks = Stacks::default();
    for (frames, ns) in &times.stacks {
        stacks.add_named(frames, *ns);
    }
    if stacks.total() == 0 {
        let why = if account.is_no_sql_trace() { NO_SQL_TRACE } else { "no time is spent in it" };
        return Err(Failure::nothing(format!("{name}: {why}")));
    }
    let input = described(name, &account, stacks.total());
    let remarks = remarks(&profile, &times);
    let sections = row_sources(&profile).into_iter().collect();
    Ok(Read { input, stacks, samples: Vec::new(), remarks, sections })
}

/// What was read of traces, and the time in them, as an input of a flame graph.
pub fn described(name: &str, account: &Account, total: u64) -> FlameInput {
    let rejections = account.examples.iter().take(5);
    FlameInput {
        name: name.to_owned(),
        format: "SQL trace".to_owned(),
        event: None,
        counts: Counts::Nanoseconds,
        total,
        rate_hz: None,
        span_s: None,
        records: account.waits + account.calls + account.lobs + account.statements,
        rejected: account.damaged,
        rejections: rejections
            .map(|damage| format!("line {}: {}", damage.line, damage.why))
            .collect(),
        repeated: 0,
        lost: 0,
        outside: 0,
        without_frames: 0,
        other_events: Vec::new(),
    }
}

/// What is to be known of the picture: what it adds up to, and what it leaves out.
pub fn remarks(profile: &Profile, times: &TimeStacks) -> Vec<String> {
    let seconds = |ns: u64| waited(ns as f64 / 1e9);
    let mut remarks = vec![format!(
        "The whole is the response time of the trace, as isotherm trace has it: {}. Waits, CPU and what is \
         not accounted for stand on the call they are of, and calls within a call on it.",
        seconds(profile.spent.response_ns())
    )];
    let idle_ns = profile.spent.idle_ns();
    if idle_ns > 0 {
        remarks.push(format!(
            "Left out: idle waits, such as SQL*Net message from client: {}.",
            seconds(idle_ns)
        ));
    }
    if times.cpu_in_waits_ns > 0 {
        remarks.push(format!(
            "Left out: {} of CPU time that the server counted during waits, which are drawn.",
            seconds(times.cpu_in_waits_ns)
        ));
    }
    if times.beyond_ns > 0 {
        remarks.push(format!(
            "Waits exceed the elapsed time of their calls by {}, which the picture has more.",
            seconds(times.beyond_ns)
        ));
    }
    remarks.extend(profile.findings.iter().map(ToString::to_string));
    remarks
}
