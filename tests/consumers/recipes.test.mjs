// Every recipe, built by its own tool with the packed package, and filled in by keyboard alone in Chromium. The
// ordinary field arrives, and so does the very release that was shown before. The text arrives nowhere.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cp, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { open, watchedPage } from '../browser/chromium.mjs';
import { stored } from '../browser/recorder.mjs';
import { installed } from './extension.mjs';
import { serve } from './serve.mjs';
import { at, program } from './workbench.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SHOTS = process.env.TEXTVEIL_SCREENSHOTS;

/** Seven words; those of the pattern are not in the table, so that they cannot come out by chance. */
const SECRET = 'Zebulon Quimby has fear of the colonoscopyx';
const RAW = /zebulon|quimby|colonoscopyx/i;
const WORDS = 7;

/** What is served of each recipe, and where its page is. The slowest to build comes first. */
const RECIPES = {
  // Its static export has scripts in the page.
  next: { folder: 'next/out', inline: true },
  webpack: { folder: '.', page: 'webpack/' },
  static: { folder: '.', page: 'static/' },
  esbuild: { folder: '.', page: 'esbuild/' },
  element: { folder: 'element/dist', asks: true },
  feedback: { folder: 'feedback/dist', asks: true, chooses: true, fields: ['version', 'comment'], words: 1 },
  vite: { folder: 'vite/dist' },
  svelte: { folder: 'svelte/dist' },
  'react-hook-form': { folder: 'react-hook-form/dist' },
  htmx: { folder: 'htmx/dist' },
  fetch: { folder: 'fetch/dist' },
  worker: { folder: 'worker/dist' },
  prompt: { folder: 'prompt/dist', fields: ['tone', 'prompt'] },
  extension: { folder: 'extension/dist' },
};

/** Where the extension sends its form. */
const ELSEWHERE = 'https://notes.example/';

let browser;

before(async () => {
  const names = Object.keys(RECIPES).values();
  const builder = async () => {
    for (const name of names) await program('recipes', 'npm', 'run', '--silent', name);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, builder));
  browser = await open({ ignoreDefaultArgs: ['--disable-extensions'] });
});
after(() => browser.close());

for (const [name, { folder, page: path = '', inline = false, asks = false, chooses = false, fields = ['ward', 'comment'], words = WORDS }] of Object.entries(RECIPES)) {
  const [ordinary, field] = fields;
  const opened = name === 'extension' ? (broken) => openExtension(folder, broken) : (broken) => openServed(folder, path, inline, broken);

  test(`${name}: the release is sent, and the text is not`, async () => {
    const { page, troubles, posts, leaks, close } = await opened(false);
    try {
      await fillIn(page, chooses);
      // The element draws nothing before it is asked.
      if (asks) await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.querySelector('output').textContent !== '');
      // Past the button that leaves the field out.
      if (asks) for (const key of ['Tab', 'Tab']) await page.keyboard.press(key);
      const shown = await page.locator('output').first().textContent();
      await look(page, name);
      await page.keyboard.press('Enter');
      await until(() => posts().length > 0);
      await page.waitForFunction(() => /Sent\.|Received\./.test(document.body.textContent));

      const [{ headers, body }, ...others] = posts();
      assert.deepEqual(others, []);
      const sent = await new Response(body, { headers: { 'Content-Type': headers['content-type'] } }).formData();
      assert.deepEqual([...sent.keys()], [ordinary, field, `${field}-guarantee`, 'nonce']);
      // By this number a collector counts it once, however often the browser sends it.
      assert.match(`${sent.get('nonce')}`, /^\d{20,}$/);
      assert.equal(sent.get(ordinary), 'Maple 3');
      assert.equal(sent.get(field), shown);
      assert.equal(JSON.parse(`${sent.get(`${field}-guarantee`)}`).words, words);
      assert.deepEqual(await leaks(), []);
      assert.deepEqual(troubles, []);
    } finally {
      await close();
    }
  });

  test(`${name}: without the table nothing is sent, and the person is told`, async () => {
    const { page, posts, leaks, close } = await opened(true);
    try {
      await fillIn(page);
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => /not sent\.|was not sent|cannot be sent/.test(document.querySelector('[role=status], .textveil-error').textContent));
      // Long enough for a request that should not be there.
      await wait(300);
      assert.equal(await page.locator('output').first().textContent(), '');
      assert.deepEqual(posts(), []);
      assert.deepEqual(await leaks(), []);
    } finally {
      await close();
    }
  });
}

for (const name of ['vite', 'worker']) {
  test(`${name}: the button stays where it is when a long release is shown, so that a click that ends the writing meets it`, async () => {
    const { page, close } = await openServed(RECIPES[name].folder, '', false, false);
    try {
      const place = () => page.locator('button').boundingBox();
      await page.locator('textarea').fill('The ward was loud and nobody told us when the doctor would come. '.repeat(6));
      const before = await place();
      await page.locator('textarea').press('Tab');
      await page.waitForFunction(() => document.querySelector('output').textContent !== '');
      assert.deepEqual(await place(), before);
    } finally {
      await close();
    }
  });
}

/** Both fields, as somebody without a mouse fills them in, and perhaps the second statement of those offered; ends at the button. */
async function fillIn(page, chooses = false) {
  const type = async (element, text) => {
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.localName), element);
    await page.keyboard.type(text);
  };
  await type('input', 'Maple 3');
  await type('textarea', SECRET);
  if (chooses) await choose(page);
  await type('button', '');
}

async function choose(page) {
  const offered = page.locator('.textveil-suggested > button');
  await offered.first().waitFor();
  const [, second, ...others] = await offered.all();
  // The element ignores presses right after the statements have appeared.
  await wait(500);
  for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
  assert.equal(await second.getAttribute('aria-pressed'), 'true');
  for (let left = others.length; left > 0; left--) await page.keyboard.press('Tab');
}

/** No accessibility fault that a machine can find, and nothing wider than a small screen, in light and in dark. */
async function look(page, name) {
  await page.evaluate(AXE);
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1000, 320]) {
      await page.setViewportSize({ width, height: 720 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      if (SHOTS) await page.screenshot({ path: join(SHOTS, `recipe-${name}-${colorScheme}-${width}.png`) });
    }
    const { violations } = await page.evaluate(() => axe.run());
    assert.deepEqual(violations.map(({ id, nodes }) => ({ id, at: nodes.map(({ target }) => target.join(' ')) })), []);
  }
}

async function openServed(folder, path, inline, broken) {
  const { site, log, close: stop } = await serve([at('recipes', folder)], { inline, missing: (path) => broken && path.endsWith('.tvt') });
  const watched = await openAt(`${site}${path}`, log);
  return { ...watched, close: () => Promise.all([watched.close(), stop()]) };
}

async function openExtension(folder, broken) {
  const unpacked = at('recipes/extension', broken ? 'broken' : 'whole');
  await cp(at('recipes', folder), unpacked, { recursive: true });
  if (broken) {
    for (const file of await readdir(unpacked, { recursive: true })) if (file.endsWith('.tvt')) await rm(join(unpacked, file));
  }
  const log = [];
  // This server does not exist: the test records the requests and answers them.
  await browser.context.route(`${ELSEWHERE}**`, (route) => {
    const request = route.request();
    log.push({ method: request.method(), path: request.url(), headers: request.headers(), body: request.postData() });
    return route.fulfill({ status: 201, body: 'Received.' });
  });
  const watched = await openAt(`${await installed(browser.context, unpacked)}index.html`, log);
  const close = async () => {
    await watched.close();
    await browser.context.unroute(`${ELSEWHERE}**`);
  };
  return { ...watched, close };
}

/** A page, what it sends, and everywhere that the text has come to. */
async function openAt(address, log) {
  const { page, troubles, requests } = await watchedPage(browser.context);
  const said = [];
  page.on('console', (message) => said.push(message.text()));
  await page.goto(address, { waitUntil: 'networkidle' });
  await page.waitForSelector('form');
  const posts = () => log.filter(({ method }) => method === 'POST');
  const leaks = async () => {
    const visited = await page.evaluate(() => [history.state, location.href]);
    return [...log, ...requests, ...said, visited, ...(await stored(page))].map((place) => JSON.stringify(place)).filter((place) => RAW.test(place));
  };
  return { page, troubles, posts, leaks, close: () => page.close() };
}

async function until(holds) {
  for (let tries = 0; tries < 300; tries++) {
    if (holds()) return;
    await wait(100);
  }
  assert.fail(`${holds} did not come to pass`);
}
