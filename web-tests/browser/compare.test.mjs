// A comparison that the program itself writes: the page shows the numbers of its JSON. Passed over
// where the program has not been built.
import AxeBuilder from "@axe-core/playwright";
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { chromium } from "playwright-core";
import { random } from "../pack.mjs";

const target = process.env.CARGO_TARGET_DIR ?? new URL("../../target", import.meta.url).pathname;
const program = process.env.ISOTHERM ?? join(target, "debug", "isotherm");
const skip = existsSync(program) ? false : `there is no ${program}: build it first`;
const INPUT = ["--columns", "time,latency", "--unit", "us"];

/** A minute of reads; between these seconds they take four times as long. */
function lines(seed, from, to) {
  const next = random(seed);
  const all = [];
  for (let second = 0; second < 60; second++) {
    const slow = second >= from && second < to ? 4 : 1;
    for (let i = 0; i < 100; i++) {
      all.push(`${1763733600 + second} ${Math.round(200 * slow * Math.exp(next() + next() - 1))}`);
    }
  }
  return all.join("\n") + "\n";
}

describe("a comparison of the program", { skip }, () => {
  const directory = mkdtempSync(join(tmpdir(), "isotherm-compare-"));
  const [a, b, report] = ["a.txt", "b.txt", "d.html"].map((name) => join(directory, name));
  const requests = [];
  let browser;
  let page;
  let json;

  before(async () => {
    writeFileSync(a, lines(1, 0, 0));
    writeFileSync(b, lines(2, 20, 40));
    const written = spawnSync(program, ["compare", a, b, ...INPUT, "--fail-if", "p99>1ms", "-o", report]);
    assert.equal(written.status, 99, String(written.stderr));
    json = JSON.parse(execFileSync(program, ["compare", a, b, ...INPUT, "--format", "json"], { maxBuffer: 1e8 }));
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
    const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } });
    page = await context.newPage();
    page.on("pageerror", (error) => assert.fail(error));
    page.on("console", (message) => assert.notEqual(message.type(), "error", message.text()));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`file://${report}`);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
  });

  after(async () => {
    await browser?.close();
    rmSync(directory, { recursive: true });
  });

  const texts = (selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent));

  test("says what the program says", async () => {
    assert.equal(json.verdict, "slower");
    assert.equal(await page.textContent("#compare-verdict"), json.verdict);
    assert.deepEqual(await texts("#compare-sentences li"), json.sentences);
    assert.deepEqual(await texts("#compare-thresholds li"), ["FAIL p99>1ms"]);
  });

  test("has a row for every measure and the ratio of each", async () => {
    const rows = await page.$$eval("#compare-shifts tbody tr", (all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    assert.equal(rows.length, json.shifts.length);
    const mean = json.shifts.findIndex((shift) => shift.measure === "mean");
    assert.equal(rows[mean][3], `×${json.shifts[mean].ratio.toFixed(2)}`);
    // A third of B is slow: these runs differ, and another pair may not.
    const { moved, differs, ci } = json.shifts[mean];
    assert.deepEqual([moved, differs], [null, "more"]);
    assert.ok(ci[0] < 1 && ci[1] > 1, String(ci));
    assert.equal(rows[mean][5], "in these runs only");
  });

  test("paints both maps, and a difference where B is slow and nowhere else", async () => {
    const painted = await page.evaluate(() => {
      const canvas = document.querySelector("#compare-difference canvas");
      const [ratio, left] = [canvas.width / canvas.clientWidth, 58];
      const width = canvas.clientWidth - left - 10;
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const coloured = (from, to) => {
        let count = 0;
        for (let x = Math.round((left + width * from) * ratio); x < (left + width * to) * ratio; x++) {
          for (let y = Math.round(20 * ratio); y < canvas.height - 26 * ratio; y++) count += pixels.data[4 * (y * canvas.width + x) + 3] > 0 ? 1 : 0;
        }
        return count;
      };
      return [coloured(0.02, 0.32), coloured(0.35, 0.65), coloured(0.68, 0.98)];
    });
    assert.ok(painted[1] > 20 * (painted[0] + painted[2] + 1), String(painted));
  });

  test("tells the cell under the pointer", async () => {
    const box = await page.locator("#compare-b").boundingBox();
    await page.mouse.move(box.x + 58 + (box.width - 68) / 2, box.y + box.height / 2);
    assert.match(await page.textContent("#compare-readout"), /^\+\d+s, .+: A .+ events\/s, B .+ events\/s/);
    await page.selectOption("#compare-kind", "intensity");
    await page.mouse.move(box.x + 60 + (box.width - 68) / 2, box.y + box.height / 2);
    assert.match(await page.textContent("#compare-readout"), /: A .+ waiting, B .+ waiting/);
  });

  test("asks for nothing and is accessible in light and dark", async () => {
    assert.equal(requests.length, 1, requests.join(" "));
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      const found = await new AxeBuilder({ page }).include("#compare").analyze();
      assert.deepEqual(found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" ")}`), []);
    }
  });

  test("is no wider than a narrow window", async () => {
    await page.setViewportSize({ width: 400, height: 800 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 400, String(wide));
  });
});
