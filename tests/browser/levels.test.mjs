// Which module a page downloads: one of the two, the one that its engine can run.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FOLDERS, MODULES, WITHOUT_SIMD } from '../node/vectors.mjs';
import { open, SITE, watchedPage } from './chromium.mjs';

const [SIMD, BASELINE] = MODULES;

const ENGINES = {
  'an engine with 128-bit vectors': { engine: [], module: SIMD },
  'an engine without': { engine: [WITHOUT_SIMD], module: BASELINE, skip: process.arch === 'x64' ? false : 'V8 has no switch for it on this processor' },
};

for (const [name, { engine, module, skip = false }] of Object.entries(ENGINES)) {
  test(`${name} downloads ${module} alone, and makes a text private`, { skip }, async () => {
    const { context, close } = await open({ engine });
    try {
      for (const folder of FOLDERS) {
        const { page, troubles, requests } = await watchedPage(context);
        await page.goto(`${SITE}tests/browser/vectors.html`);
        const words = await page.evaluate(async (entry) => {
          const { init, privatize } = await import(entry);
          await init();
          return privatize('a kind doctor').guarantee.words;
        }, `/textveil/${folder}textveil.js`);
        assert.equal(words, 3);
        const modules = requests.map(({ url }) => url).filter((url) => url.endsWith('.wasm'));
        assert.deepEqual(modules, [`${SITE}textveil/${folder}${module}`]);
        assert.deepEqual(troubles, []);
        await page.close();
      }
    } finally {
      await close();
    }
  });
}
