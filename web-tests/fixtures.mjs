// The measurements that the tests look at, with what is planted in them.
import { logLinear, pack, page, random } from "./pack.mjs";

const OCTAVES = Array.from({ length: 17 }, (_, i) => 2 ** (14 + i));
const BOUNDS = logLinear(15, 30).concat(null);
export const DAY = Date.UTC(2025, 10, 21, 14, 0, 0) * 1000;

/** Where the burst is: columns of seconds, and latencies. */
export const BURST = { from: 25 * 60, to: 33 * 60, lo_ns: 8.5e6, hi_ns: 33e6 };
export const HOSTILE = "<script>alert(1)</script>";

function rowOf(bounds, ns) {
  let row = 0;
  while (row + 2 < bounds.length && bounds[row + 1] !== null && ns >= bounds[row + 1]) row++;
  return row;
}

/** A hour at one second: two bands, and a burst by one program on one file. */
function hour() {
  const next = random(7);
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const weighted = (weights) => {
    let left = next() * Object.values(weights).reduce((a, b) => a + b, 0);
    for (const [value, weight] of Object.entries(weights)) if ((left -= weight) < 0) return value;
    return Object.keys(weights)[0];
  };
  const keys = { program: ["RMAN", "oracle@app1", "oracle@app2", "(other)"], "file#": ["12", "7", "3", HOSTILE] };
  const columns = [];
  for (let second = 0; second < 3600; second++) {
    const burst = second >= BURST.from && second < BURST.to;
    const counts = new Array(BOUNDS.length - 1).fill(0);
    const values = Object.fromEntries(Object.entries(keys).map(([key, of]) => [key, Object.fromEntries(of.map((value) => [value, counts.map(() => 0)]))]));
    let sum_ns = 0;
    const add = (ns, program, file) => {
      const row = rowOf(BOUNDS, ns);
      counts[row]++;
      values.program[program][row]++;
      values["file#"][file][row]++;
      sum_ns += Math.round(ns);
    };
    const reads = 260 + Math.round(40 * Math.sin(second / 300));
    for (let i = 0; i < reads; i++) {
      const kind = next();
      const [middle, spread] = kind < 0.7 ? [2.4e5, 0.4] : kind < 0.97 ? [6.5e6, 0.35] : [3e7, 0.9];
      add(Math.max(middle * Math.exp(spread * normal()), 33000), weighted({ RMAN: 3, "oracle@app1": 48, "oracle@app2": 38, "(other)": 11 }), weighted({ 12: 11, 7: 48, 3: 21, [HOSTILE]: 20 }));
    }
    if (burst) {
      for (let i = 0; i < 110; i++) add(1.6e7 * Math.exp(0.3 * normal()), weighted({ RMAN: 90, "oracle@app1": 6, "oracle@app2": 4 }), weighted({ 12: 88, 7: 6, 3: 6 }));
    }
    columns.push({ state: 0, covered_us: 1e6, counts, sum_ns, values });
  }
  return {
    label: "db file sequential read", t0_us: DAY, width_us: 1e6, native_us: 1e6, bounds: BOUNDS, columns, keys, octaves: OCTAVES.concat(null),
    sentences: ["Two bands: near ≈0.24ms (63% of events) and near ≈8ms (37%); the mean describes neither.", "From 14:25 to 14:33 a band near 16ms appears and has half of the wait.", "1% of the events, the slowest, have 10% of the time waited."],
  };
}

/** Power-of-two buckets with a gap and a reset, at ten seconds. */
function coarse() {
  const next = random(11);
  const bounds = [0, ...Array.from({ length: 16 }, (_, i) => 1000 * 2 ** i), null];
  const columns = [];
  for (let index = 0; index < 360; index++) {
    const state = index >= 120 && index < 150 ? 1 : index >= 240 && index < 246 ? 2 : 0;
    const counts = bounds.slice(1).map((_, row) => (state ? 0 : Math.round(4000 * Math.exp(-((row - 8 - 2 * Math.sin(index / 40)) ** 2) / 3) * (0.8 + 0.4 * next()))));
    if (!state && index % 37 === 0) counts[16] = 3;
    columns.push({ state, covered_us: state ? 0 : 1e7, counts });
  }
  return { label: "log file sync", t0_us: DAY, width_us: 1e7, native_us: 1e7, bounds, columns, sentences: ["One band near ≈0.3ms that moves up and down."] };
}

/** Columns that stand for fifteen intervals, one of which was fifty times the others. */
function coarsened() {
  const bounds = logLinear(16, 24);
  const columns = Array.from({ length: 240 }, (_, index) => {
    const counts = bounds.slice(1).map((_, row) => Math.round(300 * Math.exp(-((row - 30) ** 2) / 60)));
    const peaks = counts.map((count) => Math.ceil(count / 12));
    if (index === 100) {
      counts[50] += 600;
      peaks[50] = 600;
    }
    return { state: 0, covered_us: 15e6, counts, peaks };
  });
  return { label: "coarsened", t0_us: DAY, width_us: 15e6, native_us: 1e6, bounds, columns, sentences: [] };
}

const RECORDING = {
  label: "FREEPDB1", source: "oracle://app@db/FREEPDB1", host: "db1", clock: "epoch", start_us: DAY, end_us: DAY + 3600e6,
  command: "isotherm record oracle://app@db/FREEPDB1 -o x.heat", isotherm_version: "0.1.0", sha256: "ab".repeat(32), bytes: 123456,
  input: { records: 3600, rejected: 2, rejected_events: 5, resets: 1, gaps: 31, events: 5260000, lost: 0, ignored_lines: 0 },
  marks: [{ at_us: DAY + BURST.from * 1e6, text: `backup starts ${HOSTILE}` }, { at_us: DAY + BURST.to * 1e6, text: "backup ends" }],
};
const OTHER = { ...RECORDING, label: "second.heat", clock: "arbitrary", start_us: 5e6, end_us: 305e6, host: null, command: null, sha256: null, bytes: null, marks: [] };

/** A short series of another recording, whose clock has no day, whose label is hostile. */
function short() {
  const bounds = [0, 1e6, 5e6, 1e7, 2.5e7, 1e8, 1e9, null];
  const columns = Array.from({ length: 300 }, (_, index) => ({ state: 0, covered_us: 1e6, counts: [index % 3, 20 + (index % 7), 11, 5, index % 2, 0, index === 200 ? 1 : 0] }));
  return { recording: 1, label: `${HOSTILE} & "quoted"`, t0_us: 5e6, width_us: 1e6, native_us: 1e6, bounds, columns, sentences: ["<img src=x onerror=alert(2)> is not markup."] };
}

/** The entries, as they were before they were packed. */
export function measurements() {
  return [hour(), coarse(), coarsened(), short()];
}

export function report(entries = measurements()) {
  const title = "isotherm report: FREEPDB1";
  const not_drawn = [{ label: `rare ${HOSTILE}`, events: 1234, waited_s: 5.5 }];
  return page(title, pack({ title, command: "isotherm report x.heat -o x.html", recordings: [RECORDING, OTHER], not_drawn }, entries));
}
