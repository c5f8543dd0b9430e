// The expectations are those of the program's own tests of numbers, ranges and times.
import assert from "node:assert/strict";
import { test } from "node:test";
import { scripts } from "./scripts.mjs";

const { quantity, seconds, nanos, range, span, moment, between, fixed, percent, timeWaited, grouped, quantileName } = scripts(
  ["format.js"],
  ["quantity", "seconds", "nanos", "range", "span", "moment", "between", "fixed", "percent", "timeWaited", "grouped", "quantileName"],
);

test("quantities keep three digits", () => {
  const shown = [0, 0.035, 1, 82.13, 330, 999.6, 4962, 1_320_000, 0.000_5, 0.5].map(quantity);
  assert.deepEqual(shown, ["0", "0.035", "1.00", "82.1", "330", "1.00k", "4.96k", "1.32M", "500µ", "0.5"]);
  const small = [9.946e-4, 9.96e-4, 3.6e-5, 9.996e-7, 3.4e-7, 5e-10, 1e-12, 2e-13, -3.6e-5].map(quantity);
  assert.deepEqual(small, ["995µ", "0.001", "36.0µ", "1.00µ", "340n", "500p", "1.00p", "2.0e-13", "-36.0µ"]);
  assert.equal(seconds(0.0004), "<0.001");
  assert.equal(seconds(0), "0");
  assert.deepEqual([0, 999, 1000, 1_430_103].map(grouped), ["0", "999", "1,000", "1,430,103"]);
});

test("a tie goes to the even digit, as in Rust", () => {
  assert.deepEqual([0.5, 1.5, 2.5, 12.5].map((value) => fixed(value, 0)), ["0", "2", "2", "12"]);
  assert.deepEqual([16.25, 16.75, 0.125, 1.005].map((value, i) => fixed(value, [1, 1, 2, 2][i])), ["16.2", "16.8", "0.12", "1.00"]);
});

test("lengths have three digits and the largest unit", () => {
  const shown = [0, 999, 1024, 16_384_000, 999_600, 128_000, 1_073_741_824, 120_000_000_000].map(nanos);
  assert.deepEqual(shown, ["0ns", "999ns", "1.02µs", "16.4ms", "1ms", "128µs", "1.07s", "120s"]);
});

test("ranges are in one unit and rounded outwards", () => {
  assert.equal(range(16_384_000, 32_768_000), "16.3–32.8ms");
  assert.equal(range(524_288, 1_048_576), "0.524–1.05ms");
  assert.equal(range(11_010_048, 12_058_624), "11–12.1ms");
  assert.equal(range(996, 9_996), "0.996–10µs");
  assert.equal(range(5, 3_000_000_000), "0–3s");
  assert.equal(range(1_048_576_000, null), ">1.04s");
  assert.equal(range(0, 64_000), "<64µs");
  assert.equal(range(0, 65_536), "<65.6µs");
  assert.equal(range(5, 6), "5–6ns");
});

test("a printed range holds every event of its bucket", () => {
  const scale = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };
  const bounds = Array.from({ length: 320 }, (_, i) => (8 + (i % 8)) * 2 ** Math.floor(i / 8));
  bounds.forEach((lo, row) => {
    const hi = bounds[row + 1] ?? 2 ** 43;
    const [, low, high, unit] = /^([\d.]+)–([\d.]+)(\D+)$/.exec(range(lo, hi)) ?? [];
    assert.ok(Number(low) * scale[unit] <= lo * (1 + 1e-14), range(lo, hi));
    assert.ok(Number(high) * scale[unit] >= (hi - 1) * (1 - 1e-14), range(lo, hi));
  });
});

test("spans have two units", () => {
  const shown = [250, 12_000, 1_500, 90_000, 11_100_000, 183_600_000, 0].map((ms) => span(ms * 1000));
  assert.deepEqual(shown, ["250ms", "12s", "1.5s", "1m30s", "3h05m", "2d03h", "0s"]);
});

test("moments are of the recording's clock", () => {
  const at = Date.UTC(2025, 10, 21, 14, 30, 51) * 1000;
  const recording = (clock) => ({ clock, start_us: at });
  assert.equal(moment(recording("epoch"), at), "14:30:51");
  assert.equal(moment(recording("epoch"), at - 100_000), "14:30:51", "the sentences say the nearest second");
  assert.equal(between(recording("epoch"), at - 100_000, at + 59.9e6), "2025-11-21 14:30:51–14:31:51 UTC, 1m");
  assert.equal(moment(recording("time of day"), at + 1500, true), "14:30:51.001");
  assert.equal(moment(recording("arbitrary"), at + 90e6), "+1m30s");
  assert.equal(between(recording("epoch"), at, at + 3600e6), "2025-11-21 14:30:51–15:30:51 UTC, 1h");
  assert.equal(between(recording("epoch"), at, at + 10 * 3600e6), "2025-11-21 14:30:51 – 2025-11-22 00:30:51 UTC, 10h");
  assert.equal(between(recording("time of day"), at, at + 60e6), "14:30:51–14:31:51 local time, 1m");
  assert.equal(between(recording("assumed"), at, at + 60e6), "1m, intervals assumed");
  assert.equal(moment(recording("epoch"), 1e300), "");
});

test("times waited are those of the terminal", () => {
  const shown = [0, 1, 344_000, 4_360_000_000, 1_360_400_000_000, 5_000_000_000_000].map(timeWaited);
  assert.deepEqual(shown, ["0 s", "1.00 ns", "344 µs", "4.36 s", "1,360 s", "5,000 s"]);
});

test("shares and quantiles have names", () => {
  assert.deepEqual([0, 0.000_01, 0.000_999, 0.01, 0.0346, 0.5, 0.9949, 0.9999, 1].map(percent), ["0%", "<0.1%", "<0.1%", "1%", "3.5%", "50%", "99%", ">99%", "100%"]);
  assert.deepEqual([0.5, 0.99, 0.999, 1].map(quantileName), ["p50", "p99", "p99.9", "max"]);
});
