// The golden vectors in Chromium: the same checks as in Node, under the strict policy that the server sends.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { FOLDERS, MODULES, TIERS } from '../node/vectors.mjs';
import { open, SITE, watchedPage } from './chromium.mjs';

describe('golden vectors', { concurrency: true }, () => {
  for (const [tier, flag] of Object.entries(TIERS)) {
    describe(tier, () => {
      let browser;
      before(async () => (browser = await open({ engine: [flag] })));
      after(() => browser.close());

      for (const folder of FOLDERS) {
        for (const module of MODULES) {
          test(`${folder}${module}`, async (t) => {
            const { page, troubles } = await watchedPage(browser.context);
            await page.goto(`${SITE}tests/browser/vectors.html`);
            const results = await page.evaluate(async (which) => (await import('/tests/browser/vectors-page.mjs')).run(...which), [folder, module]);
            assert.ok(results.length > 5);
            for (const { claim, tried, failures } of results) {
              await t.test(`${claim} (${tried})`, () => {
                assert.ok(tried > 0);
                assert.deepEqual(failures, []);
              });
            }
            assert.deepEqual(troubles, []);
            await page.close();
          });
        }
      }
    });
  }
});
