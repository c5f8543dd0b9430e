// One graph of the page: its choices, picture, read-out, table and CSV.

/**
 * @param {AwrApp} app
 * @param {AwrGraph} graph
 * @param {AwrTable} table
 * @returns {AwrPane}
 */
function awrPane(app, graph, table) {
  const measures = graph.measures.map((measure, at) => ({ measure, at })).filter(({ measure }) => isKnown(table, measure.top) && isKnown(table, measure.bottom ?? []));
  const labels = [...new Set(table.members.flatMap((_, member) => memberLabel(graph, table, member) ?? []))];
  const first = measures[0]?.at ?? 0;
  const single = graph.one || graph.style === "heat";
  /** @type {AwrChoice} */
  const choice = { measure: first, split: graph.one ? "instance" : "member", only: single ? labels[0] ?? "" : "" };
  const select = (/** @type {string} */ name, /** @type {[string, string][]} */ options, /** @type {string} */ value, /** @type {(value: string) => void} */ set) => {
    const made = /** @type {HTMLSelectElement} */ (element("select", options.map(([key, text]) => element("option", [text], { value: key }))));
    made.value = value;
    made.addEventListener("change", () => (set(made.value), app.renderPane(pane)));
    return element("label", [`${name} `, made]);
  };
  const choices = [];
  if (measures.length > 1) choices.push(select("Show", measures.map(({ measure, at }) => [String(at), `${measure.name} (${measure.unit})`]), String(first), (value) => (choice.measure = Number(value))));
  const what = table.keys[0].replace(/_/g, " ");
  if (labels.length > 1) choices.push(select("of", [...(single ? [] : /** @type {[string, string][]} */ ([["", "all"]])), .../** @type {[string, string][]} */ (labels.map((label) => [label, label]))], choice.only, (value) => (choice.only = value)));
  if (graph.style !== "heat" && app.doc.instances.length > 1) choices.push(select("split by", [["member", what], ["instance", "instance"]], choice.split, (value) => (choice.split = value)));
  const picture = element("div", [], { class: "picture", tabindex: "0", role: "application", "aria-label": graph.title });
  const readout = element("p", [], { class: "readout", "aria-live": "off" });
  const legend = element("ol", [], { class: "legend", "aria-label": "Colours" });
  const sheet = /** @type {HTMLTableElement} */ (element("table", [element("thead", []), element("tbody", [])]));
  const heading = element("h2", [graph.title, " ", element("small", [])]);
  const copy = element("button", ["Copy as CSV"], { type: "button", "aria-label": `Copy as CSV: ${graph.title}` });
  const save = element("button", ["Download"], { type: "button", "aria-label": `Download as CSV: ${graph.title}` });
  const region = element("details", [element("summary", ["Numbers"]), element("div", [sheet], { class: "scroll", role: "region", "aria-label": `${graph.title}: numbers`, tabindex: "0" }), element("p", [copy, " ", save], { class: "sheets" })]);
  const section = element("section", [heading, element("p", choices, { class: "choices" }), picture, readout, legend, region], { class: "graph", id: graph.id });
  /** @type {AwrPane} */
  const pane = { graph, table, choice, section, picture, readout, legend, sheet, small: /** @type {HTMLElement} */ (heading.querySelector("small")), result: null, frame: null, cursor: -1, csv: "", known: measures.length > 0 };
  copy.addEventListener("click", () => copyFrom(copy, pane.csv));
  save.addEventListener("click", () => saveCsv(pane.csv, `awr-${graph.id}`));
  return pane;
}

/** Whether a table has numbers in one of these columns. @param {AwrTable} table @param {string[]} names */
function isKnown(table, names) {
  return names.every((name) => table.columns[table.values.indexOf(name)]?.some((value) => Number.isFinite(value)));
}

/**
 * Draws a graph anew.
 * @param {AwrApp} app
 * @param {AwrPane} pane
 */
function renderAwrPane(app, pane) {
  const { graph, choice } = pane;
  const width = Math.max(pane.picture.clientWidth, 200);
  const measure = graph.measures[choice.measure];
  pane.cursor = -1;
  pane.readout.textContent = "";
  if (!pane.known) {
    pane.picture.replaceChildren(element("p", ["The files have no numbers for it."], { class: "missing" }));
    return;
  }
  if (graph.style === "heat") return renderHeat(app, pane, width);
  const result = awrResult(app.doc, graph, pane.table, app.bins, choice, app.state.instance);
  pane.result = result;
  pane.small.textContent = `${measure.unit}${choice.only ? ` · ${choice.only}` : ""}`;
  if (result.series.length === 0) {
    pane.picture.replaceChildren(element("p", ["Nothing is known of this part of the time."], { class: "missing" }));
  } else {
    pane.frame = app.state.layout === "week" ? weekGrid(app, pane, result, width) : addsUp(graph, measure) ? drawStack(graph, result, width) : drawTrends(graph, result, width);
    pane.picture.replaceChildren(pane.frame.svg);
  }
  fillLegend(app, pane, result);
  fillNumbers(pane, result);
  pane.csv = awrCsv(result);
}

/**
 * Hours of the day across, days of the week down: of all lines together, or of the largest where
 * lines are no parts of a whole.
 * @param {AwrApp} app
 * @param {AwrPane} pane
 * @param {AwrResult} result
 * @param {number} width
 */
function weekGrid(app, pane, result, width) {
  const line = addsUp(pane.graph, result.measure) || result.measure.bottom ? result.total : result.series[0];
  if (line !== result.total) pane.small.textContent += ` · ${line.label}`;
  const labels = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`);
  const at = (/** @type {number} */ row, /** @type {number} */ column) => line.values[(6 - row) * 24 + column];
  return drawGrid(result, { rows: [...WEEKDAYS].reverse(), at, columns: 24, labels, starts: [] }, width, rampOf("auto", app.dark, "frequency"));
}

/**
 * @param {AwrApp} app
 * @param {AwrPane} pane
 * @param {number} width
 */
function renderHeat(app, pane, width) {
  const { graph, table, choice } = pane;
  const intensity = choice.measure === 1;
  const bounds = [...new Set(table.members.flatMap((keys) => (keys[0] === choice.only ? [keys[2]] : [])))].map(Number).sort((a, b) => a - b);
  const ofEvent = { ...table, members: table.members.map((keys) => (keys[0] === choice.only ? [String(Number(keys[2]))] : [""])) };
  const called = Object.fromEntries(bounds.map((bound) => [String(bound), String(bound)]));
  const result = awrResult(app.doc, { ...graph, names: called }, ofEvent, app.bins, { ...choice, measure: 0, split: "member", only: "" }, app.state.instance);
  if (result.series.length === 0) return;
  const lines = new Map(result.series.map((line) => [line.label, line]));
  const none = { ...result.total, mean: 0, values: result.total.values.map((value) => value * 0) };
  const buckets = bounds.map(awrBucket);
  // A wait is taken to be in the middle of its bucket, or where it begins if it has no end.
  const weight = (/** @type {number} */ row) => (intensity ? ((buckets[row][0] + (buckets[row][1] ?? buckets[row][0])) / 2) * 1e-3 : 1);
  const names = buckets.map(([from, to]) => range(from * 1e6, to === null ? null : to * 1e6));
  const series = bounds.map((bound, row) => {
    const line = lines.get(String(bound)) ?? none;
    return { ...line, label: names[row], values: line.values.map((value) => value * weight(row)), mean: line.mean * weight(row) };
  });
  const covered = (/** @type {number} */ column) => series.some((line) => Number.isFinite(line.values[column]));
  const at = (/** @type {number} */ row, /** @type {number} */ column) => (covered(column) ? series[row].values[column] || 0 : NaN);
  const grid = { rows: names, at, columns: result.labels.length, labels: result.labels, starts: result.starts };
  pane.result = { ...result, series: [...series].reverse(), measure: graph.measures[choice.measure] };
  pane.frame = drawGrid(result, grid, width, rampOf("auto", app.dark, intensity ? "intensity" : "frequency"));
  pane.small.textContent = `${graph.measures[choice.measure].unit} · ${choice.only}`;
  pane.picture.replaceChildren(pane.frame.svg);
  fillLegend(app, pane, pane.result);
  fillNumbers(pane, pane.result);
  pane.csv = awrCsv(pane.result);
}

/**
 * @param {AwrApp} app
 * @param {AwrPane} pane
 * @param {AwrResult} result
 */
function fillLegend(app, pane, result) {
  const swatch = (/** @type {string} */ colour) => shape("svg", { width: 12, height: 10, class: colour }, [shape("rect", { width: 12, height: 10, fill: "currentColor" })]);
  const legend = pane.frame?.legend;
  if (legend) {
    const ramp = rampOf("auto", app.dark, pane.graph.style === "heat" && pane.choice.measure === 1 ? "intensity" : "frequency");
    const steps = legend.steps.map((from, step) => element("li", [shape("svg", { width: 12, height: 10 }, [shape("rect", { width: 12, height: 10, fill: `#${ramp[step + 1]}` })]), ` ${seconds(from)}`]));
    return pane.legend.replaceChildren(element("li", ["from"]), ...steps);
  }
  const items = drawnLines(pane.graph, result).map(({ line, colour }) => element("li", [swatch(`a${colour}`), ` ${line.label} `, element("span", [seconds(line.mean)])]));
  if (result.gaps.some((gap) => gap > 0)) items.push(element("li", [element("i", [], { class: "hatch" }), " not known of every instance"]));
  pane.legend.replaceChildren(...items);
}

/**
 * @param {AwrPane} pane
 * @param {AwrResult} result
 */
function fillNumbers(pane, result) {
  const number = (/** @type {number} */ value) => (Number.isFinite(value) ? seconds(value) : "-");
  const all = !addsUp(pane.graph, result.measure) || result.series.length < 2 ? [] : [{ ...result.total, label: "together" }];
  const rows = [...result.series, ...all].map((line) => {
    const most = line.values[line.highest];
    return [line.label, number(line.mean), number(most), Number.isFinite(most) ? result.labels[line.highest] : "-"];
  });
  fillTable(pane.sheet, [pane.table.keys[0].replace(/_/g, " "), `mean, ${result.measure.unit}`, "highest", "at"], rows);
}

/**
 * What the bin under the cursor holds.
 * @param {AwrPane} pane
 */
function readPane(pane) {
  const { result, frame, cursor } = pane;
  frame?.svg.querySelector(".cursor")?.remove();
  if (!result || !frame || cursor < 0) return;
  const lines = result.series.filter((line) => line.values[cursor] > 0).sort((a, b) => b.values[cursor] - a.values[cursor]);
  const parts = lines.slice(0, 5).map((line) => `${line.label} ${seconds(line.values[cursor])}`);
  const sum = !addsUp(pane.graph, result.measure) ? "" : ` ${seconds(result.series.reduce((all, line) => all + (line.values[cursor] || 0), 0))} ${result.measure.unit}:`;
  pane.readout.textContent = `${result.labels[cursor]}${sum} ${parts.join(" · ") || (result.gaps[cursor] ? "not known" : "nothing")}`;
  if (result.starts.length > 0 || !frame.legend) {
    const x = place((frame.x(cursor) + frame.x(cursor + 1)) / 2);
    frame.svg.append(shape("line", { class: "cursor", x1: x, x2: x, y1: frame.box.y, y2: frame.box.y + frame.box.height }));
  }
}
