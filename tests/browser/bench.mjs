// Timings in Chromium, as one line of JSON.

import { median } from '../node/timings.mjs';
import { open, SITE, watchedPage } from './chromium.mjs';

const { context, close } = await open();
const visit = async (work) => {
  const { page } = await watchedPage(context);
  await page.goto(`${SITE}tests/browser/vectors.html`);
  const result = await page.evaluate(work);
  await page.close();
  return result;
};
const first = async () => {
  const started = performance.now();
  return (await import('/tests/browser/bench-page.mjs')).first(started);
};

try {
  const cold = await visit(first);
  const warm = [];
  for (let run = 0; run < 7; run++) warm.push(await visit(first));
  const steady = await visit(async () => (await import('/tests/browser/bench-page.mjs')).steady());
  console.log(JSON.stringify({ firstResultColdMs: cold, firstResultMs: median(warm), ...steady }));
} finally {
  await close();
}
