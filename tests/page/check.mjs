// Looks at a report's page in a real browser, as a user does: node tests/page/check.mjs DIRECTORY. DIRECTORY holds page.html (a report of parcel.c
// with a chain of causes and a dependence model), hostile.html and, if it is to be measured, large.html; screenshots go there.
// Ends with 1 and what was wrong unless everything works.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const tools = createRequire(join(fileURLToPath(import.meta.url), "../../../target/tools/package.json"));
const { chromium } = tools("playwright-core");
const axe = readFileSync(tools.resolve("axe-core/axe.min.js"), "utf8");
const directory = resolve(process.argv[2]);
/** How long a browser on a busy machine may take for anything, in ms. */
const PATIENCE = 120000;
const browser = await chromium.launch({
  timeout: PATIENCE,
  executablePath: process.env.SUSPECT_CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});

/** A page that fails the check when its script fails, it asks for anything but itself, or shows a dialog. */
async function open(name, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  page.setDefaultTimeout(PATIENCE);
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("dialog", (dialog) => faults.push(`dialog ${dialog.message()}`) && dialog.dismiss());
  page.on("request", (request) => request.url().startsWith("file://") || faults.push(`asks for ${request.url()}`));
  page.faults = faults;
  await page.goto(`file://${join(directory, name)}`);
  return page;
}

/** Waits until what is read is as wanted, since a browser follows addresses and draws in its own time; fails with the last value read. */
async function becomes(read, wanted, what) {
  const fits = wanted instanceof RegExp ? (value) => wanted.test(value) : wanted instanceof Function ? wanted : (value) => value === wanted;
  for (const end = Date.now() + PATIENCE; ; await new Promise((done) => setTimeout(done, 25))) {
    const value = await read();
    if (fits(value)) return value;
    assert.ok(Date.now() < end, `${what ?? wanted}: it stays ${JSON.stringify(value)}`);
  }
}

/** Waits until a part of the page is seen. */
const seen = (part) => part.first().waitFor({ state: "visible" });

const checks = {
  async "clicking a suspect shows its line with the evidence, and going back works"() {
    const page = await open("page.html");
    const line = () => page.locator(".line.selected .n").textContent();
    assert.equal(await page.locator(".suspect").count() > 5, true);
    const second = page.locator(".suspect").nth(1);
    const place = (await second.locator(".where").textContent()).split(":").pop();
    const first = await line();
    await second.locator("a.place").click();
    await becomes(line, place);
    await becomes(() => page.url(), new RegExp(`#s=parcel\\.c:${place}$`));
    await becomes(() => page.locator(".line.selected + .note").textContent(), /executed by \d+ of \d+ failing/);
    await second.locator(".where").click();
    await page.goBack();
    await seen(page.locator(`.line[data-line="${first}"]`));
    await page.goto(page.url().replace(/#.*/, "") + `#s=parcel.c:${place}`);
    await becomes(line, place, "an address leads to its line");
    return page;
  },

  async "the page begins with what fails, and its nights are plots"() {
    const page = await open("page.html");
    const failure = page.locator("#failures .failure").first();
    await seen(failure.locator(".difference .written"));
    assert.match(await failure.textContent(), /line \d+ of its output is wrong.*\$?.*expected.*written/s);
    assert.ok((await failure.boundingBox()).y < 500, "it is seen at once");
    assert.equal(await page.locator("#nights svg").count(), 3);
    assert.match(await page.locator("#nights svg").first().getAttribute("aria-label"), /^Failing tests: night 1: 2 of \d+ tests fail; night 2/);
    assert.equal(await page.locator("#methods details.folded[open], #profiles details.folded[open]").count(), 0);
    await page.screenshot({ path: join(directory, "failure.png") });
    return page;
  },

  async "changes that were tried are marks in the source that show what changes"() {
    const page = await open("page.html");
    const mark = page.locator(".line.selected .dot.mends").first();
    await seen(mark);
    await mark.click();
    const change = page.locator(".note .change[open]");
    assert.equal(await change.count(), 1);
    assert.match(await change.textContent(), /-.*\n\+.*\n.*suspect replay [0-9a-f]{16}/s);
    return page;
  },

  async "a value leads to the step that tells where it comes from"() {
    const page = await open("page.html");
    await page.locator("#chain-2-1 td a").first().click();
    await becomes(() => page.url(), /#chain-2-2$/);
    await seen(page.locator("#chain-2-2:target"));
    return page;
  },

  async "steps of a chain are bubbles in the source that lead to it"() {
    const page = await open("page.html");
    const bubble = page.locator(".line .bubble").first();
    assert.match(await page.locator(".line .bubble").allTextContents().then((all) => all.join()), /1.*2|2.*1/);
    await bubble.click();
    await becomes(() => page.url(), /#chain-1-\d$/);
    await seen(page.locator(".steps li:target"));
    await page.locator(".steps a.place").first().click();
    await becomes(() => page.locator(".line.selected .n").textContent(), /^\d+$/);
    return page;
  },

  async "the middle of a long chain is folded until an address leads into it"() {
    const page = await open("page.html");
    const folded = page.locator("#chain-2 details").first();
    assert.match(await folded.locator("summary").first().textContent(), /^13 to 24: 12 more steps, at parcel\.c:\d+$/);
    await seen(page.locator("#chain-2-12"));
    assert.equal(await page.locator("#chain-2-15").isVisible(), false);
    const number = (step) => page.locator(step).evaluate((one) => getComputedStyle(one, "::before").content);
    assert.equal(await number("#chain-2-25"), '"25"');
    await page.goto(page.url().replace(/#.*/, "") + "#chain-2-15");
    await seen(page.locator("#chain-2-15:target"));
    await page.locator("#chain-2-15 a.place").first().click();
    await becomes(() => page.locator(".line.selected .bubble").count(), 6);
    await becomes(() => page.locator(".line.selected + .note").textContent(), /and 25 more steps/);
    const afresh = await open("page.html#chain-2-15");
    await seen(afresh.locator("#chain-2-15:target"));
    await seen(afresh.locator(".line.selected"));
    assert.deepEqual(afresh.faults, []);
    await afresh.close();
    return page;
  },

  async "the list is filtered, and walked with the keyboard alone"() {
    const page = await open("page.html");
    const shown = () => page.locator(".suspect:visible").count();
    const all = await page.locator(".suspect").count();
    await page.keyboard.press("/");
    await page.keyboard.type("surcharge");
    const some = await becomes(shown, (some) => some > 0 && some < all, `some of ${all}`);
    await becomes(() => page.locator(".said").textContent(), new RegExp(`^${some} of ${all}$`));
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    const current = await page.locator(".suspect.current .where").textContent();
    await page.keyboard.press("k");
    assert.notEqual(await page.locator(".suspect.current .where").textContent(), current);
    assert.match(await page.locator(".suspect.current").textContent(), /surcharge/);
    const reached = [];
    for (let at = 0; at < 12; at++) {
      await page.keyboard.press("Tab");
      reached.push(await page.evaluate(() => document.activeElement.tagName));
    }
    assert.ok(reached.includes("SUMMARY") && reached.includes("BUTTON") && reached.includes("A"), reached.join());
    return page;
  },

  async "the graph is filtered by strength, zoomed, and walked to causes and effects"() {
    const page = await open("page.html");
    await page.locator("#model h2").scrollIntoViewIfNeeded();
    await page.locator("#graph .node").first().waitFor();
    const count = () => page.locator("#graph .link").count();
    const slider = page.locator("#strength");
    // It begins at the most suspicious line, which is seen.
    const blamed = (await page.locator(".suspect .where").first().textContent()).split(":").pop();
    assert.match(await page.locator("#extent option:checked").textContent(), new RegExp(`^from parcel\\.c:${blamed} on$`));
    assert.match(await page.locator("#graph .node.selected .at").textContent(), new RegExp(`:${blamed} `));
    const frame = await page.locator("#graph svg").boundingBox();
    const box = await page.locator("#graph .node.selected").boundingBox();
    assert.ok(box.x >= frame.x && box.x + box.width <= frame.x + frame.width && box.y >= frame.y, JSON.stringify({ box, frame }));
    await page.locator("#extent").selectOption("output");
    await slider.fill("0");
    const reaching = await count();
    await page.locator("#extent").selectOption("all");
    assert.ok((await count()) >= reaching && reaching > 0, `${reaching} lead to the output`);
    await slider.fill("0");
    const all = await count();
    await slider.fill("0.8");
    const strong = await count();
    assert.ok(strong > 0 && strong < all, `${strong} of ${all}`);
    await slider.fill("0.2");
    const scale = async () => Number(await page.locator("#graph svg").getAttribute("data-scale"));
    const before = await scale();
    await page.locator('#graph button[aria-label="zoom in"]').click();
    assert.ok((await scale()) > before * 1.3);
    await page.locator('#graph button[aria-label^="fit"]').click();
    await page.locator("#graph .node.output").click();
    assert.match(await page.locator(".walk .chosen").textContent(), /^output/);
    const causes = page.locator(".walk .sides > div").first().locator("button");
    assert.ok((await causes.count()) > 0);
    const cause = (await causes.first().textContent()).replace(/^\S+\s+/, "");
    await causes.first().click();
    assert.ok((await page.locator(".walk .chosen").textContent()).startsWith(cause), cause);
    assert.ok((await page.locator("#graph .link.cause, #graph .link.effect").count()) > 0);
    await page.locator("#graph .node.selected").focus();
    await page.keyboard.press("ArrowRight");
    assert.match(await page.locator(".walk .chosen").textContent(), /^output/);
    await page.keyboard.press("ArrowLeft");
    assert.ok((await page.locator(".walk .chosen").textContent()).startsWith(cause));
    await page.locator(".walk a.place").click();
    await seen(page.locator(".line.selected"));
    return page;
  },

  async "commands are copied"() {
    const page = await open("page.html");
    await page.locator(".suspect .copy").first().click();
    // The clipboard answers when it likes.
    await page.waitForFunction(() => /copied|selected/.test(document.querySelector(".suspect .copy").textContent));
    const commands = await page.locator("code.command").allTextContents();
    for (const what of ["suspect replay ", "suspect rank --why ", "suspect explain ", "suspect graph", "suspect methods", "suspect doctor"])
      assert.ok(commands.some((command) => command.startsWith(what)), what);
    return page;
  },

  async "colours follow the system and can be turned"() {
    const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await open("page.html", { colorScheme: "light" });
    const dark = await open("page.html", { colorScheme: "dark" });
    const night = await ground(dark);
    assert.notEqual(await ground(light), night);
    await light.locator("button.colours").click();
    await becomes(() => ground(light), night);
    await dark.close();
    return light;
  },

  async "on a phone nothing is wider than the page, and the source opens and closes"() {
    const page = await open("page.html", { viewport: { width: 360, height: 740 } });
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(widths[0] <= widths[1], widths.join());
    await seen(page.locator(".snippet"));
    await page.locator(".suspect a.place").first().click();
    await seen(page.locator("#source .code"));
    await page.screenshot({ path: join(directory, "phone-source.png") });
    await page.locator("#source .close").click();
    await page.locator("#source .code").waitFor({ state: "hidden" });
    await seen(page.locator(".suspect"));
    return page;
  },

  async "nothing that axe finds is wrong, in light, dark and on a phone"() {
    for (const options of [{ colorScheme: "light" }, { colorScheme: "dark" }, { viewport: { width: 360, height: 740 } }]) {
      // The page's policy lets no other script in, so that of the check goes around it.
      const page = await open("page.html", { ...options, bypassCSP: true });
      await page.locator("#model h2").scrollIntoViewIfNeeded();
      await page.locator("#graph .node").first().waitFor();
      await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
      await page.evaluate(axe);
      const { violations, passes } = await page.evaluate(() => window.axe.run());
      const found = violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html).join(" | ")}`);
      assert.deepEqual(found, [], JSON.stringify(options));
      assert.ok(passes.length > 20);
      await page.screenshot({ path: join(directory, `axe-${options.colorScheme ?? "phone"}.png`) });
      await page.close();
    }
  },

  async "without scripts the page is a document that says the same"() {
    const page = await open("page.html", { javaScriptEnabled: false });
    const place = page.locator(".suspect a.place").first();
    await seen(page.locator(".snippet mark"));
    await place.click();
    await becomes(() => page.url(), /#s=parcel\.c:\d+$/);
    for (const id of ["failures", "suspects", "causes", "model", "profiles", "methods", "tests", "missing"])
      assert.ok(await page.locator(`#${id} h2`).isVisible(), id);
    assert.ok((await page.locator("#model table tr").count()) > 3);
    assert.ok(!(await page.locator("#graph").isVisible()) && !(await page.locator("#source").isVisible()));
    return page;
  },

  async "under a policy that lets no script and no style in, it is still read"() {
    const text = readFileSync(join(directory, "page.html"));
    const policy = "sandbox; default-src 'none'; img-src 'self'; style-src 'self';";
    const server = createServer((_, answer) => answer.writeHead(200, { "content-type": "text/html", "content-security-policy": policy }).end(text));
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    assert.equal(await page.evaluate(() => document.documentElement.className).catch(() => ""), "");
    assert.ok(await page.locator("#suspects h2").isVisible());
    assert.ok(await page.locator(".snippet mark").first().isVisible());
    assert.ok(await page.locator("#causes ol li").first().isVisible());
    await page.screenshot({ path: join(directory, "bare.png") });
    await page.close();
    server.close();
  },

  async "names and sources of a program are never markup"() {
    const page = await open("hostile.html");
    await page.locator("details").evaluateAll((all) => all.forEach((details) => (details.open = true)));
    assert.equal(await page.locator("img, iframe, object, link, base").count(), 0);
    assert.equal(await page.locator("script").count(), 2);
    assert.ok((await page.locator(".line .text").count()) > 0);
    const first = page.locator(".suspect a.place").first();
    await first.click();
    // The address of an odd name leads to its line.
    await seen(page.locator(".line.selected"));
    assert.ok((await page.textContent("#reading")).includes("<img src=x"), "it is text");
    return page;
  },
};

if (process.argv.includes("--measure")) {
  const page = await open("large.html");
  await page.locator(".line.selected").waitFor();
  const ready = Number(await page.evaluate(() => document.documentElement.dataset.ready));
  const last = await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const began = performance.now();
    document.querySelectorAll(".suspect a.place")[40].click();
    await frame();
    const jumped = performance.now() - began;
    const code = document.querySelector(".code");
    let slowest = 0;
    for (let at = 0; at < 40; at++) {
      const before = performance.now();
      code.scrollTop = (code.scrollHeight * at) / 40;
      await frame();
      slowest = Math.max(slowest, performance.now() - before);
    }
    const filtering = performance.now();
    const filter = document.getElementById("filter");
    filter.value = "a";
    filter.dispatchEvent(new Event("input"));
    await frame();
    return { jumped, slowest, filtered: performance.now() - filtering, lines: document.querySelectorAll(".line").length };
  });
  const rounded = Object.fromEntries(Object.entries(last).map(([name, value]) => [name, Math.round(value)]));
  console.log(JSON.stringify({ ready, ...rounded }));
} else {
  const failed = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      const page = await check();
      assert.deepEqual(page?.faults ?? [], []);
      await page?.close();
      console.log(`ok: ${name}`);
    } catch (error) {
      failed.push(`NOT ok: ${name}\n${error.stack}`);
    }
  }
  // At the end, where who reads the end of a log sees them.
  failed.forEach((one) => console.log(one));
  process.exitCode = failed.length > 0 ? 1 : 0;
}
await browser.close();
