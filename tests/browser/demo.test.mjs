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

  test('what was drawn is announced once, in the status', async () => {
    assert.match(await page.textContent('#status'), /^\d of 7 words replaced\. Done on this device; nothing was sent\.$/);
    assert.equal(await page.getAttribute('#release', 'aria-live'), 'off');
  });

  test('while one types, the release is marked as that of before', async () => {
    const busy = () => page.getAttribute('#release', 'aria-busy');
    assert.equal(await busy(), 'false');
    await page.locator('#text').pressSequentially(' ');
    assert.equal(await busy(), 'true');
    await page.fill('#text', SECRET);
    await atRest(page);
    assert.equal(await busy(), 'false');
  });

  test('the legend explains the marks in use, and no other', async () => {
    const shown = await page.locator('#legend li:visible').evaluateAll((items) => items.map(({ dataset }) => dataset.fate));
    const used = await page.locator('#words button').evaluateAll((buttons) => buttons.map(({ dataset }) => dataset.fate));
    assert.deepEqual(new Set(shown), new Set(used));
  });

  test('a word opens its alternatives, and bars stand for chances from one in a hundred', async () => {
    await page.locator('#words button').last().click();
    await page.waitForSelector('#word-detail:not([hidden])');
    assert.match(await page.textContent('#word-detail'), /yesterday/);
    const rows = await page.locator('#word-detail tbody tr').evaluateAll((found) =>
      found.map((row) => ({ chance: row.cells[1].textContent, bar: row.querySelector('.bar') !== null })),
    );
    assert.ok(rows.length > 1);
    for (const { chance, bar } of rows) {
      if (!/^(under|1\.0%|0\.9)/.test(chance)) assert.equal(bar, parseFloat(chance) >= 1, chance);
      assert.match(chance, /^(under 0\.01%|100%|\d\d%|\d\.\d%|0\.\d\d%|0\.0\d\d%)$/);
    }
  });

  test('a text without words is not said to be open by choice', async () => {
    await page.fill('#text', '...');
    await atRest(page);
    assert.match(await page.textContent('#guarantee-reading'), /There is no word in this text/);
    await page.fill('#text', 'The who of it.');
    await page.check('#keep-function-words');
    await atRest(page);
    assert.match(await page.textContent('#guarantee-reading'), /By your choice every word/);
    await page.uncheck('#keep-function-words');
    await atRest(page);
  });

  test('what is promised is shown by notion, and a claim that does not hold beside what does', async () => {
    assert.match(await page.textContent('#guarantee-numbers'), /metric differential privacy/);
    assert.doesNotMatch(await page.textContent('#guarantee-numbers'), /δ|Claimed/);
    const [figures, reading] = await page.evaluate(async () => {
      const { guaranteeNumbers, guaranteeReading } = await import('./views.js');
      const claim = { epsilon: 4, delta: 1e-5, source: 'A. Uthor 2020', holds: false };
      const guarantee = {
        mechanism: 'truncated-laplace', calibration: 'published', notion: 'approximate-dp', unit: 'word', neighbours: 'texts',
        eta: null, metric: null, epsilonWord: 5, deltaWord: 0.25, words: 2, epsilonText: 10, deltaText: 0.5, claim,
        exactSampler: false, totalVariation: 1.5e-9, clear: ['word-classes'], table: 'abc', statement: '',
      };
      return [guaranteeNumbers(guarantee), guaranteeReading(guarantee, [])].map((parts) => parts.map((part) => part.textContent).join('\n'));
    });
    for (const said of [/\(ε, δ\)-differential privacy/, /δ of one word0\.25/, /Claimed for one word, without proofε 4, δ 1 × 10⁻⁵/, /published/, /to within 1\.5 × 10⁻⁹/]) {
      assert.match(figures, said);
    }
    assert.doesNotMatch(figures, /η/);
    for (const said of [/A\. Uthor 2020\), which claims ε 4, δ 1 × 10⁻⁵ .*That does not follow/, /of the same class/, /δ = 0\.25/, /as large as that/]) assert.match(reading, said);
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

  test('an opened word takes the focus, and gives it back when it is closed', async () => {
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.className);
    assert.equal(await focused(), 'word-detail-title');
    await page.keyboard.press('Escape');
    assert.equal(await focused(), 'word');
    assert.ok(await page.isHidden('#word-detail'));
    await page.keyboard.press('Enter');
    await page.waitForSelector('#word-detail:not([hidden])');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'close');
    await page.keyboard.press('Enter');
    assert.equal(await focused(), 'word');
    assert.ok(await page.isHidden('#word-detail'));
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

describe('when something fails', () => {
  /** The demo, its requests answered by `routes` first. */
  async function openBroken(pattern, answer) {
    const { context, close } = await open();
    const page = await context.newPage();
    await context.route(pattern, answer);
    await page.goto(SITE);
    return { context, close, page };
  }
  const failed = (page) => page.waitForSelector('#status.failed');

  const failures = {
    'a table that does not come': ['**/english.tvt', (route) => route.fulfill({ status: 503 }), /could not be loaded/],
    'a table that is damaged': ['**/english.tvt', (route) => route.fulfill({ body: Buffer.alloc(100) }), /damaged/],
    'a worker that does not start': ['**/worker.js', (route) => route.fulfill({ status: 503 }), /could not be loaded/],
  };
  for (const [name, [pattern, answer, said]] of Object.entries(failures)) {
    test(`${name}: nothing is shown, and trying again starts anew`, async () => {
      const { context, close, page } = await openBroken(pattern, answer);
      try {
        await failed(page);
        assert.match(await page.textContent('#status'), said);
        assert.equal(await released(page), '');
        await page.click('#retry');
        await failed(page);
        await context.unroute(pattern);
        await page.click('#retry');
        await atRest(page);
        assert.ok((await released(page)).length > 20);
        assert.ok(await page.isHidden('#retry'));
      } finally {
        await close();
      }
    });
  }

  test('a worker that dies later is noticed at once, and again at each further change', async () => {
    const { context, close } = await open();
    const page = await context.newPage();
    try {
      await page.goto(SITE);
      await atRest(page);
      const [worker] = page.workers();
      await worker.evaluate(() => setTimeout(() => { throw new Error('the end'); }));
      for (const text of ['one thing', 'another thing']) {
        await page.fill('#text', text);
        await failed(page);
        assert.equal(await released(page), '');
        await page.evaluate(() => document.querySelector('#status').classList.remove('failed'));
      }
      await page.click('#retry');
      await atRest(page);
      assert.equal((await released(page)).split(' ').length, 2);
    } finally {
      await close();
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
