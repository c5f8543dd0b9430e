//! Where everything goes on a screen of a given size.

use ratatui::layout::Rect;

use isotherm_views::MapKind;

/// The places of a screen; what has no room has none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) header: Option<Rect>,
    pub(super) tabs: Option<Rect>,
    pub(super) headline: Option<Rect>,
    pub(super) remark: Option<Rect>,
    pub(super) maps: Vec<MapPlan>,
    /// Column sums of the map that is not shown.
    pub(super) spark: Option<Rect>,
    /// Percentiles over time, its title first.
    pub(super) strip: Option<Rect>,
    pub(super) readout: Option<Rect>,
    pub(super) note: Option<Rect>,
    pub(super) hints: Option<Rect>,
    pub(super) pane: Option<Rect>,
}

/// The places of one map.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MapPlan {
    pub(super) kind: MapKind,
    pub(super) title: Option<Rect>,
    pub(super) labels: Rect,
    pub(super) cells: Rect,
    pub(super) gutter: Rect,
    /// The line of time below, with the sum at the cursor in the gutter's columns.
    pub(super) axis: Option<Rect>,
}

/// The width of the labels of the latency axis, with a space after them.
const LABELS: u16 = 8;
/// The width of the side pane, with the space before it.
const PANE: u16 = 48;

/// The lines of percentiles over time, the title among them: those kept free on tall screens, and
/// the fewest that show anything.
const STRIP: u16 = 7;
const LEAST_STRIP: u16 = 5;

/// What is shown depends on more than the size.
#[derive(Copy, Clone, Debug)]
pub(super) struct Wanted {
    pub(super) focus: MapKind,
    /// Whether there is something to warn of.
    pub(super) note: bool,
    /// Whether a wide screen has a side pane.
    pub(super) pane: bool,
    /// The lines a map needs, once that is known: fewer than there are.
    pub(super) lines: Option<u16>,
}

/// Whether a screen has room for a pane beside the maps.
pub(super) fn is_wide(area: Rect) -> bool {
    area.width >= 150 && area.height >= 45
}

impl Plan {
    pub(super) fn of(area: Rect, wanted: Wanted) -> Plan {
        let h = area.height;
        let wide = wanted.pane && is_wide(area);
        let main_width = if wide { area.width - PANE } else { area.width };
        let mut top = Lines { next: area.y, x: area.x, width: area.width };
        let header = top.take_if(h >= 3);
        let tabs = top.take_if(h >= 11);
        let headline = top.take_if(h >= 7);
        let remark = top.take_if(h >= 14);
        let below = [(h >= 6, ()), (wanted.note && h >= 9, ()), (h >= 8, ())];
        let footer = below.iter().filter(|(there, ())| *there).count();
        let bottom = area.bottom().saturating_sub(u16::try_from(footer).unwrap_or(0));
        let mut end = Lines { next: bottom, x: area.x, width: area.width };
        let readout = end.take_if(h >= 6);
        let note = end.take_if(wanted.note && h >= 9);
        let hints = end.take_if(h >= 8);
        let middle = Rect::new(area.x, top.next, main_width, bottom.saturating_sub(top.next));
        let pane = wide.then(|| {
            let x = area.x + main_width;
            Rect::new(x, middle.y, PANE, middle.height)
        });
        let middle = place_maps(middle, h, wanted);
        Plan {
            header,
            tabs,
            headline,
            remark,
            maps: middle.maps,
            spark: middle.spark,
            strip: middle.strip,
            readout,
            note,
            hints,
            pane,
        }
    }

    /// The columns of time there is room for.
    pub(super) fn columns(&self) -> usize {
        self.maps.first().map_or(0, |map| usize::from(map.cells.width))
    }

    /// The lines of each map.
    pub(super) fn lines(&self) -> u16 {
        self.maps.first().map_or(0, |map| map.cells.height)
    }
}

/// Hands out lines from top to bottom.
struct Lines {
    next: u16,
    x: u16,
    width: u16,
}

impl Lines {
    fn take_if(&mut self, there: bool) -> Option<Rect> {
        there.then(|| self.take(1))
    }

    fn take(&mut self, height: u16) -> Rect {
        let rect = Rect::new(self.x, self.next, self.width, height);
        self.next = self.next.saturating_add(height);
        rect
    }
}

struct Middle {
    maps: Vec<MapPlan>,
    spark: Option<Rect>,
    strip: Option<Rect>,
}

fn place_maps(area: Rect, h: u16, wanted: Wanted) -> Middle {
    let two = h >= 32 && area.width >= 50;
    let kinds: &[MapKind] =
        if two { &[MapKind::Frequency, MapKind::Intensity] } else { &[wanted.focus] };
    let count = u16::try_from(kinds.len()).unwrap_or(1);
    let (title, axis, spark) = (h >= 4, h >= 5, h >= 16 && !two);
    let strip = if h >= 45 { STRIP } else { 0 };
    let around = count * (u16::from(title) + u16::from(axis)) + u16::from(spark) + strip;
    let room = area.height.saturating_sub(around) / count;
    let lines = wanted.lines.map_or(room, |lines| lines.min(room));
    let mut next = Lines { next: area.y, x: area.x, width: area.width };
    let maps = kinds.iter().map(|&kind| {
        let title = next.take_if(title);
        let body = next.take(lines);
        place_map(kind, title, body, next.take_if(axis))
    });
    let maps = maps.collect();
    let spark = next.take_if(spark);
    let left = area.bottom().saturating_sub(next.next);
    // Lines that maps of few rows leave over are of use too.
    let strip = (left >= LEAST_STRIP).then(|| next.take(left.min(12)));
    Middle { maps, spark, strip }
}

fn place_map(kind: MapKind, title: Option<Rect>, body: Rect, axis: Option<Rect>) -> MapPlan {
    let labels = if body.width >= 30 { LABELS } else { 0 };
    let gutter = match body.width {
        ..50 => 0,
        50..70 => 12,
        70..96 => 20,
        _ => 24,
    };
    let part = |x: u16, width: u16| Rect::new(body.x + x, body.y, width, body.height);
    let cells = body.width - labels - gutter;
    MapPlan {
        kind,
        title,
        labels: part(0, labels),
        cells: part(labels, cells),
        gutter: part(labels + cells, gutter),
        axis,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(width: u16, height: u16) -> Plan {
        let wanted = Wanted { focus: MapKind::Frequency, note: true, pane: true, lines: None };
        Plan::of(Rect::new(0, 0, width, height), wanted)
    }

    fn rects(plan: &Plan) -> Vec<Rect> {
        let single = [
            plan.header,
            plan.tabs,
            plan.headline,
            plan.remark,
            plan.spark,
            plan.strip,
            plan.readout,
            plan.note,
            plan.hints,
            plan.pane,
        ];
        let maps = plan.maps.iter().flat_map(|map| {
            [map.title, Some(map.labels), Some(map.cells), Some(map.gutter), map.axis]
        });
        single.into_iter().chain(maps).flatten().filter(|rect| !rect.is_empty()).collect()
    }

    #[test]
    fn nothing_overlaps_or_lies_outside_at_any_size() {
        for width in 0..200 {
            for height in 0..70 {
                let area = Rect::new(0, 0, width, height);
                let rects = rects(&plan(width, height));
                for (index, rect) in rects.iter().enumerate() {
                    assert_eq!(rect.intersection(area), *rect, "{width}x{height}: {rect:?}");
                    for other in &rects[index + 1..] {
                        assert!(!rect.intersects(*other), "{width}x{height}: {rect:?} {other:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn larger_screens_show_more() {
        let small = plan(80, 24);
        assert_eq!((small.maps.len(), small.spark.is_some()), (1, true));
        assert!(small.lines() >= 14, "{}", small.lines());
        let middle = plan(100, 40);
        assert_eq!((middle.maps.len(), middle.columns()), (2, 68));
        assert!(middle.pane.is_none() && middle.strip.is_none());
        let large = plan(160, 50);
        assert!(large.pane.is_some() && large.strip.is_some());
        assert!(large.columns() >= 80 && large.lines() >= 15);
    }
}
