import assert from "node:assert/strict";
import { test } from "node:test";
import { BURST, HOSTILE, measurements } from "../fixtures.mjs";
import { pack, quantile, random } from "../pack.mjs";
import { scripts } from "./scripts.mjs";

const model = scripts(
  ["decode.js", "model.js", "estimate.js", "distinguishing.js", "axes.js", "state.js", "colour.js", "format.js", "percentiles.js"],
  ["openDocument", "readEntry", "withSums", "statisticsOf", "everything", "whatDiffers", "filteredTo", "timesOf", "timeOf", "isUnplaced", "rankOf", "nearestRank", "estimateNs", "zOfProportions", "leastZ", "binsOf", "paintedRows", "edgePlaces", "latencyTicks", "timeTicks", "linearTicks", "stateOf", "hashOf", "viewWithin", "legendOf", "shadeOf", "rampOf", "columnsOfStep", "lineSteps"],
);
const raw = measurements();
const doc = model.openDocument(pack({ title: "t", recordings: [{ clock: "epoch", marks: [] }, { clock: "epoch", marks: [] }] }, raw));
const entries = raw.map((_, index) => model.readEntry(doc, index));

test("statistics of a region are what is counted one by one", () => {
  const [entry, given] = [entries[0], raw[0]];
  const region = { from: 1500, to: 1980, low: 60, high: 90 };
  const found = model.statisticsOf(entry, region);
  const histogram = given.bounds.slice(1).map((_, row) => given.columns.slice(region.from, region.to).reduce((all, column) => all + (row >= 60 && row < 90 ? column.counts[row] : 0), 0));
  assert.deepEqual([...found.histogram], histogram);
  assert.equal(found.events, histogram.reduce((a, b) => a + b, 0));
  for (const one of found.quantiles) {
    const { lo, hi } = quantile(given.bounds, histogram, one.q);
    assert.deepEqual([one.lo, one.hi], [lo, hi]);
    assert.ok(one.estimate >= lo && one.estimate < hi);
  }
  assert.equal(found.covered, 480);
  const all = model.statisticsOf(entry, model.everything(entry));
  const sum = given.columns.reduce((total, column) => total + column.sum_ns, 0) / 1e9;
  assert.ok(Math.abs(all.waited - sum) < 1e-6);
});

test("percentiles of lengths that are estimates hold the true ones", () => {
  const entry = entries[0];
  const region = model.everything(entry);
  const measured = model.statisticsOf(entry, region).quantiles;
  const error = 5e4;
  const estimated = model.statisticsOf({ ...entry, head: { ...entry.head, length_error_ns: error } }, region).quantiles;
  assert.equal(estimated.length, measured.length);
  estimated.forEach((one, index) => {
    const { lo, hi, estimate } = measured[index];
    const widened = hi === null ? null : hi + error;
    assert.deepEqual([one.lo, one.hi, one.estimate], [Math.max(lo - error, 0), widened, estimate]);
  });
});

test("a length that is written as nothing took less than the unit it is written in", () => {
  const bounds = [0, 1, 2e6, null];
  const columns = [{ state: 0, covered_us: 1e6, counts: [3, 0, 1], sum_ns: 2e6 }];
  const about = { label: "read", t0_us: 0, width_us: 1e6, native_us: 1e6, bounds, octaves: [0, 1, 2e6], tile: 10, columns };
  const entry = model.readEntry(model.openDocument(pack({ title: "t", recordings: [{ clock: "epoch", marks: [] }] }, [about])), 0);
  const median = (head) => model.statisticsOf({ ...entry, head: { ...entry.head, ...head } }, model.everything(entry)).quantiles[0];
  assert.equal(median({}).hi, 1);
  assert.equal(median({ written_unit_ns: 1e6 }).hi, 1e6);
});

test("time waited in a bucket without bounds is there all the same", () => {
  const base = { columns: 2, rows: 1, counts: [4, 0], head: { bounds_ns: [0, null] } };
  const found = model.withSums(base, Float64Array.of(0.5, 0));
  assert.deepEqual([...found.waited], [0.5, 0]);
  assert.equal(base.counts[0] * found.mid[0] * found.lift[0], 0.5);
  assert.deepEqual([...model.withSums(base, null).waited], [0, 0], "unknown, not a second each");
});

/**
 * 40 waits of 5 s one after the other, in columns of a second: each ends in every fifth one. Those of
 * the first half have program=a, the others b.
 * @param {(column: object, at: number) => object} more
 */
function waitsInSequence(more) {
  const bounds = [0, 1e6, 4e9, 8e9];
  const columns = Array.from({ length: 200 }, (_, at) => {
    const counts = [0, 0, at % 5 === 4 ? 1 : 0];
    const values = { program: at < 100 ? { a: counts } : { b: counts } };
    return more({ state: 0, covered_us: 1e6, counts, sum_ns: at % 5 === 4 ? 5e9 : 0, values }, at);
  });
  const about = { label: "lock", t0_us: 0, width_us: 1e6, native_us: 1e6, bounds, octaves: bounds, tile: 10, keys: { program: ["a", "b"] } };
  return model.readEntry(model.openDocument(pack({ title: "t", recordings: [{ clock: "epoch", marks: [] }] }, [{ ...about, columns }])), 0);
}

test("time lies where it was waited, and the mean is of what ended", () => {
  const entry = waitsInSequence((column) => ({ ...column, times_ns: [0, 0, 1e9] }));
  const close = (one, two) => assert.ok(Math.abs(one - two) < 1e-6, `${one} is not ${two}`);
  entry.waited.forEach((seconds) => close(seconds, 1));
  const all = model.statisticsOf(entry, model.everything(entry));
  close(all.waited, 200);
  close(all.latency / all.events, 5);
  close(model.timesOf(entry, 0, 200)[2], 200);
  // Part of the rows, and columns in which nothing ended.
  close(model.statisticsOf(entry, { from: 0, to: 4, low: 2, high: 3 }).waited, 4);
  close(model.statisticsOf(entry, { from: 0, to: 4, low: 0, high: 2 }).waited, 0);
  const half = model.filteredTo(entry, "program", "a");
  close(model.statisticsOf(half, model.everything(half)).events, 20);
  // Time of a column in which nothing ended follows the share of all events at that latency.
  close(model.statisticsOf(half, { from: 0, to: 100, low: 0, high: 3 }).waited, 20 + 80 / 2);
  close(model.statisticsOf(half, { from: 100, to: 200, low: 0, high: 3 }).waited, 80 / 2);
  assert.equal(model.isUnplaced(entry, { from: 4, to: 5, low: 2, high: 3 }), false);
});

test("only columns that say when time was waited have times of their own", () => {
  const entry = waitsInSequence((column, at) => (at < 10 ? { ...column, times_ns: [0, 0, 1e9] } : column));
  assert.deepEqual([...entry.waited.subarray(0, 15)].map(Math.round), [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 5]);
  assert.equal(Math.round(model.timeOf(entry, 14, 2)), 5);
});

test("cells of events longer than their column are marked, in columns as wide as they are drawn", () => {
  const entry = waitsInSequence((column, at) => ({ ...column, unplaced: at % 5 === 4 ? 1000 : 0 }));
  const marked = (from, to, low = 0, high = 3) => model.isUnplaced(entry, { from, to, low, high });
  assert.deepEqual([marked(4, 5), marked(3, 4), marked(4, 5, 0, 2), marked(3, 6), marked(0, 4)], [true, false, false, true, false]);
  // Four seconds are not shorter than a wait of at least four.
  assert.deepEqual([marked(2, 5), marked(1, 5), marked(0, 200)], [true, false, false]);
});

test("parts of a region add up to it", () => {
  const entry = entries[1];
  const whole = model.statisticsOf(entry, model.everything(entry));
  const next = random(3);
  for (let round = 0; round < 50; round++) {
    const [cut, row] = [Math.floor(next() * entry.columns), Math.floor(next() * entry.rows)];
    const parts = [
      { from: 0, to: cut, low: 0, high: row }, { from: 0, to: cut, low: row, high: entry.rows },
      { from: cut, to: entry.columns, low: 0, high: row }, { from: cut, to: entry.columns, low: row, high: entry.rows },
    ].map((region) => model.statisticsOf(entry, region));
    assert.equal(parts.reduce((all, part) => all + part.events, 0), whole.events);
    assert.ok(Math.abs(parts.reduce((all, part) => all + part.waited, 0) - whole.waited) < 1e-6);
  }
});

test("quantiles are of the nearest rank", () => {
  // 10 events: the 5th, the 9th, the 10th, the 10th.
  const histogram = [4, 1, 4, 1];
  assert.deepEqual([0, 0.4, 0.5, 0.9, 0.99, 1].map((q) => model.rankOf(histogram, q).row), [0, 0, 1, 2, 3, 3]);
  assert.equal(model.rankOf([0, 0], 0.5), null);
  // The 4th of 4 events of a bucket stands in the middle of the last quarter.
  assert.equal(model.rankOf(histogram, 0.4).inside, 0.875);
});

test("ranks are those of whole numbers", () => {
  for (let tenths = 1; tenths <= 1_000; tenths++) {
    const q = Number(`${tenths}e-3`);
    for (let events = 1; events <= 3_000; events++) {
      const exact = Math.ceil((tenths * events) / 1_000);
      if (model.nearestRank(q, events) !== exact) assert.fail(`p${tenths / 10} of ${events}`);
    }
  }
  assert.equal(model.nearestRank(0.999, 1_000), 999);
  assert.equal(model.nearestRank(0.5, 2.5), 2);
});

test("estimates lie where the events of known distributions do", () => {
  // Bounds at powers of two; events log-uniform from 1 to 2^10: the q quantile is 2^(10 q).
  const bounds = Array.from({ length: 11 }, (_, i) => 2 ** (i + 10));
  const even = new Array(10).fill(1000);
  for (const q of [0.05, 0.33, 0.5, 0.9, 0.99]) {
    const { row, inside } = model.rankOf(even, q);
    const estimate = model.estimateNs(bounds, even, row, inside);
    const first = row === 0 || row === 9;
    assert.ok(Math.abs(Math.log2(estimate) - 10 - 10 * q) < (first ? 0.2 : 0.001), `${q}: ${estimate}`);
  }
  // A bucket alone: symmetric, its middle is the geometric mean of its bounds.
  assert.ok(Math.abs(model.estimateNs(bounds, [0, 0, 8, 0, 0, 0, 0, 0, 0, 0], 2, 0.5) - 2 ** 12.5) <= 1);
  // From zero: a straight line. Without upper bound: the lower bound.
  assert.equal(model.estimateNs([0, 1000, null], [10, 10], 0, 0.25), 250);
  assert.equal(model.estimateNs([0, 1000, null], [10, 10], 1, 0.9), 1000);
  // By hand: one octave with 10 events beside two octaves with 40. The slope at the bound between
  // them is 9 / (4 x 10/20 + 5) = 9/7, and F(1/2) = (1 - 9/7 x 1/4) / 2 = 19/56.
  assert.equal(model.estimateNs([1000, 2000, 8000], [10, 40], 0, 19 / 56), Math.round(1000 * Math.SQRT2));
  // Events thicken towards a fuller neighbour.
  assert.ok(model.estimateNs(bounds, [0, 10, 100, 0, 0, 0, 0, 0, 0, 0], 1, 0.5) > 2 ** 11.5);
});

test("two proportions have the z of their likelihoods", () => {
  // 45 of 100 and 60 of 200, 0.35 of all: 2 (45 ln(45/35) + 55 ln(55/65) + 60 ln(60/70) + 140 ln(140/130))
  // = 2 (11.3091 - 9.1880 - 9.2490 + 10.3751) = 6.4942.
  assert.ok(Math.abs(model.zOfProportions(45, 100, 60, 200) - Math.sqrt(6.4942)) < 0.001);
  assert.equal(model.zOfProportions(0, 10, 0, 10), 0);
  // One of 200 and none of 50,000: three deviations, as one of many values by chance.
  const z = model.zOfProportions(1, 200, 0, 50_000);
  assert.ok(z > 3 && z < model.leastZ(50_200) && model.leastZ(1) === 3, `${z}`);
});

test("what differs in the burst is what was planted, with its share", () => {
  const [entry, given] = [entries[0], raw[0]];
  // On the edges of tiles and octaves, so that shares are exact.
  const low = given.bounds.indexOf(2 ** 23);
  const high = given.bounds.indexOf(2 ** 25);
  const region = { from: BURST.from, to: BURST.to, low, high };
  const { rows, exact } = model.whatDiffers(entry, region);
  assert.equal(exact, true);
  let [inside, events, all, every] = [0, 0, 0, 0];
  given.columns.forEach((column, index) => column.counts.forEach((count, row) => {
    const selected = index >= region.from && index < region.to && row >= low && row < high;
    const rman = column.values.program.RMAN[row];
    every += count;
    all += rman;
    if (selected) [events, inside] = [events + count, inside + rman];
  }));
  const rman = rows.find((row) => row.value === "RMAN");
  assert.ok(Math.abs(rman.inside - inside / events) < 1e-12);
  assert.ok(Math.abs(rman.rest - (all - inside) / (every - events)) < 1e-12);
  assert.deepEqual(new Set(rows.slice(0, 2).map((row) => row.value)), new Set(["RMAN", "12"]));
  assert.ok(rows.every((row) => Math.abs(row.z) >= 3));
  // Outside the burst there is nothing to find but the burst's absence.
  const quiet = model.whatDiffers(entry, { from: 300, to: 360, low: 0, high: entry.rows });
  assert.ok(quiet.rows.every((row) => row.ofTime || Math.abs(row.inside - row.rest) < 0.1));
  assert.ok(quiet.rows.filter((row) => row.ofTime && ["RMAN", "12"].includes(row.value)).every((row) => row.z < 0));
  // Not on the edges: an estimate that is near.
  const ragged = model.whatDiffers(entry, { from: BURST.from + 7, to: BURST.to - 4, low: low + 3, high: high - 2 });
  assert.equal(ragged.exact, false);
  assert.ok(ragged.rows.find((row) => row.value === "RMAN").inside > 0.6);
});

test("a value that owns most of the time with few of the events is named, with shares of the time", () => {
  // Two handlers with half of the events each: one takes 20 times as long for ten of sixty seconds.
  const bounds = Array.from({ length: 16 }, (_, power) => 2 ** (16 + power));
  const zeros = () => bounds.slice(1).map(() => 0);
  const columns = Array.from({ length: 60 }, (_, second) => {
    const [cart, search] = [zeros(), zeros()];
    search[8] = 100;
    cart[second >= 30 && second < 40 ? 12 : 8] = 100;
    return { state: 0, covered_us: 1e6, counts: cart.map((count, row) => count + search[row]), values: { handler: { cart, search } } };
  });
  const document = pack({ title: "t", recordings: [{ clock: "epoch", marks: [] }] }, [{ label: "x", t0_us: 0, width_us: 1e6, native_us: 1e6, bounds, octaves: bounds, tile: 1, keys: { handler: ["cart", "search"] }, columns }]);
  const entry = model.readEntry(model.openDocument(document), 0);
  const { rows } = model.whatDiffers(entry, { from: 30, to: 40, low: 0, high: entry.rows });
  // By hand: 16 of 17 parts inside, a half elsewhere.
  assert.deepEqual([rows[0].value, rows[0].ofTime], ["cart", true]);
  assert.ok(Math.abs(rows[0].inside - 16 / 17) < 1e-9 && Math.abs(rows[0].rest - 0.5) < 1e-9, JSON.stringify(rows));
  // Of seconds like all others there is nothing to say.
  assert.deepEqual([...model.whatDiffers(entry, { from: 5, to: 15, low: 0, high: entry.rows }).rows].filter((row) => row.z > 0 && row.value === "cart"), []);
});

test("an entry filtered to each value of an attribute adds up to the entry", () => {
  const entry = entries[0];
  const values = entry.facets[1].values;
  assert.ok(values.includes(HOSTILE));
  const parts = values.map((value) => model.filteredTo(entry, "file#", value));
  const total = (one) => one.counts.reduce((a, b) => a + b, 0);
  assert.ok(Math.abs(parts.reduce((all, part) => all + total(part), 0) - total(entry)) < 1e-6 * total(entry));
  const waited = (one) => one.waited.reduce((a, b) => a + b, 0);
  assert.ok(Math.abs(parts.reduce((all, part) => all + waited(part), 0) - waited(entry)) < 1e-6 * waited(entry));
});

test("bins have every column once, and rows every bucket once", () => {
  for (const [view, most] of [[[0, 3600], 918], [[7, 20], 900], [[0, 1], 50], [[100, 1101], 1000]]) {
    const bins = model.binsOf(view, most);
    assert.equal(bins[0], view[0]);
    assert.equal(bins.at(-1), view[1]);
    assert.ok(bins.every((bin, i) => i === 0 || bin > bins[i - 1]));
    assert.ok(bins.length - 1 <= most);
  }
  for (const { bounds } of raw) {
    for (const height of [30, 150, 280, 900]) {
      const rows = model.paintedRows(bounds, height, 2.5);
      assert.deepEqual([rows[0], rows.at(-1)], [0, bounds.length - 1]);
      assert.ok(rows.every((row, i) => i === 0 || row > rows[i - 1]));
    }
  }
});

test("axes have true edges and round moments", () => {
  const bounds = [0, 1000, 2000, 4000, 8000, null];
  // Half an octave, three octaves, half an octave.
  assert.deepEqual([...model.edgePlaces(bounds)].map((place) => place * 4), [0, 0.5, 1.5, 2.5, 3.5, 4]);
  assert.deepEqual([...model.latencyTicks(bounds, 400, 15)].map((tick) => tick.text), ["1µs", "2µs", "4µs", "8µs"]);
  assert.deepEqual([...model.latencyTicks(bounds, 40, 15)].map((tick) => tick.text), ["2µs", "8µs"]);
  const start = Date.UTC(2025, 10, 21, 14, 30, 51) * 1000;
  const ticks = model.timeTicks({ clock: "epoch", start_us: start }, start, start + 40e6, 3);
  assert.deepEqual([...ticks].map((tick) => tick.text), ["14:31:00", "14:31:15", "14:31:30"]);
  const relative = model.timeTicks({ clock: "arbitrary", start_us: 77e6 }, 77e6, 77e6 + 1860e6, 4);
  assert.deepEqual([...relative].map((tick) => tick.text), ["+0s", "+10m", "+20m", "+30m"]);
  assert.deepEqual([...model.linearTicks(387, 5)], [0, 100, 200, 300, 400]);
});

/** Seconds, each with so many events of 100 µs and of 3 ms; null where nothing is known. */
function secondsOf(begin, counts) {
  const bounds = [0, ...Array.from({ length: 16 }, (_, i) => 1000 * 2 ** i)];
  const cells = (fast, slow) => bounds.slice(1).map((_, row) => (row === 7 ? fast : row === 12 ? slow : 0));
  const columns = counts.map((one) => ({ state: one ? 0 : 1, covered_us: one ? 1e6 : 0, counts: cells(...(one ?? [0, 0])) }));
  const about = { label: "read", t0_us: begin * 1e6, width_us: 1e6, native_us: 1e6, sentences: [] };
  const packed = pack({ title: "t", recordings: [{ clock: "epoch", marks: [] }] }, [{ ...about, bounds, columns }]);
  return model.readEntry(model.openDocument(packed), 0);
}

test("a step of a line has the events its percentile needs, as in the images and the terminal", () => {
  // The numbers that crates/analysis/src/percentile_line.rs holds the program to.
  const step = (events, count, q, least) => model.columnsOfStep(secondsOf(0, new Array(count).fill([events, 0])), [0, count], q, least);
  assert.equal(step(100, 600, 0.5, 6), 6);
  assert.equal(step(100, 600, 0.99, 6), 6);
  assert.equal(step(100, 600, 0.999, 6), 20);
  assert.equal(step(100, 60, 0.5, 0.6), 1);
  assert.equal(step(100, 60, 0.99, 0.6), 2);
  assert.equal(step(100, 60, 0.999, 0.6), null, "it would have three steps");
  assert.equal(step(1, 600, 0.5, 6), 6);
  assert.equal(step(1, 600, 0.99, 6), null);
  assert.equal(step(0, 600, 0.5, 1), null);
  // Only what is shown counts: in a window of 60 of 600 seconds p99.9 has no line any more.
  assert.equal(model.columnsOfStep(secondsOf(0, new Array(600).fill([100, 0])), [300, 360], 0.999, 0.6), null);
});

test("steps of a line sum up their columns, and end where nothing is known", () => {
  const many = [9, 1];
  const counts = [many, many, many, null, many, many, many, many, [1, 0]];
  const steps = (q) => [...model.lineSteps(secondsOf(1001, counts), [0, 9], q, 4)].map((step) => [step.from, step.to, step.lo / 1000]);
  assert.deepEqual(steps(0.5), [[0, 3, 64], [4, 7, 64], [7, 9, 64]]);
  assert.deepEqual(steps(0.91), [[0, 3, 2048], [4, 7, 2048]], "of 11 events 0.99 lie beyond");
});

test("shades are zero, a trace, and eight steps that never fall", () => {
  const ranked = Float64Array.from({ length: 1000 }, (_, i) => i + 1);
  const legend = model.legendOf("sqrt", 0.0012, ranked);
  // The 99.9th percentile of the cells has the whole ramp: half the ramp is a quarter of it.
  assert.equal(legend.max, 1000);
  assert.equal(legend.steps[4], 250);
  assert.deepEqual([0, 0.5, 1.2, 249, 250, 5000].map((value) => model.shadeOf(legend, value)), [0, 1, 2, 5, 6, 9]);
  const rank = model.legendOf("rank", 0, ranked);
  const inStep = (shade) => [...ranked].filter((value) => model.shadeOf(rank, value) === shade).length;
  assert.deepEqual([2, 3, 4, 5, 6, 7, 8, 9].map(inStep), new Array(8).fill(125));
  assert.equal(model.legendOf("log", 0.004, new Float64Array()).max, 0);
});

test("every palette goes one way in lightness, on a dark page up and on a light one down", () => {
  const lightness = (hex) => {
    const [r, g, b] = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  for (const palette of ["isotherm", "viridis", "cividis", "magma", "grey"]) {
    for (const dark of [true, false]) {
      for (const kind of ["frequency", "intensity"]) {
        const steps = model.rampOf(palette, dark, kind).map(lightness);
        assert.equal(steps.length, 9);
        assert.ok(steps.every((step, i) => i === 0 || (dark ? step > steps[i - 1] : step < steps[i - 1])), `${palette} ${dark}`);
      }
    }
  }
});

test("a state survives its address, and a wrong address is no state", () => {
  const state = { ...model.stateOf("", (index) => entries[index], 4), selection: { from: 5, to: 9, low: 1, high: 3 }, cursor: { column: 7, row: 2 }, view: [5, 105], scale: "rank", lines: false, filter: { key: "file#", value: HOSTILE } };
  const again = model.stateOf(`#${model.hashOf(state, entries[0])}`, (index) => entries[index], 4);
  assert.deepEqual(JSON.parse(JSON.stringify(again)), JSON.parse(JSON.stringify(state)));
  // A link of another program names times.
  const { t0_us, width_us } = entries[0].head;
  const at = (column) => Math.round((t0_us + column * width_us) / 1e3);
  const seen = (from, to) => Array.from(model.stateOf(`#t=${from}-${to}`, (index) => entries[index], 4).view);
  assert.deepEqual(seen(at(20), at(60)), [20, 60]);
  assert.deepEqual(seen(at(20), at(9_999_999)), [20, entries[0].columns]);
  assert.deepEqual(seen(1, 2), [0, entries[0].columns]);
  assert.deepEqual(seen(at(60), at(20)), [0, entries[0].columns]);
  const wrong = model.stateOf("#e=-1&v=99999-3&s=9.5.1.2&c=1e9.1&scale=constructor&f=x", (index) => entries[index], 4);
  assert.deepEqual(JSON.parse(JSON.stringify([wrong.entry, wrong.selection, wrong.cursor, wrong.scale, wrong.filter])), [0, null, null, "auto", null]);
  assert.ok(wrong.view[1] - wrong.view[0] >= 10 && wrong.view[1] <= 3600);
});
