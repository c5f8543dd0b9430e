// Packs synthetic measurements as a report's document (HTML data format 1) and puts the page
// together, for development and for the tests. Written from the format's description, apart from
// the program that writes real reports.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

const ASSETS = new URL("../crates/report/assets/", import.meta.url);

/** Bytes of unsigned LEB128 numbers. */
export function varints(numbers) {
  const bytes = [];
  for (let number of numbers) {
    while (number >= 128) {
      bytes.push((number % 128) + 128);
      number = Math.floor(number / 128);
    }
    bytes.push(number);
  }
  return bytes;
}

/** Pairs of value and run. */
export function runs(values) {
  const pairs = [];
  for (const value of values) {
    if (pairs.length > 0 && pairs.at(-2) === value) pairs[pairs.length - 1]++;
    else pairs.push(value, 1);
  }
  return pairs;
}

/** A column's counts as runs of cells that are not zero. */
export function cellRuns(counts) {
  const found = [];
  let skipped = 0;
  for (let row = 0; row < counts.length; ) {
    if (counts[row] === 0) {
      skipped++;
      row++;
      continue;
    }
    const run = [];
    while (row < counts.length && counts[row] > 0) run.push(counts[row++]);
    found.push([skipped, run.length, ...run]);
    skipped = 0;
  }
  return [found.length, ...found.flat()];
}

/** Seeded random numbers from 0 to 1 (mulberry32). */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Eight linear parts of each octave of nanoseconds from one power of two to another. */
export function logLinear(from, to) {
  const bounds = [];
  for (let power = from; power < to; power++) {
    for (let part = 8; part < 16; part++) bounds.push(part * 2 ** (power - 3));
  }
  return [...bounds, 2 ** to];
}

export const QUANTILES = [0.5, 0.9, 0.99, 0.999, 1];

/** The bounds of the bucket of rank ceil(q n), counted out one by one. */
export function quantile(bounds, histogram, q) {
  const n = histogram.reduce((a, b) => a + b, 0);
  // In whole thousandths: of 1,000 events p99.9 is the 999th.
  let left = Math.min(Math.max(Math.ceil((Math.round(q * 1000) * n) / 1000), 1), n);
  for (let row = 0; row < histogram.length; row++) {
    left -= histogram[row];
    if (left <= 0 && histogram[row] > 0) return { lo: bounds[row], hi: bounds[row + 1] };
  }
  return null;
}

const mid = (lo, hi) => (hi === null ? lo : lo + Math.floor((hi - lo) / 2)) / 1e9;

/**
 * Packs entries: each { about, bounds, columns: [{ state, covered_us, counts, sum_ns?, times_ns?,
 * unplaced?, peaks?, values?: { key: { value: counts } } }], ... }. `times_ns` is what was waited in
 * each cell, where that does not follow from counts; `unplaced` in thousandths.
 */
export function pack(head, entries) {
  const body = [];
  const block = (numbers) => {
    const bytes = varints(numbers);
    const at = [body.length, bytes.length];
    for (const byte of bytes) body.push(byte);
    return at;
  };
  const packed = entries.map((entry) => packEntry(entry, block));
  const json = Buffer.from(JSON.stringify({ format: 1, generator: "isotherm fixture", command: "", not_drawn: [], compare: null, ...head, entries: packed }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([length, json, Buffer.from(body)]);
}

/** What was waited in the cells of a column: its total, and every cell as a time of its own, to three digits. */
function timeNumbers({ counts, times_ns }) {
  const alone = (ns) => {
    const halvings = Math.max(Math.ceil(Math.log2(ns + 1)) - 10, 0);
    return Math.floor(ns / 2 ** halvings) * 64 + halvings;
  };
  const beside = counts.flatMap((count, row) => (count > 0 ? [0, alone(times_ns[row])] : []));
  const others = times_ns.flatMap((ns, row) => (ns > 0 && counts[row] === 0 ? [row] : []));
  const placed = others.flatMap((row, at) => [at === 0 ? row : row - others[at - 1] - 1, alone(times_ns[row])]);
  return [times_ns.reduce((all, ns) => all + ns, 0), ...beside, others.length, ...placed];
}

function packEntry({ columns, bounds, keys = {}, tile = 15, octaves, ...about }, block) {
  const data = columns.filter((column) => column.state === 0);
  const total = bounds.slice(1).map((_, row) => data.reduce((all, column) => all + column.counts[row], 0));
  const events = total.reduce((a, b) => a + b, 0);
  const exact = data.length > 0 && data.every((column) => column.sum_ns !== undefined);
  const rough = total.reduce((all, count, row) => all + count * mid(bounds[row], bounds[row + 1]), 0);
  const waited = exact ? data.reduce((all, column) => all + column.sum_ns, 0) / 1e9 : rough;
  const quantiles = events === 0 ? [] : QUANTILES.map((q) => {
    const { lo, hi } = quantile(bounds, total, q);
    return { q, lo_ns: lo, hi_ns: hi, estimate_ns: hi === null ? lo : Math.sqrt(Math.max(lo, 1) * hi), unstable: false };
  });
  return {
    recording: 0, name: about.label, attributes: {}, kind: "series", members: 1, outside: 0, findings: {}, sentences: [],
    ...about,
    columns: columns.length, bounds_ns: bounds, events, waited_s: waited, exact,
    covered_s: columns.reduce((all, column) => all + column.covered_us, 0) / 1e6,
    counted_s: columns.reduce((all, column) => all + (column.counted_us ?? column.covered_us), 0) / 1e6,
    mean_ns: events > 0 ? (waited / events) * 1e9 : null, quantiles,
    state: block(runs(columns.map((column) => column.state))),
    covered: block(runs(columns.map((column) => column.covered_us))),
    counted: columns.some((column) => column.counted_us !== undefined) ? block(runs(columns.map((column) => column.counted_us ?? column.covered_us))) : null,
    cells: block(data.flatMap((column) => cellRuns(column.counts))),
    times: data.some((column) => column.times_ns) ? block(data.flatMap((column) => (column.times_ns ? [1, ...timeNumbers(column)] : [0]))) : null,
    unplaced: columns.some((column) => column.unplaced) ? block(runs(columns.map((column) => column.unplaced ?? 0))) : null,
    sums: exact ? block(data.map((column) => column.sum_ns)) : null,
    peaks: data.some((column) => column.peaks) ? block(data.flatMap((column) => column.peaks.filter((_, row) => column.counts[row] > 0))) : null,
    tile_columns: tile, octaves_ns: octaves ?? bounds,
    facets: Object.entries(keys).map(([key, values]) => ({ key, values, others: 0, block: block(facetNumbers({ columns, bounds, tile, octaves: octaves ?? bounds }, key, values)) })),
  };
}

function facetNumbers({ columns, bounds, tile, octaves }, key, values) {
  const numbers = [];
  for (let from = 0; from < columns.length; from += tile) {
    for (const value of values) {
      const sums = octaves.slice(1).map(() => 0);
      for (const column of columns.slice(from, from + tile)) {
        column.values?.[key][value]?.forEach((count, row) => {
          const octave = octaves.findLastIndex((bound) => bound !== null && bound <= bounds[row]);
          sums[Math.min(octave, sums.length - 1)] += count;
        });
      }
      const pairs = [];
      let skipped = 0;
      for (const sum of sums) {
        if (sum === 0) skipped++;
        else {
          pairs.push(skipped, sum);
          skipped = 0;
        }
      }
      numbers.push(pairs.length / 2, ...pairs);
    }
  }
  return numbers;
}

/** The packed scripts in the order they stand in: by name, the one that starts the page last. */
export function scriptNames() {
  // What begins with flame is of the page of flame graphs, with awr of that of AWR's history, with cache of that of a cache, with live of live pages.
  const names = readdirSync(ASSETS).filter((name) => name.endsWith(".js") && !/^(flame|awr|cache|live)/.test(name)).sort();
  return [...names.filter((name) => name !== "start.js" && name !== "boot.js"), "start.js"];
}

export const source = (name) => readFileSync(new URL(name, ASSETS), "utf8");

/** Without what only readers of the source need: comments on lines of their own and indentation. */
export function bare(text) {
  let inside = false;
  const kept = text.split("\n").map((line) => line.trim()).filter((line) => {
    // A comment followed by code on its line, such as a cast, stays.
    const opens = line.startsWith("/**") && (line.endsWith("*/") || !line.includes("*/"));
    const comment = inside || opens || line.startsWith("//");
    if (inside || opens) inside = !line.endsWith("*/");
    return !comment && line !== "";
  });
  return kept.join("\n") + "\n";
}

/** The packed script. */
export const script = () => `(() => {\n"use strict";\n${scriptNames().map((name) => bare(source(name))).join("")}})();\n`;

/** The whole page. */
export function page(title, packed, fixed = "") {
  const [style, boot, main] = [bare(source("style.css")), bare(source("boot.js")), script()];
  const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const csp = `default-src 'none'; style-src ${hash(style)}; script-src ${hash(boot)} ${hash(main)}; img-src data: blob:; base-uri 'none'; form-action 'none'`;
  const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const gzip = (bytes) => gzipSync(bytes, { level: 9 }).toString("base64");
  const parts = { '"CSP"': `"${csp}"`, TITLE: escape(title), "/*STYLE*/": style, "<!--STATIC-->": fixed, ">DATA<": `>${gzip(packed)}<`, ">PACKED<": `>${gzip(main)}<`, "/*BOOT*/": boot };
  return source("page.html").replace(/"CSP"|TITLE|\/\*STYLE\*\/|<!--STATIC-->|>DATA<|>PACKED<|\/\*BOOT\*\//g, (marker) => parts[marker]);
}
