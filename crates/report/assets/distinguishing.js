// What differs between a selection and the rest: shares of each attribute's values.

/**
 * The octave of each bucket, by its lower bound.
 * @param {EntryHead} head
 * @returns {number[]}
 */
function octaveOfRows(head) {
  const octaves = head.octaves_ns;
  let octave = 0;
  return head.bounds_ns.slice(0, -1).map((lo) => {
    while (octave + 2 < octaves.length && (octaves[octave + 1] ?? Infinity) <= (lo ?? 0)) octave++;
    return octave;
  });
}

/**
 * The share of each tile's octave that lies in the selection, and whether all are 0 or 1.
 * @param {Entry} entry
 * @param {Region} region
 */
function insideOfTiles(entry, { from, to, low, high }) {
  const { tile_columns: width, octaves_ns: bounds } = entry.head;
  const octaves = bounds.length - 1;
  const octaveOf = octaveOfRows(entry.head);
  const first = Math.floor(from / width);
  const last = Math.ceil(to / width);
  const inside = new Float64Array((last - first) * octaves);
  const all = new Float64Array(inside.length);
  for (let column = first * width; column < Math.min(last * width, entry.columns); column++) {
    const tile = Math.floor(column / width) - first;
    for (let row = 0; row < entry.rows; row++) {
      const count = entry.counts[column * entry.rows + row];
      const place = tile * octaves + octaveOf[row];
      all[place] += count;
      if (column >= from && column < to && row >= low && row < high) inside[place] += count;
    }
  }
  let exact = true;
  for (let place = 0; place < inside.length; place++) {
    exact &&= inside[place] === 0 || inside[place] === all[place];
    inside[place] = all[place] > 0 ? inside[place] / all[place] : 0;
  }
  return { first, last, inside, exact };
}

/** @param {number} others how many values are not told apart */
const othersName = (others) => `(other: ${others} ${others === 1 ? "value" : "values"})`;

/**
 * How surprising two different shares are, in standard deviations: the signed root of the
 * log-likelihood ratio (Dunning 1993).
 * @param {number} inside events with the value, in the selection
 * @param {number} all events in the selection
 * @param {number} insideRest events with the value, in the rest
 * @param {number} rest events in the rest
 */
function zOfProportions(inside, all, insideRest, rest) {
  const pooled = (inside + insideRest) / (all + rest);
  /** @type {(count: number, expected: number) => number} */
  const term = (count, expected) => (count > 0 && expected > 0 ? count * Math.log(count / expected) : 0);
  const ratio = term(inside, all * pooled) + term(all - inside, all * (1 - pooled)) + term(insideRest, rest * pooled) + term(rest - insideRest, rest * (1 - pooled));
  const z = Math.sqrt(Math.max(2 * ratio, 0));
  return inside / all < insideRest / rest ? -z : z;
}

/**
 * What a value contributes to telling the selection from the rest: its part of the divergence of
 * the two (Jeffreys 1946), with half an event added to each side.
 * @param {number} inside
 * @param {number} all
 * @param {number} insideRest
 * @param {number} rest
 */
function weightOfProportions(inside, all, insideRest, rest) {
  const [p, q] = [(inside + 0.5) / (all + 1), (insideRest + 0.5) / (rest + 1)];
  return (p - q) * Math.log(p / q);
}

/**
 * The mean length in seconds of an event of each octave, and the mean of its square, by the middles of
 * buckets.
 * @param {Entry} entry
 */
function lengthsOfOctaves(entry) {
  const octaves = entry.head.octaves_ns.length - 1;
  const octaveOf = octaveOfRows(entry.head);
  const [events, waited, squares] = [new Float64Array(octaves), new Float64Array(octaves), new Float64Array(octaves)];
  histogramOf(entry, 0, entry.columns).forEach((count, row) => {
    const octave = octaveOf[row];
    events[octave] += count;
    waited[octave] += count * entry.mid[row];
    squares[octave] += count * entry.mid[row] ** 2;
  });
  const each = (/** @type {Float64Array} */ sums) => sums.map((total, octave) => (events[octave] > 0 ? total / events[octave] : 0));
  return { mean: each(waited), square: each(squares) };
}

/**
 * The shares of a value in the time waited on both sides, and how surprising their difference is: the
 * variance of such a share is that of a ratio of sums of waits of very different lengths.
 * @param {Amounts} own of the value
 * @param {Amounts} all of all values
 */
function timeContrast(own, all) {
  /** @type {(waited: number, squares: number, allWaited: number, allSquares: number, events: number) => [number, number]} */
  const side = (waited, squares, allWaited, allSquares, events) => {
    if (allWaited <= 0) return [0, 0];
    const share = Math.min(waited / allWaited, 1);
    const spread = (1 - share) ** 2 * squares + share ** 2 * Math.max(allSquares - squares, 0);
    return [share, Math.max(spread, allSquares / Math.max(events, 1)) / allWaited ** 2];
  };
  const [inside, one] = side(own.waitedIn, own.squaresIn, all.waitedIn, all.squaresIn, all.eventsIn);
  const [rest, two] = side(own.waitedOut, own.squaresOut, all.waitedOut, all.squaresOut, all.eventsOut);
  const z = one + two > 0 && all.waitedIn > 0 && all.waitedOut > 0 ? (inside - rest) / Math.sqrt(one + two) : 0;
  const smoothed = (/** @type {number} */ share) => Math.max(share, LEAST_TIME_SHARE);
  return { inside, rest, z, weight: (inside - rest) * Math.log(smoothed(inside) / smoothed(rest)) };
}

/** Smaller shares of the time contribute as much as this one. */
const LEAST_TIME_SHARE = 0.001;

/** Shares of the time that are closer are not said to differ. */
const LEAST_SHIFT = 0.1;

/** Where shares of events and of time say nearly the same, those of events are named: they are more certain. */
const CLEARLY = 2;

/** Of a single value, shares closer than this many standard deviations are not said to differ. */
const LEAST_Z = 3;

/** What contributes less is not said to differ, however certain it is. */
const LEAST_WEIGHT = 0.01;

/**
 * The same where the largest of several differences counts.
 * @param {number} values
 */
const leastZ = (values) => Math.sqrt(LEAST_Z ** 2 + 2 * Math.log(Math.max(values, 1)));

/** @returns {Amounts} */
const noAmounts = () => ({ eventsIn: 0, waitedIn: 0, squaresIn: 0, eventsOut: 0, waitedOut: 0, squaresOut: 0 });

/**
 * @param {Amounts} one
 * @param {Amounts} two
 * @returns {Amounts}
 */
const addedAmounts = (one, two) => ({
  eventsIn: one.eventsIn + two.eventsIn,
  waitedIn: one.waitedIn + two.waitedIn,
  squaresIn: one.squaresIn + two.squaresIn,
  eventsOut: one.eventsOut + two.eventsOut,
  waitedOut: one.waitedOut + two.waitedOut,
  squaresOut: one.squaresOut + two.squaresOut,
});

/**
 * The attribute values whose share in the selection is not that of the rest, of the events or of the
 * time waited: first those of which there is more in it, of these the ones first that tell it from the
 * rest best. Tiles partly inside are shared out in proportion; then the shares are estimates.
 * @param {Entry} entry
 * @param {Region} region
 * @returns {{ rows: Difference[], exact: boolean }}
 */
function whatDiffers(entry, region) {
  const { first, last, inside, exact } = insideOfTiles(entry, region);
  /** @type {Difference[]} */
  const rows = [];
  const { mean, square } = lengthsOfOctaves(entry);
  for (const { key, values, others, octaves, at, place, count } of entry.facets) {
    const selected = new Float64Array(values.length);
    const total = new Float64Array(values.length);
    const amounts = values.map(noAmounts);
    for (let i = 0; i < count.length; i++) {
      total[at[i]] += count[i];
      const within = place[i] >= first * octaves && place[i] < last * octaves;
      const chosen = within ? count[i] * inside[place[i] - first * octaves] : 0;
      selected[at[i]] += chosen;
      const [own, octave] = [amounts[at[i]], place[i] % octaves];
      own.eventsIn += chosen;
      own.waitedIn += chosen * mean[octave];
      own.squaresIn += chosen * square[octave];
      own.eventsOut += count[i] - chosen;
      own.waitedOut += (count[i] - chosen) * mean[octave];
      own.squaresOut += (count[i] - chosen) * square[octave];
    }
    const whole = amounts.reduce(addedAmounts, noAmounts());
    const all = sum(selected);
    const rest = sum(total) - all;
    if (all <= 0 || rest <= 0) continue;
    const least = leastZ(others > 0 ? values.length - 1 + others : values.length);
    values.forEach((value, index) => {
      /** @type {[number, number, number, number]} */
      const counts = [selected[index], all, Math.max(total[index] - selected[index], 0), rest];
      const z = zOfProportions(...counts);
      const weight = weightOfProportions(...counts);
      const time = timeContrast(amounts[index], whole);
      const byEvents = Math.abs(z) >= least && weight >= LEAST_WEIGHT;
      // Values counted together are nobody.
      const together = others > 0 && index === values.length - 1;
      const byTime = !together && Math.abs(time.z) >= least && Math.abs(time.inside - time.rest) >= LEAST_SHIFT && (!byEvents || time.weight > CLEARLY * weight);
      if (byTime) rows.push({ key, value, ...time, ofTime: true });
      else if (byEvents) rows.push({ key, value, inside: counts[0] / all, rest: counts[2] / rest, z, weight, ofTime: false });
    });
  }
  rows.sort((one, two) => Number(one.z < 0) - Number(two.z < 0) || two.weight - one.weight);
  return { rows, exact };
}

/**
 * The time of each cell in proportion to the events that are left of it; where none ended there, to
 * those left at that latency at all. An estimate.
 * @param {Entry} entry
 * @param {Float64Array} counts what is left
 * @returns {Times | null}
 */
function filteredTimes(entry, counts) {
  const { times, rows, columns } = entry;
  if (!times) return null;
  const left = histogramOf({ ...entry, counts }, 0, columns);
  const all = histogramOf(entry, 0, columns);
  const cells = times.cells.map((time, cell) => {
    const row = cell % rows;
    const [part, whole] = entry.counts[cell] > 0 ? [counts[cell], entry.counts[cell]] : [left[row], all[row]];
    return whole > 0 ? (time * part) / whole : 0;
  });
  return { spread: times.spread, cells };
}

/**
 * The entry as it would be of one attribute value alone: each cell times the value's share of its
 * tile and octave. An estimate.
 * @param {Entry} entry
 * @param {string} key
 * @param {string} value
 * @returns {Entry}
 */
function filteredTo(entry, key, value) {
  const facet = entry.facets.find((one) => one.key === key);
  const index = facet ? facet.values.indexOf(value) : -1;
  if (!facet || index < 0) return entry;
  const octaveOf = octaveOfRows(entry.head);
  const counts = new Float64Array(entry.counts.length);
  const peaks = entry.peaks && new Float64Array(entry.counts.length);
  const [own, all] = [new Float64Array(facet.tiles * facet.octaves), new Float64Array(facet.tiles * facet.octaves)];
  for (let i = 0; i < facet.count.length; i++) {
    all[facet.place[i]] += facet.count[i];
    if (facet.at[i] === index) own[facet.place[i]] += facet.count[i];
  }
  const shares = own.map((count, place) => (all[place] > 0 ? count / all[place] : 0));
  const sums = new Float64Array(entry.columns);
  for (let column = 0; column < entry.columns; column++) {
    const tile = Math.floor(column / entry.head.tile_columns) * facet.octaves;
    for (let row = 0; row < entry.rows; row++) {
      const cell = column * entry.rows + row;
      const share = shares[tile + octaveOf[row]];
      counts[cell] = entry.counts[cell] * share;
      if (peaks && entry.peaks) peaks[cell] = entry.peaks[cell] * share;
      sums[column] += counts[cell] * entry.mid[row] * entry.lift[column];
    }
  }
  return withSums({ ...entry, counts, peaks, times: filteredTimes(entry, counts) }, sums);
}
