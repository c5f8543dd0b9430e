//! The interval with the most average active sessions, and what they did.

use std::collections::BTreeSet;

use super::layout::TableKind;
use super::store::{History, HistoryTable, Interval, Row};

/// The column with the time of all sessions, and that of foreground sessions.
const TIME: usize = 1;
const FOREGROUND_TIME: usize = 3;

/// A part of an interval's active sessions.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The wait class, `CPU`, or the event.
    pub name: String,
    /// On average.
    pub sessions: f64,
}

/// The interval with the most average active sessions.
#[derive(Clone, Debug, PartialEq)]
pub struct Busiest {
    /// A place in [`History::intervals`].
    pub interval: usize,
    /// Sessions that were active on average: time waited (and on CPU, see `cpu`) divided by the length.
    pub sessions: f64,
    /// The median of all intervals of this instance, where there are three.
    pub median: Option<f64>,
    /// What they did, the largest part first: wait classes with `CPU`, or events where the former are
    /// not there.
    pub parts: Vec<Part>,
    /// The events of this interval that took most time, where they are known.
    pub events: Vec<Part>,
    /// Whether it is of foreground sessions alone; else of all.
    pub foreground: bool,
    /// Whether time on CPU is counted, too.
    pub cpu: bool,
}

impl Busiest {
    /// The busiest interval of a history; `None` where no file says how long anything waited.
    pub fn of(history: &History) -> Option<Busiest> {
        let classes = history.table(TableKind::WaitClasses);
        // The largest events alone do not say how many sessions there were.
        let all_events = history.table(TableKind::SystemEvents).filter(|table| !table.of_largest);
        let table = classes.or(all_events)?;
        let column = column_of(table);
        let totals = totals(history, table, column);
        let (interval, sessions) = most(&totals)?;
        let instance = history.intervals.get(interval)?.instance;
        let mut same: Vec<f64> = totals
            .iter()
            .filter(|(at, _)| {
                history.intervals.get(*at).is_some_and(|one| one.instance == instance)
            })
            .map(|(_, sessions)| *sessions)
            .collect();
        same.sort_by(f64::total_cmp);
        let events = history.table(TableKind::SystemEvents).filter(|_| classes.is_some());
        Some(Busiest {
            interval,
            sessions,
            median: same.get(same.len() / 2).copied().filter(|_| same.len() >= 3),
            parts: parts(history, table, column, interval),
            events: events.map_or_else(Vec::new, |events| {
                parts(history, events, column.min(column_of(events)), interval)
            }),
            foreground: column == FOREGROUND_TIME,
            cpu: classes.is_some_and(|classes| {
                classes.members.iter().any(|keys| keys.first().is_some_and(|key| key == "CPU"))
            }),
        })
    }
}

impl History {
    /// The average active sessions by wait class over all the time that is known of each instance, without
    /// idle ones, the largest first.
    pub fn classes(&self) -> Vec<Part> {
        let Some(table) = self.table(TableKind::WaitClasses) else { return Vec::new() };
        let known: BTreeSet<u32> = table.rows.iter().map(|row| row.interval).collect();
        let mut seconds = vec![0.0; self.instances.len()];
        for interval in known.iter().filter_map(|at| self.intervals.get(*at as usize)) {
            seconds[interval.instance] += interval.seconds();
        }
        let mut sums: Vec<Option<f64>> = vec![None; table.members.len()];
        for (row, sessions) in each(self, table, column_of(table)) {
            let Some(interval) = self.intervals.get(row.interval as usize) else { continue };
            let share = interval.seconds() / seconds[interval.instance];
            *sums[row.member as usize].get_or_insert(0.0) += sessions * share;
        }
        let part = |(keys, sum): (&Vec<String>, Option<f64>)| {
            Some(Part { name: keys.first()?.clone(), sessions: sum? })
        };
        largest_first(table.members.iter().zip(sums).filter_map(part).collect())
    }
}

/// The time of foreground sessions where every row has it.
fn column_of(table: &HistoryTable) -> usize {
    let known =
        |row: usize| table.values_of(row).get(FOREGROUND_TIME).is_some_and(|v| v.is_finite());
    if (0..table.rows.len()).all(known) { FOREGROUND_TIME } else { TIME }
}

/// Whether a member is what idle sessions wait for.
fn is_idle(table: &HistoryTable, row: Row) -> bool {
    let keys = table.members.get(row.member as usize);
    keys.is_some_and(|keys| keys.last().is_some_and(|class| class == "Idle"))
}

/// Average active sessions of each row that is not idle.
fn each<'a>(
    history: &'a History,
    table: &'a HistoryTable,
    column: usize,
) -> impl Iterator<Item = (&'a Row, f64)> {
    let sessions = move |(at, row): (usize, &'a Row)| {
        let length = history.intervals.get(row.interval as usize).map(Interval::seconds)?;
        let time_us = table.values_of(at).get(column).copied().filter(|time| time.is_finite())?;
        (length > 0.0 && !is_idle(table, *row)).then(|| (row, time_us / 1e6 / length))
    };
    table.rows.iter().enumerate().filter_map(sessions)
}

/// Average active sessions of each interval, in its order.
fn totals(history: &History, table: &HistoryTable, column: usize) -> Vec<(usize, f64)> {
    let mut sums: Vec<Option<f64>> = vec![None; history.intervals.len()];
    for (row, sessions) in each(history, table, column) {
        if let Some(sum) = sums.get_mut(row.interval as usize) {
            *sum = Some(sum.unwrap_or(0.0) + sessions);
        }
    }
    sums.into_iter().enumerate().filter_map(|(at, sum)| Some((at, sum?))).collect()
}

/// The largest; of two that are equal the first.
fn most(totals: &[(usize, f64)]) -> Option<(usize, f64)> {
    let larger = |best: (usize, f64), one: &(usize, f64)| if one.1 > best.1 { *one } else { best };
    totals.split_first().map(|(first, rest)| rest.iter().fold(*first, larger))
}

/// What the sessions of an interval did, the largest part first.
fn parts(history: &History, table: &HistoryTable, column: usize, interval: usize) -> Vec<Part> {
    let here = each(history, table, column).filter(|(row, _)| row.interval as usize == interval);
    let part = |(row, sessions): (&Row, f64)| {
        let name = table.members.get(row.member as usize)?.first()?.clone();
        (sessions > 0.0).then_some(Part { name, sessions })
    };
    largest_first(here.filter_map(part).collect())
}

fn largest_first(mut parts: Vec<Part>) -> Vec<Part> {
    parts.sort_by(|a, b| b.sessions.total_cmp(&a.sessions).then_with(|| a.name.cmp(&b.name)));
    parts
}
