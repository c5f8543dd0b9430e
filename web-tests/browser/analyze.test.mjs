// A page of `isotherm analyze`: curves and tables above one map, with scripts and without, and a
// page without any recording. Passed over where the program has not been built.
import AxeBuilder from "@axe-core/playwright";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { chromium } from "playwright-core";

const target = process.env.CARGO_TARGET_DIR ?? new URL("../../target", import.meta.url).pathname;
const program = process.env.ISOTHERM ?? join(target, "debug", "isotherm");
const skip = existsSync(program) ? false : `there is no ${program}: build it first`;
const FIXTURE = new URL("../../crates/cli/tests/e2e/fixtures/saturation.sweep", import.meta.url).pathname;

describe("an analysis of a sweep", { skip }, () => {
  const directory = mkdtempSync(join(tmpdir(), "isotherm-analyze-"));
  const [sweep, bare, report] = ["saturation.sweep", "bare.html", "sweep.html"].map((name) => join(directory, name));
  const requests = [];
  let browser;

  /** Opens a page that must not complain. */
  async function open(file, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, ...options });
    const page = await context.newPage();
    page.on("pageerror", (error) => assert.fail(error));
    page.on("console", (message) => assert.notEqual(message.type(), "error", message.text()));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`file://${file}`);
    if (options.javaScriptEnabled !== false) await page.waitForFunction(() => document.documentElement.dataset.ready);
    return page;
  }

  before(async () => {
    cpSync(FIXTURE, sweep, { recursive: true });
    execFileSync(program, ["analyze", sweep, "-o", bare], { stdio: "ignore" });
    for (const line of readFileSync(join(sweep, "runs.jsonl"), "utf8").trim().split("\n")) {
      const run = JSON.parse(line);
      if (!run.recording) continue;
      const began = Math.round(run.outcome.began_ns / 1e9);
      const many = run.outcome.offered.in_flight;
      const lines = Array.from({ length: 10 * many }, (_, i) => `${began + Math.floor(i / many)} ${250 * Math.max(many, 4) + i}`);
      writeFileSync(join(directory, "input.txt"), lines.join("\n") + "\n");
      execFileSync(program, ["import", join(directory, "input.txt"), "--columns", "time,latency", "--unit", "us", "--interval", "1s", "-o", join(sweep, run.recording)], { stdio: "ignore" });
    }
    execFileSync(program, ["analyze", sweep, "-o", report], { stdio: "ignore" });
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  });

  after(async () => {
    await browser?.close();
    rmSync(directory, { recursive: true });
  });

  test("shows its curves above the maps, beside each other", async () => {
    const page = await open(report);
    const [one, two] = await page.$$eval("#report svg.chart", (all) => all.map((chart) => chart.getBoundingClientRect().toJSON()));
    const map = await page.$eval("#map-frequency", (element) => element.getBoundingClientRect().toJSON());
    assert.ok(one.bottom < map.top && two.top === one.top && two.left > one.right);
    assert.equal(await page.$("#static"), null);
    assert.match((await page.textContent("#sections")) ?? "", /Saturation begins at about 3.88k\/s at in-flight 4/);
    assert.equal(await page.$eval("#kpis", (list) => list.dataset.events), String(2 * 63 * 10));
    assert.equal((await page.$$("#marks li")).length, 12);
    assert.ok(requests.every((url) => url.startsWith("file:") || url.startsWith("data:")), requests.join());
  });

  test("offers its tables as CSV", async () => {
    const page = await open(report);
    const waiting = page.waitForEvent("download");
    await page.locator("#sections button", { hasText: "Download" }).first().click();
    const text = readFileSync(await (await waiting).path(), "utf8");
    assert.match(text, /^point,operations\/s,range/);
    assert.equal(text.trim().split("\n").length, 8, "headings, six points, one without a result");
  });

  for (const colorScheme of ["light", "dark"]) {
    test(`has nothing that axe finds fault with, ${colorScheme}`, async () => {
      for (const file of [report, bare]) {
        const page = await open(file, { colorScheme });
        const found = await new AxeBuilder({ page }).analyze();
        assert.deepEqual(found.violations.map((one) => `${one.id}: ${one.nodes[0]?.html}`), []);
      }
    });
  }

  test("needs no script for its curves and tables", async () => {
    const page = await open(report, { javaScriptEnabled: false });
    assert.ok(await page.isVisible("#static svg.chart"));
    assert.equal(await page.locator("button.sheet").count(), 0, "a button that does nothing");
    assert.match(await page.content(), /<noscript><p>The maps need scripts/);
  });

  test("needs no recording", async () => {
    const page = await open(bare);
    assert.ok(await page.isVisible("#static svg.chart"));
    assert.ok(await page.isHidden("#report"));
    assert.equal(await page.locator("#toolbar").isVisible(), false);
  });

  test("fits a narrow screen", async () => {
    const page = await open(report, { viewport: { width: 360, height: 800 } });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 360, `${wide} pixels`);
  });
});
