// AWR's history as CSV from a seeded generator, with what it put in: to look at, to measure, to test.
// Usage: node awr-history.mjs DIRECTORY [DAYS] [INSTANCES] [STATISTICS]
import { mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const START = Date.UTC(2026, 2, 1);
const HOUR = 3_600_000;
const COMMON = "end,seconds,dbid,instance,snap_id";
const WAITS = "waits,time_us,foreground_waits,foreground_time_us";
const IO = "small_reads,large_reads,small_writes,large_writes,small_read_mb,large_read_mb,small_write_mb,large_write_mb,waits,wait_time_ms";

/** Numbers that are the same everywhere. */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Events: class, waits per second at noon, milliseconds each, whether of the background. */
const EVENTS = [
  ["db file sequential read", "User I/O", 900, 0.8], ["db file scattered read", "User I/O", 40, 6], ["direct path read", "User I/O", 60, 4],
  ["log file sync", "Commit", 220, 1.6], ["log file parallel write", "System I/O", 240, 0.9], ["db file parallel write", "System I/O", 90, 2.2],
  ["control file sequential read", "System I/O", 20, 0.5], ["gc cr block 2-way", "Cluster", 300, 0.3], ["gc buffer busy acquire", "Cluster", 12, 3],
  ["enq: TX - row lock contention", "Application", 0.2, 400], ["buffer busy waits", "Concurrency", 6, 1.5], ["latch: shared pool", "Concurrency", 3, 2],
  ["SQL*Net more data to client", "Network", 150, 0.05], ["enq: HW - contention", "Configuration", 0.3, 12], ["read by other session", "User I/O", 25, 1.5],
  ...Array.from({ length: 45 }, (_, at) => [`event ${String(at).padStart(2, "0")}`, "Other", 2 + (at % 7), 0.2 + (at % 5) / 10]),
  ["SQL*Net message from client", "Idle", 2000, 20],
];
const FUNCTIONS = ["Buffer Cache Reads", "Direct Reads", "Direct Writes", "DBWR", "LGWR", "ARCH", "RMAN", "Others"];
const FILE_TYPES = ["Data File", "Log File", "Control File", "Temp File", "Archive Log", "Other"];
const STATISTICS = [["physical read total IO requests", 1100], ["physical write total IO requests", 420], ["physical read total bytes", 38e6], ["physical write total bytes", 9e6], ["redo size", 4e6], ["user commits", 210], ["user rollbacks", 3], ["user calls", 5200], ["execute count", 6100], ["parse count (total)", 900], ["parse count (hard)", 4]];

/** The tables as texts by name, and what was put in. */
export function history(days, instances, statistics = 700) {
  const random = seeded(20260301);
  const files = {};
  const heads = {
    "wait-classes": `wait_class,${WAITS}`, "system-events": `event,wait_class,${WAITS}`, "event-histograms": "event,wait_class,wait_time_ms,waits",
    "system-statistics": "statistic,delta", "time-model": "statistic,time_us", "io-functions": `function,${IO}`, "io-file-types": `file_type,${IO}`,
    metrics: "metric,unit,minimum,average,maximum,standard_deviation", sql: "sql_id,module,elapsed_us,cpu_us,io_wait_us,executions,buffer_gets,disk_reads,rows",
    segments: "owner,object,subobject,type,logical_reads,physical_reads,physical_read_requests,physical_writes,physical_write_requests,block_changes,buffer_busy_waits,row_lock_waits",
  };
  for (const [name, columns] of Object.entries(heads)) files[name] = [`${COMMON},${columns}`];
  const truth = { intervals: 0, seconds: 0, events: {}, reads: 0, busiest: { sessions: 0 } };
  for (let hour = 0; hour < days * 24; hour++) {
    for (let instance = 1; instance <= instances; instance++) {
      // Two snapshots are missing on the second instance, and the first was started anew within an hour.
      if ((instance === 2 && (hour === 50 || hour === 51)) || (instance === 1 && hour === 80)) continue;
      const end = new Date(START + (hour + 1) * HOUR + 4000 * instance);
      const common = `${end.toISOString().slice(0, 19)}Z,3600.000,1735064201,${instance},${4000 + hour}`;
      const ofDay = hour % 24;
      const weekend = Math.floor(hour / 24) % 7 === 0 || Math.floor(hour / 24) % 7 === 6;
      const load = (0.25 + 0.75 * Math.exp(-(((ofDay - 13) / 5) ** 2))) * (weekend ? 0.4 : 1) * (instance === 1 ? 1 : 0.7);
      const incident = instance === 1 && hour === Math.floor(days * 24 * 0.6 / 24) * 24 + 14;
      const push = (name, ...cells) => files[name].push(`${common},${cells.join(",")}`);
      const classes = {};
      for (const [event, waitClass, rate, ms] of EVENTS) {
        const waits = Math.round(rate * load * 3600 * (0.85 + 0.3 * random()));
        const slow = incident && event === "db file sequential read" ? 14 : 1;
        const time = Math.round(waits * ms * 1000 * slow * (0.85 + 0.3 * random()));
        const background = waitClass === "System I/O";
        const foreground = background ? [Math.round(waits * 0.02), Math.round(time * 0.02)] : [waits, time];
        push("system-events", `"${event}","${waitClass}"`, waits, time, ...foreground);
        truth.events[event] = (truth.events[event] ?? 0) + time;
        if (waitClass === "Idle") continue;
        const sum = (classes[waitClass] ??= [0, 0, 0, 0]);
        [waits, time, ...foreground].forEach((value, at) => (sum[at] += value));
        if (waitClass === "Other") continue;
        for (let bound = 1, left = waits, share = Math.min(1 / (1 + ms * slow * 0.8), 0.95); bound <= 1024 && left > 0; bound *= 2) {
          const count = Math.min(Math.round(left * share * (0.9 + 0.2 * random())), left);
          if (count > 0) push("event-histograms", `"${event}","${waitClass}"`, bound, count);
          left -= count;
        }
      }
      const cpu = Math.round(3600e6 * 5 * load * (0.9 + 0.2 * random()));
      push("wait-classes", `"CPU"`, 0, cpu + 40e6, 0, cpu);
      let sessions = cpu;
      for (const [name, sum] of Object.entries(classes)) {
        push("wait-classes", `"${name}"`, ...sum);
        sessions += sum[3];
      }
      if (sessions / 3600e6 > truth.busiest.sessions) truth.busiest = { sessions: sessions / 3600e6, hour, instance };
      for (const [name, value] of [["DB CPU", cpu], ["DB time", sessions], ["background cpu time", 40e6], ["sql execute elapsed time", Math.round(sessions * 0.9)]]) push("time-model", `"${name}"`, value);
      for (const [name, rate] of STATISTICS) push("system-statistics", `"${name}"`, Math.round(rate * load * 3600 * (0.9 + 0.2 * random())));
      for (let at = STATISTICS.length; at < statistics; at++) push("system-statistics", `"statistic ${at}"`, at * hour);
      const io = (weight) => {
        const requests = [800, 40, 250, 20].map((rate) => Math.round(rate * weight * load * 3600 * (0.8 + 0.4 * random())));
        return [...requests, Math.round(requests[0] / 128), requests[1], Math.round(requests[2] / 128), requests[3], Math.round(requests[0] * 0.9), Math.round(requests[0] * 0.7)];
      };
      FUNCTIONS.forEach((name, at) => {
        const cells = io(1 / (at + 1));
        truth.reads += cells[0] + cells[1];
        push("io-functions", `"${name}"`, ...cells);
      });
      FILE_TYPES.forEach((name, at) => push("io-file-types", `"${name}"`, ...io(1 / (at + 1))));
      push("metrics", `"Host CPU Utilization (%)","% Busy/(Total Time)"`, 2, (60 * load).toFixed(3), (90 * load).toFixed(3), 4.25);
      push("metrics", `"Average Active Sessions","Active Sessions"`, 0.1, (8 * load).toFixed(4), (20 * load).toFixed(4), "");
      for (let at = 0; at < 20; at++) {
        const elapsed = Math.round((load * 3600e6 * (0.5 + random())) / (at + 2));
        push("sql", `"${sqlId(at + (hour % 5))}","${at % 3 === 0 ? "batch" : "web"}"`, elapsed, Math.round(elapsed / 3), Math.round(elapsed / 2), 1000 + at, 90000, 800, 1000);
        push("segments", `"APP","T${at}","","TABLE"`, Math.round((9e6 * load) / (at + 1)), 5000, 4000, 900, 800, 70000, 12, 1);
      }
      truth.intervals++;
      truth.seconds += 3600;
    }
  }
  return { files: Object.fromEntries(Object.entries(files).map(([name, lines]) => [name, lines.join("\n") + "\n"])), truth };
}

function sqlId(number) {
  const random = seeded(number * 7919 + 1);
  return Array.from({ length: 13 }, () => "0123456789abcdfghjkmnpqrstuvwxyz"[Math.floor(random() * 32)]).join("");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [directory = "awr-history", days = "30", instances = "2", ...statistics] = process.argv.slice(2);
  mkdirSync(directory, { recursive: true });
  const { files, truth } = history(Number(days), Number(instances), ...statistics.map(Number));
  for (const [name, text] of Object.entries(files)) writeFileSync(`${directory}/awr-${name}.csv`, text);
  console.log(JSON.stringify({ intervals: truth.intervals, busiest: truth.busiest }));
}
