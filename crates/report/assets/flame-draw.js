// Painting the frames, and finding the one under the pointer.

const FLAME_ROW = 18;
const FLAME_LEAST = 0.5;

/**
 * The frame that is zoomed to and what stands above it; below it what it was called from.
 * @param {FlameApp} app
 * @param {number} width
 * @returns {FlameView}
 */
function flameView(app, width) {
  const { tree, zoom } = app;
  const scale = tree.total[zoom] > 0 ? width / tree.total[zoom] : 0;
  return { width, scale, origin: tree.left[zoom] };
}

/**
 * Where a node is drawn: null if it is not.
 * @param {FlameApp} app
 * @param {FlameView} view
 * @param {number} at
 */
function flameBox(app, view, at) {
  const { tree, zoom } = app;
  const y = (app.rows - 1 - tree.depth[at]) * FLAME_ROW;
  if (tree.end[at] >= tree.end[zoom] && at <= zoom) return { x: 0, y, width: view.width };
  if (at < zoom || at >= tree.end[zoom]) return null;
  return { x: (tree.left[at] - view.origin) * view.scale, y, width: tree.total[at] * view.scale };
}

/**
 * A number from 0 to 1 that is the same for the same name everywhere.
 * @param {string} name
 */
function flameHash(name) {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  return ((hash >>> 8) % 1000) / 1000;
}

/**
 * @param {FlameApp} app
 * @param {number} at
 */
function flameFill(app, at) {
  const name = nameOfNode(app, at);
  if (app.found && !app.found[at]) return app.dark ? "hsl(215 8% 34%)" : "hsl(215 10% 86%)";
  if (app.tree.before) {
    const change = flameChange(app, at) / app.mostChange;
    const strength = Math.sqrt(Math.min(Math.abs(change), 1));
    if (strength < 0.05) return "hsl(215 6% 80%)";
    return change > 0 ? `hsl(24 ${40 + 55 * strength}% ${86 - 28 * strength}%)` : `hsl(212 ${35 + 45 * strength}% ${86 - 22 * strength}%)`;
  }
  if (at === 0) return "hsl(215 6% 78%)";
  const part = flameHash(plainName(name));
  if (name.endsWith("_[k]")) return `hsl(${198 + 22 * part} 55% ${68 + 8 * part}%)`;
  return `hsl(${18 + 32 * part} 88% ${64 + 8 * part}%)`;
}

/**
 * The nodes that are wide enough to be seen; the picture is as high as they are.
 * @param {FlameApp} app
 * @param {FlameView} view
 */
function visibleFrames(app, view) {
  const shown = [];
  app.rows = 1;
  for (let at = 0; at < app.tree.size; ) {
    const box = app.tree.total[at] > 0 ? flameBox(app, view, at) : null;
    if (box && box.width >= FLAME_LEAST) {
      shown.push(at);
      app.rows = Math.max(app.rows, app.tree.depth[at] + 1);
      at++;
    } else {
      // What is zoomed to may stand above it.
      at = at <= app.zoom && app.zoom < app.tree.end[at] ? at + 1 : app.tree.end[at];
    }
  }
  return shown;
}

/** @param {FlameApp} app */
function drawFlame(app) {
  const [canvas] = canvasesOf("flame");
  const [plot, pane] = [byId("flame"), byId("flame-pane")];
  const before = app.rows;
  const view = flameView(app, plot.clientWidth);
  const shown = visibleFrames(app, view);
  plot.style.setProperty("height", `${app.rows * FLAME_ROW}px`);
  if (app.rows !== before) pane.scrollTop = pane.scrollHeight;
  const ratio = app.rows * FLAME_ROW * devicePixelRatio > 30_000 ? 1 : devicePixelRatio;
  canvas.width = Math.round(view.width * ratio);
  canvas.height = Math.round(app.rows * FLAME_ROW * ratio);
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.font = `12px ${getComputedStyle(document.documentElement).getPropertyValue("--mono")}`;
  pen.textBaseline = "middle";
  const letter = pen.measureText("M").width;
  for (const at of shown) {
    const box = flameBox(app, view, at);
    if (box) paintFrame(app, pen, at, box, letter);
  }
}

/**
 * @param {FlameApp} app
 * @param {CanvasRenderingContext2D} pen
 * @param {number} at
 * @param {{x: number, y: number, width: number}} box
 * @param {number} letter
 */
function paintFrame(app, pen, at, box, letter) {
  pen.fillStyle = flameFill(app, at);
  pen.globalAlpha = at < app.zoom && at !== 0 ? 0.55 : 1;
  pen.fillRect(box.x, box.y, Math.max(box.width - (box.width > 2 ? 1 : 0), 0.5), FLAME_ROW - 1);
  pen.globalAlpha = 1;
  if (at === app.cursor) {
    pen.strokeStyle = app.dark ? "#ffffff" : "#16191d";
    pen.lineWidth = 2;
    pen.strokeRect(box.x + 1, box.y + 1, Math.max(box.width - 3, 1), FLAME_ROW - 3);
  }
  const room = Math.floor((box.width - 7) / letter);
  if (room < 3) return;
  const name = plainName(nameOfNode(app, at));
  pen.fillStyle = app.found && !app.found[at] && app.dark ? "#c8d0da" : "#16191d";
  pen.fillText(name.length <= room ? name : `${name.slice(0, room - 1)}…`, box.x + 4, box.y + FLAME_ROW / 2);
}

/**
 * The node at a place of the picture; -1 if there is none.
 * @param {FlameApp} app
 * @param {number} x
 * @param {number} y
 */
function flameAt(app, x, y) {
  const depth = app.rows - 1 - Math.floor(y / FLAME_ROW);
  const view = flameView(app, byId("flame").clientWidth);
  for (let at = 0; at < app.tree.size; ) {
    const box = flameBox(app, view, at);
    const isIn = box !== null && x >= box.x && x < box.x + box.width;
    if (isIn && app.tree.depth[at] === depth) return at;
    at = isIn ? at + 1 : app.tree.end[at];
  }
  return -1;
}
