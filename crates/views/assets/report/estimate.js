// The point estimate of a quantile: a monotone cubic through the cumulative counts over log2 of
// the latency (Fritsch and Carlson 1980, slopes by the weighted harmonic mean).

/**
 * The slope at a knot between two stretches.
 * @param {number} widthLeft
 * @param {number} widthRight
 * @param {number} left slope of the stretch before
 * @param {number} right slope of the stretch after
 */
function knotSlope(widthLeft, widthRight, left, right) {
  if (left <= 0 || right <= 0) return 0;
  const one = 2 * widthRight + widthLeft;
  const two = widthRight + 2 * widthLeft;
  return (one + two) / (one / left + two / right);
}

/**
 * @param {(number | null)[]} bounds
 * @param {Float64Array | number[]} histogram
 * @param {number} q
 * @returns {number} nanoseconds
 */
function estimateNs(bounds, histogram, q) {
  const row = quantileRow(histogram, q);
  const lo = bounds[row] ?? 0;
  const hi = bounds[row + 1];
  if (hi === null || hi === undefined) return lo;
  const events = sum(histogram);
  const rank = Math.min(Math.max(Math.ceil(q * events), 1), events);
  let below = 0;
  for (let r = 0; r < row; r++) below += histogram[r];
  const share = (rank - below) / histogram[row];
  if (lo === 0) return lo + (hi - lo) * share;
  const x = (/** @type {number} */ at) => Math.log2(bounds[at] ?? 0);
  const width = x(row + 1) - x(row);
  const slope = histogram[row] / width;
  const finite = (/** @type {number} */ r) => r >= 0 && r < histogram.length && (bounds[r] ?? 0) > 0 && bounds[r + 1] !== null;
  const slopeOf = (/** @type {number} */ r) => (finite(r) ? histogram[r] / (x(r + 1) - x(r)) : 0);
  const widthOf = (/** @type {number} */ r) => (finite(r) ? x(r + 1) - x(r) : width);
  const start = knotSlope(widthOf(row - 1), width, slopeOf(row - 1), slope) / slope;
  const end = knotSlope(width, widthOf(row + 1), slope, slopeOf(row + 1)) / slope;
  let [from, to] = [0, 1];
  for (let step = 0; step < 50; step++) {
    const t = (from + to) / 2;
    const value = t * t * (3 - 2 * t) + t * (1 - t) * (1 - t) * start - t * t * (1 - t) * end;
    if (value < share) from = t;
    else to = t;
  }
  return 2 ** (x(row) + width * from);
}
