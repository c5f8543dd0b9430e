// The point estimate of a quantile within its bucket: a monotone cubic of the cumulative counts
// over the logarithm of latency, step by step as the program computes it (frame/interpolation.rs).

/**
 * The width of a bucket in octaves; of one from zero or without upper bound, what it counts with
 * as a neighbour.
 * @param {(number | null)[]} bounds
 * @param {number} row
 */
function octavesOf(bounds, row) {
  const [lo, hi] = [bounds[row], bounds[row + 1]];
  return lo && hi ? Math.log2(hi / lo) : Math.LOG2E;
}

/**
 * The latency below which the share `inside` of the events of a bucket lie.
 * @param {(number | null)[]} bounds
 * @param {Float64Array | number[]} histogram
 * @param {number} row
 * @param {number} inside
 * @returns {number} nanoseconds
 */
function estimateNs(bounds, histogram, row, inside) {
  const [lo, hi] = [bounds[row] ?? 0, bounds[row + 1]];
  if (hi === null) return lo;
  const octaves = octavesOf(bounds, row);
  const place = lo === 0 ? inside * hi : lo * 2 ** (octaves * solved(slopeTowards(row - 1), slopeTowards(row + 1), inside));
  return Math.min(Math.max(Math.round(place), lo), hi - 1);

  /** The slope at the bound of a neighbour, as a multiple of the bucket's density. @param {number} beside */
  function slopeTowards(beside) {
    if (!(histogram[beside] > 0)) return 0;
    const width = octavesOf(bounds, beside);
    const [one, two] = [2 * octaves + width, octaves + 2 * width];
    return (one + two) / (one * (histogram[row] / octaves / (histogram[beside] / width)) + two);
  }
}

/**
 * Where the cubic with these slopes at its ends reaches `inside`.
 * @param {number} a
 * @param {number} b
 * @param {number} inside
 */
function solved(a, b, inside) {
  let [from, to] = [0, 1];
  for (let halving = 0; halving < 48; halving++) {
    const t = (from + to) / 2;
    const rest = 1 - t;
    if (t * (a * rest * rest + t * (3 - 2 * t) - b * t * rest) < inside) from = t;
    else to = t;
  }
  return (from + to) / 2;
}
