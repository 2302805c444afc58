// The golden vectors in Chromium: the same checks as in Node, under the strict policy that the server sends.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, SITE, watchedPage } from './chromium.mjs';

const { context, close } = await open();
const { page, troubles } = await watchedPage(context);
await page.goto(`${SITE}tests/browser/vectors.html`);
const results = await page.evaluate(async () => (await import('/tests/browser/vectors-page.mjs')).run()).finally(close);

for (const { claim, tried, failures } of results) {
  test(`${claim} (${tried})`, () => {
    assert.ok(tried > 0);
    assert.deepEqual(failures, []);
  });
}

test('nothing went wrong on the page', () => assert.deepEqual(troubles, []));
