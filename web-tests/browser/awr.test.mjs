// The page of AWR's history that the program writes: its numbers, its choices, a part of the time.
// Passed over where the program has not been built.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";
import { history } from "../awr-history.mjs";

const target = process.env.CARGO_TARGET_DIR ?? new URL("../../target", import.meta.url).pathname;
const program = process.env.ISOTHERM ?? join(target, "debug", "isotherm");
const skip = existsSync(program) ? false : `there is no ${program}: build it first`;

describe("the page of AWR's history", { skip }, () => {
  const directory = mkdtempSync(join(tmpdir(), "isotherm-awr-"));
  const output = join(directory, "prod.html");
  const { files, truth } = history(9, 2, 12);
  let browser;
  let page;
  const requests = [];

  before(async () => {
    const names = Object.entries(files).map(([name, text]) => {
      const path = join(directory, `${name}.csv`);
      writeFileSync(path, text.replaceAll('"web"', '"<img src=x onerror=alert(1)>"'));
      return path;
    });
    execFileSync(program, ["awr", "report", ...names, "-o", output], { stdio: "ignore" });
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
    page = await (await browser.newContext({ viewport: { width: 1400, height: 900 } })).newPage();
    page.on("pageerror", (error) => assert.fail(error));
    page.on("console", (message) => assert.notEqual(message.type(), "error", message.text()));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`file://${output}`);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
  });

  after(async () => {
    await browser?.close();
    rmSync(directory, { recursive: true });
  });

  /** The numbers of a graph, by the name of each row. */
  const numbers = async (id) => {
    await page.evaluate((of) => (document.querySelector(`#${of} details`).open = true), id);
    const rows = await page.locator(`#${id} tbody tr`).evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
    return new Map(rows.map(([name, ...cells]) => [name, cells]));
  };
  const choose = (selector, value) => page.locator(selector).selectOption(value);

  test("opens with the busiest interval of what was put in", async () => {
    const { sessions, hour, instance } = truth.busiest;
    const sentence = await page.locator("#verdict li").first().textContent();
    const day = new Date(Date.UTC(2026, 2, 1) + hour * 3_600_000).toISOString();
    assert.match(sentence, new RegExp(`^From ${day.slice(11, 16)} to .* UTC on ${day.slice(0, 10)}, instance ${instance} had ${sessions.toFixed(1)} active sessions`));
    assert.equal(requests.length, 1);
  });

  test("its numbers are sums of what was put in", async () => {
    await choose("#events .choices select >> nth=0", "1");
    const events = await numbers("events");
    // Hours of each instance: 216, less two and less one that are missing.
    const [first, second] = [215, 214];
    const rows = files["system-events"].split("\n").filter((line) => line.includes('"db file sequential read"')).map((line) => line.split(","));
    const of = (one) => rows.filter((row) => row[3] === one).reduce((all, row) => all + Number(row[8]), 0);
    const mean = of("1") / 1e6 / (first * 3600) + of("2") / 1e6 / (second * 3600);
    assert.equal(Number(events.get("db file sequential read")[0]), Number(mean.toPrecision(3)));
    assert.ok(!events.has("SQL*Net message from client"));
  });

  test("an instance, hours by days, and a part of the time", async () => {
    const before = await numbers("classes");
    await choose("#instance", "0");
    assert.notDeepEqual(await numbers("classes"), before);
    await choose("#layout", "week");
    assert.equal(await page.locator("#classes .picture svg text").filter({ hasText: "Mon" }).count(), 1);
    assert.match((await numbers("classes")).get("CPU")[2], /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d\d:00$/);
    await choose("#layout", "time");
    await page.getByRole("button", { name: "Show this time" }).click();
    assert.match((await numbers("classes")).get("together")[2], new RegExp(new Date(Date.UTC(2026, 2, 1) + truth.busiest.hour * 3_600_000).toISOString().slice(0, 10)));
    await page.getByRole("button", { name: "All of the time" }).click();
    await choose("#instance", "-1");
    assert.deepEqual(await numbers("classes"), before);
  });

  test("says what the files do not have, and fits a narrow screen", async () => {
    assert.match(await page.locator("main").textContent(), /I\/O by data file: no rows of io-files/);
    assert.equal(await page.locator("#files, #services").count(), 0);
    await page.setViewportSize({ width: 390, height: 800 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    const { violations } = await new AxeBuilder({ page }).exclude(".picture svg").analyze();
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes[0].html]), []);
  });
});
