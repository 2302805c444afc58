/**
 * The golden vectors, compared with the module. Knows neither Node nor the browser: both call `checkVectors` with the
 * module's `Veil` and the files that they have read.
 */

/** What to read: `vectors/NAME.json`, `tables/NAME`, and the package's own table. */
export const VECTORS = ['choices', 'contributions', 'errors', 'keys', 'mechanism', 'mechanisms', 'pipeline', 'redaction', 'refusals', 'release', 'release_english', 'representations', 'statements', 'table'];
export const TABLES = ['classes.tvt', 'encoder.tvt', 'line.tvt', 'mend.tvt', 'odd.tvt', 'one.tvt', 'toy.tvt', 'wide.tvt'];
export const ENGLISH = 'english.tvt';
/** The table of the vectors that is a text encoder. */
export const ENCODER = 'encoder.tvt';

/** Where the package has modules, and which each folder has: with 128-bit vectors and without. */
export const FOLDERS = ['', 'all/'];
export const MODULES = ['textveil_wasm.wasm', 'textveil_wasm_baseline.wasm'];

/** V8's compilers of WebAssembly, each with the flag that leaves it alone in charge. */
export const TIERS = { 'the baseline compiler': '--liftoff-only', 'the optimizing compiler': '--no-liftoff' };

/** V8 without 128-bit vectors, on x86-64: there it builds them on this instruction set. */
export const WITHOUT_SIMD = '--no-enable-sse4-1';

/**
 * Checks every vector for which the module has the method.
 *
 * @param raw the classes of the seeded flavour's module: `Veil`, and where it has them `Encoder` and `Statements`
 * @param vectors the parsed files by their names in VECTORS
 * @param tables the table files' bytes by their names in TABLES and ENGLISH
 * @returns for each claim, how many cases were tried and what differed
 */
export function checkVectors({ Veil, Encoder, Statements }, vectors, tables) {
  const veils = Object.fromEntries(Object.entries(tables).map(([name, bytes]) => [name, new Veil(bytes)]));
  const words = Object.fromEntries(vectors.table.good.map(({ file, words }) => [file, words]));
  const mechanisms = veils[ENGLISH].mechanisms().map(({ name }) => name);
  const has = (mechanism) => mechanism === undefined || mechanisms.includes(mechanism);
  if ('encodeBy' in Veil.prototype) veils[ENGLISH].encodeBy(tables['wide.tvt']);
  const encoder = Encoder && new Encoder(tables[ENCODER]);
  const lists = Statements && Object.fromEntries(vectors.statements.lists.map(({ name, file }) => [name, listOf(Statements, encoder, file)]));
  const context = { Veil, veils, words, tables, lists, has };
  const known = (method) => !method || method in Veil.prototype || (Statements && method in Statements.prototype);
  return CLAIMS.filter(({ method }) => known(method)).map(({ claim, cases, outcome, expected }) => {
    const tried = cases(vectors).filter(({ mechanism }) => has(mechanism));
    const failures = tried.flatMap((one) => differences(outcome(one, context), expected(one, context), '').map((found) => ({ case: brief(one), ...found })));
    return { claim, tried: tried.length, failures };
  });
}

/** A list of the vectors, with its lines and its identity as the file has them; `encodes` unless it was made with an app's own encoder. */
function listOf(Statements, encoder, file) {
  const bytes = Uint8Array.from(file.match(/../g), (pair) => Number.parseInt(pair, 16));
  const made = new Statements(bytes);
  const encodes = codeOf(() => made.encodeBy(encoder)) === null;
  const dims = bytes[10] + 256 * bytes[11];
  const lines = new TextDecoder().decode(bytes.subarray(96 + dims * bytes[12])).split('\n');
  return { made, encodes, lines, id: file.slice(96, 160) };
}

/** Each claim: its cases, what the module makes of one, and what the reference says; and the method it is about, if not every module has it. */
const CLAIMS = [
  {
    claim: 'a seeded release is the reference’s, word for word, with its guarantee and account',
    cases: ({ release, release_english }) => [...release.cases, ...release_english.cases].map((one) => ({ ...one, known: release.known_seed[0] })),
    outcome({ table, text, mechanism, eta, options, seed }, { veils }) {
      const asked = { mechanism, eta, ...shownOf(options), anyLanguage: options.any_language };
      const { text: released, guarantee, account } = seeded(veils[table], seed).privatize(text.normalize('NFKC'), asked);
      const { words, epsilonWord, epsilonText, notion, statement } = guarantee;
      return { released, words, epsilonWord, epsilonText, notion, statement, account: account.map((entry) => pick(entry, ['token', 'kind', 'clear', 'written'])) };
    },
    expected(one, { words }) {
      const account = one.account.map(({ token, kind, fate, written, emitted }) => ({
        token,
        kind,
        clear: fate !== 'private',
        // The English table's words are not in the vectors; they are lower case, and only their first letter is ever raised.
        written: fate === 'placeholder' ? null : (words[one.table]?.[written] ?? emitted.charAt(0).toLowerCase() + emitted.slice(1)),
      }));
      const numbers = { words: one.private_tokens, epsilonWord: one.epsilon_word, epsilonText: one.epsilon_text };
      return { released: one.release, ...numbers, ...one.known, account };
    },
  },
  {
    claim: 'a release without a detector’s spans, with words kept and never said, is the reference’s, with its key',
    cases: ({ redaction }) => redaction.cases,
    outcome(one, { veils }) {
      const asked = { mechanism: 'exponential', eta: one.eta, ...redactionOf(one) };
      const text = one.spans ? one.text : one.text.normalize('NFKC');
      const { text: released, guarantee, account } = seeded(veils[one.table], one.seed).privatize(text, asked);
      const { words, clear, keptWords = null, neverSaid = null } = guarantee;
      const tokens = account.map((entry) => pick(entry, ['token', 'kind', 'clear', 'found']));
      return { released, words, clear, keptWords, neverSaid, account: tokens, key: veils[one.table].key(text, undefined, asked) };
    },
    expected({ release, private_tokens, clear, kept_words, never_said, account, key }) {
      const tokens = account.map(({ token, kind, fate, found }) => ({ token, kind, clear: fate !== 'private', found }));
      return { released: release, words: private_tokens, clear, keptWords: kept_words, neverSaid: never_said, account: tokens, key };
    },
  },
  {
    claim: 'a span and a list that are none are refused as the reference refuses them, by the same number',
    cases: ({ redaction }) => redaction.refusals,
    outcome(one, { veils }) {
      try {
        return veils[one.table].key(one.text, undefined, { mechanism: 'exponential', eta: 1, ...redactionOf({ options: { any_language: true }, ...one }) });
      } catch (error) {
        return { error: error.code, place: Number(/number (\d+)/.exec(error.message)?.[1]) };
      }
    },
    expected: ({ error, place }) => ({ error, place }),
  },
  {
    claim: 'a private token stands for the reference’s row, found the same way',
    cases: ({ release }) => release.cases.filter(({ account }) => account.some(({ fate }) => fate === 'private')),
    outcome({ table, text, mechanism, eta, options, seed }, { veils }) {
      const asked = { mechanism, eta, ...shownOf(options), anyLanguage: options.any_language };
      const { account } = seeded(veils[table], seed).privatize(text.normalize('NFKC'), asked);
      return account.filter(({ clear }) => !clear).map((entry) => pick(entry, ['found', 'input', 'output', 'kept']));
    },
    expected({ table, account }, { words }) {
      const privates = account.filter(({ fate }) => fate === 'private');
      const wordOf = (row) => (row === null ? null : words[table][row]);
      return privates.map(({ found, row, out, written }) => ({ found, input: wordOf(row), output: wordOf(out), kept: row === written }));
    },
  },
  {
    claim: 'what is suggested for a text is what the reference suggests',
    method: 'suggested',
    cases: ({ statements }) => statements.suggested,
    outcome: ({ list, text }, { lists }) => lists[list].made.suggested(text, 2).map(({ number }) => number),
    expected: ({ suggested }) => suggested,
  },
  {
    claim: 'a choice is exchanged for the reference’s statements, under its keys',
    method: 'exchangeChosen',
    cases: ({ statements }) => statements.chosen,
    outcome({ list, epsilon, near, releases, text, chosen, field, seed }, { lists }) {
      const { made } = lists[list];
      const options = { epsilon, near: near ?? undefined, perSentence: releases };
      const numbers = Float64Array.from(chosen);
      const key = made.chosenKey(text, numbers, field ?? undefined, options);
      made.seeded(seed);
      const { statements, guarantee } = made.exchangeChosen(numbers, options);
      return { key, numbers: statements.map(({ number }) => number), clear: guarantee.clear };
    },
    expected: ({ key, statements }) => ({ key, numbers: statements, clear: [] }),
  },
  {
    claim: 'a text is exchanged for the reference’s statements, under its keys',
    method: 'exchange',
    cases: ({ statements }) => statements.releases,
    outcome({ list, epsilon, near, releases, text, vectors, field, seed }, { lists }) {
      const { made, encodes } = lists[list];
      const options = { epsilon, near: near ?? undefined, perSentence: releases };
      const flat = Float64Array.from(vectors.flat());
      const vectorKey = made.vectorKey(flat, vectors.length, field ?? undefined, options);
      made.seeded(seed);
      const release = encodes ? made.exchange(text, options) : made.exchangeVectors(flat, vectors.length, options);
      return {
        numbers: release.statements.map(({ number }) => number),
        text: release.text,
        vectorKey,
        key: encodes ? made.key(text, field ?? undefined, options) : undefined,
        near: made.odds(options).near,
        ...pick(release.guarantee, ['unit', 'words', 'epsilonWord', 'table', 'notion']),
      };
    },
    expected({ list, epsilon, releases, usual_near, statements, key, vector_key }, { lists }) {
      const { lines, id, encodes } = lists[list];
      const text = statements.map((number) => lines[number]).join(' ');
      const guarantee = { unit: 'whole-text', words: releases, epsilonWord: epsilon, table: id, notion: 'known-seed' };
      return { numbers: statements, text, vectorKey: vector_key, key: encodes ? key : undefined, near: usual_near, ...guarantee };
    },
  },
  {
    claim: 'statements whose options are out of range are refused as the reference refuses them',
    method: 'exchange',
    cases: ({ statements }) => statements.refusals,
    outcome: ({ list, epsilon, near, releases }, { lists }) =>
      codeOf(() => lists[list].made.exchange('late', { epsilon, near: near ?? undefined, perSentence: releases })),
    expected: ({ code }) => code,
  },
  {
    claim: 'a text is split into the reference’s pieces',
    cases: ({ pipeline }) => pipeline.cases,
    outcome: ({ text }, { veils }) => veils['odd.tvt'].split(text).map(([kind, piece]) => [kind ?? 'layout', piece]),
    expected: ({ pieces }) => pieces.map(({ layout, kind, token }) => (layout === undefined ? [kind, token] : ['layout', layout])),
  },
  {
    claim: 'a requested ε becomes the reference’s η, and ε again',
    cases: ({ mechanism }) => mechanism.epsilon,
    outcome: ({ table, mechanism, epsilon }, { veils }) => pick(veils[table].guarantee({ mechanism, epsilon }), ['eta', 'epsilonWord']),
    expected: ({ eta, epsilon_word }) => ({ eta, epsilonWord: epsilon_word }),
  },
  {
    claim: 'a good table is read: identity and levels',
    cases: ({ table }) => table.good,
    outcome: ({ file }, { veils }) => ({
      id: veils[file].tableId(),
      levels: stored(veils[file]).map((level) => pick(level, ['mechanism', 'eta', 'retention', 'retentionByFrequency'])),
      certificates: veils[file].levels().flatMap(({ certificate }) => (certificate ? [certificate] : [])),
    }),
    // The identity is the checksum that the file itself carries.
    expected: ({ file, levels, certificates }, { tables, has }) => ({
      id: Array.from(tables[file].subarray(32, 64), (byte) => byte.toString(16).padStart(2, '0')).join(''),
      levels: (levels ?? []).filter(({ mechanism }) => has(mechanism)).map(({ mechanism, eta, retention_uniform, retention_by_frequency }) => ({
        mechanism,
        eta,
        retention: retention_uniform,
        retentionByFrequency: retention_by_frequency,
      })),
      certificates: (certificates?.levels ?? []).map((certificate) =>
        Object.fromEntries(Object.entries(certificate).map(([name, value]) => [camelCase(name), value])),
      ),
    }),
  },
  {
    claim: 'a bad table is refused',
    cases: ({ table }) => table.bad,
    outcome: ({ bytes }, { Veil }) => codeOf(() => new Veil(Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)))),
    expected: ({ error }) => error,
  },
  {
    claim: 'η and ε out of range are refused, those on the edge are not',
    cases: ({ errors }) => errors.privacy,
    // Strings, because JSON knows no NaN and no infinity.
    outcome: ({ table, eta, epsilon }, { veils }) =>
      codeOf(() => veils[table].guarantee({ mechanism: 'exponential', ...(eta === undefined ? { epsilon: Number(epsilon) } : { eta: Number(eta) }) })),
    expected: ({ error }) => error,
  },
  {
    claim: 'every mechanism for words draws the reference’s, one after the other from one keystream',
    cases: ({ mechanisms }) => mechanisms.cases,
    outcome: ({ table, seed, inputs, ...asked }, { veils }) => [...seeded(veils[table], seed).draw(Uint32Array.from(inputs), optionsOf(asked))],
    expected: ({ outputs }) => outputs,
  },
  {
    claim: 'every mechanism for words has the reference’s guarantee',
    cases: ({ mechanisms }) => mechanisms.cases,
    outcome: (one, { veils }) => guaranteed(veils[one.table].guarantee(optionsOf(one)), promised(one), one),
    expected: (one) => promised(one),
  },
  {
    claim: 'every representation is the reference’s, with its guarantee',
    method: 'representation',
    cases: ({ representations }) => [...representations.cases, ...representations.whole_texts],
    outcome(one, { veils }) {
      const veil = seeded(veils[one.table ?? ENGLISH], one.seed);
      const options = optionsOf(one);
      const { vectors, bits, bitLength, guarantee } = one.vectors
        ? veil.representationOf(one.vectors.map((vector) => Float64Array.from(vector)), options)
        : veil.representation(one.text, options);
      return {
        ...(bits && { bits: bits.map((row) => digits(row, bitLength)) }),
        // The length of a unit vector is calibrated; every other step is exact.
        ...(vectors && { vectors: vectors.map((row, place) => stepped(row, vectorsOf(one)[place] ?? [], one.mechanism)) }),
        guarantee: guaranteed(guarantee, promisedOf(one.guarantee), one),
        notion: guarantee.notion,
      };
    },
    expected: (one) => ({ ...(one.bits ? { bits: one.bits } : { vectors: vectorsOf(one) }), guarantee: promisedOf(one.guarantee), notion: 'known-seed' }),
  },
  {
    claim: 'every choice is reported as by the reference, with its guarantee and claim',
    method: 'choice',
    cases: ({ choices }) => choices.cases,
    outcome(one, { veils }) {
      const { bits, bitLength, guarantee } = seeded(veils[ENGLISH], one.seed).choice(one.value, one.size, optionsOf(one));
      return {
        bits: digits(bits, bitLength),
        guarantee: guaranteed(guarantee, promisedOf(one.guarantee), one),
        unit: guarantee.unit,
        notion: guarantee.notion,
        claim: guarantee.claim && pick(guarantee.claim, ['epsilon', 'delta', 'holds']),
      };
    },
    expected: ({ bits, guarantee, claim }) => ({ bits, guarantee: promisedOf(guarantee), unit: 'value', notion: 'known-seed', claim }),
  },
  {
    claim: 'a request for new words is told apart as by the reference',
    method: 'contributor',
    cases: ({ contributions }) => contributions.requests,
    outcome: ({ table, request }, { veils }) => veils[table].contributor(request, undefined, true).id(),
    expected: ({ id }) => id,
  },
  {
    claim: 'a device answers the reference’s integers, with its guarantee',
    method: 'contributor',
    cases: ({ contributions: { requests, cases } }) => cases.map((one) => ({ ...one, asked: requests.find(({ name }) => name === one.request) })),
    outcome({ asked, texts, epsilon, seed, rho }, { veils, tables }) {
      const contributor = veils['one.tvt'].contributor(asked.request, tables[asked.table], true);
      contributor.seeded(seed);
      const promised = contributor.guarantee(epsilon ?? undefined);
      const normal = texts.map((text) => text.normalize('NFKC'));
      const { vector, guarantee, ...others } = contributor.contribute(normal, epsilon ?? undefined);
      const isClose = Math.abs(guarantee.rho - rho) <= 1e-9 * rho;
      const again = codeOf(() => contributor.contribute(normal));
      return { ...others, vector: [...vector], rho: isClose ? rho : guarantee.rho, again, guarantee: { ...guarantee, rho: promised.rho - guarantee.rho, statement: guarantee.statement.includes('protects nobody') } };
    },
    expected({ asked: { id, bits, largest, request }, epsilon, rho, vector }) {
      const { noise, delta, ...terms } = JSON.parse(request);
      // A device draws noise from the known seed only where devices add it.
      const seeded = noise.by === 'devices' ? { knownSeed: true } : {};
      const neighbours = noise.by === 'devices' ? 'the same users with and without the texts of one of them' : 'the users with and without one of them';
      return { id, bits, largest, vector, rho, again: 'already-contributed', guarantee: { epsilon: epsilon ?? terms.epsilon, delta, rho: 0, noise, neighbours, ...seeded, statement: noise.by === 'sum' } };
    },
  },
  {
    claim: 'a request that breaks a rule, and a budget above the request’s, are refused as by the reference',
    method: 'contributor',
    cases: ({ contributions }) => contributions.refused,
    outcome: ({ table, request, epsilon, unit, times }, { veils }) =>
      codeOf(() => veils[table].contributor(request, undefined, true).contribute([unit.repeat(times)], epsilon === null ? undefined : Number(epsilon))),
    expected: ({ error }) => error,
  },
  {
    claim: 'a release of words is remembered by the reference’s key',
    cases: ({ keys }) => keys.words,
    outcome: (one, { veils }) => {
      const { text, field } = one;
      const shown = shownOf(one);
      return veils[one.table].key(text, field ?? undefined, { ...optionsOf(one), ...shown });
    },
    expected: ({ key }) => key,
  },
  {
    claim: 'a representation is remembered by the reference’s key',
    method: 'representationKey',
    cases: ({ keys }) => [...keys.texts, ...keys.vectors, ...keys.whole_texts],
    outcome: (one, { veils }) =>
      one.vectors
        ? veils[ENGLISH].representationOfKey(one.vectors.map((vector) => Float64Array.from(vector)), one.field ?? undefined, optionsOf(one))
        : veils[one.table ?? ENGLISH].representationKey(one.text, one.field ?? undefined, optionsOf(one)),
    expected: ({ key }) => key,
  },
  {
    claim: 'an answer is remembered by the reference’s key',
    method: 'choiceKey',
    cases: ({ keys }) => keys.choices,
    outcome: (one, { veils }) => veils[ENGLISH].choiceKey(one.question, one.value, one.size, optionsOf(one)),
    expected: ({ key }) => key,
  },
  {
    claim: 'what cannot be a choice is refused, what just can is not',
    method: 'choice',
    cases: ({ choices }) => choices.refused,
    outcome: (one, { veils }) => codeOf(() => veils[ENGLISH].choice(one.value, one.size, optionsOf(one))),
    expected: ({ error }) => error,
  },
  {
    claim: 'what a mechanism cannot do for words is refused, what it just can is not',
    cases: ({ refusals }) => refusals.words,
    outcome: (one, { veils }) => codeOf(() => veils[one.table].privatize('', optionsOf(one))),
    expected: ({ error }) => error,
  },
  {
    claim: 'what a mechanism cannot do for the representation of a text is refused, what it just can is not',
    method: 'representation',
    cases: ({ refusals }) => [...refusals.texts, ...refusals.whole_texts],
    outcome: (one, { veils }) => codeOf(() => veils[one.table ?? ENGLISH].representation(one.text, optionsOf(one))),
    expected: ({ error }) => error,
  },
  {
    claim: 'what a mechanism cannot do with vectors is refused, what it just can is not',
    method: 'representation',
    cases: ({ refusals }) => refusals.vectors,
    outcome: (one, { veils }) =>
      codeOf(() => veils[ENGLISH].representationOf(one.vectors.map((vector) => Float64Array.from(vector, Number)), optionsOf(one))),
    expected: ({ error }) => error,
  },
  {
    claim: 'a text of another language is refused unless any language is asked for',
    cases: ({ release_english }) => release_english.languages,
    outcome: ({ table, text }, { veils }) =>
      [false, true].map((anyLanguage) => codeOf(() => veils[table].privatize(text.normalize('NFKC'), { mechanism: 'exponential', eta: 2, anyLanguage }))),
    expected: ({ error }) => [error, null],
  },
  {
    claim: 'a text is refused one byte beyond the limit',
    cases: ({ errors }) => errors.texts,
    outcome: ({ unit, times }, { veils }) => codeOf(() => veils['odd.tvt'].privatize(unit.repeat(times), { mechanism: 'exponential', eta: 1 })),
    expected: ({ error }) => error,
  },
];

/** What a case leaves in clear and how it writes words, as options. */
const shownOf = ({ keep_function_words, placeholders, plain_layout, as_drawn }) => ({
  keepFunctionWords: keep_function_words,
  placeholders: placeholders ?? false,
  plainLayout: plain_layout,
  asDrawn: as_drawn,
});

/** The options of a case of `redaction.json`. Its places count code points. */
function redactionOf({ text, spans, keep_words, never_say, options }) {
  const characters = [...text];
  const place = (count) => characters.slice(0, count).join('').length + Math.max(0, count - characters.length);
  return {
    ...shownOf(options),
    anyLanguage: options.any_language,
    keepWords: keep_words,
    neverSay: never_say,
    spans: spans?.map(([start, end, kind]) => ({ start: place(start), end: place(end), kind })),
  };
}

const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** The levels of a table that were measured, not certified. */
const stored = (veil) => veil.levels().filter(({ mechanism, certificate }) => mechanism !== 'nearest' && !certificate);

/**
 * The options of a vector, by their names in JavaScript. Numbers may be strings, because JSON knows no NaN and no infinity.
 *
 * @param {Record<string, any>} one
 */
function optionsOf({ mechanism, options, unit, dropout, clip, encoder, dims }) {
  const number = ([name, value]) => [camelCase(name), ['calibration', 'preset'].includes(name) ? value : Number(value)];
  const { bernoulli, fixed, mask } = dropout ?? {};
  const rate = bernoulli ?? fixed;
  return {
    mechanism,
    ...Object.fromEntries(Object.entries(options).map(number)),
    ...(unit && { unit }),
    ...(clip !== undefined && { clip: Number(clip) }),
    ...(rate !== undefined && { dropout: Number(rate), dropoutSize: bernoulli === undefined ? 'fixed' : 'random' }),
    ...(mask && { mask }),
    // With another encoder's vectors the number of dimensions shows.
    ...(encoder && dims !== null && { dims }),
  };
}

/** What the reference promises of one word, by the names in JavaScript. */
const promised = ({ guarantees }) => promisedOf(guarantees.find(({ words }) => words === 1));

const promisedOf = ({ words, epsilon_word, delta_word, epsilon_text, delta_text }) => ({
  words,
  epsilonWord: epsilon_word,
  deltaWord: delta_word,
  epsilonText: epsilon_text,
  deltaText: delta_text,
});

const vectorsOf = ({ integers = [], scale }) => integers.map((row) => row.map((integer) => scale * integer));

/** The bits of a row, as the vectors write them. */
const digits = (bytes, length) => Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('').slice(0, length);

/** The relative error of a value that is found by a search. */
const CALIBRATED = 1e-5;

/** Returns the expected number if the number is within `margin` of it. */
const settled = (found, expected, margin) => (Math.abs(found - expected) <= margin ? expected : found);

/** A vector. The length of a unit vector is calibrated; every other step is exact. */
const stepped = (row, expected, mechanism) =>
  Array.from(row, (x, place) => settled(x, expected[place], mechanism === 'privunit2' ? CALIBRATED * Math.abs(x) : 0));

/**
 * Returns the expected numbers if a guarantee's numbers are within the vectors' accuracy, or if no number is expected
 * (`null`).
 */
function guaranteed(found, expected, { mechanism, options }) {
  const sampled = ['gaussian', 'truncated-laplace'].includes(mechanism) && options.calibration === 'published';
  const accuracy = sampled ? CALIBRATED : 2e-8;
  const number = ([name, value]) => {
    // The δ of a text grows with e^(ε of the text).
    const share = accuracy * (name === 'deltaText' ? 1 + found.epsilonText : 1);
    return [name, value === null ? null : settled(found[name], value, share * value + Number.EPSILON)];
  };
  return Object.fromEntries(Object.entries(expected).map(number));
}

/** The module, its next release drawn from the keystream of this seed. */
function seeded(veil, seed) {
  veil.seeded(seed);
  return veil;
}

/** The code of the error that `work` throws, or null. */
function codeOf(work) {
  try {
    work();
    return null;
  } catch (error) {
    return error.name === 'TextveilError' ? error.code : `${error.name}: ${error.message}`;
  }
}

const pick = (object, names) => Object.fromEntries(names.map((name) => [name, object[name]]));

const brief = (one) => JSON.stringify(one).slice(0, 300);

/** Where two values differ, as `{ at, found, expected }`. Numbers must be the same to the last bit. */
function differences(found, expected, at) {
  if (typeof found !== 'object' || typeof expected !== 'object' || found === null || expected === null) {
    return Object.is(found, expected) ? [] : [{ at, found, expected }];
  }
  const names = [...new Set([...Object.keys(found), ...Object.keys(expected)])];
  return names.flatMap((name) => differences(found[name], expected[name], `${at}/${name}`));
}
