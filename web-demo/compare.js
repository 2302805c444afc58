/** The panel "The same text, otherwise": releases of the text at other levels, or by other mechanisms at the same loss. */

import { note } from './element.js';
import * as engine from './engine.js';
import { MECHANISMS, mechanismName, number } from './phrases.js';
import { compareGap, compareItem, levelName } from './views.js';
import { SHOWN_WORDS } from './words.js';

/** @import { EngineError } from './remote.js' */
/** @import { Levels } from './settings.js' */
/** @import { Level, LevelMechanism, Options, Release } from './textveil/all/textveil.js' */
/** @import { View } from './view.js' */

/** @typedef {{ level: Level, levels: Levels, clear: { keepFunctionWords: boolean, placeholders: boolean } }} Choices At what a release was drawn. */
/** @typedef {{ heading: string, mechanism: LevelMechanism, terms: Options, isCurrent: boolean }} Line */

/** The largest ε that `nearest` takes. */
const MOST_EPSILON_OF_NEAREST = 20;
/** Lines of the comparison of levels. */
const COMPARED = 5;

/**
 * Levels of a ladder, from the most private to the least: both ends and those with a name, or else levels at equal steps.
 *
 * @param {readonly Level[]} ladder
 */
function spread(ladder) {
  const named = ladder.filter(({ preset }, at) => preset !== null || at === 0 || at === ladder.length - 1);
  if (named.length > 2) return named;
  const steps = Math.min(COMPARED, ladder.length) - 1;
  return Array.from({ length: steps + 1 }, (_, step) => ladder[Math.round((step * (ladder.length - 1)) / Math.max(1, steps))]);
}

/**
 * A line for each of a few levels: its heading, and the options of its release.
 *
 * @param {Choices} choices
 * @returns {Line[]}
 */
function byLevel({ level: chosen, levels }) {
  const ladder = levels[chosen.mechanism] ?? [];
  return spread(ladder).map((level) => ({
    heading: levelName(level),
    mechanism: level.mechanism,
    terms: { mechanism: level.mechanism, level: level.index },
    isCurrent: level === chosen,
  }));
}

/**
 * A line for each mechanism, at the ε of the chosen level, or at its η where no ε is proved.
 *
 * @param {Choices} choices
 * @returns {Line[]}
 */
function byMechanism({ level: chosen, levels }) {
  /** @type {(mechanism: LevelMechanism) => Options} */
  const atStrength = (mechanism) => {
    if (mechanism === 'nearest') return { mechanism, epsilon: Math.min(chosen.epsilonWord, MOST_EPSILON_OF_NEAREST) };
    return chosen.eta === null || chosen.deltaWord < 1 ? { mechanism, epsilon: chosen.epsilonWord } : { mechanism, eta: chosen.eta };
  };
  return MECHANISMS.filter((mechanism) => mechanism in levels).map((mechanism) => {
    const isCurrent = mechanism === chosen.mechanism;
    const terms = isCurrent ? { mechanism, level: chosen.index } : atStrength(mechanism);
    return { heading: mechanismName(mechanism), mechanism, terms, isCurrent };
  });
}

/** How the lines of a comparison by mechanism relate. */
const RELATED = {
  epsilon: 'Each at the loss of your level, or the level next below it: the same ε for one word, in the worst case. ',
  eta: 'For your level no ε is proved, so each is at the same η, or the level next below it. ',
};

/**
 * The panel.
 *
 * @param {View} view the page's elements
 * @param {(error: EngineError) => void} fail what to do with an error
 */
export function comparePanel(view, fail) {
  /** @type {{ text: string, release: Release, choices: Choices } | undefined} What is compared; absent while nothing is written. */
  let subject;
  /** Counts the runs. Only the latest goes on. */
  let run = 0;

  /**
   * Shows other releases of a text next to `release`.
   *
   * @param {string} text
   * @param {Release} release
   * @param {Choices} choices at what it was drawn
   */
  function show(text, release, choices) {
    subject = { text, release, choices };
    return draw();
  }

  function clear() {
    stop();
    subject = undefined;
    view.compare.replaceChildren();
    view.compare.setAttribute('aria-busy', 'false');
    view.compareTotal.textContent = '';
    note(view.compareNote);
  }

  /** Ends a run that is under way. */
  function stop() {
    run++;
  }

  async function draw() {
    if (!subject) return;
    const thisRun = ++run;
    const { text, release: current, choices } = subject;
    if (current.account.length > SHOWN_WORDS) {
      view.compare.replaceChildren();
      view.compareTotal.textContent = '';
      note(view.compareNote, `The comparison is for texts of up to ${SHOWN_WORDS} words.`);
      return;
    }
    note(view.compareNote);
    view.compare.setAttribute('aria-busy', 'true');
    const across = view.compareMechanisms.checked;
    const items = [];
    const releases = new Map([[drawKey(current), current]]);
    for (const { heading, mechanism, terms, isCurrent } of across ? byMechanism(choices) : byLevel(choices)) {
      const release = await engine.privatize(text, { ...choices.clear, ...terms }).catch((/** @type {EngineError} */ error) => {
        if (error.code !== 'invalid-level') throw error;
        return undefined;
      });
      if (thisRun !== run) return;
      items.push(release ? compareItem(heading, release, isCurrent) : compareGap(mechanism));
      if (release) releases.set(drawKey(release), release);
    }
    view.compare.replaceChildren(...items);
    const related = across ? RELATED[choices.level.deltaWord < 1 ? 'epsilon' : 'eta'] : '';
    view.compareTotal.textContent = related + total([...releases.values()]);
    view.compare.setAttribute('aria-busy', 'false');
  }

  for (const choice of [view.compareLevels, view.compareMechanisms]) {
    choice.addEventListener('change', () => {
      if (subject) draw().catch(fail);
    });
  }

  return { show, clear, stop };
}

/**
 * What tells two releases of one text apart, if both leave the same in clear.
 *
 * @param {Release} release
 */
const drawKey = ({ guarantee: { mechanism, eta, epsilonWord } }) => `${mechanism} ${eta} ${epsilonWord}`;

/**
 * What several releases of one text lose together.
 *
 * @param {readonly Release[]} releases
 */
function total(releases) {
  const spent = releases.reduce((sum, { guarantee }) => sum + guarantee.epsilonText, 0);
  const proved = releases.every(({ guarantee }) => guarantee.deltaText < 1);
  return (
    'Whoever receives several of them learns more than from one, because their ε add up. ' +
    (proved ? `All releases on show together make ${number(spent)}.` : 'Where no ε is proved for one, no ε is proved for the sum.')
  );
}
