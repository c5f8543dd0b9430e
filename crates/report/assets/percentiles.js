// Percentiles over time, from sums of buckets: never percentiles of percentiles.

/** The percentiles drawn as lines, and how. @type {[number, number[]][]} */
const LINES = [[0.5, []], [0.99, [6, 4]], [0.999, [1.5, 3.5]]];

/** What is said where percentiles would stand. */
const AVERAGES_ONLY = "averages only: no percentiles";
const OF_WAITS_SEEN = "of waits seen: shorter ones are missed";

/** The least width of a step of a line, in CSS pixels. */
const LINE_STEP = 6;

/** The steps that make a line over time, at least. */
const FEWEST_STEPS = 12;

/** Buckets wider than this are drawn as bands beside the line. */
const COARSE = 1.2;

/**
 * The columns that one step of the line of the q quantile sums up: at least `least`, and so many
 * that twice the events are expected of which one lies beyond the percentile. The rule is that of
 * isotherm's `analysis::columns_of_step`; tests hold both to the same numbers.
 * @param {Entry} entry
 * @param {[number, number]} view
 * @param {number} q
 * @param {number} least
 * @returns {number | null} null where fewer than twelve such steps fit: that is no line over time
 */
function columnsOfStep(entry, [from, to], q, least) {
  let [known, events] = [0, 0];
  for (let column = from; column < to; column++) {
    if (entry.state[column] !== DATA_COLUMN) continue;
    known++;
    events += entry.events[column];
  }
  const enough = 2 / ((1 - q) * Math.max(events / Math.max(known, 1), Number.MIN_VALUE));
  const step = Math.ceil(Math.max(least, enough));
  const fits = step <= Math.max(Math.ceil(least), (to - from) / FEWEST_STEPS);
  return fits ? Math.max(step, 1) : null;
}

/**
 * The steps of a line, each of so many columns. They begin at round multiples of their length, and
 * end where something else is known of a column. Steps of so few events that the percentile would
 * merely be the longest are left out.
 * @param {Entry} entry
 * @param {[number, number]} view
 * @param {number} q
 * @param {number} together
 * @returns {Point[]}
 */
function lineSteps(entry, [first, end], q, together) {
  const place = (/** @type {number} */ column) => Math.floor(startOf(entry, column) / (entry.head.width_us * together));
  /** @type {Point[]} */
  const steps = [];
  for (let from = first, to = first; from < end; from = to) {
    do to++;
    while (to < end && entry.state[to] === entry.state[from] && place(to) === place(from));
    const histogram = histogramOf(entry, from, to);
    const found = sum(histogram) * (1 - q) >= 1 ? quantileOf(entry, histogram, q) : null;
    if (found) steps.push({ from, to, ns: found.estimate, lo: found.lo, hi: found.hi });
  }
  return steps;
}

/**
 * @param {App} app
 * @param {number} width of the chart, in CSS pixels
 * @returns {PercentileLine[]}
 */
function percentileLines(app, width) {
  const { shown: entry, state, entryKey } = app.now();
  const key = `${entryKey} ${state.view} ${Math.floor(width)}`;
  if (entry.head.averages) return [];
  return app.memo("percentiles", key, () => {
    const least = (LINE_STEP * (state.view[1] - state.view[0])) / Math.max(width, 1);
    return LINES.map(([q, dash]) => {
      const together = columnsOfStep(entry, state.view, q, least);
      return { q, dash, together, steps: together === null ? [] : lineSteps(entry, state.view, q, together) };
    });
  });
}

/**
 * Where a line passes: both ends of each step, and null where it is broken.
 * @param {App} app
 * @param {Box} box
 * @param {Point[]} steps
 * @param {(ns: number) => number} yAt
 * @returns {({ x: number, y: number } | null)[]}
 */
function linePoints(app, box, steps, yAt) {
  return steps.flatMap(({ from, to, ns }, index) => {
    const [broken, y] = [index > 0 && steps[index - 1].to !== from, yAt(ns)];
    const ends = [from, to].map((column) => ({ x: xOf(app, box, column), y }));
    return broken ? [null, ...ends] : ends;
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
  fillLineLegend(app, lines);
  const axis = latencyAxis(lines.flatMap((line) => line.steps.flatMap((step) => [step.lo, step.hi ?? step.lo * 2])));
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
    for (const step of line.steps) {
      if (step.hi !== null && step.hi < step.lo * COARSE) continue;
      const [x0, x1] = [xOf(app, box, step.from), xOf(app, box, step.to)];
      const top = step.hi === null ? box.y : yAt(step.hi);
      pen.fillRect(x0, top, x1 - x0 + 0.3, Math.max(yAt(step.lo) - top, 1));
    }
    pen.globalAlpha = 1;
    const points = linePoints(app, box, line.steps, yAt);
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
  describe(canvas, `Percentiles over time, ${between(entry.recording, from, to)}. ${entry.head.averages ? AVERAGES_ONLY : app.now().window.quantiles.map(quantileText).join(", ")}.`);
}

/**
 * What each line is, and of how much time each of its steps.
 * @param {App} app
 * @param {PercentileLine[]} lines
 */
function fillLineLegend(app, lines) {
  const { head } = app.now().entry;
  const bounds = head.bounds_ns;
  const coarse = bounds.some((bound, row) => bound && bounds[row + 1] && (bounds[row + 1] ?? 0) >= bound * COARSE);
  const items = lines.map(({ q, together }, index) => {
    const each = together === null ? ": too few events" : ` of each ${span(head.width_us * together)}`;
    const sign = together === null ? [] : [element("i", [], { class: `line line-${index}` })];
    return element("li", [...sign, quantileName(q) + each]);
  });
  if (coarse) items.push(element("li", [element("i", [], { class: "band" }), "the bucket it lies in; the line is an estimate (≈)"]));
  if (head.length_error_ns) items.push(element("li", [OF_WAITS_SEEN]));
  if (head.averages) items.splice(0, items.length, element("li", [AVERAGES_ONLY]));
  byId("legend-percentiles").replaceChildren(...items);
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
