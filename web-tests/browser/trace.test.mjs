// The page of a SQL trace that the program writes: the profile, statements that open, and the flame graph.
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

/** Two statements: ten fetches of 20 ms, 15 ms of each a read, and five executions of 3 ms. */
function trace() {
  const lines = [
    "Trace file /u01/orcl_ora_815.trc", "Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production", "",
    "*** 2026-11-21T09:08:07.000000+01:00", "=====================",
  ];
  let tim = 7_000_000;
  const parsed = (cursor, id, text) => lines.push(`PARSING IN CURSOR #${cursor} len=20 dep=0 uid=61 oct=3 lid=61 tim=${tim} hv=77 ad='8f' sqlid='${id}'`, text, "END OF STMT");
  parsed(1, "slow1", `select '${HOSTILE}' from parcels`);
  for (let i = 0; i < 10; i++) {
    lines.push(`WAIT #1: nam='db file sequential read' ela= 15000 file#=7 block#=${i} blocks=1 obj#=8042 tim=${tim + 16_000}`);
    lines.push(`FETCH #1:c=4000,e=20000,p=1,cr=3,cu=0,mis=0,r=5,dep=0,og=1,plh=9,tim=${tim += 20_000}`);
  }
  lines.push("STAT #1 id=1 cnt=50 pid=0 pos=1 obj=8042 op='TABLE ACCESS FULL PARCELS (cr=30 pr=10 pw=0 str=1 time=190000 us)'");
  parsed(2, "fast2", "update parcels set town = :1");
  for (let i = 0; i < 5; i++) lines.push(`EXEC #2:c=2000,e=3000,p=0,cr=0,cu=0,mis=0,r=1,dep=0,og=1,plh=0,tim=${tim += 3_000}`);
  return lines.join("\n") + "\n";
}

describe("the page of a SQL trace", { skip }, () => {
  const directory = mkdtempSync(join(tmpdir(), "isotherm-trace-"));
  const [input, output] = [join(directory, "orcl_ora_815.trc"), join(directory, "trace.html")];
  let browser;
  let page;
  const requests = [];

  before(async () => {
    writeFileSync(input, trace());
    execFileSync(program, ["report", input, "-o", output], { stdio: "ignore" });
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
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

  test("says where the time went, and asks for nothing", async () => {
    // 10 × 20 ms and 5 × 3 ms, of these 150 ms of reads.
    const section = page.locator("#sections .part").first();
    assert.match(await section.textContent(), /215ms of response time: 70 % db file sequential read \(10 waits/);
    assert.equal(await page.title(), "orcl_ora_815.trc");
    assert.deepEqual(requests.filter((url) => !url.startsWith("file:") && !url.startsWith("data:") && !url.startsWith("blob:")), []);
  });

  test("a statement opens to its calls, these to their waits with the lines in the file", async () => {
    const statement = page.locator("#sections details", { hasText: "slow1" }).first();
    assert.equal(await statement.getAttribute("open"), null);
    await statement.locator(":scope > summary").click();
    const fetch = statement.locator(":scope > details", { hasText: "fetch" }).first();
    assert.match(await fetch.locator(":scope > summary").textContent(), /^fetch: 200ms/);
    await fetch.locator(":scope > summary").click();
    const longest = fetch.locator("table", { hasText: "file:line" });
    assert.match(await longest.locator("tbody tr").first().textContent(), /orcl_ora_815\.trc:9.*15ms.*db file sequential read/);
    const plan = statement.locator(":scope > details", { hasText: "plan" });
    await plan.locator(":scope > summary").click();
    assert.ok(await plan.getByText("TABLE ACCESS FULL PARCELS").isVisible());
  });

  test("tables are put in order by their headings", async () => {
    const table = page.locator("#sections table").first();
    const names = () => table.locator("tbody th").allTextContents();
    const heading = table.getByRole("button", { name: "time" });
    assert.deepEqual(await names(), ["db file sequential read", "CPU", "not accounted for"]);
    await heading.click();
    await heading.click();
    assert.deepEqual(await names(), ["not accounted for", "CPU", "db file sequential read"]);
  });

  test("the flame graph is the response time; a click zooms", async () => {
    const readout = () => page.locator("#flame-readout").textContent();
    assert.match(await readout(), /^all · 215 ?ms/);
    await page.locator("#flame").focus();
    await page.keyboard.press("ArrowUp");
    await page.waitForFunction(() => document.getElementById("flame-readout").textContent.includes("slow1"));
    await page.keyboard.press("Enter");
    await page.locator("#flame-all").click();
    await page.waitForFunction(() => document.getElementById("flame-readout").textContent.startsWith("all"));
  });

  test("fits a narrow screen, and has no fault that axe knows", async () => {
    for (const [width, scheme] of [[1280, "light"], [390, "dark"]]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, scheme);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${wide} pixels beyond ${width}`);
      const found = await new AxeBuilder({ page }).include("#sections").analyze();
      assert.deepEqual(found.violations.map((one) => [one.id, one.nodes.map((node) => node.html.slice(0, 120))]), []);
    }
  });
});
