// Where the buffers of a cache are drawn, and what a header says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { scripts } from "./scripts.mjs";

const page = scripts(["cache-layout.js"], ["cacheLayout", "cacheOrder", "cacheLengths", "cacheHeaderText", "cacheTurned"]);

/** Chain 0: headers 1, 0; chain 1: header 2, dirty, to be written; header 3 free; header 4, a clone, on chain 1. */
const MOMENT = {
  references: 10,
  hits: 4,
  block: [7, 9, 8, -1, 8],
  chain: [0, 0, 1, -1, 1],
  place: [1, 0, 1, -1, 0],
  list: [2, 1, 3, 0, 2],
  rank: [1, 0, 0, -1, 2],
  touches: [1, 3, 1, 0, 1],
  state: [0, 0, 1, 0, 2],
};
const PICTURE = { chains: 2, latches: [0, 0], moments: [MOMENT] };

const layout = (focus, orientation = "down") => page.cacheLayout(PICTURE, MOMENT, { focus, orientation });

test("each focus shows its buffers in its order", () => {
  assert.deepEqual(page.cacheOrder(MOMENT, "chains"), [1, 0, 4, 2]);
  assert.deepEqual(page.cacheOrder(MOMENT, "lru"), [1, 0, 4]);
  assert.deepEqual(page.cacheOrder(MOMENT, "write"), [2]);
  assert.deepEqual(page.cacheOrder(MOMENT, "headers"), [0, 1, 2, 3, 4]);
  assert.deepEqual(page.cacheLengths(MOMENT, 2), [2, 2, 2, 0, 2]);
});

test("links join what follows each other on a chain or a list", () => {
  const links = (focus) => layout(focus).links.map((link) => link.join(" ")).join(", ");
  assert.equal(links("chains"), "1 0 0, 4 2 0");
  assert.equal(links("lru"), "1 0 2, 0 4 2");
  assert.equal(links("write"), "");
  assert.equal(layout("all").links.length, 4);
});

test("chains grow in five directions, and everything stays in the picture", () => {
  const down = layout("chains");
  assert.deepEqual([down.x[1], down.y[1], down.x[0], down.y[0]], [0.25, 0.25, 0.25, 0.75]);
  const right = layout("chains", "right");
  assert.deepEqual([right.x[0], right.y[0]], [0.75, 0.25]);
  for (const focus of ["all", "chains", "lru", "write", "headers"]) {
    for (const orientation of ["down", "up", "right", "left", "circle"]) {
      const { x, y, order } = layout(focus, orientation);
      for (const at of order) {
        assert.ok(x[at] >= 0 && x[at] <= 1 && y[at] >= 0 && y[at] <= 1, `${focus} ${orientation} ${at}`);
      }
      const shown = new Set(order);
      assert.ok([...x].every((place, at) => Number.isNaN(place) !== shown.has(at)));
      const places = new Set(order.map((at) => `${x[at].toFixed(6)} ${y[at].toFixed(6)}`));
      assert.equal(places.size, order.length, `${focus} ${orientation}: no two in one place`);
    }
  }
});

test("a header that stays on its chain stays where it is from one moment to the next", () => {
  const before = { ...MOMENT, chain: [0, 0, 1, -1, -1], place: [1, 0, 0, -1, -1] };
  const after = { ...MOMENT, chain: [0, 0, 1, -1, 0], place: [1, 0, 0, -1, 2] };
  const picture = { ...PICTURE, moments: [before, after] };
  const [one, other] = [before, after].map((moment) => page.cacheLayout(picture, moment, { focus: "chains", orientation: "down" }));
  for (const at of [0, 1, 2]) assert.deepEqual([one.x[at], one.y[at]], [other.x[at], other.y[at]]);
  assert.equal(other.y[4], 5 / 6);
});

test("the same buffers are drawn in the same places", () => {
  assert.deepEqual(layout("all", "circle"), layout("all", "circle"));
});

test("a header says all there is to know of it", () => {
  const text = (at) => page.cacheHeaderText(PICTURE, MOMENT, at);
  assert.equal(text(3), "Buffer 4: free");
  assert.equal(text(2), "Buffer 3: block 8 · chain 2, place 2, latch 1 · write list, place 1 · touched once · dirty");
  assert.equal(text(1), "Buffer 2: block 9 · chain 1, place 1, latch 1 · hot half of the LRU list, place 1 · touched 3 times");
  assert.match(text(4), /an older version \(clone\) of block 8/);
});

/** A handle with two child cursors, and another handle in the same bucket. */
const LIBRARY = {
  references: 4,
  hits: 1,
  block: [7, 7, 7, 9],
  chain: [0, 0, 0, 0],
  place: [0, 1, 2, 3],
  list: [0, 1, 2, 0],
  rank: [-1, 0, 1, -1],
  touches: [3, 2, 1, 0],
  state: [0, 1, 2, 2],
  parent: [-1, 0, 0, -1],
  text: ["Handle of statement 8", "Child cursor 0", "Child cursor 1", "Handle of statement 10"],
};

test("child cursors hang on their handle, handles on their bucket", () => {
  const picture = { chains: 1, latches: [0], moments: [LIBRARY] };
  const { links, x } = page.cacheLayout(picture, LIBRARY, { focus: "chains", orientation: "down" });
  assert.equal(links.map((link) => link.join(" ")).join(", "), "0 3 0, 0 1 0, 0 2 0");
  assert.ok(x[0] === x[3] && x[1] === x[2] && x[0] < x[1]);
  assert.equal(page.cacheHeaderText(picture, LIBRARY, 1), "Child cursor 0");
});
