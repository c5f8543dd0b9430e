//! What the columns of a text are.

use isotherm_frame::Unit;

use super::names::{TimeRole, Role};
use super::fields::Separator;
use super::time::Form;

/// What is known before the first line of data is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) separator: Separator,
    /// What each column holds. Columns beyond are not looked at unless `exact`.
    pub(super) roles: Vec<Role>,
    /// The most columns that a line may have; in one with more a comma within a number may have become a
    /// separator.
    pub(super) most: usize,
    /// How many decimals the last column has, where it has as many in all first lines.
    pub(super) last_decimals: Option<usize>,
    pub(super) latency_unit: Unit,
    /// The columns of the time, each with how it is written.
    pub(super) times: Vec<(usize, Form)>,
    /// Which moment of an event that time is.
    pub(super) moment: TimeRole,
    /// Whether there are columns that are not used.
    pub(super) others: bool,
}
