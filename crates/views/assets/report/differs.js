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

/**
 * How far two shares are apart, in standard errors.
 * @param {number} inside events with the value, in the selection
 * @param {number} all events in the selection
 * @param {number} insideRest events with the value, in the rest
 * @param {number} rest events in the rest
 */
function zOfProportions(inside, all, insideRest, rest) {
  const pooled = (inside + insideRest) / (all + rest);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / all + 1 / rest));
  return error > 0 ? (inside / all - insideRest / rest) / error : 0;
}

/** Shares closer than this many standard errors are not said to differ. */
const LEAST_Z = 3;

/**
 * The attribute values whose share in the selection is not that of the rest, largest difference
 * first. Tiles partly inside are shared out in proportion; then the shares are estimates.
 * @param {Entry} entry
 * @param {Region} region
 * @returns {{ rows: Difference[], exact: boolean }}
 */
function whatDiffers(entry, region) {
  const { first, last, inside, exact } = insideOfTiles(entry, region);
  /** @type {Difference[]} */
  const rows = [];
  for (const facet of entry.facets) {
    const { octaves, counts } = facet;
    const selected = new Float64Array(facet.values.length);
    const total = new Float64Array(facet.values.length);
    for (let tile = 0; tile < facet.tiles; tile++) {
      for (let value = 0; value < total.length; value++) {
        for (let octave = 0; octave < octaves; octave++) {
          const count = counts[(tile * total.length + value) * octaves + octave];
          total[value] += count;
          if (tile >= first && tile < last) {
            selected[value] += count * inside[(tile - first) * octaves + octave];
          }
        }
      }
    }
    const all = sum(selected);
    const rest = sum(total) - all;
    if (all <= 0 || rest <= 0) continue;
    facet.values.forEach((value, index) => {
      const outside = Math.max(total[index] - selected[index], 0);
      const z = zOfProportions(selected[index], all, outside, rest);
      if (Math.abs(z) >= LEAST_Z) {
        rows.push({ key: facet.key, value, inside: selected[index] / all, rest: outside / rest, z });
      }
    });
  }
  rows.sort((one, two) => Math.abs(two.inside - two.rest) - Math.abs(one.inside - one.rest));
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
  const of = facet.values.length;
  const counts = new Float64Array(entry.counts.length);
  const peaks = entry.peaks && new Float64Array(entry.counts.length);
  const shares = new Float64Array(facet.octaves);
  const sums = new Float64Array(entry.columns);
  for (let column = 0; column < entry.columns; column++) {
    const tile = Math.floor(column / entry.head.tile_columns);
    for (let octave = 0; octave < facet.octaves; octave++) {
      let all = 0;
      for (let one = 0; one < of; one++) all += facet.counts[(tile * of + one) * facet.octaves + octave];
      shares[octave] = all > 0 ? facet.counts[(tile * of + index) * facet.octaves + octave] / all : 0;
    }
    for (let row = 0; row < entry.rows; row++) {
      const cell = column * entry.rows + row;
      counts[cell] = entry.counts[cell] * shares[octaveOf[row]];
      if (peaks && entry.peaks) peaks[cell] = entry.peaks[cell] * shares[octaveOf[row]];
      sums[column] += counts[cell] * entry.mid[row] * entry.lift[column];
    }
  }
  return withSums({ ...entry, counts, peaks, times: filteredTimes(entry, counts) }, sums);
}
