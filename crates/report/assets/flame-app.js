// The state of a flame graph, and moving in its picture by keys and the mouse.

/** @param {FlameApp} app */
function frameText(app) {
  const { tree, cursor } = app;
  const all = tree.total[0] > 0 ? percent(tree.total[cursor] / tree.total[0]) : "-";
  return `${plainName(nameOfNode(app, cursor))} · ${flameAmount(app, tree.total[cursor])} · ${all} of all`;
}

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

/**
 * @param {FlameDocument} doc
 * @param {(app: FlameApp) => void} draw
 * @returns {FlameApp}
 */
function flameApp(doc, draw) {
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
        draw(app);
      });
    },
  };
  for (let at = 1, most = 0; at < tree.size; at++) {
    most = Math.max(most, Math.abs(flameChange(app, at)));
    app.mostChange = most || 1;
  }
  return app;
}

/**
 * Keys and the mouse on the picture.
 * @param {FlameApp} app
 */
function listenToPicture(app) {
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
}
