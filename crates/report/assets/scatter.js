// Latency against load: a dot for each column.

/**
 * @param {App} app
 * @returns {Dot[]}
 */
function dotsOf(app) {
  const { shown: entry, state, entryKey } = app.now();
  return app.memo("dots", `${entryKey} ${state.view}`, () => {
    /** @type {Dot[]} */
    const dots = [];
    const [whole, lengths] = [wholeColumns(entry, "frequency"), lengthsOf(entry, "frequency")];
    for (let column = state.view[0]; column < state.view[1]; column++) {
      if (!(entry.events[column] > 0 && whole(column) && entry.latency[column] > 0)) continue;
      dots.push({ column, load: entry.events[column] / lengths[column], ns: (entry.latency[column] / entry.events[column]) * 1e9 });
    }
    return dots;
  });
}

/**
 * Where dots lie on the chart.
 * @param {App} app
 * @param {Box} box
 */
function scatterPlaces(app, box) {
  const dots = dotsOf(app);
  const axis = latencyAxis(dots.map((dot) => dot.ns));
  const loads = linearTicks(dots.reduce((most, dot) => Math.max(most, dot.load), 0), box.width / 90);
  const most = loads[loads.length - 1];
  const at = (/** @type {Dot} */ dot) => ({
    x: box.x + (dot.load / most) * box.width,
    y: box.y + box.height * (1 - axis.place(dot.ns)),
  });
  return { dots, axis, loads, most, at };
}

/**
 * @param {App} app
 * @param {HTMLCanvasElement} canvas
 */
function drawScatter(app, canvas) {
  const sheet = sheetOf(app, canvas);
  const { pen } = sheet;
  const { entry, state } = app.now();
  const box = scatterBox(sheet);
  const ink = inkOf(app);
  const { dots, axis, loads, most, at } = scatterPlaces(app, box);
  drawLevels(app, sheet, box, axis.ticks, true);
  pen.textBaseline = "top";
  for (const load of loads) {
    const x = box.x + (load / most) * box.width;
    pen.fillStyle = ink.line;
    pen.fillRect(Math.round(x), box.y + box.height, 1, 4);
    pen.fillStyle = ink.muted;
    pen.textAlign = x > sheet.width - 24 ? "right" : "center";
    pen.fillText(quantity(load), Math.min(x, sheet.width - 2), box.y + box.height + 6);
  }
  pen.textAlign = "center";
  pen.fillText("events per second", box.x + box.width / 2, box.y + box.height + 20);
  pen.textAlign = "left";
  pen.fillText(entry.head.exact ? "mean latency" : "≈ mean latency", box.x + 4, 1);
  const size = dots.length > 1500 ? 2 : dots.length > 300 ? 2.5 : 3.5;
  const inside = (/** @type {Dot} */ dot) => state.selection !== null && dot.column >= state.selection.from && dot.column < state.selection.to;
  pen.fillStyle = ink.accent;
  pen.globalAlpha = dots.length > 600 ? 0.35 : 0.6;
  for (const dot of dots) {
    if (inside(dot)) continue;
    const { x, y } = at(dot);
    pen.fillRect(x - size / 2, y - size / 2, size, size);
  }
  // Dots of the selection have another shape, not only another colour.
  pen.strokeStyle = ink.warm;
  pen.globalAlpha = 0.85;
  pen.lineWidth = 1.2;
  pen.beginPath();
  for (const dot of dots.filter(inside)) {
    const { x, y } = at(dot);
    pen.moveTo(x - size, y - size);
    pen.lineTo(x + size, y + size);
    pen.moveTo(x + size, y - size);
    pen.lineTo(x - size, y + size);
  }
  pen.stroke();
  pen.globalAlpha = 1;
  const current = dots.find((dot) => dot.column === state.cursor?.column);
  if (current) {
    const { x, y } = at(current);
    strokeTwice(pen, ink, [], 2, () => pen.arc(x, y, 6, 0, 2 * Math.PI));
  }
  describe(canvas, `Latency against load: ${dots.length} intervals, up to ${quantity(most)} events per second.`);
}

/**
 * @param {{ width: number, height: number }} sheet
 * @returns {Box}
 */
function scatterBox(sheet) {
  const box = plotBox(sheet);
  return { ...box, height: Math.max(box.height - 14, 10) };
}

/**
 * The column whose dot is nearest to a point; null when none is near.
 * @param {App} app
 * @param {Box} box
 * @param {number} x
 * @param {number} y
 */
function nearestDot(app, box, x, y) {
  const { dots, at } = scatterPlaces(app, box);
  let [best, distance] = [/** @type {Dot | null} */ (null), 400];
  for (const dot of dots) {
    const place = at(dot);
    const here = (place.x - x) ** 2 + (place.y - y) ** 2;
    if (here < distance) [best, distance] = [dot, here];
  }
  return best && best.column;
}
