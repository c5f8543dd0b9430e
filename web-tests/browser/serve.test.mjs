// The live page of `isotherm serve` over a file that grows: what the page shows is what was written.
// Passed over where the program has not been built.
import AxeBuilder from "@axe-core/playwright";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { chromium } from "playwright-core";

const target = process.env.CARGO_TARGET_DIR ?? new URL("../../target", import.meta.url).pathname;
const program = process.env.ISOTHERM ?? join(target, "debug", "isotherm");
const skip = existsSync(program) ? false : `there is no ${program}: build it first`;
const TOKEN = "0123456789abcdef0123456789abcdef";
const PER_SECOND = 20;

describe("a live page", { skip }, () => {
  const directory = mkdtempSync(join(tmpdir(), "isotherm-serve-"));
  const [file, recording] = ["events.txt", "kept.heat"].map((name) => join(directory, name));
  const begin = 1_763_735_400;
  let [server, browser, page, address, viewOnly, second] = [null, null, null, "", "", 0];
  const complaints = [];

  /** So many seconds more of reads of 250 to 440 us; `slow` are of one device and a hundred times as long. */
  function write(seconds, slow = false) {
    const lines = [];
    for (; seconds > 0; seconds--, second++) {
      for (let i = 0; i < PER_SECOND; i++) {
        const device = slow || i % 4 === 0 ? "sdb" : "sda";
        lines.push(`${(begin + second + i / PER_SECOND).toFixed(3)} ${(250 + 10 * i) * (slow ? 100 : 1)} ${device}`);
      }
    }
    appendFileSync(file, lines.join("\n") + "\n");
  }

  /** Waits until the head of a page counts all that was written. */
  async function showsAll(on = page) {
    await on.waitForFunction((wanted) => document.querySelector("#kpis")?.dataset.events === String(wanted), second * PER_SECOND, { timeout: 30_000 });
  }

  /** Waits until a part of the page holds a text. */
  async function says(part, text) {
    const holds = ([part, text]) => document.querySelector(part)?.textContent?.includes(text);
    await page.waitForFunction(holds, [part, text], { timeout: 30_000 });
  }

  const state = () => page.textContent("#live-state");

  before(async () => {
    writeFileSync(file, "");
    write(60);
    server = spawn(program, ["serve", file, "--follow", "--columns", "time,latency,device", "--unit", "us", "--by", "device", "-i", "1s", "--listen", "127.0.0.1:0", "--record", recording], {
      env: { ...process.env, ISOTHERM_TOKEN: TOKEN }, stdio: ["ignore", "pipe", "pipe"],
    });
    let told = "";
    server.stderr.on("data", (text) => (told += text));
    address = await new Promise((resolve, reject) => {
      server.stdout.once("data", (text) => resolve(String(text).trim()));
      server.once("exit", () => reject(new Error(told)));
    });
    while (!/http:\S+\n/.test(told)) await new Promise((heard) => server.stderr.once("data", heard));
    viewOnly = /http:\S+/.exec(told)?.[0] ?? "";
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
    const context = await browser.newContext({ viewport: { width: 1280, height: 1000 } });
    page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await page.goto(address);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
  });

  after(async () => {
    await browser?.close();
    if (server?.exitCode === null) {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGINT");
      await ended;
    }
    rmSync(directory, { recursive: true });
  });

  test("has the token in no address, and shows what was written", async () => {
    assert.ok(address.includes(`#token=${TOKEN}`), address);
    assert.ok(!page.url().includes(TOKEN), page.url());
    await showsAll();
  });

  test("five more seconds are a hundred more events and five more columns", async () => {
    await page.click("#table-columns summary");
    const intervals = async () => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.click("button.csv[data-csv=columns]")]);
      const saved = join(directory, "columns.csv");
      await download.saveAs(saved);
      return readFileSync(saved, "utf8").trim().split("\n").length;
    };
    await showsAll();
    const before = await intervals();
    write(5);
    await showsAll();
    assert.equal(await intervals(), before + 5);
    await page.click("#table-columns summary");
  });

  test("stands still while it is frozen, and catches up", async () => {
    const shown = await page.getAttribute("#kpis", "data-events");
    await page.keyboard.press("f");
    assert.match(await state(), /FROZEN/);
    write(3);
    // Another page of the same server has them; this one must not.
    const other = await browser.newPage();
    await other.goto(address);
    await showsAll(other);
    await other.close();
    assert.equal(await page.getAttribute("#kpis", "data-events"), shown);
    await page.keyboard.press("f");
    await showsAll();
  });

  test("tells a planted burst, and what is different in it", async () => {
    write(4, true);
    write(6);
    await showsAll();
    await says("#verdict", "instead of");
    await page.click("#verdict button:has-text('compare with the time before')");
    await says("#differs", "sdb");
    // The selection stays with its time while the page goes on.
    const selected = await page.textContent("#selected");
    write(3);
    await showsAll();
    assert.equal(await page.textContent("#selected"), selected);
  });

  test("a mark is set by its form and stands in the list", async () => {
    await page.keyboard.press("m");
    await page.keyboard.type("deploy <b>1</b>");
    await page.keyboard.press("Enter");
    await says("#marks", "deploy <b>1</b>");
  });

  test("who has the other token sees, and sets no marks", async () => {
    const other = await browser.newPage();
    await other.goto(viewOnly);
    await other.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    assert.equal(await other.isVisible("#live-mark"), false);
    await other.goto(address.replace(TOKEN, "no token"));
    await other.evaluate(() => sessionStorage.clear());
    await other.goto("about:blank");
    await other.goto(address.replace(TOKEN, "wrong"));
    await other.waitForFunction(() => document.documentElement.dataset.ready === "failed");
    assert.match(await other.textContent("#trouble"), /no valid token/);
    await other.close();
    // That the wrong token is refused is no complaint of this page.
  });

  test("saves an offline report of what it shows", async () => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#live-save")]);
    const saved = join(directory, "saved.html");
    await download.saveAs(saved);
    assert.ok(readFileSync(saved, "utf8").includes("isotherm-data"));
    const offline = await browser.newPage();
    await offline.goto(`file://${saved}`);
    await offline.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    assert.equal(await offline.getAttribute("#kpis", "data-events"), await page.getAttribute("#kpis", "data-events"));
    await offline.close();
  });

  test("fits a phone, and has no fault that axe knows", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    const found = await new AxeBuilder({ page }).analyze();
    assert.deepEqual(found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" ")}`), []);
    await page.setViewportSize({ width: 1280, height: 1000 });
  });

  test("a server that ends is said to be gone, and what was shown stays", async () => {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGINT");
    await ended;
    await page.waitForFunction(() => /trying again|ENDED/.test(document.querySelector("#live-state")?.textContent ?? ""), null, { timeout: 30_000 });
    assert.equal(await page.getAttribute("#kpis", "data-events"), String(second * PER_SECOND));
    assert.ok(existsSync(recording));
    const refusals = complaints.filter((text) => !/ERR_CONNECTION|ERR_INCOMPLETE|Failed to load resource/.test(text));
    assert.deepEqual(refusals, []);
  });
});
