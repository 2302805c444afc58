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
const layers = [{"weight":[[-1.086304,0.53259313,1.4615095,-3.19123,-3.2031229,0.4737281,-0.5987051,-0.96881294,2.7273686,2.8798172,-2.066173,-0.9773972,-1.5213392,0.9647292,-1.4963601,-1.5418382,-2.1628075,-0.18667848,-2.9321337,1.3948466,3.0225594,-2.0484889,0.90449715,1.4020857],[2.3868692,1.8690319,1.8976277,3.012639,-1.9211936,-2.3022103,0.13924094,-2.1476796,2.817423,0.20739578,2.1855304,-1.0854468,-4.112169,1.4269503,3.2205546,0.35693634,-1.9060882,-2.066212,1.2207539,-1.4696463,1.5388949,2.825607,1.6911662,-3.9596267],[4.1841555,0.7384889,1.4125345,0.38918808,-0.018598733,-1.2424488,-2.2985313,-1.8215802,1.1367407,1.2043684,-0.75361747,-0.25969183,-0.43599975,1.4834758,0.048826415,1.0400248,-1.6167167,-0.258145,1.0779792,-2.619308,-0.9694918,3.0052245,0.634782,-0.7797668],[-3.0608208,4.1400924,0.76681143,2.0055487,-1.2700206,-0.38083452,1.3775662,-1.6986213,-0.38413236,4.23801,2.6142054,-2.0979233,-0.041179378,-2.017235,-0.7450802,-2.305456,2.8809245,-2.8653514,-2.6556015,0.6015412,0.0894621,-4.731575,3.0740833,0.16217174],[-3.138664,3.178132,1.5026771,-3.7701113,0.7820356,3.6170547,2.3218122,-2.760786,1.2891687,-0.36291716,2.189023,3.2638803,-0.4462385,-0.39496353,-0.59695333,-1.3652862,0.86175364,2.1243618,-1.3161625,-2.065429,1.1005853,-3.875217,-1.3276058,-0.36967596],[1.3015213,0.43332422,-2.4398715,0.31609684,-2.6284726,-0.49892664,1.3783083,-0.58926785,2.6204937,-0.23599583,-0.2349274,-3.5697305,1.7118882,1.4451942,3.6412504,-3.5224001,2.4846776,3.4471807,0.78285754,3.7038374,2.8591378,1.2064631,1.777416,-2.2568512],[-1.421118,-5.141148,-3.007931,1.8012345,3.3217046,0.5396799,2.0176127,-0.26621974,1.404308,0.25050515,2.384406,-3.7529514,1.8353499,-1.9440722,-2.635079,-0.48574385,-1.9114746,-1.0690972,2.153426,4.2464304,0.38316172,-0.20632415,-2.486431,3.9106808],[3.0846033,1.347488,-0.76146483,0.4470675,-1.128687,-2.5740256,-1.0563745,-1.018583,-2.9651592,-0.9477748,-3.463462,2.943643,-1.7710886,1.1581779,-2.1359084,-3.548971,4.5062737,-4.645405,-2.1125133,-3.0396922,-2.7263486,-1.4564459,3.8126922,-2.2343047]],"bias":[-0.049567908,-0.013740792,-0.06358732,-0.016121194,-0.07338017,0.0,-0.031319063,-0.09140608]},{"weight":[[0.36712685,-0.40096506,0.64394754,-0.582844,0.16698027,-0.5001985,0.7365574,-0.54371244],[-0.16649328,0.75386006,-0.58760226,0.17270628,-0.22400393,-0.19796501,-0.47695872,0.19009368]],"bias":[0.14179602,-0.14179602]}];

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
