// Who waits: the series with the most time waited, each with its course and its latencies.

/** Series listed, and how finely their course and their latencies are drawn. */
const MOST_WAITING = 10;
const COURSE_BINS = 72;
const LATENCY_BINS = 28;
const SPARK = { width: 120, height: 24 };

/**
 * The single series of a recording, most time waited first, and what all of it waited.
 * @param {App} app
 * @param {number} recording
 * @returns {{ series: { index: number, head: EntryHead }[], all: number }}
 */
function waiting(app, recording) {
  const own = app.doc.head.entries.flatMap((head, index) => (head.recording === recording ? [{ index, head }] : []));
  const series = own.filter(({ head }) => head.kind === "series").sort((one, two) => two.head.waited_s - one.head.waited_s);
  // What holds all others comes first, if there is such an entry.
  const whole = own[0]?.head.kind === "series" ? null : own[0]?.head;
  return { series, all: whole?.waited_s ?? sum(series.map(({ head }) => head.waited_s)) };
}

/**
 * What series beside each other have in common, and what tells each from the others, as everywhere
 * else (views::ShortNames).
 * @param {EntryHead[]} heads
 * @returns {{ common: string, of: (head: EntryHead) => { name: string, told: string } }}
 */
function shortNames(heads) {
  const shared = (/** @type {EntryHead[]} */ among) => Object.entries(among[0]?.attributes ?? {}).filter(([key, value]) => among.every((one) => one.attributes[key] === value));
  const kinds = new Set(heads.map((head) => head.name));
  const everywhere = heads.length > 1 ? shared(heads) : [];
  const ofKind = new Map([...kinds].map((name) => {
    const alike = heads.filter((one) => one.name === name);
    return [name, alike.length > 1 ? shared(alike) : everywhere];
  }));
  const only = kinds.size === 1 && heads.length > 1 ? [heads[0].name ?? ""] : [];
  const common = [...only, ...everywhere.map(([key, value]) => `${key}=${value}`)].join(" ");
  const of = (/** @type {EntryHead} */ head) => {
    const left = ofKind.get(head.name) ?? [];
    const own = Object.entries(head.attributes).filter(([key, value]) => !left.some((one) => one[0] === key && one[1] === value));
    // A word says what it is by itself; a number does not.
    const told = own.map(([key, value]) => (/^\p{L}./u.test(value) ? value : `${key}=${value}`)).join(" ");
    const name = only.length > 0 && told !== "" ? "" : head.name ?? head.label;
    return { name, told };
  };
  return { common, of };
}

/**
 * The name of a series among others, which opens its maps; its full name is its title.
 * @param {App} app
 * @param {EntryHead[]} heads
 * @param {{ index: number, head: EntryHead }} one
 */
function nameButton(app, heads, { index, head }) {
  const { name, told } = shortNames(heads).of(head);
  const words = [...(name ? [element("b", [name])] : []), ...(told ? [name ? ` ${told}` : element("b", [told])] : [])];
  const button = element("button", [...words, ...(head.averages ? [" (averages)"] : [])], { type: "button", class: "value", title: head.label });
  button.addEventListener("click", () => app.update({ entry: index }));
  return button;
}

/**
 * What is worth a glance, most important first: a change, events far beyond the others, a busy time.
 * @param {EntryHead} head
 * @param {Recording} recording
 * @returns {string}
 */
function standsOut(head, recording) {
  // Several together, which begin where there were too many to tell apart.
  if (head.name === "(other)" || Object.values(head.attributes).includes("(other)")) return "";
  const { changes = [], slow_band = null, busiest = null, period = null } = head.findings ?? {};
  const at = (/** @type {number} */ ns) => moment(recording, ns / 1e3);
  const times = (/** @type {number} */ factor) => (factor > 1 ? `▲ ×${quantity(factor)}` : `▼ ÷${quantity(1 / factor)}`);
  // What got worse: that it got better again is the end of it.
  const worse = changes.filter(({ kind, before, after }) => ["stalls", "stops", "silent"].includes(kind) || after.sessions_waiting > before.sessions_waiting);
  const texts = (worse.length > 0 ? worse : changes).slice(0, 2).map((change) => {
    const { kind, band, factor, before, after, start_ns } = change;
    const mean = before.mean_ns && after.mean_ns ? after.mean_ns / before.mean_ns : null;
    switch (kind) {
      case "stalls": return `▲ stall at ${at(start_ns)}`;
      case "stops": return `▼ none from ${at(start_ns)}`;
      case "silent": return `▼ silent from ${at(start_ns)}`;
      case "rate": return before.rate_per_s > 0 ? `${times(after.rate_per_s / before.rate_per_s)} events/s from ${at(start_ns)}` : "";
      case "scales": return factor ? `${times(factor)} from ${at(start_ns)}` : "";
      case "appears":
      case "grows": return band ? `▲ ${range(band.lo_ns, band.hi_ns)} from ${at(start_ns)}` : "";
      case "vanishes": return band ? `▼ ${range(band.lo_ns, band.hi_ns)} until ${at(start_ns)}` : "";
      default: return mean ? `${times(mean)} mean from ${at(start_ns)}` : "";
    }
  }).filter((text) => text !== "");
  if (texts.length > 0) return texts.join(", ");
  if (slow_band) return `▲ ${grouped(slow_band.events)} ${slow_band.events === 1 ? "event" : "events"} of ${range(slow_band.lo_ns, slow_band.hi_ns)}`;
  if (busiest) return `▲ ${percent(busiest.time_share)} of it ${at(busiest.start_ns)}–${at(busiest.end_ns)}`;
  if (period) return `every ${span(period.every_s * 1e6)}`;
  return "nothing";
}

/**
 * A small picture in the colours of its class.
 * @param {string} name
 * @param {string} text what it shows
 * @param {string[]} paths
 * @returns {SVGElement}
 */
function spark(name, text, paths) {
  const svg = (/** @type {string} */ tag, /** @type {Record<string, string>} */ attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return /** @type {SVGElement} */ (made);
  };
  const picture = svg("svg", { class: `spark ${name}`, viewBox: `0 0 ${SPARK.width} ${SPARK.height}`, role: "img", "aria-label": text });
  picture.append(...paths.map((d) => svg("path", { d })));
  return picture;
}

/**
 * The time waited per second over time; what is not known is left out.
 * @param {Entry} entry
 * @param {[number, number]} time from when to when, the same for all series
 * @returns {SVGElement}
 */
function courseOf(entry, [from, to]) {
  const bins = binsOf([0, entry.columns], COURSE_BINS);
  const values = bins.slice(0, -1).map((first, bin) => {
    let [waited, covered] = [0, 0];
    for (let column = first; column < bins[bin + 1]; column++) {
      if (entry.state[column] !== DATA_COLUMN) continue;
      waited += entry.waited[column];
      covered += entry.covered[column];
    }
    return covered > 0 ? waited / covered : null;
  });
  const most = values.reduce((/** @type {number} */ one, two) => Math.max(one, two ?? 0), 0);
  const y = (/** @type {number} */ value) => (SPARK.height - 1 - (most > 0 ? value / most : 0) * (SPARK.height - 3)).toFixed(1);
  const x = (/** @type {number} */ column) => (((startOf(entry, column) - from) / (to - from)) * SPARK.width).toFixed(1);
  const steps = values.map((value, bin) => (value === null ? "" : `M${x(bins[bin])} ${SPARK.height}V${y(value)}H${x(bins[bin + 1])}V${SPARK.height}Z`));
  const line = values.map((value, bin) => (value === null ? "" : `${bin > 0 && values[bin - 1] !== null ? "L" : "M"}${x(bins[bin])} ${y(value)}H${x(bins[bin + 1])}`));
  return spark("course", `Waiting over time, at most ${seconds(most)}`, [steps.join(""), line.join("")]);
}

/**
 * The events at each latency, on an axis that goes from the shortest to the longest of all series.
 * @param {EntryHead} head
 * @param {Float64Array} histogram
 * @param {[number, number]} axis logarithms
 * @returns {SVGElement}
 */
function distributionOf(head, histogram, [low, high]) {
  const bins = new Float64Array(LATENCY_BINS);
  histogram.forEach((count, row) => {
    const [lo, hi] = latencyEnds(head.bounds_ns, row);
    const place = (/** @type {number} */ log) => Math.min(Math.max(((log - low) / (high - low || 1)) * LATENCY_BINS, 0), LATENCY_BINS);
    const [from, to] = [place(lo), Math.max(place(hi), place(lo) + 1e-6)];
    // A wide bucket is spread over all of its width: nobody knows where in it the events are.
    for (let bin = Math.min(Math.floor(from), LATENCY_BINS - 1); bin < Math.min(Math.ceil(to), LATENCY_BINS); bin++) {
      bins[bin] += (count * (Math.min(to, bin + 1) - Math.max(from, bin))) / (to - from);
    }
  });
  const most = bins.reduce((one, two) => Math.max(one, two), 0);
  const wide = SPARK.width / LATENCY_BINS;
  const bars = [...bins].map((count, bin) => {
    if (count <= 0) return "";
    const high = Math.max((count / most) * (SPARK.height - 2), 0.7);
    return `M${(bin * wide).toFixed(1)} ${SPARK.height}v${(-high).toFixed(1)}h${(wide - 0.6).toFixed(1)}V${SPARK.height}Z`;
  });
  return spark("latencies", `Events by latency, from ${nanos(2 ** low)} to ${nanos(2 ** high)}`, [bars.join("")]);
}

/**
 * The logarithms of both ends of a bucket; one from zero, and one without an end, is an octave.
 * @param {(number | null)[]} bounds
 * @param {number} row
 * @returns {[number, number]}
 */
function latencyEnds(bounds, row) {
  const [lo, hi] = [bounds[row] ?? 0, bounds[row + 1]];
  const first = lo > 0 ? Math.log2(lo) : Math.log2(hi ?? 2) - 1;
  return [first, hi === null ? first + 1 : Math.log2(hi)];
}

/**
 * The shortest and the longest latency of all, as logarithms.
 * @param {{ head: EntryHead, histogram: Float64Array }[]} all
 * @returns {[number, number]}
 */
function commonAxis(all) {
  const ends = all.flatMap(({ head, histogram }) => [...histogram].flatMap((count, row) => (count > 0 ? latencyEnds(head.bounds_ns, row) : [])));
  return [ends.reduce((one, two) => Math.min(one, two), Infinity), ends.reduce((one, two) => Math.max(one, two), -Infinity)];
}

/** @param {App} app */
function fillWaiting(app) {
  const { entry } = app.now();
  const recording = entry.head.recording;
  const { series, all } = waiting(app, recording);
  byId("who").hidden = series.length < 2;
  if (series.length < 2) return;
  const listed = series.slice(0, MOST_WAITING);
  const heads = listed.map(({ head }) => head);
  const share = (/** @type {number} */ one) => (all > 0 ? one / all : 0);
  const single = isSingleRecording(app, recording);
  const rows = listed.map(({ index, head }) => {
    const about = head.exact ? "" : "≈";
    const name = nameButton(app, heads, { index, head });
    const p50 = head.quantiles.find((one) => one.q === 0.5);
    const found = standsOut(head, entry.recording);
    const rate = head.covered_s > 0 ? head.waited_s / head.covered_s : 0;
    /** @type {Cellful[]} */
    const cells = [
      [head.label, name], [share(head.waited_s), aboutShare(share(head.waited_s), about === "")],
      [head.waited_s, about + timeWaited(head.waited_s * 1e9)], [rate, about + seconds(rate)],
      p50 ? [p50.lo_ns, range(p50.lo_ns, p50.hi_ns)] : [-1, "-"],
    ];
    /** @type {Cellful} */
    const latencies = [p50?.lo_ns ?? -1, element("span", [], { class: "latencies", "data-entry": String(index) })];
    if (single) {
      const mean = head.mean_ns;
      cells.push([head.events, grouped(head.events)], [mean ?? -1, mean === null ? "-" : about + nanos(mean)], latencies);
    } else {
      cells.push(
        [head.waited_s, element("span", [], { class: "course", "data-entry": String(index) })],
        latencies,
        [found === "nothing" ? "" : found, element("span", [found], { class: found === "nothing" ? "quiet" : "found", title: head.sentences[0] ?? "" })],
      );
    }
    return { cells, name: head.label, index };
  });
  const { common } = shortNames(heads);
  const table = () => ({ heads: [common ? `who waits (${common})` : "who waits", "of all time", "waited", "average waiting", "p50", ...(single ? ["events", "mean", "distribution"] : ["waiting over time", "distribution", "what stands out"])], rows });
  showTable("who", table, () => markChosen(app));
  const opens = `A row opens its ${single ? "histograms" : "maps"}.`;
  const held = sum(heads.map((head) => head.waited_s));
  byId("who-note").textContent = series.length > listed.length || share(held) < 0.9995
    ? `${listed.length} of ${grouped(series.length + app.doc.head.not_drawn.length)} series: ${aboutShare(share(held), true, " %")} of all time waited. ${opens}`
    : `All series. ${opens}`;
  const others = app.doc.head.recordings.length - 1;
  if (others > 0) byId("who-note").append(` Of ${entry.recording.label}; ${others === 1 ? "another recording is" : `${others} other recordings are`} among the series below.`);
  // The pictures may come a moment after the numbers.
  setTimeout(() => drawWaiting(app, listed.map(({ index }) => index)));
}

/**
 * @param {App} app
 * @param {number[]} indexes
 */
function drawWaiting(app, indexes) {
  const all = indexes.map((index) => {
    const entry = app.entryAt(index);
    return { index, entry, head: entry.head, histogram: histogramOf(entry, 0, entry.columns) };
  });
  /** @type {[number, number]} */
  const time = [Math.min(...all.map(({ entry }) => startOf(entry, 0))), Math.max(...all.map(({ entry }) => startOf(entry, entry.columns)))];
  const axis = commonAxis(all.filter(({ head }) => !head.averages));
  for (const { index, entry, head, histogram } of all) {
    byId("who").querySelector(`.course[data-entry="${index}"]`)?.replaceChildren(courseOf(entry, time));
    byId("who").querySelector(`.latencies[data-entry="${index}"]`)?.replaceChildren(head.averages ? "averages only" : distributionOf(head, histogram, axis));
  }
  byId("who").dataset.drawn = "yes";
}

/** Marks the row whose maps are shown. @param {App} app */
function markChosen(app) {
  for (const row of byId("who").querySelectorAll("tbody tr")) {
    const index = row.querySelector("[data-entry]")?.getAttribute("data-entry");
    if (index === String(app.now().state.entry)) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}
