//! How the events of an entry divide among the values of an attribute, over time and latency: what
//! the page needs to say what differs in a selection.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use isotherm_frame::{Histogram, Scheme, Series};

use crate::report::Entry;

/// The most stretches of time.
pub(super) const MOST_TILES: u64 = 240;
/// The most bytes that the counts of one attribute take before they are compressed. Of fifty
/// values all are kept; beyond, those that a selection may turn up.
pub(super) const MOST_BYTES: usize = 400_000;
/// The most values of an attribute that are distinguished: the page looks at each of them.
const MOST_VALUES: usize = 2_000;
/// What stands for series without the attribute.
const NONE: &str = "(none)";

/// The counts of one attribute while they are counted: of every value, however many there are.
#[derive(Debug)]
pub(super) struct Facet {
    key: String,
    /// Its values, most events first.
    values: Vec<String>,
    /// The value of each member of the entry.
    of_member: Vec<usize>,
    /// The octave of each bucket of the entry.
    octave_of: Vec<usize>,
    octaves: usize,
    tiles: usize,
    tile_columns: u64,
    /// Of each value its counts by place: tile times octaves, and the octave.
    counts: Vec<HashMap<usize, u64>>,
}

/// The counts of one attribute as the page has them.
#[derive(Debug)]
pub(super) struct FacetCounts {
    /// The attribute.
    pub key: String,
    /// The values, most events first; where there are others, their counts stand after these.
    pub values: Vec<String>,
    /// How many values are not distinguished.
    pub others: usize,
    /// By tile, value and octave.
    pub counts: Vec<u64>,
    octaves: usize,
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
    /// The facets of an entry in so many columns and at most so many tiles: every attribute with at
    /// least two values, and the names of the series if there are several.
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
        let values = by_events(own.iter().zip(entry.members.iter().map(|(_, events)| *events)));
        let places: HashMap<&String, usize> =
            values.iter().enumerate().map(|(place, value)| (value, place)).collect();
        let of_member = own.iter().filter_map(|value| places.get(value).copied()).collect();
        let octaves = Octaves::of(entry.latencies.scheme());
        Facet {
            key: key.to_owned(),
            counts: vec![HashMap::new(); values.len()],
            octaves: octaves.len(),
            octave_of: octaves.of_bucket,
            tiles: usize::try_from(columns.div_ceil(tile_columns)).unwrap_or(0),
            values,
            of_member,
            tile_columns,
        }
    }

    /// Counts what a member of the entry has in finest columns, of which `factor` make a column;
    /// the first of them begins column `first`.
    pub fn count(&mut self, member: usize, first: u64, factor: u64, finest: &[Option<Histogram>]) {
        let counts = &mut self.counts[self.of_member[member]];
        // Neighbouring columns are of one tile: what they hold is put into the map at once.
        let mut of_tile = vec![0; self.octaves];
        let mut flush = |tile: u64, of_tile: &mut [u64]| {
            let row = usize::try_from(tile).unwrap_or(usize::MAX) * self.octaves;
            let held = of_tile.iter_mut().enumerate().filter(|(_, count)| **count > 0);
            for (octave, count) in held {
                *counts.entry(row + octave).or_default() += std::mem::take(count);
            }
        };
        let mut current = first / self.tile_columns;
        for (index, latencies) in finest.iter().enumerate() {
            let Some(latencies) = latencies else { continue };
            let tile = (first + index as u64 / factor) / self.tile_columns;
            if tile != current {
                flush(current, &mut of_tile);
                current = tile;
            }
            for (bucket, count) in latencies.counted() {
                of_tile[self.octave_of[bucket]] += count;
            }
        }
        flush(current, &mut of_tile);
    }

    /// The counts in about `most` bytes: all values if they fit, else those first that have the
    /// largest share of some stretch of time above some latency; the rest is one value.
    pub fn within(self, most: usize) -> FacetCounts {
        let places = self.tiles * self.octaves;
        let mut dense = vec![0; places];
        for (&place, &count) in self.counts.iter().flatten() {
            dense[place] += count;
        }
        let kept = self.kept(&dense, most);
        let others = self.values.len() - kept.len();
        let width = kept.len() + usize::from(others > 0);
        let mut counts = vec![0; self.tiles * width * self.octaves];
        let mut slots = vec![kept.len(); self.values.len()];
        kept.iter().enumerate().for_each(|(slot, &value)| slots[value] = slot);
        for (slot, own) in slots.iter().zip(&self.counts) {
            for (place, count) in own {
                let (tile, octave) = (place / self.octaves, place % self.octaves);
                counts[(tile * width + slot) * self.octaves + octave] += count;
            }
        }
        let values = kept.iter().map(|&value| self.values[value].clone()).collect();
        FacetCounts { key: self.key, values, others, counts, octaves: self.octaves }
    }

    /// The values to keep, most events first.
    fn kept(&self, all: &[u64], most: usize) -> Vec<usize> {
        // A row takes a byte, a count in it about two and a half.
        let bytes = |value: usize| self.tiles + self.counts[value].len() * 5 / 2;
        let everything = 0..self.values.len();
        if everything.len() <= MOST_VALUES && everything.clone().map(bytes).sum::<usize>() <= most {
            return everything.collect();
        }
        let totals = Spans::of(all, self.octaves);
        let mut ranked: Vec<(usize, f64)> = everything
            .map(|value| (value, totals.largest_share(&self.counts[value], all.len())))
            .collect();
        ranked.sort_by(|one, two| two.1.total_cmp(&one.1).then(one.0.cmp(&two.0)));
        let mut room = most;
        let mut kept: Vec<usize> = Vec::new();
        for (value, _) in ranked.into_iter().take(MOST_VALUES) {
            let Some(left) = room.checked_sub(bytes(value)) else { break };
            room = left;
            kept.push(value);
        }
        kept.sort_unstable();
        kept
    }
}

impl FacetCounts {
    /// The counts of each tile and value, octave by octave.
    pub fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.counts.chunks(self.octaves.max(1))
    }
}

/// Counts of stretches of one tile, of four, of sixteen and so on to all, from each octave up.
struct Spans {
    octaves: usize,
    /// For each length, by stretch and octave.
    levels: Vec<Vec<u64>>,
}

impl Spans {
    /// From counts by tile and octave.
    fn of(counts: &[u64], octaves: usize) -> Spans {
        let mut level = counts.to_vec();
        for row in level.chunks_mut(octaves.max(1)) {
            for octave in (1..row.len()).rev() {
                row[octave - 1] += row[octave];
            }
        }
        let mut levels = vec![level];
        while let Some(last) = levels.last().filter(|last| last.len() > octaves.max(1)) {
            let fours = last.chunks(4 * octaves.max(1));
            let joined = fours.flat_map(|rows| {
                (0..octaves).map(|octave| rows.iter().skip(octave).step_by(octaves).sum::<u64>())
            });
            levels.push(joined.collect());
        }
        Spans { octaves, levels }
    }

    /// The largest share that these counts have of a stretch, for certain: the lower end of
    /// Wilson's interval (Wilson 1927), so that one event of one is not everything.
    fn largest_share(&self, own: &HashMap<usize, u64>, places: usize) -> f64 {
        let mut dense = vec![0; places];
        for (&place, &count) in own {
            dense[place] = count;
        }
        let own = Spans::of(&dense, self.octaves);
        let pairs = own.levels.iter().flatten().zip(self.levels.iter().flatten());
        let filled = pairs.filter(|(count, _)| **count > 0);
        filled.map(|(&count, &all)| least_share(count, all)).fold(0.0, f64::max)
    }
}

/// The lower end of the 95 % interval of a proportion.
fn least_share(count: u64, all: u64) -> f64 {
    const Z: f64 = 1.96;
    let n = all.max(1) as f64;
    let p = count as f64 / n;
    let middle = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).max(0.0).sqrt();
    (middle - half) / (1.0 + Z * Z / n)
}

/// The number of columns of a tile when there are at most so many.
pub(super) fn tile_columns(columns: u64, tiles: u64) -> u64 {
    columns.div_ceil(tiles.max(1)).max(1)
}

/// The values, those with the most events first.
fn by_events<'a>(values: impl Iterator<Item = (&'a String, u64)>) -> Vec<String> {
    let mut events: BTreeMap<&String, u64> = BTreeMap::new();
    for (value, more) in values {
        *events.entry(value).or_default() += more;
    }
    let mut ordered: Vec<(&String, u64)> = events.into_iter().collect();
    ordered.sort_by_key(|(_, events)| Reverse(*events));
    ordered.into_iter().map(|(value, _)| value.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_few_events_is_less_certain() {
        // Wilson's interval of 1 of 1 begins at 0.2065, of 90 of 100 at 0.8256.
        assert!((least_share(1, 1) - 0.2065).abs() < 1e-3);
        assert!((least_share(90, 100) - 0.8256).abs() < 1e-3);
    }

    #[test]
    fn spans_sum_stretches_of_tiles_from_each_octave_up() {
        // Five tiles of two octaves.
        let spans = Spans::of(&[1, 2, 0, 1, 3, 0, 0, 0, 5, 7], 2);
        assert_eq!(spans.levels[0], [3, 2, 1, 1, 3, 0, 0, 0, 12, 7]);
        assert_eq!(spans.levels[1], [7, 3, 12, 7]);
        assert_eq!(spans.levels[2], [19, 10]);
        assert_eq!(spans.levels.len(), 3);
    }

    /// 3,000 values with the same number of events, one of them with the slow events of one tile:
    /// it is kept where there is room for few.
    #[test]
    fn the_value_of_a_slow_stretch_is_kept_however_many_there_are() {
        let (tiles, octaves, values) = (60, 10, 3_000);
        let mut counts: Vec<HashMap<usize, u64>> = (0..values)
            .map(|value| (0..40).map(|at| ((at + value) % tiles * octaves + 2, 1)).collect())
            .collect();
        counts[1_234] = (0..40).map(|octave| (17 * octaves + 6 + octave % 3, 14)).collect();
        let facet = Facet {
            key: "session".to_owned(),
            values: (0..values).map(|value| format!("s{value}")).collect(),
            of_member: Vec::new(),
            octave_of: Vec::new(),
            octaves,
            tiles,
            tile_columns: 1,
            counts,
        };
        let events: u64 = facet.counts.iter().flat_map(HashMap::values).sum();
        let packed = facet.within(5_000);
        assert!(packed.values.len() < 100, "{}", packed.values.len());
        assert!(packed.values.contains(&"s1234".to_owned()));
        assert_eq!(packed.others + packed.values.len(), values);
        assert_eq!(packed.counts.iter().sum::<u64>(), events);
        assert_eq!(packed.counts.len(), tiles * (packed.values.len() + 1) * octaves);
    }
}
