//! Words before a length of time that tell what it is a length of.

/// Verbs of what has ended: `completed 200 OK in 25ms`.
const COMPLETED: &[&str] = &[
    "acquired", "answered", "applied", "built", "called", "checked", "closed", "committed", "compiled",
    "completed", "connected", "copied", "created", "deleted", "delivered", "done", "executed", "failed",
    "fetched", "finished", "flushed", "generated", "handled", "inserted", "loaded", "opened", "parsed",
    "performed", "processed", "queried", "ran", "read", "received", "rendered", "replied", "resolved",
    "responded", "response", "returned", "saved", "scanned", "sent", "served", "stored", "succeeded",
    "synced", "took", "updated", "written", "wrote",
];

/// Words of what is still to come: `will retry in 5s`.
const PLANNED: &[&str] = &[
    "after", "again", "backoff", "continue", "continuing", "due", "every", "expire", "expires", "expiring",
    "next", "polling", "reconnect", "reconnecting", "restarting", "resuming", "retry", "retries",
    "retrying", "schedule", "scheduled", "scheduling", "sleeping", "try", "trying", "until", "wait",
    "waiting", "wakes", "will",
];

/// Words before `time` that make a sum or a pause of it.
const NOT_OF_ONE: &[&str] = &["total", "wait", "overall", "cumulative"];

/// What a word before a length of time says about it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Saying {
    pub(super) completed: bool,
    pub(super) planned: bool,
    pub(super) not_of_one: bool,
}

/// What a word says, in capitals or not.
pub(super) fn saying(word: &str) -> Saying {
    let is_in = |list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(word));
    Saying { completed: is_in(COMPLETED), planned: is_in(PLANNED), not_of_one: is_in(NOT_OF_ONE) }
}
