/**
 * What a visitor meets first: a whole text is exchanged for a statement of a list.
 *
 * The worker draws a text once for each list and each ε, and remembers the release. Which statements are near to the text is shown
 * to the person alone. This part of the page sends nothing.
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

/** @typedef {{ release: StatementRelease, near: Stated[], odds: Odds, all: string[] }} Exchanged */

/** Pause in typing, in milliseconds, after which a text is drawn. */
const TYPING_PAUSE = 250;

/** After this many milliseconds of waiting, the panel says so. */
const PATIENCE = 400;

/** The ε at which the slider can stand. 8 is the default of the package. */
const STOPS = [1, 4, 6, 8, 12];

const DONE = 'Drawn once for this text, on this device. Nothing was sent.';

/** Of the near statements the page lists this many, and the one that came out. */
const MOST_LISTED = 5;

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
    view.statement, view.statementPromise, view.statementShares, view.statementMeaning, view.statementNear, view.statementCount, view.statementAll,
    view.statementDescribed, view.statementCode, view.people, view.peopleSummary,
  ];
  /** The latest request. Only its answer is shown. */
  let asked = 0;
  /** The list and the ε of the shares on show. */
  let counted = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let pause;

  const list = () => view.statementList.value;
  const chosen = () => STOPS[Number(view.statementLevel.value)];
  const settings = () => `${list()} ${chosen()}`;

  /** The text or a setting has changed. Draws after `delay` milliseconds without a further change. */
  function changed(delay = 0) {
    asked += 1;
    setStale(true);
    view.statementLevel.setAttribute('aria-valuetext', `${zoneOf(chosen()).name}, ε ${chosen()}`);
    view.statementZones.replaceChildren(...zoneBands(STOPS, chosen()));
    clearTimeout(pause);
    pause = setTimeout(draw, delay);
  }

  async function draw() {
    const request = asked;
    const epsilon = chosen();
    const impatience = setTimeout(() => request === asked && say('Working…'), PATIENCE);
    try {
      /** @type {Exchanged} */
      const exchanged = await worker.ask('exchange', list(), view.saying.value, { epsilon });
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
  function show({ release, near, odds, all }) {
    const { epsilonText } = release.guarantee;
    setStale(false);
    for (const part of [view.people, view.peopleSummary]) part.setAttribute('aria-busy', String(counted !== settings()));
    say(DONE);
    view.statement.textContent = release.text;
    view.statementPromise.replaceChildren(...textPromise(release.guarantee));
    view.statementShares.replaceChildren(...shares(odds, all.length));
    view.statementMeaning.textContent = meaning(epsilonText, odds, all.length);
    const cameOut = near.some(({ text }) => text === release.text);
    view.statementNearLead.textContent = nearLead(near.length, cameOut);
    const listed = near.filter(({ text }, place) => place < MOST_LISTED || text === release.text);
    const rest = near.length - listed.length;
    view.statementNear.replaceChildren(
      ...listed.map(({ text }) => element('li', { className: text === release.text ? 'came' : '' }, text)),
      ...(rest ? [element('li', { className: 'rest' }, `and ${rest} more`)] : []),
    );
    view.statementCount.textContent = `All ${all.length} statements of this list`;
    view.statementAll.replaceChildren(...all.map((statement) => element('li', {}, statement)));
    view.statementDescribed.textContent = describe(release.guarantee);
    view.statementCode.textContent = codeOf(list(), epsilonText);
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
    for (const part of [...results, view.statementNearLead]) part.replaceChildren();
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
  view.saying.addEventListener('input', () => changed(TYPING_PAUSE));
  view.statementLevel.addEventListener('input', () => changed());
  view.statementList.addEventListener('change', () => {
    // Another list brings its example, unless the person has written something.
    if (Object.values(EXAMPLES).some(([example]) => example === view.saying.value)) view.saying.value = EXAMPLES[list()][0];
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
  if (isNearlyBlind(odds, count)) return `${whole} Here ${odds.near} of the ${count} statements count as near to your text, and each of them is equally likely. So the statement says next to nothing.`;
  const near = Math.round(100 * odds.near * odds.inside);
  const [those, others] = near > 99 ? ['over 99', 'hardly anyone'] : [near, 100 - near];
  return `${whole} Of 100 people who write the same, ${those} send ${odds.near === 1 ? 'the nearest statement' : `${nearest(odds)} statements`}, and ${others} any other.`;
}

/**
 * What stands before the statements that are near to the text.
 *
 * @param {number} count
 * @param {boolean} cameOut
 */
function nearLead(count, cameOut) {
  const near = count === 1 ? 'This statement is nearest to your text' : `These ${count} statements are nearest to your text`;
  const came = count === 1 ? 'and it came out' : 'and one of them came out';
  return `${near}, ${cameOut ? came : 'but another one came out, by chance'}:`;
}

/**
 * A field that gives the same guarantee, in a page without tools.
 *
 * @param {string} list
 * @param {number} epsilon
 */
function codeOf(list, epsilon) {
  return `<script type="module">
  import './textveil/element.js';
  import './textveil/statements.js';
</script>
<form method="post" action="/comments">
  <textveil-field name="comment" epsilon="${epsilon}"
      statements="./textveil/lists/${list}.tvs">
    <label for="comment">Your comment</label>
    <textarea id="comment" autocomplete="off"></textarea>
  </textveil-field>
  <button>Send</button>
</form>
`;
}
