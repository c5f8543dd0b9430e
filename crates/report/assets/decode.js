// The document inside the page: a JSON header and packed blocks of numbers.

/**
 * The header, and the body its offsets count in.
 * @param {Uint8Array} bytes
 * @returns {ReportDocument}
 */
function openDocument(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true);
  if (4 + length > bytes.length) throw new Error("The data of this report is cut off.");
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  if (head.format !== 1) throw new Error(`The data of this report has format ${head.format}; this page reads format 1.`);
  return { head, body: bytes.subarray(4 + length) };
}

/** Reads unsigned LEB128 numbers one after the other. */
class Varints {
  /**
   * @param {Uint8Array} body
   * @param {[number, number]} block offset and length
   */
  constructor(body, [offset, length]) {
    if (offset + length > body.length) throw new Error("The data of this report is cut off.");
    this.bytes = body;
    this.at = offset;
    this.end = offset + length;
  }

  /** @returns {number} */
  next() {
    let value = 0;
    let factor = 1;
    for (;;) {
      if (this.at >= this.end) throw new Error("A block of this report's data ends too early.");
      const byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }
}

/**
 * Pairs of a value and how many columns in a row have it.
 * @param {Varints} from
 * @param {Float64Array | Uint8Array} into
 * @param {number} unit what one stands for
 */
function readRuns(from, into, unit) {
  for (let column = 0; column < into.length; ) {
    const value = from.next() * unit;
    const run = from.next();
    if (run === 0) throw new Error("A block of this report's data does not advance.");
    into.fill(value, column, column + run);
    column += run;
  }
}

/**
 * Counts, column after column.
 * @param {Varints} from
 * @param {Uint8Array} state
 * @param {number} rows
 * @returns {Float64Array}
 */
function readCells(from, state, rows) {
  const counts = new Float64Array(state.length * rows);
  for (let column = 0; column < state.length; column++) {
    if (state[column] !== DATA_COLUMN) continue;
    let row = 0;
    for (let runs = from.next(); runs > 0; runs--) {
      row += from.next();
      for (let length = from.next(); length > 0; length--, row++) {
        if (row >= rows) throw new Error("A cell of this report's data lies outside its map.");
        counts[column * rows + row] = from.next();
      }
    }
  }
  return counts;
}

/**
 * The largest count of one native interval in each cell.
 * @param {Varints} from
 * @param {Float64Array} counts
 * @returns {Float64Array}
 */
function readPeaks(from, counts) {
  const peaks = new Float64Array(counts.length);
  for (let cell = 0; cell < counts.length; cell++) {
    if (counts[cell] > 0) peaks[cell] = from.next();
  }
  return peaks;
}

/** Steps of the usual time, and what is above the halvings of a time alone; see spread_time.rs. */
const TIME_STEPS = 128;
const TIME_HALVINGS = 64;

/** A time of three digits, nanoseconds. @param {number} code */
function timeAlone(code) {
  return Math.floor(code / TIME_HALVINGS) * 2 ** (code % TIME_HALVINGS);
}

/**
 * The time waited in each cell of the columns that say so; of the others it follows from counts.
 * @param {Varints} from
 * @param {Uint8Array} state
 * @param {Float64Array} counts
 * @param {(number | null)[]} bounds
 * @returns {Times}
 */
function readTimes(from, state, counts, bounds) {
  const rows = bounds.length - 1;
  const spread = new Uint8Array(state.length);
  const cells = new Float64Array(state.length * rows);
  for (let column = 0; column < state.length; column++) {
    if (state[column] !== DATA_COLUMN) continue;
    spread[column] = from.next();
    if (spread[column] === 0) continue;
    const total = from.next();
    const own = cells.subarray(column * rows, (column + 1) * rows);
    for (let row = 0; row < rows; row++) {
      const count = counts[column * rows + row];
      if (count === 0) continue;
      const [lo, hi] = [bounds[row] ?? 0, bounds[row + 1]];
      const usual = count * (hi === null ? lo : lo + Math.floor((hi - lo) / 2));
      const code = from.next();
      const steps = code % 2 === 0 ? code / 2 - 1 : -(code - 1) / 2;
      own[row] = code === 0 ? timeAlone(from.next()) : usual * (1 + steps / TIME_STEPS);
    }
    let row = 0;
    for (let others = from.next(); others > 0; others--, row++) {
      row += from.next();
      if (row >= rows) throw new Error("A cell of this report's data lies outside its map.");
      own[row] = timeAlone(from.next());
    }
    // Cells are rounded, their total is not.
    const rounded = sum(own);
    for (let at = 0; at < rows; at++) own[at] *= rounded > 0 ? (total / rounded) * 1e-9 : 0;
  }
  return { spread, cells };
}

/**
 * @param {Uint8Array} body
 * @param {EntryHead} head
 * @param {FacetHead} facet
 * @returns {Facet}
 */
function readFacet(body, head, facet) {
  const from = new Varints(body, facet.block);
  const tiles = Math.ceil(head.columns / head.tile_columns);
  const octaves = head.octaves_ns.length - 1;
  const others = facet.others ?? 0;
  const values = others > 0 ? [...facet.values, othersName(others)] : facet.values;
  /** @type {[number[], number[], number[]]} */
  const [at, place, count] = [[], [], []];
  for (let row = 0; row < tiles * values.length; row++) {
    let octave = 0;
    for (let pairs = from.next(); pairs > 0; pairs--, octave++) {
      octave += from.next();
      if (octave >= octaves) throw new Error("An attribute of this report's data lies outside its map.");
      at.push(row % values.length);
      place.push(Math.floor(row / values.length) * octaves + octave);
      count.push(from.next());
    }
  }
  return { key: facet.key, values, others, at, place, count, octaves, tiles };
}

/**
 * Everything of one entry, ready to be summed.
 * @param {ReportDocument} doc
 * @param {number} index
 * @returns {Entry}
 */
function readEntry(doc, index) {
  const head = doc.head.entries[index];
  const columns = head.columns;
  const rows = head.bounds_ns.length - 1;
  const state = new Uint8Array(columns);
  readRuns(new Varints(doc.body, head.state), state, 1);
  const covered = new Float64Array(columns);
  readRuns(new Varints(doc.body, head.covered), covered, 1e-6);
  const counted = head.counted ? new Float64Array(columns) : covered;
  if (head.counted) readRuns(new Varints(doc.body, head.counted), counted, 1e-6);
  const counts = readCells(new Varints(doc.body, head.cells), state, rows);
  const peaks = head.peaks && readPeaks(new Varints(doc.body, head.peaks), counts);
  const facets = head.facets.map((facet) => readFacet(doc.body, head, facet));
  /** @type {Float64Array | null} */
  let sums = null;
  if (head.sums) {
    const from = new Varints(doc.body, head.sums);
    sums = new Float64Array(columns);
    for (let column = 0; column < columns; column++) {
      if (state[column] === DATA_COLUMN) sums[column] = from.next() * 1e-9;
    }
  }
  const times = head.times ? readTimes(new Varints(doc.body, head.times), state, counts, head.bounds_ns) : null;
  const unplaced = head.unplaced ? new Float64Array(columns) : null;
  if (head.unplaced && unplaced) readRuns(new Varints(doc.body, head.unplaced), unplaced, 1e-3);
  return withSums({ head, recording: doc.head.recordings[head.recording], columns, rows, state, covered, counted, counts, peaks, times, unplaced, facets }, sums);
}
