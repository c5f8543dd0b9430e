//! How the events of an entry divide among the values of an attribute, over time and latency: what
//! the page needs to say what differs in a selection.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use isotherm_frame::{Histogram, Scheme, Series};

use super::Entry;

/// The most values of an attribute that are told apart.
const MOST_VALUES: usize = 20;
/// The most stretches of time.
pub(super) const MOST_TILES: u64 = 240;
/// What stands for the values beyond those told apart.
const OTHER: &str = "(other)";
/// What stands for series without the attribute.
const NONE: &str = "(none)";

/// The counts of one attribute.
#[derive(Debug)]
pub(super) struct Facet {
    /// The attribute.
    pub key: String,
    /// Its values, most events first.
    pub values: Vec<String>,
    /// The value of each member of the entry.
    of_member: Vec<usize>,
    /// The octave of each bucket of the entry.
    octave_of: Vec<usize>,
    octaves: usize,
    tile_columns: u64,
    /// By tile, value and octave.
    pub counts: Vec<u64>,
}

/// Buckets in steps of at least an octave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Octaves {
    /// The bounds in nanoseconds, one more than octaves.
    pub bounds: Vec<u64>,
    /// The octave of each bucket.
    pub of_bucket: Vec<usize>,
}

impl Octaves {
    /// The octaves of a scheme: each begins at the first bound at least twice the one before.
    pub fn of(scheme: &Scheme) -> Octaves {
        let (mut bounds, mut of_bucket) = (Vec::new(), Vec::new());
        for &lo in &scheme.bounds()[..scheme.buckets()] {
            let due = bounds.last().is_none_or(|&last: &u64| lo >= last.saturating_mul(2).max(1));
            if due {
                bounds.push(lo);
            }
            of_bucket.push(bounds.len() - 1);
        }
        bounds.extend(scheme.bounds().last());
        Octaves { bounds, of_bucket }
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.bounds.len() - 1
    }
}

impl Facet {
    /// The facets of an entry in so many columns and at most so many tiles: every attribute with at least two values, and
    /// the names of the series if there are several.
    pub fn of(entry: &Entry, columns: u64, tiles: u64) -> Vec<Facet> {
        let mut keys: BTreeSet<&str> = BTreeSet::new();
        for (series, _) in &entry.members {
            keys.extend(series.attributes().map(|(key, _)| key));
        }
        let name = |series: &Series| Some(series.name().to_owned());
        let tile_columns = tile_columns(columns, tiles);
        let mut facets = vec![Facet::new(entry, (columns, tile_columns), "series", &name)];
        for key in keys {
            let value = |series: &Series| {
                series.attributes().find(|(own, _)| *own == key).map(|(_, value)| value.to_owned())
            };
            facets.push(Facet::new(entry, (columns, tile_columns), key, &value));
        }
        facets.retain(|facet| facet.values.len() > 1);
        facets
    }

    fn new(
        entry: &Entry,
        (columns, tile_columns): (u64, u64),
        key: &str,
        value: &dyn Fn(&Series) -> Option<String>,
    ) -> Facet {
        let own: Vec<String> = entry
            .members
            .iter()
            .map(|(series, _)| value(series).unwrap_or_else(|| NONE.to_owned()))
            .collect();
        let values = most_frequent(own.iter().zip(entry.members.iter().map(|(_, events)| *events)));
        let place = |value: &String| values.iter().position(|known| known == value);
        let of_member = own.iter().map(|value| place(value).unwrap_or(values.len() - 1)).collect();
        let octaves = Octaves::of(entry.latencies.scheme());
        let tiles = usize::try_from(columns.div_ceil(tile_columns)).unwrap_or(0);
        Facet {
            key: key.to_owned(),
            counts: vec![0; tiles * values.len() * octaves.len()],
            octaves: octaves.len(),
            octave_of: octaves.of_bucket,
            values,
            of_member,
            tile_columns,
        }
    }

    /// Counts what a member of the entry has in finest columns, of which `factor` make a column;
    /// the first of them begins column `first`.
    pub fn count(&mut self, member: usize, first: u64, factor: u64, finest: &[Option<Histogram>]) {
        let value = self.of_member[member];
        for (index, latencies) in finest.iter().enumerate() {
            let Some(latencies) = latencies else { continue };
            let tile = (first + index as u64 / factor) / self.tile_columns;
            let tile = usize::try_from(tile).unwrap_or(usize::MAX);
            let row = (tile * self.values.len() + value) * self.octaves;
            for (bucket, &count) in latencies.counts().iter().enumerate() {
                self.counts[row + self.octave_of[bucket]] += count;
            }
        }
    }

    /// The counts of each tile and value, octave by octave.
    pub fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.counts.chunks(self.octaves.max(1))
    }
}

/// The number of columns of a tile when there are at most so many.
pub(super) fn tile_columns(columns: u64, tiles: u64) -> u64 {
    columns.div_ceil(tiles.max(1)).max(1)
}

/// The values with the most events; the last one stands for all others if there are more.
fn most_frequent<'a>(values: impl Iterator<Item = (&'a String, u64)>) -> Vec<String> {
    let mut events: BTreeMap<&String, u64> = BTreeMap::new();
    for (value, more) in values {
        *events.entry(value).or_default() += more;
    }
    let mut ordered: Vec<(&String, u64)> = events.into_iter().collect();
    ordered.sort_by_key(|(_, events)| Reverse(*events));
    let more = ordered.len() > MOST_VALUES;
    ordered.truncate(MOST_VALUES);
    let mut values: Vec<String> = ordered.into_iter().map(|(value, _)| value.clone()).collect();
    if more {
        values.push(OTHER.to_owned());
    }
    values
}
