// The maps of several series side by side: one time, one latency axis, one scale of colours.

/** The most series side by side. */
const MOST_BESIDE = 12;

/**
 * The series side by side, most time waited first.
 * @param {App} app
 * @returns {number[]} of entries; none unless it was asked for and there are two
 */
function beside(app) {
  const { state, entry } = app.now();
  const { series } = waiting(app, entry.head.recording);
  const wanted = state.beside !== "off" || isSingleRecording(app, entry.head.recording);
  return !wanted || series.length < 2 ? [] : series.slice(0, MOST_BESIDE).map(({ index }) => index);
}

/**
 * Rows of an octave each, so that cells of series with finer and coarser buckets can be compared.
 * @param {(number | null)[]} bounds
 * @returns {number[]} the first bucket of each row, then the end
 */
function octaveRows(bounds) {
  const octaves = new Set(octaveBounds(bounds));
  const starts = bounds.slice(0, -1).flatMap((bound, row) => (row === 0 || octaves.has(bound ?? -1) ? [row] : []));
  return [...starts, bounds.length - 1];
}

/**
 * The columns of another entry that lie in the time now shown, and what of that time is before one.
 * @param {App} app
 * @param {Entry} entry
 * @returns {{ columns: [number, number], before: (column: number) => number }}
 */
function columnsShown(app, entry) {
  const { entry: chosen, state } = app.now();
  const [from, to] = state.view.map((column) => startOf(chosen, column));
  const within = (/** @type {number} */ of) => Math.min(Math.max(of, 0), entry.columns);
  const [first, end] = [from, to].map((at) => (at - entry.head.t0_us) / entry.head.width_us);
  const before = (/** @type {number} */ column) => Math.min(Math.max((startOf(entry, column) - from) / (to - from), 0), 1);
  return { columns: [within(Math.floor(first + 1e-6)), within(Math.ceil(end - 1e-6))], before };
}

/** Makes the places of the maps. @param {App} app */
function fillBeside(app) {
  const { state, entry } = app.now();
  const indexes = beside(app);
  const { series } = waiting(app, entry.head.recording);
  const single = isSingleRecording(app, entry.head.recording);
  byId("beside-choice").hidden = series.length < 2 || single;
  byId("multiples").hidden = indexes.length === 0;
  byId("multiples").classList.toggle("single", single);
  const heads = indexes.map((index) => app.entryAt(index).head);
  const figures = single ? fillSmallBars(app, indexes) : indexes.map((index, place) => {
    const head = heads[place];
    const name = nameButton(app, heads, { index, head });
    const what = `Heat map of ${head.label}: ${state.beside === "intensity" ? "time waited per second" : "events per second"}`;
    const plot = element("div", [element("canvas", [])], { class: "plot", role: "img", "aria-label": what });
    plot.addEventListener("click", () => app.update({ entry: index }));
    return element("figure", [element("figcaption", [name]), plot], { "data-entry": String(index) });
  });
  byId("multiples-maps").replaceChildren(...figures);
}

/** The rates of all cells in ascending order. @param {Entry[]} entries @param {MapKind} kind */
function rankedBeside(entries, kind) {
  const ranked = entries.map((entry) => rankedRates(entry, kind, octaveRows(entry.head.bounds_ns)));
  const all = new Float64Array(ranked.reduce((length, one) => length + one.length, 0));
  ranked.reduce((from, one) => (all.set(one, from), from + one.length), 0);
  return all.sort();
}

/** @param {App} app */
function drawBeside(app) {
  const indexes = beside(app);
  if (indexes.length === 0) return;
  const { state, entry } = app.now();
  if (isSingleRecording(app, entry.head.recording)) return drawSmallBars(app, indexes);
  const kind = /** @type {MapKind} */ (state.beside);
  const entries = indexes.map((index) => app.entryAt(index));
  const key = String(indexes);
  const ranked = app.memo(`ranked beside ${kind}`, key, () => rankedBeside(entries, kind));
  const legend = legendOf(scaleOf(state.scale, kind), TRACE[kind], ranked);
  const axis = app.memo("axis beside", key, () => commonAxis(entries.map((entry) => ({ head: entry.head, histogram: histogramOf(entry, 0, entry.columns) }))));
  indexes.forEach((index, place) => {
    const figure = byId("multiples-maps").querySelector(`[data-entry="${index}"]`);
    const canvas = figure?.querySelector("canvas");
    if (canvas) paintSmall(app, { canvas, entry: entries[place], kind, legend, axis });
    if (index === state.entry) figure?.setAttribute("aria-current", "true");
    else figure?.removeAttribute("aria-current");
  });
  const most = kind === "frequency" ? `${eventRate(legend.max)} events/s` : `${seconds(legend.max)} waiting`;
  const [low, high] = axis.map((log) => nanos(2 ** log));
  byId("multiples-note").textContent = `The same time, latencies from ${low} (below) to ${high}, and colours up to ${most} in an octave, in all of them. One opens its maps.`;
}

/**
 * Paints one of the maps.
 * @param {App} app
 * @param {{ canvas: HTMLCanvasElement, entry: Entry, kind: MapKind, legend: Legend, axis: [number, number] }} small
 */
function paintSmall(app, { canvas, entry, kind, legend, axis: [shortest, longest] }) {
  const { pen, width, height, ratio } = sheetOf(app, canvas);
  const { state } = app.now();
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  const image = pen.createImageData(across, down);
  const pixels = new Uint32Array(image.data.buffer);
  const colours = [0, ...rampOf(state.palette, app.dark, kind).map(pixelOf)];
  const bounds = entry.head.bounds_ns;
  const rows = octaveRows(bounds);
  const y = (/** @type {number} */ log) => Math.round(down * (1 - Math.min(Math.max((log - shortest) / (longest - shortest || 1), 0), 1)));
  const rate = { mean: 0, peak: 0 };
  const { columns, before } = columnsShown(app, entry);
  const bins = columns[0] < columns[1] ? binsOf(columns, across) : [];
  for (let bin = 0; bin + 1 < bins.length; bin++) {
    const [x0, x1] = [bins[bin], bins[bin + 1]].map((column) => Math.round(across * before(column)));
    const missing = missingIn(entry, bins[bin], bins[bin + 1]);
    const mean = entry.head.averages ? rowOfMean(entry, bins[bin], bins[bin + 1]) : null;
    for (let row = 0; row + 1 < rows.length; row++) {
      const [low, high] = rowsOfCell(entry, mean, rows[row], rows[row + 1]);
      rateOf(entry, kind, { from: bins[bin], to: bins[bin + 1], low, high }, rate);
      const shade = cellShade(legend, state.cells, rate);
      if (shade === 0) continue;
      const [top, foot] = [y(latencyEnds(bounds, rows[row + 1] - 1)[1]), y(latencyEnds(bounds, rows[row])[0])];
      // A row that another reaches over is at least a line.
      for (let line = Math.min(top, down - 1); line < Math.max(foot, top + 1); line++) pixels.fill(colours[shade], line * across + x0, line * across + x1);
    }
    if (missing) hatchColumns(pixels, { x0, x1, across, down, missing, colour: pixelOf(inkOf(app).hatch), unit: ratio });
  }
  pen.putImageData(image, 0, 0);
}
