//! What the words before a length of time say about it, where its own name leaves that open.

use super::kinds::Kinds;
use super::names::Kind;
use super::sayings::Saying;

/// The kind of a name with a unit behind its number, with the words before it.
pub(super) fn kind_after(before: &str, name: &str, kinds: &Kinds) -> Kind {
    /// Words of the same clause.
    const NEAR: usize = 12;
    let found = kinds.kind(name, false);
    if !matches!(name, "in" | "within" | "time") {
        return found;
    }
    let clause = before.rsplit([';', '|', ',']).next().unwrap_or_default();
    // The last word is the name itself.
    let previous = || from_last(clause).skip(1);
    if name == "time" {
        let mut of = previous().take(2).map(|word| kinds.kind(word, true));
        let other = of.find(|kind| matches!(kind, Kind::Setting | Kind::Summary));
        let not_of_one = previous().next().is_some_and(|word| kinds.saying(word).not_of_one);
        return other.unwrap_or(if not_of_one { Kind::Other(None) } else { found });
    }
    let near = previous().take(NEAR).map(|word| kinds.saying(word));
    let both = |(completed, planned), word: Saying| (completed | word.completed, planned | word.planned);
    match near.fold((false, false), both) {
        (true, false) => found,
        (false, true) => Kind::Setting,
        _ => Kind::Other(None),
    }
}

/// The words of a text from the last to the first: those of `responseTime` are `Time` and `response`.
fn from_last(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.rsplit(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.flat_map(|part| {
        let mut rest = part;
        std::iter::from_fn(move || {
            let (before, word) = rest.split_at(last_word(rest));
            rest = before;
            (!word.is_empty()).then_some(word)
        })
    })
}

/// Where the last word of several in one begins.
fn last_word(part: &str) -> usize {
    let small = |c: char| c.is_lowercase() || c.is_ascii_digit();
    let mut behind = None;
    for (at, c) in part.char_indices().rev() {
        match behind {
            Some((start, next)) if small(c) && char::is_uppercase(next) => return start,
            _ => behind = Some((at, c)),
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::super::names::words;
    use super::*;

    #[test]
    fn what_is_over_is_distinguished_from_what_is_to_come() {
        let of = |text: &str| {
            let name = text.rsplit(' ').next().unwrap();
            kind_after(text, name, &Kinds::default())
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
    #[test]
    fn words_from_the_last_are_those_from_the_first() {
        for text in ["", "completed 200 OK in ", "responseTimeMs=", "GETuser_v2Beta (p99)", "\u{e9}t\u{e9}Max 5"] {
            let mut found: Vec<String> = from_last(text).map(str::to_lowercase).collect();
            found.reverse();
            assert_eq!(found, words(text), "{text}");
        }
    }
}
