// The golden vectors in Chromium: the same checks as in Node, under the strict policy that the server sends.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { FOLDERS, MODULES, TIERS } from '../node/vectors.mjs';
import { open, SITE, watchedPage } from './chromium.mjs';

/** Many times what all the vectors take, in seconds: the machine may be busy. */
const PATIENCE = 900;

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
            const run = page.evaluate(async (which) => (await import('/tests/browser/vectors-page.mjs')).run(...which), [folder, module]);
            const tooLate = wait(PATIENCE * 1000, undefined, { ref: false }).then(() => {
              throw new Error(`the page had no results after ${PATIENCE} s`);
            });
            const results = await Promise.race([run, tooLate]);
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
