// The one state of the page, and how it is written in the address.

/** @type {State} */
const FIRST_STATE = {
  entry: 0, view: [0, 0], cursor: null, selection: null, filter: null,
  beside: "off", scale: "auto", cells: "spikes", palette: "isotherm", theme: "auto", lines: true,
};

/** What may be chosen, first the default; with its name in the toolbar. @type {Record<string, [string, string][]>} */
const CHOICES = {
  beside: [["off", "off"], ["intensity", "time waited"], ["frequency", "events"]],
  scale: [["auto", "auto"], ["sqrt", "square root"], ["power 0.75", "power 0.75"], ["linear", "linear"], ["log", "log"], ["rank", "rank"]],
  palette: [["isotherm", "blue, orange"], ["viridis", "viridis"], ["cividis", "cividis"], ["magma", "magma"], ["grey", "grey"]],
  cells: [["spikes", "average + spikes"], ["mean", "average"], ["peak", "peak"]],
  theme: [["auto", "auto"], ["light", "light"], ["dark", "dark"]],
};

/**
 * @param {State} state
 * @param {Entry} entry
 * @returns {string}
 */
function hashOf(state, entry) {
  /** @type {[string, string][]} */
  const parts = [];
  if (state.entry !== 0) parts.push(["e", String(state.entry)]);
  if (state.view[0] !== 0 || state.view[1] !== entry.columns) parts.push(["v", state.view.join("-")]);
  if (state.selection) {
    const { from, to, low, high } = state.selection;
    parts.push(["s", [from, to, low, high].join(".")]);
  }
  if (state.cursor) parts.push(["c", `${state.cursor.column}.${state.cursor.row}`]);
  if (state.filter) parts.push(["f", `${state.filter.key}=${state.filter.value}`]);
  for (const [name, choices] of Object.entries(CHOICES)) {
    const value = String(/** @type {any} */ (state)[name]);
    if (value !== choices[0][0]) parts.push([name, value]);
  }
  if (!state.lines) parts.push(["lines", "0"]);
  return parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
}

/**
 * Whole numbers between separators; null unless there are exactly so many.
 * @param {string | null} text
 * @param {number} count
 */
function wholeNumbers(text, count) {
  const numbers = (text ?? "").split(/[.-]/).map(Number);
  return numbers.length === count && numbers.every((one) => Number.isSafeInteger(one) && one >= 0) ? numbers : null;
}

/**
 * The state an address asks for; whatever it says wrongly is left out.
 * @param {string} hash
 * @param {(index: number) => Entry} entryAt
 * @param {number} entries
 * @returns {State}
 */
function stateOf(hash, entryAt, entries) {
  const parts = new URLSearchParams(hash.replace(/^#/, "").replace(/\+/g, "%2B"));
  const index = wholeNumbers(parts.get("e"), 1)?.[0] ?? 0;
  const entry = Math.min(index, entries - 1);
  const { columns, rows, facets } = entryAt(entry);
  const times = wholeNumbers(parts.get("t"), 2);
  const asked = times ? columnsOfTimes(times, entryAt(entry)) : wholeNumbers(parts.get("v"), 2);
  const state = { ...FIRST_STATE, entry, view: viewWithin(asked ?? [0, columns], columns) };
  const selected = wholeNumbers(parts.get("s"), 4);
  if (selected) {
    const [from, to, low, high] = selected;
    if (from < to && to <= columns && low < high && high <= rows) state.selection = { from, to, low, high };
  }
  const cursor = wholeNumbers(parts.get("c"), 2);
  if (cursor && cursor[0] < columns && cursor[1] < rows) state.cursor = { column: cursor[0], row: cursor[1] };
  const filter = parts.get("f");
  for (const { key, values } of facets) {
    const value = filter?.startsWith(`${key}=`) ? filter.slice(key.length + 1) : null;
    if (value !== null && values.includes(value)) state.filter = { key, value };
  }
  for (const [name, choices] of Object.entries(CHOICES)) {
    const value = parts.get(name);
    if (choices.some(([choice]) => choice === value)) /** @type {any} */ (state)[name] = value;
  }
  state.lines = parts.get("lines") !== "0";
  return state;
}

/**
 * The columns of a range of time, as other programs link to it; null where there are none.
 * @param {number[]} times milliseconds since 1970
 * @param {Entry} entry
 * @returns {number[] | null}
 */
function columnsOfTimes(times, { head, columns }) {
  const [from, to] = times.map((ms) => Math.min(Math.max((ms * 1e3 - head.t0_us) / head.width_us, 0), columns));
  return from < to ? [from, to] : null;
}

/** The fewest columns a view shows. */
const LEAST_VIEW = 10;

/**
 * The nearest view that lies within the columns.
 * @param {number[]} view
 * @param {number} columns
 * @returns {[number, number]}
 */
function viewWithin([from, to], columns) {
  const width = Math.min(Math.max(Math.round(to - from), Math.min(LEAST_VIEW, columns)), columns);
  const start = Math.min(Math.max(Math.round(from), 0), columns - width);
  return [start, start + width];
}
