//! The points of a sweep, each load once.

use crate::model::Loop;
use crate::point::{Point, Sample};
use crate::run_errors;

/// All points of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// How operations arrived.
    pub arrivals: Loop,
    /// The points by rising load; each load once.
    pub points: Vec<Point>,
    /// The degrees of freedom of errors that repeats tell; `None` where no load has repeats.
    pub run_degrees: Option<usize>,
}

/// Why points are not usable.
#[derive(Copy, Clone, Debug, PartialEq, thiserror::Error)]
pub enum PointsError {
    /// A load or a value that is no positive number.
    #[error("load {load} with the value {value}: both must be above zero")]
    NotPositive {
        /// The load.
        load: f64,
        /// The value.
        value: f64,
    },
}

impl Points {
    /// Points in the order of their load; those of one load become one. How much repeats of a load
    /// differ is learnt from all loads.
    pub fn new(arrivals: Loop, points: Vec<Point>) -> Result<Points, PointsError> {
        let usable = |value: f64| value.is_finite() && value > 0.0;
        if let Some(bad) = points.iter().find(|point| !(usable(point.load) && usable(point.value)))
        {
            return Err(PointsError::NotPositive { load: bad.load, value: bad.value });
        }
        let mut sorted = points;
        sorted.sort_by(|a, b| a.load.total_cmp(&b.load));
        let mut merged: Vec<Point> = Vec::new();
        for group in sorted.chunk_by(|a, b| (a.load / b.load - 1.0).abs() < 1e-9) {
            merged.extend(together(group));
        }
        let run_degrees = run_errors::learn(&mut merged);
        Ok(Points { arrivals, points: merged, run_degrees })
    }

    /// The loads.
    pub fn loads(&self) -> Vec<f64> {
        self.points.iter().map(|point| point.load).collect()
    }

    /// The least and greatest load.
    pub fn span(&self) -> Option<(f64, f64)> {
        Some((self.points.first()?.load, self.points.last()?.load))
    }

    /// Mean response time at a point, by Little's law in a closed system.
    pub fn response(&self, point: &Point) -> f64 {
        match self.arrivals {
            Loop::Closed => point.load / point.value,
            Loop::Open => point.value,
        }
    }

    /// Throughput at a point.
    pub fn throughput(&self, point: &Point) -> f64 {
        match self.arrivals {
            Loop::Closed => point.value,
            Loop::Open => point.load,
        }
    }
}

/// Several points of one load as one: rows without intervals are repeats, each by itself.
fn together(group: &[Point]) -> Option<Point> {
    let [first, rest @ ..] = group else { return None };
    if rest.is_empty() {
        return Some(first.clone());
    }
    let repeats: Vec<Vec<Sample>> = group.iter().flat_map(as_repeats).collect();
    Some(Point::measured(first.load, repeats))
}

fn as_repeats(point: &Point) -> Vec<Vec<Sample>> {
    if point.repeats.is_empty() {
        vec![vec![Sample { amount: point.value, base: 1.0 }]]
    } else {
        point.repeats.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_one_load_are_repeats() {
        let rows = vec![Point::bare(8.0, 190.0), Point::bare(2.0, 50.0), Point::bare(8.0, 210.0)];
        let points = Points::new(Loop::Closed, rows).unwrap();
        assert_eq!(points.loads(), [2.0, 8.0]);
        assert!((points.points[1].value - 200.0).abs() < 1e-12);
        assert!((points.points[1].sigma.unwrap() - 0.05).abs() < 1e-12);
        assert!((points.response(&points.points[1]) - 0.04).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_positive_is_refused() {
        for (load, value) in [(0.0, 1.0), (1.0, -1.0), (f64::NAN, 1.0), (1.0, f64::INFINITY)] {
            let refused = Points::new(Loop::Open, vec![Point::bare(load, value)]);
            assert!(matches!(refused, Err(PointsError::NotPositive { .. })), "{load} {value}");
        }
    }
}
