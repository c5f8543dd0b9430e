// The types that the report's scripts name. They are checked, never shipped.

type MapKind = "frequency" | "intensity";
type Missing = "" | "some" | "all" | "reset";
type Block = [offset: number, length: number];
type Rate = { mean: number; peak: number };
type Box = { x: number; y: number; width: number; height: number };
type Cursor = { column: number; row: number };
/** Columns from..to and rows low..high, ends not included. */
type Region = { from: number; to: number; low: number; high: number };
type Ink = { page: string; ink: string; muted: string; line: string; hatch: string; accent: string; warm: string };
type Legend = { scale: string; steps: number[]; max: number; highest: number };
type Quantile = { q: number; row: number; lo: number; hi: number | null; estimate: number };
/** Shares of the events, or of the time waited where that differs more. */
type Difference = { key: string; value: string; inside: number; rest: number; z: number; weight: number; ofTime: boolean };
type Amounts = { eventsIn: number; waitedIn: number; squaresIn: number; eventsOut: number; waitedOut: number; squaresOut: number };
type Dot = { column: number; load: number; ns: number };
type Hatch = { x0: number; x1: number; across: number; down: number; missing: Missing; colour: number; unit: number };
type DotPlace = { x0: number; x1: number; y0: number; y1: number; across: number; colour: number; unit: number };
type Point = { from: number; to: number; ns: number; lo: number; hi: number | null };
type PercentileLine = { q: number; dash: number[]; together: number | null; steps: Point[] };

interface Sheet {
  pen: CanvasRenderingContext2D;
  width: number;
  height: number;
  ratio: number;
}

interface Recording {
  label: string;
  source: string;
  host: string | null;
  clock: string;
  start_us: number;
  end_us: number;
  command: string | null;
  isotherm_version: string | null;
  sha256: string | null;
  bytes: number | null;
  input: Record<string, number>;
  /** Idle waits that take no part, in words. */
  left_out?: string | null;
  /** The windows that lie far apart, in words. */
  windows_told?: string | null;
  /** What is assumed of the input, in sentences. */
  assumed?: string[];
  marks: { at_us: number; text: string }[];
}

interface FacetHead {
  key: string;
  values: string[];
  /** How many values are not told apart: their counts stand after those of the others. */
  others: number;
  block: Block;
}

type Level = { rate_per_s: number; sessions_waiting: number; mean_ns: number | null };
type Found = { start_ns: number; end_ns: number | null };
type Bounds = { lo_ns: number; hi_ns: number | null };

/** What was found in an entry, as far as the page draws it. */
interface Findings {
  changes?: (Found & { kind: string; band: Bounds | null; factor: number | null; before: Level; after: Level })[];
  bursts?: Found[];
  busiest?: (Found & { end_ns: number; time_share: number }) | null;
  slow_band?: (Bounds & { events: number }) | null;
  period?: { every_s: number } | null;
}

interface EntryHead {
  recording: number;
  label: string;
  /** Null for all series together. */
  name: string | null;
  attributes: Record<string, string>;
  /** What it is called in every document of a live page. */
  id?: string;
  kind: "all" | "name" | "series";
  findings: Findings | null;
  t0_us: number;
  width_us: number;
  columns: number;
  native_us: number;
  bounds_ns: (number | null)[];
  /** Rows are those of means: there is no distribution. */
  averages: boolean;
  /** How far from the true ones the lengths of events may be; none where they were measured. */
  length_error_ns?: number;
  written_unit_ns?: number;
  events: number;
  waited_s: number;
  exact: boolean;
  covered_s: number;
  /** The part of it in which ends were counted. */
  counted_s: number;
  mean_ns: number | null;
  outside: number;
  quantiles: { q: number; lo_ns: number; hi_ns: number | null; estimate_ns: number; unstable: boolean }[];
  sentences: string[];
  state: Block;
  covered: Block;
  /** Null where ends were counted in all that is covered. */
  counted: Block | null;
  cells: Block;
  sums: Block | null;
  times: Block | null;
  unplaced: Block | null;
  peaks: Block | null;
  facets: FacetHead[];
  tile_columns: number;
  octaves_ns: (number | null)[];
}

interface ReportDocument {
  head: {
    format: number;
    generator: string;
    title: string;
    command: string;
    recordings: Recording[];
    entries: EntryHead[];
    not_drawn: { label: string; events: number; waited_s: number }[];
    compare: Comparison | null;
  };
  body: Uint8Array;
}

type Compared = { value: number; lo: number | null; hi: number | null };
type ComparedSums = { events: number; waited_s: number; covered_s: number };

interface ComparedSide {
  t0_us: number;
  state: number[];
  covered_s: number[];
  counted_s: number[];
  /** Row after row, shortest latencies first. */
  counts: number[][];
  intensity: number[][];
}

interface ComparedScale {
  max: number;
  steps: number[];
  trace_below: number;
  scale: string;
}

interface ComparedMap {
  columns: number;
  width_us: number;
  rows: { lo_ns: number; hi_ns: number | null; label: string }[];
  a: ComparedSide;
  b: ComparedSide;
  z: (number | null)[][];
  frequency: ComparedScale;
  intensity: ComparedScale;
}

interface ComparedLabel extends ComparedSums {
  label: string;
  source: string;
  stretch: string;
  clock: string;
  start_us: number;
  end_us: number;
  anchor_us: number;
  columns: number;
}

interface ComparedShift {
  measure: string;
  unit: string;
  a: Compared;
  b: Compared;
  ratio: number;
  ci: [number, number | null] | null;
  possible: [number, number | null];
  within_one_bucket: boolean;
  moved: string | null;
  differs: string | null;
}

interface Comparison {
  label: string;
  verdict: string;
  sentences: string[];
  align: string;
  exact: boolean;
  a: ComparedLabel;
  b: ComparedLabel;
  shifts: ComparedShift[];
  shares: { lo_ns: number; hi_ns: number | null; a_per_s: number; b_per_s: number; events_pp: number; wait_pp: number; z: number | null }[];
  map: ComparedMap | null;
  pairs: { label: string; in: "both" | "a" | "b"; a: ComparedSums | null; b: ComparedSums | null; verdict: string | null; p99_ratio: { ratio: number; ci: [number, number | null] | null } | null }[];
  thresholds: { text: string; outcome: "holds" | "does not hold" | "cannot tell" | "no events" }[];
}

interface Facet {
  key: string;
  /** What is not told apart is one value, the last one. */
  values: string[];
  others: number;
  /** Of each count that is not zero its value, its tile times octaves and octave, and itself. */
  at: number[];
  place: number[];
  count: number[];
  octaves: number;
  tiles: number;
}

interface EntryBase {
  head: EntryHead;
  recording: Recording;
  columns: number;
  rows: number;
  state: Uint8Array;
  /** Seconds. */
  covered: Float64Array;
  /** Seconds in which ends were counted. */
  counted: Float64Array;
  /** Column after column. */
  counts: Float64Array;
  peaks: Float64Array | null;
  /** Where it is known when time was waited. */
  times: Times | null;
  /** The share of each column's time that belongs to events longer than it; null where there are none. */
  unplaced: Float64Array | null;
  facets: Facet[];
}

interface Times {
  /** Of each column: whether its cells say what was waited in them. */
  spread: Uint8Array;
  /** Seconds, column after column. */
  cells: Float64Array;
}

interface Entry extends EntryBase {
  /** Seconds that one event of each row stands for. */
  mid: Float64Array;
  /** Of each column. */
  events: Float64Array;
  /** Seconds that the events of each column took. */
  latency: Float64Array;
  /** Seconds waited in each column. */
  waited: Float64Array;
  /** What mid-points are multiplied by, in each column. */
  lift: Float64Array;
}

interface Statistics {
  events: number;
  /** Seconds that the events took. */
  latency: number;
  /** Seconds waited. */
  waited: number;
  covered: number;
  counted: number;
  columnEvents: number;
  columnWaited: number;
  histogram: Float64Array;
  quantiles: (Quantile | null)[];
}

interface State {
  entry: number;
  view: [number, number];
  cursor: Cursor | null;
  selection: Region | null;
  filter: { key: string; value: string } | null;
  beside: string;
  scale: string;
  cells: string;
  palette: string;
  theme: string;
  lines: boolean;
}

interface Now {
  state: State;
  entry: Entry;
  /** The entry after the filter. */
  shown: Entry;
  entryKey: string;
  window: Statistics;
  selected: Statistics | null;
}

interface App {
  doc: ReportDocument;
  dark: boolean;
  printing: boolean;
  anchor: Cursor | null;
  entryAt(index: number): Entry;
  memo<T>(slot: string, key: string, make: () => T): T;
  now(): Now;
  update(change: Partial<State>): void;
  /** Shows another document of the same sources. */
  show(next: ReportDocument, carried: Partial<State>): void;
  render(): void;
}

/** One source of a live page. */
interface LiveSource {
  recording: number;
  label: string;
  live: boolean;
  /** Why it has ended; null while it goes on. */
  over: string | null;
  interval_us: number | null;
  newest_us: number | null;
  /** When its latest intervals came, by the clock of the server. */
  arrived_us: number | null;
  recorded_in: string | null;
  /** Why nothing is recorded any more, as long as that is so. */
  not_recording: string | null;
  /** Its latest messages, oldest first. */
  said: { at_us: number; text: string }[];
}

/** What a live page is told besides the report. */
interface LiveHead {
  tick: number;
  layout: string;
  now_us: number;
  kept_from_us: number | null;
  end_us: number | null;
  over: boolean;
  can_mark: boolean;
  sources: LiveSource[];
}

type LiveDocument = ReportDocument & { head: ReportDocument["head"] & { live: LiveHead } };

interface Live {
  doc: LiveDocument;
  frozen: boolean;
  /** Why there is no connection; empty while there is one. */
  lost: string;
  /** The server's clock, as far as it is known. */
  nowUs(): number;
  /** What is known of the sources, also while the page is frozen. */
  sources(): LiveSource[];
  /** The source that is looked at. */
  source(): LiveSource;
  /** Intervals arrived. */
  arrived(head: LiveHead): void;
  /** How far the view ends before the newest interval. */
  behindUs(): number;
  refresh(): void;
  freeze(): void;
  toNow(): void;
  mark(text: string): Promise<boolean>;
  save(): Promise<void>;
  open(): void;
}

/** What the page of a flame graph is made of; nodes but for the root, each before those above it. */
interface FlameDocument {
  title: string;
  facts: string;
  notes: string[];
  unit: string;
  inputs: FlameSource[];
  made: string;
  command: string;
  names: string[];
  name: number[];
  depth: number[];
  own: number[];
  before: number[] | null;
  heat: FlameHeat | null;
}

interface FlameSource {
  name: string;
  format: string;
  event: string | null;
  records: number;
  rejected: number;
  rejections: string[];
  lost: number;
}

/** Samples by cell: column × rows + row, the node each ends in, how many. */
interface FlameHeat {
  columns: number;
  rows: number;
  first_s: number;
  cells: number[];
  nodes: number[];
  counts: number[];
}

/** Nodes at..end are the node and what stands on it; left is where it begins, in counts. */
interface FlameTree {
  size: number;
  parent: Int32Array;
  depth: Int32Array;
  end: Int32Array;
  own: Float64Array;
  total: Float64Array;
  ownBefore: Float64Array | null;
  before: Float64Array | null;
  left: Float64Array;
}

type FlameCost = { name: string; own: number; ownBefore: number; total: number; totalBefore: number; change: number };
type FlameView = { width: number; scale: number; origin: number };

interface FlameApp {
  doc: FlameDocument;
  tree: FlameTree;
  zoom: number;
  cursor: number;
  rows: number;
  found: Uint8Array | null;
  /** What the search field asks for; null if nothing. */
  matches: ((name: string) => boolean) | null;
  /** Cells from..to of the heat map, the end not included; null for all. */
  range: [number, number] | null;
  mostChange: number;
  dark: boolean;
  render(): void;
}

/** What the page of AWR's history is made of. */
interface AwrDocument {
  made: string;
  /** From when to when the first sentence is. */
  busiest_us: [number, number] | null;
  utc: boolean;
  instances: string[];
  intervals: AwrIntervals;
  tables: AwrPackedTable[];
}

type AwrIntervals = { instance: number[]; start_us: number[]; end_us: number[] };

/** Rows by member; each interval as the step from the one before. */
interface AwrPackedTable {
  kind: string;
  keys: string[];
  values: string[];
  members: string[][];
  rows: number[];
  interval_steps: number[];
  columns: (number | null)[][];
}

/** Of each row its member, its interval and its values; NaN for what is not known. */
interface AwrTable {
  kind: string;
  keys: string[];
  values: string[];
  members: string[][];
  member: Int32Array;
  interval: Int32Array;
  columns: Float64Array[];
}

/** A sum of columns, for each second or divided by another; a level is itself for each second. */
type AwrMeasure = { name: string; unit: string; top: string[]; scale: number; bottom: string[] | null; level: boolean };
type AwrGraph = { id: string; title: string; kind: string; style: "stack" | "lines" | "heat"; measures: AwrMeasure[]; names?: Record<string, string>; one?: boolean };
type AwrChoice = { measure: number; split: string; only: string };
type AwrState = { instance: number; range: [number, number]; layout: string; zone: number };
type AwrSums = { top: Float64Array; bottom: Float64Array; known: Uint8Array };
type AwrLine = { label: string; values: Float64Array; mean: number; total: number; weight: number; highest: number; place: number };
type AwrDrawn = { line: AwrLine; colour: number };
type AwrFrame = { svg: SVGElement; box: Box; x: (bin: number) => number; y: (value: number) => number; legend?: Legend };

/** Bins of time, or of hours and days; the share of each interval in each. */
interface AwrBins {
  count: number;
  /** Microseconds of each; none where bins are no parts of time. */
  lengths: number[];
  starts: number[];
  zone: number;
  labels: string[];
  pieces: [number, number][][];
}

interface AwrResult {
  measure: AwrMeasure;
  series: AwrLine[];
  total: AwrLine;
  gaps: Uint8Array;
  labels: string[];
  starts: number[];
}

interface AwrPane {
  graph: AwrGraph;
  table: AwrTable;
  choice: AwrChoice;
  section: HTMLElement;
  picture: HTMLElement;
  readout: HTMLElement;
  legend: HTMLElement;
  sheet: HTMLTableElement;
  small: HTMLElement;
  result: AwrResult | null;
  frame: AwrFrame | null;
  cursor: number;
  csv: string;
  known: boolean;
}

interface AwrApp {
  doc: AwrDocument;
  whole: [number, number];
  state: AwrState;
  panes: AwrPane[];
  bins: AwrBins;
  dark: boolean;
  update(change: Partial<AwrState>): void;
  renderPane(pane: AwrPane): void;
}

/** What the page of a model of a cache is made of. */
interface CacheDocument {
  title: string;
  facts: string;
  notes: string[];
  made: string;
  command: string;
  picture: CachePicture;
  words: CacheWords;
  /** What is shown at first. */
  view: { focus: string; orientation: string };
  /** The number of the moment that is shown at first; null is the last. */
  at: number | null;
}

/** What things are called: a page shows buffers or the objects of a library cache. */
interface CacheWords {
  shown: string;
  references: string;
  found: string;
  /** By the number of the list. */
  lists: string[];
  hollow: string;
  ring: string;
  /** Where nothing is on a list, and on the last of them. */
  empty: [string, string];
  /** Options by their value. */
  focus: Record<string, string>;
  size: Record<string, string>;
}

interface CachePicture {
  chains: number;
  /** The latch of each chain. */
  latches: number[];
  moments: CacheMoment[];
}

/** The buffers at a moment: one number for each header; -1 where there is none. */
interface CacheMoment {
  references: number;
  hits: number;
  block: number[];
  chain: number[];
  place: number[];
  /** 0 none, 1 hot, 2 cold, 3 to be written. */
  list: number[];
  rank: number[];
  touches: number[];
  /** 1 dirty, 2 a clone, 3 both. */
  state: number[];
  /** The header that one belongs to; -1 if to none. */
  parent?: number[];
  /** What each says. */
  text?: string[];
}

/** Places from 0 to 1; NaN of what is not shown. Links: from, to, the number of the list or 0. */
interface CacheLayout {
  x: Float64Array;
  y: Float64Array;
  order: number[];
  links: [number, number, number][];
}

interface CacheView {
  focus: string;
  orientation: string;
  drawn: string;
  size: string;
  scale: number;
}

interface CacheApp {
  doc: CacheDocument;
  /** The number of the moment. */
  at: number;
  moment: CacheMoment;
  /** The length of the chain of each header. */
  lengths: number[];
  layout: CacheLayout;
  view: CacheView;
  /** The header that is pointed at; -1 if there is none. */
  cursor: number;
  /** The timer while moments are played; else 0. */
  playing: number;
  width: number;
  height: number;
  dark: boolean;
  render(): void;
}
