// Timings in Node, as one line of JSON.

import { init, privatize } from 'textveil';
import * as all from 'textveil/all';
import { sentence, throughput } from './timings.mjs';

await Promise.all([init(), all.init()]);
sentence(privatize, 20);
console.log(
  JSON.stringify({
    sentenceMs: sentence((text) => privatize(`${text} `)),
    tokensPerSecond: {
      certified: throughput(privatize, 'certified'),
      'metric-laplace': throughput(all.privatize, 'metric-laplace'),
    },
  }),
);
