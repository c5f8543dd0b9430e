// What a printed number is worth when a table is put in order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { scripts } from "./scripts.mjs";

const { valueOf } = scripts(["table.js"], ["valueOf"]);

test("numbers, lengths of time and ranges are put in order by what they are worth", () => {
  const ordered = ["-46.7", "0", "+0.3", "12%", "95 ns", "120µs", "131–148µs", "1.04ms", "12.4 s", "1m57s", "3h5m"];
  const values = ordered.map(valueOf);
  assert.ok(values.every((value) => value !== null), String(values));
  const seconds = ordered.slice(4).map(valueOf);
  [95e-9, 120e-6, 131e-6, 1.04e-3, 12.4, 117, 11_100].forEach((truth, at) => assert.ok(Math.abs(seconds[at] / truth - 1) < 1e-12, String(seconds)));
  assert.equal(valueOf("≈×2.70"), 2.7);
  assert.equal(valueOf("−17.6"), -17.6);
  assert.equal(valueOf("283,128"), 283_128);
  assert.equal(valueOf("34.9k"), 34_900);
  for (const words of ["slower", "", "unknown", "block I/O sda"]) assert.equal(valueOf(words), null, words);
});
