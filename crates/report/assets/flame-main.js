// Starts the page of a flame graph: one state, and everything that is drawn of it.

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
  byId("matched").textContent = result ? `${flameAmount(app, result.sum)}, ${aboutShare(all > 0 ? result.sum / all : 0, true, " %")} of all` : "";
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

/** @param {FlameApp} app */
function listenToFlame(app) {
  listenToPicture(app);
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
  const app = flameApp(doc, renderFlame);
  const sections = document.getElementById("sections");
  if (sections) byId("panes").after(sections);
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
