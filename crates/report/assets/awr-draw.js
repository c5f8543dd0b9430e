// Graphs as SVG: areas on each other, lines, heat maps, and hours by days of the week.

const SVG_SPACE = "http://www.w3.org/2000/svg";
/** How many lines are drawn on their own. */
const MOST_LINES = 10;
const COLOURS = 11;
/** The shade of a value too small for the first step. */
const LEAST_SHADE = 0.0012;

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 * @returns {SVGElement}
 */
function shape(tag, attributes, children = []) {
  const made = /** @type {SVGElement} */ (document.createElementNS(SVG_SPACE, tag));
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** @param {number} value */
function place(value) {
  return value.toFixed(1);
}

/**
 * The lines that are drawn: the largest, and the others as one where they add up.
 * @param {AwrGraph} graph
 * @param {AwrResult} result
 * @returns {AwrDrawn[]}
 */
function drawnLines(graph, result) {
  // A member keeps its colour in another part of the time, unless one before it has it.
  const taken = new Set();
  const shown = result.series.slice(0, MOST_LINES).map((line) => {
    let colour = graph.kind === "wait-classes" ? CLASS_COLOURS[line.label] ?? line.place : line.place % COLOURS;
    while (taken.has(colour)) colour = (colour + 1) % COLOURS;
    taken.add(colour);
    return { line, colour };
  });
  const rest = result.series.slice(MOST_LINES);
  if (rest.length > 0 && addsUp(graph, result.measure)) {
    const values = result.labels.map((_, bin) => rest.reduce((sum, line) => sum + (line.values[bin] || 0), 0));
    const line = { label: `${rest.length} more`, values: Float64Array.from(values), mean: rest.reduce((sum, one) => sum + one.mean, 0), total: 0, weight: 0, highest: 0, place: COLOURS };
    shown.push({ line, colour: COLOURS });
  }
  return shown;
}

/**
 * A picture with its axes: where values and bins lie in it.
 * @param {AwrResult} result
 * @param {number} width
 * @param {number} height
 * @param {number[]} ticks from the bottom to the top
 * @param {(value: number) => number} scale
 * @returns {AwrFrame}
 */
function awrFrame(result, width, height, ticks, scale = (value) => value) {
  const box = { x: 46, y: 8, width: Math.max(width - 56, 40), height: height - 30 };
  const [low, top] = [scale(ticks[0]), scale(ticks[ticks.length - 1] || 1)];
  const x = (/** @type {number} */ bin) => box.x + (bin / result.labels.length) * box.width;
  const y = (/** @type {number} */ value) => box.y + box.height * (1 - (scale(value) - low) / (top - low || 1));
  const svg = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  for (const tick of ticks) {
    const at = Math.round(y(tick)) + 0.5;
    svg.append(shape("line", { class: "rule", x1: box.x, x2: box.x + box.width, y1: at, y2: at }));
    svg.append(shape("text", { x: box.x - 5, y: at + 3.5, "text-anchor": "end" }, [quantity(tick)]));
  }
  binLabels(svg, result, box, x);
  return { svg, box, x, y };
}

/**
 * @param {SVGElement} svg
 * @param {AwrResult} result
 * @param {Box} box
 * @param {(bin: number) => number} x
 */
function binLabels(svg, result, box, x) {
  const { labels, starts } = result;
  const room = Math.max(Math.floor(box.width / 84), 1);
  const usual = Math.max(Math.ceil(labels.length / room), 1);
  const days = starts.length > 1 && starts[starts.length - 1] - starts[0] > 2 * DAY_US;
  const firsts = days ? labels.flatMap((label, bin) => (bin > 0 && label.slice(0, 10) !== labels[bin - 1].slice(0, 10) ? [bin] : [])) : [];
  const every = Math.max(Math.ceil(firsts.length / room), 1);
  const ticks = days ? firsts.filter((_, at) => at % every === 0) : labels.flatMap((_, bin) => (bin % usual === 0 ? [bin] : []));
  for (const bin of ticks) {
    const text = days ? labels[bin].slice(5, 10) : starts.length > 0 ? labels[bin].slice(11) : labels[bin];
    svg.append(shape("text", { x: place(x(bin)), y: box.y + box.height + 16, "text-anchor": bin === 0 ? "start" : "middle" }, [text]));
    svg.append(shape("line", { class: "rule", x1: place(x(bin)), x2: place(x(bin)), y1: box.y + box.height, y2: box.y + box.height + 4 }));
  }
}

/**
 * Bins in which an instance has no interval are hatched at the bottom.
 * @param {AwrFrame} frame
 * @param {Uint8Array} gaps
 */
function drawGaps({ svg, box, x }, gaps) {
  for (let bin = 0; bin < gaps.length; bin++) {
    if (!gaps[bin]) continue;
    let end = bin;
    while (gaps[end]) end++;
    svg.append(shape("rect", { class: "gap", x: place(x(bin)), width: place(x(end) - x(bin)), y: box.y, height: box.height }, [shape("title", {}, ["Not known of every instance"])]));
    bin = end;
  }
}

/**
 * @param {AwrGraph} graph
 * @param {AwrResult} result
 * @param {number} width
 * @returns {AwrFrame}
 */
function drawStack(graph, result, width) {
  const drawn = drawnLines(graph, result);
  const bins = result.labels.length;
  const sums = Array.from({ length: bins }, (_, bin) => drawn.reduce((sum, { line }) => sum + (line.values[bin] || 0), 0));
  const frame = awrFrame(result, width, 240, linearTicks(sums.reduce((most, sum) => Math.max(most, sum), 0), 5));
  drawGaps(frame, result.gaps);
  const base = new Float64Array(bins);
  for (const { line, colour } of drawn) {
    let path = "";
    for (let bin = 0; bin < bins; bin++) {
      let [above, below] = ["", ""];
      const start = bin;
      for (; bin < bins && line.values[bin] > 0; bin++) {
        const value = line.values[bin];
        above += `${bin === start ? "M" : "L"}${place(frame.x(bin))} ${place(frame.y(base[bin] + value))}H${place(frame.x(bin + 1))}`;
        below = `L${place(frame.x(bin + 1))} ${place(frame.y(base[bin]))}H${place(frame.x(bin))}${below}`;
        base[bin] += value;
      }
      if (above !== "") path += `${above}${below}Z`;
    }
    frame.svg.append(shape("path", { class: `area a${colour}`, d: path }));
  }
  return frame;
}

/**
 * @param {AwrGraph} graph
 * @param {AwrResult} result
 * @param {number} width
 * @returns {AwrFrame}
 */
function drawTrends(graph, result, width) {
  const drawn = drawnLines(graph, result);
  const values = drawn.flatMap(({ line }) => [...line.values]).filter((value) => value > 0);
  const most = values.reduce((all, value) => Math.max(all, value), 0);
  const least = values.reduce((all, value) => Math.min(all, value), most);
  // Latencies of two events may be a thousand times apart.
  const wide = result.measure.bottom !== null && most > 20 * least;
  const frame = wide ? awrFrame(result, width, 240, powersOfTen(least, most), (value) => Math.log10(Math.max(value, 1e-9))) : awrFrame(result, width, 240, linearTicks(most, 5));
  drawGaps(frame, result.gaps);
  for (const { line, colour } of [...drawn].reverse()) {
    let [path, down] = ["", false];
    line.values.forEach((value, bin) => {
      if (!Number.isFinite(value)) return void (down = false);
      path += `${down ? "L" : "M"}${place(frame.x(bin))} ${place(frame.y(value))}H${place(frame.x(bin + 1))}`;
      down = true;
    });
    frame.svg.append(shape("path", { class: `trend a${colour}`, d: path }));
  }
  return frame;
}

/**
 * The powers of ten around these values.
 * @param {number} least
 * @param {number} most
 * @returns {number[]}
 */
function powersOfTen(least, most) {
  const [first, last] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
  return Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at));
}

/**
 * Rows of cells, each shaded by its value.
 * @param {AwrResult} result
 * @param {{ rows: string[], at: (row: number, column: number) => number, columns: number, labels: string[], starts: number[] }} grid from the bottom
 * @param {number} width
 * @param {string[]} ramp
 * @returns {AwrFrame}
 */
function drawGrid(result, grid, width, ramp) {
  const high = Math.max(Math.min(Math.round(260 / grid.rows.length), 24), 12);
  const height = grid.rows.length * high + 30;
  const box = { x: 74, y: 8, width: Math.max(width - 84, 40), height: height - 30 };
  const x = (/** @type {number} */ column) => box.x + (column / grid.columns) * box.width;
  const svg = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  const cells = grid.rows.map((_, row) => Array.from({ length: grid.columns }, (_, column) => grid.at(row, column)));
  const ranked = Float64Array.from(cells.flat().filter((value) => value > 0)).sort();
  const legend = legendOf("sqrt", LEAST_SHADE, ranked);
  cells.forEach((row, at) => {
    const y = box.y + (grid.rows.length - 1 - at) * high;
    svg.append(shape("text", { x: box.x - 5, y: y + high / 2 + 4, "text-anchor": "end" }, [grid.rows[at]]));
    row.forEach((value, column) => {
      const shade = shadeOf(legend, value);
      if (shade > 0) svg.append(shape("rect", { x: place(x(column)), y, width: place(x(column + 1) - x(column) + 0.2), height: high, fill: `#${ramp[shade - 1]}`, "shape-rendering": "crispEdges" }));
      else if (Number.isNaN(value)) svg.append(shape("rect", { class: "gap", x: place(x(column)), y, width: place(x(column + 1) - x(column)), height: high }));
    });
  });
  svg.append(shape("rect", { x: box.x, y: box.y, width: box.width, height: box.height, fill: "none", class: "rule" }));
  binLabels(svg, { ...result, labels: grid.labels, starts: grid.starts }, box, x);
  return { svg, box, x, y: () => box.y, legend };
}
