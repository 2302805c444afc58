// The golden vectors in Chromium: the same checks as in Node, under the strict policy that the server sends.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { open, SITE, watchedPage } from './chromium.mjs';

/** Several times what all the vectors take, in seconds. */
const PATIENCE = 120;

const { context, close } = await open();
const { page, troubles } = await watchedPage(context);
await page.goto(`${SITE}tests/browser/vectors.html`);
const run = page.evaluate(async () => (await import('/tests/browser/vectors-page.mjs')).run());
const tooLate = wait(PATIENCE * 1000, undefined, { ref: false }).then(() => {
  throw new Error(`the page had no results after ${PATIENCE} s`);
});
const results = await Promise.race([run, tooLate]).finally(close);

for (const { entry, claim, tried, failures } of results) {
  test(`${entry}: ${claim} (${tried})`, () => {
    assert.ok(tried > 0);
    assert.deepEqual(failures, []);
  });
}

test('nothing went wrong on the page', () => assert.deepEqual(troubles, []));
