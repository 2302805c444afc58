/** The panel "Word by word": each token above what it became, and the details of the token that is open. */

import { note } from './element.js';
import * as engine from './engine.js';
import { placed, wordMap } from './map.js';
import { plural } from './phrases.js';
import { fate, neighbours, wordDetail, wordItem } from './views.js';

/** @import { EngineError } from './remote.js' */
/** @import { Settings } from './settings.js' */
/** @import { Deniability, Release } from './textveil/all/textveil.js' */
/** @import { View } from './view.js' */

/** The most words of a text that are shown. */
export const SHOWN_WORDS = 300;
/** The number of likeliest outcomes among which the nearest words are found. */
const SEARCHED = 1000;
/** Words on the map. */
const MAPPED = 18;
/** The map's size, in pixels. */
const MAP = { least: 200, most: 480 };

/**
 * The panel.
 *
 * @param {View} view the page's elements
 * @param {(error: EngineError) => void} fail what to do with an error
 */
export function wordsPanel(view, fail) {
  /** @type {{ release: Release, options: Settings } | undefined} The release on show, and its options. */
  let shown;
  /** @type {number | undefined} The index of the word that is open. */
  let opened;
  /** @type {Parameters<typeof wordMap>[0] | undefined} What the map of the open word is drawn from. */
  let map;

  /**
   * @param {number} index
   * @returns {HTMLButtonElement | null}
   */
  const button = (index) => view.words.querySelector(`[data-index="${index}"]`);

  /**
   * @param {Release} release
   * @param {Settings} options
   */
  function show(release, options) {
    const isSame = opened !== undefined && release.account[opened]?.token === shown?.release.account[opened]?.token;
    const reopened = isSame ? opened : undefined;
    shown = { release, options };
    showEntries(release.account);
    if (reopened !== undefined) return open(reopened);
    close();
    return undefined;
  }

  /** @param {Release['account']} account */
  function showEntries(account) {
    const entries = account.slice(0, SHOWN_WORDS);
    view.words.replaceChildren(...entries.map(wordItem));
    const fates = new Set(entries.map(fate));
    for (const item of /** @type {Iterable<HTMLElement>} */ (view.legend.children)) {
      item.hidden = !fates.has(/** @type {ReturnType<typeof fate>} */ (item.dataset.fate));
    }
    view.wordsHint.hidden = entries.length === 0;
    const cut = account.length > SHOWN_WORDS;
    note(view.wordsNote, cut && `The first ${SHOWN_WORDS} of ${plural(account.length, 'word')}.`);
  }

  function clear() {
    shown = undefined;
    showEntries([]);
    close();
  }

  /**
   * Returns whether the word is now on show: its release may have changed meanwhile.
   *
   * @param {number} index
   */
  async function open(index) {
    if (opened !== undefined) button(opened)?.setAttribute('aria-expanded', 'false');
    opened = index;
    button(index)?.setAttribute('aria-expanded', 'true');
    if (!shown) return false;
    const { release, options } = shown;
    const entry = release.account[index];
    const [alternatives, [protection]] = await Promise.all([
      engine.alternatives(entry.token, options, SEARCHED),
      // For a word that was left in clear, this says what drawing would have done.
      engine.deniability(entry.token, { ...options, keepFunctionWords: false, placeholders: false }),
    ]);
    const { input } = alternatives;
    // An unknown word has no place, and no neighbours.
    const near = input === null ? [] : neighbours(alternatives, MAPPED);
    const vectors = await engine.vectors([input ?? entry.token, ...near.map(({ word }) => word)]);
    const guesses = input === null ? undefined : await engine.guesses(input, options, 1);
    const deniability = /** @type {Deniability} */ (protection.deniability);
    if (opened !== index || shown?.release !== release) return false;
    const circles = [{ kind: 'expected', name: 'expected distance of what comes out', radius: deniability.distance }];
    if (options.mechanism === 'metric-laplace') {
      const radius = vectors[0].length / (release.guarantee.eta ?? 0);
      circles.push({ kind: 'noise', name: 'mean length of the noise', radius });
    }
    map = { word: input ?? entry.token, points: placed(near, vectors), came: entry.output, circles, size: 0 };
    const hadFocus = view.wordDetail.contains(document.activeElement);
    view.wordDetail.replaceChildren(...wordDetail(entry, alternatives, deniability, guesses, release.guarantee));
    view.wordDetail.hidden = false;
    view.wordsHint.hidden = true;
    drawMap();
    if (hadFocus) focus();
    return true;
  }

  /** Draws the map as large as there is room. */
  function drawMap() {
    const place = view.wordDetail.querySelector('.map');
    if (!place || !map?.points.length) return;
    const size = Math.max(MAP.least, Math.min(MAP.most, place.clientWidth));
    if (place.firstChild && size === map.size) return;
    map.size = size;
    place.replaceChildren(wordMap(map));
  }

  function focus() {
    view.wordDetail.querySelector('h3')?.focus({ preventScroll: true });
    view.wordDetail.scrollIntoView({ block: 'nearest' });
  }

  /** Closes the open word. If the focus was in its details, it returns to the word. */
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
    const pressed = /** @type {Element} */ (target).closest('button');
    if (!pressed) return;
    const index = Number(pressed.dataset.index);
    if (index === opened) {
      close();
      return;
    }
    const { activeElement } = document;
    try {
      const isOpen = await open(index);
      // That takes a while. A person who does something else meanwhile is left to it.
      if (isOpen && document.activeElement === activeElement) focus();
    } catch (error) {
      fail(/** @type {EngineError} */ (error));
    }
  });
  view.wordDetail.addEventListener('click', ({ target }) => {
    if (/** @type {Element} */ (target).closest('.close')) close();
  });
  view.wordsLayout.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') close();
  });
  addEventListener('resize', drawMap);

  return { show, clear };
}
