// Two recordings against each other: both maps in one scale of colours, their difference, the
// ratios with what chance leaves, and how the shares of the buckets moved.

/** From so many standard deviations on, a difference is more than noise. */
const NOISE = 3;

/** The maps that stand beside each other. @type {["a", "b", "difference"]} */
const COMPARED = ["a", "b", "difference"];

/**
 * The colour of a difference: blue for less, orange for more, none within noise, stronger with each
 * half octave.
 * @param {App} app
 * @param {number} z
 */
function differenceColour(app, z) {
  if (Math.abs(z) < NOISE) return "";
  const step = Math.min(2 + Math.floor(2 * Math.log2(Math.abs(z) / NOISE)), STEPS);
  return `#${rampOf("ice-heat", app.dark, z < 0 ? "frequency" : "intensity")[step]}`;
}

/**
 * The map that is chosen, frequency or intensity.
 * @returns {MapKind}
 */
function comparedKind() {
  return /** @type {HTMLSelectElement} */ (byId("compare-kind")).value === "intensity" ? "intensity" : "frequency";
}

/**
 * The rate of a cell of a side; null where nothing is known.
 * @param {ComparedSide} side
 * @param {MapKind} kind
 * @param {number} row
 * @param {number} column
 * @returns {number | null}
 */
function comparedRate(side, kind, row, column) {
  if (side.state[column] !== DATA_COLUMN) return null;
  if (kind === "intensity") return side.intensity[row][column];
  return side.counted_s[column] > 0 ? side.counts[row][column] / side.counted_s[column] : 0;
}

/**
 * @param {App} app
 * @param {ComparedMap} map
 * @param {"a" | "b" | "difference"} which
 * @param {MapKind} kind
 * @returns {(row: number, column: number) => string | null} a colour, "" for none, null for no data
 */
function comparedColours(app, map, which, kind) {
  if (which === "difference") {
    return (row, column) => {
      const z = map.z[row][column];
      return z === null ? null : differenceColour(app, z);
    };
  }
  const ramp = rampOf("ice-heat", app.dark, kind);
  const legend = { scale: map[kind].scale, steps: map[kind].steps, max: map[kind].max, highest: map[kind].max };
  return (row, column) => {
    const rate = comparedRate(map[which], kind, row, column);
    if (rate === null) return null;
    const shade = shadeOf(legend, rate);
    return shade === 0 ? "" : `#${ramp[shade - 1]}`;
  };
}

/** @param {ComparedMap} map */
function comparedBounds(map) {
  return [...map.rows.map((row) => row.lo_ns), map.rows[map.rows.length - 1].hi_ns];
}

/**
 * @param {App} app
 * @param {Comparison} compare
 * @param {"a" | "b" | "difference"} which
 */
function drawCompared(app, compare, which) {
  const map = compare.map;
  if (!map) return;
  if (comparesSingles(map)) return drawComparedBars(app, compare, map, which);
  const sheet = sheetOf(app, canvasesOf(`compare-${which}`)[0]);
  const { pen } = sheet;
  const box = plotBox(sheet);
  const kind = comparedKind();
  const bounds = comparedBounds(map);
  const places = edgePlaces(bounds);
  const ink = inkOf(app);
  const colour = comparedColours(app, map, which, kind);
  const x = (/** @type {number} */ column) => Math.round(box.x + (column * box.width) / map.columns);
  const y = (/** @type {number} */ place) => Math.round(box.y + box.height * (1 - places[place]));
  for (let row = 0; row < map.rows.length; row++) {
    for (let column = 0; column < map.columns; column++) {
      const found = colour(row, column);
      if (found === "") continue;
      pen.fillStyle = found ?? ink.hatch;
      pen.globalAlpha = found === null ? 0.35 : 1;
      pen.fillRect(x(column), y(row + 1), Math.max(x(column + 1) - x(column), 1), Math.max(y(row) - y(row + 1), 1));
    }
  }
  pen.globalAlpha = 1;
  pen.strokeStyle = ink.line;
  pen.strokeRect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1);
  drawComparedAxes(app, compare, map, which, sheet);
}

/**
 * @param {App} app
 * @param {Comparison} compare
 * @param {ComparedMap} map
 * @param {"a" | "b" | "difference"} which
 * @param {Sheet} sheet
 */
function drawComparedAxes(app, compare, map, which, sheet) {
  const { pen } = sheet;
  const box = plotBox(sheet);
  pen.fillStyle = inkOf(app).muted;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const tick of latencyTicks(comparedBounds(map), box.height, 15)) {
    pen.fillText(tick.text, box.x - 6, box.y + box.height * (1 - tick.place));
  }
  const side = which === "b" ? "b" : "a";
  const label = compare[side];
  const clock = compare.align === "clock" ? label.clock : "arbitrary";
  const from = map[side].t0_us;
  const to = from + map.columns * map.width_us;
  const recording = /** @type {Recording} */ (/** @type {unknown} */ ({ ...label, clock, start_us: label.anchor_us }));
  pen.textAlign = "center";
  pen.textBaseline = "top";
  for (const tick of timeTicks(recording, Math.max(from, compare.align === "mark" ? from : label.anchor_us), to, box.width / 70)) {
    const at = box.x + ((tick.at - from) / (to - from)) * box.width;
    pen.fillRect(Math.round(at), box.y + box.height, 1, 4);
    if (at + 24 < sheet.width) pen.fillText(tick.text, Math.max(at, box.x + 4), box.y + box.height + 5);
  }
}

/**
 * What is under the pointer, in words.
 * @param {Comparison} compare
 * @param {number} row
 * @param {number} column
 */
function comparedReadout(compare, row, column) {
  const map = compare.map;
  if (!map?.rows[row]) return "";
  const kind = comparedKind();
  const unit = kind === "frequency" ? "events/s" : "waiting";
  const about = kind === "intensity" && !compare.exact ? "≈" : "";
  const rate = (/** @type {"a" | "b"} */ side) => {
    const found = comparedRate(map[side], kind, row, column);
    return found === null ? "no data" : `${about}${quantity(found)} ${unit}`;
  };
  const z = map.z[row][column];
  const told = z === null ? "" : Math.abs(z) < NOISE ? ", within noise" : `, ${z < 0 ? "less" : "more"} in B (z ${z})`;
  const rates = `${range(map.rows[row].lo_ns, map.rows[row].hi_ns)}: A ${rate("a")}, B ${rate("b")}${told}`;
  if (comparesSingles(map)) return rates;
  const at = span(Math.max(map.a.t0_us + column * map.width_us - compare.a.anchor_us, 0));
  return `+${at}, ${rates}`;
}

/** @param {Comparison} compare */
function listenToCompared(compare) {
  const map = compare.map;
  for (const which of COMPARED) {
    const plot = byId(`compare-${which}`);
    plot.addEventListener("pointermove", (event) => {
      if (!map) return;
      const box = plotBox({ width: plot.clientWidth, height: plot.clientHeight });
      const { left, top } = plot.getBoundingClientRect();
      const column = Math.floor(((event.clientX - left - box.x) / box.width) * map.columns);
      const place = 1 - (event.clientY - top - box.y) / box.height;
      const row = edgePlaces(comparedBounds(map)).findIndex((edge) => edge > place) - 1;
      const inside = column >= 0 && column < map.columns && row >= 0;
      byId("compare-readout").textContent = inside ? comparedReadout(compare, row, column) : "";
    });
  }
}

/**
 * What the colours stand for.
 * @param {App} app
 * @param {ComparedMap} map
 */
function fillComparedLegend(app, map) {
  if (comparesSingles(map)) return byId("legend-compare").replaceChildren(...comparedBarsLegend(app));
  const kind = comparedKind();
  const swatch = (/** @type {string} */ colour, /** @type {string} */ text) => {
    const box = element("i", []);
    box.style.background = colour;
    return element("li", [box, text]);
  };
  const ramp = rampOf("ice-heat", app.dark, kind);
  const items = map[kind].steps.map((from, step) => swatch(`#${ramp[step + 1]}`, `≥${quantity(from)}`));
  items.push(element("li", [`A and B, ${kind === "frequency" ? "events/s" : "average waiting"} · Δ:`]));
  for (const [z, text] of /** @type {[number, string][]} */ ([[-24, ""], [-9, ""], [-NOISE, "less in B"], [NOISE, ""], [9, ""], [24, "more in B"]])) {
    items.push(swatch(differenceColour(app, z), text));
  }
  items.push(element("li", [`blank: within noise (|z| < ${NOISE})`]));
  byId("legend-compare").replaceChildren(...items);
}

/**
 * An end of an interval: one that leaves 1 out does not look as if it held it.
 * @param {number} value
 */
function ratioEnd(value) {
  const usual = quantity(value);
  if (Number(usual) !== 1 || Math.abs(value - 1) < 1e-6) return usual;
  return [3, 4, 5, 6].map((decimals) => value.toFixed(decimals)).find((text) => Number(text) !== 1) ?? usual;
}

/**
 * A ratio's interval: ×0.75–0.81.
 * @param {[number, number | null] | null} ci
 */
function chance(ci) {
  if (!ci) return "too little to tell";
  const [low, high] = [ci[0] > 0.01, ci[1] !== null && ci[1] < 100];
  if (low && high) return `×${ratioEnd(ci[0])}–${ratioEnd(ci[1] ?? 0)}`;
  return low ? `×${ratioEnd(ci[0])} or more` : high ? `×${ratioEnd(ci[1] ?? 0)} or less` : "unknown";
}

/**
 * @param {Comparison} compare
 * @param {ComparedShift} shift
 * @param {"a" | "b"} side
 */
function comparedValue(compare, shift, side) {
  const of = shift[side];
  const about = compare.exact ? "" : "≈";
  if (shift.measure === "rate") return eventRate(of.value);
  if (shift.measure === "waited") return about + seconds(of.value);
  return of.lo === null ? about + nanos(of.value) : range(of.lo, of.hi);
}

/** @param {Comparison} compare */
function fillComparedTables(compare) {
  const names = /** @type {Record<string, string>} */ ({ rate: "events/s", waited: "waiting" });
  const rows = compare.shifts.map((shift) => {
    const estimated = shift.a.lo !== null || (shift.measure !== "rate" && !compare.exact);
    const ratio = shift.within_one_bucket ? "one bucket" : `${estimated ? "≈" : ""}×${quantity(shift.ratio)}`;
    const interval = shift.measure === "max" ? "not judged" : chance(shift.ci);
    const moved = shift.moved ?? (shift.differs ? "in these runs only" : "");
    return [names[shift.measure] ?? shift.measure, comparedValue(compare, shift, "a"), comparedValue(compare, shift, "b"), ratio, interval, moved];
  });
  fillTable(byId("compare-shifts"), ["measure", "A", "B", "B / A", "95 % interval", "moved"], rows);
  const most = (/** @type {"events_pp" | "wait_pp"} */ key) => compare.shares.reduce((one, share) => Math.max(one, Math.abs(share[key])), 1);
  const [events, wait] = [most("events_pp"), most("wait_pp")];
  const bar = (/** @type {number} */ points, /** @type {number} */ of, /** @type {boolean} */ loud) => {
    const inner = element("i", [], { class: `${points < 0 ? "less" : "more"}${loud ? "" : " noise"}` });
    inner.style.width = `${(50 * Math.abs(points)) / of}%`;
    const text = (points > 0 ? "+" : "") + points.toFixed(1);
    return element("span", [element("span", [inner], { class: "points" }), element("span", [text.replace(/^[+-]0\.0$/, "0.0")], { class: "number" })], { class: "share" });
  };
  const shares = compare.shares.filter((share) => share.a_per_s > 0 || share.b_per_s > 0).reverse().map((share) => {
    const loud = Math.abs(share.z ?? 0) >= NOISE;
    return [range(share.lo_ns, share.hi_ns), quantity(share.a_per_s), quantity(share.b_per_s), bar(share.events_pp, events, loud), bar(share.wait_pp, wait, loud)];
  });
  fillTable(byId("compare-shares"), ["latency", "A ev/s", "B ev/s", "Δ events, points", "Δ wait, points"], shares);
  const pane = byId("compare-pairs-pane");
  if (compare.pairs.length < 2) return pane.remove();
  pane.hidden = false;
  const where = { both: "", a: "only in A", b: "only in B" };
  const per = (/** @type {{ waited_s: number, covered_s: number } | null} */ side) => (side && side.covered_s > 0 ? seconds(side.waited_s / side.covered_s) : "-");
  fillTable(byId("compare-pairs"), ["most changed first", "A waiting", "B waiting", "p99, 95 % interval", "verdict"], compare.pairs.map((pair) =>
    [pair.label, per(pair.a), per(pair.b), pair.p99_ratio ? chance(pair.p99_ratio.ci) : "-", pair.verdict ?? where[pair.in]]));
}

/** The last part of a path. @param {string} path */
function fileName(path) {
  return path.replace(/.*[\\/](?=.)/, "");
}

/**
 * Shows the comparison, if the report has one.
 * @param {App} app
 */
function showComparison(app) {
  const { compare } = app.doc.head;
  const section = byId("compare");
  if (!compare) return section.remove();
  section.hidden = false;
  byId("compare-title").textContent = `A against B: ${compare.label}`;
  const verdict = byId("compare-verdict");
  verdict.textContent = compare.verdict;
  verdict.dataset.verdict = compare.verdict;
  // What each recording comes to by itself is below the answer to what was asked.
  byId("verdict").classList.add("aside");
  byId("compare-sides").replaceChildren(...[compare.a, compare.b].map((side) => element("li", [`${side.label} · ${side.stretch}`])));
  const together = compare.a.source === compare.b.source;
  for (const which of /** @type {("a" | "b")[]} */ (["a", "b"])) {
    byId(`compare-name-${which}`).textContent = `${which.toUpperCase()} · ${together ? compare[which].stretch : fileName(compare[which].source)}`;
  }
  byId("compare-sentences").replaceChildren(...compare.sentences.map((sentence) => element("li", [sentence])));
  const words = { holds: "FAIL", "does not hold": "PASS", "cannot tell": "UNSURE", "no events": "UNSURE" };
  const why = (/** @type {string} */ outcome) => (outcome === "no events" ? ": no events" : "");
  const outcomes = compare.thresholds.map((one) => element("li", [`${words[one.outcome]} ${one.text}${why(one.outcome)}`], { class: one.outcome === "does not hold" ? "" : "failed" }));
  byId("compare-thresholds").replaceChildren(...outcomes);
  fillComparedTables(compare);
  byId("compare-maps").hidden = !compare.map;
  byId("compare-kind").addEventListener("change", () => drawComparison(app, compare));
  listenToCompared(compare);
}

/**
 * @param {App} app
 * @param {Comparison} compare
 */
function drawComparison(app, compare) {
  if (!compare.map) return;
  fillComparedLegend(app, compare.map);
  for (const which of COMPARED) {
    drawCompared(app, compare, which);
    const name = which === "difference" ? "Difference of B and A" : `${comparesSingles(compare.map) ? "Histogram" : "Heat map"} of ${compare[which].label}`;
    describe(canvasesOf(`compare-${which}`)[0], `${name}, ${comparedKind()}: ${compare.sentences[0] ?? ""}`);
  }
}
