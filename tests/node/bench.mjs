// Timings in Node, as one line of JSON.

import { init, privatize } from 'textveil';
import { sentence, throughput } from './timings.mjs';

await init();
sentence(privatize, 20);
console.log(
  JSON.stringify({
    sentenceMs: sentence((text) => privatize(`${text} `)),
    tokensPerSecond: {
      exponential: throughput(privatize, 'exponential'),
      'metric-laplace': throughput(privatize, 'metric-laplace'),
    },
  }),
);
