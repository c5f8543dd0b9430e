//! Which plans of `auto_explain` tell an execution whose duration is logged as well.

use std::collections::HashMap;

use isotherm_frame::{Nanos, Place, Timestamp};

/// An execution as `auto_explain` tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) at: Timestamp,
    pub(super) latency: Nanos,
    /// Where its entry begins in the log.
    pub(super) place: Place,
    /// The first line of its statement; empty where it is not known.
    pub(super) line: Vec<u8>,
    /// What it can be told apart by.
    pub(super) values: [Vec<u8>; 6],
}

/// A duration that the log tells of a statement.
#[derive(Copy, Clone, Debug)]
pub(super) struct Logged<'l> {
    pub(super) at: Timestamp,
    pub(super) latency: Nanos,
    /// The statement; empty where it is not given.
    pub(super) statement: &'l [u8],
}

/// The plans of each backend that wait for the duration of their statement.
#[derive(Debug, Default)]
pub(super) struct Plans {
    backends: HashMap<Vec<u8>, Backend>,
    held: usize,
}

/// What a backend logged last.
#[derive(Debug, Default)]
struct Backend {
    held: Vec<Plan>,
    /// The last statement with a duration, which no plan belongs to yet: when it ended, how long it
    /// took, and its first line.
    last: Option<(Timestamp, Nanos, Vec<u8>)>,
}

/// What became of the plans of a backend.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Judged {
    /// Executions whose duration is logged nowhere else.
    pub(super) counted: Vec<Plan>,
    /// Those that are parts of a statement whose duration is logged.
    pub(super) repeated: Vec<Plan>,
}

/// Times of a log are whole milliseconds.
const TICK: Nanos = Nanos::new(1_000_000);

impl Plans {
    /// Plans that are held, and backends that are known, at most.
    const MOST: usize = 1 << 12;

    /// A backend tells a plan. With the extended protocol its statement was logged just before,
    /// otherwise it may come next.
    pub(super) fn plan(&mut self, process: &[u8], plan: Plan) -> Judged {
        let Some(backend) = self.backend(process) else {
            return Judged { counted: vec![plan], repeated: Vec::new() };
        };
        let follows = backend.held.is_empty()
            && backend.last.as_ref().is_some_and(|(at, latency, line)| {
                let known = !plan.line.is_empty() && !line.is_empty();
                let touches = plan.at.minus(plan.latency) <= at.plus(TICK);
                plan.latency <= *latency && is_same(&plan.line, line) && (known || touches)
            });
        if follows {
            backend.last = None;
            return Judged { counted: Vec::new(), repeated: vec![plan] };
        }
        backend.held.push(plan);
        self.held += 1;
        Judged::default()
    }

    /// A backend tells the duration of a statement: which of its plans belong to it.
    pub(super) fn statement(&mut self, process: &[u8], logged: Logged<'_>) -> Judged {
        let Some(backend) = self.backend(process) else { return Judged::default() };
        let held = std::mem::take(&mut backend.held);
        let line = first_line(logged.statement);
        let own = held.last().is_some_and(|plan| is_same(&plan.line, line));
        backend.last = (!own).then(|| (logged.at, logged.latency, line.to_vec()));
        self.held = self.held.saturating_sub(held.len());
        let last = held.len().saturating_sub(1);
        let stated = own && !line.is_empty() && held.last().is_some_and(|plan| !plan.line.is_empty());
        let mut judged = Judged::default();
        for (number, plan) in held.into_iter().enumerate() {
            let within = !process.is_empty() && logged.contains(&plan);
            let repeated = within || number == last && stated;
            let into = if repeated { &mut judged.repeated } else { &mut judged.counted };
            into.push(plan);
        }
        judged
    }

    /// Gives the plans whose statement did not follow.
    pub(super) fn finish(&mut self) -> Vec<Plan> {
        let held = self.backends.drain().flat_map(|(_, backend)| backend.held);
        let mut held: Vec<Plan> = held.collect();
        held.sort_by_key(|plan| plan.at);
        held
    }

    /// What is known of a backend; `None` where there is no room for more.
    fn backend(&mut self, process: &[u8]) -> Option<&mut Backend> {
        if !self.backends.contains_key(process) {
            if self.backends.len() >= Plans::MOST {
                // What holds nothing and was logged last by others is forgotten.
                self.backends.retain(|_, backend| !backend.held.is_empty());
            }
            if self.backends.len() >= Plans::MOST {
                return None;
            }
            self.backends.insert(process.to_vec(), Backend::default());
        }
        let room = self.held < Plans::MOST;
        self.backends.get_mut(process).filter(|backend| room || !backend.held.is_empty())
    }
}

impl Logged<'_> {
    /// Whether a plan was carried out while the statement was: it is the same, or one within it.
    fn contains(&self, plan: &Plan) -> bool {
        let begin = self.at.minus(self.latency).minus(TICK);
        plan.at.minus(plan.latency) >= begin && plan.at <= self.at.plus(TICK)
    }
}

/// The first line of a text.
pub(super) fn first_line(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii();
    let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    text[..end].trim_ascii_end()
}

/// Whether two first lines are of one statement; what is not known may be. Long texts may be cut.
fn is_same(one: &[u8], two: &[u8]) -> bool {
    const LOOKED_AT: usize = 1_000;
    let cut = |line: &[u8]| line.len().min(LOOKED_AT);
    one.is_empty() || two.is_empty() || one[..cut(one)] == two[..cut(two)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(at_ms: u64, took_ms: u64, line: &str) -> Plan {
        let at = Timestamp::new(0).plus(Nanos::from_millis(at_ms));
        let (latency, line) = (Nanos::from_millis(took_ms), line.as_bytes().to_vec());
        Plan { at, latency, place: Place::default(), line, values: Default::default() }
    }

    fn logged(at_ms: u64, took_ms: u64, statement: &str) -> Logged<'_> {
        let at = Timestamp::new(0).plus(Nanos::from_millis(at_ms));
        Logged { at, latency: Nanos::from_millis(took_ms), statement: statement.as_bytes() }
    }

    fn numbers(judged: &Judged) -> (usize, usize) {
        (judged.counted.len(), judged.repeated.len())
    }

    #[test]
    fn a_plan_is_its_statement_only_of_the_same_backend() {
        let mut plans = Plans::default();
        plans.plan(b"1", plan(1_000, 5, "select 1"));
        plans.plan(b"2", plan(1_001, 9, "select 7"));
        assert_eq!(numbers(&plans.statement(b"1", logged(1_000, 6, "select 1\nfrom x"))), (0, 1));
        assert_eq!(plans.finish(), [plan(1_001, 9, "select 7")]);
    }

    #[test]
    fn a_plan_whose_statement_was_not_logged_counts() {
        let mut plans = Plans::default();
        plans.plan(b"1", plan(1_000, 500, "select slow"));
        plans.plan(b"1", plan(3_100, 2_000, "select slow"));
        // The first took place before the statement that is logged began, at 1,050 ms.
        assert_eq!(numbers(&plans.statement(b"1", logged(3_100, 2_050, "select slow"))), (1, 1));
        // A later one has no statement of its own: that of before has its plan already.
        plans.plan(b"1", plan(9_000, 400, "select slow"));
        assert_eq!(numbers(&plans.statement(b"1", logged(20_000, 1, "select 1"))), (1, 0));
    }

    #[test]
    fn a_plan_may_follow_its_statement_and_lie_within_one() {
        let mut plans = Plans::default();
        assert_eq!(numbers(&plans.statement(b"1", logged(1_000, 6, "select $1"))), (0, 0));
        assert_eq!(numbers(&plans.plan(b"1", plan(1_001, 5, "select $1"))), (0, 1));
        // Of a function: a part of the time of the statement that calls it.
        plans.plan(b"1", plan(2_000, 5, "update inner"));
        plans.plan(b"1", plan(2_010, 20, "select outer()"));
        assert_eq!(numbers(&plans.statement(b"1", logged(2_010, 21, "select outer()"))), (0, 2));
    }

    #[test]
    fn plans_that_never_see_their_statement_are_not_kept_without_end() {
        let mut plans = Plans::default();
        let counted = (0..10_000).map(|number| {
            let process = number.to_string();
            plans.plan(process.as_bytes(), plan(number, 1, "x")).counted.len()
        });
        let counted: usize = counted.sum();
        assert_eq!(counted + plans.finish().len(), 10_000);
        assert_eq!(counted, 10_000 - Plans::MOST);
    }
}
