//! Amounts as people write them in plans: `256`, `4k`, `20 %`, `8k` bytes, `uring`.

use std::fmt::Write as _;

use isotherm_frame::typed;

/// What the values of a variable are.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Kind {
    /// Whole numbers; `k`, `m` and `g` are powers of 1000.
    Count {
        /// The least that makes sense.
        least: u64,
        /// The most.
        most: u64,
    },
    /// Numbers above 0 and at most so many; `k`, `m` and `g` are powers of 1000.
    Rate {
        /// The most that makes sense.
        most: f64,
    },
    /// 0 to 100.
    Percent,
    /// Whole numbers; `k`, `m`, `g` and `t` are powers of 1024.
    Bytes {
        /// The least that makes sense.
        least: u64,
        /// The most.
        most: u64,
    },
    /// One of these.
    Words(&'static [&'static str]),
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// A number of the kind's unit; whole where the kind is.
    Number(f64),
    /// A word.
    Word(&'static str),
}

impl Kind {
    /// Reads one value; the error says what is allowed.
    pub fn read(self, text: &str) -> Result<Amount, String> {
        let text = text.trim();
        if let Kind::Words(words) = self {
            let word = words.iter().find(|word| text.eq_ignore_ascii_case(word));
            return word.map(|word| Amount::Word(word)).ok_or_else(|| self.refusal(text));
        }
        let number = self.number(text).ok_or_else(|| self.refusal(text))?;
        self.admits(number).then_some(Amount::Number(number)).ok_or_else(|| self.refusal(text))
    }

    /// Reads a number in the kind's unit, whether or not it makes sense by itself: steps of a
    /// range, too.
    pub fn number(self, text: &str) -> Option<f64> {
        let number = match self {
            Kind::Words(_) => return None,
            Kind::Percent => typed::share(text),
            Kind::Bytes { .. } => typed::bytes(text).map(|bytes| bytes as f64),
            Kind::Count { .. } => typed::count(text).map(|count| count as f64),
            Kind::Rate { .. } => typed::rate(text),
        };
        number.ok()
    }

    /// Whether the number makes sense.
    pub fn admits(self, number: f64) -> bool {
        match self {
            Kind::Count { least, most } | Kind::Bytes { least, most } => {
                number.fract() == 0.0 && (least as f64..=most as f64).contains(&number)
            }
            Kind::Rate { most } => number > 0.0 && number <= most,
            Kind::Percent => (0.0..=100.0).contains(&number),
            Kind::Words(_) => false,
        }
    }

    /// Whether only whole numbers make sense.
    pub fn is_whole(self) -> bool {
        matches!(self, Kind::Count { .. } | Kind::Bytes { .. })
    }

    /// The value as it is read again: without loss.
    pub fn text(self, amount: &Amount) -> String {
        match (self, amount) {
            (_, Amount::Word(word)) => (*word).to_owned(),
            (Kind::Bytes { .. }, Amount::Number(bytes)) => {
                let units = [(40, "t"), (30, "g"), (20, "m"), (10, "k")];
                let whole = |shift: i32| bytes / 2_f64.powi(shift);
                let unit = units
                    .into_iter()
                    .find(|&(shift, _)| *bytes > 0.0 && whole(shift).fract() == 0.0);
                unit.map_or_else(
                    || bytes.to_string(),
                    |(shift, name)| format!("{}{name}", whole(shift)),
                )
            }
            (_, Amount::Number(number)) => number.to_string(),
        }
    }

    /// What is allowed, in words.
    pub fn allowed(self) -> String {
        match self {
            Kind::Count { least, most } => format!("a whole number from {least} to {most}"),
            Kind::Rate { most } => format!("a number above 0 and at most {most}, such as 4k"),
            Kind::Percent => "a number from 0 to 100".to_owned(),
            Kind::Bytes { least, most } => {
                let text = |bytes: u64| self.text(&Amount::Number(bytes as f64));
                format!("bytes from {} to {}, such as 8k", text(least), text(most))
            }
            Kind::Words(words) => {
                let mut all = String::new();
                for (index, word) in words.iter().enumerate() {
                    let _ = write!(all, "{}{word}", if index == 0 { "" } else { ", " });
                }
                format!("one of {all}")
            }
        }
    }

    fn refusal(self, text: &str) -> String {
        format!("'{text}' is not {}", self.allowed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: Kind = Kind::Count { least: 1, most: 65_536 };
    const BYTES: Kind = Kind::Bytes { least: 512, most: 1 << 40 };
    const RATE: Kind = Kind::Rate { most: 1e9 };

    fn number(kind: Kind, text: &str) -> Option<f64> {
        match kind.read(text) {
            Ok(Amount::Number(number)) => Some(number),
            _ => None,
        }
    }

    #[test]
    fn suffixes_are_thousands_of_things_and_1024s_of_bytes() {
        assert_eq!(number(COUNT, "4k"), Some(4_000.0));
        assert_eq!(number(RATE, "2.5k"), Some(2_500.0));
        assert_eq!(number(BYTES, "4k"), Some(4_096.0));
        assert_eq!(number(BYTES, "1.5 MiB"), Some(1_572_864.0));
        assert_eq!(number(Kind::Percent, "20 %"), Some(20.0));
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_does() {
        for text in ["0", "65537", "1.5", "-1", "1e3", "inf", "nan", "", "k", "8q", "0x10"] {
            assert_eq!(number(COUNT, text), None, "{text}");
        }
        assert_eq!(COUNT.read("0"), Err("'0' is not a whole number from 1 to 65536".to_owned()));
        assert_eq!(BYTES.read("1"), Err("'1' is not bytes from 512 to 1t, such as 8k".to_owned()));
        let method = Kind::Words(&["auto", "sync"]);
        assert_eq!(method.read("aio"), Err("'aio' is not one of auto, sync".to_owned()));
        assert_eq!(method.read("Sync"), Ok(Amount::Word("sync")));
        assert_eq!(number(Kind::Percent, "100.5"), None);
        assert_eq!(number(RATE, "0"), None);
    }

    #[test]
    fn bytes_are_written_in_the_largest_unit_that_holds_them() {
        let text = |bytes: f64| BYTES.text(&Amount::Number(bytes));
        assert_eq!(text(8_192.0), "8k");
        assert_eq!(text(1_572_864.0), "1536k");
        assert_eq!(text(513.0), "513");
        assert_eq!(text(2_f64.powi(40)), "1t");
    }
}
