//! A curve as a chart.

use isotherm_views::chart::{Chart, ChartAxis, ChartPoint, ChartUnit, Curve, Stroke};

use super::{CurveRow, CurveSummary};

/// Points of the curve in each octave of sizes.
const PER_OCTAVE: u32 = 4;

impl CurveSummary {
    /// The miss ratio over the size of the cache, with its error if it is sampled.
    pub fn chart(&self) -> Chart {
        let rows = self.drawn();
        let line = |stroke, name: &str, range: bool| Curve {
            name: name.to_owned(),
            stroke,
            points: rows.iter().map(|row| self.point_of(row, range)).collect(),
        };
        let is_sampled = self.counted.sample().is_some_and(|sample| sample.rate < 1.0);
        let mut curves = vec![line(Stroke::Line, "references that miss", false)];
        if is_sampled && rows.iter().any(|row| row.error.is_some()) {
            curves.push(line(Stroke::Band, "error of the sample", true));
        }
        Chart {
            title: "Miss ratio".to_owned(),
            x: ChartAxis { label: "bytes of cache".to_owned(), unit: ChartUnit::Number, log: true },
            y: ChartAxis { label: "misses".to_owned(), unit: ChartUnit::Share, log: false },
            curves,
            ..Chart::default()
        }
    }

    /// Average waiting at the device of a sweep over the size of the cache; none without a sweep.
    pub(super) fn waiting_chart(&self) -> Option<Chart> {
        let rows = self.drawn();
        let point = |row: &CurveRow| {
            let x = row.blocks.saturating_mul(self.block_bytes) as f64;
            Some(ChartPoint { x, y: row.device?.waiting?, ..ChartPoint::default() })
        };
        let points: Vec<ChartPoint> = rows.iter().filter_map(point).collect();
        self.device.as_ref().filter(|_| !points.is_empty())?;
        Some(Chart {
            title: "Average waiting at the device, by the model of the sweep".to_owned(),
            x: ChartAxis { label: "bytes of cache".to_owned(), unit: ChartUnit::Number, log: true },
            y: ChartAxis { label: "reads waiting".to_owned(), ..ChartAxis::default() },
            curves: vec![Curve {
                name: "reads that go on at a moment".to_owned(),
                stroke: Stroke::Line,
                points,
            }],
            ..Chart::default()
        })
    }

    fn point_of(&self, row: &CurveRow, range: bool) -> ChartPoint {
        let ratio = row.miss_ratio;
        let lies = |error: f64| ((ratio - error).max(0.0), (ratio + error).min(1.0));
        ChartPoint {
            x: row.blocks.saturating_mul(self.block_bytes) as f64,
            y: ratio,
            y_range: row.error.filter(|_| range).map(lies),
            ..ChartPoint::default()
        }
    }

    /// The curve at sizes that are close to each other, from the smallest row to the largest.
    fn drawn(&self) -> Vec<CurveRow> {
        let rows = self.rows();
        let (Some(first), Some(last)) = (rows.get(1), rows.last()) else { return rows };
        let mut sizes = Vec::new();
        let mut size = first.blocks.max(1);
        while size < last.blocks {
            let step = (1..=PER_OCTAVE).map(|part| {
                let exponent = f64::from(part) / f64::from(PER_OCTAVE);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a number of blocks that is less than doubled"
                )]
                let at = (size as f64 * exponent.exp2()) as u64;
                at
            });
            sizes.push(size);
            sizes.extend(step.filter(|&at| at < last.blocks));
            size = size.saturating_mul(2);
        }
        sizes.push(last.blocks);
        sizes.sort_unstable();
        sizes.dedup();
        sizes.into_iter().map(|blocks| self.row(blocks)).collect()
    }
}
