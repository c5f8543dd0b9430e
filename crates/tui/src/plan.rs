//! Where everything goes on a screen of a given size.

use isotherm_frame::Detail;
use ratatui::layout::Rect;

use isotherm_views::MapKind;

/// The places of a screen; what has no room has none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) header: Option<Rect>,
    pub(super) tabs: Option<Rect>,
    /// How far the load has come, where one is made.
    pub(super) load: Option<Rect>,
    /// The runs that have ended, where several are made.
    pub(super) runs: Option<Rect>,
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
    /// A text about the maps: in the place of the pane, or below the maps.
    pub(super) panel: Option<Rect>,
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
/// The least and the greatest width of the side pane, with the space before it.
const LEAST_PANE: u16 = 48;
const MOST_PANE: u16 = 76;
/// The width of the maps that a text beside them leaves.
const LEAST_MAPS: u16 = 80;
/// The lines of the maps that a text below them leaves.
const LEAST_LINES: u16 = 8;

/// The lines of percentiles over time, the title among them: those kept free on tall screens, and
/// the fewest that show anything.
const STRIP: u16 = 7;
const LEAST_STRIP: u16 = 5;

/// A text about the maps: beside them or, where the screen is narrow, below.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct Panel {
    pub(super) width: u16,
    /// The lines it takes below the maps.
    pub(super) height: u16,
    /// The width of the screen from which it stands beside them.
    pub(super) beside_from: u16,
}

/// What is shown depends on more than the size.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct LayoutRequest {
    pub(super) focus: MapKind,
    /// Whether there is something to warn of.
    pub(super) note: bool,
    /// Whether a wide screen has a side pane.
    pub(super) pane: bool,
    /// Whether a load is made.
    pub(super) load: bool,
    /// The lines of the runs that have ended, their heading among them.
    pub(super) runs: u16,
    /// What is shown: of averages there are no percentiles over time.
    pub(super) detail: Detail,
    /// A text about the maps, if one is open.
    pub(super) panel: Option<Panel>,
    /// The lines a map needs, once that is known: fewer than there are.
    pub(super) lines: Option<u16>,
}

/// The width from which a screen has a pane beside the maps.
pub(super) const HAS_PANE: u16 = 150;

/// Whether a screen has room beside the maps, which needs at least this width.
pub(super) fn is_wide(area: Rect, width: u16) -> bool {
    area.width >= width && area.height >= 24
}

/// The width of what stands beside the maps: of the pane, or of a text that may need more.
fn beside(width: u16, panel: Option<Panel>) -> u16 {
    let pane = (width * 3 / 10).clamp(LEAST_PANE, MOST_PANE);
    panel.map_or(pane, |wanted| wanted.width.min(width.saturating_sub(LEAST_MAPS)).max(pane))
}

impl Plan {
    pub(super) fn of(area: Rect, wanted: LayoutRequest) -> Plan {
        let h = area.height;
        let from = wanted.panel.map_or(HAS_PANE, |panel| panel.beside_from);
        let wide = (wanted.pane || wanted.panel.is_some()) && is_wide(area, from);
        let side_width = if wide { beside(area.width, wanted.panel) } else { 0 };
        let main_width = area.width - side_width;
        let mut top = Lines { next: area.y, x: area.x, width: area.width };
        let header = top.take_if(h >= 3);
        let tabs = top.take_if(h >= 11);
        let load = top.take_if(wanted.load && h >= 12);
        let runs = runs_of(h, wanted.runs).map(|lines| top.take(lines));
        let headline = top.take_if(h >= 7);
        let remark = top.take_if(h >= 14);
        let footer = [h >= 6, wanted.note && h >= 9, h >= 8];
        let footer = footer.iter().filter(|there| **there).count();
        let bottom = area.bottom().saturating_sub(u16::try_from(footer).unwrap_or(0));
        let mut end = Lines { next: bottom, x: area.x, width: area.width };
        let readout = end.take_if(h >= 6);
        let note = end.take_if(wanted.note && h >= 9);
        let hints = end.take_if(h >= 8);
        let middle = Rect::new(area.x, top.next, main_width, bottom.saturating_sub(top.next));
        let side = Rect::new(area.x + main_width, middle.y, side_width, middle.height);
        let side = wide.then_some(side);
        let (pane, panel, middle) = match wanted.panel {
            None => (side, None, middle),
            Some(_) if wide => (None, side, middle),
            Some(below_them) => {
                let (middle, panel) = below(middle, below_them.height);
                (None, Some(panel), middle)
            }
        };
        let middle = place_maps(middle, h, wanted);
        Plan {
            header,
            tabs,
            load,
            runs,
            headline,
            remark,
            maps: middle.maps,
            spark: middle.spark,
            strip: middle.strip,
            readout,
            note,
            hints,
            pane,
            panel,
        }
    }

    /// The characters across a map: the most columns of time there is room for.
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

/// The lines for runs that have ended: a quarter of the screen at most, and none on a small one.
fn runs_of(height: u16, wanted: u16) -> Option<u16> {
    (wanted > 0 && height >= 20).then(|| wanted.min(height / 4))
}

/// A text below the maps: as many of these lines as leave the maps enough to be read.
fn below(middle: Rect, height: u16) -> (Rect, Rect) {
    let kept = LEAST_LINES.max(middle.height * 2 / 5);
    let height = height.min(middle.height.saturating_sub(kept));
    let maps = Rect { height: middle.height - height, ..middle };
    (maps, Rect { y: maps.bottom(), height, ..middle })
}

struct Middle {
    maps: Vec<MapPlan>,
    spark: Option<Rect>,
    strip: Option<Rect>,
}

fn place_maps(area: Rect, h: u16, wanted: LayoutRequest) -> Middle {
    let two = h >= 32 && area.height >= 24 && area.width >= 50;
    let kinds: &[MapKind] =
        if two { &[MapKind::Frequency, MapKind::Intensity] } else { &[wanted.focus] };
    let count = u16::try_from(kinds.len()).unwrap_or(1);
    let room_for_more = wanted.panel.is_none() || area.height >= 24;
    let (title, axis) = (h >= 4, h >= 5);
    let spark = h >= 16 && !two && room_for_more;
    let has_strip = wanted.detail == Detail::Distribution;
    let strip = if has_strip && h >= 45 && room_for_more { STRIP } else { 0 };
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
    let strip = (has_strip && left >= LEAST_STRIP).then(|| next.take(left));
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
        with_panel(width, height, None)
    }

    fn with_panel(width: u16, height: u16, panel: Option<(u16, u16)>) -> Plan {
        with_load(width, height, (panel, false))
    }

    fn with_load(width: u16, height: u16, (panel, load): (Option<(u16, u16)>, bool)) -> Plan {
        let (focus, note, pane) = (MapKind::Frequency, true, true);
        let panel = panel.map(|(width, height)| Panel { width, height, beside_from: HAS_PANE });
        let detail = Detail::Distribution;
        let runs = if load { width % 30 } else { 0 };
        let wanted = LayoutRequest { focus, note, pane, detail, panel, load, runs, lines: None };
        Plan::of(Rect::new(0, 0, width, height), wanted)
    }

    fn rects(plan: &Plan) -> Vec<Rect> {
        let single = [
            plan.header,
            plan.tabs,
            plan.load,
            plan.runs,
            plan.headline,
            plan.remark,
            plan.spark,
            plan.strip,
            plan.readout,
            plan.note,
            plan.hints,
            plan.pane,
            plan.panel,
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
                for panel in [None, Some((74, 30)), Some((60, 3))] {
                    let rects = rects(&with_load(width, height, (panel, height % 2 == 0)));
                    for (index, rect) in rects.iter().enumerate() {
                        assert_eq!(rect.intersection(area), *rect, "{width}x{height}: {rect:?}");
                        for other in &rects[index + 1..] {
                            let apart = !rect.intersects(*other);
                            assert!(apart, "{width}x{height}: {rect:?} {other:?}");
                        }
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
        let low = plan(150, 24);
        assert!(low.pane.is_some() && low.columns() >= 68);
    }

    #[test]
    fn a_text_about_the_maps_leaves_them_room() {
        for (width, height) in [(80, 24), (100, 40), (160, 50), (220, 60)] {
            let plan = with_panel(width, height, Some((74, 30)));
            let panel = plan.panel.unwrap();
            assert!(plan.pane.is_none() && panel.height >= 9, "{width}x{height}: {panel:?}");
            assert!(plan.lines() >= 6 && plan.columns() >= 48, "{width}x{height}");
            assert_eq!(panel.width == width, width < 150, "below or beside");
        }
    }
}
