//! Conditions such as `p99>20ms`: a measure, a comparison and a limit.

use std::fmt;
use std::str::FromStr;

use super::duration::fraction_ns;
use super::error::Expected;
use super::{TypedError, duration, factor, rate, share};
use crate::Nanos;

const CONDITION: Expected = Expected { name: "a condition", examples: ["p99>20ms", "mean<=1ms"] };

/// A condition as it was typed. Which measures and limits make sense is known to who asks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// What is measured.
    pub measure: Measure,
    /// Whether values above the limit hold, not those below.
    pub above: bool,
    /// Whether the limit itself holds.
    pub or_equal: bool,
    /// What it is compared with.
    pub limit: Limit,
    /// Nanoseconds above or below those of the limit, less than one: a mean can be 1.5 ns.
    fraction_ns: f64,
    text: String,
}

/// What a condition is about.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Measure {
    /// A percentile of latency, 0 to 100.
    Percentile(f64),
    /// The mean latency.
    Mean,
    /// The longest latency.
    Max,
    /// Events per second.
    Rate,
    /// Time waited.
    Waited,
    /// The growth of throughput as a share of the growth of load.
    Gain,
}

/// What a measure is compared with.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Limit {
    /// A length of time.
    Time(Nanos),
    /// Events per second.
    Rate(f64),
    /// Per cent.
    Share(f64),
    /// So many times what it was before.
    Factor(f64),
}

impl Condition {
    /// A length of time in nanoseconds as it was typed, with a fraction of one.
    pub fn nanoseconds(&self, limit: Nanos) -> f64 {
        limit.as_nanos() as f64 + self.fraction_ns
    }

    /// The error that this condition makes no sense here.
    pub fn refuse(&self, why: impl Into<String>, examples: [&'static str; 2]) -> TypedError {
        TypedError::new(&self.text, "a condition that can be judged here", why, examples)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Condition {
    type Err = TypedError;

    /// Reads a measure (`p99.9`, `mean`, `max`, `rate`, `waited`, `gain`), `<`, `<=`, `>` or `>=`, and
    /// a length of time, a rate, a share or a factor.
    fn from_str(text: &str) -> Result<Condition, TypedError> {
        let text = text.trim();
        let refuse = |why: String| CONDITION.refuse(text, why);
        let at = text.find(['<', '>']).ok_or_else(|| {
            refuse("there is no comparison (<, <=, > or >=) after a measure".to_owned())
        })?;
        let (name, rest) = text.split_at(at);
        let or_equal = rest[1..].starts_with('=');
        let typed = rest[1 + usize::from(or_equal)..].trim();
        let measure = measure(name.trim()).ok_or_else(|| refuse(no_measure(name.trim())))?;
        let limit = limit(measure, typed).map_err(|error| error.within(text, CONDITION))?;
        let fraction_ns = match limit {
            Limit::Time(_) => fraction_ns(typed),
            _ => 0.0,
        };
        Ok(Condition {
            measure,
            above: rest.starts_with('>'),
            or_equal,
            limit,
            fraction_ns,
            text: text.to_owned(),
        })
    }
}

fn measure(name: &str) -> Option<Measure> {
    let percentile = |digits: &str| {
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let percent = digits.parse().ok().filter(|percent| plain && *percent <= 100.0);
        percent.map(Measure::Percentile)
    };
    match name {
        "mean" | "avg" => Some(Measure::Mean),
        "max" => Some(Measure::Max),
        "rate" => Some(Measure::Rate),
        "waited" | "wait" => Some(Measure::Waited),
        "gain" => Some(Measure::Gain),
        _ => name.strip_prefix('p').and_then(percentile),
    }
}

fn no_measure(name: &str) -> String {
    format!(
        "'{name}' is not a measure: there are p50, p99.9 or any other percentile, mean, max, rate, \
         waited and gain"
    )
}

/// The kind of a limit follows from its unit, and of a bare number from the measure.
fn limit(measure: Measure, typed: &str) -> Result<Limit, TypedError> {
    if typed.ends_with('%') {
        return share(typed).map(Limit::Share);
    }
    if typed.starts_with(['x', '×']) || typed.ends_with(['x', '×']) {
        return factor(typed).map(Limit::Factor);
    }
    match measure {
        Measure::Rate => rate(typed).map(Limit::Rate),
        Measure::Gain => share(typed).map(Limit::Share),
        _ => duration(typed).map(Limit::Time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (Measure, bool, bool, Limit) {
        let read: Condition = text.parse().unwrap();
        assert_eq!(read.to_string(), text.trim());
        (read.measure, read.above, read.or_equal, read.limit)
    }

    #[test]
    fn every_part_of_a_condition_is_read() {
        let ms = |ms| Limit::Time(Nanos::from_millis(ms));
        assert_eq!(parts("p99>20ms"), (Measure::Percentile(99.0), true, false, ms(20)));
        assert_eq!(parts(" p99.9 >= 3m40s "), (Measure::Percentile(99.9), true, true, ms(220_000)));
        assert_eq!(parts("mean<=1ms"), (Measure::Mean, false, true, ms(1)));
        assert_eq!(parts("max<1.5h"), (Measure::Max, false, false, ms(5_400_000)));
        assert_eq!(parts("rate<10"), (Measure::Rate, false, false, Limit::Rate(10.0)));
        assert_eq!(parts("rate<600/min"), (Measure::Rate, false, false, Limit::Rate(10.0)));
        assert_eq!(parts("rate<0.9x"), (Measure::Rate, false, false, Limit::Factor(0.9)));
        assert_eq!(parts("waited>5%"), (Measure::Waited, true, false, Limit::Share(5.0)));
        assert_eq!(parts("gain<5"), (Measure::Gain, false, false, Limit::Share(5.0)));
    }

    #[test]
    fn a_limit_is_not_rounded_to_whole_nanoseconds() {
        for (text, ns) in [
            ("mean>1.5ns", 1.5),
            ("mean>0.4ns", 0.4),
            ("mean>0.0015us", 1.5),
            ("mean>1us 2.25ns", 1_002.25),
            ("mean>1.1ms", 1_100_000.0),
            ("mean>2ns", 2.0),
            ("mean>3m40s", 220e9),
        ] {
            let read: Condition = text.parse().unwrap();
            let Limit::Time(limit) = read.limit else { panic!("{text}: {read:?}") };
            assert!((read.nanoseconds(limit) - ns).abs() < 1e-9 * ns, "{text}: {read:?}");
        }
    }

    #[test]
    fn a_refusal_says_where_it_breaks() {
        for (text, part) in [
            ("p99", "no comparison"),
            ("p99=5ms", "no comparison"),
            ("median>1ms", "'median' is not a measure"),
            ("p101>1ms", "'p101' is not a measure"),
            ("p-1>1ms", "'p-1' is not a measure"),
            ("p99>fast", "'fast' does not begin with a number"),
            ("p99>", "a part of it is missing"),
            ("rate<10ms", "'ms' is not one of the units"),
            ("waited>101%", "'101%' is above 100 per cent"),
            ("p99>0x", "'0x' is not above 0"),
        ] {
            let said = text.parse::<Condition>().unwrap_err().to_string();
            assert!(said.contains(part) && said.contains(&format!("'{text}'")), "{text}: {said}");
        }
        assert_eq!(
            "p99>20".parse::<Condition>().unwrap_err().to_string(),
            "p99>20: add a unit, such as p99>20ms or p99>20s"
        );
    }
}
