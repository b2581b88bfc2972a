// Tests the page in Chromium: `node tests/page.mjs ADDRESS CHROMIUM [FOLDER]`.
//
// With a folder, screenshots are saved there.

import assert from "node:assert/strict";
import { join } from "node:path";
import puppeteer from "puppeteer-core";

const [address, executablePath, folder] = process.argv.slice(2);
const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox"] });
const problems = [];
const page = await browser.newPage();
page.on("console", (message) => {
  if (["error", "warn"].includes(message.type())) {
    problems.push(message.text());
  }
});
page.on("pageerror", (error) => problems.push(String(error)));

const text = (id) => page.$eval(`#${id}`, (found) => found.textContent);
const until = (condition, ...values) => page.waitForFunction(condition, { timeout: 60000 }, ...values);
const picture = (name) => (folder ? page.screenshot({ path: join(folder, `${name}.png`) }) : undefined);

/** Opens the page with settings, and waits for its first tick. */
async function open(settings) {
  await page.goto("about:blank");
  await page.goto(`${address}/#${settings}`);
  await until(() => Number(document.getElementById("number").textContent.replaceAll(",", "")) > 0);
}

// The hashes of `tests/all.rs`, with every structure.
async function hashesAreThoseOfOtherMachines() {
  for (const [sizes, wraps, structure, hash] of [
    ["equal", false, "auto", "8e0ce1d0a75f6eac"],
    ["mixed", true, "brute", "c1a1895f3e652d68"],
    ["tail", true, "auto", "eab9bf6b0cbf64f2"],
    ["tail", true, "hshg", "eab9bf6b0cbf64f2"],
  ]) {
    const settings = `seed=7&objects=1000&speed=0.5&static=10&sizes=${sizes}&wraps=${wraps}`;
    await open(`${settings}&structure=${structure}&stop=500`);
    await until(() => document.getElementById("hash").textContent.endsWith("at tick 500"));
    assert.equal(await text("hash"), `${hash} at tick 500`, `${sizes}, ${structure}`);
  }
}

/** Returns the point of the window at a point of the world. */
async function place(x, y) {
  const area = await (await page.$("#overlay")).boundingBox();
  return [area.x + (x / 1000) * area.width, area.y + (y / 1000) * area.height];
}

async function dragsAndClicksAreQueries() {
  await open("seed=3&objects=10000&sizes=tail&stop=20");
  await until(() => document.getElementById("hash").textContent !== "");
  await page.mouse.move(...(await place(300, 300)));
  await page.mouse.down();
  await page.mouse.move(...(await place(600, 500)), { steps: 3 });
  await page.mouse.up();
  await until(() => /^the box overlaps [1-9]\d+ discs$/.test(document.getElementById("found").textContent));
  await picture("query");
  await page.select("select[name=tool]", "segment");
  await page.mouse.move(...(await place(100, 800)));
  await page.mouse.down();
  await page.mouse.move(...(await place(900, 700)), { steps: 3 });
  await page.mouse.up();
  await until(() => /^the segment touches [1-9]\d* discs$/.test(document.getElementById("found").textContent));
  await page.mouse.click(...(await place(500, 500)));
  await until(() => document.getElementById("found").textContent === "8 nearest discs");
}

async function theKeyboardIsEnough() {
  await page.focus("#overlay");
  await page.keyboard.press("Escape");
  assert.equal(await text("found"), "");
  await page.select("select[name=tool]", "box");
  await page.focus("#overlay");
  await page.keyboard.press("Space");
  for (let i = 0; i < 10; i++) {
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Space");
  await until(() => document.getElementById("found").textContent.startsWith("the box overlaps"));
  await page.keyboard.press("Enter");
  await until(() => document.getElementById("found").textContent === "8 nearest discs");
  await page.focus("#run");
  await page.keyboard.press("Enter");
  await until(() => document.getElementById("run").textContent === "Pause");
}

async function controlsRestartTheSimulation() {
  await page.click("input[name=pairs]");
  await page.click("input[name=cells]");
  await page.select("select[name=objects]", "1000");
  await page.click("input[name=wraps]");
  await page.select("select[name=structure]", "brute");
  await until(() => document.getElementById("structure").textContent === "brute force");
  const settings = new URL(page.url()).hash;
  assert.ok(settings.includes("objects=1000") && settings.includes("wraps=true"), settings);
  assert.ok(!settings.includes("stop="), settings);
  await picture("cells");
  await page.select("select[name=objects]", "100000");
  await until(() => document.getElementById("structure").textContent !== "brute force");
  await page.click("#run");
  const paused = await text("number");
  await page.click("#tick");
  await until((before) => document.getElementById("number").textContent !== before, paused);
}

async function flatbushFindsEqualPairs() {
  const hidden = await page.$eval("#comparison", (found) => found.hidden);
  if (!hidden) {
    await page.click("#compare");
    await until(() => /^\d+ pairs of boxes/.test(document.getElementById("times").textContent));
    console.log(await text("times"));
  }
}

async function manyDiscsAreTimed() {
  for (const objects of [10000, 100000]) {
    await open(`seed=7&objects=${objects}&sizes=equal&structure=auto&speed=0.2&static=0`);
    await until(() => Number(document.getElementById("number").textContent.replaceAll(",", "")) >= 120);
    const parts = await Promise.all(["advance", "step", "bounce", "draw", "rate"].map(text));
    console.log(`${objects} discs: move, find pairs, bounce, draw ${parts.slice(0, 4).join(", ")} ms; ${parts[4]} ticks per second`);
    await picture(`discs-${objects}`);
  }
}

async function smallAndDarkScreens() {
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await open("seed=7&objects=10000&sizes=tail");
  await picture("dark");
  await page.setViewport({ width: 390, height: 844, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
  await open("seed=7&objects=10000&sizes=tail");
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `the page is ${width} pixels wide`);
  await picture("phone");
  await page.touchscreen.tap(...(await place(500, 500)));
  await until(() => document.getElementById("found").textContent === "8 nearest discs");
}

try {
  await page.setViewport({ width: 1280, height: 900 });
  await hashesAreThoseOfOtherMachines();
  await dragsAndClicksAreQueries();
  await theKeyboardIsEnough();
  await controlsRestartTheSimulation();
  await flatbushFindsEqualPairs();
  await manyDiscsAreTimed();
  await smallAndDarkScreens();
  assert.deepEqual(problems, [], "errors in the console");
  console.log("7 tests of the page pass");
} finally {
  await browser.close();
}
