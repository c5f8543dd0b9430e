// The page of a model of a cache that the program writes: its pictures, keys and moments. Skipped where the
// program has not been built.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";
import { scripts } from "../unit/scripts.mjs";

const target = process.env.CARGO_TARGET_DIR ?? new URL("../../target", import.meta.url).pathname;
const program = process.env.ISOTHERM ?? join(target, "debug", "isotherm");
const skip = existsSync(program) ? false : `there is no ${program}: build it first`;

describe("the page of a model of a cache", { skip }, () => {
  const directory = mkdtempSync(join(tmpdir(), "isotherm-cache-"));
  const output = join(directory, "cache.html");
  let browser;
  let page;
  const requests = [];

  before(async () => {
    execFileSync(program, ["cache", "model", "--references", "8000", "--preset", "dirty", "-o", output], { stdio: "ignore" });
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
    const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } });
    page = await context.newPage();
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

  const text = (id) => page.textContent(`#${id}`);
  /** The picture once it is drawn. */
  const picture = async () => {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    return page.evaluate(() => document.querySelector("#graph canvas").toDataURL());
  };

  test("it asks for nothing from anywhere", () => {
    assert.deepEqual(requests.filter((url) => !/^(file|data|blob):/.test(url)), []);
  });

  test("every focus and every direction is another picture, and each is drawn the same again", async () => {
    const seen = new Map();
    for (const focus of ["all", "chains", "lru", "headers"]) {
      for (const orientation of ["down", "up", "right", "left", "circle"]) {
        await page.selectOption("#focus", focus);
        await page.selectOption("#orientation", orientation);
        seen.set(await picture(), `${focus} ${orientation}`);
      }
    }
    assert.equal(seen.size, 20);
    await page.selectOption("#focus", "chains");
    for (const drawn of ["points", "arrows", "circles"]) {
      await page.selectOption("#drawn", drawn);
      seen.set(await picture(), drawn);
    }
    assert.equal(seen.size, 22, "circles are where they were");
  });

  test("moments move through the run", async () => {
    await page.selectOption("#focus", "all");
    await page.focus("#graph");
    assert.match(await text("moment-text"), /^After 8,000 references: /);
    await page.keyboard.press("[");
    await picture();
    assert.match(await text("moment-text"), /^After 7,33[34] references: /);
    await page.keyboard.press("]");
  });

  /** The page with a clock that stands still until it is turned. */
  const withClock = async (options) => {
    const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, ...options });
    const stopped = await context.newPage();
    stopped.on("pageerror", (error) => assert.fail(error));
    await stopped.clock.install();
    await stopped.goto(`file://${output}`);
    await stopped.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    await stopped.clock.pauseAt(new Date(Date.now() + 60_000));
    const state = async () => {
      // A frame or two, so that what was chosen is shown.
      await stopped.clock.runFor(50);
      return stopped.evaluate(() => [document.getElementById("moment").value, document.getElementById("play").textContent, document.getElementById("moment-text").textContent.split(" ")[1]]);
    };
    return { page: stopped, clock: stopped.clock, state, close: () => context.close() };
  };

  test("moments are played from the first to the last, one after the other, and not again", async () => {
    const { page, clock, state, close } = await withClock({});
    assert.deepEqual(await state(), ["11", "▶ Play", "8,000"]);
    // Nothing plays by itself.
    await clock.runFor(10_000);
    assert.deepEqual(await state(), ["11", "▶ Play", "8,000"]);
    await page.click("#play");
    const shown = [await state()];
    for (let step = 1; step < 12; step++) {
      await clock.runFor(700);
      shown.push(await state());
    }
    assert.deepEqual(shown.map(([moment]) => Number(moment)), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    assert.equal(new Set(shown.map(([, , references]) => references)).size, 12);
    assert.deepEqual(shown.map(([, button]) => button), [...new Array(11).fill("❚❚ Pause"), "▶ Play"]);
    await clock.runFor(10_000);
    assert.deepEqual(await state(), ["11", "▶ Play", "8,000"]);
    assert.match(await page.textContent("#live"), /^The end\. After 8,000 references: /);
    await close();
  });

  test("keys play and pause, and whoever chooses a moment stays there", async () => {
    const { page, clock, state, close } = await withClock({});
    await page.focus("#play");
    await page.keyboard.press("Enter");
    await clock.runFor(1_500);
    assert.deepEqual((await state()).slice(0, 2), ["2", "❚❚ Pause"]);
    assert.equal(await page.getAttribute("#moment-text", "aria-live"), "off");
    await page.keyboard.press("Space");
    await clock.runFor(10_000);
    assert.deepEqual((await state()).slice(0, 2), ["2", "▶ Play"]);
    assert.equal(await page.getAttribute("#moment-text", "aria-live"), "polite");
    assert.match(await page.textContent("#live"), /^Paused\. After /);
    await page.focus("#graph");
    await page.keyboard.press("p");
    await clock.runFor(1_500);
    assert.deepEqual((await state()).slice(0, 2), ["4", "❚❚ Pause"]);
    await page.keyboard.press("[");
    await clock.runFor(10_000);
    assert.deepEqual((await state()).slice(0, 2), ["3", "▶ Play"]);
    await page.keyboard.press("p");
    await page.focus("#moment");
    await page.keyboard.press("ArrowRight");
    await clock.runFor(10_000);
    assert.deepEqual((await state()).slice(0, 2), ["4", "▶ Play"]);
    await close();
  });

  test("those who want little motion have more time for each moment", async () => {
    const { page, clock, state, close } = await withClock({ reducedMotion: "reduce" });
    await page.click("#play");
    await clock.runFor(1_900);
    assert.equal((await state())[0], "0");
    await clock.runFor(200);
    assert.equal((await state())[0], "1");
    await close();
  });

  test("keys and the mouse say what a header holds", async () => {
    await page.selectOption("#focus", "headers");
    await page.focus("#graph");
    await page.keyboard.press("Home");
    await picture();
    assert.match(await text("readout"), /^Buffer 1: .*block \d+ · chain \d+, place \d+, latch \d+ · /);
    await page.keyboard.press("ArrowRight");
    await picture();
    assert.match(await text("readout"), /^Buffer 2: /);
  });

  test("a key that is pressed before the next frame moves among what was just chosen", async () => {
    const [atOnce, later] = await page.evaluate(async () => {
      const choose = (/** @type {string} */ focus) => {
        const field = document.getElementById("focus");
        field.value = focus;
        field.dispatchEvent(new Event("change"));
      };
      const press = (/** @type {string} */ key) => document.getElementById("graph").dispatchEvent(new KeyboardEvent("keydown", { key }));
      const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.getElementById("readout").textContent))));
      choose("all");
      await drawn();
      choose("lru");
      press("Home");
      const atOnce = await drawn();
      press("End");
      await drawn();
      press("Home");
      return [atOnce, await drawn()];
    });
    assert.match(later, /^Buffer \d+: .* LRU list, place 1 · /);
    assert.equal(atOnce, later);
  });

  test("images have what the page draws where the page draws it", () => {
    const { cacheLayout, cachePixel } = scripts(["cache-layout.js", "cache-draw.js"], ["cacheLayout", "cachePixel"]);
    const packed = /id="isotherm-data">([^<]+)</.exec(readFileSync(output, "utf8"))[1];
    const { picture } = JSON.parse(gunzipSync(Buffer.from(packed, "base64")).toString());
    for (const [number, focus] of ["all", "chains", "lru", "write", "headers"].entries()) {
      for (const orientation of ["down", "up", "right", "left", "circle"]) {
        const moment = 12 - 2 * number;
        const file = join(directory, `${focus}-${orientation}.svg`);
        execFileSync(program, ["cache", "model", "--references", "8000", "--preset", "dirty", "--focus", focus, "--orientation", orientation, "--moment", String(moment), "-o", file], { stdio: "ignore" });
        const svg = readFileSync(file, "utf8");
        const view = { focus, orientation };
        const layout = cacheLayout(picture, picture.moments[moment - 1], view);
        const app = { width: 1200, height: 700, view, layout };
        // Rings have no fill; the last six circles that have are those of the legend.
        const circles = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)" r="[\d.]+" fill="#/g)].slice(0, -6);
        assert.equal(circles.length, layout.order.length, file);
        assert.equal(svg.split("<path").length - 1, layout.links.length, file);
        layout.order.forEach((at, index) => {
          const [x, y] = cachePixel(app, at);
          const [left, top] = [Number(circles[index][1]), Number(circles[index][2])];
          assert.ok(Math.hypot(left - x, top - 56 - y) < 0.1, `${file}: ${left} ${top} is not ${x} ${y + 56}`);
        });
      }
    }
  });

  test("a page begins with the part, the direction and the moment that were asked for", async () => {
    const part = join(directory, "part.html");
    execFileSync(program, ["cache", "model", "--references", "8000", "--focus", "lru", "--orientation", "left", "--moment", "3", "-o", part], { stdio: "ignore" });
    const other = await (await browser.newContext()).newPage();
    await other.goto(`file://${part}`);
    await other.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    const fields = await other.evaluate(() => ["focus", "orientation", "moment"].map((id) => document.getElementById(id).value));
    assert.deepEqual(fields, ["lru", "left", "2"]);
    assert.match(await other.textContent("#moment-text"), /^After 2,000 references: /);
    await other.context().close();
  });

  test("nothing is in the way of those who do not see it", async () => {
    const found = await new AxeBuilder({ page }).analyze();
    assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
  });

  test("the page of a library cache is the same with words of its own", async () => {
    const library = join(directory, "library.html");
    execFileSync(program, ["cache", "library", "--executions", "6000", "--changes", "2%", "-o", library], { stdio: "ignore" });
    await page.goto(`file://${library}`);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    assert.match(await text("moment-text"), /^After 6,000 executions: \d+ % found a cursor\. \d+ objects shown\.$/);
    assert.match(await text("focus"), /everything\s+hash buckets\s+LRU list\s+invalid cursors\s+objects/);
    assert.match(await text("legend"), /handle.*invalid child cursor.*executed once \(hollow\).*pinned \(ring\)/);
    await page.selectOption("#focus", "lru");
    await page.focus("#graph");
    await page.keyboard.press("Home");
    await picture();
    assert.match(await text("readout"), /^Child cursor \d+ of statement \d+, .* · place 1 on the LRU list · executed /);
    const found = await new AxeBuilder({ page }).analyze();
    assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
  });
});
