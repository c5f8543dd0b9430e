//! The documents that clients ask for, made of what there is at one moment.

use crate::clock::now_us;

use isotherm_frame::{Nanos, Timestamp};
use isotherm_report::{
    LiveChoice, LiveEntry, LiveWindow, MOST_BYTES, Report, ReportError, ReportInput, ReportOptions,
    live_columns, live_document,
};
use serde_json::{Value, json};

use crate::history::{LiveHistory, SourceState, State};
use crate::layout::Layout;
use crate::parameters::DocumentRequest;

/// The most columns of all entries together: more take seconds to draw.
const MOST_CELLS: u64 = 60_000;
/// A part of time that holds nothing.
const NO_TIME: (Timestamp, Timestamp) = (Timestamp::new(i64::MIN), Timestamp::new(i64::MIN));
/// An entry has so many columns at least, however many entries there are.
const LEAST_COLUMNS: u64 = 120;

/// What there is at one moment, apart from what goes on.
pub struct Snapshot {
    tick: u64,
    run: u64,
    arrangement: u64,
    sources: Vec<SourceState>,
}

impl Snapshot {
    /// What there is now. Counts are shared with the history, not copied.
    pub fn of(history: &LiveHistory) -> Snapshot {
        Snapshot::of_state(&history.read())
    }

    /// The same where the state is held anyway.
    pub fn of_state(state: &State) -> Snapshot {
        let State { run, arrangement, sources, changes } = state;
        Snapshot {
            tick: changes.tick(),
            run: *run,
            arrangement: *arrangement,
            sources: sources.clone(),
        }
    }

    /// The change up to which it knows everything.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// A document of everything that is kept, or of a part of time.
    pub fn document(
        &self,
        request: &DocumentRequest,
        can_mark: bool,
    ) -> Result<Vec<u8>, ReportError> {
        let inputs = self.inputs(request);
        let report = report(&inputs)?;
        let wanted = request.entries.len();
        let drawn = if wanted > 0 { wanted } else { report.entries.len() };
        let each = (MOST_CELLS / (drawn.max(1) as u64)).max(LEAST_COLUMNS);
        let windows = self.windows(request, request.columns.min(each));
        let factors = windows.iter().map(|window| window.map_or(1, |w| w.grid().factor()));
        let factors = factors.collect();
        let layout = Layout { run: self.run, arrangement: self.arrangement, factors };
        let live = live(&self.sources, (self.tick, &layout), can_mark);
        let choice = LiveChoice { entries: &request.entries, facets: request.facets };
        live_document(report, &windows, &choice, live)
    }

    /// A report that needs no server.
    pub fn page(&self, request: &DocumentRequest) -> Result<Vec<u8>, ReportError> {
        let inputs = self.inputs(request);
        let report = Report::of(&inputs, &ReportOptions::default())?;
        let mut page = Vec::new();
        isotherm_report::html(&report, MOST_BYTES, &mut page)?;
        Ok(page)
    }

    /// What there is to say about everything that is kept.
    pub fn summary(&self) -> Result<String, ReportError> {
        let inputs = self.inputs(&DocumentRequest::default());
        let mut summary = isotherm_report::live_summary(&report(&inputs)?);
        summary["tick"] = json!(self.tick);
        Ok(summary.to_string())
    }

    /// The columns of what changed between moments, one for each recording: a document.
    pub fn columns(
        &self,
        changed: &[Option<(Timestamp, Timestamp)>],
        (layout, entries): (&Layout, &[String]),
    ) -> Result<Vec<u8>, ReportError> {
        let windows = self.sources.iter().zip(changed).zip(&layout.factors);
        let windows: Vec<Option<LiveWindow>> = windows
            .map(|((source, changed), &factor)| {
                let (from, to) = (*changed)?;
                Some(source.grid?.with_factor(factor).window(from, to))
            })
            .collect();
        let inputs = self.sources.iter().zip(&windows);
        let inputs: Vec<ReportInput> =
            inputs.map(|(source, window)| source.input(window.map(LiveWindow::span))).collect();
        let all = self.sources.iter().enumerate();
        let changed = all.filter(|(index, _)| windows[*index].is_some());
        let all = changed.flat_map(|(index, source)| LiveEntry::of(&source.history, index));
        let wanted = |entry: &LiveEntry| entries.is_empty() || entries.contains(&entry.id);
        let known: Vec<LiveEntry> = all.filter(wanted).collect();
        let live = live(&self.sources, (self.tick, layout), false);
        live_columns(&inputs, &known, &windows, &live)
    }

    fn inputs(&self, request: &DocumentRequest) -> Vec<ReportInput<'_>> {
        let span = |source: &SourceState| {
            let is_part = request.from.is_some() || request.to.is_some() || source.keep.is_some();
            if !is_part {
                return None;
            }
            let Some((from, to)) = span_of(source, request) else { return Some(NO_TIME) };
            // Whole columns: what is told of a part is told of what is drawn.
            Some(source.grid.map_or((from, to), |grid| grid.window(from, to).span()))
        };
        self.sources.iter().map(|source| source.input(span(source))).collect()
    }

    fn windows(&self, request: &DocumentRequest, most: u64) -> Vec<Option<LiveWindow>> {
        let window = |source: &SourceState| {
            let ((from, to), grid) = span_of(source, request).zip(source.grid)?;
            // Columns begin at multiples of their length, so there may be one more.
            let factor = grid.factor_for(to.since(from), most.saturating_sub(1).max(1));
            Some(grid.with_factor(factor).window(from, to))
        };
        self.sources.iter().map(window).collect()
    }
}

/// The part of what is kept that is asked for; `None` if nothing is kept there.
fn span_of(source: &SourceState, request: &DocumentRequest) -> Option<(Timestamp, Timestamp)> {
    let (start, end) = source.span()?;
    let from = request.from.map_or(start, |from| from.max(start));
    let to = request.to.map_or(end, |to| to.min(end));
    (from < to).then_some((from, to))
}

/// A report, of which there may be nothing yet.
fn report<'a>(inputs: &'a [ReportInput<'a>]) -> Result<Report<'a>, ReportError> {
    match Report::of(inputs, &ReportOptions::default()) {
        Err(ReportError::Nothing) => Ok(Report {
            title: inputs.first().map(|input| input.label.clone()).unwrap_or_default(),
            command: String::new(),
            given: inputs,
            entries: Vec::new(),
            not_drawn: Vec::new(),
            compare: None,
            sections: Vec::new(),
        }),
        report => report,
    }
}

/// What a client must know of the server.
fn live(sources: &[SourceState], (tick, layout): (u64, &Layout), can_mark: bool) -> Value {
    let spans = || sources.iter().filter_map(SourceState::span);
    let each = sources.iter().zip(&layout.factors).enumerate();
    let each = each.map(|(index, (source, &factor))| {
        let grid = source.grid.map(|grid| grid.with_factor(factor));
        json!({
            "recording": index,
            "label": source.about.label,
            "live": source.about.is_live,
            "over": source.over,
            "interval_us": grid.map(|grid| whole_us(grid.interval)),
            "width_us": grid.map(|grid| whole_us(grid.width())),
            "newest_us": source.history.latest().map(us),
            "arrived_us": source.arrived_us,
            "recorded_in": source.about.recorded_in,
            "not_recording": source.said.not_recording(),
            "said": source.said.latest(),
        })
    });
    json!({
        "tick": tick,
        "layout": layout.to_string(),
        "now_us": now_us(),
        "kept_from_us": spans().map(|(start, _)| start).min().map(us),
        "end_us": spans().map(|(_, end)| end).max().map(us),
        "keep_us": sources.iter().find_map(|source| source.keep).map(whole_us),
        "over": sources.iter().all(|source| source.over.is_some()),
        "can_mark": can_mark,
        "sources": each.collect::<Vec<_>>(),
    })
}

/// Microseconds of the clock.
pub fn us(at: Timestamp) -> f64 {
    at.as_nanos() as f64 / 1e3
}

fn whole_us(length: Nanos) -> f64 {
    length.as_nanos() as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use isotherm_analysis::History;
    use isotherm_frame::{Account, Event, Frame, Histogram, Quality, Scheme, Series};

    use super::*;
    use crate::history::SourceAbout;

    /// Nobody waits for columns: what comes while they are made is not in them.
    #[test]
    fn columns_are_of_the_moment_of_their_snapshot() {
        let at = |second: i64| Timestamp::new(second * 1_000_000_000);
        let read = |second| {
            let mut counts = Histogram::empty(Scheme::log_linear());
            counts.record(Nanos::from_micros(100));
            let (series, quality) = (Series::named("read"), Quality::Complete);
            Event::Frame(Frame { series, start: at(second), end: at(second + 1), counts, quality })
        };
        let history = LiveHistory::new([(SourceAbout::default(), History::new(1 << 20))], None, 1);
        (0..5).for_each(|second| history.take(0, &[read(second)], &Account::default()));
        let snapshot = Snapshot::of(&history);
        history.take(0, &[read(5)], &Account::default());
        let layout = Layout { run: 1, arrangement: snapshot.arrangement, factors: vec![1] };
        let columns = snapshot.columns(&[Some((at(0), at(6)))], (&layout, &[])).unwrap();
        let length = u32::from_le_bytes(columns[..4].try_into().unwrap()) as usize;
        let head: Value = serde_json::from_slice(&columns[4..4 + length]).unwrap();
        assert_eq!(head["live"]["tick"], snapshot.tick());
        assert_eq!(head["live"]["sources"][0]["newest_us"], 5e6);
        assert_eq!(head["entries"][0]["events"], 5);
    }
}
