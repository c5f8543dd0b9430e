// Starts the page of a flame graph: one state, and everything that is drawn of it.

/**
 * @param {FlameApp} app
 * @param {number} at
 */
function moveTo(app, at) {
  if (at < 0 || at >= app.tree.size || app.tree.total[at] === 0) return;
  app.cursor = at;
  announce(frameText(app));
  app.render();
}

/**
 * @param {FlameApp} app
 * @param {number} at
 */
function zoomTo(app, at) {
  app.zoom = at;
  moveTo(app, at);
}

/**
 * @param {FlameApp} app
 * @param {string} text
 */
function searchFor(app, text) {
  const field = /** @type {HTMLInputElement} */ (byId("search"));
  if (field.value !== text) field.value = text;
  try {
    app.matches = flameMatcher(text);
    showMatches(app);
  } catch (trouble) {
    byId("matched").textContent = trouble instanceof Error ? trouble.message : String(trouble);
  }
}

/**
 * Shows what is found, in the part of time that is shown.
 * @param {FlameApp} app
 */
function showMatches(app) {
  const result = app.matches && flameMatches(app, app.matches);
  const all = app.tree.total[0];
  app.found = result ? result.found : null;
  byId("matched").textContent = result ? `${flameAmount(app, result.sum)}, ${percent(all > 0 ? result.sum / all : 0)} of all` : "";
  /** @type {HTMLButtonElement} */ (byId("next")).disabled = !app.found;
  app.render();
}

/**
 * Moves the cursor to the next frame that is found.
 * @param {FlameApp} app
 */
function nextMatch(app) {
  const { found, tree } = app;
  if (!found) return;
  for (let step = 1; step <= tree.size; step++) {
    const at = (app.cursor + step) % tree.size;
    if (found[at] && tree.total[at] > 0) {
      if (at < app.zoom || at >= tree.end[app.zoom]) app.zoom = 0;
      return moveTo(app, at);
    }
  }
}

/**
 * The widest frame on top of another; -1 if there is none.
 * @param {FlameApp} app
 * @param {number} at
 */
function widestAbove(app, at) {
  const { tree } = app;
  let widest = -1;
  for (let one = at + 1; one < tree.end[at]; one = tree.end[one]) {
    if (tree.total[one] > 0 && (widest < 0 || tree.total[one] > tree.total[widest])) widest = one;
  }
  return widest;
}

/**
 * The next frame of the same depth to the right or to the left; -1 if there is none.
 * @param {FlameApp} app
 * @param {1 | -1} step
 */
function neighbour(app, step) {
  const { tree, cursor } = app;
  for (let at = cursor + step; at > 0 && at < tree.size; at += step) {
    if (tree.depth[at] === tree.depth[cursor] && tree.total[at] > 0) return at;
  }
  return -1;
}

/**
 * @param {FlameApp} app
 * @param {KeyboardEvent} event
 */
function onFlameKey(app, event) {
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowUp: () => moveTo(app, widestAbove(app, app.cursor)),
    ArrowDown: () => moveTo(app, app.tree.parent[app.cursor]),
    ArrowLeft: () => moveTo(app, neighbour(app, -1)),
    ArrowRight: () => moveTo(app, neighbour(app, 1)),
    Enter: () => zoomTo(app, app.cursor),
    Backspace: () => zoomTo(app, app.tree.parent[app.zoom]),
  };
  const action = keys[event.key];
  if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  action();
}

/** @param {FlameApp} app */
function listenToFlame(app) {
  const plot = byId("flame");
  const nodeOf = (/** @type {MouseEvent} */ event) => {
    const box = plot.getBoundingClientRect();
    return flameAt(app, event.clientX - box.left, event.clientY - box.top);
  };
  plot.addEventListener("mousemove", (event) => {
    const at = nodeOf(event);
    if (at >= 0 && at !== app.cursor) {
      app.cursor = at;
      app.render();
    }
  });
  plot.addEventListener("click", (event) => {
    const at = nodeOf(event);
    if (at >= 0) zoomTo(app, at);
  });
  plot.addEventListener("keydown", (event) => onFlameKey(app, event));
  const field = /** @type {HTMLInputElement} */ (byId("search"));
  field.addEventListener("input", () => searchFor(app, field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") nextMatch(app);
  });
  byId("next").addEventListener("click", () => nextMatch(app));
  byId("reset").addEventListener("click", () => zoomTo(app, 0));
  document.addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      field.focus();
    }
    if (event.key === "0") zoomTo(app, 0);
    if (event.key === "n") nextMatch(app);
  });
}

/**
 * @param {FlameDocument} doc
 * @returns {FlameApp}
 */
function flameApp(doc) {
  const tree = flameTree(doc);
  placeFlame(tree);
  let waiting = false;
  /** @type {FlameApp} */
  const app = {
    doc, tree, zoom: 0, cursor: 0, rows: 1, found: null, matches: null, range: null, mostChange: 1,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    render() {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        renderFlame(app);
      });
    },
  };
  for (let at = 1, most = 0; at < tree.size; at++) {
    most = Math.max(most, Math.abs(flameChange(app, at)));
    app.mostChange = most || 1;
  }
  return app;
}

/** @param {FlameApp} app */
function renderFlame(app) {
  const key = `of ${app.range}`;
  drawFlame(app);
  drawHeat(app);
  fillFrame(app);
  if (byId("functions").dataset.of !== key) {
    byId("functions").dataset.of = key;
    fillFunctions(app);
  }
}

async function startFlame() {
  const doc = JSON.parse(new TextDecoder().decode(await unpacked("isotherm-data")));
  const app = flameApp(doc);
  byId("static").remove();
  byId("report").hidden = false;
  fillFlameOrigin(app);
  fillFlameLegend(app);
  listenToFlame(app);
  listenToHeat(app);
  renderFlame(app);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
    app.dark = event.matches;
    app.render();
  });
  new ResizeObserver(() => app.render()).observe(byId("charts"));
  document.documentElement.dataset.ready = "yes";
}

startFlame().catch(showTrouble);
