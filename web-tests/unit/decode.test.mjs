import assert from "node:assert/strict";
import { test } from "node:test";
import { cellRuns, pack, runs, varints } from "../pack.mjs";
import { scripts } from "./scripts.mjs";

const { openDocument, readEntry, Varints } = scripts(["decode.js", "model.js", "estimate.js"], ["openDocument", "readEntry", "Varints"]);
const plain = (values) => (values === null ? null : [...values]);

test("numbers are unsigned LEB128, up to 2^53", () => {
  // By hand: 300 = 0b10_0101100.
  assert.deepEqual(varints([300]), [0b1010_1100, 0b10]);
  const numbers = [0, 1, 127, 128, 300, 2 ** 31, 2 ** 32 + 5, 2 ** 53 - 1];
  const bytes = Uint8Array.from(varints(numbers));
  const from = new Varints(bytes, [0, bytes.length]);
  assert.deepEqual(numbers.map(() => from.next()), numbers);
  assert.throws(() => from.next(), /ends too early/);
});

test("runs of cells are what the format says", () => {
  assert.deepEqual(runs([1, 1, 1, 0]), [1, 3, 0, 1]);
  assert.deepEqual(cellRuns([0, 0, 5, 6, 0, 7]), [2, 2, 2, 5, 6, 1, 1, 7]);
  assert.deepEqual(cellRuns([0, 0]), [0]);
});

const columns = [
  { state: 0, covered_us: 1e6, counts: [0, 3, 0, 200], sum_ns: 900_000, peaks: [0, 2, 0, 150], values: { program: { a: [0, 3, 0, 150], b: [0, 0, 0, 50] } } },
  { state: 1, covered_us: 0, counts: [0, 0, 0, 0] },
  { state: 2, covered_us: 0, counts: [0, 0, 0, 0] },
  { state: 0, covered_us: 500_000, counts: [1, 0, 0, 0], sum_ns: 40, peaks: [1, 0, 0, 0], values: { program: { a: [1, 0, 0, 0] } } },
];
const bounds = [0, 1000, 2000, 4000, null];
const about = { label: "x", t0_us: 0, width_us: 1e6, native_us: 1e6, bounds, octaves: bounds, tile: 2, keys: { program: ["a", "b"] } };
const open = (entry) => openDocument(pack({ title: "t", recordings: [{}] }, [entry]));

test("an entry comes out as it went in", () => {
  const entry = readEntry(open({ ...about, columns }), 0);
  assert.deepEqual(plain(entry.counts), columns.flatMap((column) => column.counts));
  assert.deepEqual(plain(entry.peaks), columns.flatMap((column) => column.peaks ?? [0, 0, 0, 0]));
  assert.deepEqual(plain(entry.state), [0, 1, 2, 0]);
  assert.deepEqual(plain(entry.covered), [1, 0, 0, 0.5]);
  // Two tiles of two columns, two values, four octaves: what is not zero.
  const { values, at, place, count } = entry.facets[0];
  assert.deepEqual(plain(values), ["a", "b"]);
  assert.deepEqual(plain(count.map((one, i) => [values[at[i]], place[i], one])).map(plain), [["a", 1, 3], ["a", 3, 150], ["b", 3, 50], ["a", 4, 1]]);
});

test("time waited is mid-points, scaled so that each column has its exact sum", () => {
  const exact = readEntry(open({ ...about, columns }), 0);
  assert.deepEqual(plain(exact.waited).map((s) => Math.round(s * 1e9)), [900_000, 0, 0, 40]);
  // 3 x 1500 + 200 x 4000 = 804,500 ns by mid-points; a bucket without upper bound counts its lower.
  assert.ok(Math.abs(exact.lift[0] - 900_000 / 804_500) < 1e-12);
  const rough = readEntry(open({ ...about, columns: columns.map(({ sum_ns, ...column }) => column) }), 0);
  assert.deepEqual(plain(rough.waited).map((s) => Math.round(s * 1e9)), [804_500, 0, 0, 500]);
});

test("data that is cut off or does not fit says so", () => {
  const packed = pack({ title: "t", recordings: [{}] }, [{ ...about, columns }]);
  assert.throws(() => openDocument(packed.subarray(0, 40)), /cut off/);
  assert.throws(() => readEntry(openDocument(packed.subarray(0, packed.length - 1)), 0), /cut off/);
  const doc = openDocument(packed);
  doc.head.entries[0].bounds_ns = [0, 1000, 2000];
  assert.throws(() => readEntry(doc, 0), /outside its map/);
  doc.head.format = 2;
  const other = Buffer.from(packed);
  other.write("2", packed.indexOf('"format":1') + 9);
  assert.throws(() => openDocument(other), /format 2/);
});
