// Names the class of a text on the device, where it stays. `textveil-collector train export` wrote this module.
//
//   import * as textveil from 'textveil/all';
//   import { classify } from './model.js';
//
//   await textveil.init();
//   classify('The film was lovely.', textveil).class;

/**
 * The names of the classes.
 *
 * @type {readonly string[]}
 */
export const classes = globalThis.CLASSES;

/** The table whose words the model reads: its SHA-256. */
export const table = globalThis.TABLE;

/** What is promised of the releases that the model learned from. It says nothing about the text that is classified. */
export const guarantee = globalThis.GUARANTEE;

/** @type {{ weight: number[][], bias: number[] }[]} */
const layers = globalThis.LAYERS;

/**
 * The likeliest class of a text, and the probability of each class in the order of `classes`. The text is read in clear. Keep
 * the answer where the text may be: it tells of the text.
 *
 * @param {string} text
 * @param {{ guarantee: () => { table: string | null }, words: (text: string) => readonly (string | null)[], vectors: (words: readonly string[]) => readonly Float64Array[] }} textveil the module `textveil/all`, after `init`
 * @returns {{ class: string, probabilities: number[] }}
 * @throws as `words`, and an Error with the code `other-table` if the package has loaded another table
 */
export function classify(text, textveil) {
  if (textveil.guarantee().table !== table) {
    throw Object.assign(new Error('The package has loaded another table than the one whose words the model reads.'), { code: 'other-table' });
  }
  const known = textveil.words(text).filter((word) => word !== null);
  const probabilities = softmax(layers.reduce(layered, mean(textveil.vectors(known))));
  return { class: classes[probabilities.indexOf(Math.max(...probabilities))], probabilities };
}

/**
 * The mean of vectors that are brought to length 1; zeros of none.
 *
 * @param {readonly Float64Array[]} vectors
 */
function mean(vectors) {
  const sums = layers[0].weight[0].map(() => 0);
  for (const vector of vectors) {
    const length = Math.hypot(...vector) || 1;
    vector.forEach((x, i) => (sums[i] += x / length / vectors.length));
  }
  return sums;
}

/**
 * What a layer makes of numbers. Between two layers, those below 0 become 0.
 *
 * @param {number[]} input
 * @param {{ weight: number[][], bias: number[] }} layer
 * @param {number} place
 */
function layered(input, { weight, bias }, place) {
  const positive = place === 0 ? input : input.map((x) => Math.max(x, 0));
  return weight.map((row, i) => row.reduce((sum, x, j) => sum + x * positive[j], bias[i]));
}

/** @param {number[]} scores */
function softmax(scores) {
  const greatest = Math.max(...scores);
  const odds = scores.map((score) => Math.exp(score - greatest));
  const sum = odds.reduce((a, b) => a + b);
  return odds.map((odd) => odd / sum);
}
