/**
 * The page: reads the controls, asks the worker for releases, shows them.
 *
 * The page sends one request at a time. If the controls change before the answer, it asks again and shows only the last
 * answer. On any failure it empties the release: the page shows a release or nothing, never the text itself.
 */

import { attackPanel } from './attack.js';
import { collectorPanel } from './collector.js';
import { comparePanel } from './compare.js';
import { element, note } from './element.js';
import * as engine from './engine.js';
import { failure, placeholderMeaning } from './phrases.js';
import { guaranteeClear, guaranteeNumbers, guaranteeReading } from './promise.js';
import { fragmentOf, settingsOf } from './settings.js';
import { statementsPanel } from './statements.js';
import { wordsPromise } from './strength.js';
import { usePanel } from './use.js';
import { findView } from './view.js';
import { EXAMPLE, levelFacts, levelMeaning, replacedCount, withContext, zoneButton, zones } from './views.js';
import { wordsPanel } from './words.js';

/** @import { EngineError } from './remote.js' */
/** @import { Levels, Settings } from './settings.js' */
/** @import { Entry, Guarantee, Level, LevelMechanism, Release } from './textveil/all/textveil.js' */
/** @import { Pair } from './views.js' */

/** Pause in typing, in milliseconds, after which a text is drawn. */
const TYPING_PAUSE = 250;
/** The status while a release is on show. */
const DONE = 'Done on this device: drawing sent nothing.';
/** Work shorter than this, in milliseconds, is not announced. */
const PATIENCE = 400;

const view = findView();

/** Two words of one meaning. The slider shows what a level promises for them. */
const PAIR = { word: 'doctor', synonym: 'physician' };
/** The number of likeliest outcomes among which the synonym is found. */
const SEARCHED = 1000;

/** @type {Levels | undefined} The table's levels; absent until they are loaded. */
let levels;
/** @type {Pair | undefined} The pair with its distance; absent where the table does not have it. */
let pair;
/** @type {Release | undefined} The release on show. */
let shown;
/** @type {Map<Level, number | undefined>} How sure a reader can be of the example, at the levels that were on show. */
const written = new Map();

statementsPanel(view);

const panels = {
  words: wordsPanel(view, fail),
  compare: comparePanel(view, fail),
  attack: attackPanel(view, fail),
  collector: collectorPanel(view),
  use: usePanel(view),
};

// -------------------------------------------------------------------------------------------------------- Reading

const mechanism = () => /** @type {LevelMechanism} */ (view.mechanism.value);
const ladder = () => levels?.[mechanism()] ?? [];
const currentLevel = () => ladder()[Number(view.level.value)];

/** What the person lets stay in clear. */
const clear = () => ({ keepFunctionWords: view.keepFunctionWords.checked, placeholders: view.placeholders.checked });

/** @type {() => Settings} */
const settings = () => ({ mechanism: mechanism(), level: currentLevel().index, ...clear() });

/** Sets the controls to the settings in the page's address. Returns whether it holds some. */
function followLink() {
  const linkedSettings = levels && settingsOf(location.hash, levels);
  if (!linkedSettings) return false;
  view.mechanism.value = linkedSettings.mechanism;
  setSlider(linkedSettings.level);
  view.keepFunctionWords.checked = linkedSettings.keepFunctionWords;
  view.placeholders.checked = linkedSettings.placeholders;
  return true;
}

// --------------------------------------------------------------------------------------------------------- Showing

function showLevel() {
  const level = currentLevel();
  view.levelMeaning.replaceChildren(...levelMeaning(level, ladder().length));
  view.levelFacts.replaceChildren(...levelFacts(level, written.has(level) ? written.get(level) : 'unknown', pair));
  view.levelContext.replaceChildren(...withContext(level));
  const zone = [...view.zones.children].findLast((button) => Number(/** @type {HTMLElement} */ (button).dataset.level) <= level.index);
  for (const button of view.zones.children) button.classList.toggle('current', button === (zone ?? view.zones.firstElementChild));
  view.level.setAttribute('aria-valuetext', view.levelMeaning.textContent ?? '');
}

/**
 * Computes how sure a reader can be of the example at a level, once.
 *
 * @param {Level} level
 */
async function showWritten(level) {
  if (written.has(level)) return;
  const found = await engine.guesses(EXAMPLE, { mechanism: level.mechanism, level: level.index }, 1);
  written.set(level, found?.written);
  if (level === currentLevel()) showLevel();
}

/** Gives the slider the levels of the chosen mechanism, and sets it to one: the default level, if no other is given. */
function setSlider(level = Math.max(0, ladder().findIndex(({ isDefault }) => isDefault))) {
  view.level.max = String(ladder().length - 1);
  view.level.value = String(level);
  view.ticks.replaceChildren(...ladder().map(({ preset }) => element('span', { className: preset ? 'named' : '' })));
  const named = zones(ladder());
  view.zones.replaceChildren(...named.map(zoneButton));
  view.zones.hidden = named.length === 0;
  view.zones.style.gridTemplateColumns = named.map(({ width }) => `${width}fr`).join(' ');
  showLevel();
}

/**
 * @param {Guarantee} guarantee
 * @param {readonly Entry[]} account
 */
function showGuarantee(guarantee, account = []) {
  view.guaranteeStatement.textContent = guarantee.statement;
  view.guaranteeReading.replaceChildren(...guaranteeReading(guarantee, account));
  view.guaranteeNumbers.replaceChildren(...guaranteeNumbers(guarantee));
  view.guaranteeClear.replaceChildren(...guaranteeClear(guarantee));
}

/**
 * Says `said` in the status region.
 *
 * @param {string} said
 */
function say(said) {
  view.status.textContent = said;
  view.status.classList.remove('failed');
  view.retry.hidden = true;
}

/**
 * Empties the page and says what went wrong. If another try may help, offers one.
 *
 * @param {EngineError} error
 */
function fail({ code }) {
  showNothing();
  const { said, retry } = failure(code);
  say(said);
  view.status.classList.add('failed');
  view.retry.hidden = !retry;
}

/**
 * Greys out results of an earlier text or setting, until the new ones are there.
 *
 * @param {boolean} stale
 * @param {HTMLElement[]} parts
 */
function setStale(stale, ...parts) {
  for (const part of parts) part.setAttribute('aria-busy', String(stale));
}

function showNothing() {
  shown = undefined;
  view.release.textContent = '';
  note(view.placeholderNote);
  panels.words.clear();
  panels.compare.clear();
  panels.attack.clear();
  panels.collector.offer();
  for (const part of [view.releasePromise, view.guaranteeStatement, view.guaranteeReading, view.guaranteeNumbers, view.guaranteeClear]) {
    part.replaceChildren();
  }
}

// --------------------------------------------------------------------------------------------------------- Drawing

/** True while a request is under way; `outdated` is set when the controls have changed since it began. */
let drawing = false;
let outdated = false;
/** @type {ReturnType<typeof setTimeout> | undefined} The timer of a change that waits for a pause in typing. */
let pause;

/** Whether the address holds the settings. It does once the person has chosen one. */
let linked = false;

/** The person has chosen another setting. */
function chosen() {
  linked = true;
  changed();
}

/** The text or a setting has changed. Draws after `delay` milliseconds without a further change. */
function changed(delay = 0) {
  if (!levels) return;
  setStale(true, view.release, view.placeholderNote, view.releasePromise, view.words, view.compare, view.attackResult);
  panels.collector.offer();
  panels.compare.stop();
  panels.attack.stop();
  clearTimeout(pause);
  pause = setTimeout(() => {
    pause = undefined;
    void refresh();
  }, delay);
}

async function refresh() {
  outdated = true;
  if (drawing) return;
  drawing = true;
  const impatience = setTimeout(() => say('Working…'), PATIENCE);
  /** @type {unknown} */
  let failed;
  while (outdated) {
    outdated = false;
    failed = await draw().then(() => undefined, (error) => error);
  }
  clearTimeout(impatience);
  drawing = false;
  if (failed) fail(/** @type {EngineError} */ (failed));
  else say(shown ? `${replacedCount(shown.account)}. ${DONE}` : 'Nothing is written, and nothing would leave.');
  if (!pause) setStale(false, view.release, view.placeholderNote, view.releasePromise, view.words, view.compare);
}

async function draw() {
  const text = view.text.value;
  const level = currentLevel();
  const options = settings();
  panels.use.show(options, level.preset);
  // A link is only needed for settings that the person has chosen.
  // Safari refuses more than a hundred new addresses in half a minute.
  if (linked && fragmentOf(options) !== location.hash) history.replaceState(null, '', fragmentOf(options));
  if (text.trim() === '') {
    showNothing();
    showGuarantee(await engine.guarantee(options));
    await showWritten(level);
    return;
  }
  const release = await engine.privatize(text, options);
  if (outdated) return;

  shown = release;
  view.release.textContent = release.text;
  note(view.placeholderNote, placeholderMeaning(release.account));
  view.releasePromise.replaceChildren(...wordsPromise(release.guarantee));
  showGuarantee(release.guarantee, release.account);
  const opened = panels.words.show(release, options);
  if (!pause) {
    setStale(false, view.release, view.placeholderNote, view.releasePromise, view.words);
    panels.collector.offer(release);
  }
  await opened;
  if (outdated || pause || !levels) return;
  await panels.compare.show(text, release, { level, levels, clear: clear() });
  if (outdated || pause) return;
  panels.attack.show(release, options, level);
  await showWritten(level);
}

// -------------------------------------------------------------------------------------------------------- Starting

view.text.addEventListener('input', () => changed(TYPING_PAUSE));
view.level.addEventListener('input', () => {
  showLevel();
  chosen();
});
view.zones.addEventListener('click', ({ target }) => {
  const zone = /** @type {Element} */ (target).closest('button');
  if (!zone) return;
  view.level.value = zone.dataset.level ?? '';
  showLevel();
  chosen();
});
view.mechanism.addEventListener('change', () => {
  setSlider();
  chosen();
});
for (const box of [view.keepFunctionWords, view.placeholders]) box.addEventListener('change', chosen);
addEventListener('hashchange', () => {
  if (levels && followLink()) chosen();
});
view.retry.addEventListener('click', () => {
  view.text.focus();
  engine.restart();
  void start();
});

async function start() {
  void panels.collector.find();
  say('Loading the table of words, about 1 MB…');
  try {
    if (!levels) {
      levels = byMechanism(await engine.levels());
      for (const option of view.mechanism.options) option.disabled = !Object.hasOwn(levels, option.value);
      view.mechanism.value = [...view.mechanism.options].find(({ disabled }) => !disabled)?.value ?? '';
      pair = await synonyms();
      for (const control of [view.level, view.mechanism, view.keepFunctionWords, view.placeholders]) control.disabled = false;
      setSlider();
      linked = followLink();
    }
  } catch (error) {
    // Another try begins anew.
    levels = undefined;
    fail(/** @type {EngineError} */ (error));
    return;
  }
  await refresh();
}

/** @returns {Promise<Pair | undefined>} */
async function synonyms() {
  const { distribution } = await engine.alternatives(PAIR.word, settings(), SEARCHED);
  const synonym = distribution.find(({ word }) => word === PAIR.synonym);
  return synonym && { ...PAIR, distance: synonym.distance };
}

/** @param {readonly Level[]} all */
function byMechanism(all) {
  /** @type {Partial<Record<LevelMechanism, Level[]>>} */
  const grouped = {};
  for (const level of all) (grouped[level.mechanism] ??= []).push(level);
  return grouped;
}

void start();
