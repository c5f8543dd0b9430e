// The samples by second and by offset within it; a part of them becomes the flame graph.

/**
 * How many samples lie in each cell, without those of processors that have nothing to do.
 * @param {FlameApp} app
 * @param {FlameHeat} heat
 */
function heatCounts(app, heat) {
  const counts = new Float64Array(heat.columns * heat.rows);
  const idle = idleNode(app);
  const isIdle = (/** @type {number} */ node) => idle >= 0 && node >= idle && node < app.tree.end[idle];
  heat.cells.forEach((cell, index) => {
    if (!isIdle(heat.nodes[index])) counts[cell] += heat.counts[index];
  });
  return counts;
}

/**
 * The program that Linux has where nothing runs; -1 if there is none.
 * @param {FlameApp} app
 */
function idleNode(app) {
  for (let at = 1; at < app.tree.size; at = app.tree.end[at]) if (nameOfNode(app, at) === "swapper") return at;
  return -1;
}

/**
 * Paints what has changed: the cells where size or colours are others, the choice where it is another.
 * @param {FlameApp} app
 */
function drawHeat(app) {
  const { heat } = app.doc;
  if (!heat) return;
  const [canvas, overlay] = canvasesOf("heat");
  const plot = byId("heat");
  const painted = `${plot.clientWidth} ${plot.clientHeight} ${devicePixelRatio} ${app.dark}`;
  if (plot.dataset.painted !== painted) {
    for (const one of [canvas, overlay]) {
      one.width = Math.round(plot.clientWidth * devicePixelRatio);
      one.height = Math.round(plot.clientHeight * devicePixelRatio);
    }
    drawHeatCells(app, heat, canvas);
    plot.dataset.painted = painted;
    plot.dataset.chosen = "";
  }
  const chosen = `of ${app.range}`;
  const over = overlay.getContext("2d");
  if (!over || plot.dataset.chosen === chosen) return;
  plot.dataset.chosen = chosen;
  over.clearRect(0, 0, overlay.width, overlay.height);
  drawHeatChoice(app, over, overlay.width / heat.columns, overlay.height / heat.rows);
}

/**
 * @param {FlameApp} app
 * @param {FlameHeat} heat
 * @param {HTMLCanvasElement} canvas
 */
function drawHeatCells(app, heat, canvas) {
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const ramp = rampOf("", app.dark, "intensity");
  const counts = heatCounts(app, heat);
  const legend = legendOf("sqrt", 0, counts.filter((count) => count > 0).sort());
  const [across, down] = [canvas.width / heat.columns, canvas.height / heat.rows];
  counts.forEach((count, cell) => {
    const shade = shadeOf(legend, count);
    if (shade === 0) return;
    const [column, row] = [Math.floor(cell / heat.rows), cell % heat.rows];
    pen.fillStyle = `#${ramp[shade - 1]}`;
    const x = Math.floor(column * across);
    const y = Math.floor(canvas.height - (row + 1) * down);
    pen.fillRect(x, y, Math.max(Math.ceil((column + 1) * across) - x - (across > 4 ? 1 : 0), 1), Math.ceil(down));
  });
}

/**
 * @param {FlameApp} app
 * @param {CanvasRenderingContext2D} pen
 * @param {number} across
 * @param {number} down
 */
function drawHeatChoice(app, pen, across, down) {
  const { heat } = app.doc;
  if (!heat || !app.range) return;
  const place = (/** @type {number} */ cell) => [Math.floor(cell / heat.rows) * across, pen.canvas.height - (cell % heat.rows) * down];
  pen.fillStyle = app.dark ? "rgba(15, 18, 22, 0.62)" : "rgba(255, 255, 255, 0.68)";
  const [from, to] = app.range;
  const [x0, y0] = place(from);
  const [x1, y1] = place(to);
  pen.fillRect(0, 0, x0, pen.canvas.height);
  pen.fillRect(x0, y0, across, pen.canvas.height - y0);
  pen.fillRect(x1, 0, across, y1);
  pen.fillRect(x1 + across, 0, pen.canvas.width, pen.canvas.height);
}

/**
 * Chooses the cells from..to, the end not included; null for all.
 * @param {FlameApp} app
 * @param {[number, number] | null} range
 */
function chooseTime(app, range) {
  const { heat } = app.doc;
  if (!heat) return;
  const all = heat.columns * heat.rows;
  const bounds = range && [Math.max(range[0], 0), Math.min(range[1], all)];
  app.range = bounds && bounds[1] > bounds[0] ? [bounds[0], bounds[1]] : null;
  const own = new Float64Array(app.tree.size);
  heat.cells.forEach((cell, index) => {
    if (!app.range || (cell >= app.range[0] && cell < app.range[1])) own[heat.nodes[index]] += heat.counts[index];
  });
  recountFlame(app.tree, own);
  placeFlame(app.tree);
  if (app.tree.total[app.zoom] === 0) app.zoom = 0;
  byId("whole").hidden = !app.range;
  byId("heat-readout").textContent = heatText(app);
  announce(heatText(app));
  showMatches(app);
}

/** @param {FlameApp} app */
function heatText(app) {
  const { heat } = app.doc;
  if (!heat) return "";
  if (!app.range) return idleNode(app) < 0 ? "All of the time." : "All of the time. Idle processors (swapper) are not drawn here; in the flame graph they are.";
  const second = (/** @type {number} */ cell) => (heat.first_s + cell / heat.rows).toFixed(2);
  const [from, to] = app.range.map(second);
  return `From ${from} s to ${to} s: ${flameAmount(app, app.tree.total[0])}. On the command line: --from ${from}s --to ${to}s`;
}

/**
 * The cell under the pointer, counted on through the seconds.
 * @param {FlameHeat} heat
 * @param {PointerEvent} event
 */
function heatCell(heat, event) {
  const box = byId("heat").getBoundingClientRect();
  const column = Math.floor(((event.clientX - box.left) / box.width) * heat.columns);
  const row = Math.floor((1 - (event.clientY - box.top) / box.height) * heat.rows);
  const within = (/** @type {number} */ value, /** @type {number} */ most) => Math.min(Math.max(value, 0), most - 1);
  return within(column, heat.columns) * heat.rows + within(row, heat.rows);
}

/** @param {FlameApp} app */
function listenToHeat(app) {
  const { heat } = app.doc;
  if (!heat) return;
  byId("heat-pane").hidden = false;
  byId("heat-readout").textContent = heatText(app);
  const plot = byId("heat");
  let start = -1;
  plot.addEventListener("pointerdown", (event) => {
    start = heatCell(heat, event);
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener("pointermove", (event) => {
    if (start < 0) return;
    const now = heatCell(heat, event);
    if (now !== start) chooseTime(app, [Math.min(start, now), Math.max(start, now) + 1]);
  });
  plot.addEventListener("pointerup", (event) => {
    const now = heatCell(heat, event);
    if (now === start) chooseTime(app, null);
    start = -1;
  });
  plot.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -heat.rows, ArrowRight: heat.rows, ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (event.key === "Escape") chooseTime(app, null);
    if (!step) return;
    event.preventDefault();
    const [from, to] = app.range ?? [0, heat.rows];
    if (!app.range) chooseTime(app, [from, to]);
    else chooseTime(app, event.shiftKey ? [from, to + step] : [from + step, to + step]);
  });
  byId("whole").addEventListener("click", () => chooseTime(app, null));
}
