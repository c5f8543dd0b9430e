// The two heat maps: cells on one canvas; axes, lines, cursor and selection on another above it.

/** Shares of the colour maximum below which a cell is only a trace. @type {Record<MapKind, number>} */
const TRACE = { frequency: 0.0012, intensity: 0.004 };

/** The least height of a painted row, in CSS pixels. */
const LEAST_ROW = 2.5;

/**
 * What a map shows of a cell: its events or the seconds waited in it.
 * @param {Entry} entry
 * @param {MapKind} kind
 * @param {number} column
 * @param {number} row
 */
function amountOf(entry, kind, column, row) {
  return kind === "frequency" ? entry.counts[column * entry.rows + row] : timeOf(entry, column, row);
}

/**
 * What the amounts of each column are divided by, in seconds: before the first event ended, ends were
 * not counted.
 * @param {Entry} entry
 * @param {MapKind} kind
 */
function lengthsOf(entry, kind) {
  return kind === "frequency" ? entry.counted : entry.covered;
}

/**
 * The columns of which at least half is known; all of them if there is no such column. Of less, such
 * as the last milliseconds of a recording, no scale is made.
 * @param {Entry} entry
 * @param {MapKind} kind
 * @returns {(column: number) => boolean}
 */
function wholeColumns(entry, kind) {
  const half = entry.head.width_us * 0.5e-6;
  const lengths = lengthsOf(entry, kind);
  const any = lengths.some((length) => length >= half);
  return (column) => lengths[column] > 0 && (!any || lengths[column] >= half);
}

/**
 * The rates of all cells that are not zero, of columns and painted rows, ascending.
 * @param {Entry} entry
 * @param {MapKind} kind
 * @param {number[]} rows
 */
function rankedRates(entry, kind, rows) {
  const rates = new Float64Array(entry.columns * rows.length);
  let used = 0;
  const [whole, lengths] = [wholeColumns(entry, kind), lengthsOf(entry, kind)];
  for (let column = 0; column < entry.columns; column++) {
    const length = lengths[column];
    if (!whole(column)) continue;
    for (let painted = 0; painted + 1 < rows.length; painted++) {
      let total = 0;
      for (let row = rows[painted]; row < rows[painted + 1]; row++) {
        total += amountOf(entry, kind, column, row);
      }
      if (total > 0) rates[used++] = total / length;
    }
  }
  return rates.subarray(0, used).sort();
}

/**
 * @param {App} app
 * @param {MapKind} kind
 * @returns {Legend}
 */
function mapLegend(app, kind) {
  const { shown, state, entryKey } = app.now();
  const box = plotBox({ width: 0, height: byId(`map-${kind}`).clientHeight });
  const rows = paintedRows(shown.head.bounds_ns, box.height, LEAST_ROW);
  const ranked = app.memo(`ranked ${kind}`, `${entryKey} ${rows.length}`, () => rankedRates(shown, kind, rows));
  const scale = scaleOf(state.scale, kind);
  return app.memo(`legend ${kind}`, `${entryKey} ${rows.length} ${scale}`, () => legendOf(scale, TRACE[kind], ranked));
}

/**
 * The average and the largest rate of a cell made of these columns and rows.
 * @param {Entry} entry
 * @param {MapKind} kind
 * @param {Region} region
 * @param {Rate} into
 */
function rateOf(entry, kind, { from, to, low, high }, into) {
  const lengths = lengthsOf(entry, kind);
  let total = 0;
  let length = 0;
  let peak = 0;
  for (let column = from; column < to; column++) {
    if (entry.state[column] !== DATA_COLUMN) continue;
    length += lengths[column];
    let here = 0;
    let largest = 0;
    for (let row = low; row < high; row++) {
      const cell = column * entry.rows + row;
      const amount = amountOf(entry, kind, column, row);
      if (amount === 0) continue;
      here += amount;
      const count = entry.counts[cell];
      if (entry.peaks && count > 0) largest = Math.max(largest, (entry.peaks[cell] / count) * amount);
    }
    total += here;
    const native = largest / (entry.head.native_us * 1e-6);
    peak = Math.max(peak, native, lengths[column] > 0 ? here / lengths[column] : 0);
  }
  into.mean = length > 0 ? total / length : 0;
  into.peak = peak;
}

/**
 * The shade a cell is painted in: of its average, or of its largest interval where that stands out.
 * @param {Legend} legend
 * @param {string} cells
 * @param {Rate} rate
 */
function cellShade(legend, cells, rate) {
  if (cells === "peak") return shadeOf(legend, rate.peak);
  const mean = shadeOf(legend, rate.mean);
  if (cells === "mean" || rate.peak < 3 * rate.mean) return mean;
  const peak = shadeOf(legend, rate.peak);
  return peak >= mean + 2 ? peak : mean;
}

/**
 * The row that holds the mean of the events of some columns, where there are averages only.
 * @param {Entry} entry
 * @param {number} from
 * @param {number} to
 */
function rowOfMean(entry, from, to) {
  let [events, seconds, row] = [0, 0, 0];
  for (let column = from; column < to; column++) {
    events += entry.events[column];
    seconds += entry.latency[column];
  }
  const ns = events > 0 ? (seconds / events) * 1e9 : 0;
  while (row + 1 < entry.rows && ns >= (entry.head.bounds_ns[row + 1] ?? Infinity)) row++;
  return row;
}

/**
 * The rows of events that a painted row stands for: its own; of averages all in the row of the mean.
 * @param {Entry} entry
 * @param {number | null} mean
 * @param {number} low
 * @param {number} high
 * @returns {[number, number]}
 */
function rowsOfCell(entry, mean, low, high) {
  if (mean === null) return [low, high];
  return mean >= low && mean < high ? [0, entry.rows] : [low, low];
}

/**
 * Paints the cells.
 * @param {App} app
 * @param {MapKind} kind
 * @param {HTMLCanvasElement} canvas
 */
function paintCells(app, kind, canvas) {
  const sheet = sheetOf(app, canvas);
  const { shown: entry, state } = app.now();
  const box = plotBox(sheet);
  const [left, top] = [Math.round(box.x * sheet.ratio), Math.round(box.y * sheet.ratio)];
  const [across, down] = [Math.round(box.width * sheet.ratio), Math.round(box.height * sheet.ratio)];
  const legend = mapLegend(app, kind);
  const colours = [0, ...rampOf(state.palette, app.dark, kind).map(pixelOf)];
  const rows = paintedRows(entry.head.bounds_ns, box.height, LEAST_ROW);
  const places = edgePlaces(entry.head.bounds_ns);
  const bins = binsOf(state.view, across);
  const image = sheet.pen.createImageData(across, down);
  const pixels = new Uint32Array(image.data.buffer);
  const rate = { mean: 0, peak: 0 };
  const hatch = pixelOf(inkOf(app).hatch);
  const dots = [pixelOf(inkOf(app).page), pixelOf(inkOf(app).ink)];
  for (let bin = 0; bin + 1 < bins.length; bin++) {
    const x0 = Math.round((bin * across) / (bins.length - 1));
    const x1 = Math.round(((bin + 1) * across) / (bins.length - 1));
    const missing = missingIn(entry, bins[bin], bins[bin + 1]);
    const mean = entry.head.averages ? rowOfMean(entry, bins[bin], bins[bin + 1]) : null;
    for (let row = 0; row + 1 < rows.length && missing !== "all" && missing !== "reset"; row++) {
      const [low, high] = rowsOfCell(entry, mean, rows[row], rows[row + 1]);
      rateOf(entry, kind, { from: bins[bin], to: bins[bin + 1], low, high }, rate);
      const shade = cellShade(legend, state.cells, rate);
      if (shade === 0) continue;
      const y0 = Math.round(down * (1 - places[rows[row + 1]]));
      const y1 = Math.round(down * (1 - places[rows[row]]));
      for (let y = y0; y < y1; y++) pixels.fill(colours[shade], y * across + x0, y * across + x1);
      const marked = kind === "intensity" && isUnplaced(entry, { from: bins[bin], to: bins[bin + 1], low: rows[row], high: rows[row + 1] });
      if (marked) paintDot(pixels, { x0, x1, y0, y1, across, colour: 2 * shade > colours.length ? dots[0] : dots[1], unit: sheet.ratio });
    }
    if (missing) hatchColumns(pixels, { x0, x1, across, down, missing, colour: hatch, unit: sheet.ratio });
  }
  sheet.pen.putImageData(image, left, top);
}

/**
 * A dot in the middle of a cell: a part of its time was waited before its column.
 * @param {Uint32Array} pixels
 * @param {DotPlace} place
 */
function paintDot(pixels, { x0, x1, y0, y1, across, colour, unit }) {
  const size = Math.max(Math.round(2 * unit), 1);
  const [wide, high] = [Math.min(size, x1 - x0), Math.min(size, y1 - y0)];
  const [x, y] = [x0 + Math.floor((x1 - x0 - wide) / 2), y0 + Math.floor((y1 - y0 - high) / 2)];
  for (let line = y; line < y + high; line++) pixels.fill(colour, line * across + x, line * across + x + wide);
}

/**
 * What of these columns has no data.
 * @param {Entry} entry
 * @param {number} from
 * @param {number} to
 * @returns {Missing}
 */
function missingIn(entry, from, to) {
  let [data, reset, none] = [0, 0, 0];
  for (let column = from; column < to; column++) {
    if (entry.state[column] === DATA_COLUMN) data++;
    else if (entry.state[column] === RESET_COLUMN) reset++;
    else none++;
  }
  if (data > 0) return reset + none > 0 ? "some" : "";
  return reset > 0 ? "reset" : "all";
}

/**
 * Slanted lines where nothing is known, upright dashes where counters were reset; a strip at the
 * foot where only part of what a pixel shows is missing.
 * @param {Uint32Array} pixels
 * @param {Hatch} hatch
 */
function hatchColumns(pixels, { x0, x1, across, down, missing, colour, unit }) {
  const apart = Math.round(6 * unit);
  const thick = Math.max(Math.round(unit), 1);
  const from = missing === "some" ? down - Math.round(4 * unit) : 0;
  for (let y = from; y < down; y++) {
    for (let x = x0; x < x1; x++) {
      const slanted = (x + y) % apart < thick;
      const upright = x % apart < thick && y % (2 * apart) < apart;
      if (missing === "some" || (missing === "reset" ? upright : slanted)) pixels[y * across + x] = colour;
    }
  }
}

/** @param {App} app */
function inkOf(app) {
  return INKS[app.dark ? "dark" : "light"];
}

/**
 * Where a column begins on a chart.
 * @param {App} app
 * @param {Box} box
 * @param {number} column
 */
function xOf(app, box, column) {
  const [from, to] = app.now().state.view;
  return box.x + ((column - from) / (to - from)) * box.width;
}

/**
 * Where a latency lies on a map.
 * @param {Entry} entry
 * @param {Box} box
 * @param {number} ns
 */
function yOf(entry, box, ns) {
  const bounds = entry.head.bounds_ns;
  const places = edgePlaces(bounds);
  let row = 0;
  while (row + 2 < bounds.length && ns >= (bounds[row + 1] ?? Infinity)) row++;
  const [lo, hi] = [bounds[row] ?? 0, bounds[row + 1]];
  const inside = hi === null ? 0.5 : lo === 0 ? ns / hi : Math.log2(ns / lo) / Math.log2(hi / lo);
  const place = places[row] + (places[row + 1] - places[row]) * Math.min(Math.max(inside, 0), 1);
  return box.y + box.height * (1 - place);
}

/**
 * Draws what lies above the cells.
 * @param {App} app
 * @param {MapKind} kind
 * @param {HTMLCanvasElement} canvas
 */
function drawOverlay(app, kind, canvas) {
  const sheet = sheetOf(app, canvas);
  const { entry, shown, state } = app.now();
  const box = plotBox(sheet);
  const { pen } = sheet;
  const ink = inkOf(app);
  drawLevels(app, sheet, box, latencyTicks(entry.head.bounds_ns, box.height, 13), false);
  drawTimeAxis(app, sheet, box);
  pen.strokeStyle = ink.line;
  pen.lineWidth = 1;
  pen.strokeRect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1);
  pen.save();
  pen.beginPath();
  pen.rect(box.x, 0, box.width, box.y + box.height);
  pen.clip();
  if (state.lines) {
    for (const line of percentileLines(app, box.width)) {
      const points = linePoints(app, box, line.steps, (ns) => yOf(shown, box, ns));
      strokeTwice(pen, ink, line.dash, 1.5, () => tracePoints(pen, points));
    }
  }
  drawMarks(app, sheet, box);
  if (state.selection) drawSelection(app, sheet, box, state.selection);
  if (state.cursor) drawCursor(app, sheet, box, state.cursor);
  pen.restore();
}

/**
 * A line with an edge in the page's colour, so that it is seen on every shade.
 * @param {CanvasRenderingContext2D} pen
 * @param {Ink} ink
 * @param {number[]} dash
 * @param {number} width
 * @param {() => void} trace
 */
function strokeTwice(pen, ink, dash, width, trace) {
  pen.lineJoin = "round";
  for (const [colour, wide, alpha] of /** @type {[string, number, number][]} */ ([[ink.page, width + 2, 0.75], [ink.ink, width, 1]])) {
    pen.globalAlpha = alpha;
    pen.strokeStyle = colour;
    pen.lineWidth = wide;
    pen.setLineDash(dash);
    pen.beginPath();
    trace();
    pen.stroke();
  }
  pen.globalAlpha = 1;
  pen.setLineDash([]);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {({ x: number, y: number } | null)[]} points null where the line is broken
 */
function tracePoints(pen, points) {
  let broken = true;
  for (const point of points) {
    if (!point) broken = true;
    else if (broken) {
      pen.moveTo(point.x, point.y);
      broken = false;
    } else pen.lineTo(point.x, point.y);
  }
}

/**
 * @param {App} app
 * @param {Sheet} sheet
 * @param {Box} box
 */
function drawMarks(app, { pen }, box) {
  const { entry } = app.now();
  const ink = inkOf(app);
  entry.recording.marks.forEach((mark, index) => {
    const x = xOf(app, box, (mark.at_us - entry.head.t0_us) / entry.head.width_us);
    if (x < box.x - 1 || x > box.x + box.width + 1) return;
    strokeTwice(pen, ink, [2, 4], 1, () => {
      pen.moveTo(x, box.y);
      pen.lineTo(x, box.y + box.height);
    });
    pen.fillStyle = ink.ink;
    pen.textAlign = x > box.x + box.width - 20 ? "right" : "left";
    pen.textBaseline = "middle";
    pen.fillText(`▼${markName(index)}`, x - (pen.textAlign === "left" ? 4 : -4), box.y - 6);
  });
}

/**
 * A, B, ... Z, then numbers.
 * @param {number} index
 */
function markName(index) {
  return index < 26 ? String.fromCharCode(65 + index) : String(index + 1);
}

/**
 * @param {App} app
 * @param {Sheet} sheet
 * @param {Box} box
 * @param {Region} selection
 */
function drawSelection(app, { pen }, box, { from, to, low, high }) {
  const places = edgePlaces(app.now().entry.head.bounds_ns);
  const [x0, x1] = [xOf(app, box, from), xOf(app, box, to)];
  const [y0, y1] = [high, low].map((row) => box.y + box.height * (1 - places[row]));
  strokeTwice(pen, inkOf(app), [], 2, () => pen.rect(x0, y0, Math.max(x1 - x0, 1), y1 - y0));
}

/** Rows and columns of the cursor narrower than this, in CSS pixels, have one line instead of two. */
const TWO_LINES = 5;

/**
 * The cursor's cell, and thin lines along the edges of its column and of its row: what they pass
 * over keeps its colour.
 * @param {App} app
 * @param {Sheet} sheet
 * @param {Box} box
 * @param {Cursor} cursor
 */
function drawCursor(app, { pen }, box, { column, row }) {
  const places = edgePlaces(app.now().entry.head.bounds_ns);
  const x0 = xOf(app, box, column);
  const wide = Math.max(xOf(app, box, column + 1) - x0, 1);
  const [y0, y1] = [places[row + 1], places[row]].map((place) => box.y + box.height * (1 - place));
  const lines = (/** @type {number} */ from, /** @type {number} */ to) => (to - from < TWO_LINES ? [(from + to) / 2] : [from, to]);
  pen.fillStyle = inkOf(app).ink;
  pen.globalAlpha = 0.55;
  for (const x of lines(x0, x0 + wide)) pen.fillRect(Math.round(x), box.y, 1, box.height);
  for (const y of lines(y0, y1)) pen.fillRect(box.x, Math.round(y), box.width, 1);
  pen.globalAlpha = 1;
  strokeTwice(pen, inkOf(app), [], 1, () => pen.rect(x0 - 1.5, y0 - 1.5, wide + 3, y1 - y0 + 3));
}
