/**
 * The page: reads the controls, asks the worker for releases, shows them.
 *
 * One request is under way at a time; what changes meanwhile is asked for next, and only the latest matters. On any
 * failure the release is emptied: the page shows a release or nothing, never the text itself.
 */

import * as engine from './engine.js';
import { failure, number, plural } from './phrases.js';
import {
  compareItem,
  fate,
  guaranteeClear,
  guaranteeNumbers,
  guaranteeReading,
  levelFacts,
  levelMeaning,
  replacedCount,
  wordDetail,
  wordItem,
} from './views.js';

/** Pause in typing, in milliseconds, after which a text is drawn. */
const TYPING_PAUSE = 250;
/** Work shorter than this, in milliseconds, is not announced. */
const PATIENCE = 400;
/** The word by word view and the comparison show texts up to this many words. */
const SHOWN_WORDS = 300;
/** Lines of the comparison. */
const COMPARED = 5;
/** Rows of a word's alternatives. */
const ALTERNATIVES = 8;

const view = Object.fromEntries(
  [...document.querySelectorAll('[id]')].map((found) => [
    found.id.replace(/-(\w)/g, (_, letter) => letter.toUpperCase()),
    found,
  ]),
);

/** Two words of one meaning, on which the slider shows what a level promises. */
const PAIR = { word: 'doctor', synonym: 'physician' };
/** Among so many of the likeliest outcomes the synonym is looked for. */
const SEARCHED = 1000;

/** The table's levels by mechanism. */
let levels;
/** The pair with its distance; absent where the table does not have it. */
let pair;
/** The release on show, and the options that it was drawn with; absent while nothing is. */
let shown;
/** Index of the word whose alternatives are open. */
let openWord;

// -------------------------------------------------------------------------------------------------------- Reading

const ladder = () => levels[view.mechanism.value];
const currentLevel = () => ladder()[Number(view.level.value)];

const optionsAt = (level) => ({
  mechanism: level.mechanism,
  level: level.index,
  keepFunctionWords: view.keepFunctionWords.checked,
  placeholders: view.placeholders.checked,
});

// --------------------------------------------------------------------------------------------------------- Showing

function showLevel() {
  const level = currentLevel();
  view.levelMeaning.replaceChildren(...levelMeaning(level, ladder().length));
  view.levelFacts.replaceChildren(...levelFacts(level, pair));
  view.level.setAttribute('aria-valuetext', view.levelMeaning.textContent);
}

/** Lets the slider stand on the levels of the chosen mechanism, at first on the default one. */
function setSlider() {
  view.level.max = ladder().length - 1;
  view.level.value = Math.max(0, ladder().findIndex((level) => level.isDefault));
  view.ticks.replaceChildren(...ladder().map(() => document.createElement('span')));
  showLevel();
}

function showGuarantee(guarantee, account = []) {
  view.guaranteeStatement.textContent = guarantee.statement;
  view.guaranteeReading.replaceChildren(...guaranteeReading(guarantee, account));
  view.guaranteeNumbers.replaceChildren(...guaranteeNumbers(guarantee));
  view.guaranteeClear.replaceChildren(...guaranteeClear(guarantee));
}

function showWords(account) {
  const entries = account.slice(0, SHOWN_WORDS);
  view.words.replaceChildren(...entries.map(wordItem));
  const fates = new Set(entries.map(fate));
  for (const item of view.legend.children) item.hidden = !fates.has(item.dataset.fate);
  view.wordsHint.hidden = entries.length === 0;
  note(view.wordsNote, account.length > SHOWN_WORDS && `The first ${SHOWN_WORDS} of ${plural(account.length, 'word')}.`);
}

function note(place, said) {
  place.hidden = !said;
  place.textContent = said || '';
}

/** Says `said` in the status region. */
function say(said) {
  view.status.textContent = said;
  view.status.classList.remove('failed');
  view.retry.hidden = true;
}

/** Empties the page and says what went wrong; a failure that may pass offers to start anew. */
function fail({ code }) {
  showNothing();
  const { said, retry } = failure(code);
  say(said);
  view.status.classList.add('failed');
  view.retry.hidden = !retry;
}

/** Greys out what no longer belongs to what is written and chosen, until the new one is there. */
function setStale(stale, ...parts) {
  for (const part of parts) part.setAttribute('aria-busy', String(stale));
}

function showNothing() {
  shown = undefined;
  view.release.textContent = '';
  showWords([]);
  view.compare.replaceChildren();
  view.compareTotal.textContent = '';
  for (const part of [view.guaranteeStatement, view.guaranteeReading, view.guaranteeNumbers, view.guaranteeClear]) {
    part.replaceChildren();
  }
  note(view.compareNote);
  closeWord();
}

// --------------------------------------------------------------------------------------------------------- Drawing

/** True while a request is under way; `outdated` is set when the controls have changed since it began. */
let drawing = false;
let outdated = false;
/** The timer of a change that waits for a pause in typing. */
let pause;

/** What is written or chosen has changed: draws it after `delay` milliseconds without a further change. */
function changed(delay = 0) {
  if (!levels) return;
  setStale(true, view.release, view.words, view.compare);
  clearTimeout(pause);
  pause = setTimeout(() => {
    pause = undefined;
    refresh();
  }, delay);
}

async function refresh() {
  outdated = true;
  if (drawing) return;
  drawing = true;
  const impatience = setTimeout(() => say('Working…'), PATIENCE);
  try {
    while (outdated) {
      outdated = false;
      await draw();
    }
    say(shown ? `${shown.summary}. Done on this device; nothing was sent.` : 'Nothing is written, and nothing would leave.');
  } catch (error) {
    fail(error);
  } finally {
    clearTimeout(impatience);
    drawing = false;
    if (!pause) setStale(false, view.release, view.words, view.compare);
  }
}

async function draw() {
  const text = view.text.value;
  const options = optionsAt(currentLevel());
  if (text.trim() === '') {
    showNothing();
    showGuarantee(await engine.guarantee(options));
    return;
  }
  const release = await engine.privatize(text, options);
  if (outdated) return;

  const wasOpen = shown?.account[openWord]?.token;
  shown = { ...release, options, summary: replacedCount(release.account) };
  view.release.textContent = release.text;
  showGuarantee(release.guarantee, release.account);
  showWords(release.account);
  if (!pause) setStale(false, view.release, view.words);
  if (wasOpen !== undefined && wasOpen === release.account[openWord]?.token) await showWord(openWord);
  else closeWord();

  await compare(text, release);
}

/** Levels spread over the ladder, from the most private to the least. */
function comparedLevels() {
  const last = ladder().length - 1;
  const steps = Math.min(COMPARED, ladder().length) - 1;
  return Array.from({ length: steps + 1 }, (_, step) => ladder()[Math.round((step * last) / Math.max(1, steps))]);
}

async function compare(text, current) {
  if (current.account.length > SHOWN_WORDS) {
    view.compare.replaceChildren();
    view.compareTotal.textContent = '';
    note(view.compareNote, `The comparison is for texts of up to ${SHOWN_WORDS} words.`);
    return;
  }
  note(view.compareNote);
  const chosen = currentLevel();
  const count = ladder().length;
  const items = [];
  let spent = comparedLevels().includes(chosen) ? 0 : current.guarantee.epsilonText;
  for (const level of comparedLevels()) {
    const release = await engine.privatize(text, optionsAt(level));
    if (outdated) return;
    spent += release.guarantee.epsilonText;
    items.push(compareItem(level, count, release, level === chosen));
  }
  view.compare.replaceChildren(...items);
  view.compareTotal.textContent =
    'Whoever received several would learn more than from one, for their ε add up: ' +
    `all releases on show together make ${number(spent)}.`;
}

// ------------------------------------------------------------------------------------------------ A word's alternatives

const wordButton = (index) => view.words.querySelector(`[data-index="${index}"]`);

async function showWord(index) {
  if (openWord !== undefined) wordButton(openWord)?.setAttribute('aria-expanded', 'false');
  openWord = index;
  wordButton(index).setAttribute('aria-expanded', 'true');
  const entry = shown.account[index];
  const found = await engine.alternatives(entry.token, shown.options, ALTERNATIVES);
  if (openWord !== index || shown?.account[index] !== entry) return;
  const held = view.wordDetail.contains(document.activeElement);
  view.wordDetail.replaceChildren(...wordDetail(entry, found, shown.guarantee));
  view.wordDetail.hidden = false;
  view.wordsHint.hidden = true;
  if (held) focusDetail();
}

function focusDetail() {
  view.wordDetail.querySelector('h3')?.focus({ preventScroll: true });
  view.wordDetail.scrollIntoView({ block: 'nearest' });
}

/** Closes the word's alternatives; a focus that stood in them returns to the word. */
function closeWord() {
  if (openWord === undefined) return;
  const button = wordButton(openWord);
  if (view.wordDetail.contains(document.activeElement)) (button ?? view.text).focus();
  button?.setAttribute('aria-expanded', 'false');
  openWord = undefined;
  view.wordDetail.hidden = true;
  view.wordDetail.replaceChildren();
  view.wordsHint.hidden = view.words.children.length === 0;
}

view.words.addEventListener('click', async ({ target }) => {
  const button = target.closest('button');
  if (!button) return;
  const index = Number(button.dataset.index);
  if (index === openWord) {
    closeWord();
    return;
  }
  try {
    await showWord(index);
    if (openWord === index) focusDetail();
  } catch (error) {
    fail(error);
  }
});
view.wordDetail.addEventListener('click', ({ target }) => {
  if (target.closest('.close')) closeWord();
});
view.wordsLayout.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') closeWord();
});

// -------------------------------------------------------------------------------------------------------- Starting

view.text.addEventListener('input', () => changed(TYPING_PAUSE));
view.level.addEventListener('input', () => {
  showLevel();
  changed();
});
view.mechanism.addEventListener('change', () => {
  setSlider();
  changed();
});
for (const box of [view.keepFunctionWords, view.placeholders]) box.addEventListener('change', () => changed());
view.retry.addEventListener('click', () => {
  view.text.focus();
  engine.restart();
  start();
});

async function start() {
  say('Loading the table of words, about 1 MB…');
  try {
    if (!levels) {
      levels = byMechanism(await engine.levels());
      for (const option of view.mechanism.options) option.disabled = !levels[option.value];
      view.mechanism.value = [...view.mechanism.options].find(({ disabled }) => !disabled).value;
      pair = await synonyms();
      for (const control of [view.level, view.mechanism, view.keepFunctionWords, view.placeholders]) control.disabled = false;
      setSlider();
    }
  } catch (error) {
    fail(error);
    return;
  }
  await refresh();
}

async function synonyms() {
  const { distribution } = await engine.alternatives(PAIR.word, optionsAt(currentLevel()), SEARCHED);
  const found = distribution.find(({ word }) => word === PAIR.synonym);
  return found && { ...PAIR, distance: found.distance };
}

function byMechanism(all) {
  const grouped = {};
  for (const level of all) (grouped[level.mechanism] ??= []).push(level);
  return grouped;
}

start();
