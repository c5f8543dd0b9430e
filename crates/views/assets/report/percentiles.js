// Percentiles over time, from sums of buckets: never percentiles of percentiles.

/** The percentiles drawn as lines, and how. @type {[number, number[]][]} */
const LINES = [[0.5, []], [0.99, [6, 4]], [0.999, [1.5, 3.5]]];

/** The width of what one point of a line sums up, in CSS pixels. */
const LINE_BIN = 3;

/** The fewest events, on average, that a point of a line sums up, and the fewest points. */
const LINE_EVENTS = 100;
const LEAST_POINTS = 40;

/** Buckets wider than this are drawn as bands beside the line. */
const COARSE = 1.2;

/**
 * @param {App} app
 * @param {number} width of the chart, in CSS pixels
 * @returns {PercentileLine[]}
 */
function percentileLines(app, width) {
  const { shown: entry, state, entryKey } = app.now();
  const key = `${entryKey} ${state.view} ${Math.floor(width)}`;
  return app.memo("percentiles", key, () => {
    const bins = binsOf(state.view, Math.min(width / LINE_BIN, Math.max(app.now().window.events / LINE_EVENTS, LEAST_POINTS)));
    /** @type {PercentileLine[]} */
    const lines = LINES.map(([q, dash]) => ({ q, dash, points: [] }));
    for (let bin = 0; bin + 1 < bins.length; bin++) {
      const histogram = histogramOf(entry, bins[bin], bins[bin + 1]);
      const any = sum(histogram) > 0;
      for (const line of lines) {
        const found = any ? quantileOf(entry, histogram, line.q) : null;
        const [from, to] = [bins[bin], bins[bin + 1]];
        line.points.push(found && { column: (from + to) / 2, from, to, ns: found.estimate, lo: found.lo, hi: found.hi });
      }
    }
    return lines;
  });
}

/**
 * @param {App} app
 * @param {HTMLCanvasElement} canvas
 */
function drawPercentiles(app, canvas) {
  const sheet = sheetOf(app, canvas);
  const { pen } = sheet;
  const { entry, state } = app.now();
  const box = plotBox(sheet);
  const ink = inkOf(app);
  const lines = percentileLines(app, box.width);
  const axis = latencyAxis(lines.flatMap((line) => line.points.flatMap((point) => (point ? [point.lo, point.hi ?? point.lo * 2] : []))));
  const yAt = (/** @type {number} */ ns) => box.y + box.height * (1 - axis.place(ns));
  drawLevels(app, sheet, box, axis.ticks, true);
  drawTimeAxis(app, sheet, box);
  pen.save();
  pen.beginPath();
  pen.rect(box.x, box.y, box.width, box.height);
  pen.clip();
  if (state.selection) {
    const x = xOf(app, box, state.selection.from);
    pen.fillStyle = ink.line;
    pen.globalAlpha = 0.4;
    pen.fillRect(x, box.y, xOf(app, box, state.selection.to) - x, box.height);
    pen.globalAlpha = 1;
  }
  pen.fillStyle = ink.accent;
  lines.forEach((line) => {
    pen.globalAlpha = 0.22;
    for (const point of line.points) {
      if (!point || (point.hi !== null && point.hi < point.lo * COARSE)) continue;
      const [x0, x1] = [xOf(app, box, point.from), xOf(app, box, point.to)];
      const top = point.hi === null ? box.y : yAt(point.hi);
      pen.fillRect(x0, top, x1 - x0 + 0.3, Math.max(yAt(point.lo) - top, 1));
    }
    pen.globalAlpha = 1;
    const points = line.points.map((point) => point && { x: xOf(app, box, point.column), y: yAt(point.ns) });
    strokeTwice(pen, ink, line.dash, 1.5, () => tracePoints(pen, points));
  });
  drawMarks(app, sheet, box);
  if (state.cursor) {
    const x = xOf(app, box, state.cursor.column + 0.5);
    strokeTwice(pen, ink, [], 1, () => {
      pen.moveTo(x, box.y);
      pen.lineTo(x, box.y + box.height);
    });
  }
  pen.restore();
  const [from, to] = [startOf(entry, state.view[0]), startOf(entry, state.view[1])];
  describe(canvas, `Percentiles over time, ${between(entry.recording, from, to)}. ${app.now().window.quantiles.map(quantileText).join(", ")}.`);
}

/**
 * `p99 16.4–32.8ms`
 * @param {Quantile | null} quantile
 */
function quantileText(quantile) {
  return quantile ? `${quantileName(quantile.q)} ${range(quantile.lo, quantile.hi)}` : "no events";
}

/**
 * A logarithmic axis that holds these latencies.
 * @param {number[]} latencies
 * @returns {{ place: (ns: number) => number, ticks: { place: number, text: string }[] }}
 */
function latencyAxis(latencies) {
  let [least, most] = [Infinity, 1];
  for (const ns of latencies) {
    if (ns > 0 && ns < least) least = ns;
    if (ns > most) most = ns;
  }
  if (!Number.isFinite(least)) [least, most] = [1e6, 1e7];
  const low = Math.log10(least) - 0.05;
  const high = Math.max(Math.log10(most) + 0.05, low + 0.3);
  const place = (/** @type {number} */ ns) => (Math.log10(Math.max(ns, 1e-3)) - low) / (high - low);
  const factors = high - low > 2.5 ? [1] : high - low > 1.2 ? [1, 3] : [1, 2, 5];
  const ticks = [];
  for (let power = Math.floor(low); power <= Math.ceil(high); power++) {
    for (const factor of factors) {
      const at = place(factor * 10 ** power);
      if (at >= 0 && at <= 1) ticks.push({ place: at, text: nanos(factor * 10 ** power) });
    }
  }
  return { place, ticks };
}
