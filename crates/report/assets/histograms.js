// A single interval has no course over time: its maps are drawn as histograms, a bar for each latency,
// and its series as a pair of small ones each.

/** The least height of a bar that has its number beside it, in CSS pixels. */
const NUMBERED_BAR = 12;

/** The least height of one where bars with numbers would be fewer than these. */
const LEAST_BAR = 4;
const FEWEST_BARS = 8;

/** The room right of the longest bar, for its number and share, in CSS pixels. */
const BAR_NUMBERS = 112;

/** @param {Entry} entry */
function isSingle(entry) {
  return entry.columns === 1;
}

/**
 * Whether a recording is a single interval, in all of its series.
 * @param {App} app
 * @param {number} recording
 */
function isSingleRecording(app, recording) {
  return app.doc.head.entries.every((head) => head.recording !== recording || head.columns === 1);
}

/** Shows what a single interval has, and hides what needs several. @param {App} app */
function showSingle(app) {
  const { entry } = app.now();
  const single = isSingle(entry);
  const root = document.documentElement;
  if (single) root.dataset.single = "";
  else delete root.dataset.single;
  const names = single
    ? ["Events", "how many took how long", "Time waited", "by events of which latency"]
    : ["Frequency", "events per second", "Intensity", "time waited per second: average waiting"];
  const what = single ? "Histogram of" : "Heat map of";
  MAPS.forEach((kind, at) => {
    const heading = byId(`name-${kind}`);
    heading.replaceChildren(`${names[2 * at]} `, element("small", [names[2 * at + 1]]));
    byId(`map-${kind}`).setAttribute("aria-label", `${what} ${kind === "frequency" ? "events" : "time waited"}`);
  });
}

/**
 * The amounts of a map's rows over the time shown: events, or seconds waited.
 * @param {Entry} entry
 * @param {MapKind} kind
 * @param {number[]} rows the first bucket of each painted row, then the end
 */
function amountsOf(entry, kind, rows) {
  const all = kind === "frequency" ? histogramOf(entry, 0, entry.columns) : timesOf(entry, 0, entry.columns);
  return rows.slice(0, -1).map((first, at) => sum(all.subarray(first, rows[at + 1])));
}

/**
 * The rows that have a bar each: high enough for its number, unless that leaves too few of them.
 * @param {(number | null)[]} bounds
 * @param {number} height in pixels
 */
function barRows(bounds, height) {
  const numbered = paintedRows(bounds, height, NUMBERED_BAR);
  return numbered.length > FEWEST_BARS ? numbered : paintedRows(bounds, height, LEAST_BAR);
}

/**
 * What a bar stands for, and its share of all.
 * @param {Entry} entry
 * @param {MapKind} kind
 * @param {number} amount
 * @param {number} all
 */
function barText(entry, kind, amount, all) {
  const about = kind === "intensity" && !entry.head.exact ? "≈" : "";
  const number = kind === "frequency" ? grouped(Math.round(amount)) : about + timeWaited(amount * 1e9);
  return `${number} · ${percent(all > 0 ? amount / all : 0)}`;
}

/**
 * Draws one of the two maps of a single interval as a histogram, with what lies above it.
 * @param {App} app
 * @param {MapKind} kind
 * @param {HTMLCanvasElement} canvas
 */
function drawBars(app, kind, canvas) {
  const sheet = sheetOf(app, canvas);
  const { pen } = sheet;
  const { shown: entry, state } = app.now();
  const ink = inkOf(app);
  const box = plotBox(sheet);
  const bounds = entry.head.bounds_ns;
  const places = edgePlaces(bounds);
  const rows = barRows(bounds, box.height);
  const amounts = amountsOf(entry, kind, rows);
  const [all, most] = [sum(amounts), amounts.reduce((one, two) => Math.max(one, two), 0) || 1];
  drawLevels(app, sheet, box, latencyTicks(bounds, box.height, 13), false);
  pen.fillStyle = ink.line;
  pen.fillRect(box.x - 1, box.y, 1, box.height);
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  amounts.forEach((amount, at) => {
    if (amount <= 0) return;
    const [top, foot] = [rows[at + 1], rows[at]].map((row) => box.y + box.height * (1 - places[row]));
    const long = Math.max((amount / most) * (box.width - BAR_NUMBERS), 1);
    pen.fillStyle = kind === "frequency" ? ink.accent : ink.warm;
    pen.fillRect(box.x, top + 0.5, long, Math.max(foot - top - 1, 1));
    pen.fillStyle = ink.muted;
    if (foot - top >= NUMBERED_BAR - 2) pen.fillText(barText(entry, kind, amount, all), box.x + long + 6, (top + foot) / 2);
  });
  if (state.selection) drawSelection(app, sheet, box, state.selection);
  if (state.cursor) {
    const [top, foot] = [state.cursor.row + 1, state.cursor.row].map((row) => box.y + box.height * (1 - places[row]));
    strokeTwice(pen, ink, [], 1, () => pen.rect(box.x, top, box.width, foot - top));
  }
}

/**
 * The places of the small histograms of a single interval's series.
 * @param {App} app
 * @param {number[]} indexes
 */
function fillSmallBars(app, indexes) {
  const heads = indexes.map((index) => app.entryAt(index).head);
  const { all } = waiting(app, app.now().entry.head.recording);
  return indexes.map((index, place) => {
    const head = heads[place];
    const name = nameButton(app, heads, { index, head });
    const about = head.exact ? "" : "≈";
    const p50 = head.quantiles.find((one) => one.q === 0.5);
    const numbers = [
      aboutShare(all > 0 ? head.waited_s / all : 0, about === ""), about + timeWaited(head.waited_s * 1e9), `${grouped(head.events)} ${head.events === 1 ? "event" : "events"}`,
      p50 ? `p50 ${range(p50.lo_ns, p50.hi_ns)}` : "averages only",
    ];
    const plot = element("div", [element("canvas", [])], { class: "plot bars", role: "img", "aria-label": `Events and time waited by latency: ${head.label}` });
    plot.addEventListener("click", () => app.update({ entry: index }));
    return element("figure", [element("figcaption", [name, element("small", [numbers.join(" · ")])]), plot], { "data-entry": String(index) });
  });
}

/**
 * Draws the pairs, all on one axis of latency.
 * @param {App} app
 * @param {number[]} indexes
 */
function drawSmallBars(app, indexes) {
  const entries = indexes.map((index) => app.entryAt(index));
  const axis = app.memo("axis beside", String(indexes), () => commonAxis(entries.map((entry) => ({ head: entry.head, histogram: histogramOf(entry, 0, entry.columns) }))));
  indexes.forEach((index, place) => {
    const figure = byId("multiples-maps").querySelector(`[data-entry="${index}"]`);
    const canvas = figure?.querySelector("canvas");
    if (canvas) paintSmallBars(app, canvas, entries[place], axis);
    if (index === app.now().state.entry) figure?.setAttribute("aria-current", "true");
    else figure?.removeAttribute("aria-current");
  });
  const [low, high] = axis.map((log) => nanos(2 ** log));
  byId("multiples-note").textContent = `Events (left) and time waited (right) at each latency, from ${low} (below) to ${high} in all of them; bars are in proportion to the longest of each. One opens its histograms.`;
}

/**
 * @param {App} app
 * @param {HTMLCanvasElement} canvas
 * @param {Entry} entry
 * @param {[number, number]} axis logarithms
 */
function paintSmallBars(app, canvas, entry, [shortest, longest]) {
  const { pen, width, height } = sheetOf(app, canvas);
  const ink = inkOf(app);
  const half = (width - 12) / 2;
  const rows = octaveRows(entry.head.bounds_ns);
  const y = (/** @type {number} */ log) => height * (1 - (log - shortest) / (longest - shortest || 1));
  MAPS.forEach((kind, side) => {
    const left = side * (half + 12);
    const amounts = amountsOf(entry, kind, rows);
    const most = amounts.reduce((one, two) => Math.max(one, two), 0) || 1;
    pen.fillStyle = ink.line;
    pen.fillRect(left, 0, 1, height);
    pen.fillStyle = kind === "frequency" ? ink.accent : ink.warm;
    amounts.forEach((amount, at) => {
      if (amount <= 0) return;
      const [top, foot] = [y(latencyEnds(entry.head.bounds_ns, rows[at + 1] - 1)[1]), y(latencyEnds(entry.head.bounds_ns, rows[at])[0])];
      pen.fillRect(left + 1, top + 0.5, Math.max((amount / most) * (half - 2), 1), Math.max(foot - top - 1, 1));
    });
  });
}
