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
export const classes = ["bad","good"];

/** The table whose words the model reads: its SHA-256. */
export const table = "16eadf98a7c50c30b5c99767ca1f3ba9fe370c7ac6428d7e741ff041b50cd7ff";

/** What is promised of the releases that the model learned from. It says nothing about the text that is classified. */
export const guarantee = "As the lines declare: 200 releases by nearest, word by word: at most epsilon 9.00 for one word, at most epsilon 45.00 for any line, in the worst case. What is computed from releases alone, such as this model and its answers, weakens none of this, whoever sees it. Not covered: labels, which came in the clear; that there is a line, and what it shows without noise (punctuation, white-space, word-count); what further lines of the same person add.";

/** @type {{ weight: number[][], bias: number[] }[]} */
const layers = [{"weight":[[0.8291666,-5.489995,3.3238916,-1.3025432,5.9007235,-0.06303215,-7.788516,2.5198436,-1.0901554,-2.6386452,2.034977,-3.2827992,2.7230606,2.3899128,-3.3458107,2.035899,-4.113817,3.3937283,-1.5575911,3.0806334,0.054296248,2.3193944,-0.9464306,1.0556667],[-0.42802766,7.3508096,-2.0627763,2.3071914,-7.7576027,-0.01623193,6.9503775,-3.6347756,1.622186,2.9743683,-2.2186382,3.26316,-3.938166,-2.3893173,3.2061877,-2.159186,3.8411298,-3.8775668,0.7028064,-3.2745318,0.048796944,-2.1852472,0.985522,-1.0593317]],"bias":[0.24504115,-0.24504118]}];

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
