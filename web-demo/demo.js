/**
 * The page: reads the controls, asks the worker for releases, shows them.
 *
 * One request is under way at a time; what changes meanwhile is asked for next, and only the latest matters. On any
 * failure the release is emptied: the page shows a release or nothing, never the text itself.
 */

import * as engine from './engine.js';
import { failure, plural } from './phrases.js';
import {
  compareItem,
  fate,
  guaranteeClear,
  guaranteeNumbers,
  guaranteeReading,
  levelMeaning,
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

/** The table's levels by mechanism. */
let levels;
/** The release on show, and the options that it was drawn with. */
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
  view.level.setAttribute('aria-valuetext', view.levelMeaning.textContent);
}

/** Lets the slider stand on the levels of the chosen mechanism, at first on the default one. */
function setSlider() {
  view.level.max = ladder().length - 1;
  view.level.value = Math.max(0, ladder().findIndex((level) => level.isDefault));
  view.ticks.replaceChildren(...ladder().map(() => document.createElement('span')));
  showLevel();
}

function showGuarantee(guarantee) {
  view.guaranteeStatement.textContent = guarantee.statement;
  view.guaranteeReading.replaceChildren(...guaranteeReading(guarantee));
  view.guaranteeNumbers.replaceChildren(...guaranteeNumbers(guarantee));
  view.guaranteeClear.replaceChildren(...guaranteeClear(guarantee));
}

function showWords(account) {
  view.words.replaceChildren(...account.slice(0, SHOWN_WORDS).map(wordItem));
  note(view.wordsNote, account.length > SHOWN_WORDS && `The first ${SHOWN_WORDS} of ${plural(account.length, 'word')}.`);
}

function note(place, said) {
  place.hidden = !said;
  place.textContent = said || '';
}

/** Says `said` in the status region; a failure offers to start anew. */
function say(said, { failed = false, retry = false } = {}) {
  view.status.textContent = said;
  view.status.classList.toggle('failed', failed);
  view.retry.hidden = !retry;
}

function showNothing() {
  shown = undefined;
  view.release.textContent = '';
  view.releaseNote.textContent = 'the release';
  view.words.replaceChildren();
  view.compare.replaceChildren();
  view.compareTotal.textContent = '';
  for (const part of [view.guaranteeStatement, view.guaranteeReading, view.guaranteeNumbers, view.guaranteeClear]) {
    part.replaceChildren();
  }
  note(view.wordsNote);
  note(view.compareNote);
  closeWord();
}

// --------------------------------------------------------------------------------------------------------- Drawing

/** True while a request is under way; `outdated` is set when the controls have changed since it began. */
let drawing = false;
let outdated = false;

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
    say(shown ? 'Done on this device. Nothing was sent.' : 'Nothing is written, and nothing would leave.');
  } catch (error) {
    showNothing();
    say(failure(error.code), { failed: true, retry: error.code === 'internal' });
  } finally {
    clearTimeout(impatience);
    view.release.removeAttribute('aria-busy');
    drawing = false;
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
  shown = { ...release, options };
  view.release.textContent = release.text;
  const replaced = release.account.filter((entry) => fate(entry) === 'replaced').length;
  view.releaseNote.textContent = `${replaced} of ${plural(release.account.length, 'word')} replaced`;
  showGuarantee(release.guarantee);
  showWords(release.account);
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
    `all releases on show together make ${Math.ceil(spent).toLocaleString('en')}.`;
}

// ------------------------------------------------------------------------------------------------ A word's alternatives

async function showWord(index) {
  openWord = index;
  for (const button of view.words.querySelectorAll('button')) {
    button.setAttribute('aria-expanded', String(Number(button.dataset.index) === index));
  }
  const entry = shown.account[index];
  const found = await engine.alternatives(entry.token, shown.options, ALTERNATIVES);
  if (openWord !== index || shown?.account[index] !== entry) return;
  view.wordDetail.replaceChildren(...wordDetail(entry, found, shown.guarantee));
  view.wordDetail.hidden = false;
}

function closeWord() {
  view.words.querySelector('[aria-expanded="true"]')?.setAttribute('aria-expanded', 'false');
  openWord = undefined;
  view.wordDetail.hidden = true;
  view.wordDetail.replaceChildren();
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
    view.wordDetail.scrollIntoView({ block: 'nearest' });
  } catch (error) {
    closeWord();
    say(failure(error.code), { failed: true });
  }
});

// -------------------------------------------------------------------------------------------------------- Starting

let pause;
view.text.addEventListener('input', () => {
  if (!levels) return;
  view.release.setAttribute('aria-busy', 'true');
  clearTimeout(pause);
  pause = setTimeout(refresh, TYPING_PAUSE);
});
view.level.addEventListener('input', () => {
  showLevel();
  refresh();
});
view.mechanism.addEventListener('change', () => {
  setSlider();
  refresh();
});
view.keepFunctionWords.addEventListener('change', refresh);
view.placeholders.addEventListener('change', refresh);
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
      for (const control of [view.level, view.mechanism, view.keepFunctionWords, view.placeholders]) control.disabled = false;
      setSlider();
    }
  } catch (error) {
    say(failure(error.code), { failed: true, retry: true });
    return;
  }
  await refresh();
}

function byMechanism(all) {
  const grouped = {};
  for (const level of all) (grouped[level.mechanism] ??= []).push(level);
  return grouped;
}

start();
