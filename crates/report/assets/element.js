// Making and finding elements. Text from the data is only ever set as text.

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element ${id}.`);
  return found;
}

/**
 * @param {string} tag
 * @param {(Node | string)[]} children
 * @param {Record<string, string>} [attributes]
 * @returns {HTMLElement}
 */
function element(tag, children, attributes = {}) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * A table's head and rows; the first cell of each row is its heading.
 * @param {HTMLElement} table
 * @param {string[]} heads
 * @param {(Node | string)[][]} rows
 */
function fillTable(table, heads, rows) {
  const [head, body] = [table.querySelector("thead"), table.querySelector("tbody")];
  head?.replaceChildren(element("tr", heads.map((text) => element("th", [table.matches(ORDERED) ? headingButton(text) : text], { scope: "col" }))));
  const cell = (/** @type {Node | string} */ content, /** @type {number} */ index) =>
    index === 0 ? element("th", [content], { scope: "row" }) : element("td", [content]);
  body?.replaceChildren(...rows.map((row) => element("tr", row.map(cell))));
}

/**
 * What a chart shows, for those who do not see it.
 * @param {HTMLCanvasElement} canvas
 * @param {string} text
 */
function describe(canvas, text) {
  canvas.parentElement?.setAttribute("aria-label", text);
}

/**
 * The canvases of a plot, the lowest first.
 * @param {string} id
 * @returns {HTMLCanvasElement[]}
 */
function canvasesOf(id) {
  return [...byId(id).querySelectorAll("canvas")];
}
