//! From the histogram tables of a report to one histogram for each event.

use std::collections::HashMap;

use isotherm_frame::{Scheme, Unit};

use super::buckets::{Layout, Shares, names_microseconds, rebuilt};
use super::fit::{Amount, Cell, Parts, apportioned};
use super::number::Printed;
use super::printed_time::{Agreement, Known};
use super::report::{EventHistogram, Fault, Report};
use super::table::Table;
use crate::idle::{idle_by_order, is_idle_if_cut};

/// The largest uncertainty of a total of time that is passed on as the total: what `isotherm awr`
/// prints without `≈`. Buckets tell a total to a third.
const CLOSE_ENOUGH: f64 = 0.02;
/// The largest uncertainty of a number of waits that needs no word.
const FEW: f64 = 0.01;
/// How many events a remark names.
const NAMED: usize = 5;

/// Waits by event in one table.
struct Range {
    layout: Layout,
    rows: Vec<Shares>,
}

/// Reads the histograms of a report from all its histogram tables.
pub(super) fn read(tables: &[&Table], report: &mut Report) {
    let (events, top, faults) = (&report.events, &report.top_events, &mut report.faults);
    let micro = tables.iter().any(|table| names_microseconds(&table.heads));
    let (mut main, mut details): (Vec<Range>, Vec<Range>) = (Vec::new(), Vec::new());
    for table in tables {
        let Some(range) = range(table, micro, faults) else { continue };
        let into = if is_main(table) { &mut main } else { &mut details };
        // A page break repeats the heads: the rows below belong to the same table.
        match into.iter_mut().find(|known| known.layout == range.layout) {
            Some(known) => known.rows.extend(range.rows),
            None => into.push(range),
        }
    }
    details.sort_by_key(|range| range.layout.first_bound());
    let Some(main) = main.first() else { return };
    let idle = idle_by_order(main.rows.iter().map(|shares| shares.event.as_str()));
    let (mut contradicted, mut vague, mut unequal_counts) = (Vec::new(), Vec::new(), Vec::new());
    for rows in distinct(main) {
        let details = if rows.len() == 1 { of_event(&details, rows[0]) } else { Vec::new() };
        let event = rows.first().map_or("", |shares| shares.event.as_str());
        let known = Known::of(event, rows.len() > 1, events, top);
        match histogram(&main.layout, &rows, &details, known) {
            Ok(Rebuilt { mut histogram, in_full, agrees, other_count }) => {
                let event = histogram.event.as_str();
                histogram.idle = idle
                    .as_ref()
                    .map_or_else(|| is_idle_if_cut(event), |idle| idle.contains(event));
                if !agrees {
                    contradicted.push(histogram.event.clone());
                }
                unequal_counts.extend(
                    other_count.map(|other| {
                        format!("{event} ({} and {})", histogram.waits, other.rounded())
                    }),
                );
                let half = histogram.printed.relative();
                if !in_full && half > FEW {
                    vague.push(format!("{} (±{:.0} %)", histogram.event, half * 100.0));
                }
                report.histograms.push(histogram);
            }
            Err(fault) => faults.push(fault),
        }
        if rows.len() > 1 {
            report.remarks.push(alike(rows[0]));
        }
    }
    for detail in &details {
        faults.extend(detail.rows.iter().filter(|shares| !shares.add_up()).map(unequal));
    }
    report.remarks.extend(too_short(&vague));
    report.remarks.extend(contradictions(&contradicted));
    report.remarks.extend(of_other_counts(&unequal_counts));
}

/// The histogram of an event.
struct Rebuilt {
    histogram: EventHistogram,
    /// Whether its number of waits is printed in full somewhere.
    in_full: bool,
    /// Whether its buckets can hold the time that is printed of it.
    agrees: bool,
    /// The number of waits in the tables of events, where it is clearly another one.
    other_count: Option<Printed>,
}

/// Says whose number of waits is printed so short that it is a range.
fn too_short(events: &[String]) -> Option<String> {
    (!events.is_empty()).then(|| {
        format!(
            "the report prints the number of waits too short to be exact for {}",
            listed(events)
        )
    })
}

/// Says whose buckets and printed time rule each other out.
fn contradictions(events: &[String]) -> Option<String> {
    (!events.is_empty()).then(|| {
        format!(
            "the buckets and the total time that the report prints rule each other out for {}: the \
             printed time is used, as an estimate",
            listed(events)
        )
    })
}

/// Says where the two kinds of tables count so differently that a time is computed from the mean.
fn of_other_counts(events: &[String]) -> Option<String> {
    (!events.is_empty()).then(|| {
        format!(
            "the histogram and the table of events count different numbers of waits for {}: the \
             time is the mean of the table times the waits of the histogram",
            listed(events)
        )
    })
}

/// The first names, and how many more there are.
fn listed(events: &[String]) -> String {
    let named = events.get(..NAMED).unwrap_or(events).join(", ");
    match events.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

fn alike(shares: &Shares) -> String {
    format!(
        "more than one event is printed as '{}', cut off: their waits are counted together, in \
         the buckets of the first table",
        shares.event
    )
}

fn unequal(shares: &Shares) -> Fault {
    let text = format!(
        "the buckets of '{}' are {:.1} percent of its waits together, not 100: the row is cut or \
         damaged",
        shares.event,
        shares.sum()
    );
    Fault { at: shares.at, text, waits: 0 }
}

/// Whether a table is the one of all waits: the others print how many are in their range.
fn is_main(table: &Table) -> bool {
    table.named("totalwaits").is_some()
}

fn range(table: &Table, micro: bool, faults: &mut Vec<Fault>) -> Option<Range> {
    let first = table.heads.iter().position(|head| head.starts_with('<')).filter(|at| *at > 1);
    let read = first.and_then(|first| {
        Layout::of(table.heads.get(first..)?, micro).map(|layout| (first, layout))
    });
    let Some((first, layout)) = read else {
        let at = table.rows.first()?.at;
        let text =
            format!("the heads of '{}' are not buckets: {}", table.title, table.heads.join(" | "));
        faults.push(Fault { at, text, waits: 0 });
        return None;
    };
    let mut rows = Vec::new();
    for row in &table.rows {
        match Shares::read(row, first, layout.buckets(), table.shortening) {
            Ok(shares) => rows.push(shares),
            Err((text, waits)) => {
                // Waits that a table of details lacks are still in the main one.
                let waits = if is_main(table) { counted(waits, None) } else { 0 };
                faults.push(Fault { at: row.at, text, waits });
            }
        }
    }
    Some(Range { layout, rows })
}

/// The rows of a table by event, in its order: several where cut names look alike.
fn distinct(range: &Range) -> Vec<Vec<&Shares>> {
    let mut index: HashMap<&str, usize> = HashMap::new();
    let mut found: Vec<Vec<&Shares>> = Vec::new();
    for shares in &range.rows {
        let at = *index.entry(&shares.event).or_insert(found.len());
        match found.get_mut(at) {
            Some(rows) => rows.push(shares),
            None => found.push(vec![shares]),
        }
    }
    found
}

/// What the tables of details say of an event; nothing where it is not clear which row is its.
fn of_event<'a>(details: &'a [Range], main: &Shares) -> Vec<(&'a Layout, &'a Shares)> {
    let row = |range: &'a Range| {
        let mut rows = range.rows.iter().filter(|shares| shares.event == main.event);
        let row = rows.next().filter(|row| row.add_up() && rows.next().is_none())?;
        Some((&range.layout, row))
    };
    details.iter().filter_map(row).collect()
}

fn histogram(
    layout: &Layout,
    rows: &[&Shares],
    details: &[(&Layout, &Shares)],
    known: Option<Known>,
) -> Result<Rebuilt, Fault> {
    let event = rows.first().map(|shares| shares.event.clone()).unwrap_or_default();
    let full = known.filter(|_| rows.len() == 1);
    let (mut parts, mut waits, mut printed) = (Parts::default(), 0_u64, Printed::exact(0.0));
    for shares in rows {
        let these = counted(shares.waits, full);
        if !shares.add_up() {
            return Err(Fault { waits: these, ..unequal(shares) });
        }
        parts = together(&parts, rebuilt((layout, shares), details, these));
        waits = waits.saturating_add(these);
        printed = printed.plus(shares.waits);
    }
    let time = known.map(|known| known.time_of(waits, printed));
    let (bounds, counts) = binned(&parts, layout.micro, waits, time.map(|time| time.total));
    let agrees = time.is_none_or(|time| possible(time.total, &bounds, &counts));
    let same = time.filter(|time| time.agreement == Agreement::Same);
    let close = |total: &Printed| agrees && total.relative() <= CLOSE_ENOUGH;
    let total = same.map(|time| time.total).filter(close);
    let in_full = known.is_some_and(|known| known.is_full_count(waits));
    let other = time.is_some_and(|time| time.agreement == Agreement::Other);
    let other_count = known.filter(|_| other).map(|known| known.waits);
    let (idle, printed_total) = (false, time.map(|time| time.total));
    let histogram =
        EventHistogram { event, idle, printed, waits, bounds, counts, total, printed_total };
    Ok(Rebuilt { histogram, in_full, agrees, other_count })
}

/// The number of waits: the full one where the printed one is the same, shortened.
fn counted(printed: Printed, known: Option<Known>) -> u64 {
    let full = known.filter(|known| known.waits.half == 0.0 && known.waits.overlaps(printed));
    full.map_or(printed, |known| known.waits).rounded()
}

/// Two events in the same buckets, added.
fn together(parts: &Parts, more: Parts) -> Parts {
    if parts.cells.len() != more.cells.len() {
        return more;
    }
    let added = |(one, two): (&Cell, &Cell)| Cell {
        amount: Amount::sum([one.amount, two.amount].into_iter()),
        group: None,
        ..*one
    };
    let cells = parts.cells.iter().zip(&more.cells).map(added).collect();
    Parts { cells, groups: Vec::new() }
}

/// Whole counts in the buckets of the view the report was made from, as far as the report tells
/// them apart: where waits could be on both sides of a bound, the bound is left out.
fn binned(parts: &Parts, micro: bool, waits: u64, time: Option<Printed>) -> (Vec<u64>, Vec<u64>) {
    let cells = &parts.cells;
    let counts = apportioned(&parts.fitted(waits, time.map(Printed::range)), waits);
    let filled: Vec<(&Cell, u64)> =
        cells.iter().zip(counts).filter(|(_, count)| *count > 0).collect();
    // The views end at 2^32 microseconds and 2^22 milliseconds.
    let (unit, most) = if micro { (Unit::Micros, 34) } else { (Unit::Millis, 24) };
    let standard = Scheme::powers_of_two(unit);
    let mut bounds: Vec<u64> = standard.bounds().iter().take(most).copied().collect();
    bounds.extend(filled.iter().flat_map(|(cell, _)| [cell.lo, cell.hi]));
    bounds.push(Scheme::UNBOUNDED);
    bounds.sort_unstable();
    bounds.dedup();
    bounds.retain(|bound| !filled.iter().any(|(cell, _)| cell.lo < *bound && *bound < cell.hi));
    let mut found = vec![0; bounds.len().saturating_sub(1)];
    for (cell, count) in filled {
        if let Ok(index) = bounds.binary_search(&cell.lo) {
            found[index] = count;
        }
    }
    (bounds, found)
}

/// Whether waits in these buckets can take that long together.
fn possible(total: Printed, bounds: &[u64], counts: &[u64]) -> bool {
    let seconds = |ns: u64, count: u64| {
        if count == 0 {
            0.0
        } else if ns == Scheme::UNBOUNDED {
            f64::INFINITY
        } else {
            ns as f64 / 1e9 * count as f64
        }
    };
    let buckets = bounds.windows(2).zip(counts);
    let (least, most) = buckets.fold((0.0, 0.0), |(least, most), (bounds, &count)| {
        (least + seconds(bounds[0], count), most + seconds(bounds[1], count))
    });
    let (low, high) = total.range();
    high >= least && low <= most
}
