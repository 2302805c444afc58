/**
 * The neighbourhood of a word, as a drawing: pure functions of words, distances, vectors and chances.
 *
 * A map has two dimensions, and the space of words has many. This map keeps the distance of each word from the word in
 * the middle, to scale. The direction of a word is its place on the two main axes of the neighbours' differences.
 */

import { drawn, element } from './element.js';
import { decimal } from './phrases.js';

/** @import { Alternative } from './textveil/all/textveil.js' */

/** @typedef {Alternative & { x: number, y: number }} Point A word and its place, in the unit of the distances. */
/** @typedef {{ kind: string, name: string, radius: number }} Circle A circle around the middle. */
/** @typedef {{ name: string, x: number, y: number, r: number }} Dot A name and its dot, in pixels. */
/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box */

/** Sizes, in pixels. */
const FONT = 13;
const DOT = { least: 2.5, most: 9 };
const CROSS = 5;
const GAP = 4;
/** The width of a letter, in units of the font's size: an upper bound for most words. */
const ADVANCE = 0.56;
/** A circle is drawn if its radius is at most this many times the farthest word's distance. */
const REACH = 1.6;
/** Steps of the power iteration: enough digits for a screen. */
const STEPS = 60;

/** @type {(a: readonly number[], b: readonly number[]) => number} */
const dot = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0);

/**
 * Where words lie around the word in the middle.
 *
 * @param {readonly Alternative[]} words with their `distance` from the middle
 * @param {readonly Float64Array[]} vectors the middle's vector, then those of the words
 * @returns {Point[]}
 */
export function placed(words, [middle, ...vectors]) {
  const differences = vectors.map((vector) => Array.from(vector, (value, at) => value - middle[at]));
  const gram = differences.map((one) => differences.map((other) => dot(one, other)));
  const first = mainAxis(gram);
  const second = mainAxis(gram.map((row, i) => row.map((value, j) => value - first[i] * first[j])));
  return words.map((word, at) => {
    const angle = Math.atan2(second[at], first[at]);
    return { ...word, x: word.distance * Math.cos(angle), y: word.distance * Math.sin(angle) };
  });
}

/**
 * Each row's coordinate on the main axis, from the inner products of the rows.
 *
 * @param {readonly number[][]} gram
 */
function mainAxis(gram) {
  let axis = gram.map((_, at) => 1 / (at + 1));
  for (let step = 0; step < STEPS; step++) {
    const next = gram.map((row) => dot(row, axis));
    const norm = Math.sqrt(dot(next, next));
    if (norm === 0) return axis.fill(0);
    axis = next.map((value) => value / norm);
  }
  const length = Math.sqrt(dot(axis, gram.map((row) => dot(row, axis))));
  return axis.map((value) => value * length);
}

/**
 * The map and what it says.
 *
 * @param {object} content
 * @param {string} content.word the word in the middle
 * @param {readonly Point[]} content.points its neighbours, as `placed` gives them
 * @param {string | null} content.came the word that came out
 * @param {readonly Circle[]} content.circles
 * @param {number} content.size of the drawing, in pixels
 */
export function wordMap({ word, points, came, circles, size }) {
  const farthest = Math.max(...points.map(({ distance }) => distance));
  const within = circles.filter(({ radius }) => radius <= REACH * farthest);
  const reach = Math.max(farthest, ...within.map(({ radius }) => radius));
  const middle = size / 2;
  const scale = (middle - DOT.most - FONT) / reach;
  const likeliest = Math.max(...points.map(({ probability }) => probability));
  const dots = points.map(({ word: name, probability, x, y }) => {
    const share = Math.sqrt(probability / likeliest);
    return { name, share, x: middle + x * scale, y: middle - y * scale, r: DOT.least + (DOT.most - DOT.least) * share };
  });
  const centre = { name: word, x: middle, y: middle, r: CROSS };
  const labels = labelled([centre, ...dots.sort((a, b) => Number(b.name === came) - Number(a.name === came) || b.share - a.share)], size);
  const map = drawn(
    'svg',
    { viewBox: `0 0 ${size} ${size}`, width: size, height: size, role: 'img', 'aria-label': spoken(word, points, within) },
    ...within.map(({ radius, kind }) => drawn('circle', { class: kind, cx: middle, cy: middle, r: radius * scale })),
    ...dots.map(({ name, share, x, y, r }) =>
      drawn('circle', { class: name === came ? 'dot came' : 'dot', cx: x, cy: y, r, 'fill-opacity': 0.3 + 0.7 * share }),
    ),
    drawn('path', { class: 'centre', d: `M${middle - CROSS} ${middle}h${2 * CROSS}M${middle} ${middle - CROSS}v${2 * CROSS}` }),
    ...labels.map(({ name, x, y }) =>
      drawn('text', { class: name === word ? 'middle' : name === came ? 'came' : '', x, y, 'font-size': FONT }, name),
    ),
  );
  const beyond = circles.filter((circle) => !within.includes(circle));
  return element('figure', {}, map, caption(word, points, came, within, beyond));
}

/** @type {(word: string, points: readonly Point[], circles: readonly Circle[]) => string} */
const spoken = (word, points, circles) =>
  `Map of the ${points.length} words nearest to “${word}”, at distances of ${decimal(points[0].distance)} to ` +
  `${decimal(points[points.length - 1].distance)}${circles.map(({ radius, name }) => `; ${name}: ${decimal(radius)}`).join('')}.`;

/**
 * @param {string} word
 * @param {readonly Point[]} points
 * @param {string | null} came
 * @param {readonly Circle[]} within
 * @param {readonly Circle[]} beyond
 */
function caption(word, points, came, within, beyond) {
  const keys = within.map(({ radius, name, kind }) => {
    const line = element('span', { className: `key ${kind}` });
    return element('li', {}, line, ` ${name}, ${decimal(radius)}`);
  });
  const sentences = ['Distances from the middle are to scale; directions can only hint. The larger a dot, the more likely the word.'];
  for (const { radius, name } of beyond) sentences.push(`Beyond the map: ${name}, ${decimal(radius)}.`);
  if (came !== null && came !== word && !points.some((point) => point.word === came)) {
    sentences.push(`“${came}”, which came out, is none of these neighbours.`);
  }
  return element('figcaption', { className: 'small' }, element('ul', { className: 'keys' }, ...keys), sentences.join(' '));
}

/**
 * The names that have room next to their dots. A name that comes first takes its place first.
 *
 * @param {readonly Dot[]} dots
 * @param {number} size of the drawing
 */
function labelled(dots, size) {
  const taken = dots.map(({ x, y, r }) => ({ left: x - r, right: x + r, top: y - r, bottom: y + r }));
  const labels = [];
  for (const { name, x, y, r } of dots) {
    const width = name.length * FONT * ADVANCE;
    const [right, left, over] = [x + r + GAP, x - r - GAP - width, x - width / 2];
    const [level, above, below] = [y + FONT / 3, y - r - GAP, y + r + FONT];
    const places = [
      [right, level], [left, level], [over, above], [over, below],
      [right, above], [left, above], [right, below], [left, below],
    ];
    const boxes = places.map(([left, base]) => ({ left, right: left + width, top: base - FONT, bottom: base + GAP }));
    const free = boxes.findIndex((box) => inside(box, size) && !taken.some((other) => overlap(box, other)));
    if (free < 0) continue;
    taken.push(boxes[free]);
    labels.push({ name, x: places[free][0], y: places[free][1] });
  }
  return labels;
}

/** @type {(box: Box, size: number) => boolean} */
const inside = ({ left, right, top, bottom }, size) => left >= 0 && right <= size && top >= 0 && bottom <= size;
/** @type {(a: Box, b: Box) => boolean} */
const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
