//! By what models of one sweep are compared.

use schemars::JsonSchema;
use serde::Serialize;

/// By what models are compared.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// Akaike's, corrected for few points (Hurvich and Tsai 1989).
    Aicc,
    /// n times the logarithm of the mean square of what each point is off when the others predict it
    /// (Stone 1974). For many points it orders models as Akaike's does (Stone 1977); for few it does
    /// not forbid a third parameter, as the correction does. Each parameter adds one.
    LeaveOneOut,
}

impl Criterion {
    /// From so many points on Akaike's criterion is used.
    pub const AICC_POINTS: usize = 9;

    pub(crate) fn of(points: usize) -> Criterion {
        if points < Criterion::AICC_POINTS { Criterion::LeaveOneOut } else { Criterion::Aicc }
    }
}
