/** The panel "What an attacker would guess": the likeliest word behind each word that leaves, next to the word that was written. */

import { element, note } from './element.js';
import * as engine from './engine.js';
import { chance, plural } from './phrases.js';
import { sent, withContext } from './views.js';

/** @import { EngineError } from './remote.js' */
/** @import { Settings } from './settings.js' */
/** @import { Entry, Guess, Level, Release } from './textveil/all/textveil.js' */
/** @import { View } from './view.js' */

/** Words that are attacked. */
const ATTACKED = 60;
/** Guesses shown for a word. */
const GUESSES = 3;

/** @typedef {Guess & { isMasked: boolean }} Shown A guess, and whether no result ever has this word: then the page masks it. */

/**
 * Whether a guess is the word that was typed. For an unknown word no guess is: it stands for no word of the table.
 *
 * @param {Entry} entry
 * @param {string | undefined} guess
 */
const isRight = ({ input }, guess) => input !== null && guess === input;

/**
 * The panel.
 *
 * @param {View} view the page's elements
 * @param {(error: EngineError) => void} fail what to do with an error
 */
export function attackPanel(view, fail) {
  /** @type {{ release: Release, options: Settings, level: Level } | undefined} The release on show, its options and its level. */
  let target;
  /** Whether the person has asked for it: from then on each new release is attacked. */
  let wanted = false;
  /** Counts the runs. Only the latest goes on. */
  let run = 0;

  /**
   * @param {Release} release
   * @param {Settings} options
   * @param {Level} level
   */
  function show(release, options, level) {
    target = { release, options, level };
    view.attackStart.disabled = false;
    if (wanted) attack().catch(fail);
  }

  function clear() {
    stop();
    target = undefined;
    view.attackStart.disabled = true;
    view.attackResult.hidden = true;
    note(view.attackNote);
  }

  /** Ends a run that is under way. */
  function stop() {
    run++;
  }

  async function attack() {
    if (!target) return;
    const thisRun = ++run;
    const { release, options, level } = target;
    const entries = release.account.filter(({ clear }) => !clear).slice(0, ATTACKED);
    /** @type {Map<string, readonly Shown[]>} */
    const guesses = new Map();
    let right = 0;
    view.attackResult.hidden = false;
    view.attackSummary.textContent = 'Attacking…';
    for (const [at, entry] of entries.entries()) {
      const word = sent(entry);
      const known = guesses.get(word) ?? (await guessesAt(word, options));
      if (thisRun !== run) return;
      // The guesses at the text before stay until the first guess at this one.
      if (at === 0) {
        view.attackGuesses.replaceChildren();
        view.attackResult.setAttribute('aria-busy', 'false');
      }
      if (!known) break;
      guesses.set(word, known);
      right += isRight(entry, known[0]?.word) ? 1 : 0;
      view.attackGuesses.append(guessItem(entry, known));
    }
    if (entries.length === 0) view.attackGuesses.replaceChildren();
    view.attackResult.setAttribute('aria-busy', 'false');
    const possible = entries.length === 0 || guesses.size > 0;
    view.attackSummary.replaceChildren(...(possible ? summary(entries.length, right, level) : [IMPOSSIBLE]));
    const left = release.account.length > ATTACKED && possible;
    const remarks = [
      left && `The first ${plural(ATTACKED, 'word')} that were drawn.`,
      [...guesses.values()].flat().some(({ isMasked }) => isMasked) && 'Of a rude word that is never sent, only the first letter is shown here.',
    ];
    note(view.attackNote, remarks.filter(Boolean).join(' '));
  }

  view.attackStart.addEventListener('click', () => {
    wanted = true;
    view.attackStart.hidden = true;
    attack().catch(fail);
    view.attackSummary.focus();
  });

  return { show, clear, stop };
}

/**
 * The likeliest words behind one that came out; `undefined` where the mechanism does not state its probabilities.
 *
 * @param {string} word
 * @param {Settings} options
 * @returns {Promise<Shown[] | undefined>}
 */
async function guessesAt(word, options) {
  const found = await engine.guesses(word, options, GUESSES);
  if (!found) return undefined;
  const never = await engine.neverSent(found.guess.map((guess) => guess.word));
  return found.guess.map((guess) => ({ ...guess, isMasked: never.includes(guess.word) }));
}

/**
 * A guess as the page shows it.
 *
 * @param {Shown} guess
 */
const masked = ({ word, isMasked }) => (isMasked ? `${word[0]}…` : word);

/** For noise: only draws tell its probabilities. */
const IMPOSSIBLE =
  'This mechanism does not state its probabilities, so the likeliest words cannot be computed here. That is no protection: ' +
  'an attacker with more time can estimate them.';

/**
 * How this attack went, and how attacks go in the long run.
 *
 * @param {number} count
 * @param {number} right
 * @param {Level} level
 */
function summary(count, right, level) {
  if (count === 0) return [element('b', {}, 'No word was drawn'), ', so there is nothing to guess.'];
  const longRun = level.certificate
    ? ` In ordinary English a reader who takes each word alone is right about ${chance(level.certificate.inversionByFrequency)} of words at this level: ` +
      'that is computed over the whole table.'
    : '';
  return [element('b', {}, `${right} of ${plural(count, 'word')} guessed`), ` in this release.${longRun} `, ...withContext(level)];
}

/**
 * A word that leaves, and what its reader would guess.
 *
 * @param {Entry} entry
 * @param {readonly Shown[]} guesses
 */
function guessItem(entry, [best, ...others]) {
  const leaves = element('p', {}, element('span', { className: 'label' }, 'sent '), element('span', { className: 'guess-sent', lang: 'en' }, sent(entry)));
  if (!best) return element('li', {}, leaves, element('p', { className: 'verdict' }, 'no guess'));
  const right = isRight(entry, best.word);
  const rest = others.map((guess) => `${masked(guess)} ${chance(guess.probability)}`).join(', ');
  return element(
    'li',
    { className: right ? 'right' : '' },
    leaves,
    element(
      'p',
      {},
      element('span', { className: 'label' }, 'guess '),
      element('b', { lang: 'en' }, masked(best)),
      ` ${chance(best.probability)}`,
      element('span', { className: 'verdict' }, right ? ' ✓ right' : ' ✗ wrong'),
    ),
    element('p', { className: 'small' }, rest && `then ${rest}`),
  );
}
