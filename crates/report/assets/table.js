// The tables below the charts, which can be sorted, and their downloads.

/** The most rows of the table over time, on a screen and on paper; a download has all columns. */
const TABLE_BINS = 60;
const PRINTED_BINS = 30;

/**
 * What makes up a table: headings, and rows of a sorting key and a text for each cell.
 * @typedef {[number | string, string | Node]} Cellful
 * @typedef {{ heads: string[], rows: { cells: Cellful[], open?: () => void }[] }} Sheetful
 */

/** How each table is sorted: the column, and whether descending. @type {Record<string, [number, boolean] | undefined>} */
const sorting = {};

/**
 * @param {string} id
 * @param {() => Sheetful} make
 * @param {() => void} [after] what to do when rows have another order
 */
function showTable(id, make, after = () => {}) {
  const part = byId(id);
  const table = part.querySelector("table");
  if (!table || (part instanceof HTMLDetailsElement && !part.open)) return;
  const { heads, rows } = make();
  const [by, descending] = sorting[id] ?? [-1, false];
  if (by >= 0) {
    rows.sort((one, two) => {
      const [a, b] = [one.cells[by][0], two.cells[by][0]];
      const order = typeof a === "string" || typeof b === "string" ? String(a).localeCompare(String(b)) : a - b;
      return descending ? -order : order;
    });
  }
  const titles = heads.map((text, index) => {
    const button = element("button", [text], { type: "button" });
    button.addEventListener("click", () => {
      sorting[id] = [index, sorting[id]?.[0] === index ? !sorting[id]?.[1] : index > 0];
      showTable(id, make, after);
      /** @type {HTMLElement | undefined} */ (table.querySelectorAll("thead button")[index])?.focus?.();
    });
    const sorted = index === by ? (descending ? "descending" : "ascending") : "none";
    return element("th", [button], { scope: "col", "aria-sort": sorted });
  });
  table.querySelector("thead")?.replaceChildren(element("tr", titles));
  const lines = rows.map(({ cells, open }) => element("tr", cells.map(([, text], index) => {
    if (index > 0) return element("td", [text]);
    if (!open || typeof text !== "string") return element("th", [text], { scope: "row" });
    const button = element("button", [text], { type: "button", class: "value" });
    button.addEventListener("click", open);
    return element("th", [button], { scope: "row" });
  })));
  table.querySelector("tbody")?.replaceChildren(...lines);
  after();
}

/** @param {number} value @param {string} text @returns {[number, string]} */
function cell(value, text) {
  return [value, text];
}

/** @param {Quantile | null | undefined} quantile @returns {[number, string]} */
function quantileCell(quantile) {
  return quantile ? [quantile.lo, range(quantile.lo, quantile.hi)] : [-1, "-"];
}

/** @param {App} app @returns {Sheetful} */
function seriesTable(app) {
  const { head } = app.doc;
  /** @type {Sheetful["rows"]} */
  const rows = head.entries.map((entry, index) => {
    const about = entry.exact ? "" : "≈";
    const rate = (/** @type {number} */ value) => (entry.covered_s > 0 ? value / entry.covered_s : 0);
    const events = entry.counted_s > 0 ? entry.events / entry.counted_s : -1;
    const mean = entry.mean_ns ?? 0;
    return {
      open: () => app.update({ entry: index }),
      cells: [
        [entry.label, entry.label], [head.recordings[entry.recording].label, head.recordings[entry.recording].label],
        cell(entry.events, quantity(entry.events)), cell(events, events < 0 ? "-" : eventRate(events)),
        cell(entry.waited_s, about + timeWaited(entry.waited_s * 1e9)), cell(rate(entry.waited_s), about + seconds(rate(entry.waited_s))),
        cell(mean, entry.mean_ns === null ? "-" : about + nanos(mean)),
        ...(entry.averages ? QUANTILES.map(() => cell(-1, "-")) : []),
        ...entry.quantiles.map((one) => cell(one.lo_ns, range(one.lo_ns, one.hi_ns))),
      ],
    };
  });
  for (const one of head.not_drawn) {
    const rest = QUANTILES.map(() => cell(-1, "-"));
    rows.push({ cells: [[one.label, `${one.label} (not drawn)`], ["", ""], cell(one.events, quantity(one.events)), cell(-1, "-"), cell(one.waited_s, timeWaited(one.waited_s * 1e9)), cell(-1, "-"), cell(-1, "-"), ...rest] });
  }
  return { heads: ["series", "recording", "events", "events/s", "waited", "waiting", "mean", ...QUANTILES.map(quantileName)], rows };
}

/** @param {App} app @returns {Sheetful} */
function columnsTable(app) {
  const { shown: entry, state } = app.now();
  const bins = binsOf(state.view, app.printing ? PRINTED_BINS : TABLE_BINS);
  const about = entry.head.exact ? "" : "≈";
  const rows = bins.slice(0, -1).map((from, bin) => {
    const of = statisticsOf(entry, { ...everything(entry), from, to: bins[bin + 1] });
    const per = (/** @type {number} */ value) => (of.covered > 0 ? value / of.covered : 0);
    const rate = of.counted > 0 ? of.events / of.counted : 0;
    const mean = of.events > 0 ? (of.latency / of.events) * 1e9 : 0;
    const at = startOf(entry, from);
    /** @type {Cellful[]} */
    const cells = [
      cell(at, moment(entry.recording, at, entry.head.width_us < 1e6)), cell(of.covered, of.covered > 0 ? span(of.covered * 1e6) : "no data"),
      cell(of.events, quantity(of.events)), cell(rate, eventRate(rate)),
      cell(of.waited, about + timeWaited(of.waited * 1e9)), cell(per(of.waited), about + seconds(per(of.waited))),
      cell(mean, of.events > 0 ? about + nanos(mean) : "-"), ...of.quantiles.map(quantileCell),
    ];
    return { cells };
  });
  return { heads: ["from", "covered", "events", "events/s", "waited", "waiting", "mean", ...QUANTILES.map(quantileName)], rows };
}

/** @param {App} app @returns {Sheetful} */
function bucketsTable(app) {
  const { shown: entry, window: all, selected, state } = app.now();
  const bounds = entry.head.bounds_ns;
  const share = (/** @type {number} */ one, /** @type {number} */ of) => cell(one, of > 0 && one > 0 ? percent(one / of) : "-");
  const waits = timesOf(entry, ...state.view);
  const waited = sum(waits);
  // On paper as many rows as fit a page.
  const starts = entry.head.averages ? [] : paintedRows(bounds, app.printing ? PRINTED_BINS : entry.rows, 1);
  const rows = starts.slice(0, -1).map((low, at) => {
    const high = starts[at + 1];
    const [events, wait, chosen] = [all.histogram, waits, selected?.histogram ?? []].map((values) => sum(values.slice(low, high)));
    /** @type {Cellful[]} */
    const cells = [
      cell(bounds[low] ?? 0, range(bounds[low] ?? 0, bounds[high])), cell(events, quantity(events)),
      share(events, all.events), share(wait, waited),
      cell(chosen, selected ? quantity(chosen) : "-"), share(chosen, selected?.events ?? 0),
    ];
    return { cells };
  });
  return { heads: ["latency", "events", "of events", "≈ of the wait", "selected", "of selected"], rows };
}

/** @param {App} app */
function fillTables(app) {
  showTable("table-series", () => seriesTable(app));
  showTable("table-columns", () => columnsTable(app));
  showTable("table-buckets", () => bucketsTable(app));
}

/** A text as a field of CSV; one that a spreadsheet would run as a formula is made text. @param {string} text */
function csvField(text) {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

/**
 * All columns or all cells of an entry as CSV, in whole units.
 * @param {Entry} entry
 * @param {string} what "columns" or "cells"
 * @returns {string}
 */
function csvOf(entry, what) {
  const bounds = entry.head.bounds_ns;
  const time = (/** @type {number} */ column) => [startOf(entry, column), countsFromStart(entry.recording) ? "" : iso(startOf(entry, column))];
  /** @type {(string | number)[][]} */
  const lines = [["series", "start_us", "start", "covered_s", ...(what === "cells" ? ["lo_ns", "hi_ns"] : []), "events", "waited_s"]];
  for (let column = 0; column < entry.columns; column++) {
    const covered = Number(entry.covered[column].toFixed(6));
    if (what === "columns") {
      const known = entry.state[column] === DATA_COLUMN;
      lines.push([entry.head.label, ...time(column), covered, known ? entry.events[column] : "", known ? entry.waited[column] : ""]);
      continue;
    }
    for (let row = 0; row < entry.rows; row++) {
      const count = entry.counts[column * entry.rows + row];
      const waited = timeOf(entry, column, row);
      if (count > 0 || waited > 0) lines.push([entry.head.label, ...time(column), covered, ...(entry.head.averages ? ["averages", ""] : [bounds[row] ?? 0, bounds[row + 1] ?? ""]), count, waited]);
    }
  }
  return lines.map((line) => line.map((field) => csvField(String(field))).join(",") + "\n").join("");
}

/**
 * @param {App} app
 * @param {string} what
 */
function downloadCsv(app, what) {
  const { shown: entry } = app.now();
  saveCsv(csvOf(entry, what), `${entry.head.label}-${what}`);
}

/**
 * @param {string} text
 * @param {string} name
 */
function saveCsv(text, name) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = element("a", [], { href: url, download: `${name.replace(/[^\w.-]+/g, "-")}.csv` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A table as it stands in the page, as CSV. @param {HTMLTableElement} table */
function csvOfTable(table) {
  const rows = [...table.rows].map((row) => [...row.cells].map((one) => csvField(one.textContent ?? "")).join(","));
  return rows.map((row) => row + "\n").join("");
}

/** Tables that hold what they hold from the beginning, or are filled by others. */
const SHEETS = "#sections table, #who table, #compare-shifts, #compare-shares, #compare-pairs, #statistics, #differs";

/** A button with each of these tables: without scripts it would do nothing. */
function offerSheets() {
  for (const table of document.querySelectorAll(SHEETS)) {
    if (!(table instanceof HTMLTableElement)) continue;
    const region = table.closest(".scroll");
    const name = table.caption?.textContent ?? region?.getAttribute("aria-label") ?? table.id;
    const button = element("button", ["Copy as CSV"], { type: "button", class: "sheet", "aria-label": `Copy as CSV: ${name}` });
    button.addEventListener("click", () => copyFrom(button, csvOfTable(table)));
    const save = element("button", ["Download"], { type: "button", class: "sheet", "aria-label": `Download as CSV: ${name}` });
    save.addEventListener("click", () => saveCsv(csvOfTable(table), name));
    const both = element("p", [button, " ", save], { class: "sheets" });
    if (region) region.append(both);
    else table.after(both);
  }
}

/**
 * Puts a text where the reader can paste it from, and says so on the button for a moment.
 * @param {HTMLElement} button
 * @param {string} text
 */
async function copyFrom(button, text) {
  const named = button.textContent;
  // A browser that denies its clipboard to a file still copies what is selected.
  const done = await (navigator.clipboard?.writeText(text).then(() => true, () => false) ?? false) || copySelected(text);
  button.textContent = done ? "Copied" : "Not copied";
  announce(button.textContent);
  setTimeout(() => (button.textContent = named), 1_500);
}

/** @param {string} text */
function copySelected(text) {
  const field = /** @type {HTMLTextAreaElement} */ (element("textarea", [], { readonly: "", "aria-hidden": "true", class: "copied" }));
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

/** The tables whose rows are put in order by their own headings. */
const ORDERED = "#sections table, #compare-shifts, #compare-shares, #compare-pairs, #differs";

/** A heading that keys reach, too; none for an empty one. @param {string} text */
function headingButton(text) {
  return text === "" ? text : element("button", [text], { type: "button" });
}

/** Sorts a table by the column whose heading is clicked. */
function listenToHeadings() {
  for (const head of document.querySelectorAll("#sections thead th")) head.replaceChildren(headingButton(head.textContent ?? ""));
  for (const table of document.querySelectorAll(ORDERED)) {
    table.addEventListener("click", (event) => {
      const head = event.target instanceof Element ? event.target.closest("thead th") : null;
      if (head instanceof HTMLTableCellElement && table instanceof HTMLTableElement) sortBy(table, head);
    });
  }
}

/**
 * @param {HTMLTableElement} table
 * @param {HTMLTableCellElement} head
 */
function sortBy(table, head) {
  const descending = head.getAttribute("aria-sort") !== "descending";
  for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const text = (/** @type {HTMLTableRowElement} */ row) => row.cells[head.cellIndex]?.textContent ?? "";
  for (const body of table.tBodies) {
    const rows = [...body.rows].sort((one, two) => {
      const [a, b] = [valueOf(text(one)), valueOf(text(two))];
      const order = a === null || b === null ? text(one).localeCompare(text(two)) : a - b;
      return descending ? -order : order;
    });
    body.replaceChildren(...rows);
  }
}

/** What a printed number, length of time or range is worth, its lower end; null for words. @param {string} text */
function valueOf(text) {
  const units = /** @type {Record<string, number>} */ ({ "": 1, ns: 1e-9, µs: 1e-6, us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600, d: 86400, "%": 1, k: 1e3, M: 1e6, G: 1e9 });
  const plain = text.trim().replace(/^[≈<>×+]+/, "").replace("−", "-").replace(/(\d),(?=\d{3})/g, "$1");
  const long = plain.match(/^(\d+)(d|h|m)(\d+)(h|m|s)/);
  if (long) return Number(long[1]) * units[long[2]] + Number(long[3]) * units[long[4]];
  const found = plain.match(/^(-?\d+(?:\.\d+)?)(?:–[\d.]+)?\s?(ns|µs|us|ms|s|m|h|d|%|k|M|G)?(?:[\s/]|$)/);
  return found ? Number(found[1]) * units[found[2] ?? ""] : null;
}
