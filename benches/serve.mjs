#!/usr/bin/env node
// Measures `isotherm serve`: the page in a browser, many clients, and a scrape.
//
//     web-tests/run                                  # installs what drives the browser
//     benches/serve.mjs target/release/isotherm      # CHROMIUM=... another browser than /usr/bin/chromium
//
// Prints JSON.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../web-tests/package.json", import.meta.url))("playwright-core");
const program = process.argv[2] ?? "target/release/isotherm";
const TOKEN = "0123456789abcdef0123456789abcdef";
const authorization = { Authorization: `Bearer ${TOKEN}` };
const [HOUR_S, TICKS, CLIENTS, LOADS] = [3_600, 60, 100, 20];
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const sorted = (values) => [...values].sort((a, b) => a - b);
const quantile = (values, q) => sorted(values)[Math.min(values.length - 1, Math.floor(q * values.length))];
const round = (value) => Math.round(value * 10) / 10;

/** A server of what is written to its standard input: a time, a latency in microseconds and a series. */
class Served {
  constructor(...options) {
    this.events = 0;
    const columns = ["--columns", "time,latency,name", "--unit", "us", "--by", "name", "-i", "1s"];
    const arguments_ = ["serve", "-", ...columns, "--listen", "127.0.0.1:0", ...options];
    this.process = spawn(program, arguments_, {
      env: { ...process.env, ISOTHERM_TOKEN: TOKEN }, stdio: ["pipe", "pipe", "ignore"],
    });
    this.address = new Promise((said) => this.process.stdout.once("data", (text) => said(String(text).trim())));
  }

  async url(path) {
    return new URL(path, (await this.address).replace(/#.*/, "")).href;
  }

  /** One event of each of so many series in a second, and a half more of the first. */
  write(second, series) {
    const lines = [];
    for (let at = 0; at < series; at++) {
      lines.push(`${second + at / (series + 1)} ${100 + ((7 * second + 131 * at) % 4_000)} s${at}`);
    }
    this.events += series;
    return new Promise((done) => this.process.stdin.write(`${lines.join("\n")}\n`, done));
  }

  /** Seconds of processor time so far. */
  cpu() {
    const fields = readFileSync(`/proc/${this.process.pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  resident() {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.process.pid}/status`, "utf8"))[1]) / 1024);
  }

  async end() {
    const ended = new Promise((done) => this.process.once("exit", done));
    this.process.stdin.end();
    this.process.kill("SIGINT");
    await ended;
  }
}

async function opened(browser, address) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 1000 } })).newPage();
  await page.goto(address);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
  return page;
}

/** How long after navigation something is painted, and the maps are there. */
async function firstPaint(browser, address) {
  const times = [];
  for (let load = 0; load < LOADS; load++) {
    const page = await opened(browser, address);
    times.push(await page.evaluate(async () => {
      const ready_ms = performance.now();
      const painted = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
      while (painted() === undefined) await new Promise((done) => requestAnimationFrame(done));
      return { first_paint_ms: painted(), ready_ms };
    }));
    await page.context().close();
  }
  const median = (name) => round(quantile(times.map((time) => time[name]), 0.5));
  return { first_contentful_paint_ms: median("first_paint_ms"), maps_ready_ms: median("ready_ms") };
}

/** Writes a second after the other; how late the page paints each, and what that costs it. */
async function ticks(browser, served, [second, series]) {
  const page = await opened(browser, await served.address);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  const spent = async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return metrics.find((metric) => metric.name === "TaskDuration").value;
  };
  await page.evaluate(() => {
    globalThis.painted = [];
    const note = () => requestAnimationFrame(() => setTimeout(() => {
      globalThis.painted.push([Number(document.querySelector("#kpis").dataset.events), performance.timeOrigin + performance.now()]);
    }));
    new MutationObserver(note).observe(document.querySelector("#kpis"), { attributes: true });
  });
  const written = new Map();
  const before = await spent();
  for (let tick = 0; tick < TICKS; tick++, second++) {
    // The first event of a second ends the one before.
    const complete = served.events;
    await served.write(second, series);
    written.set(complete, performance.timeOrigin + performance.now());
    await sleep(1_000);
  }
  const busy = await spent() - before;
  const painted = await page.evaluate(() => globalThis.painted);
  const late = painted.filter(([events]) => written.has(events)).map(([events, at]) => at - written.get(events));
  await page.context().close();
  return [{
    ticks_painted: new Set(painted.map(([events]) => events)).size,
    lateness_ms: { p50: round(quantile(late, 0.5)), p95: round(quantile(late, 0.95)), of: late.length },
    page_ms_for_each_tick: round((1_000 * busy) / TICKS),
  }, second];
}

/** Clients that read every change. */
async function clients(served, [second, series]) {
  const run = async (count) => {
    const document_ = Buffer.from(await (await fetch(await served.url("/api/v1/document"), { headers: authorization })).arrayBuffer());
    const { live } = JSON.parse(document_.subarray(4, 4 + document_.readUInt32LE(0)));
    const stop = new AbortController();
    let bytes = 0;
    const url = await served.url(`/api/v1/events?since=${live.tick}&layout=${encodeURIComponent(typeof live.layout === "string" ? live.layout : JSON.stringify(live.layout))}`);
    const reading = Array.from({ length: count }, async () => {
      const answer = await fetch(url, { headers: authorization, signal: stop.signal });
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
      for await (const part of answer.body) bytes += part.length;
    });
    const ended = Promise.allSettled(reading);
    await sleep(1_000);
    const [cpu, began] = [served.cpu(), performance.now()];
    for (let tick = 0; tick < 30; tick++, second++) {
      await served.write(second, series);
      await sleep(1_000);
    }
    const share = (served.cpu() - cpu) / ((performance.now() - began) / 1_000);
    stop.abort();
    const failed = (await ended).find((one) => one.status === "rejected" && one.reason.name !== "AbortError");
    if (failed) throw failed.reason;
    return { percent_of_a_core: round(100 * share), bytes_for_each_client_and_second: Math.round(bytes / count / 30) || 0 };
  };
  const result = { none: await run(0), hundred: await run(CLIENTS), resident_mib: served.resident() };
  return [result, second];
}

async function scrape() {
  const served = new Served("--metrics");
  const begin = Math.floor(Date.now() / 1_000) - 30;
  for (let second = 0; second < 20; second++) await served.write(begin + second, 200);
  await sleep(2_000);
  const [times, url] = [[], await served.url("/metrics")];
  let packed = 0;
  // Compressed, as Prometheus asks for it, and not unpacked: that is the client's time.
  const headers = { ...authorization, "Accept-Encoding": "gzip" };
  for (let one = 0; one < 50; one++) {
    const began = performance.now();
    packed = await new Promise((done, fail) => get(url, { headers }, (answer) => {
      let bytes = 0;
      answer.on("data", (part) => (bytes += part.length)).on("end", () => done(bytes)).on("error", fail);
    }).on("error", fail));
    times.push(performance.now() - began);
  }
  const text = await (await fetch(url, { headers: authorization })).text();
  const counts = [...text.matchAll(/^isotherm_latency_seconds_count\{.*\} (\d+)$/gm)].map((found) => Number(found[1]));
  const counted = counts.reduce((sum, count) => sum + count, 0);
  await served.end();
  const kilobytes = (bytes) => Math.round(bytes / 1_000);
  return {
    series: counts.length, events_counted: counted, median_ms: round(quantile(times, 0.5)), p95_ms: round(quantile(times, 0.95)),
    kilobytes: kilobytes(packed), kilobytes_unpacked: kilobytes(Buffer.byteLength(text)),
  };
}

/** An hour of so many series, in a browser and for a hundred clients. */
async function hour(series) {
  const served = new Served("--keep", "2h");
  const begin = Math.floor(Date.now() / 1_000) - HOUR_S - 200;
  let second = begin;
  for (; second < begin + HOUR_S; second++) await served.write(second, series);
  await sleep(5_000);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const figures = { series, seconds: HOUR_S, load: await firstPaint(browser, await served.address) };
  [figures.live, second] = await ticks(browser, served, [second, series]);
  await browser.close();
  [figures.clients, second] = await clients(served, [second, series]);
  await served.end();
  return figures;
}

console.log(JSON.stringify({ few: await hour(10), many: await hour(50), scrape: await scrape() }, null, 2));
