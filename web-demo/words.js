/** The panel "Word by word": every token above what it became, and one of them opened. */

/** @import { Release } from './textveil/all/textveil.js' */
/** @import { Fail, View } from './element.js' */
/** @import { Settings } from './settings.js' */

import { note } from './element.js';
import * as engine from './engine.js';
import { placed, wordMap } from './map.js';
import { plural } from './phrases.js';
import { fate, neighbours, wordDetail, wordItem } from './views.js';

/** Texts are shown up to so many words. */
export const SHOWN_WORDS = 300;
/** Among so many of the likeliest outcomes the nearest are looked for. */
const SEARCHED = 1000;
/** Words on the map. */
const MAPPED = 18;
/** The map's size, in pixels. */
const MAP = { least: 200, most: 480 };

/**
 * The panel.
 *
 * @param {View} view the page's elements
 * @param {Fail} fail what to do with an error
 */
export function wordsPanel(view, fail) {
  /** @type {NodeListOf<HTMLElement>} */
  const legend = view.legend.querySelectorAll('[data-fate]');
  /**
   * The release on show with its `options`; absent while there is none.
   *
   * @type {{ release: Release, options: Settings } | undefined}
   */
  let shown;
  /**
   * Index of the word that is open, and what its map is drawn from.
   *
   * @type {number | undefined}
   */
  let opened;
  /** @type {any} */
  let map;

  /** @type {(index: number) => HTMLElement | null} */
  const button = (index) => view.words.querySelector(`[data-index="${index}"]`);

  /**
   * @param {any} release
   * @param {any} [options]
   */
  function show(release, options) {
    const reopened = release.account[opened ?? -1]?.token === shown?.release.account[opened ?? -1]?.token ? opened : undefined;
    shown = { release, options };
    const entries = release.account.slice(0, SHOWN_WORDS);
    view.words.replaceChildren(...entries.map(wordItem));
    const fates = new Set(entries.map(fate));
    for (const item of legend) item.hidden = !fates.has(item.dataset.fate);
    view.wordsHint.hidden = entries.length === 0;
    const cut = release.account.length > SHOWN_WORDS;
    note(view.wordsNote, cut && `The first ${SHOWN_WORDS} of ${plural(release.account.length, 'word')}.`);
    if (reopened !== undefined) return open(reopened);
    close();
  }

  function clear() {
    void show({ account: [] });
  }

  /** @param {number} index */
  async function open(index) {
    if (!shown) return;
    if (opened !== undefined) button(opened)?.setAttribute('aria-expanded', 'false');
    opened = index;
    button(index)?.setAttribute('aria-expanded', 'true');
    const { release, options } = shown;
    const entry = release.account[index];
    const [found, [{ deniability }]] = await Promise.all([
      engine.alternatives(entry.token, options, SEARCHED),
      // What is left in clear is told of as if it were drawn.
      engine.deniability(entry.token, { ...options, keepFunctionWords: false, placeholders: false }),
    ]);
    const near = neighbours(found, MAPPED);
    const vectors = await engine.vectors([found.input, ...near.map(({ word }) => word)]);
    if (opened !== index || shown?.release !== release || !deniability) return;
    const circles = [{ kind: 'expected', name: 'expected distance of what comes out', radius: deniability.distance }];
    if (options.mechanism === 'metric-laplace') {
      const radius = vectors[0].length / (release.guarantee.eta ?? Infinity);
      circles.push({ kind: 'noise', name: 'mean length of the noise', radius });
    }
    map = { word: found.input, points: placed(near, vectors), came: entry.output, circles };
    const held = view.wordDetail.contains(document.activeElement);
    view.wordDetail.replaceChildren(...wordDetail(entry, found, deniability, release.guarantee));
    view.wordDetail.hidden = false;
    view.wordsHint.hidden = true;
    drawMap();
    if (held) focus();
  }

  /** Draws the map as large as there is room. */
  function drawMap() {
    const place = view.wordDetail.querySelector('.map');
    if (!place || !map.points.length) return;
    const size = Math.max(MAP.least, Math.min(MAP.most, place.clientWidth));
    if (place.firstChild && size === map.size) return;
    map.size = size;
    place.replaceChildren(wordMap(map));
  }

  function focus() {
    view.wordDetail.querySelector('h3')?.focus({ preventScroll: true });
    view.wordDetail.scrollIntoView({ block: 'nearest' });
  }

  /** Closes the open word; a focus that stood in it returns to the word. */
  function close() {
    if (opened === undefined) return;
    const closed = button(opened);
    if (view.wordDetail.contains(document.activeElement)) (closed ?? view.text).focus();
    closed?.setAttribute('aria-expanded', 'false');
    opened = undefined;
    view.wordDetail.hidden = true;
    view.wordDetail.replaceChildren();
    view.wordsHint.hidden = view.words.children.length === 0;
  }

  view.words.addEventListener('click', async ({ target }) => {
    const pressed = target instanceof Element && target.closest('button');
    if (!pressed) return;
    const index = Number(pressed.dataset.index);
    if (index === opened) {
      close();
      return;
    }
    try {
      await open(index);
      if (opened === index) focus();
    } catch (error) {
      fail(error);
    }
  });
  view.wordDetail.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('.close')) close();
  });
  view.wordsLayout.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') close();
  });
  addEventListener('resize', drawMap);

  return { show, clear };
}
