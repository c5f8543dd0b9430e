// What rates of events are divided by: before the first event ended, ends were not counted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pack } from "../pack.mjs";
import { scripts } from "./scripts.mjs";

const page = scripts(
  ["decode.js", "model.js", "estimate.js", "distinguishing.js", "axes.js", "state.js", "colour.js", "format.js", "percentiles.js", "map.js"],
  ["openDocument", "readEntry", "statisticsOf", "everything", "wholeColumns", "lengthsOf", "rateOf"],
);
const bounds = [0, 1e6, 1e9];
// Three minutes of which only the last 40 s of the second one and the third are counted, ten events a second.
const columns = [
  { state: 0, covered_us: 6e7, counted_us: 0, counts: [0, 0] },
  { state: 0, covered_us: 6e7, counted_us: 4e7, counts: [400, 0] },
  { state: 0, covered_us: 6e7, counted_us: 6e7, counts: [600, 0] },
];
const about = { label: "x", t0_us: 0, width_us: 6e7, native_us: 6e7, bounds, columns };
const doc = page.openDocument(pack({ title: "t", recordings: [{ clock: "epoch", marks: [] }] }, [about]));
const entry = page.readEntry(doc, 0);

test("a rate is of the time in which ends were counted", () => {
  assert.equal(entry.head.counted_s, 100);
  const all = page.statisticsOf(entry, page.everything(entry));
  assert.deepEqual([all.events, all.counted, all.covered], [1000, 100, 180]);
  for (const [from, to] of [[1, 2], [2, 3], [0, 3]]) {
    const into = { mean: 0, peak: 0 };
    page.rateOf(entry, "frequency", { from, to, low: 0, high: 2 }, into);
    assert.ok(Math.abs(into.mean - 10) < 1e-9 && Math.abs(into.peak - 10) < 1e-9, JSON.stringify(into));
  }
  const whole = page.wholeColumns(entry, "frequency");
  assert.deepEqual([0, 1, 2].map(whole), [false, true, true]);
  assert.deepEqual([0, 1, 2].map(page.wholeColumns(entry, "intensity")), [true, true, true]);
});

test("where all that is covered was counted nothing more is said", () => {
  const plain = pack({ title: "t", recordings: [{ clock: "epoch", marks: [] }] }, [{ ...about, columns: columns.map(({ state, covered_us, counts }) => ({ state, covered_us, counts })) }]);
  const all = page.readEntry(page.openDocument(plain), 0);
  assert.equal(all.head.counted, null);
  assert.equal(all.counted, all.covered);
});
