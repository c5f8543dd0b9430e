// Keeps the state of the page and draws every pane from it.

/** @type {MapKind[]} */
const MAPS = ["frequency", "intensity"];

/**
 * @param {ReportDocument} doc
 * @returns {App}
 */
function appOf(doc) {
  /** @type {Map<number, Entry>} */
  const read = new Map();
  /** @type {Map<string, { key: string, value: unknown }>} */
  const memory = new Map();
  const entryAt = (/** @type {number} */ index) => {
    const entry = read.get(index) ?? readEntry(app.doc, index);
    read.set(index, entry);
    return entry;
  };
  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  /** @type {State} */
  let state = FIRST_STATE;
  /** @type {Now | null} */
  let now = null;
  let planned = 0;
  let addressing = 0;
  /** @type {App} */
  const app = {
    doc,
    dark: false,
    printing: false,
    anchor: null,
    memo(slot, key, make) {
      const known = memory.get(slot);
      if (known && known.key === key) return /** @type {any} */ (known.value);
      const value = make();
      memory.set(slot, { key, value });
      return value;
    },
    entryAt,
    now() {
      now ??= nowOf(app, state, entryAt(state.entry));
      return now;
    },
    update(change) {
      const other = change.entry !== undefined && change.entry !== state.entry ? entryAt(change.entry) : null;
      if (other) change = { ...carriedOver(state, entryAt(state.entry), other), ...change };
      state = { ...state, ...change };
      now = null;
      planned ||= requestAnimationFrame(() => app.render());
      clearTimeout(addressing);
      addressing = setTimeout(() => history.replaceState(null, "", `#${hashOf(state, entryAt(state.entry))}`), 150);
    },
    show(next, carried) {
      app.doc = next;
      read.clear();
      memory.clear();
      state = { ...state, ...carried };
      now = null;
      planned ||= requestAnimationFrame(() => app.render());
    },
    render() {
      cancelAnimationFrame(planned);
      planned = 0;
      app.dark = !app.printing && (state.theme === "dark" || (state.theme === "auto" && systemDark.matches));
      renderAll(app);
    },
  };
  const readAddress = () => {
    state = stateOf(location.hash, entryAt, app.doc.head.entries.length);
    now = null;
  };
  readAddress();
  systemDark.addEventListener("change", () => app.render());
  addEventListener("hashchange", () => {
    readAddress();
    app.render();
  });
  return app;
}

/**
 * What of the state another entry can take over: the same time, no rows.
 * @param {State} state
 * @param {Entry} from
 * @param {Entry} to
 * @returns {Partial<State>}
 */
function carriedOver(state, from, to) {
  const column = (/** @type {number} */ of) => (startOf(from, of) - to.head.t0_us) / to.head.width_us;
  const same = from.recording === to.recording && (state.view[0] > 0 || state.view[1] < from.columns);
  const view = same ? viewWithin(state.view.map(column), to.columns) : viewWithin([0, to.columns], to.columns);
  return { view, cursor: null, selection: null, filter: null };
}

/**
 * Everything that follows from the state and is needed by several panes.
 * @param {App} app
 * @param {State} state
 * @param {Entry} entry
 * @returns {Now}
 */
function nowOf(app, state, entry) {
  const { filter, selection } = state;
  const entryKey = `${state.entry} ${filter ? `${filter.key}=${filter.value}` : ""}`;
  const shown = app.memo("shown", entryKey, () => (filter ? filteredTo(entry, filter.key, filter.value) : entry));
  const [from, to] = state.view;
  const window = app.memo("window", `${entryKey} ${state.view}`, () => statisticsOf(shown, { ...everything(shown), from, to }));
  const selected = selection && app.memo("selected", `${entryKey} ${Object.values(selection)}`, () => statisticsOf(shown, selection));
  return { state, entry, shown, entryKey, window, selected };
}

/** @param {App} app */
function fillToolbar(app) {
  for (const [name, choices] of Object.entries(CHOICES)) {
    byId(name).replaceChildren(...choices.map(([value, text]) => element("option", [text], { value })));
  }
  const { recordings, entries } = app.doc.head;
  const groups = recordings.map((recording, index) => {
    const options = entries.flatMap((entry, at) => (entry.recording === index ? [element("option", [entry.label], { value: String(at) })] : []));
    return recordings.length > 1 ? [element("optgroup", options, { label: recording.label })] : options;
  });
  byId("entry").replaceChildren(...groups.flat());
}

/** @param {App} app */
function showToolbar(app) {
  const { state } = app.now();
  for (const name of ["entry", ...Object.keys(CHOICES)]) {
    /** @type {HTMLSelectElement} */ (byId(name)).value = String(/** @type {any} */ (state)[name]);
  }
  /** @type {HTMLInputElement} */ (byId("lines")).checked = state.lines;
  /** @type {HTMLButtonElement} */ (byId("zoom")).disabled = !state.selection;
  const unfilter = byId("unfilter");
  unfilter.hidden = !state.filter;
  unfilter.textContent = state.filter ? `≈ only ${state.filter.key}=${state.filter.value} ✕` : "";
}

/** @param {App} app */
function renderAll(app) {
  const { state, entry, entryKey } = app.now();
  const root = document.documentElement;
  root.dataset.theme = app.dark ? "dark" : "light";
  const size = `${byId("charts").clientWidth} ${byId("rail").clientWidth} ${innerHeight} ${byId("map-frequency").clientHeight} ${devicePixelRatio} ${app.printing}`;
  const look = `${entryKey} ${state.view} ${state.scale} ${state.palette} ${state.cells} ${app.dark} ${size}`;
  const region = `${entryKey} ${state.view} ${JSON.stringify(state.selection)}`;
  const full = `${look} ${JSON.stringify(state)}`;
  const once = (/** @type {string} */ slot, /** @type {string} */ key, /** @type {() => void} */ draw) =>
    app.memo(`drawn ${slot}`, key, () => {
      draw();
      return true;
    });
  once("head", entryKey, () => {
    fillHeader(app);
    fillMarks(app);
  });
  once("single", String(state.entry), () => showSingle(app));
  once("who", String(entry.head.recording), () => fillWaiting(app));
  once("beside", `${entry.head.recording} ${state.beside}`, () => fillBeside(app));
  once("multiples", `${state.beside} ${state.entry} ${look} ${byId("multiples").clientWidth}`, () => drawBeside(app));
  once("chosen", String(state.entry), () => markChosen(app));
  once("toolbar", full, () => showToolbar(app));
  for (const kind of MAPS) {
    const [cells, overlay] = canvasesOf(`map-${kind}`);
    if (isSingle(entry)) {
      once(`cells ${kind}`, look, () => sheetOf(app, cells));
      once(`overlay ${kind}`, full, () => drawBars(app, kind, overlay));
      continue;
    }
    once(`cells ${kind}`, look, () => {
      paintCells(app, kind, cells);
      fillLegend(app, kind);
    });
    once(`overlay ${kind}`, full, () => drawOverlay(app, kind, overlay));
  }
  const { compare } = app.doc.head;
  if (compare) once("compare", `${app.dark} ${size} ${byId("compare").clientWidth}`, () => drawComparison(app, compare));
  if (!isSingle(entry)) {
    once("percentiles", full, () => drawPercentiles(app, canvasesOf("percentiles")[0]));
    once("scatter", full, () => drawScatter(app, canvasesOf("scatter")[0]));
    once("histogram", full, () => drawHistogram(app, canvasesOf("histogram")[0]));
  }
  once("readout", full, () => (byId("readout").textContent = readoutText(app)));
  once("statistics", region, () => fillStatistics(app));
  once("differs", `${region} ${JSON.stringify(state.filter)} ${app.printing}`, () => fillDifferences(app));
  once("tables", `${region} ${app.printing}`, () => fillTables(app));
}

/** Shows the page and listens to what its reader does. @param {App} app */
function openPage(app) {
  byId("report").hidden = false;
  fillToolbar(app);
  fillProvenance(app);
  app.render();
  listen(app);
  listenToPrint(app);
  new ResizeObserver(() => app.render()).observe(byId("panes"));
}
