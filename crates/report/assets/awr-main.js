// Starts the page of AWR's history: one state for all graphs, and each drawn of it.

/**
 * @param {AwrDocument} doc
 * @returns {AwrApp}
 */
function awrApp(doc) {
  const most = (/** @type {number[]} */ values, /** @type {(a: number, b: number) => number} */ of) => values.reduce((one, other) => of(one, other), values[0] ?? 0);
  /** @type {[number, number]} */
  const whole = [most(doc.intervals.start_us, Math.min), most(doc.intervals.end_us, Math.max)];
  /** @type {AwrState} */
  const state = { instance: -1, range: whole, layout: "time", zone: 0 };
  /** @type {AwrApp} */
  const app = {
    doc, whole, state, panes: [], bins: awrBins(doc, state), dark: matchMedia("(prefers-color-scheme: dark)").matches,
    update(change) {
      Object.assign(state, change);
      app.bins = awrBins(doc, state);
      fillControls(app);
      app.panes.forEach((pane) => renderAwrPane(app, pane));
    },
    renderPane: (pane) => renderAwrPane(app, pane),
  };
  return app;
}

/**
 * The days of the whole time, in the chosen zone.
 * @param {AwrApp} app
 * @returns {number[]}
 */
function daysOf({ whole, state }) {
  const shift = state.zone * HOUR_US;
  const days = [];
  for (let day = Math.floor((whole[0] + shift) / DAY_US) * DAY_US - shift; day < whole[1]; day += DAY_US) days.push(day);
  return days;
}

/** @param {AwrApp} app */
function fillControls(app) {
  const { state, doc, whole } = app;
  const fill = (/** @type {string} */ id, /** @type {[string, string][]} */ options, /** @type {string} */ value) => {
    const select = /** @type {HTMLSelectElement} */ (byId(id));
    select.replaceChildren(...options.map(([key, text]) => element("option", [text], { value: key })));
    select.value = value;
  };
  const stamp = (/** @type {number} */ us) => iso(us + state.zone * HOUR_US).slice(0, 16).replace("T", " ");
  const days = daysOf(app);
  const options = (/** @type {number[]} */ moments, /** @type {number} */ now) => [...new Set([...moments, now])].sort((a, b) => a - b).map((us) => /** @type {[string, string]} */ ([String(us), stamp(us)]));
  fill("from", options([whole[0], ...days.filter((day) => day > whole[0])], state.range[0]), String(state.range[0]));
  fill("to", options([...days.filter((day) => day > whole[0]), whole[1]], state.range[1]), String(state.range[1]));
  fill("instance", [["-1", "all"], ...doc.instances.map((name, at) => /** @type {[string, string]} */ ([String(at), name]))], String(state.instance));
  fill("layout", [["time", "time"], ["week", "hour of day × day of week"], ["hour", "hour of day"], ["day", "day of week"]], state.layout);
  const zones = Array.from({ length: 27 }, (_, at) => at - 12).map((hours) => /** @type {[string, string]} */ ([String(hours), hours === 0 ? "UTC" : `UTC${hours > 0 ? "+" : "−"}${Math.abs(hours)}`]));
  fill("zone", doc.utc ? zones : [["0", "the host's clock"]], String(state.zone));
  /** @type {HTMLButtonElement} */ (byId("all")).disabled = state.range[0] === whole[0] && state.range[1] === whole[1];
}

/** @param {AwrApp} app */
function listenToControls(app) {
  const on = (/** @type {string} */ id, /** @type {(value: string) => void} */ set) => byId(id).addEventListener("change", (event) => set(/** @type {HTMLSelectElement} */ (event.target).value));
  on("instance", (value) => app.update({ instance: Number(value) }));
  on("layout", (value) => app.update({ layout: value }));
  on("zone", (value) => app.update({ zone: Number(value) }));
  on("from", (value) => chooseTime(app, Number(value), Math.max(app.state.range[1], Number(value) + 1)));
  on("to", (value) => chooseTime(app, Math.min(app.state.range[0], Number(value) - 1), Number(value)));
  byId("all").addEventListener("click", () => chooseTime(app, ...app.whole));
}

/**
 * @param {AwrApp} app
 * @param {number} from
 * @param {number} to
 */
function chooseTime(app, from, to) {
  const [first, last] = app.whole;
  const range = /** @type {[number, number]} */ ([Math.max(from, first), Math.min(to, last)]);
  if (range[1] - range[0] < 60e6) return;
  app.update({ range });
  const [start, end] = range.map((at) => iso(at + app.state.zone * HOUR_US).slice(0, 16));
  announce(`${start} to ${end}`);
}

/**
 * A button beside the first sentence: half a day before what it speaks of, and half a day after.
 * @param {AwrApp} app
 */
function offerBusiest(app) {
  const busiest = app.doc.busiest_us;
  const sentence = document.querySelector("#verdict > li");
  if (!busiest || !sentence) return;
  const button = element("button", ["Show this time"], { type: "button" });
  button.addEventListener("click", () => chooseTime(app, busiest[0] - 12 * HOUR_US, busiest[1] + 12 * HOUR_US));
  sentence.append(" ", button);
}

/**
 * The mouse and the keys on a picture.
 * @param {AwrApp} app
 * @param {AwrPane} pane
 */
function listenToPane(app, pane) {
  const { picture } = pane;
  /** @type {number | null} */
  let pressed = null;
  const binAt = (/** @type {PointerEvent} */ event) => {
    const { frame, result } = pane;
    if (!frame || !result) return -1;
    const columns = app.state.layout === "week" && frame.legend && pane.graph.style !== "heat" ? 24 : result.labels.length;
    const share = (event.clientX - picture.getBoundingClientRect().left - frame.box.x) / frame.box.width;
    const bin = Math.floor(share * columns);
    if (columns === 24 && result.labels.length === 168) {
      const row = Math.floor(((event.clientY - picture.getBoundingClientRect().top - frame.box.y) / frame.box.height) * 7);
      return bin >= 0 && bin < 24 && row >= 0 && row < 7 ? row * 24 + bin : -1;
    }
    return Math.min(Math.max(bin, 0), columns - 1);
  };
  picture.addEventListener("pointermove", (event) => {
    pane.cursor = binAt(event);
    readPane(pane);
    if (pressed !== null) showChosen(pane, pressed, pane.cursor);
  });
  picture.addEventListener("pointerdown", (event) => {
    pressed = event.button === 0 && app.state.layout === "time" && event.pointerType !== "touch" ? binAt(event) : null;
    if (pressed !== null) picture.setPointerCapture(event.pointerId);
  });
  picture.addEventListener("pointerup", (event) => {
    const [from, to] = [pressed, binAt(event)];
    pressed = null;
    if (from === null || to < 0 || from === to) return;
    const { starts, lengths } = app.bins;
    const last = Math.max(from, to);
    chooseTime(app, starts[Math.min(from, to)], starts[last] + lengths[last]);
  });
  picture.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return chooseTime(app, ...app.whole);
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0 || !pane.result) return;
    event.preventDefault();
    pane.cursor = Math.min(Math.max(pane.cursor + step, 0), pane.result.labels.length - 1);
    readPane(pane);
    announce(pane.readout.textContent ?? "");
  });
}

/** @param {AwrPane} pane @param {number} from @param {number} to */
function showChosen({ frame }, from, to) {
  if (!frame) return;
  frame.svg.querySelector(".chosen")?.remove();
  const [low, high] = [frame.x(Math.min(from, to)), frame.x(Math.max(from, to) + 1)];
  frame.svg.append(shape("rect", { class: "chosen", x: place(low), width: place(high - low), y: frame.box.y, height: frame.box.height }));
}

async function startAwr() {
  const doc = /** @type {AwrDocument} */ (JSON.parse(new TextDecoder().decode(await unpacked("isotherm-data"))));
  const tables = new Map(doc.tables.map((packed) => [packed.kind, awrTable(packed)]));
  const app = awrApp(doc);
  document.querySelectorAll("noscript").forEach((one) => one.remove());
  byId("report").hidden = false;
  byId("made").textContent = doc.made;
  for (const graph of AWR_GRAPHS) {
    const table = tables.get(graph.kind);
    if (!table || !table.members.some((_, member) => memberLabel(graph, table, member) !== null)) continue;
    const pane = awrPane(app, graph, table);
    app.panes.push(pane);
    byId("graphs").append(pane.section);
    byId("contents").append(element("a", [graph.title], { href: `#${graph.id}` }));
    listenToPane(app, pane);
  }
  listenToControls(app);
  offerBusiest(app);
  app.update({});
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
    app.dark = event.matches;
    app.update({});
  });
  let width = byId("graphs").clientWidth;
  new ResizeObserver(() => {
    if (byId("graphs").clientWidth === width) return;
    width = byId("graphs").clientWidth;
    app.panes.forEach((pane) => renderAwrPane(app, pane));
  }).observe(byId("graphs"));
  document.documentElement.dataset.ready = "yes";
}

startAwr().catch(showTrouble);
