// The demo as a person uses it, in Chromium: what it shows, what it sends (nothing), whether everyone can use it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { open, SITE, watchedPage } from './chromium.mjs';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const SHOTS = process.env.TEXTVEIL_SCREENSHOTS;
const SECRET = 'Zebulon told Quimby about the diagnosis yesterday.';
const DONE = /Done on this device/;

/** The demo, loaded and at rest. */
async function openDemo(settings) {
  const browser = await open(settings);
  const watched = await watchedPage(browser.context);
  await watched.page.goto(SITE);
  await atRest(watched.page);
  return { ...browser, ...watched };
}

/** Waits until what is shown belongs to what is written. */
async function atRest(page) {
  // Typing is debounced by a quarter of a second; the page announces nothing until then.
  await page.waitForTimeout(400);
  await page.waitForFunction((done) => new RegExp(done).test(document.querySelector('#status').textContent), DONE.source);
}

const released = (page) => page.textContent('#release');

/** Sets the slider as a pointer would. */
async function setLevel(page, level) {
  await page.locator('#level').fill(String(level));
  await atRest(page);
}

describe('the demo', async () => {
  const { context, close, page, troubles, requests } = await openDemo({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
  after(close);
  const loading = requests.length;

  test('a typed sentence is rewritten, word for word', async () => {
    await page.fill('#text', SECRET);
    await setLevel(page, 0);
    const text = await released(page);
    assert.equal(text.split(' ').length, SECRET.split(' ').length);
    assert.ok(text.endsWith('.'));
    assert.ok(!/zebulon|quimby/i.test(text), text);
    assert.equal(await page.locator('#words li').count(), 7);
    assert.match(await page.textContent('#guarantee'), /ε/);
  });

  test('moving the slider draws at the new level, and every level has its say', async () => {
    const levels = Number(await page.getAttribute('#level', 'max')) + 1;
    assert.ok(levels >= 3);
    const meanings = new Set();
    for (const level of [0, Math.floor(levels / 2), levels - 1]) {
      await setLevel(page, level);
      meanings.add(await page.textContent('#level-meaning'));
      assert.equal((await released(page)).split(' ').length, SECRET.split(' ').length);
    }
    assert.equal(meanings.size, 3);
    assert.ok((await page.locator('#compare li').count()) >= 3);
  });

  test('what has been drawn is not drawn again', async () => {
    await setLevel(page, 0);
    const first = await released(page);
    await page.fill('#text', 'something else altogether');
    await atRest(page);
    assert.notEqual(await released(page), first);
    await page.fill('#text', SECRET);
    await atRest(page);
    assert.equal(await released(page), first);
    await setLevel(page, 1);
    await setLevel(page, 0);
    assert.equal(await released(page), first);
  });

  test('a word opens its alternatives', async () => {
    await page.locator('#words button').last().click();
    await page.waitForSelector('#word-detail:not([hidden])');
    assert.match(await page.textContent('#word-detail'), /yesterday/);
  });

  test('an emptied text leaves nothing on show', async () => {
    await page.fill('#text', '');
    await page.waitForFunction(() => /Nothing is written/.test(document.querySelector('#status').textContent));
    assert.equal(await released(page), '');
    assert.equal(await page.locator('#words li').count(), 0);
  });

  test('no request is made once the page is loaded, and none carries the text', () => {
    assert.ok(loading >= 5, 'the page, its script, its style, the module and the table were requested');
    assert.deepEqual(requests.slice(loading), []);
    for (const { method, url, body } of requests) {
      assert.equal(method, 'GET');
      assert.ok(url.startsWith(SITE), url);
      assert.ok(!/zebulon|quimby|diagnosis/i.test(decodeURIComponent(url) + body));
    }
  });

  test('nothing is left in the browser', async () => {
    const left = await page.evaluate(async () => [localStorage.length, sessionStorage.length, document.cookie, (await indexedDB.databases()).length, (await caches.keys()).length]);
    assert.deepEqual(left, [0, 0, '', 0, 0]);
    assert.deepEqual(await context.cookies(), []);
  });

  test('nothing went wrong on the page', () => assert.deepEqual(troubles, []));
});

describe('by keyboard alone', async () => {
  const { close, page } = await openDemo({ viewport: { width: 1280, height: 900 } });
  after(close);

  test('the text, the slider, the options and the words are reached in order and work', async () => {
    const reached = [];
    for (let presses = 0; presses < 40 && reached.at(-1) !== 'word'; presses++) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.className));
      if (reached.at(-1) === 'text') {
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.type('The nurse called.');
        await atRest(page);
      }
      if (reached.at(-1) === 'level') {
        const before = await page.inputValue('#level');
        await page.keyboard.press('ArrowLeft');
        await atRest(page);
        assert.equal(Number(await page.inputValue('#level')), Number(before) - 1);
      }
    }
    const expected = ['text', 'level', 'keep-function-words', 'placeholders', 'mechanism', 'word'];
    assert.deepEqual(reached.filter((id) => expected.includes(id)), expected);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#word-detail:not([hidden])');
    assert.equal((await released(page)).split(' ').length, 3);
  });

  test('the focus can be seen wherever it stands', async () => {
    for (const id of ['text', 'level', 'keep-function-words', 'mechanism']) {
      await page.locator(`#${id}`).scrollIntoViewIfNeeded();
      const { x, y, width, height } = await page.locator(`#${id}`).boundingBox();
      const clip = { x: x - 8, y: y - 8, width: width + 16, height: height + 16 };
      await page.locator(`#${id}`).focus();
      const focused = await page.screenshot({ clip });
      await page.locator(`#${id}`).blur();
      assert.ok(!focused.equals(await page.screenshot({ clip })), id);
    }
  });
});

describe('for everyone', async () => {
  const looks = [
    { name: 'light', viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
    { name: 'dark', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
    { name: 'phone', viewport: { width: 320, height: 640 }, colorScheme: 'light', deviceScaleFactor: 2 },
  ];
  for (const { name, ...settings } of looks) {
    test(`${name}: no accessibility fault that a machine can find, nothing wider than the screen`, async () => {
      const { close, page } = await openDemo({ ...settings, reducedMotion: 'reduce' });
      try {
        await page.locator('#words button').first().click();
        await page.waitForSelector('#word-detail:not([hidden])');
        await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
        await page.evaluate(AXE);
        const { violations } = await page.evaluate(() => axe.run());
        assert.deepEqual(violations.map(({ id, nodes }) => ({ id, at: nodes.map(({ target }) => target.join(' ')) })), []);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), settings.viewport.width);
      } finally {
        await close();
      }
    });
  }
});
