/** What the page shows of a release: pure functions from the library's results to elements. */

import { chance, clearItem, loss, notionName, number, plural, power, survival, times, tiny, worstCase } from './phrases.js';

/** The smallest chance that is drawn as a bar. */
const SMALLEST_BAR = 0.01;

/** An element with properties and children. Text only ever enters as text nodes. */
function element(name, properties = {}, ...children) {
  const { dataset, ...rest } = properties;
  const made = Object.assign(document.createElement(name), rest);
  Object.assign(made.dataset, dataset);
  made.append(...children);
  return made;
}

/** The word that an entry of the account sent. */
const sent = (entry) => entry.output ?? `[${entry.kind}]`;

/**
 * What happened to a token: `replaced`; `kept` (drawn, came out the same); `near` (drawn, came out as the near spelling
 * that it was looked up by); `clear` (not drawn, by choice). An unknown token was replaced even where the arbitrary word
 * that it stood in as came out.
 */
export function fate({ clear, kept, found }) {
  if (clear) return 'clear';
  if (!kept || found === 'hashed') return 'replaced';
  return found === 'near' ? 'near' : 'kept';
}

const MARKS = { replaced: '→', kept: '=', near: '≈', clear: '○' };

/** What a screen reader says between the two words, in place of the mark. */
const SPOKEN = {
  replaced: ', replaced by ',
  kept: ', came out as ',
  near: ', came out as its near spelling ',
  clear: ', left in the clear as ',
};

/** A token above what it became, as a button that opens its alternatives. */
export function wordItem(entry, index) {
  const of = fate(entry);
  const mark = element('span', { className: 'mark' }, MARKS[of]);
  mark.setAttribute('aria-hidden', 'true');
  const button = element(
    'button',
    { type: 'button', className: 'word', dataset: { index, fate: of } },
    element('span', { className: 'word-typed' }, entry.token),
    element('span', { className: 'spoken' }, SPOKEN[of]),
    element('span', { className: 'word-sent' }, mark, ` ${sent(entry)}`),
  );
  button.setAttribute('aria-expanded', 'false');
  button.setAttribute('aria-controls', 'word-detail');
  return element('li', {}, button);
}

/** What holds of a bound on a factor under these terms. */
const ideal = ({ exactSampler }) => (exactSampler ? '' : ' (for ideal noise)');

/** The probability with which a bound on a factor may fail. */
const butFor = (delta) => (delta > 0 ? `, but for a probability of δ = ${tiny(delta)}` : '');

/** What a token could have become, under the terms of a guarantee. */
export function wordDetail(entry, { input, found, distribution, estimated }, guarantee) {
  const { eta, metric, cutoff, epsilonWord, deltaWord } = guarantee;
  const bounds = eta === null ? butFor(deltaWord) : ideal(guarantee);
  // In another metric the distance on show says nothing, and without one any two words are as far as can be.
  const counts = metric === 'euclidean' || metric === 'truncated-euclidean';
  const exponent = (distance) => (counts ? Math.min(eta * Math.min(distance, cutoff ?? Infinity), epsilonWord) : epsilonWord);
  const rest = 1 - distribution.reduce((sum, { probability }) => sum + probability, 0);
  const nearest = distribution.filter(({ word }) => word !== input).sort((a, b) => a.distance - b.distance)[0];
  const rows = distribution.map(({ word, probability, distance }) => {
    const heading = element('th', { scope: 'row' }, element('span', { lang: 'en' }, word), ...remarks(word, input, entry));
    if (probability >= SMALLEST_BAR) heading.append(bar(probability));
    return element(
      'tr',
      { className: word === entry.output ? 'drawn' : '' },
      heading,
      element('td', {}, chance(probability)),
      element('td', {}, word === input ? '–' : `×${power(exponent(distance))}`),
    );
  });
  const detail = [
    element(
      'div',
      { className: 'detail-head' },
      element('h3', { id: 'word-detail-title', tabIndex: -1 }, `What “${entry.token}” could have become`),
      element('button', { type: 'button', className: 'close' }, 'Close'),
    ),
    element(
      'p',
      { className: 'eyes-only' },
      element('strong', {}, 'For your eyes only. '),
      'These chances are worked out from the word you typed. They must not leave the device.',
    ),
  ];
  if (entry.clear) {
    detail.push(
      element('p', {}, 'By your choice this one was not drawn but left in clear. Had it been drawn:'),
    );
  }
  if (found !== 'exact') {
    detail.push(
      element('p', {}, 'It is not in the table of words, and so stood in as ', element('b', { lang: 'en' }, input),
        found === 'near' ? ', a near spelling.' : ', a word fixed by its letters and otherwise arbitrary.'),
    );
  }
  detail.push(
    element(
      'table',
      {},
      element(
        'thead',
        {},
        element('tr', {}, ...['Word', 'Chance', 'Factor'].map((title) => element('th', { scope: 'col' }, title))),
      ),
      element('tbody', {}, ...rows),
    ),
  );
  if (rest > 5e-5) {
    detail.push(element('p', { className: 'small' }, `All other words of the table together: ${chance(rest)}.`));
  }
  if (nearest) {
    detail.push(
      element(
        'p',
        { className: 'small' },
        `For example “${input}” and “${nearest.word}”: whatever came out, it is at most ${times(exponent(nearest.distance))} ` +
          `likelier for the one than for the other, the rest of the text being the same${bounds}.`,
      ),
    );
  }
  if (estimated) {
    detail.push(element('p', { className: 'small' }, `These chances are estimated by simulation; the factors are bounds${bounds}.`));
  }
  return detail;
}

function bar(share) {
  const drawn = element('span', { className: 'bar' });
  drawn.style.setProperty('--share', share);
  return drawn;
}

function remarks(word, input, { output, found, clear }) {
  const said = [word === input && (found === 'exact' ? 'as typed' : 'stand-in'), !clear && word === output && 'drawn'].filter(Boolean);
  return said.length ? [element('span', { className: 'remark' }, ` ${said.join(', ')}`)] : [];
}

/** `16 of 20 words replaced` */
export function replacedCount(account) {
  const replaced = account.filter((entry) => fate(entry) === 'replaced').length;
  return `${replaced} of ${plural(account.length, 'word')} replaced`;
}

/** One level's release, its replaced words underlined. */
export function compareItem(level, count, release, isCurrent) {
  const title = element('h3', {}, `Level ${level.index + 1} of ${count}`);
  if (isCurrent) title.append(element('span', { className: 'remark' }, ' your level'));
  return element(
    'li',
    { className: isCurrent ? 'current' : '' },
    element(
      'div',
      { className: 'compare-head' },
      title,
      element('p', {}, strength(level)),
      element('p', {}, replacedCount(release.account)),
    ),
    element('p', { className: 'compare-text', lang: 'en' }, ...marked(release)),
  );
}

/** The release's text in pieces, its replaced words as elements; the pieces join to the very text. */
function marked({ text, account }) {
  const pieces = [];
  let end = 0;
  for (const entry of account) {
    const word = sent(entry);
    const capital = word.charAt(0).toUpperCase() + word.slice(1);
    const [start] = [text.indexOf(word, end), text.indexOf(capital, end)].filter((at) => at >= 0).sort((a, b) => a - b);
    if (start === undefined) break;
    pieces.push(text.slice(end, start));
    end = start + word.length;
    const piece = text.slice(start, end);
    pieces.push(fate(entry) === 'replaced' ? element('span', { className: 'replaced' }, piece) : piece);
  }
  pieces.push(text.slice(end));
  return pieces;
}

/** What a level costs: η where no ε is proved for the words that are farthest apart. */
const strength = ({ eta, epsilonWord, deltaWord }) =>
  deltaWord < 1 ? `ε ${number(epsilonWord)} a word` : `η ${number(eta)} a distance of 1`;

/** What the slider's position means. */
export function levelMeaning(level, count) {
  return [
    element('b', {}, `Level ${level.index + 1} of ${count}. `),
    `In ordinary English ${survival(level.retentionByFrequency)}. `,
    element('span', { className: 'nowrap' }, `${strength(level)}.`),
  ];
}

/**
 * What a level costs and does, as terms and definitions.
 *
 * @param pair two words of one meaning and their distance, if the table has them
 */
export function levelFacts({ eta, epsilonWord, deltaWord, retentionByFrequency, certificate }, pair) {
  const lines = [
    ['Any two words, worst case', deltaWord < 1 ? `ε ${number(epsilonWord)}` : 'nothing proved'],
    pair && [
      element('span', { lang: 'en' }, `“${pair.word}” or “${pair.synonym}”?`),
      `×${power(Math.min(eta * Math.min(pair.distance, certificate?.cutoff ?? Infinity), epsilonWord))} at most`,
    ],
    ['Words kept', chance(retentionByFrequency)],
    certificate && ['Best attacker is right', chance(certificate.inversionByFrequency)],
  ];
  return lines.filter(Boolean).map(([term, value]) => element('div', {}, element('dt', {}, term), element('dd', {}, value)));
}

/**
 * How to read a guarantee: e^ε in words, for one word and for the text.
 *
 * @param account what became of the text; none where nothing is written
 */
export function guaranteeReading(guarantee, account) {
  const { eta, deltaWord, epsilonText, deltaText, words, claim } = guarantee;
  if (words === 0) {
    const open = account.length > 0 ? 'By your choice every word of this text is left in clear.' : 'There is no word in this text.';
    return [element('p', {}, `${open} Nothing of it is protected.`)];
  }
  const onlyNear = eta !== null && deltaWord >= 1;
  const reading = [onlyNear ? nearReading(guarantee) : wordReading(guarantee)];
  if (claim) reading.unshift(claimReading(claim));
  if (words > 1) {
    reading.push(
      element(
        'p',
        {},
        `Over all ${plural(words, 'drawn word')}, that is between any two texts of the same shape, the ε add up to `,
        element('b', {}, number(epsilonText)),
        deltaText > 0 ? ` and the δ to ${tiny(deltaText)}` : '',
        epsilonText > 10 || deltaText > 0.5
          ? '. As a promise about the whole text that is next to nothing: the promise lives in the single word. '
          : `: at most ${times(epsilonText)}. `,
        'A word that stands n times is drawn n times, and its loss adds up n-fold.',
      ),
    );
  }
  return reading;
}

/** What holds for any two words. */
function wordReading({ epsilonWord, deltaWord, clear }) {
  const alike = clear.includes('word-classes') ? 'of the same class' : 'of the same shape';
  return element(
    'p',
    {},
    `Take any two private words ${alike} in one place, the rest of the text being the same. Whatever came out, it is at most `,
    element('b', {}, times(epsilonWord)),
    ` likelier for the one than for the other${butFor(deltaWord)}: that is e to the power of ε = ${number(epsilonWord)}. `,
    worstCase(epsilonWord, deltaWord),
  );
}

/** Where nothing is proved about the words that are farthest apart. */
function nearReading({ eta, totalVariation }) {
  return element(
    'p',
    {},
    'Take any two private words in one place, at distance d of each other, the rest of the text being the same. Whatever came out, it is at most ',
    element('b', {}, `e^(${number(eta)}·d) times`),
    ` likelier for the one than for the other, for ideal noise. As the noise is computed, every probability may be off by ${tiny(totalVariation)}: ` +
      'about words that are far apart nothing is proved. Choose a word above to see what holds for its neighbours.',
  );
}

/** The claim of a published calibration, beside which the rest says what is proved. */
function claimReading(claim) {
  const said = `This is the calibration of a paper (${claim.source}), which claims ${loss(claim)} for one word. `;
  return element(
    'p',
    { className: claim.holds ? '' : 'warning' },
    said,
    claim.holds ? 'That holds.' : element('strong', {}, 'That does not follow.'),
    ' What is proved:',
  );
}

/** A longer one, in characters, stands below its term. */
const LONGEST_VALUE = 24;

/** The guarantee's figures as terms and definitions. */
export function guaranteeNumbers(guarantee) {
  const { mechanism, calibration, notion, unit, neighbours, eta, words, claim, table } = guarantee;
  const lines = [
    ['ε of one word, worst case', number(guarantee.epsilonWord)],
    guarantee.deltaWord > 0 && ['δ of one word', tiny(guarantee.deltaWord)],
    claim && [`Claimed for one word, ${claim.holds ? 'rightly' : 'without proof'}`, loss(claim)],
    ['Words drawn', words.toLocaleString('en')],
    ['ε of this text', number(guarantee.epsilonText)],
    guarantee.deltaText > 0 && ['δ of this text', tiny(guarantee.deltaText)],
    eta !== null && ['η, per unit of distance', number(eta)],
    ['Notion', notionName(notion)],
    ['Unit', unit],
    ['Neighbours', neighbours],
    ['Mechanism', mechanism],
    ['Calibration', calibration],
    ['Sampler', guarantee.exactSampler ? 'exact' : `ideal noise, to within ${tiny(guarantee.totalVariation)}`],
    ['Table', element('code', { title: table }, `${table.slice(0, 12)}…`)],
  ];
  const stacked = (value) => (value.length > LONGEST_VALUE ? 'stacked' : '');
  return lines
    .filter(Boolean)
    .map(([term, value]) => element('div', { className: stacked(value) }, element('dt', {}, term), element('dd', {}, value)));
}

const BY_CHOICE = new Set(['function-words', 'placeholders']);

/** What is public, one item a line; what the person chose to make public says so. */
export function guaranteeClear({ clear }) {
  return clear.map((id) =>
    element('li', {}, clearItem(id), ...(BY_CHOICE.has(id) ? [element('span', { className: 'remark' }, ' by your choice')] : [])),
  );
}
