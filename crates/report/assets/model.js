// Sums over parts of an entry: events, time waited, quantiles, statistics.

const DATA_COLUMN = 0;
const RESET_COLUMN = 2;

/**
 * The latency that stands for one event of a bucket, in seconds: its middle, or its lower bound
 * where it has no upper one.
 * @param {number} lo
 * @param {number | null} hi
 */
function midPoint(lo, hi) {
  return (hi === null ? lo : lo + Math.floor((hi - lo) / 2)) * 1e-9;
}

/**
 * Adds the sums of each column. The latencies of a column come to count times mid-point, scaled to
 * their exact sum where it is known. That is the time waited in it, unless the cells say when time
 * was waited.
 * @param {EntryBase} base
 * @param {Float64Array | null} sums exact seconds that the events of each column took
 * @returns {Entry}
 */
function withSums(base, sums) {
  const { columns, rows, counts } = base;
  const bounds = base.head.bounds_ns;
  const mid = Float64Array.from({ length: rows }, (_, row) => midPoint(bounds[row] ?? 0, bounds[row + 1]));
  // Where no bucket has a middle but zero, nothing tells one event from another.
  if (sums && mid.every((middle) => middle === 0)) mid.fill(1);
  const events = new Float64Array(columns);
  const latency = new Float64Array(columns);
  const waited = new Float64Array(columns);
  const lift = new Float64Array(columns).fill(1);
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) {
      const count = counts[column * rows + row];
      events[column] += count;
      latency[column] += count * mid[row];
    }
    if (sums && latency[column] > 0) {
      lift[column] = sums[column] / latency[column];
      latency[column] = sums[column];
    }
    waited[column] = latency[column];
    if (base.times?.spread[column]) waited[column] = sum(base.times.cells.subarray(column * rows, (column + 1) * rows));
  }
  return { ...base, mid, events, latency, waited, lift };
}

/**
 * The seconds waited in a cell.
 * @param {Entry} entry
 * @param {number} column
 * @param {number} row
 */
function timeOf(entry, column, row) {
  const cell = column * entry.rows + row;
  return entry.times?.spread[column] ? entry.times.cells[cell] : entry.counts[cell] * entry.mid[row] * entry.lift[column];
}

/**
 * Whether a cell made of these columns and rows holds time of events longer than it, from a source
 * that says only when they ended: a part of it was waited before.
 * @param {Entry} entry
 * @param {Region} region
 */
function isUnplaced(entry, { from, to, low, high }) {
  if (!entry.unplaced) return false;
  const length = (to - from) * entry.head.width_us * 1e3;
  for (let row = high - 1; row >= low && (entry.head.bounds_ns[row] ?? 0) > length; row--) {
    for (let column = from; column < to; column++) {
      if (entry.unplaced[column] > 0 && entry.counts[column * entry.rows + row] > 0) return true;
    }
  }
  return false;
}

/**
 * The seconds waited at each latency in the columns from..to.
 * @param {Entry} entry
 * @param {number} from
 * @param {number} to
 * @returns {Float64Array}
 */
function timesOf(entry, from, to) {
  const total = new Float64Array(entry.rows);
  for (let column = from; column < to; column++) {
    for (let row = 0; row < entry.rows; row++) total[row] += timeOf(entry, column, row);
  }
  return total;
}

/**
 * Events of each bucket in the columns from..to.
 * @param {Entry} entry
 * @param {number} from
 * @param {number} to
 * @returns {Float64Array}
 */
function histogramOf(entry, from, to) {
  const total = new Float64Array(entry.rows);
  for (let column = from; column < to; column++) {
    const base = column * entry.rows;
    for (let row = 0; row < entry.rows; row++) total[row] += entry.counts[base + row];
  }
  return total;
}

/** @param {Float64Array | number[]} values */
function sum(values) {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/**
 * The rank of the q quantile among so many events: ceil(q n) of the decimal that q is written as,
 * as the program computes it (frame/quantile.rs): 0.999 is 999/1000, of which binary floating point
 * knows only a neighbour.
 * @param {number} q
 * @param {number} events
 */
function nearestRank(q, events) {
  const parts = Math.round(q * 1e12);
  // Parts of events, after a filter, have no whole ranks.
  if (parts / 1e12 !== q || !Number.isSafeInteger(events)) return Math.ceil(q * events);
  return Number((BigInt(parts) * BigInt(events) + 999_999_999_999n) / 1_000_000_000_000n);
}

/**
 * The bucket that holds the q quantile by nearest rank, of n events the one at ceil(q n), and the
 * share of the bucket's events below the middle of that event.
 * @param {Float64Array | number[]} histogram
 * @param {number} q
 * @returns {{ row: number, inside: number } | null} null without events
 */
function rankOf(histogram, q) {
  const events = sum(histogram);
  // The last bucket takes what rounding leaves.
  const rank = Math.min(Math.max(nearestRank(q, events), 1), events);
  let below = 0;
  let found = null;
  for (let row = 0; row < histogram.length; row++) {
    if (histogram[row] <= 0) continue;
    found = { row, inside: Math.min(Math.max((rank - below - 0.5) / histogram[row], 0), 1) };
    below += histogram[row];
    if (rank <= below) return found;
  }
  return found;
}

/**
 * @param {Entry} entry
 * @param {Float64Array} histogram
 * @param {number} q
 * @returns {Quantile | null}
 */
function quantileOf(entry, histogram, q) {
  if (entry.head.averages) return null;
  const found = rankOf(histogram, q);
  if (!found) return null;
  const bounds = entry.head.bounds_ns;
  const { row, inside } = found;
  // Where lengths are estimates, an event lies so far below or above its bucket.
  const error = entry.head.length_error_ns ?? 0;
  // What is written as nothing is less than the unit that lengths are written in.
  const hi = bounds[row + 1] === 1 ? entry.head.written_unit_ns ?? 1 : bounds[row + 1];
  return { q, row, lo: Math.max((bounds[row] ?? 0) - error, 0), hi: hi === null ? null : hi + error, estimate: estimateNs(bounds, histogram, row, inside) };
}

/**
 * What a region holds: columns from..to (exclusive), rows low..high (exclusive).
 * @param {Entry} entry
 * @param {Region} region
 * @returns {Statistics}
 */
function statisticsOf(entry, { from, to, low, high }) {
  const histogram = new Float64Array(entry.rows);
  let [latency, waited, covered, counted, columnEvents, columnWaited, columnLatency] = [0, 0, 0, 0, 0, 0, 0];
  for (let column = from; column < to; column++) {
    if (entry.state[column] !== DATA_COLUMN) continue;
    covered += entry.covered[column];
    counted += entry.counted[column];
    columnEvents += entry.events[column];
    columnWaited += entry.waited[column];
    columnLatency += entry.latency[column];
    const base = column * entry.rows;
    for (let row = low; row < high; row++) {
      const count = entry.counts[base + row];
      histogram[row] += count;
      latency += count * entry.mid[row] * entry.lift[column];
      waited += timeOf(entry, column, row);
    }
  }
  // All rows: the columns' own sums, which may know of time that no bucket does.
  if (low === 0 && high === entry.rows) [waited, latency] = [columnWaited, columnLatency];
  const events = sum(histogram);
  const quantiles = QUANTILES.map((q) => quantileOf(entry, histogram, q));
  return { events, latency, waited, covered, counted, columnEvents, columnWaited, histogram, quantiles };
}

const QUANTILES = [0.5, 0.9, 0.99, 0.999, 1];

/**
 * The whole entry as a region.
 * @param {Entry} entry
 * @returns {Region}
 */
function everything(entry) {
  return { from: 0, to: entry.columns, low: 0, high: entry.rows };
}

/**
 * The moment a column begins, in microseconds of the recording's clock.
 * @param {Entry} entry
 * @param {number} column
 */
function startOf(entry, column) {
  return entry.head.t0_us + column * entry.head.width_us;
}
