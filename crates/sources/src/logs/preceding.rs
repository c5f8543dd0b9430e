//! What the words before a length of time say about it, where its own name leaves that open.

use super::names::{Kind, kind, words};

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

/// The kind of a name with a unit behind its number, with the words before it.
pub(super) fn kind_after(before: &str, name: &str) -> Kind {
    /// Words of the same clause.
    const NEAR: usize = 12;
    let found = kind(name, false);
    let own = words(name).len();
    let before = before.rsplit([';', '|', ',']).next().unwrap_or_default();
    let mut previous = words(before);
    previous.truncate(previous.len().saturating_sub(own));
    let near = |list: &[&str], most: usize| {
        previous.iter().rev().take(most).any(|word| list.contains(&word.as_str()))
    };
    match name {
        "in" | "within" => match (near(COMPLETED, NEAR), near(PLANNED, NEAR)) {
            (true, false) => found,
            (false, true) => Kind::Setting,
            _ => Kind::Other(None),
        },
        "time" => {
            let of = previous.iter().rev().take(2).map(|word| kind(word, true));
            let other = of.into_iter().find(|kind| matches!(kind, Kind::Setting | Kind::Summary));
            other.unwrap_or(if near(NOT_OF_ONE, 1) { Kind::Other(None) } else { found })
        }
        _ => found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_over_is_distinguished_from_what_is_to_come() {
        let of = |text: &str| {
            let name = text.rsplit(' ').next().unwrap();
            kind_after(text, name)
        };
        let latency = Kind::Latency(None);
        for text in [
            "Completed 200 OK in",
            "generated 14 bytes in",
            "c.e.App - Query executed in",
            "done in",
            "64 bytes icmp_seq=1 time",
            "request took",
        ] {
            assert_eq!(of(text), latency, "{text}");
        }
        for text in [
            "connection refused, will retry in",
            "backoff: next attempt in",
            "polling again in",
            "token expires in",
            "attempt failed, retrying in",
            "retry interval time",
        ] {
            assert_eq!(of(text), Kind::Setting, "{text}");
        }
        for text in ["gc total time", "GET / 200 in", "gave up in"] {
            assert_eq!(of(text), Kind::Other(None), "{text}");
        }
    }
}
