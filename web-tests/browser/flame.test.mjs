// The page of a flame graph that the program writes: search, zoom, keys, and a chosen part of the time.
// Passed over where the program has not been built.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";

const target = process.env.CARGO_TARGET_DIR ?? new URL("../../target", import.meta.url).pathname;
const program = process.env.ISOTHERM ?? join(target, "debug", "isotherm");
const skip = existsSync(program) ? false : `there is no ${program}: build it first`;
const HOSTILE = "<img src=x onerror=\"document.title='owned'\">";

/** Two seconds: 100 samples of parse, then 100 of sort below it, of which 40 are in the kernel. */
function samples() {
  const all = [];
  for (let i = 0; i < 200; i++) {
    const at = (10 + i / 100).toFixed(6);
    const frames = i < 100 ? ["parse"] : i < 140 ? ["copy", "sort"] : [HOSTILE, "sort"];
    const lines = frames.map((name) => `\t12 ${name}+0x1 (${name === "copy" ? "[kernel.kallsyms]" : "/bin/x"})`);
    all.push(`prog 1 ${at}: 10101010 cpu-clock: `, ...lines, "\t13 main+0x2 (/bin/x)", "");
  }
  return all.join("\n") + "\n";
}

describe("the page of a flame graph", { skip }, () => {
  const directory = mkdtempSync(join(tmpdir(), "isotherm-flame-"));
  const [input, output] = [join(directory, "cpu.script"), join(directory, "cpu.html")];
  let browser;
  let page;
  const requests = [];

  before(async () => {
    writeFileSync(input, samples());
    execFileSync(program, ["flame", input, "--heat", "-o", output], { stdio: "ignore" });
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
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

  const text = (id) => page.locator(`#${id}`).textContent();
  /** The page is drawn anew before the browser's next frame: waits until the frame at the cursor is this one. */
  const isAt = (name) => page.waitForFunction((wanted) => document.getElementById("frame-name").textContent === wanted, name);

  test("says what it is and what it leaves out, and asks for nothing", async () => {
    assert.match(await text("subtitle"), /^200 samples at 99 Hz in 1\.99 s, cpu-clock$/);
    assert.match(await text("notes"), /alphabetical, not chronological/);
    assert.match(await text("notes"), /On CPU only/);
    assert.deepEqual(requests.filter((url) => !url.startsWith("file:") && !url.startsWith("data:")), []);
  });

  test("search counts each stack once", async () => {
    await page.fill("#search", "sort");
    assert.equal(await text("matched"), "100 samples, 50 % of all");
    await page.fill("#search", "/^(main|sort)$/");
    assert.equal(await text("matched"), "200 samples, 100 % of all");
    await page.fill("#search", "/(/");
    assert.match(await text("matched"), /Invalid regular expression/);
    await page.fill("#search", "");
    assert.equal(await text("matched"), "");
  });

  test("keys move along a stack, zoom in and out", async () => {
    await page.focus("#flame");
    const press = async (key, name) => {
      await page.keyboard.press(key);
      await isAt(name);
    };
    await press("ArrowUp", "prog");
    await press("ArrowUp", "main");
    await press("ArrowUp", "parse");
    await press("ArrowRight", "sort");
    await press("Enter", "sort");
    await press("ArrowUp", HOSTILE);
    assert.match(await text("frame-numbers"), /60 samples.*of the zoom60%/);
    assert.notEqual(await page.title(), "owned");
    await press("0", "all");
  });

  test("a chosen part of the time becomes the flame graph", async () => {
    const box = await page.locator("#heat").boundingBox();
    // The second second: from the lower end of its column to the upper.
    await page.mouse.move(box.x + 0.75 * box.width, box.y + box.height - 1);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.76 * box.width, box.y + 1, { steps: 4 });
    await page.mouse.up();
    assert.match(await text("heat-readout"), /^From 1\.00 s to 2\.00 s: 100 samples\./);
    await page.fill("#search", "parse");
    assert.equal(await text("matched"), "0 samples, 0 % of all");
    await page.fill("#search", "");
    await page.click("#whole");
    assert.equal(await text("heat-readout"), "All of the time.");
  });

  test("everyone can use it", async () => {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      const { violations } = await new AxeBuilder({ page }).analyze();
      assert.deepEqual(violations.map((violation) => violation.id), [], colorScheme);
    }
  });
});
