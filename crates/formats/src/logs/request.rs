//! What the user says about the fields of log lines.

use isotherm_frame::Unit;

use super::names::Moment;
use crate::{Context, DecodeError};

/// Which fields the user chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FieldChoice {
    /// The field of the latency.
    pub(super) latency: Option<String>,
    /// The unit of a number without one.
    pub(super) unit: Option<Unit>,
    /// The field of the time.
    pub(super) time: Option<String>,
    pub(super) time_unit: Option<Unit>,
    /// Whether the user says in which zone times are.
    pub(super) has_zone: bool,
    /// Which moment of the event the time is.
    pub(super) moment: Option<Moment>,
    /// Fields that tell series apart.
    pub(super) attributes: Vec<String>,
}

impl FieldChoice {
    /// Reads `--columns time=ts,latency_ms=dur,path`, `--by`, `--unit` and `--time-unit`.
    pub(super) fn of(context: &Context) -> Result<FieldChoice, DecodeError> {
        let (unit, time_unit) = (context.unit, context.time_unit);
        let has_zone = context.zone.is_some();
        let mut wanted = FieldChoice { unit, time_unit, has_zone, ..FieldChoice::default() };
        for name in context.columns.iter().flat_map(|columns| &columns.names) {
            match name.split_once('=') {
                Some((role, field)) => wanted.role(role.trim(), field.trim())?,
                None => wanted.attributes.push(name.trim().to_owned()),
            }
        }
        for name in &context.by {
            if !wanted.attributes.contains(name) {
                wanted.attributes.push(name.clone());
            }
        }
        Ok(wanted)
    }

    fn role(&mut self, role: &str, field: &str) -> Result<(), DecodeError> {
        let (base, unit) = match role.rsplit_once('_') {
            Some((base, unit)) => (base, unit.parse::<Unit>().ok()),
            None => (role, None),
        };
        let field = Some(field.to_owned());
        match base {
            "latency" => {
                self.latency = field;
                self.unit = unit.or(self.unit);
            }
            "time" | "start" | "end" => {
                self.time = field;
                self.time_unit = unit.or(self.time_unit);
                self.moment = match base {
                    "start" => Some(Moment::Start),
                    "end" => Some(Moment::End),
                    _ => self.moment,
                };
            }
            _ => {
                return Err(DecodeError::Nothing(format!(
                    "--columns {role}=...: of log lines it names the field of the latency \
                     (latency_ms=FIELD) and of the time (time=FIELD, start=FIELD or end=FIELD); other \
                     fields stand alone and become attributes"
                )));
            }
        }
        Ok(())
    }
}
