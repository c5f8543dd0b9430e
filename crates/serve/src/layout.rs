//! Which columns a client has, in a word that it hands back.

use std::fmt;
use std::str::FromStr;

/// The columns of a document: of which run of the program, of which arrangement, and how many finest
/// ones make one in each recording.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Layout {
    /// Tells this run of the program from others.
    pub run: u64,
    /// How often columns were arranged anew.
    pub arrangement: u64,
    /// Of each recording.
    pub factors: Vec<u64>,
}

/// The most recordings of a layout.
const MOST: usize = 256;

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}-{}", self.run, self.arrangement)?;
        self.factors.iter().try_for_each(|factor| write!(f, "-{factor}"))
    }
}

impl FromStr for Layout {
    type Err = ();

    fn from_str(text: &str) -> Result<Layout, ()> {
        let mut parts = text.split('-');
        let run = u64::from_str_radix(parts.next().ok_or(())?, 16).map_err(drop)?;
        let arrangement = parts.next().ok_or(())?.parse().map_err(drop)?;
        let factors = parts.take(MOST).map(|part| part.parse().ok().filter(|&factor| factor > 0));
        let factors = factors.collect::<Option<Vec<u64>>>().ok_or(())?;
        Ok(Layout { run, arrangement, factors })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_comes_back_as_it_went() {
        let layout = Layout { run: u64::MAX, arrangement: 3, factors: vec![1, 20] };
        assert_eq!(layout.to_string().parse(), Ok(layout));
        for wrong in ["", "1", "x-1", "1-x", "1-1-0", "1-1--1", "1-1-99999999999999999999"] {
            assert_eq!(wrong.parse::<Layout>(), Err(()), "{wrong}");
        }
    }
}
