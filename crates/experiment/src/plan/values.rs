//! The values that a variable takes: `1,2,4`, `1..256x2`, `10..100+10`, `4k..64k+8k`.

use isotherm_frame::typed;

use super::amount::{Amount, Kind};

/// The most values of one variable.
pub const MOST_VALUES: usize = 1_000;

/// A part of a list of values.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// One value.
    One(Amount),
    /// From the first on, each so many times the one before, while they do not pass the last.
    Times {
        /// The first value.
        from: f64,
        /// The last there can be.
        to: f64,
        /// Above 1.
        factor: f64,
    },
    /// From the first on, each so much more than the one before, while they do not pass the last.
    Plus {
        /// The first value.
        from: f64,
        /// The last there can be.
        to: f64,
        /// Above 0.
        step: f64,
    },
}

/// Reads a list.
pub fn read(kind: Kind, text: &str) -> Result<Vec<Term>, String> {
    if text.trim().is_empty() {
        return Err(format!("no values: write {}, or several with commas", kind.allowed()));
    }
    text.split(',').map(|part| read_term(kind, part.trim())).collect()
}

fn read_term(kind: Kind, text: &str) -> Result<Term, String> {
    let Some((from, rest)) = text.split_once("..") else {
        return kind.read(text).map(Term::One);
    };
    if matches!(kind, Kind::Words(_)) {
        return Err(format!("'{text}' is a range; write {}, several with commas", kind.allowed()));
    }
    let shape = || {
        format!(
            "'{text}' is not a range: write FROM..TOxFACTOR such as 1..256x2, or FROM..TO+STEP \
             such as 10..100+10"
        )
    };
    let (to, times, step) = match rest.split_once(['x', '*']) {
        Some((to, factor)) => (to, true, factor),
        None => rest.split_once('+').map(|(to, step)| (to, false, step)).ok_or_else(shape)?,
    };
    let end = |text: &str| match kind.read(text)? {
        Amount::Number(number) => Ok(number),
        Amount::Word(_) => Err(shape()),
    };
    let (from, to) = (end(from)?, end(to)?);
    if to < from {
        return Err(format!("'{text}' goes down: write the smaller value first"));
    }
    if times {
        return times_term((from, to), step).ok_or_else(|| {
            format!("'{text}': the factor must be above 1, and the range must not begin at 0")
        });
    }
    let step = kind.number(step).filter(|step| *step > 0.0);
    step.map(|step| Term::Plus { from, to, step })
        .ok_or_else(|| format!("'{text}': the step must be above 0"))
}

fn times_term((from, to): (f64, f64), factor: &str) -> Option<Term> {
    let factor = typed::factor(&format!("x{factor}")).ok()?;
    (factor > 1.0 && factor <= 1e6 && from > 0.0).then_some(Term::Times { from, to, factor })
}

/// Writes a list as it is read.
pub fn text(kind: Kind, terms: &[Term]) -> String {
    let number = |number: f64| kind.text(&Amount::Number(number));
    let term = |term: &Term| match term {
        Term::One(amount) => kind.text(amount),
        Term::Times { from, to, factor } => format!("{}..{}x{factor}", number(*from), number(*to)),
        Term::Plus { from, to, step } => {
            format!("{}..{}+{}", number(*from), number(*to), number(*step))
        }
    };
    terms.iter().map(term).collect::<Vec<String>>().join(",")
}

/// The values one by one, each once; numbers that must be whole are rounded. The error says how
/// many are allowed.
pub fn expand(kind: Kind, terms: &[Term]) -> Result<Vec<Amount>, String> {
    let mut values: Vec<Amount> = Vec::new();
    for term in terms {
        let steps: Box<dyn Iterator<Item = Amount> + '_> = match term {
            Term::One(amount) => Box::new(std::iter::once(amount.clone())),
            &Term::Times { from, to, factor } => {
                Box::new(numbers(kind, to, move |index| from * factor.powf(index)))
            }
            &Term::Plus { from, to, step } => {
                Box::new(numbers(kind, to, move |index| step.mul_add(index, from)))
            }
        };
        // Steps that are small beside 1 repeat themselves when rounded: they are bounded, too.
        for (taken, value) in steps.enumerate() {
            if !values.contains(&value) {
                values.push(value);
            }
            if values.len() > MOST_VALUES || taken > 10 * MOST_VALUES {
                return Err(format!("more than {MOST_VALUES} values: take larger steps"));
            }
        }
    }
    Ok(values)
}

/// The numbers of a range up to its end. What differs from the end by rounding is the end.
fn numbers(kind: Kind, to: f64, at: impl Fn(f64) -> f64) -> impl Iterator<Item = Amount> {
    let exact = move |index: u32| {
        let value = at(f64::from(index));
        if (value - to).abs() <= to * 1e-9 { to } else { value }
    };
    let rounded = move |value: f64| if kind.is_whole() { value.round() } else { value };
    (0_u32..).map(exact).take_while(move |value| *value <= to).map(rounded).map(Amount::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: Kind = Kind::Count { least: 1, most: 65_536 };

    fn numbers_of(kind: Kind, list: &str) -> Vec<f64> {
        let terms = read(kind, list).expect("a list");
        let number = |amount: Amount| match amount {
            Amount::Number(number) => number,
            Amount::Word(_) => f64::NAN,
        };
        expand(kind, &terms).expect("few values").into_iter().map(number).collect()
    }

    #[test]
    fn lists_and_ranges_make_their_values() {
        let powers: Vec<f64> = (0..9).map(|power| 2_f64.powi(power)).collect();
        assert_eq!(numbers_of(COUNT, "1..256x2"), powers);
        assert_eq!(numbers_of(COUNT, "10..40+10"), [10.0, 20.0, 30.0, 40.0]);
        assert_eq!(numbers_of(COUNT, "1, 3,2..9+3"), [1.0, 3.0, 2.0, 5.0, 8.0]);
        // 1, 1.5, 2.25, 3.375, 5.0625, 7.59: rounded, each once.
        assert_eq!(numbers_of(COUNT, "1..8x1.5"), [1.0, 2.0, 3.0, 5.0, 8.0]);
        assert_eq!(numbers_of(COUNT, "4,1..4x2"), [4.0, 1.0, 2.0]);
        let rate = Kind::Rate { most: 1e9 };
        assert_eq!(numbers_of(rate, "4k..20k+8k"), [4_000.0, 12_000.0, 20_000.0]);
        // Ten steps of a tenth end at 1, though ten tenths in binary do not.
        assert_eq!(numbers_of(rate, "0.1..1+0.1").len(), 10);
        let bytes = Kind::Bytes { least: 512, most: 1 << 40 };
        assert_eq!(numbers_of(bytes, "4k..16kx2"), [4_096.0, 8_192.0, 16_384.0]);
        assert_eq!(numbers_of(Kind::Percent, "0..50+25"), [0.0, 25.0, 50.0]);
    }

    #[test]
    fn nonsense_is_reported() {
        let error = |list: &str| read(COUNT, list).expect_err(list);
        assert!(error("1..256").starts_with("'1..256' is not a range: write FROM..TOxFACTOR"));
        assert_eq!(error("8..1x2"), "'8..1x2' goes down: write the smaller value first");
        assert!(
            error("1..8x1")
                .ends_with("the factor must be above 1, and the range must not begin at 0")
        );
        assert!(error("1..8+0").ends_with("the step must be above 0"));
        assert_eq!(error("1,,2"), "'' is not a whole number from 1 to 65536");
        assert!(error(" ").starts_with("no values: write a whole number"));
        assert!(read(Kind::Percent, "0..100x2").is_err());
        let words = Kind::Words(&["auto", "sync"]);
        assert_eq!(
            read(words, "auto..sync"),
            Err("'auto..sync' is a range; write one of auto, sync, several with commas".to_owned())
        );
    }

    #[test]
    fn there_is_a_most() {
        let terms = read(COUNT, "1..65536+1").expect("a list");
        let error = expand(COUNT, &terms).expect_err("too many");
        assert_eq!(error, "more than 1000 values: take larger steps");
        // A factor that hardly grows is found out all the same.
        let slow = read(COUNT, "1..65536x1.0000001").expect("a list");
        assert_eq!(expand(COUNT, &slow), Err(error));
    }
}
