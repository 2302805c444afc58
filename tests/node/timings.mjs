/** What is timed alike in Node and in a browser. Every text is new: a text that has been drawn is remembered, and costs nothing. */

const WORDS = 'the doctor said that my sister should rest at home for a week and call her if the fever came back'.split(' ');

/** Median time in milliseconds of a 20-word sentence at the default level. */
export function sentence(privatize, runs = 60) {
  const times = [];
  for (let run = 0; run < runs; run++) {
    const text = `${WORDS.slice(0, 19).join(' ')} ${run}.`;
    times.push(timed(() => privatize(text)));
  }
  return median(times);
}

/** Tokens a second of a long text, by mechanism. */
export function throughput(privatize, mechanism, words = 4000) {
  const text = (run) => `${run} ${Array.from({ length: words - 1 }, (_, i) => WORDS[i % WORDS.length]).join(' ')}`;
  const best = Math.min(...[0, 1, 2].map((run) => timed(() => privatize(text(run), { mechanism }))));
  return (1000 * words) / best;
}

/** The middle one of some numbers. */
export const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

function timed(work) {
  const started = performance.now();
  work();
  return performance.now() - started;
}
