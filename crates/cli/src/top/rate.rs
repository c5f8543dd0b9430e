//! How often samples are taken, and what follows for columns.

use isotherm_analysis::sample_period;
use isotherm_frame::Nanos;

use crate::failure::Failure;

/// Columns shorter than the time between two samples would be empty.
pub fn check_columns(every: Nanos, hz: u32) -> Result<(), Failure> {
    let period = sample_period(hz);
    if every >= period {
        return Ok(());
    }
    let least = Nanos::from_millis(1_000_u64.div_ceil(u64::from(hz.max(1))));
    let enough = Nanos::SECOND.as_nanos().div_ceil(every.as_nanos().max(1));
    Err(Failure::usage(format!(
        "--every {every} is shorter than the time between two samples ({period} at {hz} samples/s): \
         use --every {least}, or --hz {enough}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_long_as_the_time_between_two_samples_at_least() {
        assert!(check_columns(Nanos::from_millis(100), 10).is_ok());
        assert!(check_columns(Nanos::from_millis(334), 3).is_ok());
        let refused = check_columns(Nanos::from_millis(333), 3).unwrap_err().to_string();
        assert!(refused.contains("use --every 334ms, or --hz 4"), "{refused}");
        let refused = check_columns(Nanos::from_millis(150), 2).unwrap_err().to_string();
        assert!(refused.contains("use --every 500ms, or --hz 7"), "{refused}");
    }
}
