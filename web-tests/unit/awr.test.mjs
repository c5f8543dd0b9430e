// The graphs of AWR's history against sums of what a generator put in, taken from its CSV by other means.
import assert from "node:assert/strict";
import { test } from "node:test";
import { history } from "../awr-history.mjs";
import { scripts } from "./scripts.mjs";

const page = scripts(
  ["element.js", "format.js", "colour.js", "axes.js", "table.js", "awr-data.js", "awr-graphs.js", "awr-sum.js"],
  ["awrTable", "awrBins", "awrBucket", "awrResult", "awrCsv", "AWR_GRAPHS", "range"],
);
const HOUR_US = 3_600e6;
const { files } = history(4, 2, 12);

/** The rows of a table, by their heads. */
function rowsOf(name) {
  const [heads, ...lines] = files[name].trim().split("\n").map((line) => line.replaceAll('"', "").split(","));
  return lines.map((line) => Object.fromEntries(heads.map((head, at) => [head, line[at]])));
}

/** A document with this table alone; rows by member, as the program packs them. */
function documentOf(name, keys, values) {
  const rows = rowsOf(name);
  const stamps = [...new Set(rows.map((row) => `${row.instance} ${row.end}`))];
  const ends = stamps.map((stamp) => Date.parse(stamp.split(" ")[1]) * 1e3);
  const intervals = { instance: stamps.map((stamp) => Number(stamp[0]) - 1), start_us: ends.map((end) => end - HOUR_US), end_us: ends };
  const names = [...new Set(rows.map((row) => keys.map((key) => row[key]).join("\t")))];
  const sorted = names.map((member) => rows.filter((row) => keys.map((key) => row[key]).join("\t") === member));
  let last = 0;
  const steps = sorted.flat().map((row) => {
    const interval = stamps.indexOf(`${row.instance} ${row.end}`);
    const step = interval - last;
    last = interval;
    return step;
  });
  const columns = values.map((value) => sorted.flat().map((row) => (row[value] === "" ? null : Number(row[value]))));
  const packed = { kind: name, keys, values, members: names.map((member) => member.split("\t")), rows: sorted.map((rows) => rows.length), interval_steps: steps, columns };
  const doc = { utc: true, instances: ["1", "2"], intervals, tables: [packed] };
  return { doc, table: page.awrTable(packed), rows, whole: [Math.min(...intervals.start_us), Math.max(...ends)] };
}

const WAITS = ["waits", "time_us", "foreground_waits", "foreground_time_us"];
const classes = documentOf("wait-classes", ["wait_class"], WAITS);
const graph = (id) => page.AWR_GRAPHS.find((one) => one.id === id);
const state = (change) => ({ instance: -1, range: classes.whole, layout: "time", zone: 0, ...change });
const result = (of, id, change, choice = {}) => {
  const now = state(change);
  return page.awrResult(of.doc, graph(id), of.table, page.awrBins(of.doc, now), { measure: 0, split: "member", only: "", ...choice }, now.instance);
};
const close = (a, b) => assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(b), 1), `${a} is not ${b}`);
const sum = (rows, value) => rows.reduce((all, row) => all + Number(row[value]), 0);
const lineOf = (found, label) => found.series.find((line) => line.label === label);

test("active sessions of each hour and instance are what the rows come to", () => {
  for (const instance of [0, 1]) {
    const found = result(classes, "classes", { instance });
    const own = classes.rows.filter((row) => Number(row.instance) === instance + 1);
    const ends = [...new Set(own.map((row) => row.end))];
    for (const end of ends) {
      const bin = Math.min(Math.floor((Date.parse(end) * 1e3 - HOUR_US / 2 - classes.whole[0]) / HOUR_US), found.labels.length - 1);
      close(found.total.values[bin], sum(own.filter((row) => row.end === end), "foreground_time_us") / 3600e6);
    }
    // What no interval covers is a gap: neither zero nor bridged.
    assert.equal([...found.total.values].filter(Number.isFinite).length, ends.length);
    assert.equal(found.gaps.reduce((all, gap) => all + gap, 0), found.labels.length - ends.length);
  }
  assert.equal(classes.rows.filter((row) => row.instance === "2" && row.wait_class === "CPU").length, 94);
});

test("the mean of both instances is the sum of the mean of each", () => {
  const found = result(classes, "classes", {});
  for (const name of ["CPU", "User I/O", "Commit"]) {
    const mean = ["1", "2"].reduce((all, instance) => {
      const own = classes.rows.filter((row) => row.instance === instance && row.wait_class === name);
      return all + sum(own, "foreground_time_us") / 1e6 / (own.length * 3600);
    }, 0);
    close(lineOf(found, name).mean, mean);
  }
  assert.equal(found.series[0].label, "CPU");
});

test("every layout holds the same total, and hours of the day those rows alone", () => {
  const all = sum(classes.rows, "foreground_time_us") / 1e6;
  for (const layout of ["time", "hour", "day", "week"]) {
    const found = result(classes, "classes", { layout });
    close(found.total.total, all);
  }
  const noon = result(classes, "classes", { layout: "hour", instance: 0 });
  const own = classes.rows.filter((row) => row.instance === "1" && row.end.slice(11, 13) === "13");
  close(noon.total.values[12], sum(own, "foreground_time_us") / 1e6 / (new Set(own.map((row) => row.end)).size * 3600));
  const shifted = result(classes, "classes", { layout: "hour", instance: 0, zone: 2 });
  close(shifted.total.values[14], noon.total.values[12]);
});

test("the day of the week is that of the calendar", () => {
  const days = result(classes, "classes", { layout: "day", instance: 1 });
  const sunday = classes.rows.filter((row) => row.instance === "2" && new Date(Date.parse(row.end) - 1_800_000).getUTCDay() === 0);
  close(days.total.values[6], sum(sunday, "foreground_time_us") / 1e6 / (new Set(sunday.map((row) => row.end)).size * 3600));
  assert.ok(Number.isNaN(days.total.values[4]));
});

test("a latency is time divided by waits, of instances together", () => {
  const events = documentOf("system-events", ["event", "wait_class"], WAITS);
  const found = result(events, "latency", {});
  const own = events.rows.filter((row) => row.event === "log file sync");
  close(lineOf(found, "log file sync").mean, sum(own, "time_us") / 1e3 / sum(own, "waits"));
});

test("an instance that was started between two snapshots leaves every later interval whole", () => {
  const starts = [0, 37, 97, 157].map((minutes) => classes.whole[0] + minutes * 60e6);
  const ends = [...starts.slice(1), starts[3] + HOUR_US];
  const values = [1, 17.4, 2, 2].map((sessions, at) => sessions * (ends[at] - starts[at]));
  const packed = {
    kind: "wait-classes", keys: ["wait_class"], values: WAITS, members: [["CPU"]], rows: [4], interval_steps: [0, 1, 1, 1],
    columns: [values.map(() => 0), values, values.map(() => 0), values],
  };
  const doc = { utc: true, instances: ["1"], intervals: { instance: [0, 0, 0, 0], start_us: starts, end_us: ends }, tables: [packed] };
  const now = state({ range: [starts[0], ends[3]] });
  const found = page.awrResult(doc, graph("classes"), page.awrTable(packed), page.awrBins(doc, now), { measure: 0, split: "member", only: "" }, -1);
  assert.deepEqual([...found.total.values].map((value) => Number(value.toFixed(9))), [1, 17.4, 2, 2]);
  assert.equal(found.starts[1], starts[1]);
});

test("a part of the time holds the intervals that lie in it", () => {
  const from = classes.whole[0] + 24 * HOUR_US;
  const found = result(classes, "classes", { range: [from, from + 24 * HOUR_US] });
  const rows = classes.rows.filter((row) => {
    const middle = Date.parse(row.end) * 1e3 - HOUR_US / 2;
    return middle >= from && middle < from + 24 * HOUR_US;
  });
  close(found.total.total, sum(rows, "foreground_time_us") / 1e6);
});

test("levels are weighted by the length of their intervals, and CSV has every value", () => {
  const metrics = documentOf("metrics", ["metric", "unit"], ["minimum", "average", "maximum", "standard_deviation"]);
  const only = "Average Active Sessions (Active Sessions)";
  const found = result(metrics, "metrics", { instance: 0 }, { only });
  const own = metrics.rows.filter((row) => row.instance === "1" && row.metric === "Average Active Sessions");
  close(found.series[0].mean, sum(own, "average") / own.length);
  const lines = page.awrCsv(found).trim().split("\n");
  assert.equal(lines.length, found.labels.length + 1);
  const values = lines.slice(1).map((line) => line.split(",").at(-1)).filter((cell) => cell !== "").map(Number);
  close(values.reduce((all, value) => all + value, 0), sum(own, "average"));
});

test("buckets of milliseconds and of microseconds begin at half their bound, the first at 0", () => {
  const called = (bound) => {
    const [from, to] = page.awrBucket(bound);
    return page.range(from * 1e6, to === null ? null : to * 1e6);
  };
  assert.deepEqual([1, 2, 4_294_967_295].map(called), ["<1ms", "1–2ms", ">4194s"]);
  assert.deepEqual([0.001, 0.002, 0.512, 1.024, 4_294_967.295].map(called), ["<1µs", "1–2µs", "256–512µs", "0.512–1.03ms", ">4294s"]);
});
