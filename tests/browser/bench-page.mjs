// Timings inside a page.

import { init, privatize } from '../../textveil/textveil.js';
import { sentence, throughput } from '../node/timings.mjs';

/** Milliseconds from the import of the package to the first release of twelve words. `started`: when this module was asked for. */
export async function first(started) {
  await init();
  privatize('My sister was diagnosed with diabetes and is afraid of her boss.');
  return performance.now() - started;
}

/** The steady state. */
export async function steady() {
  const all = await import('../../textveil/all/textveil.js');
  await Promise.all([init(), all.init()]);
  sentence(privatize, 20);
  return {
    sentenceMs: sentence((text) => privatize(`${text} `)),
    tokensPerSecond: {
      certified: throughput(privatize, 'certified'),
      'metric-laplace': throughput(all.privatize, 'metric-laplace'),
    },
  };
}
