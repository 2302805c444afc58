/**
 * The neighbourhood of a word, as a drawing: pure functions of words, distances, vectors and chances.
 *
 * A map of two dimensions cannot show a space of many as it is. What this one keeps is each word's distance from the
 * one in the middle, to scale. Its direction is that of the two main axes of the neighbours' differences.
 */

/** @import { Alternative } from './textveil/all/textveil.js' */
/** @typedef {Alternative & { x: number, y: number }} Point a word with its place on the map */
/** @typedef {{ kind: string, name: string, radius: number }} Circle */
/** @typedef {{ name: string, x: number, y: number, r: number }} Dot */
/** @typedef {number[]} Numbers */
/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box */

import { drawn, element } from './element.js';
import { decimal } from './phrases.js';

/** Sizes, in pixels. */
const FONT = 13;
const DOT = { least: 2.5, most: 9 };
const CROSS = 5;
const GAP = 4;
/** Advance of a letter, in units of the font's size: an upper bound for most words. */
const ADVANCE = 0.56;
/** A circle is drawn up to so many times the farthest word's distance. */
const REACH = 1.6;
/** Steps of the power iteration; a direction needs no more digits than a screen has. */
const STEPS = 60;

/** @type {(a: Numbers, b: Numbers) => number} */
const dot = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0);

/**
 * Where words lie around the one in the middle.
 *
 * @param {readonly Alternative[]} words with their `distance` from it
 * @param {readonly Float64Array[]} vectors the middle's vector, then those of the words
 * @returns {Point[]} the words, with `x` and `y` in the unit of the distances
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
 * @param {number[][]} gram
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
 * @param {object} map
 * @param {string} map.word in the middle
 * @param {Point[]} map.points its neighbours, as `placed` gives them, with their probabilities
 * @param {string | null} map.came which word came out
 * @param {Circle[]} map.circles around the middle
 * @param {number} map.size of the drawing, in pixels
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

/** @type {(word: string, points: Point[], circles: Circle[]) => string} */
const spoken = (word, points, circles) =>
  `Map of the ${points.length} words nearest to “${word}”, at distances of ${decimal(points[0].distance)} to ` +
  `${decimal(points[points.length - 1].distance)}${circles.map(({ radius, name }) => `; ${name}: ${decimal(radius)}`).join('')}.`;

/**
 * @param {string} word
 * @param {Point[]} points
 * @param {string | null} came
 * @param {Circle[]} within
 * @param {Circle[]} beyond
 */
function caption(word, points, came, within, beyond) {
  const keys = within.map(({ radius, name, kind }) => {
    const line = element('span', { className: `key ${kind}` });
    return element('li', {}, line, ` ${name}, ${decimal(radius)}`);
  });
  const said = ['Distances from the middle are to scale; directions can only hint. The larger a dot, the likelier the word.'];
  for (const { radius, name } of beyond) said.push(`Beyond the map: ${name}, ${decimal(radius)}.`);
  if (came !== null && came !== word && !points.some((point) => point.word === came)) {
    said.push(`“${came}”, which came out, is none of these neighbours.`);
  }
  return element('figcaption', { className: 'small' }, element('ul', { className: 'keys' }, ...keys), said.join(' '));
}

/**
 * The names that find room beside their dots, those that come first before the others.
 *
 * @param {Dot[]} dots
 * @param {number} size
 */
function labelled(dots, size) {
  const taken = dots.map(({ x, y, r }) => ({ left: x - r, right: x + r, top: y - r, bottom: y + r }));
  /** @type {{ name: string, x: number, y: number }[]} */
  const labels = [];
  for (const { name, x, y, r } of dots) {
    const width = name.length * FONT * ADVANCE;
    const [right, left, over] = [x + r + GAP, x - r - GAP - width, x - width / 2];
    const [beside, above, below] = [y + FONT / 3, y - r - GAP, y + r + FONT];
    /** @type {[left: number, base: number][]} */
    const places = [
      [right, beside], [left, beside], [over, above], [over, below],
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
