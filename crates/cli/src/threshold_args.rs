//! The conditions that make a command fail.

use clap::Args;
use isotherm_analysis::Threshold;
use isotherm_frame::TypedError;

/// Conditions on what a command reads or watches.
#[derive(Args, Debug, Clone, Default)]
pub struct FailIfArgs {
    /// Exit with 99 if this holds (for any series, or if there is no event at all): p99>20ms,
    /// mean>1ms, max>1s, rate<10/s, waited>50% (of all time waited); may be repeated;
    /// docs/guide/grammar.md says what there is
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<Threshold>,
}

/// A condition on the operations of a load, of which there are no series to share the time waited.
pub fn of_load(text: &str) -> Result<Threshold, TypedError> {
    let threshold: Threshold = text.parse()?;
    if threshold.is_of_share() {
        let why = "the operations of a load have all time waited; p0 to p100, mean, max and rate can \
                   be judged";
        return Err(threshold.refuse(why, ["p99>20ms", "rate<10k"]));
    }
    Ok(threshold)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_has_no_shares_of_time_waited() {
        let said = of_load("waited>50%").unwrap_err().to_string();
        assert!(said.contains("'waited>50%'") && said.contains("mean, max and rate"), "{said}");
        assert!(
            ["p99>20ms", "mean>1ms", "max>1s", "rate<10k"].iter().all(|one| of_load(one).is_ok())
        );
    }
}
