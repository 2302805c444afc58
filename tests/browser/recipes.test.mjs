// The recipes on a narrow screen: a press of the button sends, even if it is the press that ends the writing.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { open } from './chromium.mjs';
import { POLICY, record } from './recorder.mjs';

const read = (name) => readFileSync(new URL(`../../wasm/recipes/${name}`, import.meta.url), 'utf8');

/** The recipe for plain HTML, where the package lies next to it. */
const FILES = {
  '/static/page.html': read('static/index.html'),
  '/static/main.js': read('static/main.js').replace('./textveil/', '/textveil/'),
  '/shared/preview.js': read('shared/preview.js'),
  '/shared/recipe.css': read('shared/recipe.css'),
};

/** A text that is sent, and one that is refused with a message of several lines. */
const TEXTS = {
  English: 'It crashes every time.',
  German: 'Der Hund läuft schnell über die große Straße, bellt laut und erschreckt mehrere Nachbarn.',
};

test('a screen reader is told that a form prepares while its first submission waits', async (t) => {
  const { context, close } = await open();
  t.after(close);
  const rule = (path) => ({ held: path.endsWith('.tvt') });
  const site = await record({ files: FILES, headers: { 'Content-Security-Policy': `${POLICY}; style-src 'self'; img-src data:` }, rule });
  t.after(() => site.close());
  const page = await context.newPage();
  await page.goto(`${site.url}/static/page.html`);
  await page.fill('#ward', '4b');
  await page.fill('#comment', TEXTS.English);
  await page.click('button', { noWaitAfter: true });
  await page.waitForFunction(() => document.querySelector('[role=status]').textContent === 'Preparing…');
  assert.equal(site.to('/releases').length, 0);
  site.free();
  await page.waitForURL(`${site.url}/releases`);
});

test('the button stays under a slow press that ends the writing', async (t) => {
  const { context, close } = await open();
  t.after(close);
  const site = await record({ files: FILES, headers: { 'Content-Security-Policy': `${POLICY}; style-src 'self'; img-src data:` } });
  t.after(() => site.close());
  const page = await context.newPage();
  for (const width of [320, 360, 1280]) {
    for (const [language, text] of Object.entries(TEXTS)) {
      const where = `${width} pixels, ${language}`;
      const had = site.to('/releases').length;
      await page.setViewportSize({ width, height: 760 });
      await page.goto(`${site.url}/static/page.html`);
      await page.fill('#ward', '4b');
      await page.fill('#comment', '');
      await page.type('#comment', text);
      const button = page.locator('button');
      const box = await button.boundingBox();
      // Near the edge, where a small movement counts.
      await page.mouse.move(box.x + box.width / 2, box.y + box.height - 4);
      await page.mouse.down();
      await page.waitForFunction(() => document.querySelector('output').value || document.querySelector('[role=status]').textContent.includes('cannot be sent'));
      assert.deepEqual(await button.boundingBox(), box, where);
      await wait(200);
      await page.mouse.up();
      if (language === 'English') await page.waitForURL(`${site.url}/releases`);
      else await page.waitForFunction(() => document.activeElement.id === 'comment');
      assert.equal(site.to('/releases').length - had, language === 'English' ? 1 : 0, where);
    }
  }
});
