//! `--memory`: how much memory what is read may take.

use isotherm_analysis::History;
use isotherm_frame::{Frame, Timestamp};

use crate::amounts;

/// What is held of an input takes about so many bytes at most. Where there is more, intervals get
/// longer, or the oldest go, as the command says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Memory(usize);

impl Default for Memory {
    fn default() -> Memory {
        Memory(256 << 20)
    }
}

/// Below this the program itself takes more.
const LEAST: u64 = 32 << 20;

/// Reads a size such as `512M`.
pub fn parse(text: &str) -> Result<Memory, String> {
    let bytes = amounts::bytes(text)?;
    if bytes < LEAST {
        return Err(format!("'{text}' is too little: at least {}M are needed", LEAST >> 20));
    }
    usize::try_from(bytes).map(Memory).map_err(|error| error.to_string())
}

impl Memory {
    /// For intervals that are looked at one series at a time.
    pub fn packed(self) -> usize {
        self.0 / 3
    }

    /// For intervals that are looked at all at once: unpacked they take several times as much.
    pub fn unpacked(self) -> usize {
        self.0 / 8
    }

    /// What to tell of a history in which intervals were joined so that it fits.
    pub fn told(self, history: &History) -> Option<String> {
        if history.dropped() > 0 {
            return Some(format!(
                "{} of the oldest intervals do not fit in --memory {}M and are left out",
                history.dropped(),
                self.0 >> 20
            ));
        }
        let column = history.joined_to()?;
        Some(format!(
            "intervals are joined to {column}: shorter ones do not fit in --memory {}M",
            self.0 >> 20
        ))
    }
}

/// All frames of a history, oldest first.
pub fn frames(history: &History) -> Vec<Frame> {
    let (first, last) = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
    let series = history.by_time_waited();
    let frames = series.iter().flat_map(|(series, _)| history.each(series, first, last));
    let mut frames: Vec<Frame> = frames.collect();
    frames.sort_by_key(|frame| (frame.start, frame.end));
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_a_size_of_some_use() {
        assert_eq!(parse("512M"), Ok(Memory(512 << 20)));
        assert!(parse("1M").unwrap_err().contains("at least 32M"));
        assert!(parse("much").is_err());
    }
}
