// Where times and latencies lie on a chart.

/** Room around a chart, in CSS pixels. */
const ROOM = { left: 58, right: 10, top: 14, bottom: 20 };

/**
 * The place of each bucket bound, 0 at the bottom to 1 at the top, by its logarithm. A bucket from
 * zero, and one without upper bound, are as high as half an octave.
 * @param {(number | null)[]} bounds
 * @returns {number[]}
 */
function edgePlaces(bounds) {
  const known = PLACES.get(bounds);
  if (known) return known;
  const places = placesOf(bounds);
  PLACES.set(bounds, places);
  return places;
}

/** @type {WeakMap<(number | null)[], number[]>} */
const PLACES = new WeakMap();

/**
 * @param {(number | null)[]} bounds
 * @returns {number[]}
 */
function placesOf(bounds) {
  const finite = bounds.flatMap((bound) => (bound ? [Math.log2(bound)] : []));
  const lowest = finite[0] ?? 0;
  const highest = finite[finite.length - 1] ?? 1;
  const logs = bounds.map((bound) => (bound === null ? highest + 0.5 : bound === 0 ? lowest - 0.5 : Math.log2(bound)));
  const [first, last] = [logs[0], logs[logs.length - 1]];
  return logs.map((log) => (log - first) / (last - first || 1));
}

/**
 * The bounds that are each twice the one before, if they span the axis; else all.
 * @param {(number | null)[]} bounds
 * @returns {number[]}
 */
function octaveBounds(bounds) {
  const known = new Set(bounds);
  const positive = bounds.flatMap((bound) => (bound ? [bound] : []));
  /** @type {number[]} */
  let best = [];
  for (const base of [1, 1e3, 1e6, 1e9, positive[0] ?? 1]) {
    const chain = [];
    for (let bound = base; bound < 2 ** 62; bound *= 2) if (known.has(bound)) chain.push(bound);
    if (chain.length > best.length) best = chain;
  }
  const wanted = Math.floor(Math.log2((positive[positive.length - 1] ?? 1) / (positive[0] ?? 1)));
  return best.length >= 2 && best.length >= 0.8 * wanted ? best : positive;
}

/**
 * The labels of the latency axis: true edges, as many as there is room for.
 * @param {(number | null)[]} bounds
 * @param {number} height in pixels
 * @param {number} apart the least distance in pixels
 * @returns {{ place: number, text: string }[]}
 */
function latencyTicks(bounds, height, apart) {
  const places = edgePlaces(bounds);
  const chain = octaveBounds(bounds);
  const placeOf = (/** @type {number} */ bound) => places[bounds.indexOf(bound)];
  for (let stride = 1; stride < chain.length; stride++) {
    const kept = chain.filter((_, i) => (chain.length - 1 - i) % stride === 0);
    const near = kept.some((bound, i) => i > 0 && (placeOf(bound) - placeOf(kept[i - 1])) * height < apart);
    if (!near) return kept.map((bound) => ({ place: placeOf(bound), text: nanos(bound) }));
  }
  return chain.slice(0, 1).map((bound) => ({ place: placeOf(bound), text: nanos(bound) }));
}

/** Lengths of time that ticks may be apart, in milliseconds. */
const TICK_STEPS_MS = [
  10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5,
  72e5, 108e5, 216e5, 432e5, 864e5,
];

/**
 * Round moments from one to the other, with their labels.
 * @param {Recording} recording
 * @param {number} from in microseconds
 * @param {number} to
 * @param {number} most how many there is room for
 * @returns {{ at: number, text: string }[]}
 */
function timeTicks(recording, from, to, most) {
  const needed = (to - from) / 1e3 / Math.max(most, 1);
  const day = 864e5;
  const stepMs = TICK_STEPS_MS.find((ms) => ms >= needed) ?? Math.ceil(needed / day) * day;
  const step = stepMs * 1e3;
  const zero = countsFromStart(recording) ? recording.start_us : 0;
  const ticks = [];
  for (let at = Math.ceil((from - zero) / step) * step + zero; at <= to; at += step) {
    ticks.push({ at, text: tickText(recording, at, stepMs) });
  }
  return ticks;
}

/**
 * @param {Recording} recording
 * @param {number} at
 * @param {number} stepMs
 */
function tickText(recording, at, stepMs) {
  if (countsFromStart(recording)) return `+${span(Math.max(at - recording.start_us, 0))}`;
  if (stepMs >= 864e5) return iso(at).slice(5, 10);
  if (stepMs >= 6e4) return iso(at).slice(11, 16);
  return iso(at).slice(11, stepMs >= 1e3 ? 19 : 23);
}

/**
 * Round numbers from zero to a little above the largest.
 * @param {number} max
 * @param {number} most
 * @returns {number[]}
 */
function linearTicks(max, most) {
  if (!(max > 0)) return [0, 1];
  const rough = max / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  return Array.from({ length: Math.ceil(max / step - 1e-9) + 1 }, (_, i) => i * step);
}

/**
 * The columns that each bin of a chart sums up: none left out, none in two.
 * @param {[number, number]} view
 * @param {number} most the number of bins there is room for
 * @returns {number[]} the first column of each bin, then the end
 */
function binsOf([from, to], most) {
  const columns = to - from;
  const bins = Math.max(Math.min(columns, Math.floor(most)), 1);
  return Array.from({ length: bins + 1 }, (_, bin) => from + Math.floor((bin * columns) / bins));
}

/**
 * Which rows of buckets are painted together, so that each is high enough to see.
 * @param {(number | null)[]} bounds
 * @param {number} height in pixels
 * @param {number} least the least height of most rows, in pixels
 * @returns {number[]} the first bucket of each painted row, then the end
 */
function paintedRows(bounds, height, least) {
  const places = edgePlaces(bounds);
  const rows = bounds.length - 1;
  const octaves = new Set(octaveBounds(bounds));
  for (let together = 1; ; together *= 2) {
    const starts = [0];
    for (let row = 1, run = 1; row < rows; row++, run++) {
      if (run >= together || (together <= 8 && octaves.has(bounds[row] ?? -1))) {
        starts.push(row);
        run = 0;
      }
    }
    const high = ((places[rows] - places[0]) * height) / starts.length;
    if (high >= least || together >= rows) return [...starts, rows];
  }
}

/**
 * A canvas as large as its plot, cleared, in CSS pixels.
 * @param {App} app
 * @param {HTMLCanvasElement} canvas
 * @returns {Sheet}
 */
function sheetOf(app, canvas) {
  const box = /** @type {HTMLElement} */ (canvas.parentElement);
  const ratio = app.printing ? 2 : Math.max(window.devicePixelRatio || 1, 1);
  const [width, height] = [box.clientWidth, box.clientHeight];
  const [across, down] = [Math.max(Math.round(width * ratio), 1), Math.max(Math.round(height * ratio), 1)];
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("This browser cannot draw on a canvas.");
  pen.setTransform(1, 0, 0, 1, 0, 0);
  // Setting its size clears a canvas, too. On paper it must be cleared so: while a browser prints,
  // what clearRect clears becomes white and hides what lies below.
  if (app.printing || canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
  } else pen.clearRect(0, 0, across, down);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.font = "11px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";
  return { pen, width, height, ratio };
}

/**
 * The part of a sheet inside its axes.
 * @param {{ width: number, height: number }} sheet
 * @returns {Box}
 */
function plotBox({ width, height }) {
  return {
    x: ROOM.left,
    y: ROOM.top,
    width: Math.max(width - ROOM.left - ROOM.right, 10),
    height: Math.max(height - ROOM.top - ROOM.bottom, 10),
  };
}

/**
 * The time axis below a chart.
 * @param {App} app
 * @param {Sheet} sheet
 * @param {Box} box
 */
function drawTimeAxis(app, { pen, width }, box) {
  const { entry, state } = app.now();
  const [from, to] = [startOf(entry, state.view[0]), startOf(entry, state.view[1])];
  const ink = inkOf(app);
  pen.textAlign = "center";
  pen.textBaseline = "top";
  const below = box.y + box.height;
  let free = 0;
  for (const tick of timeTicks(entry.recording, from, to, box.width / 92)) {
    const x = box.x + ((tick.at - from) / (to - from)) * box.width;
    pen.fillStyle = ink.line;
    pen.fillRect(Math.round(x), below, 1, 4);
    const half = pen.measureText(tick.text).width / 2;
    const middle = Math.min(Math.max(x, half), width - half);
    if (middle - half < free) continue;
    free = middle + half + 8;
    pen.fillStyle = ink.muted;
    pen.fillText(tick.text, middle, below + 6);
  }
}

/**
 * The labels at the left of a chart, with lines across where wanted.
 * @param {App} app
 * @param {Sheet} sheet
 * @param {Box} box
 * @param {{ place: number, text: string }[]} ticks
 * @param {boolean} across
 */
function drawLevels(app, { pen }, box, ticks, across) {
  const ink = inkOf(app);
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const { place, text } of ticks) {
    const y = box.y + box.height * (1 - place);
    pen.fillStyle = ink.line;
    pen.fillRect(box.x - 4, Math.round(y), across ? box.width + 4 : 4, 1);
    pen.fillStyle = ink.muted;
    pen.fillText(text, box.x - 7, y);
  }
}
