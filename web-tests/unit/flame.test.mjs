// The tree of a flame graph's page: what is counted, found and compared.
import assert from "node:assert/strict";
import { test } from "node:test";
import { scripts } from "./scripts.mjs";

const page = scripts(["element.js", "format.js", "flame-tree.js"], ["flameTree", "placeFlame", "recountFlame", "flameFunctions", "flameMatches", "flameMatcher", "plainName"]);

/** main 10: f 7 (of it f 2, g 4), g 3. */
const DOC = { names: ["main", "f", "g"], name: [0, 1, 1, 2, 2], depth: [1, 2, 3, 3, 2], own: [0, 1, 2, 4, 3], before: null, unit: "samples" };

function appOf(doc) {
  const tree = page.flameTree(doc);
  page.placeFlame(tree);
  return { doc, tree };
}

test("a node is as wide as what stands on it", () => {
  const { tree } = appOf(DOC);
  assert.deepEqual([...tree.total], [10, 10, 7, 2, 4, 3]);
  assert.deepEqual([...tree.left], [0, 0, 0, 0, 2, 7]);
  assert.deepEqual([...tree.end], [6, 6, 5, 4, 5, 6]);
});

test("a function that calls itself counts once", () => {
  const rows = page.flameFunctions(appOf(DOC)).map(({ name, own, total }) => [name, own, total]);
  assert.deepEqual(rows, [["g", 7, 7], ["f", 3, 7], ["main", 0, 10]]);
});

test("what is found counts each stack once", () => {
  const app = appOf(DOC);
  const sum = (text) => page.flameMatches(app, page.flameMatcher(text)).sum;
  assert.deepEqual([sum("F"), sum("/^[fg]$/"), sum("main"), sum("none")], [7, 10, 10, 0]);
  assert.equal(page.flameMatcher(""), null);
});

test("a part of the time has counts of its own", () => {
  const app = appOf(DOC);
  page.recountFlame(app.tree, Float64Array.from([0, 0, 0, 1, 0, 0]));
  assert.deepEqual([...app.tree.total], [1, 1, 1, 1, 0, 0]);
});

test("a comparison names what changed most, and what is gone", () => {
  const app = appOf({ ...DOC, own: [0, 0, 0, 4, 0], before: [0, 5, 0, 0, 5] });
  const rows = page.flameFunctions(app).map(({ name, change }) => [name, change]);
  assert.deepEqual(rows, [["f", -0.5], ["g", 0.5], ["main", 0]]);
  const gone = page.flameFunctions(appOf({ ...DOC, own: [4, 0, 0, 0, 0], before: [0, 0, 2, 2, 0] }));
  assert.deepEqual(gone.map(({ name, ownBefore, totalBefore, total }) => [name, ownBefore, totalBefore, total]), [["main", 0, 4, 4], ["f", 2, 4, 0], ["g", 2, 2, 0]]);
});

test("the mark of the kernel is no part of a name", () => {
  assert.deepEqual(["ksys_read_[k]", "f_[i]", "a[k]"].map(page.plainName), ["ksys_read", "f", "a[k]"]);
});
