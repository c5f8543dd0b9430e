//! What a chart says beside its curves.

use super::content::Content;

impl Content<'_> {
    /// Sentences below the legend: what is drawn in a way of its own, and what is not drawn.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let curves = &self.chart.curves;
        let dots = curves.iter().filter(|curve| curve.stroke.has_dots());
        if dots.flat_map(|curve| self.points(curve)).any(|point| point.doubtful) {
            notes.push("hollow: to be taken with care".to_owned());
        }
        notes.extend(self.left_out());
        notes.extend(self.beyond());
        notes
    }

    /// The marks and levels that lie where no point does.
    fn beyond(&self) -> impl Iterator<Item = String> {
        let marks = self.chart.marks.iter().filter(|mark| !self.x.holds(mark.x));
        let marks =
            marks.map(|mark| format!("{} lies beyond, at {}", mark.text, self.x.value(mark.x)));
        let levels = self.chart.levels.iter().filter(|level| !self.y.holds(level.y));
        marks.chain(
            levels.map(|level| format!("{} lies beyond, at {}", level.text, self.y.value(level.y))),
        )
    }

    /// The whole chart in words, for those who do not see it.
    pub fn description(&self) -> String {
        let chart = self.chart;
        let mut parts = vec![format!("{} against {}.", chart.y.label, chart.x.label)];
        for curve in &chart.curves {
            let ends: Vec<_> = self.points(curve).collect();
            let (Some(first), Some(last)) = (ends.first(), ends.last()) else { continue };
            let end = |point: &super::ChartPoint| {
                format!("{} at {}", self.y.value(point.y), self.x.value(point.x))
            };
            let (from, to) = (end(first), end(last));
            let count = ends.len();
            parts.push(format!("{}: {count} points, from {from} to {to}.", curve.name));
        }
        let marks = chart.marks.iter().filter(|mark| self.x.holds(mark.x));
        parts.extend(marks.map(|mark| format!("{} at {}.", mark.text, self.x.value(mark.x))));
        let levels = chart.levels.iter().filter(|level| self.y.holds(level.y));
        parts.extend(levels.map(|level| format!("{} at {}.", level.text, self.y.value(level.y))));
        parts.extend(self.notes().into_iter().map(|note| format!("{note}.")));
        parts.join(" ")
    }
}
