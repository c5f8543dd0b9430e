// Starts the page of a model of a cache: one state, and the picture that is drawn of it.

/**
 * Places the headers of the moment and the view that are chosen. At once, not with the next frame: a key
 * that is pressed before it moves among what was just chosen.
 * @param {CacheApp} app
 */
function placeCache(app) {
  const { picture } = app.doc;
  app.moment = picture.moments[app.at];
  app.lengths = cacheLengths(app.moment, picture.chains);
  app.layout = cacheLayout(picture, app.moment, app.view);
  if (!app.layout.order.includes(app.cursor)) app.cursor = -1;
}

/**
 * Draws what was placed.
 * @param {CacheApp} app
 */
function showCache(app) {
  byId("moment-text").textContent = cacheMomentText(app);
  byId("readout").textContent = app.cursor >= 0 ? cacheHeaderText(app.doc.picture, app.moment, app.cursor) : "";
  drawCache(app);
}

/**
 * @param {CacheApp} app
 * @param {number} at
 */
function moveToHeader(app, at) {
  if (at < 0 || at === app.cursor) return;
  app.cursor = at;
  announce(cacheHeaderText(app.doc.picture, app.moment, at));
  app.render();
}

/**
 * @param {CacheApp} app
 * @param {KeyboardEvent} event
 */
function onCacheKey(app, event) {
  const { order } = app.layout;
  const index = order.indexOf(app.cursor);
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => moveToHeader(app, order[Math.max(index - 1, 0)] ?? -1),
    ArrowRight: () => moveToHeader(app, order[Math.min(index + 1, order.length - 1)] ?? -1),
    Home: () => moveToHeader(app, order[0] ?? -1),
    End: () => moveToHeader(app, order[order.length - 1] ?? -1),
    "[": () => moveToMoment(app, app.at - 1),
    "]": () => moveToMoment(app, app.at + 1),
    p: () => playCache(app),
  };
  const action = keys[event.key];
  if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  action();
}

/** @param {CacheApp} app */
function listenToCache(app) {
  for (const name of /** @type {const} */ (["focus", "orientation", "drawn", "size"])) {
    const field = /** @type {HTMLSelectElement} */ (byId(name));
    field.value = app.view[name];
    field.addEventListener("change", () => {
      app.view[name] = field.value;
      app.render();
    });
  }
  const scale = /** @type {HTMLInputElement} */ (byId("scale"));
  scale.addEventListener("input", () => {
    app.view.scale = Number(scale.value);
    app.render();
  });
  const moment = /** @type {HTMLInputElement} */ (byId("moment"));
  moment.max = String(app.doc.picture.moments.length - 1);
  moment.value = String(app.at);
  moment.addEventListener("input", () => moveToMoment(app, Number(moment.value)));
  const play = /** @type {HTMLButtonElement} */ (byId("play"));
  play.disabled = app.doc.picture.moments.length < 2;
  play.addEventListener("click", () => playCache(app));
  showPlaying(app);
  const plot = byId("graph");
  plot.addEventListener("mousemove", (event) => {
    const box = plot.getBoundingClientRect();
    moveToHeader(app, cacheAt(app, event.clientX - box.left, event.clientY - box.top));
  });
  plot.addEventListener("keydown", (event) => onCacheKey(app, event));
}

/** @param {CacheApp} app */
function fillCacheLegend(app) {
  const colours = cacheColours(app.dark);
  const dot = (/** @type {string} */ fill, /** @type {string} */ edge) => {
    const made = element("i", []);
    made.style.setProperty("background", fill);
    made.style.setProperty("border", `1.5px solid ${edge}`);
    return made;
  };
  const ink = INKS[app.dark ? "dark" : "light"];
  const { words } = app.doc;
  const items = words.lists.map((name, list) => element("li", [dot(colours[list], colours[list]), name]));
  items.push(element("li", [dot("transparent", colours[2]), `${words.hollow} (hollow)`]), element("li", [dot(colours[2], ink.ink), `${words.ring} (ring)`]));
  byId("legend").replaceChildren(...items);
}

/** @param {CacheApp} app */
function fillCacheTexts(app) {
  const { doc } = app;
  byId("title").textContent = doc.title;
  byId("subtitle").textContent = doc.facts;
  byId("notes").replaceChildren(...doc.notes.map((note) => element("li", [note])));
  byId("provenance").append(element("p", [element("code", [doc.command])]));
  byId("made").textContent = doc.made;
  for (const name of /** @type {const} */ (["focus", "size"])) {
    for (const option of /** @type {HTMLSelectElement} */ (byId(name)).options) option.text = doc.words[name][option.value] ?? option.text;
  }
  fillCacheLegend(app);
}

/**
 * @param {CacheDocument} doc
 * @returns {CacheApp}
 */
function cacheApp(doc) {
  const at = doc.at ?? doc.picture.moments.length - 1;
  let waiting = false;
  /** @type {CacheApp} */
  const app = {
    doc, at, cursor: -1, width: 0, height: 0, playing: 0,
    moment: doc.picture.moments[at],
    lengths: [],
    layout: { x: new Float64Array(), y: new Float64Array(), order: [], links: [] },
    view: { ...doc.view, drawn: "circles", size: "touches", scale: 1 },
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    render() {
      placeCache(app);
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        showCache(app);
      });
    },
  };
  return app;
}

async function startCache() {
  const doc = JSON.parse(new TextDecoder().decode(await unpacked("isotherm-data")));
  const app = cacheApp(doc);
  const sections = document.getElementById("sections");
  if (sections) byId("readout").after(sections);
  byId("static").remove();
  byId("report").hidden = false;
  fillCacheTexts(app);
  listenToCache(app);
  placeCache(app);
  showCache(app);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
    app.dark = event.matches;
    fillCacheLegend(app);
    app.render();
  });
  new ResizeObserver(() => app.render()).observe(byId("graph"));
  document.documentElement.dataset.ready = "yes";
}

startCache().catch(showTrouble);
