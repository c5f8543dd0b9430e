//! In which keys two plans differ.

use toml::{Table, Value};

use super::{Plan, PlanError, Point};

impl Plan {
    /// The keys in which another plan differs, with both values: `job.limit.for: 30s here, 60s
    /// there`. None when they are the same.
    pub fn differences(&self, other: &Plan) -> Result<Vec<String>, PlanError> {
        let mut found = Vec::new();
        compare("", &self.table()?, &other.table()?, &mut found);
        Ok(found)
    }

    /// Whether every point and repeat of this plan is in another that may have more of them, and
    /// nothing else differs that decides what a run is.
    pub fn is_extended_by(&self, other: &Plan) -> Result<Result<(), String>, PlanError> {
        let base = |plan: &Plan| Plan { job: plan.job.clone(), ..Plan::default() };
        let alike =
            |plan: &Plan| Plan { device: plan.device, cool_down: plan.cool_down, ..base(plan) };
        if let Some(first) = alike(self).differences(&alike(other))?.into_iter().next() {
            return Ok(Err(first));
        }
        if other.repeats < self.repeats {
            return Ok(Err(format!("repeats: {} before, {} now", self.repeats, other.repeats)));
        }
        let points = other.points()?;
        let kept = |point: &Point| points.iter().any(|other| other.label == point.label);
        let gone = self.points()?.into_iter().find(|point| !kept(point));
        Ok(gone.map_or(Ok(()), |point| Err(format!("the point '{}' is gone", point.label))))
    }
}

fn compare(prefix: &str, ours: &Table, theirs: &Table, found: &mut Vec<String>) {
    let missing = theirs.keys().filter(|key| !ours.contains_key(*key));
    for key in ours.keys().chain(missing) {
        let name = format!("{prefix}{key}");
        match (ours.get(key), theirs.get(key)) {
            (Some(Value::Table(ours)), Some(Value::Table(theirs))) => {
                compare(&format!("{name}."), ours, theirs, found);
            }
            (ours, theirs) if ours != theirs => {
                let text = |value: Option<&Value>| {
                    value.map_or_else(|| "not given".to_owned(), ToString::to_string)
                };
                found.push(format!("{name}: {} before, {} now", text(ours), text(theirs)));
            }
            _ => {}
        }
    }
}
