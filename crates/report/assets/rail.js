// The panes at the side: cursor, histogram, statistics, what differs, marks.

/**
 * What the cursor is on, in words.
 * @param {App} app
 * @returns {string}
 */
function readoutText(app) {
  const { shown: entry, state } = app.now();
  if (!state.cursor) return "Move over a map, or use the arrow keys on it.";
  const { column, row } = state.cursor;
  const time = moment(entry.recording, startOf(entry, column), entry.head.width_us < 1e6);
  if (entry.state[column] !== DATA_COLUMN) {
    return `${time} · ${entry.state[column] === RESET_COLUMN ? "counters were reset" : "no data"}`;
  }
  const bounds = entry.head.bounds_ns;
  const count = entry.counts[column * entry.rows + row];
  const [covered, counted] = [entry.covered[column] || 1, lengthsOf(entry, "frequency")[column] || 1];
  const waited = timeOf(entry, column, row);
  const about = entry.head.exact ? "" : "≈";
  const parts = [time, range(bounds[row] ?? 0, bounds[row + 1])];
  const events = entry.events[column];
  parts.push(`${eventRate(count / counted)}/s (${aboutShare(events > 0 ? count / events : 0, true, " %")} of its events)`);
  const share = entry.waited[column] > 0 ? waited / entry.waited[column] : 0;
  parts.push(`${about}${seconds(waited / covered)} waiting (${aboutShare(share, entry.head.exact, " %")} of the wait)`);
  if (isUnplaced(entry, { from: column, to: column + 1, low: row, high: row + 1 })) {
    const part = Math.min(entry.unplaced?.[column] ?? 0, 1);
    parts.push(`partly waited before: ${aboutShare(part, true, " %")} of the wait in this column is of events longer than ${span(entry.head.width_us)}`);
  }
  if (entry.head.averages) parts.push(`mean ${about}${nanos(events > 0 ? (entry.latency[column] / events) * 1e9 : 0)}`);
  else if (count > 0 && events > 0) {
    const base = column * entry.rows;
    const below = sum(entry.counts.subarray(base, base + row)) / events;
    parts.push(`p${fixed(100 * below, 0)}–p${fixed(100 * (below + count / events), 0)}`);
  }
  if (entry.peaks && count > 0) {
    parts.push(`at most ${quantity(entry.peaks[column * entry.rows + row])} in ${span(entry.head.native_us)}`);
  }
  return parts.join(" · ");
}

/**
 * Events to the right and time waited to the left of a latency axis, at the cursor; of the window
 * without one.
 * @param {App} app
 * @param {HTMLCanvasElement} canvas
 */
function drawHistogram(app, canvas) {
  const sheet = sheetOf(app, canvas);
  const { pen } = sheet;
  const { shown: entry, state, window: all } = app.now();
  const ink = inkOf(app);
  if (entry.head.averages) {
    pen.fillStyle = ink.muted;
    pen.textAlign = "center";
    pen.fillText(AVERAGES_ONLY, sheet.width / 2, sheet.height / 2);
    return describe(canvas, AVERAGES_ONLY);
  }
  const bounds = entry.head.bounds_ns;
  const gap = 58;
  const half = (sheet.width - gap) / 2;
  const box = { x: 0, y: 18, width: sheet.width, height: sheet.height - 22 };
  const column = state.cursor?.column;
  const now = column === undefined ? all.histogram : histogramOf(entry, column, column + 1);
  const allWaited = timesOf(entry, ...state.view);
  const waited = column === undefined ? allWaited : timesOf(entry, column, column + 1);
  pen.fillStyle = ink.muted;
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  pen.fillText("time waited", half, 7);
  pen.textAlign = "left";
  pen.fillText("events", half + gap, 7);
  pen.textAlign = "center";
  for (const tick of latencyTicks(bounds, box.height, 15)) {
    pen.fillText(tick.text, half + gap / 2, box.y + box.height * (1 - tick.place));
  }
  const places = edgePlaces(bounds);
  /** @type {(values: Float64Array, left: boolean, draw: (x: number, y: number, long: number, high: number) => void) => void} */
  const bars = (values, left, draw) => {
    const most = values.reduce((one, two) => Math.max(one, two), 0) || 1;
    values.forEach((value, row) => {
      const long = (value / most) * (half - 2);
      draw(left ? half - long : half + gap, box.y + box.height * (1 - places[row + 1]), long, (places[row + 1] - places[row]) * box.height);
    });
  };
  /** @type {(x: number, y: number, long: number, high: number) => void} */
  const solid = (x, y, long, high) => {
    if (long > 0) pen.fillRect(x, y, Math.max(long, 1), Math.max(high - 0.5, 1));
  };
  pen.fillStyle = ink.warm;
  bars(waited, true, solid);
  pen.fillStyle = ink.accent;
  bars(now, false, solid);
  pen.lineWidth = 1;
  pen.strokeStyle = ink.ink;
  pen.globalAlpha = column === undefined ? 0 : 0.75;
  for (const left of [true, false]) {
    pen.beginPath();
    bars(left ? allWaited : all.histogram, left, (x, y, long, high) => {
      pen.lineTo(left ? x : x + long, y + high);
      pen.lineTo(left ? x : x + long, y);
    });
    pen.stroke();
  }
  pen.globalAlpha = 1;
  describe(canvas, column === undefined ? "Histogram of the window" : `Histogram at the cursor, the outline is the window: ${readoutText(app)}`);
}

/**
 * The rows of the statistics table: name, and how to print a region's value and a ratio.
 * @param {App} app
 * @returns {[string, (of: Statistics) => string, (of: Statistics) => number | null][]}
 */
function statisticRows(app) {
  const about = app.now().entry.head.exact && !app.now().state.filter ? "" : "≈";
  const per = (/** @type {number} */ value, /** @type {Statistics} */ of) => (of.covered > 0 ? value / of.covered : 0);
  const rate = (/** @type {Statistics} */ of) => (of.counted > 0 ? of.events / of.counted : 0);
  /** @type {[string, (of: Statistics) => string, (of: Statistics) => number | null][]} */
  const rows = [
    ["events", (of) => quantity(of.events), () => null],
    ["events/s", (of) => eventRate(rate(of)), rate],
    ["waited", (of) => about + timeWaited(of.waited * 1e9), () => null],
    ["waiting", (of) => `${about}${seconds(per(of.waited, of))}`, (of) => per(of.waited, of)],
    ["mean", (of) => (of.events > 0 ? `${about}${nanos((of.latency / of.events) * 1e9)}` : "-"), (of) => (of.events > 0 ? of.latency / of.events : null)],
  ];
  QUANTILES.forEach((q, index) => {
    const text = (/** @type {Statistics} */ of) => {
      const quantile = of.quantiles[index];
      return quantile ? range(quantile.lo, quantile.hi) : "-";
    };
    rows.push([quantileName(q), text, (of) => of.quantiles[index]?.estimate ?? null]);
  });
  return rows;
}

/**
 * The same latencies in the time just before a selection, as long as it or as much as there is.
 * @param {App} app
 * @returns {Statistics | null} null without a selection, or where nothing is known of that time
 */
function timeBefore(app) {
  const { shown, state, entryKey } = app.now();
  const { selection } = state;
  if (!selection || selection.from === 0) return null;
  const from = Math.max(2 * selection.from - selection.to, 0);
  const before = app.memo("before", `${entryKey} ${Object.values(selection)}`, () => statisticsOf(shown, { ...selection, from, to: selection.from }));
  return before.covered > 0 ? before : null;
}

/** @param {App} app */
function fillStatistics(app) {
  const { window: all, selected } = app.now();
  const before = timeBefore(app);
  const rows = statisticRows(app).map(([name, text, value]) => {
    if (!selected) return [name, text(all)];
    const [one, two] = [value(selected), before ? value(before) : null];
    const ratio = one !== null && two && before ? `${/[≈–<>]/.test(text(before)) ? "≈" : ""}×${quantity(one / two)}` : "";
    return [name, text(selected), before ? text(before) : "–", ratio];
  });
  const table = byId("statistics");
  fillTable(table, selected ? ["statistic", "here", "before", "ratio"] : ["statistic", "window"], rows);
  const put = (/** @type {string} */ name, /** @type {Statistics | null} */ of) => {
    table.dataset[`${name}Events`] = of ? String(of.events) : "";
    table.dataset[`${name}WaitedS`] = of ? String(of.waited) : "";
    for (const quantile of of ? of.quantiles : []) {
      if (!quantile) continue;
      table.dataset[`${name}Q${quantile.q * 1000}LoNs`] = String(quantile.lo);
      table.dataset[`${name}Q${quantile.q * 1000}HiNs`] = String(quantile.hi);
      table.dataset[`${name}Q${quantile.q * 1000}EstimateNs`] = String(quantile.estimate);
    }
  };
  put("window", all);
  put("selection", selected);
  put("before", before);
  byId("selected").replaceChildren(selectionText(app), ...mostDifferent(app));
}

/**
 * The selection in words.
 * @param {App} app
 * @returns {string}
 */
function selectionText(app) {
  const { shown: entry, state, selected } = app.now();
  if (!selected || !state.selection) return "Nothing is selected: drag a rectangle on a map, or hold Shift and use the arrow keys.";
  const { from, to, low, high } = state.selection;
  const bounds = entry.head.bounds_ns;
  const times = `${moment(entry.recording, startOf(entry, from))} to ${moment(entry.recording, startOf(entry, to))}`;
  const share = (/** @type {number} */ one, /** @type {number} */ of) => (of > 0 ? one / of : 0);
  const [events, waited] = [share(selected.events, selected.columnEvents), share(selected.waited, selected.columnWaited)];
  return `${times} × ${range(bounds[low] ?? 0, bounds[high])}: ${aboutShare(events, true, " %")} of the events of that time, ${aboutShare(waited, entry.head.exact, " %")} of its wait.`;
}

/**
 * What tells the selected events from the others most, as a sentence.
 * @param {App} app
 * @returns {Node[]}
 */
function mostDifferent(app) {
  const found = differencesOf(app);
  const first = found?.rows[0];
  if (!found || !first) return [];
  const about = aboutDifference(first, found.exact, " %");
  const only = first.z > 0 ? "" : "only ";
  const what = first.ofTime ? "of its time waited" : "of its events";
  return [element("span", [` ${only}${about(first.inside)} ${what} ${first.ofTime ? "is of" : "have"} `, element("b", [`${first.key}=${first.value}`]), `, elsewhere ${about(first.rest)}.`])];
}

/**
 * Writes a share of a difference: those of the time are estimates, as are those of parts of tiles.
 * @param {Difference} row
 * @param {boolean} exact
 * @param {string} [unit]
 */
const aboutDifference = (row, exact, unit = "%") => (/** @type {number} */ share) => aboutShare(share, exact && !row.ofTime, unit);

/** How many differing values are listed, on a screen and on paper. */
const MOST_DIFFERENCES = 12;
const PRINTED_DIFFERENCES = 6;

/**
 * @param {App} app
 * @returns {{ rows: Difference[], exact: boolean } | null}
 */
function differencesOf(app) {
  const { entry, state } = app.now();
  const selection = state.selection;
  if (!selection || entry.facets.length === 0) return null;
  const key = `${state.entry} ${Object.values(selection)}`;
  return app.memo("differs", key, () => whatDiffers(entry, selection));
}

/** @param {App} app */
function fillDifferences(app) {
  const { entry, state } = app.now();
  const found = differencesOf(app);
  const [note, table] = [byId("differs-note"), byId("differs")];
  table.hidden = !found || found.rows.length === 0;
  if (!found) {
    note.textContent = entry.facets.length === 0 ? "This series has no attributes to compare." : "Select a region to see which attributes are more frequent in it than elsewhere.";
    return;
  }
  note.textContent =
    found.rows.length === 0
      ? "No value's share of the events or of the time waited in the selection differs noticeably from that of the rest."
      : `Shares of events inside and outside, or of the time waited where that tells more. ${found.exact ? "" : `≈ Attributes are kept for every ${span(entry.head.width_us * entry.head.tile_columns)} and octave; parts of these are in proportion. `}Choose one to filter the maps.`;
  const rows = found.rows.slice(0, app.printing ? PRINTED_DIFFERENCES : MOST_DIFFERENCES).map((row) => {
    const chosen = state.filter?.key === row.key && state.filter.value === row.value;
    const button = element("button", [`${row.key}=`, element("b", [row.value])], { type: "button", class: "value", "aria-pressed": String(chosen) });
    button.addEventListener("click", () => app.update({ filter: chosen ? null : { key: row.key, value: row.value } }));
    const about = aboutDifference(row, found.exact);
    return [button, about(row.inside), about(row.rest), `${row.z > 0 ? "+" : "−"}${quantity(Math.abs(row.z))}`, row.ofTime ? "time waited" : "events"];
  });
  fillTable(table, ["attribute", "selection", "rest", "z", "share of"], rows);
}

/**
 * Selection and what differs, as one says it.
 * @param {App} app
 * @returns {string}
 */
function explanation(app) {
  const found = differencesOf(app);
  const first = (found?.rows ?? []).slice(0, 3).map((row) => `${row.key}=${row.value}: ${aboutShare(row.inside, true, " %")}${row.ofTime ? " of the time" : ""} inside, ${aboutShare(row.rest, true, " %")} outside`);
  return [selectionText(app), ...first].join(" ");
}

/** @param {App} app */
function fillMarks(app) {
  const { entry } = app.now();
  const marks = entry.recording.marks;
  byId("marks-pane").hidden = marks.length === 0;
  const items = marks.map((mark, index) => {
    const column = Math.floor((mark.at_us - entry.head.t0_us) / entry.head.width_us);
    const text = `${markName(index)} ${moment(entry.recording, mark.at_us)} ${mark.text}`;
    if (column < 0 || column >= entry.columns) return element("li", [`${text} (outside this series)`]);
    const button = element("button", [text], { type: "button", class: "value" });
    button.addEventListener("click", () => app.update({ cursor: { column, row: app.now().state.cursor?.row ?? 0 } }));
    return element("li", [button]);
  });
  byId("marks").replaceChildren(...items);
}
