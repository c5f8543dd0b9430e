// The head of the page, the legends and where the data comes from.

/** @param {App} app */
function fillHeader(app) {
  const { entry, state } = app.now();
  const { head, recording } = entry;
  byId("title").textContent = app.doc.head.title;
  byId("subtitle").textContent = [head.label, recording.label === head.label ? "" : recording.label, recording.host ?? "", between(recording, head.t0_us, startOf(entry, entry.columns))]
    .filter((part) => part !== "").join(" · ");
  // A line does not end between a number and its percent sign.
  const sentences = head.sentences.map((sentence) => sentence.replaceAll(" %", "\u00a0%"));
  const own = sentences.map((sentence, index) => element("li", index > 0 ? [sentence] : [sentence, ...showIncident(app)]));
  byId("verdict").replaceChildren(...own, ...ofOthers(app));
  const about = head.exact ? "" : "≈";
  const rate = (/** @type {number} */ value) => (head.covered_s > 0 ? value / head.covered_s : 0);
  /** @type {[string, string, string][]} */
  const kpis = [
    ["events", quantity(head.events), head.outside > 0 ? `${quantity(head.outside)} outside` : ""],
    ["events/s", head.counted_s > 0 ? eventRate(head.events / head.counted_s) : "-", ""],
    ["average waiting", about + seconds(rate(head.waited_s)), ""],
    ["mean", head.mean_ns === null ? "-" : about + nanos(head.mean_ns), ""],
  ];
  for (const one of head.quantiles) {
    const point = one.hi_ns !== null && one.hi_ns > one.lo_ns * COARSE ? `≈${nanos(one.estimate_ns)}` : "";
    kpis.push([quantileName(one.q), range(one.lo_ns, one.hi_ns), one.unstable ? "⚠ too few events, or between two modes" : point]);
  }
  const list = byId("kpis");
  list.replaceChildren(...kpis.map(([name, value, note]) =>
    element("div", [element("dt", [name]), element("dd", [value, ...(note ? [element("small", [note])] : [])])])));
  Object.assign(list.dataset, { entry: String(state.entry), events: String(head.events), waitedS: String(head.waited_s), meanNs: String(head.mean_ns) });
  for (const one of head.quantiles) {
    list.dataset[`q${one.q * 1000}LoNs`] = String(one.lo_ns);
    list.dataset[`q${one.q * 1000}HiNs`] = String(one.hi_ns);
    list.dataset[`q${one.q * 1000}EstimateNs`] = String(one.estimate_ns);
  }
}

/** The most other recordings that are spoken of. */
const MOST_OTHERS = 5;

/**
 * What is foremost in the other recordings, of many in those in which the most time was waited, each with a button
 * that opens its maps.
 * @param {App} app
 * @returns {Node[]}
 */
function ofOthers(app) {
  const { recordings, entries } = app.doc.head;
  const wholes = recordings.flatMap((recording, of) => {
    const index = entries.findIndex((head) => head.recording === of);
    return index < 0 || of === app.now().entry.head.recording ? [] : [{ index, recording, head: entries[index] }];
  });
  wholes.sort((one, two) => two.head.waited_s - one.head.waited_s);
  const spoken = wholes.slice(0, MOST_OTHERS).map(({ index, recording, head }) => {
    const button = element("button", [recording.label], { type: "button", class: "value", title: "Open its maps" });
    button.addEventListener("click", () => app.update({ entry: index }));
    return element("li", [button, `: ${head.sentences[0] ?? ""}`]);
  });
  const more = wholes.length - spoken.length;
  const rest = more === 1 ? "In one more recording less time was waited." : `In ${more} more recordings less time was waited.`;
  return more > 0 ? [...spoken, element("li", [rest])] : spoken;
}

/**
 * A button that selects the time of which the first sentence speaks, if it speaks of one.
 * @param {App} app
 * @returns {(Node | string)[]}
 */
function showIncident(app) {
  const { entry, state } = app.now();
  const { changes = [], bursts = [], busiest = null } = entry.head.findings ?? {};
  const sentence = entry.head.sentences[0] ?? "";
  const found = [...(busiest ? [busiest] : []), ...changes, ...bursts].find((one) => sentence.includes(moment(entry.recording, one.start_ns / 1e3)));
  if (!found) return [];
  const column = (/** @type {number} */ ns) => (ns / 1e3 - entry.head.t0_us) / entry.head.width_us;
  const from = Math.min(Math.max(Math.floor(column(found.start_ns)), 0), entry.columns - 1);
  const to = found.end_ns === null ? entry.columns : Math.min(Math.max(Math.ceil(column(found.end_ns)), from + 1), entry.columns);
  const selection = { from, to, low: 0, high: entry.rows };
  const button = element("button", ["compare with the time before"], { type: "button", class: "value", title: "Select this time on the maps, with statistics, the time before, and what differs in it" });
  button.addEventListener("click", () => {
    app.update({ view: state.view[0] <= from && to <= state.view[1] ? state.view : [0, entry.columns], selection });
    byId("panes").scrollIntoView({ block: "start" });
    announce(selectionText(app));
  });
  const why = inThisTime(entry, selection);
  return [element("p", [...(why ? [`${why} `] : []), "→ ", button], { class: "why" })];
}

/** The most attributes that are said to differ in the time of the incident. */
const MOST_WHY = 2;

/**
 * What the events of a time have more often than the rest.
 * @param {Entry} entry
 * @param {Region} region
 * @returns {string} empty where nothing differs
 */
function inThisTime(entry, region) {
  if (entry.facets.length === 0 || region.to - region.from === entry.columns) return "";
  const { rows, exact } = whatDiffers(entry, region);
  const more = rows.filter((row) => row.z > 0).slice(0, MOST_WHY);
  const parts = more.map((row) => {
    const about = aboutDifference(row, exact, " %");
    return `${row.key}=${row.value} has ${about(row.inside)} of its ${row.ofTime ? "time waited" : "events"} (elsewhere ${about(row.rest)})`;
  });
  return parts.length > 0 ? `${parts.join(", ")}.` : "";
}

/**
 * Each colour with the value it begins at.
 * @param {App} app
 * @param {MapKind} kind
 */
function fillLegend(app, kind) {
  const { entry, state } = app.now();
  const legend = mapLegend(app, kind);
  const about = kind === "intensity" && !entry.head.exact ? "≈" : "";
  const ramp = rampOf(state.palette, app.dark, kind);
  const item = (/** @type {string} */ text, /** @type {string} */ name, /** @type {string} */ colour) => {
    const swatch = element("i", [], { class: name });
    if (colour) swatch.style.background = `#${colour}`;
    return element("li", [swatch, text]);
  };
  const items = [item("none", "zero", ""), item(`<${quantity(legend.steps[0])}`, "", ramp[0])];
  legend.steps.forEach((from, step) => items.push(item((step === 0 ? "≥" : "") + quantity(from), "", ramp[step + 1])));
  const ends = kind === "intensity" && entry.unplaced ? " s of waits ended per second" : "";
  items.push(element("li", [`max ${about}${quantity(legend.highest)}${ends} · ${legend.scale}`]));
  if (entry.state.some((one) => one !== DATA_COLUMN && one !== RESET_COLUMN)) items.push(item("no data", "hatch", ""));
  if (entry.state.includes(RESET_COLUMN)) items.push(item("reset", "reset", ""));
  if (kind === "intensity" && entry.unplaced) items.push(item(`waits longer than ${span(entry.head.width_us)}, drawn where they end`, "dot", ""));
  byId(`legend-${kind}`).replaceChildren(...items);
}

/** @param {App} app */
function fillProvenance(app) {
  const { head } = app.doc;
  const parts = head.recordings.map((recording) => {
    const counts = Object.entries(recording.input).filter(([name, count]) => count !== 0 || name === "rejected");
    const input = counts.map(([name, count]) => `${grouped(count)} ${name.replace(/_/g, " ")}`);
    /** @type {[string, string | null][]} */
    const rows = [
      ["source", recording.source], ["host", recording.host], ["command", recording.command],
      ["time", between(recording, recording.start_us, recording.end_us)], ["clock", recording.clock],
      ["read", input.join(", ")], ["left out", recording.left_out ?? null],
      ["windows", recording.windows_told ?? null], ["assumed", (recording.assumed ?? []).join("; ") || null], ["isotherm", recording.isotherm_version],
      ["bytes", recording.bytes === null ? null : grouped(recording.bytes)], ["sha256", recording.sha256],
    ];
    const known = rows.filter(([, value]) => value);
    const list = element("dl", known.flatMap(([name, value]) => [element("dt", [name]), element("dd", [value ?? ""])]));
    return element("div", [element("h3", [recording.label]), list], { class: "recording" });
  });
  const missing = head.not_drawn;
  if (missing.length > 0) {
    const rows = missing.map((one) => element("li", [`${one.label}: ${grouped(one.events)} events, waited ${timeWaited(one.waited_s * 1e9)}`]));
    const all = `Not drawn: ${missing.length} series, ${grouped(sum(missing.map((one) => one.events)))} events`;
    parts.push(element("details", [element("summary", [all]), element("ul", rows)], { id: "not-drawn" }));
  }
  byId("provenance").replaceChildren(byId("provenance-title"), ...parts);
  byId("made").textContent = `${head.generator}${head.command ? ` · ${head.command}` : ""}`;
}
