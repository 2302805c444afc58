/**
 * What a visitor meets first: a whole text is exchanged for a statement of a list.
 *
 * The worker draws a text once for each list, each ε and each choice of the person, and remembers the release. What the text may mean is
 * shown to the person alone. This part of the page sends nothing.
 */

import { element } from './element.js';
import { EXAMPLES, learned, peopleOf, peopleRows, peopleSummary, tells } from './people.js';
import { failure, number } from './phrases.js';
import { remote } from './remote.js';
import { answersNeeded, IN_CLEAR } from './shares.js';
import { textPromise, zoneBands, zoneOf } from './strength.js';
import { describe } from './textveil/describe.js';

/** @import { Learned, Row } from './people.js' */
/** @import { EngineError } from './remote.js' */
/** @import { Odds, Stated, StatementRelease } from './textveil/statements.js' */
/** @import { View } from './view.js' */

/**
 * A release, and what stays here: the statements that are offered for the text, the one that it is exchanged by, and whether the person
 * chose that one.
 *
 * @typedef {{ release: StatementRelease, offered: Stated[], meant: Stated, isChosen: boolean, odds: Odds, all: string[] }} Exchanged
 */

/** Pause in typing, in milliseconds, after which a text is drawn. */
const TYPING_PAUSE = 250;

/** After this many milliseconds of waiting, the panel says so. */
const PATIENCE = 400;

/** The ε at which the slider can stand. 8 is the default of the package. */
const STOPS = [1, 4, 6, 8, 12];

const DONE = 'Drawn here, once for this text and statement. Nothing was sent.';

/** The wanted precision of a share. */
const HALF_WIDTH = 0.01;

/**
 * The panel. It starts by itself.
 *
 * @param {View} view the page's elements
 */
export function statementsPanel(view) {
  const worker = remote(() => new Worker(new URL('./statements-worker.js', import.meta.url), { type: 'module' }));
  /** The results on show, which a change makes outdated. */
  const results = [
    view.statement, view.statementPromise, view.statementShares, view.statementMeaning, view.statementMeant, view.statementCount, view.statementAll,
    view.statementDescribed, view.statementCode, view.people, view.peopleSummary,
    view.offers,
  ];
  /** The latest request. Only its answer is shown. */
  let asked = 0;
  /** @type {number | undefined} The number of the statement that the person chose. */
  let choice;
  /** The list of the statements that are offered. */
  let offeredOf = '';
  /** The list and the ε of the shares on show. */
  let counted = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let pause;

  const list = () => view.statementList.value;
  const level = () => STOPS[Number(view.statementLevel.value)];
  const settings = () => `${list()} ${level()}`;

  const buttons = () => [...view.offers.querySelectorAll('button')];

  /** The text, the choice or a setting has changed. Draws after `delay` milliseconds without a further change. */
  function changed(delay = 0) {
    asked += 1;
    setStale(true);
    view.statementLevel.setAttribute('aria-valuetext', `${zoneOf(level()).name}, ε ${level()}`);
    view.statementZones.replaceChildren(...zoneBands(STOPS, level()));
    clearTimeout(pause);
    pause = setTimeout(draw, delay);
  }

  async function draw() {
    const request = asked;
    const epsilon = level();
    const impatience = setTimeout(() => request === asked && say('Working…'), PATIENCE);
    try {
      /** @type {Exchanged} */
      const exchanged = await worker.ask('exchange', list(), view.saying.value, choice, { epsilon });
      if (request !== asked) return;
      // The shares below take longer.
      clearTimeout(impatience);
      show(exchanged);
      if (counted === settings()) return;
      /** @type {Row[]} */
      const rows = await worker.ask('people', list(), peopleOf(list()), { epsilon });
      if (request !== asked) return;
      showPeople(learned(rows, exchanged.odds));
      counted = settings();
    } catch (error) {
      if (request === asked) fail(/** @type {EngineError} */ (error));
    } finally {
      clearTimeout(impatience);
    }
  }

  /** @param {Learned[]} all */
  function showPeople(all) {
    const told = tells(all);
    view.people.replaceChildren(...(told ? peopleRows(all) : []));
    view.peopleKeys.hidden = view.peopleTable.hidden = view.peopleAside.hidden = !told;
    view.peopleSummary.textContent = peopleSummary(all);
    for (const part of [view.people, view.peopleSummary]) part.setAttribute('aria-busy', 'false');
  }

  /** @param {Exchanged} exchanged */
  function show({ release, offered, meant, isChosen, odds, all }) {
    const { epsilonText } = release.guarantee;
    setStale(false);
    choice = isChosen ? meant.number : undefined;
    offer(offered, meant);
    for (const part of [view.people, view.peopleSummary]) part.setAttribute('aria-busy', String(counted !== settings()));
    say(DONE);
    view.statement.textContent = release.text;
    const promise = element('p', {}, ...textPromise(release.guarantee));
    // What is set anew is read out anew.
    if (promise.textContent !== view.statementPromise.textContent) view.statementPromise.replaceChildren(...promise.childNodes);
    view.statementShares.replaceChildren(...shares(odds, all.length));
    view.statementMeaning.textContent = meaning(epsilonText, odds, all.length);
    const cameOut = meant.text === release.text;
    view.statementMeantLead.textContent = meantLead(isChosen, odds.near, cameOut);
    view.statementMeant.textContent = meant.text;
    view.statementMeant.classList.toggle('came', cameOut);
    view.statementCount.textContent = `All ${all.length} statements of this list`;
    view.statementAll.replaceChildren(...all.map((statement) => element('li', {}, statement)));
    view.statementDescribed.textContent = describe(release.guarantee);
    view.statementCode.textContent = codeOf(list(), epsilonText, all.length);
  }

  /**
   * Shows what the text may mean, and marks what it is taken for.
   *
   * @param {Stated[]} offered
   * @param {Stated} meant
   */
  function offer(offered, meant) {
    const before = buttons();
    // A button that has the focus stays. If it is not offered any more, the first one takes the focus.
    if (offeredOf !== list() || `${before.map(({ value }) => value)}` !== `${offered.map(({ number }) => number)}`) {
      const focused = before.find((button) => button === document.activeElement);
      view.offers.replaceChildren(...offered.map(({ number, text }) => element('button', { type: 'button', value: String(number) }, text)));
      if (focused) (buttons().find(({ value }) => value === focused.value) ?? buttons()[0])?.focus();
    }
    offeredOf = list();
    mark(meant.number);
    view.choosing.hidden = !view.saying.value.trim();
  }

  /** @param {number} number of the statement that the text is taken for */
  function mark(number) {
    for (const button of buttons()) button.setAttribute('aria-pressed', String(Number(button.value) === number));
  }

  /**
   * Empties the results and says what went wrong. If another try may help, offers one.
   *
   * @param {EngineError} error
   */
  function fail({ code }) {
    const { said, retry } = failure(code);
    setStale(false);
    counted = '';
    for (const part of [...results, view.statementMeantLead]) part.replaceChildren();
    view.choosing.hidden = true;
    say(said);
    view.statementStatus.classList.add('failed');
    view.statementRetry.hidden = !retry;
  }

  /** @param {string} said */
  function say(said) {
    // A status that is set anew is read out anew.
    if (view.statementStatus.textContent !== said) view.statementStatus.textContent = said;
    view.statementStatus.classList.remove('failed');
    view.statementRetry.hidden = true;
  }

  /** @param {boolean} stale */
  function setStale(stale) {
    for (const part of results) part.setAttribute('aria-busy', String(stale));
  }

  view.saying.value = EXAMPLES[list()][0];
  view.statementStops.replaceChildren(...STOPS.map((epsilon) => element('span', {}, `ε ${epsilon}`)));
  view.saying.addEventListener('input', () => {
    // The statement for what fits nothing is always offered. It is chosen for one text.
    if (choice === Number(buttons().at(-1)?.value)) choice = undefined;
    changed(TYPING_PAUSE);
  });
  view.offers.addEventListener('click', ({ target }) => {
    // The statements of another list may still be on show.
    if (!(target instanceof HTMLButtonElement) || offeredOf !== list()) return;
    choice = Number(target.value);
    changed();
    mark(choice);
    view.offers.setAttribute('aria-busy', 'false');
  });
  view.statementLevel.addEventListener('input', () => changed());
  view.statementList.addEventListener('change', () => {
    // Another list brings its example, unless the person has written something.
    if (Object.values(EXAMPLES).some(([example]) => example === view.saying.value)) view.saying.value = EXAMPLES[list()][0];
    choice = undefined;
    changed();
  });
  view.statementRetry.addEventListener('click', () => {
    view.saying.focus();
    worker.restart();
    say('Loading…');
    changed();
  });
  changed();
}

/**
 * Whether the draw hardly depends on the text: most statements count as near to it.
 *
 * @param {Odds} odds
 * @param {number} count of the statements of the list
 */
const isNearlyBlind = ({ near }, count) => near > count / 2;

/**
 * How many answers tell a share.
 *
 * @param {Odds} odds
 * @param {number} count of the statements of the list
 */
function shares(odds, count) {
  if (isNearlyBlind(odds, count)) return [`Here ${odds.near} of the ${count} statements count as near to a text. So shares say hardly anything, however many answer.`];
  const needed = (/** @type {Odds} */ releases) => [0.05, 0.5].map((share) => answersNeeded(share, HALF_WIDTH, releases).toLocaleString('en'));
  const [few, most] = needed(odds);
  const [fewInClear, mostInClear] = needed(IN_CLEAR);
  return [
    'Many answers together show what is common: ', element('b', {}, `${few} answers`), ` are enough for a share of 5% to within ±\u00a01%, and ${most} for a share of 50%. ` +
      `Both are right in 95 of 100 such surveys. Without privacy, ${fewInClear} and ${mostInClear} answers would be enough.`,
    ` A share is that of the people to whose text a statement is ${nearest(odds)}, even if it says something else.`,
  ];
}

/** @param {Odds} odds */
const nearest = ({ near }) => (near === 1 ? 'the nearest' : `one of the ${near} nearest`);

/**
 * What ε does to one text.
 *
 * @param {number} epsilon
 * @param {Odds} odds
 * @param {number} count of the statements of the list
 */
function meaning(epsilon, odds, count) {
  const whole = `ε = ${number(epsilon)}, for the whole text, however long.`;
  if (isNearlyBlind(odds, count)) return `${whole} Here ${odds.near} of the ${count} statements count as near to yours, and each of them is equally likely. So what comes out says next to nothing.`;
  const near = Math.round(100 * odds.near * odds.inside);
  const [those, rest] = near > 99 ? ['over 99', 'hardly anyone'] : [near, 100 - near];
  const sent = odds.near === 1 ? 'it' : `it or ${odds.near === 2 ? '' : 'one of '}${others(odds.near)}`;
  return `${whole} Of 100 people with the same statement as you, ${those} send ${sent}, and ${rest} any other.`;
}

/**
 * What stands before the statement that a text is taken for.
 *
 * @param {boolean} isChosen whether the person chose it
 * @param {number} count how many count as near to it, with itself
 * @param {boolean} cameOut whether it did
 */
function meantLead(isChosen, count, cameOut) {
  const meant = isChosen ? 'You chose this statement' : 'This statement is nearest to your text';
  const came = cameOut ? 'and it came out' : 'but another one came out, by chance';
  return count === 1 ? `${meant}, ${came}:` : `${meant}, ${came}. It and ${others(count)} are equally likely:`;
}

/**
 * The statements that count as near to one, without itself.
 *
 * @param {number} count with itself
 */
const others = (count) => (count === 2 ? 'the one nearest to it' : `the ${count - 1} nearest to it`);

/**
 * A field that gives the same guarantee, in a page without tools.
 *
 * @param {string} list
 * @param {number} epsilon
 * @param {number} count of the statements of the list
 */
function codeOf(list, epsilon, count) {
  return `<script type="module">
  import './textveil/element.js';
  import './textveil/statements.js';
</script>
<form method="post" action="/releases">
  <input type="hidden" name="nonce">
  <textveil-field name="comment" epsilon="${epsilon}" suggest
      statements="./textveil/lists/${list}.tvs">
    <label for="comment">Your comment</label>
    <textarea id="comment" aria-describedby="hint"
        autocomplete="off"></textarea>
    <span id="hint">Your words stay on this device. It sends one of
      ${count} ready-made statements instead: usually the one that
      you choose.</span>
  </textveil-field>
  <button>Send</button>
</form>
`;
}
