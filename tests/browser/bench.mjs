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
  const shipped = await visit(async () => (await import('/tests/browser/bench-page.mjs')).shipped());
  const loaded = async () => (await import('/tests/browser/bench-page.mjs')).loaded('/tests/bench/synthetic-32768x64.tvt');
  const numbers = { 'first result, nothing cached ms': cold, 'first result, files cached ms': median(warm), ...shipped };
  console.log(JSON.stringify({ ...numbers, synthetic: await visit(loaded) }));
} finally {
  await close();
}
