// Timings in Node, as one line of JSON.

import { init, privatize } from 'textveil';
import { sentence, throughput } from './timings.mjs';

await init();
sentence(privatize, 20);
console.log(
  JSON.stringify({
    sentence_ms: sentence((text) => privatize(`${text} `)),
    tokens_per_second: {
      exponential: throughput(privatize, 'exponential'),
      'metric-laplace': throughput(privatize, 'metric-laplace'),
    },
  }),
);
