//! The amounts that options take: what `frame::typed` reads, within what makes sense here.

use isotherm_frame::{Nanos, typed};

/// No schedule runs faster, operations per second.
const MOST_RATE: f64 = 1e8;

/// Reads a number of bytes above 0.
pub fn bytes(text: &str) -> Result<u64, String> {
    above_0(text, typed::bytes(text).map_err(|error| error.to_string())?)
}

/// Reads a count above 0.
pub fn count(text: &str) -> Result<u64, String> {
    above_0(text, typed::count(text).map_err(|error| error.to_string())?)
}

/// Reads a length of time above 0.
pub fn time(text: &str) -> Result<Nanos, String> {
    let time: Nanos = text.parse().map_err(|error| format!("{error}"))?;
    above_0(text, time.as_nanos()).map(Nanos::new)
}

/// Reads a rate per second above 0.
pub fn rate(text: &str) -> Result<f64, String> {
    let rate = typed::rate(text).map_err(|error| error.to_string())?;
    (rate > 0.0 && rate <= MOST_RATE)
        .then_some(rate)
        .ok_or_else(|| format!("'{text}' must lie above 0, and be at most {MOST_RATE:.0} a second"))
}

/// Reads the rows of a table as SLOB's SCALE does: a number of them, or with `M`, `G` or `T` how
/// large the table is to be in blocks of 8 KiB. SLOB knows no `k`: a table of so few KiB would be no load, so that
/// `100k` is 100,000 rows.
pub fn scale(text: &str) -> Result<u64, String> {
    let refused =
        || format!("'{text}' is not a scale; write rows such as 100k, or a size such as 80M");
    let is_size = text.to_ascii_lowercase().contains(['m', 'g', 't']);
    let rows = if is_size {
        typed::bytes(text).map_err(|_| refused())? / 8_192
    } else {
        typed::count(text).map_err(|_| refused())?
    };
    if rows > 0 { Ok(rows) } else { Err(refused()) }
}

/// Reads a share from 0 to 100, with or without `%`.
pub fn per_cent(text: &str) -> Result<f64, String> {
    typed::share(text).map_err(|error| error.to_string())
}

fn above_0(text: &str, number: u64) -> Result<u64, String> {
    if number > 0 { Ok(number) } else { Err(format!("'{text}' must lie above 0")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_nothing_are_refused() {
        assert_eq!(bytes("8kb"), Ok(8_192));
        assert_eq!(count("1.5k"), Ok(1_500));
        assert!(bytes("0").is_err() && count("0").is_err() && count("0.5").is_err());
        assert_eq!(time("250ms"), Ok(Nanos::from_millis(250)));
        for text in ["0", "0s", "0.0ms", "-1s", "", "soon"] {
            assert!(time(text).is_err(), "{text}");
        }
        for text in ["0", "-1", "fast", "1e9", "101M", ""] {
            assert!(rate(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_scale_is_rows_or_a_size_in_blocks() {
        assert_eq!(scale("10000"), Ok(10_000));
        assert_eq!(scale("80M"), Ok(10_240));
        assert_eq!(scale("80 MiB"), Ok(10_240));
        assert_eq!(scale("1g"), Ok(131_072));
        assert_eq!(scale("100k"), Ok(100_000));
        assert!(["0", "10kB", "10KiB", "x"].iter().all(|text| scale(text).is_err()));
    }
}
