//! What the columns of a text are.

use isotherm_frame::Unit;

use super::cells::roles_of_header;
use super::fields::{Fields, Separator};
use super::names::{Role, TimeRole, settled, unit_of_column};
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
    /// Whether a comma in a number is a decimal one.
    pub(super) decimal_comma: bool,
    /// The columns of the time, each with how it is written.
    pub(super) times: Vec<(usize, Form)>,
    /// Which moment of an event that time is.
    pub(super) moment: TimeRole,
    /// Whether there are columns that are not used.
    pub(super) others: bool,
    /// The head above the data, if there is one.
    pub(super) head: Option<Vec<u8>>,
}

/// A head among the data, as where files were written one behind the other.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum RepeatedHead {
    /// It says what is known.
    Same,
    /// It names other columns or units.
    Other,
}

impl Layout {
    /// Whether a line, without the sign of a comment, is a head: the one above the data once more, or one of as many
    /// columns that names time and latency. Data without a head have no second one either: a sentence may hold
    /// these words, too.
    pub(super) fn repeated_head(&self, line: &[u8]) -> Option<RepeatedHead> {
        let (head, line) = (self.head.as_deref()?, line.trim_ascii());
        if head == line {
            return Some(RepeatedHead::Same);
        }
        let fields = Fields::of(line, self.separator);
        if fields.len() != Fields::of(head, self.separator).len() {
            return None;
        }
        let (roles, moment) = settled(roles_of_header(line)?);
        let latency = self.roles.iter().position(|role| matches!(role, Role::Latency(_)))?;
        let unit = |index| unit_of_column(&String::from_utf8_lossy(&fields.text(line, index)));
        let is_same_time = |&(index, form): &(usize, Form)| {
            let other_unit = match form {
                Form::Number(known) => unit(index).is_some_and(|unit| unit != known),
                _ => false,
            };
            matches!(roles.get(index), Some(Role::Time(_))) && !other_unit
        };
        let is_same = moment == self.moment
            && self.times.iter().all(is_same_time)
            && matches!(roles.get(latency), Some(Role::Latency(_)))
            && unit(latency).is_none_or(|unit| unit == self.latency_unit);
        Some(if is_same { RepeatedHead::Same } else { RepeatedHead::Other })
    }
}
