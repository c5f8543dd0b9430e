// The tables of AWR's history as the page's document has them, and how intervals fall into bins.

/** Microseconds. */
const HOUR_US = 3_600e6;
const DAY_US = 24 * HOUR_US;
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
/** The most columns of a graph over time. */
const MOST_BINS = 750;

/**
 * @param {AwrPackedTable} packed
 * @returns {AwrTable}
 */
function awrTable(packed) {
  const size = packed.interval_steps.length;
  const [member, interval] = [new Int32Array(size), new Int32Array(size)];
  for (let at = 0, last = 0; at < size; at++) interval[at] = last += packed.interval_steps[at];
  packed.rows.reduce((at, count, index) => (member.fill(index, at, at + count), at + count), 0);
  const columns = packed.columns.map((column) => Float64Array.from(column, (value) => value ?? NaN));
  return { kind: packed.kind, keys: packed.keys, values: packed.values, members: packed.members, member, interval, columns };
}

/**
 * Where a bucket begins and ends, in milliseconds: at half its upper bound, the first at 0. The largest number of 32
 * bits stands for no bound, behind the last of 22 milliseconds' or 32 microseconds' powers of two.
 * @param {number} bound
 * @returns {[number, number | null]}
 */
function awrBucket(bound) {
  if (bound === 4_294_967_295) return [2 ** 22, null];
  if (bound === 4_294_967.295) return [2 ** 32 / 1e3, null];
  return [bound === 1 || bound <= 0.001 ? 0 : bound / 2, bound];
}

/**
 * The usual length of an interval: the median.
 * @param {AwrIntervals} intervals
 */
function usualLength(intervals) {
  const lengths = Float64Array.from(intervals.start_us, (start, at) => intervals.end_us[at] - start).sort();
  return lengths[Math.floor(lengths.length / 2)] || HOUR_US;
}

/**
 * The bins of a choice: over time, or by hour or day of the week.
 * @param {AwrDocument} doc
 * @param {AwrState} state
 * @returns {AwrBins}
 */
function awrBins(doc, state) {
  const [from, to] = state.range;
  const shift = state.zone * HOUR_US;
  if (state.layout !== "time") return cyclicBins(doc, state, shift);
  const usual = usualLength(doc.intervals);
  const width = usual * Math.max(Math.ceil((to - from) / usual / MOST_BINS), 1);
  const first = from - phaseOf(doc.intervals, usual, width, from);
  // Snapshots of two instances are some seconds apart: what is left over at the end is no bin.
  const count = Math.max(Math.ceil((to - first) / width - 0.1), 1);
  const binOf = (/** @type {number} */ us) => Math.max(Math.min(Math.floor((us - first) / width), count - 1), 0);
  const next = (/** @type {number} */ bin) => (bin < count - 1 ? first + (bin + 1) * width : Infinity);
  const starts = Array.from({ length: count }, (_, at) => Math.max(first + at * width, from));
  return {
    count, starts, zone: shift,
    lengths: starts.map((start, at) => Math.min(next(at), to) - start),
    labels: starts.map((at) => iso(at + shift).slice(0, 16).replace("T", " ")),
    pieces: doc.intervals.start_us.map((start, at) => pieces(start, doc.intervals.end_us[at], from, to, binOf, next)),
  };
}

/**
 * How long before the chosen time the first bin would begin, so that intervals of usual length are in one
 * bin each: an instance that was started between two snapshots has a short one first.
 * @param {AwrIntervals} intervals
 * @param {number} usual
 * @param {number} width
 * @param {number} from
 */
function phaseOf(intervals, usual, width, from) {
  const near = (/** @type {number} */ start, /** @type {number} */ at) => start >= from && Math.abs(intervals.end_us[at] - start - usual) <= usual / 10;
  const start = intervals.start_us.find(near);
  if (start === undefined) return 0;
  const phase = (width - ((start - from) % width)) % width;
  // Less than a tenth is what snapshots are early or late.
  return phase > 0.9 * width ? phase - width : phase;
}

/**
 * @param {AwrDocument} doc
 * @param {AwrState} state
 * @param {number} shift
 * @returns {AwrBins}
 */
function cyclicBins(doc, state, shift) {
  const [from, to] = state.range;
  const hours = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`);
  const labels = { hour: hours, day: WEEKDAYS, week: WEEKDAYS.flatMap((day) => hours.map((hour) => `${day} ${hour}`)) }[state.layout] ?? hours;
  const hourOf = (/** @type {number} */ us) => Math.floor((us + shift) / HOUR_US);
  // The first of January 1970 was a Thursday.
  const binOf = (/** @type {number} */ us) => {
    const hour = hourOf(us);
    const day = (((Math.floor(hour / 24) + 3) % 7) + 7) % 7;
    const ofDay = ((hour % 24) + 24) % 24;
    return state.layout === "hour" ? ofDay : state.layout === "day" ? day : day * 24 + ofDay;
  };
  const next = (/** @type {number} */ _, /** @type {number} */ us) => (hourOf(us) + 1) * HOUR_US - shift;
  return {
    count: labels.length, lengths: [], starts: [], labels, zone: shift,
    pieces: doc.intervals.start_us.map((start, at) => pieces(start, doc.intervals.end_us[at], from, to, binOf, next)),
  };
}

/**
 * The bins that an interval falls into, with its share of each. One that lies in a bin but for a
 * tenth, as snapshots are some seconds late, is counted there as a whole.
 * @param {number} start
 * @param {number} end
 * @param {number} from
 * @param {number} to
 * @param {(us: number) => number} binOf
 * @param {(bin: number, us: number) => number} nextOf where the bin of a moment ends
 * @returns {[number, number][]}
 */
function pieces(start, end, from, to, binOf, nextOf) {
  const tenth = (end - start) / 10;
  // What the chosen time cuts is counted where most of it lies.
  const [middle, length] = [(start + end) / 2, end - start];
  if (middle < from || middle >= to) return [];
  /** @type {[number, number][]} */
  const all = [];
  for (let at = Math.max(start, from); at < Math.min(end, to);) {
    const bin = binOf(at);
    const next = Math.min(nextOf(bin, at), end, to);
    if (!(next > at)) break;
    all.push([bin, (next - at) / length]);
    at = next;
  }
  const most = all.reduce((best, one) => (one[1] > best[1] ? one : best), all[0] ?? [0, 0]);
  if (most[1] * length >= length - tenth) return [[most[0], 1]];
  const sum = all.reduce((total, [, share]) => total + share, 0);
  return sum > 0 ? all.map(([bin, share]) => [bin, share / sum]) : [];
}
