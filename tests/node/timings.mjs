/** Timings that are the same in Node and in a browser. Every text is new, because a text that was drawn before costs nothing. */

const WORDS = 'the doctor said that my sister should rest at home for a week and call her if the fever came back'.split(' ');
/** Words of the made-up table (`xtask/bench/vocabulary.py`). */
const MADE_UP = Array.from('abcdefghijklmnopqrst', (letter) => `qxaaa${letter}`);
/** η for tables without levels. */
const ETA = 20;

/** The English table: both entries, from nothing. Rates are tokens a second. */
export async function english(small, all) {
  const initialized = await timed(() => small.init());
  const first = await timed(() => small.privatize('My sister was diagnosed with diabetes and is afraid of her boss.'));
  await sentence(small.privatize, 20);
  await all.init();
  return {
    'init ms': initialized,
    'first ms': first,
    'sentence ms': await sentence((text) => small.privatize(`${text} `)),
    certified: await throughput(small.privatize, { mechanism: 'certified' }),
    nearest: await throughput(small.privatize, { mechanism: 'nearest' }),
    'metric-laplace': await throughput(all.privatize, { mechanism: 'metric-laplace' }),
  };
}

/** The made-up table. */
export async function other(all, table) {
  await all.init({ table });
  return {
    exponential: await throughput(all.privatize, { mechanism: 'exponential', eta: ETA }, MADE_UP),
    'metric-laplace': await throughput(all.privatize, { mechanism: 'metric-laplace', eta: ETA }, MADE_UP),
  };
}

/** Median time in milliseconds of a 20-word sentence at the default level. */
async function sentence(privatize, runs = 60) {
  const times = [];
  for (let run = 0; run < runs; run++) {
    const text = `${WORDS.slice(0, 19).join(' ')} ${run}.`;
    times.push(await timed(() => privatize(text)));
  }
  return median(times);
}

/** Tokens a second of a long text. */
async function throughput(privatize, options, vocabulary = WORDS, words = 2000) {
  const text = (run) => `${run} ${Array.from({ length: words - 1 }, (_, i) => vocabulary[i % vocabulary.length]).join(' ')}`;
  const times = [];
  for (let run = 0; run < 3; run++) times.push(await timed(() => privatize(text(run), options)));
  return (1000 * words) / median(times);
}

/** The middle one of some numbers. */
export const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** Milliseconds of some work, which may be a promise. */
async function timed(work) {
  const started = performance.now();
  const result = work();
  // What is done at once is timed without a turn of the event loop.
  if (result instanceof Promise) await result;
  return performance.now() - started;
}
