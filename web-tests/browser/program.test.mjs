// Reports that the program itself writes: the page shows the numbers of its JSON, and explains a
// burst that is known to be in the input. Passed over where the program has not been built.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { chromium } from "playwright-core";
import { random } from "../pack.mjs";

const target = process.env.CARGO_TARGET_DIR ?? new URL("../../target", import.meta.url).pathname;
const program = process.env.ISOTHERM ?? join(target, "debug", "isotherm");
const skip = existsSync(program) ? false : `there is no ${program}: build it first`;
const START = 1763733600;
const INPUT = ["--columns", "time,latency,program,file", "--unit", "us"];

/** Ten minutes of reads; from 240 s to 360 s a backup reads file 12 at some 16 ms. */
function lines() {
  const next = random(5);
  const spread = (middle) => Math.round(middle * Math.exp(0.8 * (next() + next() + next() - 1.5)));
  const all = [];
  for (let second = 0; second < 600; second++) {
    for (let i = 0; i < 60; i++) {
      all.push(`${START + second} ${spread(next() < 0.7 ? 240 : 6500)} app${1 + Math.floor(2 * next())} ${next() < 0.1 ? 12 : 7}`);
    }
    if (second >= 240 && second < 360) for (let i = 0; i < 40; i++) all.push(`${START + second} ${spread(16000)} RMAN 12`);
  }
  return all.join("\n") + "\n";
}

describe("a report of the program", { skip }, () => {
  const directory = mkdtempSync(join(tmpdir(), "isotherm-program-"));
  const [input, report] = [join(directory, "reads.txt"), join(directory, "reads.html")];
  let browser;
  let page;
  let json;

  before(async () => {
    writeFileSync(input, lines());
    execFileSync(program, ["report", input, ...INPUT, "-o", report], { stdio: "ignore" });
    json = JSON.parse(execFileSync(program, ["stats", input, ...INPUT, "--format", "json"], { maxBuffer: 1e8 }));
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
    page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
    page.on("pageerror", (error) => assert.fail(error));
    page.on("console", (message) => assert.notEqual(message.type(), "error", message.text()));
    await page.goto(`file://${report}`);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
  });

  after(async () => {
    await browser?.close();
    rmSync(directory, { recursive: true });
  });

  /** Shows an entry. The page is laid out anew with its head, so that places are asked for afterwards. */
  async function choose(entry) {
    await page.selectOption("#entry", entry);
    await page.waitForFunction((value) => document.getElementById("kpis").dataset.entry === value, entry);
  }

  const shown = (id) => page.$eval(`#${id}`, (element) => ({ ...element.dataset }));

  test("has a map of all series together, with all events", async () => {
    const kpis = await shown("kpis");
    assert.equal(Number(kpis.events), json.input.events);
    const waited = json.series.reduce((sum, series) => sum + series.time_waited_s, 0);
    assert.ok(Math.abs(Number(kpis.waitedS) - waited) < 1e-6 * waited);
  });

  test("shows for each series the numbers of the program's JSON, in its head and summed from its cells", async () => {
    const options = await page.locator("#entry option").evaluateAll((all) => all.map((one) => [one.value, one.textContent]));
    let compared = 0;
    for (const series of json.series) {
      const attributes = Object.entries(series.attributes).map(([key, value]) => `${key}=${value}`).join(",");
      const found = options.find(([, label]) => label === `${series.name}{${attributes}}`);
      if (!found) continue;
      compared++;
      await choose(found[0]);
      for (const [id, prefix] of [["kpis", "q"], ["statistics", "windowQ"]]) {
        const numbers = await shown(id);
        assert.equal(Number(numbers.events ?? numbers.windowEvents), series.events);
        const waited = Number(numbers.waitedS ?? numbers.windowWaitedS);
        assert.ok(Math.abs(waited - series.time_waited_s) < 1e-6 * waited);
        for (const quantile of series.quantiles) {
          const name = `${prefix}${quantile.q * 1000}`;
          assert.equal(Number(numbers[`${name}LoNs`]), quantile.lo_ns, `${name} of ${attributes} in ${id}`);
          assert.equal(Number(numbers[`${name}HiNs`]), quantile.hi_ns);
          assert.equal(Number(numbers[`${name}EstimateNs`]), quantile.estimate_ns, `estimate ${name} of ${attributes} in ${id}`);
        }
      }
    }
    assert.equal(compared, json.series.length);
  });

  test("explains the burst", async () => {
    await choose("0");
    const box = await page.locator("#map-frequency").boundingBox();
    const x = (share) => box.x + 58 + share * (box.width - 68);
    await page.mouse.move(x(250 / 600), box.y + 15);
    await page.mouse.down();
    await page.mouse.move(x(350 / 600), box.y + box.height / 3, { steps: 3 });
    await page.mouse.up();
    const first = page.locator("#differs tbody tr").first();
    await first.waitFor();
    assert.match(await page.locator("#differs tbody").innerText(), /program=RMAN/);
    assert.match(await first.innerText(), /program=RMAN|file=12/);
  });
});
