/** Timings that are the same in Node and in a browser. Every text is new, because a text that was drawn before costs nothing. */

const WORDS = 'the doctor said that my sister should rest at home for a week and call her if the fever came back'.split(' ');
/** Words of the made-up table (`xtask/bench/vocabulary.py`). */
const MADE_UP = Array.from('abcdefghijklmnopqrst', (letter) => `qxaaa${letter}`);
/** η for tables without levels. */
const ETA = 20;

/** The English table: both entries, from nothing, and a list of statements. Rates are tokens a second; `encoder` is the file of the text encoder. */
export async function english(small, all, { statements, encoder }) {
  const initialized = await timed(() => small.init());
  const first = await timed(() => small.privatize('My sister was diagnosed with diabetes and is afraid of her boss.'));
  const nearest = (text) => small.privatize(text, { mechanism: 'nearest' });
  await sentence(nearest, 20);
  await all.init();
  return {
    'init ms': initialized,
    'first ms': first,
    'sentence ms': await sentence((text) => nearest(`${text} `)),
    certified: await throughput(small.privatize, { mechanism: 'certified' }),
    nearest: await throughput(small.privatize, { mechanism: 'nearest' }),
    'metric-laplace': await throughput(all.privatize, { mechanism: 'metric-laplace' }),
    'statement ms': await stated(statements, encoder),
  };
}

/** Median time in milliseconds of a 20-word sentence that is exchanged for one of 500 statements. */
async function stated(statements, encoder) {
  const list = statements(await listOf(500, encoder));
  await list.init({ encoder });
  await sentence(list.privatize, 20);
  return sentence((text) => list.privatize(`${text} `));
}

/** The file of a list of `length` statements with made-up vectors (SPEC.md, section 9.2). */
async function listOf(length, encoder) {
  const dims = encoder[10] + 256 * encoder[11];
  const header = new Uint8Array(96);
  header.set(new TextEncoder().encode('TVEILSTM'));
  const numbers = new DataView(header.buffer);
  numbers.setUint16(8, 1, true);
  numbers.setUint16(10, dims, true);
  numbers.setUint32(12, length, true);
  header.set(encoder.subarray(32, 64), 16);
  numbers.setUint32(80, 2 ** 32 - 1, true);
  const vectors = Uint8Array.from({ length: length * dims }, (_, at) => 128 + 120 * Math.sin(at * at));
  const lines = new TextEncoder().encode(Array.from({ length }, (_, n) => `Statement ${n}.\n`).join(''));
  const rest = [...header.subarray(80), ...vectors, ...lines];
  const id = await crypto.subtle.digest('SHA-256', Uint8Array.from([...header.subarray(0, 48), ...rest]));
  return Uint8Array.from([...header.subarray(0, 48), ...new Uint8Array(id), ...rest]);
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
