// Pointer, wheel and keys.

/**
 * The column and row under a pointer.
 * @param {App} app
 * @param {HTMLElement} plot
 * @param {{ clientX: number, clientY: number }} event
 * @returns {Cursor}
 */
function placeOf(app, plot, event) {
  const { entry, state } = app.now();
  const outer = plot.getBoundingClientRect();
  const box = plotBox({ width: plot.clientWidth, height: plot.clientHeight });
  const across = (event.clientX - outer.left - plot.clientLeft - box.x) / box.width;
  const up = 1 - (event.clientY - outer.top - plot.clientTop - box.y) / box.height;
  const [from, to] = state.view;
  const column = Math.min(Math.max(Math.floor(from + across * (to - from)), from), to - 1);
  const places = edgePlaces(entry.head.bounds_ns);
  let row = 0;
  while (row + 1 < entry.rows && up >= places[row + 1]) row++;
  return { column, row };
}

/**
 * The region between two corners, both included.
 * @param {Cursor} one
 * @param {Cursor} two
 * @returns {Region}
 */
function regionBetween(one, two) {
  return {
    from: Math.min(one.column, two.column), to: Math.max(one.column, two.column) + 1,
    low: Math.min(one.row, two.row), high: Math.max(one.row, two.row) + 1,
  };
}

/** How far a pointer moves before a click becomes a selection, in pixels. */
const LEAST_DRAG = 4;

/**
 * @param {App} app
 * @param {HTMLElement} plot
 */
function listenToPointer(app, plot) {
  /** @type {{ at: Cursor, x: number, y: number, moved: boolean } | null} */
  let drag = null;
  plot.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drag = { at: placeOf(app, plot, event), x: event.clientX, y: event.clientY, moved: false };
    plot.setPointerCapture(event.pointerId);
    plot.focus({ preventScroll: true });
    event.preventDefault();
  });
  plot.addEventListener("pointermove", (event) => {
    const cursor = placeOf(app, plot, event);
    if (!drag) return app.update({ cursor });
    drag.moved ||= Math.hypot(event.clientX - drag.x, event.clientY - drag.y) >= LEAST_DRAG;
    app.update(drag.moved ? { cursor, selection: regionBetween(drag.at, cursor) } : { cursor });
  });
  plot.addEventListener("pointerup", () => {
    if (!drag) return;
    if (drag.moved) announce(explanation(app));
    else app.update({ cursor: drag.at, selection: null });
    drag = null;
  });
  plot.addEventListener("pointercancel", () => (drag = null));
  plot.addEventListener("wheel", (event) => {
    // Only on a map that has the focus, so that the page can be scrolled past the others.
    if (document.activeElement !== plot && !event.ctrlKey) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(app, (event.deltaX || event.deltaY) / plot.clientWidth);
    else zoomBy(app, 1.0015 ** event.deltaY, placeOf(app, plot, event).column);
  }, { passive: false });
}

/**
 * @param {App} app
 * @param {number} factor of the view's width
 * @param {number} around the column that stays in its place
 */
function zoomBy(app, factor, around) {
  const { entry, state } = app.now();
  const [from, to] = state.view;
  const width = Math.min(Math.max((to - from) * factor, LEAST_VIEW), entry.columns);
  const share = (around - from) / (to - from);
  const start = around - share * width;
  app.update({ view: viewWithin([start, start + width], entry.columns) });
}

/**
 * @param {App} app
 * @param {number} share of the view's width
 */
function pan(app, share) {
  const { entry, state } = app.now();
  const step = share * (state.view[1] - state.view[0]);
  app.update({ view: viewWithin([state.view[0] + step, state.view[1] + step], entry.columns) });
}

/** @param {App} app */
function zoomToSelection(app) {
  const { entry, state } = app.now();
  if (!state.selection) return announce("Nothing is selected.");
  const { from, to } = state.selection;
  app.update({ view: viewWithin([from, to], entry.columns) });
  announce(`Shows ${between(entry.recording, startOf(entry, from), startOf(entry, to))}.`);
}

/** @param {App} app */
function resetView(app) {
  const { entry } = app.now();
  app.update({ view: [0, entry.columns], selection: null, filter: null });
  announce("Shows everything.");
}

/**
 * Moves the cursor, with Shift one corner of the selection.
 * @param {App} app
 * @param {number} across
 * @param {number} up
 * @param {boolean} select
 */
function moveCursor(app, across, up, select) {
  const { entry, state } = app.now();
  const [from, to] = state.view;
  const start = state.cursor ?? { column: Math.floor((from + to) / 2), row: app.now().window.quantiles[0]?.row ?? 0 };
  const column = Math.min(Math.max(start.column + across, 0), entry.columns - 1);
  const row = Math.min(Math.max(start.row + up, 0), entry.rows - 1);
  /** @type {Partial<State>} */
  const change = { cursor: { column, row } };
  const before = Math.min(column - from, 0);
  const beyond = Math.max(column - (to - 1), 0);
  if (before + beyond !== 0) change.view = viewWithin([from + before + beyond, to + before + beyond], entry.columns);
  if (select) {
    app.anchor ??= start;
    change.selection = regionBetween(app.anchor, { column, row });
  } else app.anchor = null;
  app.update(change);
  announce(select ? selectionText(app) : readoutText(app));
}

/**
 * @param {App} app
 * @param {number} by
 */
function switchEntry(app, by) {
  const count = app.doc.head.entries.length;
  app.update({ entry: (app.now().state.entry + by + count) % count });
  const { entry } = app.now();
  announce(`${entry.head.label}. ${entry.head.sentences[0] ?? ""}`);
}

/**
 * @param {App} app
 * @param {KeyboardEvent} event
 * @returns {boolean} whether the key meant something
 */
function pressKey(app, event) {
  const { state } = app.now();
  const far = Math.max(Math.round((state.view[1] - state.view[0]) / 20), 1);
  const step = event.altKey ? far : 1;
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => moveCursor(app, -step, 0, event.shiftKey),
    ArrowRight: () => moveCursor(app, step, 0, event.shiftKey),
    ArrowUp: () => moveCursor(app, 0, 1, event.shiftKey),
    ArrowDown: () => moveCursor(app, 0, -1, event.shiftKey),
    PageUp: () => moveCursor(app, -far, 0, event.shiftKey),
    PageDown: () => moveCursor(app, far, 0, event.shiftKey),
    Home: () => moveCursor(app, -Infinity, 0, event.shiftKey),
    End: () => moveCursor(app, Infinity, 0, event.shiftKey),
    Enter: () => announce(state.selection ? explanation(app) : readoutText(app)),
    Escape: () => {
      app.anchor = null;
      app.update(state.selection || state.filter ? { selection: null, filter: null } : { cursor: null });
      announce("Selection cleared.");
    },
    z: () => zoomToSelection(app),
    0: () => resetView(app),
    "+": () => zoomBy(app, 0.7, state.cursor?.column ?? (state.view[0] + state.view[1]) / 2),
    "-": () => zoomBy(app, 1 / 0.7, state.cursor?.column ?? (state.view[0] + state.view[1]) / 2),
    "[": () => switchEntry(app, -1),
    "]": () => switchEntry(app, 1),
  };
  const act = event.ctrlKey || event.metaKey ? undefined : keys[event.key];
  act?.();
  return act !== undefined;
}

/** @param {App} app */
function listen(app) {
  for (const kind of MAPS) {
    const plot = byId(`map-${kind}`);
    listenToPointer(app, plot);
    plot.addEventListener("keydown", (event) => {
      if (pressKey(app, event)) event.preventDefault();
    });
  }
  byId("percentiles").addEventListener("pointermove", (event) => {
    const { column } = placeOf(app, byId("percentiles"), event);
    app.update({ cursor: { column, row: app.now().state.cursor?.row ?? 0 } });
  });
  byId("scatter").addEventListener("click", (event) => {
    const plot = byId("scatter");
    const outer = plot.getBoundingClientRect();
    const box = scatterBox({ width: plot.clientWidth, height: plot.clientHeight });
    const column = nearestDot(app, box, event.clientX - outer.left, event.clientY - outer.top);
    if (column === null) return;
    const { entry, state } = app.now();
    app.update({ cursor: { column, row: state.cursor?.row ?? 0 }, selection: { from: column, to: column + 1, low: 0, high: entry.rows } });
    announce(explanation(app));
  });
  for (const name of Object.keys(CHOICES)) {
    const select = /** @type {HTMLSelectElement} */ (byId(name));
    select.addEventListener("change", () => app.update({ [name]: select.value }));
  }
  const series = /** @type {HTMLSelectElement} */ (byId("entry"));
  series.addEventListener("change", () => app.update({ entry: Number(series.value) }));
  const lines = /** @type {HTMLInputElement} */ (byId("lines"));
  lines.addEventListener("change", () => app.update({ lines: lines.checked }));
  byId("zoom").addEventListener("click", () => zoomToSelection(app));
  byId("reset").addEventListener("click", () => resetView(app));
  byId("link").addEventListener("click", () => {
    const { state, entry } = app.now();
    copyFrom(byId("link"), `${location.href.replace(/#.*/, "")}#${hashOf(state, entry)}`);
  });
  byId("unfilter").addEventListener("click", () => app.update({ filter: null }));
  for (const button of document.querySelectorAll("button.csv")) {
    button.addEventListener("click", () => downloadCsv(app, button.getAttribute("data-csv") ?? "columns"));
  }
  for (const details of document.querySelectorAll("#tables details")) details.addEventListener("toggle", () => fillTables(app));
}
