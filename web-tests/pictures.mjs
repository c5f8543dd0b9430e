// Takes the screenshots of the documentation; `cargo xtask pictures` runs it.
// Usage: node pictures.mjs DIRECTORY 'PICTURE PAGE WIDTH HEIGHT SCHEME'...     pages and pictures are in DIRECTORY
import { join } from "node:path";
import { chromium } from "playwright-core";

const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** What a reader does to a page before it is as it is shown. */
const PREPARED = {
  /** The time of the first sentence is chosen. */
  "disk-backup.html": async (page) => {
    await page.locator("#report .why button.value").first().click();
  },
  /** The burst is chosen: columns of seconds from the left, parts of each from below. */
  "burst.html": async (page) => {
    const seconds = await page.evaluate(() => document.getElementById("subtitle").textContent);
    const columns = Math.ceil(Number(/ in ([0-9.]+) s/.exec(seconds)[1]));
    const box = await page.locator("#heat").boundingBox();
    const place = (second) => [box.x + ((Math.floor(second) + 0.5) / columns) * box.width, box.y + box.height * (1 - (second % 1))];
    await page.mouse.move(...place(6.51));
    await page.mouse.down();
    await page.mouse.move(...place(7.79), { steps: 4 });
    await page.mouse.up();
  },
};

const [directory, ...pictures] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  for (const [picture, name, width, height, colorScheme] of pictures.map((one) => one.split(" "))) {
    const context = await browser.newContext({ viewport: { width: Number(width), height: Number(height) }, colorScheme, reducedMotion: "reduce", timezoneId: "UTC" });
    const page = await context.newPage();
    page.on("pageerror", (error) => {
      throw error;
    });
    await page.goto(`file://${join(directory, name)}`);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    await PREPARED[name]?.(page);
    // No pointer over the page, no ring around what was used last, and the page from its beginning.
    await page.mouse.move(0, 0);
    await page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      window.scrollTo(0, 0);
    });
    await settled(page);
    await page.screenshot({ path: join(directory, picture), animations: "disabled" });
    await context.close();
  }
} finally {
  await browser.close();
}
