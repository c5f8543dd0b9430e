// The report's page in a real browser, on measurements with known truth planted in them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";
import { BURST, HOSTILE, measurements, report } from "../fixtures.mjs";
import { quantile } from "../pack.mjs";

const directory = mkdtempSync(join(tmpdir(), "isotherm-web-"));
const file = join(directory, "report.html");
const entries = measurements();
let browser;

before(async () => {
  writeFileSync(file, report(entries));
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
});

after(async () => {
  await browser?.close();
  rmSync(directory, { recursive: true });
});

/** Opens the report; whatever a test does, nothing may go wrong in the console or ask for more. */
async function withPage(options, act) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const trouble = [];
  const requests = [];
  // The tests read pixels back, which the page never does.
  const ours = (message) => message.text().startsWith("Canvas2D: Multiple readback");
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && !ours(message) && trouble.push(message.text()));
  page.on("pageerror", (error) => trouble.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  page.on("dialog", (dialog) => trouble.push(`dialog: ${dialog.message()}`));
  await page.goto(`file://${options.file ?? file}${options.hash ?? ""}`);
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  await act(page, requests);
  assert.deepEqual(trouble, []);
  await context.close();
}

const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const total = (entry) => entry.columns.reduce((all, column) => all + column.counts.reduce((a, b) => a + b, 0), 0);
const data = (page, id) => page.$eval(`#${id}`, (element) => ({ ...element.dataset }));

/** Where a column and a latency lie on a map, found from the chart's documented margins. */
async function placeOn(page, id, entry, column, ns) {
  await page.locator(`#${id}`).scrollIntoViewIfNeeded();
  const box = await page.locator(`#${id}`).boundingBox();
  const [left, right, top, bottom] = [58, 10, 14, 20];
  const finite = entry.bounds.filter((bound) => bound);
  const [low, high] = [Math.log2(finite[0]) - (entry.bounds[0] === 0 ? 0.5 : 0), Math.log2(finite.at(-1)) + (entry.bounds.at(-1) === null ? 0.5 : 0)];
  return {
    x: box.x + left + ((column + 0.5) / entry.columns.length) * (box.width - left - right),
    y: box.y + top + (1 - (Math.log2(ns) - low) / (high - low)) * (box.height - top - bottom),
  };
}

async function brushBurst(page, id) {
  const from = await placeOn(page, id, entries[0], BURST.from + 8, BURST.lo_ns);
  const to = await placeOn(page, id, entries[0], BURST.to - 8, BURST.hi_ns);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
  await settled(page);
}

/** The cells of the region a hash speaks of, counted in the measurements themselves. */
function counted(entry, hash) {
  const [from, to, low, high] = new URLSearchParams(hash.slice(1)).get("s").split(".").map(Number);
  const total = entry.bounds.slice(1).map(() => 0);
  for (const column of entry.columns.slice(from, to)) for (let row = low; row < high; row++) total[row] += column.counts[row];
  return total;
}

/** The address after the page has written it: a later timer of the page itself comes after its own. */
const hashOf = (page) => page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(location.hash)), 200)));

/** Why a test is passed over, if this program is not installed. */
function missing(program) {
  return spawnSync(program, ["-v"]).error ? `${program} is not installed` : false;
}

/** The pixels of the first page of a PDF, 96 to the inch. */
function firstPage(pdf) {
  const file = join(directory, "printed.pdf");
  writeFileSync(file, pdf);
  const { stdout, stderr } = spawnSync("pdftoppm", ["-r", "96", "-f", "1", "-l", "1", file], { maxBuffer: 1 << 26 });
  const head = stdout.subarray(0, 40).toString("latin1").match(/^P6\s+(\d+)\s+(\d+)\s+255\s/);
  assert.ok(head, `pdftoppm: ${stderr}`);
  return { width: Number(head[1]), height: Number(head[2]), bytes: stdout.subarray(head[0].length) };
}

/** The shares of the pixels of a place that are bluish and that are orange. */
function colouredIn({ width, bytes }, place) {
  let [all, blue, orange] = [0, 0, 0];
  for (let y = Math.ceil(place.y); y < place.y + place.height; y++) {
    for (let x = Math.ceil(place.x); x < place.x + place.width; x++) {
      const at = 3 * (y * width + x);
      const warmth = bytes[at] - bytes[at + 2];
      all++;
      if (warmth < -15) blue++;
      if (warmth > 15) orange++;
    }
  }
  return [blue / all, orange / all];
}

describe("the report", () => {
  test("is one request, without any trouble, and shows the totals it was given", async () => {
    await withPage({}, async (page, requests) => {
      assert.deepEqual(requests, [`file://${file}`]);
      const kpis = await data(page, "kpis");
      const all = entries[0].columns.reduce((sum, column) => sum + column.sum_ns, 0) / 1e9;
      assert.equal(Number(kpis.events), total(entries[0]));
      assert.ok(Math.abs(Number(kpis.waitedS) - all) < 1e-6);
      const statistics = await data(page, "statistics");
      assert.equal(Number(statistics.windowEvents), total(entries[0]));
      assert.ok(Math.abs(Number(statistics.windowWaitedS) - all) < 1e-6);
      for (const q of ["500", "900", "990", "999"]) {
        assert.equal(statistics[`windowQ${q}LoNs`], kpis[`q${q}LoNs`]);
        assert.equal(statistics[`windowQ${q}HiNs`], kpis[`q${q}HiNs`]);
      }
      // Three of the first recording, and one of the other with a button that opens its maps.
      assert.equal(await page.locator("#verdict li").count(), 4);
      const other = page.locator("#verdict li:last-child");
      const label = await other.locator("button").innerText();
      assert.match(await other.innerText(), new RegExp(`^${label}: .`));
      assert.match(await page.locator("#provenance").innerText(), /5,260,000 events/);
      assert.equal(await page.locator("#static").count(), 0);
    });
  });

  test("paints cells in many shades, and what is known of each column", async () => {
    await withPage({}, async (page) => {
      const colours = (id) => page.$eval(`#${id} canvas`, (canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        const painted = [...new Set(new Uint32Array(data.buffer))].filter((pixel) => pixel !== 0);
        return painted.map((pixel) => `rgb(${pixel & 255}, ${(pixel >> 8) & 255}, ${(pixel >> 16) & 255})`).sort();
      });
      const legend = (id) => page.locator(`#${id} i:not([class=zero])`).evaluateAll((all) => all.map((one) => one.style.backgroundColor));
      const [frequency, intensity] = [await legend("legend-frequency"), await legend("legend-intensity")];
      assert.equal(new Set([...frequency, ...intensity]).size, 18);
      // Eight steps; a single event in a second is more than a trace of events, not of waiting.
      assert.deepEqual(await colours("map-frequency"), frequency.slice(1).sort());
      assert.deepEqual(await colours("map-intensity"), intensity.sort());
      const at = async (id, entry, column, ns) => {
        const box = await page.locator(`#${id}`).boundingBox();
        const place = await placeOn(page, id, entry, column, ns);
        return page.$eval(`#${id} canvas`, (canvas, [x, y]) => [...canvas.getContext("2d").getImageData(x, y, 1, 1).data], [Math.floor(place.x - box.x), Math.floor(place.y - box.y)]);
      };
      // 1.5 ms lies between the bands; 0.24 ms is the middle of the lower one.
      assert.deepEqual((await at("map-frequency", entries[0], BURST.from + 100, 1.5e6))[3], 0);
      const [red, green, blue, alpha] = await at("map-frequency", entries[0], 600, 2.4e5);
      assert.ok(alpha === 255 && blue > red && red + green + blue < 300, "a dark blue");
      await page.selectOption("#entry", "1");
      await settled(page);
      // A gap is hatched: some pixels are painted, others not, where nothing was counted.
      const gap = await page.$eval("#map-frequency canvas", (canvas) => {
        const { data } = canvas.getContext("2d").getImageData(Math.round(58 + 0.36 * (canvas.width - 68)), 30, 30, 60);
        return [...new Uint32Array(data.buffer)].map((pixel) => pixel !== 0);
      });
      assert.ok(gap.includes(true) && gap.includes(false));
      assert.deepEqual(await page.locator("#legend-frequency li").allTextContents().then((all) => all.slice(-2)), ["no data", "reset"]);
    });
  });

  test("keeps a spike of one second that a column of fifteen would average away", async () => {
    await withPage({ hash: "#e=2" }, async (page) => {
      const painted = async () => {
        await settled(page);
        const place = await placeOn(page, "map-frequency", entries[2], 100, 5.5e6);
        const box = await page.locator("#map-frequency").boundingBox();
        return page.$eval("#map-frequency canvas", (canvas, [x, y]) => [...canvas.getContext("2d").getImageData(x, y, 1, 1).data].join(), [Math.floor(place.x - box.x), Math.floor(place.y - box.y)]);
      };
      const peak = await page.selectOption("#cells", "peak").then(painted);
      const spikes = await page.selectOption("#cells", "spikes").then(painted);
      assert.equal(spikes, peak);
      assert.match(peak, /,255$/);
      await page.locator("#map-frequency").focus();
      await settled(page);
      // What the page itself still has to write of its state may take the place of this: then it is written again.
      await page.waitForFunction(() => {
        const isThere = document.getElementById("readout").textContent.includes("at most 600 in 1s");
        if (!isThere && !location.hash.includes("c=100")) location.hash = "#e=2&c=100.50";
        return isThere;
      });
    });
  });

  for (const id of ["map-frequency", "map-intensity"]) {
    test(`explains the planted burst brushed on ${id}`, async () => {
      await withPage({}, async (page) => {
        await brushBurst(page, id);
        const hash = await hashOf(page);
        const histogram = counted(entries[0], hash);
        const events = histogram.reduce((a, b) => a + b, 0);
        const statistics = await data(page, "statistics");
        assert.equal(Number(statistics.selectionEvents), events);
        const median = quantile(entries[0].bounds, histogram, 0.5);
        assert.equal(Number(statistics.selectionQ500LoNs), median.lo);
        assert.equal(Number(statistics.selectionQ500HiNs), median.hi);
        const rows = await page.locator("#differs tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
        assert.deepEqual([rows[0][0], rows[1][0]].sort(), ["file#=12", "program=RMAN"]);
        const rman = rows.find(([name]) => name === "program=RMAN");
        // The share of RMAN among the events of the region, of those who counted them.
        const [from, to, low, high] = new URLSearchParams(hash.slice(1)).get("s").split(".").map(Number);
        let inside = 0;
        let all = 0;
        entries[0].columns.forEach((column, index) => column.values.program.RMAN.forEach((count, row) => {
          all += count;
          if (index >= from && index < to && row >= low && row < high) inside += count;
        }));
        const truth = [inside / events, (all - inside) / (total(entries[0]) - events)];
        const shown = rman.slice(1, 3).map((text) => Number(text.replace(/[≈%]/g, "")) / 100);
        assert.ok(Math.abs(shown[0] - truth[0]) < 0.03, `${shown[0]} is near ${truth[0]}`);
        assert.ok(Math.abs(shown[1] - truth[1]) < 0.01, `${shown[1]} is near ${truth[1]}`);
      });
    });
  }

  test("filters the maps to an attribute, and says that this is an estimate", async () => {
    await withPage({}, async (page) => {
      await brushBurst(page, "map-frequency");
      await page.locator("#differs button", { hasText: "program=RMAN" }).click();
      await settled(page);
      const rman = entries[0].columns.reduce((sum, column) => sum + column.values.program.RMAN.reduce((a, b) => a + b, 0), 0);
      const statistics = await data(page, "statistics");
      assert.ok(Math.abs(Number(statistics.windowEvents) - rman) < 1e-3);
      assert.match(await page.locator("#unfilter").textContent(), /≈ only program=RMAN/);
      await page.locator("#unfilter").click();
      await settled(page);
      assert.equal(Number((await data(page, "statistics")).windowEvents), total(entries[0]));
    });
  });

  test("shows the same numbers when it is opened again at its address", async () => {
    let hash;
    let first;
    const numbers = async (page) => [await data(page, "statistics"), await page.locator("#differs").innerText(), await page.locator("#readout").innerText()];
    await withPage({}, async (page) => {
      const before = await hashOf(page);
      await brushBurst(page, "map-intensity");
      hash = await hashOf(page);
      assert.notEqual(hash, before);
      first = await numbers(page);
    });
    await withPage({ hash }, async (page) => assert.deepEqual(await numbers(page), first));
    await withPage({ hash: "#e=99&v=9-1&s=1.2&c=-4.x&scale=none&f=%E0%A4" }, async (page) => {
      assert.equal((await data(page, "kpis")).entry, "3");
    });
  });

  test("can be used by keys alone, which say what they do", async () => {
    await withPage({}, async (page) => {
      const said = async (pattern) => {
        await page.waitForFunction((text) => new RegExp(text).test(document.getElementById("live").textContent), pattern);
        await settled(page);
      };
      await page.locator("#map-frequency").focus();
      await page.keyboard.press("ArrowRight");
      await said("^14:30:01 · ");
      await page.keyboard.press("Shift+ArrowUp");
      await page.keyboard.press("Shift+PageDown");
      await said("of the events of that time");
      assert.notEqual((await data(page, "statistics")).selectionEvents, "");
      await page.keyboard.press("Enter");
      await said("inside, .* outside");
      await page.keyboard.press("z");
      await said("^Shows 2025-11-21");
      assert.ok(Number((await data(page, "statistics")).windowEvents) < total(entries[0]));
      await page.keyboard.press("Escape");
      await page.keyboard.press("0");
      await said("Shows everything");
      assert.equal(Number((await data(page, "statistics")).windowEvents), total(entries[0]));
      await page.keyboard.press("]");
      await said("^log file sync");
      assert.equal(Number((await data(page, "kpis")).events), total(entries[1]));
      await page.keyboard.press("[");
      await said("^db file sequential read");
    });
  });

  test("has a wheel that zooms a focused map only", async () => {
    await withPage({}, async (page) => {
      const { x, y } = await placeOn(page, "map-frequency", entries[0], 1800, 1e6);
      await page.mouse.move(x, y);
      await page.mouse.wheel(0, -400);
      await settled(page);
      assert.equal(Number((await data(page, "statistics")).windowEvents), total(entries[0]));
      await page.evaluate(() => scrollTo(0, 0));
      await page.locator("#map-frequency").focus();
      await page.mouse.wheel(0, -400);
      await page.waitForFunction((all) => Number(document.getElementById("statistics").dataset.windowEvents) < all, total(entries[0]));
    });
  });

  test("selects the interval of a dot that is clicked", async () => {
    await withPage({}, async (page) => {
      const { width, height } = await page.locator("#scatter").boundingBox();
      // Somewhere among the dots: 260 of at most 400 events a second.
      await page.locator("#scatter").click({ position: { x: 58 + 0.65 * (width - 68), y: 0.55 * height } });
      const hash = await hashOf(page);
      const [from, to] = new URLSearchParams(hash.slice(1)).get("s").split(".").map(Number);
      assert.equal(to, from + 1);
      assert.equal(Number((await data(page, "statistics")).selectionEvents), entries[0].columns[from].counts.reduce((a, b) => a + b, 0));
    });
  });

  for (const colorScheme of ["light", "dark"]) {
    test(`has nothing for axe to find in ${colorScheme}`, async () => {
      await withPage({ colorScheme }, async (page) => {
        await brushBurst(page, "map-frequency");
        for (const summary of await page.locator("summary:visible").all()) await summary.click();
        const { violations } = await new AxeBuilder({ page }).analyze();
        assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target).join(" ")}`), []);
      });
    });
  }

  test("fits a narrow window, and one at twice its size", async () => {
    for (const viewport of [{ width: 360, height: 740 }, { width: 700, height: 500 }]) {
      await withPage({ viewport }, async (page) => {
        for (const summary of await page.locator("summary:visible").all()) await summary.click();
        const [wide, inner] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(wide <= inner, `${wide} in ${inner}`);
      });
    }
  });

  test("shows labels and marks as text, whatever they hold", async () => {
    await withPage({ hash: "#e=3" }, async (page) => {
      const text = await page.locator("main").innerText();
      assert.ok(text.includes(HOSTILE));
      assert.ok(text.includes("<img src=x onerror=alert(2)> is not markup."));
      assert.equal(await page.locator("img").count(), 0);
      await page.locator("#not-drawn summary").click();
      assert.ok((await page.locator("#not-drawn").innerText()).includes(`rare ${HOSTILE}: 1,234 events, waited 5.50 s`));
    });
  });

  for (const [index, what] of [[0, "columns"], [0, "cells"], [1, "columns"], [1, "cells"]]) {
    test(`gives ${what} of entry ${index} as CSV that add up to its events`, async () => {
      await withPage({ hash: `#e=${index}` }, async (page) => {
        for (const summary of await page.locator("summary:visible").all()) await summary.click();
        const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`[data-csv=${what}]`).click()]);
        const lines = readFileSync(await download.path(), "utf8").trim().split("\n");
        const at = lines[0].split(",").indexOf("events");
        assert.equal(lines.slice(1).reduce((sum, line) => sum + Number(line.split(",")[at]), 0), total(entries[index]));
      });
    });
  }

  test("sorts its tables", async () => {
    await withPage({}, async (page) => {
      await page.locator("#table-series summary").click();
      const events = page.locator("#table-series thead button", { hasText: /^events$/ });
      const column = () => page.locator("#table-series tbody tr td:nth-child(3)").allTextContents();
      await events.click();
      assert.equal((await column())[0], "3.98M");
      await events.click();
      assert.equal((await column()).at(-1), "3.98M");
      assert.equal(await page.locator("#table-series th[aria-sort=ascending]").count(), 1);
      await page.locator("#table-series button", { hasText: "log file sync" }).click();
      await settled(page);
      assert.equal((await data(page, "kpis")).entry, "1");
    });
  });

  test("lists who waits, most first, with what each waited, and opens the maps of one", async () => {
    const mid = (lo, hi) => (hi === null ? lo : lo + Math.floor((hi - lo) / 2)) / 1e9;
    const waited = ({ columns, bounds }) => columns.filter(({ state }) => state === 0).reduce((all, { counts, sum_ns }) =>
      all + (sum_ns !== undefined ? sum_ns / 1e9 : counts.reduce((sum, count, row) => sum + count * mid(bounds[row], bounds[row + 1]), 0)), 0);
    const own = entries.map((entry, index) => ({ index, label: entry.label, s: waited(entry) })).filter(({ index }) => index < 3).sort((a, b) => b.s - a.s);
    const all = own.reduce((sum, { s }) => sum + s, 0);
    await withPage({}, async (page) => {
      await page.waitForFunction(() => document.getElementById("who").dataset.drawn);
      const rows = await page.$$eval("#who tbody tr", (all) => all.map((row) => [...row.cells].map((one) => one.textContent)));
      assert.deepEqual(rows.map(([name]) => name), own.map(({ label }) => label));
      rows.forEach(([, share], index) => assert.ok(Math.abs(Number.parseFloat(share.replace(/[≈<>]/, "")) - (100 * own[index].s) / all) <= 0.5, `${share} of ${(100 * own[index].s) / all}`));
      assert.equal(await page.locator("#who svg.course path").count(), 2 * own.length);
      assert.equal(await page.locator("#who svg.latencies path").count(), own.length);
      // The gap of half an hour has no waiting drawn in it.
      const line = await page.locator("#who tr", { hasText: "log file sync" }).locator("svg.course path").last().getAttribute("d");
      assert.equal(line.match(/M/g).length, 3, line);
      await page.locator("#who button", { hasText: "log file sync" }).click();
      await settled(page);
      assert.equal((await data(page, "kpis")).entry, "1");
      assert.equal(await page.locator("#who tr[aria-current]").innerText().then((text) => text.includes("log file sync")), true);
      await page.locator("#who thead button", { hasText: "p50" }).click();
      const values = await page.$$eval("#who tbody tr", (all) => all.map((row) => row.cells[0].textContent));
      assert.deepEqual([...values].sort(), own.map(({ label }) => label).sort());
    });
  });

  test("draws the series side by side, with one axis of time, one of latency and one scale of colours", async () => {
    await withPage({}, async (page) => {
      assert.equal(await page.locator("#multiples figure").count(), 0);
      await page.locator("#beside").selectOption("frequency");
      await settled(page);
      const maps = await page.$$eval("#multiples figure", (all) => all.map((figure) => {
        const canvas = figure.querySelector("canvas");
        const { width, height } = canvas;
        const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer);
        const rows = Array.from({ length: height }, (_, y) => pixels.subarray(y * width, (y + 1) * width).some((pixel) => pixel !== 0));
        const across = Array.from({ length: width }, (_, x) => [...Array(height).keys()].map((y) => pixels[y * width + x]).join());
        return { name: figure.textContent, width, height, top: rows.indexOf(true), foot: rows.lastIndexOf(true), across };
      }));
      assert.deepEqual(maps.map(({ name }) => name).sort(), entries.slice(0, 3).map(({ label }) => label).sort());
      // The axis goes from the shortest to the longest latency of all: its ends are somebody's rows.
      assert.equal(Math.min(...maps.map(({ top }) => top)), 0);
      assert.equal(Math.max(...maps.map(({ foot, height }) => foot - height)), -1);
      // All of the time without data looks alike, from its first second to its last, and nowhere else.
      const gapped = maps.find(({ name }) => name === "log file sync");
      const entry = entries[1];
      const at = (column) => Math.round((column / entry.columns.length) * gapped.width);
      const [from, to] = [at(120), at(150)];
      const hatched = (x) => gapped.across[x].split(",").filter((pixel) => pixel !== "0").length < gapped.height / 4;
      for (let x = from + 1; x < to - 1; x++) assert.ok(hatched(x), `column ${x} of ${from} to ${to}`);
      await page.locator("#multiples button", { hasText: "coarsened" }).click();
      await settled(page);
      assert.equal((await data(page, "kpis")).entry, "2");
      assert.equal(await page.locator("#multiples figure[aria-current]").innerText(), "coarsened");
      // The address has it, too.
      await page.waitForFunction(() => location.hash.includes("beside=frequency"));
      await page.locator("#beside").selectOption("off");
      await settled(page);
      assert.equal(await page.locator("#multiples").isVisible(), false);
    });
  });

  test("shows the time before beside the selection, counted from the measurements", async () => {
    await withPage({}, async (page) => {
      await brushBurst(page, "map-frequency");
      const shown = await page.evaluate(() => {
        const parts = new URLSearchParams(location.hash.slice(1)).get("s")?.split(".").map(Number);
        return { parts, before: document.getElementById("statistics")?.dataset.beforeEvents };
      });
      await page.waitForFunction(() => location.hash.includes("s="));
      const [from, to, low, high] = (new URL(page.url()).hash.match(/s=([\d.]+)/)?.[1] ?? "").split(".").map(Number);
      let counted = 0;
      for (const column of entries[0].columns.slice(Math.max(2 * from - to, 0), from)) {
        for (let row = low; row < high; row++) counted += column.counts[row];
      }
      assert.ok(counted > 0 && to > from);
      assert.equal(Number(shown.before), counted);
    });
  });

  test("draws a single interval as histograms of its counts, and each of its series", async () => {
    const bounds = [0, 1e6, 2e6, 4e6, 8e6];
    const one = (label, counts) => ({ label, t0_us: 0, width_us: 36e8, native_us: 36e8, bounds, columns: [{ state: 0, covered_us: 36e8, counts }], sentences: [] });
    const single = join(directory, "single.html");
    writeFileSync(single, report([one("reads", [0, 1000, 250, 0]), one("syncs", [0, 0, 10, 40])]));
    await withPage({ file: single }, async (page) => {
      for (const id of ["percentiles", "scatter", "histogram", "legend-frequency", "scale"]) assert.equal(await page.locator(`#${id}`).isVisible(), false, id);
      assert.equal(await page.locator("#multiples figure canvas").count(), 2);
      // The longest coloured run of each row of pixels: bars of 1000 and 250 events.
      const runs = await page.evaluate(() => {
        const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector("#map-frequency canvas:last-child"));
        const pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height);
        if (!pixels) return [];
        const lengths = [];
        for (let y = 0; y < canvas.height; y++) {
          let [longest, run, before] = [0, 0, -1];
          for (let x = 60; x < canvas.width; x++) {
            const at = 4 * (y * canvas.width + x);
            const colour = pixels.data[at + 3] === 255 ? pixels.data[at] * 65536 + pixels.data[at + 1] * 256 + pixels.data[at + 2] : -1;
            run = colour >= 0 && colour === before ? run + 1 : 1;
            before = colour;
            if (colour >= 0) longest = Math.max(longest, run);
          }
          lengths.push(longest);
        }
        return [...new Set(lengths.filter((length) => length > 20))].sort((one, two) => two - one);
      });
      assert.ok(runs.length >= 2, String(runs));
      assert.ok(Math.abs(runs[1] / runs[0] - 0.25) < 0.02, String(runs));
      await page.locator("#multiples figure button").nth(1).click();
      await settled(page);
      assert.equal((await data(page, "kpis")).events, "50");
    });
  });

  test("copies the address of the view, and a table as CSV", async () => {
    await withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
      const copied = () => page.evaluate(() => navigator.clipboard.readText());
      await brushBurst(page, "map-frequency");
      await page.locator("#link").click();
      await page.locator("#link", { hasText: "Copied" }).waitFor();
      assert.equal(new URL(await copied()).hash, await hashOf(page));
      await page.locator("#rail button", { hasText: "Copy as CSV" }).first().click();
      await page.locator("#rail button", { hasText: "Copied" }).waitFor();
      const lines = (await copied()).trim().split("\n");
      assert.equal(lines[0], "statistic,here,before,ratio");
      assert.equal(lines.length, 11);
    });
  });

  test("prints its maps on the first page and its tables on the next", async () => {
    await withPage({ colorScheme: "dark" }, async (page) => {
      const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
      const pages = pdf.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g) ?? [];
      assert.ok(pages.length >= 2 && pages.length <= 4, `${pages.length} pages`);
      const [, width, height] = pdf.toString("latin1").match(/\/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)/) ?? [];
      assert.ok(Number(width) > Number(height), "landscape");
      // Light while it prints, as it was before afterwards.
      const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
      assert.equal(await theme(), "dark");
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      assert.equal(await theme(), "light");
      assert.equal(await page.locator("#toolbar").isVisible(), false);
      assert.equal(await page.locator("#table-columns tbody tr").count() > 10, true);
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      assert.equal(await theme(), "dark");
      assert.equal(await page.locator("#table-columns tbody").isVisible(), false);
    });
  });

  for (const colorScheme of ["light", "dark"]) {
    test(`prints the cells of both maps on paper in ${colorScheme}`, { skip: missing("pdftoppm") }, async () => {
      await withPage({ colorScheme, hash: "#c=900.40" }, async (page) => {
        const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
        const paper = firstPage(pdf);
        await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
        for (const id of ["map-frequency", "map-intensity"]) {
          const [left, right, top, bottom] = [58, 10, 14, 20];
          const box = await page.locator(`#${id}`).boundingBox();
          // The paper has one pixel for each CSS pixel, after a margin of 10 mm.
          const margin = (10 / 25.4) * 96;
          const place = { x: box.x + left + margin, y: box.y + top + margin, width: box.width - left - right, height: box.height - top - bottom };
          // On the screen the same cells are painted into a canvas of their own.
          const painted = await page.$eval(`#${id} canvas`, (canvas) => {
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return data.filter((value, index) => index % 4 === 3 && value > 0).length / 4;
          });
          // Two dots of the canvas for each CSS pixel, in both directions.
          const share = painted / (place.width * place.height);
          const [blue, orange] = colouredIn(paper, place);
          const [here, there] = id === "map-frequency" ? [blue, orange] : [orange, blue];
          assert.ok(share > 0.4 && share < 1, `${id}: ${share} of the canvas`);
          // Lines of percentiles, marks and the cursor lie over some of the cells.
          assert.ok(here > 0.75 * share && here <= 1.1 * share, `${id}: ${here} of the paper, ${share} of the canvas`);
          assert.ok(there < 0.01, `${id}: ${there} in the colour of the other map`);
        }
        await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      });
    });
  }

  test("shows the cursor's row and column as lines that leave the cells their colour", async () => {
    const above = (page) => page.$eval("#map-frequency canvas + canvas", (canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, index) => index % 4 === 3 && value > 0).length / (canvas.width * canvas.height);
    });
    let without = 0;
    await withPage({ hash: "#e=1&lines=0" }, async (page) => (without = await above(page)));
    await withPage({ hash: "#e=1&lines=0&c=60.8" }, async (page) => {
      const more = (await above(page)) - without;
      assert.ok(more > 0.002 && more < 0.03, `the cursor covers ${more} of the map`);
    });
  });

  test("sums up as many columns in a step of a line as its percentile needs, and says so", async () => {
    const legend = (page) => page.locator("#legend-percentiles li").allTextContents();
    await withPage({}, async (page) => {
      // 275 events a second: p99.9 needs 2000 of them, more than 6 pixels of an hour hold.
      const [p50, p99, p999] = await legend(page);
      assert.equal(p50.slice(p50.indexOf(" of ")), p99.slice(p99.indexOf(" of ")));
      const seconds = Math.ceil(2 / (0.001 * (total(entries[0]) / entries[0].columns.length)));
      const drawn = Math.ceil((6 * 3600) / ((await page.locator("#percentiles").boundingBox()).width - 68));
      assert.equal(p50, `p50 of each ${drawn}s`);
      assert.equal(p999, `p99.9 of each ${Math.max(seconds, drawn)}s`);
    });
    await withPage({ hash: "#v=600-660" }, async (page) => {
      assert.equal((await legend(page))[2], "p99.9: too few events", "a minute has no line of it");
    });
  });

  test("says so where it cannot unpack itself, and still shows what needs no script", async () => {
    const context = await browser.newContext();
    await context.addInitScript(() => delete globalThis.DecompressionStream);
    const page = await context.newPage();
    await page.goto(`file://${file}`);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "failed");
    assert.match(await page.locator("#trouble").innerText(), /DecompressionStream/);
    assert.ok(await page.locator("#static h1").isVisible());
    await context.close();
  });

  test("runs no script but its own", async () => {
    const changed = join(directory, "changed.html");
    writeFileSync(changed, readFileSync(file, "utf8").replace("<h1>", "<script>document.title = 'changed'</script><h1>"));
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`file://${changed}`);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    assert.notEqual(await page.title(), "changed");
    await context.close();
  });
});
