//! SQL traces as stacks of time: statement, call, wait event.

use std::io::Read as Input;

use isotherm_flame::{Counts, Stacks};
use isotherm_oracle::trace::profile::{Limits, Profile, Profiler, TimeStacks};
use isotherm_oracle::trace::{Account, NO_SQL_TRACE, ReadTrace};
use isotherm_report::FlameInput;
use isotherm_views::{row_sources, waited};

use super::input::Read;
use crate::failure::{Code, Failure};

/// Bytes in a block of the database, which matters for what is not drawn only.
pub const BLOCK_BYTES: u64 = 8_192;

/// SQL traces, and what their time was spent in.
pub struct TimedTraces {
    pub profile: Profile,
    pub stacks: Stacks,
    account: Account,
    /// Without its stacks, which are `stacks`.
    times: TimeStacks,
}

/// Reads a SQL trace.
pub fn read(name: &str, input: &mut dyn Input) -> Result<Read, Failure> {
    let profiler = Profiler::new(name, Limits::default(), BLOCK_BYTES);
    let traces = TimedTraces::read(name, input, profiler)?;
    if traces.stacks.total() == 0 {
        let is_none = traces.account.is_no_sql_trace();
        let why = if is_none { NO_SQL_TRACE } else { "no time is spent in it" };
        return Err(Failure::nothing(format!("{name}: {why}")));
    }
    let (input, remarks) = (traces.described(name), traces.remarks());
    let sections = row_sources(&traces.profile).into_iter().collect();
    Ok(Read { input, stacks: traces.stacks, samples: Vec::new(), remarks, sections })
}

impl TimedTraces {
    /// Reads a trace, of which `profiler` makes a profile.
    pub fn read(
        name: &str,
        input: &mut dyn Input,
        profiler: Profiler,
    ) -> Result<TimedTraces, Failure> {
        let mut profiler = profiler.with_stacks();
        let account = profiler
            .read_trace(input)
            .map_err(|error| Failure::new(Code::Runtime, format!("{name}: {error}")))?;
        let (profile, mut times) = profiler.finish_with_stacks();
        let mut stacks = Stacks::default();
        for (frames, ns) in std::mem::take(&mut times.stacks) {
            stacks.add_named(&frames, ns);
        }
        Ok(TimedTraces { profile, stacks, account, times })
    }

    /// Adds another trace.
    pub fn merge(&mut self, other: &TimedTraces) {
        self.profile.merge(&other.profile);
        for (_, frames, count) in other.stacks.iter() {
            let names: Vec<&str> = frames.iter().map(|&frame| other.stacks.name(frame)).collect();
            self.stacks.add_named(&names, count);
        }
        self.account.add(&other.account);
        self.times.cpu_left_out_ns += other.times.cpu_left_out_ns;
        self.times.waits_left_out_ns += other.times.waits_left_out_ns;
        self.times.beyond_ns += other.times.beyond_ns;
    }

    /// What was read, and the time in it, as an input of a flame graph.
    pub fn described(&self, name: &str) -> FlameInput {
        let account = &self.account;
        let rejections = account.examples.iter().take(5);
        FlameInput {
            name: name.to_owned(),
            format: "SQL trace".to_owned(),
            event: None,
            counts: Counts::Nanoseconds,
            total: self.stacks.total(),
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
            beyond_memory: self.stacks.beyond_memory().count,
            other_events: Vec::new(),
        }
    }

    /// What is to be known of the picture: what it adds up to, and what it leaves out.
    pub fn remarks(&self) -> Vec<String> {
        remarks(&self.profile, &self.times)
    }
}

fn remarks(profile: &Profile, times: &TimeStacks) -> Vec<String> {
    let seconds = |ns: u64| waited(ns as f64 / 1e9);
    let mut remarks = vec![format!(
        "The whole is the response time of the trace, as isotherm trace has it: {}. Each wait is drawn \
         above the call that made it, as are CPU, what is not accounted for, and the calls it made. CPU \
         time that the server counted during waits is drawn on the wait.",
        seconds(profile.spent.response_ns())
    )];
    let idle_ns = profile.spent.idle_ns();
    if idle_ns > 0 {
        remarks.push(format!(
            "Left out: idle waits, such as SQL*Net message from client: {}.",
            seconds(idle_ns)
        ));
    }
    for (ns, what) in
        [(times.waits_left_out_ns, "of waits"), (times.cpu_left_out_ns, "of CPU time")]
    {
        if ns > 0 {
            let time = seconds(ns);
            remarks.push(format!("Left out: {time} {what} beyond the elapsed time of the calls."));
        }
    }
    if times.beyond_ns > 0 {
        remarks.push(format!(
            "Calls within calls exceed the elapsed time of these by {}, which the picture has more.",
            seconds(times.beyond_ns)
        ));
    }
    remarks.extend(profile.findings.iter().map(ToString::to_string));
    remarks
}
