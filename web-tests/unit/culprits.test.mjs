// One of fifty sessions is slow for a while, twelve ways: the page's arithmetic names it first, on
// data packed by the format's description and, where the program has been built, on the program's
// own reports, where `isotherm explain` says the same.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { logLinear, pack, random } from "../pack.mjs";
import { scripts } from "./scripts.mjs";

const model = scripts(["decode.js", "model.js", "estimate.js", "distinguishing.js"], ["openDocument", "readEntry", "whatDiffers"]);
const target = process.env.CARGO_TARGET_DIR ?? new URL("../../target", import.meta.url).pathname;
const program = process.env.ISOTHERM ?? join(target, "release", "isotherm");

const START = 1763733600;
const LENGTH = 300;
const SESSIONS = 50;
const name = (number) => `s${String(number).padStart(2, "0")}`;

/** Events a second, the length of the slow window, and the share of the culprit's events slow in it. */
const VARIATIONS = [100, 400].flatMap((rate) => [20, 60].flatMap((window) => [0.3, 0.6, 1].map((share) => ({ rate, window, share }))));

/** Events as [time in s, latency in ns, session, file]; the culprit's own rate is that of the others. */
function planted({ rate, window, share }, seed) {
  const next = random(seed);
  const culprit = name(Math.floor(next() * SESSIONS));
  const from = 40 + Math.floor(next() * (LENGTH - window - 80));
  const events = [];
  for (let at = 0; at < LENGTH * rate; at++) {
    const time = at / rate;
    const session = name(Math.floor(next() * SESSIONS));
    const slow = session === culprit && time >= from && time < from + window && next() < share;
    // One event of 2,000 is slow wherever it is.
    const long = slow || next() < 0.0005;
    events.push([time, Math.round((long ? 40e6 : 1e6) * (0.7 + 0.6 * next())), session, `f${Math.floor(next() * 4)}`]);
  }
  return { events, culprit, from, to: from + window };
}

/** The same as columns of a second of an entry. */
function packed(events) {
  const bounds = logLinear(18, 27);
  const zeros = () => bounds.slice(1).map(() => 0);
  const values = () => ({ session: {}, file: {} });
  const columns = Array.from({ length: LENGTH }, () => ({ state: 0, covered_us: 1e6, counts: zeros(), values: values() }));
  const keys = { session: Array.from({ length: SESSIONS }, (_, number) => name(number)), file: ["f0", "f1", "f2", "f3"] };
  for (const [time, latency, session, file] of events) {
    const column = columns[Math.floor(time)];
    const row = bounds.findLastIndex((bound) => bound <= latency);
    column.counts[row]++;
    for (const [key, value] of [["session", session], ["file", file]]) (column.values[key][value] ??= zeros())[row]++;
  }
  const octaves = bounds.filter((_, row) => row % 8 === 0);
  return pack({ title: "t", recordings: [{ clock: "epoch", marks: [] }] }, [{ label: "x", t0_us: START * 1e6, width_us: 1e6, native_us: 1e6, bounds, octaves, tile: 2, keys, columns }]);
}

/** The region of an entry from one second to another above a latency. */
function regionOf({ head, columns, rows }, from, to, above) {
  const column = (second) => Math.min(Math.max(Math.round(((START + second) * 1e6 - head.t0_us) / head.width_us), 0), columns);
  return { from: column(from), to: column(to), low: head.bounds_ns.findIndex((bound) => bound >= above), high: rows };
}

const first = (entry, { from, to }) => {
  const { rows } = model.whatDiffers(entry, regionOf(entry, from, to, 8e6));
  return `${rows[0]?.key}=${rows[0]?.value}`;
};

test("a culprit of fifty is named first, twelve times of twelve", () => {
  const found = VARIATIONS.map((variation, index) => {
    const given = planted(variation, 100 + index);
    return first(model.readEntry(model.openDocument(packed(given.events)), 0), given) === `session=${given.culprit}`;
  });
  assert.deepEqual(found, new Array(12).fill(true));
});

test("the program's page and explain name it first, too", { skip: existsSync(program) ? false : `there is no ${program}: it runs the program 24 times, build it with --release first` }, () => {
  const directory = mkdtempSync(join(tmpdir(), "isotherm-culprits-"));
  try {
    VARIATIONS.forEach((variation, index) => {
      const given = planted(variation, 100 + index);
      const [input, page] = [join(directory, "x.csv"), join(directory, `${index}.html`)];
      writeFileSync(input, given.events.map(([time, ...rest]) => `${(START + time).toFixed(6)},${rest.join(",")}\n`).join(""));
      const columns = ["--columns", "time,latency,session,file", "--unit", "ns"];
      execFileSync(program, ["report", input, ...columns, "-o", page], { stdio: "ignore" });
      const data = /<script type="application\/octet-stream" id="isotherm-data">([^<]*)</.exec(readFileSync(page, "utf8"))[1];
      const entry = model.readEntry(model.openDocument(gunzipSync(Buffer.from(data, "base64"))), 0);
      assert.deepEqual([...entry.facets.map((facet) => [facet.key, facet.others])].map((one) => [...one]), [["file", 0], ["session", 0]]);
      assert.equal(first(entry, given), `session=${given.culprit}`, `the page of variation ${index}`);
      const when = (second) => new Date((START + second) * 1000).toISOString();
      const said = JSON.parse(execFileSync(program, ["explain", input, ...columns, "--from", when(given.from), "--to", when(given.to), "--above", "8ms", "--format", "json"]));
      const [attribute] = said.attributes;
      assert.equal(`${attribute.name}=${attribute.values[0].value}`, `session=${given.culprit}`, `explain of variation ${index}`);
      const selected = given.events.filter(([time, latency]) => time >= given.from && time < given.to && latency >= 8e6);
      assert.equal(said.selected.events, selected.length);
      assert.equal(attribute.values[0].selected.events, selected.filter(([, , session]) => session === given.culprit).length);
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
});
