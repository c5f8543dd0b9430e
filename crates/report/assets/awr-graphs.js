// The predefined graphs: which table each is of, and what is divided by what.

/** Amounts of these columns for each second. @param {string} name @param {string} unit @param {string[]} top @param {number} scale @returns {AwrMeasure} */
function perSecond(name, unit, top, scale = 1) {
  return { name, unit, top, scale, bottom: null, level: false };
}

/** The ratio of two sums. @param {string} name @param {string} unit @param {string[]} top @param {number} scale @param {string[]} bottom @returns {AwrMeasure} */
function ratio(name, unit, top, scale, bottom) {
  return { name, unit, top, scale, bottom, level: false };
}

const WAIT_MEASURES = [
  perSecond("foreground sessions", "average active", ["foreground_time_us"], 1e-6),
  perSecond("all sessions", "average active", ["time_us"], 1e-6),
  perSecond("waits", "waits/s", ["waits"]),
];
const READS = ["small_reads", "large_reads"];
const WRITES = ["small_writes", "large_writes"];
const READ_MB = ["small_read_mb", "large_read_mb"];
const WRITTEN_MB = ["small_write_mb", "large_write_mb"];
const IO_MEASURES = [
  perSecond("reads and writes", "IOPS", [...READS, ...WRITES]),
  perSecond("reads", "IOPS", READS),
  perSecond("writes", "IOPS", WRITES),
  perSecond("small reads", "IOPS", ["small_reads"]),
  perSecond("large reads", "IOPS", ["large_reads"]),
  perSecond("small writes", "IOPS", ["small_writes"]),
  perSecond("large writes", "IOPS", ["large_writes"]),
  perSecond("MB read and written", "MB/s", [...READ_MB, ...WRITTEN_MB]),
  perSecond("MB read", "MB/s", READ_MB),
  perSecond("MB written", "MB/s", WRITTEN_MB),
  perSecond("MB of large reads", "MB/s", ["large_read_mb"]),
  perSecond("MB of large writes", "MB/s", ["large_write_mb"]),
  perSecond("time waited", "average waiting", ["wait_time_ms"], 1e-3),
  ratio("time of a wait", "ms", ["wait_time_ms"], 1, ["waits"]),
];

/** Statistics and what the graph calls them. @param {string} id @param {string} title @param {AwrMeasure[]} measures @param {Record<string, string>} names @returns {AwrGraph} */
function ofStatistics(id, title, measures, names) {
  return { id, title, kind: "system-statistics", style: "stack", measures, names };
}

/** @type {AwrGraph[]} */
const AWR_GRAPHS = [
  { id: "classes", title: "Average active sessions by wait class", kind: "wait-classes", style: "stack", measures: WAIT_MEASURES },
  { id: "events", title: "Top events", kind: "system-events", style: "stack", measures: WAIT_MEASURES },
  { id: "latency", title: "Latency of the top events", kind: "system-events", style: "lines", measures: [
    ratio("mean of all sessions", "ms", ["time_us"], 1e-3, ["waits"]),
    ratio("mean of foreground sessions", "ms", ["foreground_time_us"], 1e-3, ["foreground_waits"]),
  ] },
  { id: "histograms", title: "Latency of an event as a heat map", kind: "event-histograms", style: "heat", measures: [perSecond("frequency", "waits/s", ["waits"]), perSecond("intensity", "≈ average waiting", ["waits"])] },
  { id: "cpu", title: "CPU and DB time", kind: "time-model", style: "lines", measures: [perSecond("on average", "active", ["time_us"], 1e-6)] },
  ofStatistics("iops", "IOPS of the instance", [perSecond("requests", "IOPS", ["delta"])], { "physical read total IO requests": "reads", "physical write total IO requests": "writes" }),
  ofStatistics("mb", "MB/s of the instance", [perSecond("throughput", "MB/s", ["delta"], 1 / 1048576)], { "physical read total bytes": "read", "physical write total bytes": "written" }),
  ofStatistics("redo", "Redo", [perSecond("redo", "MB/s", ["delta"], 1 / 1048576)], { "redo size": "redo" }),
  ofStatistics("commits", "Commits and rollbacks", [perSecond("transactions", "transactions/s", ["delta"])], { "user commits": "commits", "user rollbacks": "rollbacks" }),
  { ...ofStatistics("calls", "Calls, executions and parses", [perSecond("calls", "events/s", ["delta"])], { "user calls": "user calls", "execute count": "executions", "parse count (total)": "parses", "parse count (hard)": "hard parses" }), style: "lines" },
  { id: "functions", title: "I/O by function", kind: "io-functions", style: "stack", measures: IO_MEASURES },
  { id: "file-types", title: "I/O by type of file", kind: "io-file-types", style: "stack", measures: IO_MEASURES },
  { id: "files", title: "I/O by data file", kind: "io-files", style: "stack", measures: [
    perSecond("reads and writes", "IOPS", ["reads", "writes"]), perSecond("reads", "IOPS", ["reads"]), perSecond("writes", "IOPS", ["writes"]),
    ratio("time of a read", "ms", ["read_time_cs"], 10, ["reads"]), ratio("time of a single-block read", "ms", ["single_block_read_time_cs"], 10, ["single_block_reads"]),
  ] },
  { id: "sql", title: "Top SQL", kind: "sql", style: "stack", measures: [
    perSecond("elapsed", "average active", ["elapsed_us"], 1e-6), perSecond("on CPU", "average active", ["cpu_us"], 1e-6), perSecond("waiting for I/O", "average active", ["io_wait_us"], 1e-6),
    perSecond("executions", "executions/s", ["executions"]), ratio("time of an execution", "ms", ["elapsed_us"], 1e-3, ["executions"]),
    perSecond("buffer gets", "blocks/s", ["buffer_gets"]), perSecond("disk reads", "blocks/s", ["disk_reads"]),
  ] },
  { id: "segments", title: "Top segments", kind: "segments", style: "stack", measures: [
    perSecond("logical reads", "blocks/s", ["logical_reads"]), perSecond("physical reads", "blocks/s", ["physical_reads"]), perSecond("physical writes", "blocks/s", ["physical_writes"]),
    perSecond("block changes", "changes/s", ["block_changes"]), perSecond("buffer busy waits", "waits/s", ["buffer_busy_waits"]), perSecond("row lock waits", "waits/s", ["row_lock_waits"]),
  ] },
  { id: "services", title: "Services", kind: "service-statistics", style: "lines", one: true, measures: [perSecond("each second", "for each second (times in µs)", ["delta"])] },
  { id: "metrics", title: "Metrics", kind: "metrics", style: "lines", one: true, measures: [
    { name: "average", unit: "of the metric's unit", top: ["average"], scale: 1, bottom: null, level: true },
    { name: "mean of the maxima", unit: "of the metric's unit", top: ["maximum"], scale: 1, bottom: null, level: true },
  ] },
];

/**
 * Whether the lines of a graph are parts of a whole: their sum says something.
 * @param {AwrGraph} graph
 * @param {AwrMeasure} measure
 */
function addsUp(graph, measure) {
  return graph.style === "stack" && !measure.bottom;
}

/** Oracle's usual colours of wait classes, as places among the page's. @type {Record<string, number>} */
const CLASS_COLOURS = { CPU: 2, "User I/O": 0, "System I/O": 6, Commit: 1, Concurrency: 5, Application: 9, Cluster: 4, Configuration: 7, Network: 8, Administrative: 3, Other: 10, Scheduler: 11 };

/**
 * What a member is called in a graph; null if the graph has none of it.
 * @param {AwrGraph} graph
 * @param {AwrTable} table
 * @param {number} member
 * @returns {string | null}
 */
function memberLabel(graph, table, member) {
  const keys = table.members[member];
  if (graph.names) return graph.names[keys[0]] ?? null;
  switch (table.kind) {
    case "sql": return keys[1] ? `${keys[0]} (${keys[1]})` : keys[0];
    case "segments": return keys[2] ? `${keys[0]}.${keys[1]}.${keys[2]}` : `${keys[0]}.${keys[1]}`;
    case "service-statistics": return `${keys[1]} of ${keys[0]}`;
    case "metrics": return keys[1] ? `${keys[0]} (${keys[1]})` : keys[0];
    case "io-files": return keys[1] || keys[0];
    default: return keys[0];
  }
}
