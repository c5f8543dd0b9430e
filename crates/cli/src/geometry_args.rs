//! The options that fix the axes and colours of maps, so that two pictures can be compared.

use clap::Args;
use isotherm_analysis::Geometry;
use isotherm_frame::{Nanos, typed};

use crate::amounts;

/// The most rows and the most columns that anybody can look at.
const MOST_ROWS: u64 = 1_000;
const MOST_COLUMNS: u64 = 2_000;

/// Axes and colours.
#[derive(Args, Debug, Clone, Default)]
pub struct GeometryArgs {
    /// At most this many rows of latency, including the rows < and >
    #[arg(long, value_name = "ROWS", value_parser = rows, help_heading = "Picture")]
    pub rows: Option<usize>,
    /// At most this many columns of time
    #[arg(long, value_name = "COLUMNS", value_parser = columns, help_heading = "Picture")]
    pub columns_of_time: Option<usize>,
    /// Draw this range of latencies, such as 100us..1s; shorter and longer ones are counted in the
    /// rows < and >
    #[arg(long, value_name = "FROM..TO", value_parser = latency, help_heading = "Picture")]
    pub latency: Option<(Nanos, Nanos)>,
    /// The events per second that get the strongest colour of the frequency map
    #[arg(long, value_name = "RATE", value_parser = amounts::rate, help_heading = "Picture")]
    pub max_rate: Option<f64>,
    /// The average waiting that gets the strongest colour of the intensity map
    #[arg(long, value_name = "WAITING", value_parser = waiting, help_heading = "Picture")]
    pub max_waiting: Option<f64>,
}

impl GeometryArgs {
    /// Sets one by its name in a configuration file.
    pub fn set(&mut self, word: &str, value: &str) -> Result<(), String> {
        match word {
            "rows" => self.rows = Some(rows(value)?),
            "columns" => self.columns_of_time = Some(columns(value)?),
            "latency" => self.latency = Some(latency(value)?),
            "max-rate" => self.max_rate = Some(amounts::rate(value)?),
            "max-waiting" => self.max_waiting = Some(waiting(value)?),
            _ => return Err(format!("there is no '{word}' of maps")),
        }
        Ok(())
    }

    /// What was said.
    pub fn geometry(&self) -> Geometry {
        Geometry {
            rows: self.rows,
            columns: self.columns_of_time,
            latency: self.latency,
            max_rate: self.max_rate,
            max_waiting: self.max_waiting,
        }
    }
}

fn rows(text: &str) -> Result<usize, String> {
    within(text, 3, MOST_ROWS)
}

fn columns(text: &str) -> Result<usize, String> {
    within(text, 1, MOST_COLUMNS)
}

fn within(text: &str, least: u64, most: u64) -> Result<usize, String> {
    let count = typed::count(text).map_err(|error| error.to_string())?;
    let inside = (least..=most).contains(&count).then(|| usize::try_from(count).ok()).flatten();
    inside.ok_or_else(|| format!("'{text}' must lie from {least} to {most}"))
}

fn latency(text: &str) -> Result<(Nanos, Nanos), String> {
    typed::duration_range(text).map_err(|error| error.to_string())
}

fn waiting(text: &str) -> Result<f64, String> {
    let number = typed::number(text).map_err(|error| error.to_string())?;
    (number > 0.0).then_some(number).ok_or_else(|| format!("'{text}' must lie above 0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_bounds() {
        assert_eq!((rows("3"), columns("1k")), (Ok(3), Ok(1_000)));
        assert!(rows("2").is_err() && columns("0").is_err() && columns("2001").is_err());
        assert_eq!(waiting("0.25"), Ok(0.25));
        assert!(waiting("0").is_err() && waiting("-1").is_err());
        assert!(latency("1s..1ms").unwrap_err().contains("100us..1s"));
    }
}
