// Painting the buffers of a cache.

/** Pixels around the picture. */
const CACHE_MARGIN = 18;

/**
 * The colours of chains and lists, by the number of the list.
 * @param {boolean} dark
 */
function cacheColours(dark) {
  const ink = INKS[dark ? "dark" : "light"];
  return [ink.muted, ink.warm, ink.accent, dark ? "#d98bdc" : "#8e2f93"];
}

/**
 * The radius of a header, pixels.
 * @param {CacheApp} app
 * @param {number} at
 */
function cacheRadius(app, at) {
  const { view } = app;
  if (view.drawn !== "circles") return 2 * view.scale;
  const by = view.size === "touches" ? app.moment.touches[at] : view.size === "chain" ? app.lengths[at] : 1;
  return (2.5 + 1.6 * Math.sqrt(Math.min(by, 40))) * view.scale;
}

/**
 * Where a header is, in pixels.
 * @param {CacheApp} app
 * @param {number} at
 * @returns {[number, number]}
 */
function cachePixel(app, at) {
  const { width, height } = app;
  const side = Math.min(width, height);
  const round = app.view.orientation === "circle";
  const [across, down] = round ? [side, side] : [width, height];
  const place = (/** @type {number} */ share, /** @type {number} */ length, /** @type {number} */ all) =>
    (all - length) / 2 + CACHE_MARGIN + share * (length - 2 * CACHE_MARGIN);
  return [place(app.layout.x[at], across, width), place(app.layout.y[at], down, height)];
}

/** @param {CacheApp} app */
function drawCache(app) {
  const [canvas] = canvasesOf("graph");
  const plot = byId("graph");
  [app.width, app.height] = [plot.clientWidth, plot.clientHeight];
  canvas.width = Math.round(app.width * devicePixelRatio);
  canvas.height = Math.round(app.height * devicePixelRatio);
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  paintLinks(app, pen);
  for (const at of app.layout.order) paintHeader(app, pen, at);
  if (app.layout.order.length === 0) paintEmpty(app, pen);
}

/**
 * @param {CacheApp} app
 * @param {CanvasRenderingContext2D} pen
 */
function paintEmpty(app, pen) {
  pen.fillStyle = INKS[app.dark ? "dark" : "light"].muted;
  pen.font = "14px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.fillText(app.doc.words.empty[app.view.focus === "write" ? 1 : 0], app.width / 2, app.height / 2);
}

/**
 * @param {CacheApp} app
 * @param {CanvasRenderingContext2D} pen
 */
function paintLinks(app, pen) {
  const colours = cacheColours(app.dark);
  const all = app.view.focus === "all";
  for (const [from, to, list] of app.layout.links) {
    const [[x, y], [x2, y2]] = [cachePixel(app, from), cachePixel(app, to)];
    pen.strokeStyle = colours[list];
    pen.globalAlpha = all && list > 0 ? 0.18 : 0.6;
    pen.lineWidth = list === 0 ? 1.5 : 1;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x2, y2);
    if (app.view.drawn === "arrows") arrowHead(pen, x, y, x2, y2);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {number} x2
 * @param {number} y2
 */
function arrowHead(pen, x, y, x2, y2) {
  const angle = Math.atan2(y2 - y, x2 - x);
  for (const turn of [-0.4, 0.4]) {
    pen.moveTo(x2, y2);
    pen.lineTo(x2 - 6 * Math.cos(angle + turn), y2 - 6 * Math.sin(angle + turn));
  }
}

/**
 * A header: filled by its list, hollow if it is a clone, with a ring if it is dirty.
 * @param {CacheApp} app
 * @param {CanvasRenderingContext2D} pen
 * @param {number} at
 */
function paintHeader(app, pen, at) {
  const [x, y] = cachePixel(app, at);
  const ink = INKS[app.dark ? "dark" : "light"];
  const radius = cacheRadius(app, at);
  const colour = cacheColours(app.dark)[app.moment.list[at]];
  const isClone = (app.moment.state[at] & 2) !== 0;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fillStyle = isClone ? ink.page : colour;
  pen.fill();
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  pen.stroke();
  if (app.moment.state[at] & 1) ring(pen, x, y, radius + 2.5, ink.ink, 1.2);
  if (at === app.cursor) ring(pen, x, y, radius + 5, ink.ink, 2.5);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {string} colour
 * @param {number} width
 */
function ring(pen, x, y, radius, colour, width) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.stroke();
}

/**
 * The header nearest to a place of the picture; -1 if none is near.
 * @param {CacheApp} app
 * @param {number} x
 * @param {number} y
 */
function cacheAt(app, x, y) {
  let [nearest, best] = [-1, 14];
  for (const at of app.layout.order) {
    const [left, top] = cachePixel(app, at);
    const distance = Math.hypot(left - x, top - y) - cacheRadius(app, at);
    if (distance < best) [nearest, best] = [at, distance];
  }
  return nearest;
}
