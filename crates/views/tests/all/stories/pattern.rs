//! Sentences held against what must be in them.
//!
//! A pattern is a sentence with places in it:
//! - `<300>`: the second 300 of the story, to within one, estimate or not; `<300~8>`: to within eight;
//! - `{2.8..3.2}`, `{29ms..31ms}`: a number, or a latency, between the two;
//! - `[30ms]`: a range of latency, or of numbers, with this one in it;
//! - `*`: any text.

use isotherm_frame::Nanos;

/// The time of day at which stories begin, in seconds.
const START: f64 = 14.0 * 3_600.0 + 30.0 * 60.0;

/// Whether a sentence is what a pattern says.
pub fn matches(pattern: &str, sentence: &str) -> bool {
    let Some(place) = pattern.chars().next() else { return sentence.is_empty() };
    let rest = &pattern[place.len_utf8()..];
    let closed = |with: char| rest.split_once(with).expect("a pattern closes its places");
    match place {
        '*' => {
            let mut places = sentence.char_indices().map(|(at, _)| at).chain([sentence.len()]);
            places.any(|at| matches(rest, &sentence[at..]))
        }
        '<' => {
            let (wanted, rest) = closed('>');
            let (second, by) = wanted.split_once('~').unwrap_or((wanted, "1"));
            let (second, by): (f64, f64) = (number(second), number(by));
            after_moment(sentence)
                .is_some_and(|(at, left)| (at - second).abs() <= by && matches(rest, left))
        }
        '{' => {
            let (wanted, rest) = closed('}');
            let (least, most) = wanted.split_once("..").expect("two ends");
            let within = |value: f64| amount(least) <= value && value <= amount(most);
            after_amount(sentence).is_some_and(|(value, left)| within(value) && matches(rest, left))
        }
        '[' => {
            let (wanted, rest) = closed(']');
            let within = |(lo, hi): (f64, f64)| lo <= amount(wanted) && amount(wanted) <= hi;
            after_range(sentence).is_some_and(|(range, left)| within(range) && matches(rest, left))
        }
        _ => sentence.strip_prefix(place).is_some_and(|left| matches(rest, left)),
    }
}

fn number(text: &str) -> f64 {
    text.parse().expect("a number")
}

/// A plain number, or a length of time in seconds.
fn amount(text: &str) -> f64 {
    let text = text.replace(',', "");
    text.parse::<Nanos>().map_or_else(|_| number(&text), Nanos::as_secs_f64)
}

/// `14:35:00`, `14:35:00.125` or `≈14:35:00` as seconds of the story, and what follows.
fn after_moment(sentence: &str) -> Option<(f64, &str)> {
    let sentence = sentence.trim_start_matches('≈');
    let end = sentence.find(|c: char| !c.is_ascii_digit() && !":.".contains(c));
    let (text, left) = sentence.split_at(end.unwrap_or(sentence.len()));
    let mut parts = text.split(':').map(|part| part.parse::<f64>().ok());
    let mut next = || parts.next().flatten();
    let (hours, minutes, seconds) = (next()?, next()?, next()?);
    Some((hours * 3_600.0 + minutes * 60.0 + seconds - START, left))
}

/// The digits a text begins with, the unit after them, and what follows.
fn digits_and_unit(text: &str) -> Option<(&str, &str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && !".,".contains(c)).unwrap_or(text.len());
    let digits = text[..end].trim_end_matches(['.', ',']);
    let rest = &text[digits.len()..];
    let units = ["ns", "µs", "ms", "s", "m", "h"];
    let is_word = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric());
    let unit = units.into_iter().find(|unit| rest.strip_prefix(unit).is_some_and(|r| !is_word(r)));
    let unit = unit.unwrap_or_default();
    (!digits.is_empty()).then(|| (digits, unit, &rest[unit.len()..]))
}

fn after_amount(sentence: &str) -> Option<(f64, &str)> {
    let text = sentence.trim_start_matches(['≈', '<', '>']);
    let (digits, unit, left) = digits_and_unit(text)?;
    // Thousands of events.
    let (times, left) = left.strip_prefix('k').map_or((1.0, left), |left| (1e3, left));
    Some((times * amount(&format!("{digits}{unit}")), left))
}

fn after_range(sentence: &str) -> Option<((f64, f64), &str)> {
    let begun = sentence.trim_start_matches(['<', '>']);
    let (lo, unit, left) = digits_and_unit(begun)?;
    if let Some((hi, unit, left)) = left.strip_prefix('–').and_then(digits_and_unit) {
        let of = |digits: &str| amount(&format!("{digits}{unit}"));
        return Some(((of(lo), of(hi)), left));
    }
    let end = amount(&format!("{lo}{unit}"));
    match sentence.chars().next() {
        Some('<') => Some(((0.0, end), left)),
        Some('>') => Some(((end, f64::INFINITY), left)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_pattern_holds_a_sentence_to_its_moments_and_numbers() {
        let sentence =
            "From 14:35:00 to 14:35:02.5, 98 % of 1.2k events took 16.3–32.8ms, not ≈2ms.";
        let right =
            "From <300> to <301>, {97..99} % of {1200..1200} events took [30ms], not {1.9ms..2ms}.";
        assert!(!matches(right, sentence), "it ended a second and a half later");
        for (from, to) in [("<301>", "<302>"), ("<301>", "<304~2>"), ("<301>", "*")] {
            assert!(matches(&right.replace("<301>", to).replace("<300>", from), sentence), "{to}");
        }
        let others =
            [("[30ms]", "[33ms]"), ("{97..99}", "{96..97}"), ("1.9ms", "2.1ms"), ("not", "nor")];
        for (from, to) in others {
            assert!(!matches(&right.replace("<301>", "<302>").replace(from, to), sentence), "{to}");
        }
        assert!(matches("*", sentence) && !matches("From *, ", sentence));
    }
}
