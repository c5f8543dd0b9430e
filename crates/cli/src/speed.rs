//! How fast something is shown again.

use isotherm_pipeline::Speed;

use crate::failure::Failure;

/// How fast to go: a number, perhaps with an x, or max.
pub fn speed(text: &str) -> Result<Speed, Failure> {
    if text == "max" {
        return Ok(Speed::Max);
    }
    let number: Option<f64> = text.trim_end_matches('x').parse().ok();
    let speed = number.filter(|speed| *speed > 0.0 && speed.is_finite());
    speed.map(Speed::Times).ok_or_else(|| {
        Failure::usage(format!("--speed {text}: write how many times faster, such as 10, or max"))
    })
}
