// `textveil/statements`, from the packed package, with its encoder and its lists.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { Ledger } from 'textveil/ledger';
import { statements, TextveilError } from 'textveil/statements';

const SENTENCE = 'It keeps crashing as soon as I open it.';
const LISTS = ['film-and-book-reviews', 'health-check-in', 'product-feedback', 'shop-and-delivery', 'support-requests', 'workplace-survey'];
const at = (name) => new URL(import.meta.resolve(`textveil/lists/${name}.tvs`));
const fails = (code) => (error) => error instanceof TextveilError && error.code === code;

const feedback = statements(at('product-feedback'));

describe('before init', () => {
  test('every function says what to do', () => {
    for (const call of [() => feedback.privatize(SENTENCE), () => feedback.guarantee(), () => feedback.odds(), () => feedback.near(SENTENCE), () => feedback.list(), () => feedback.privatizeVectors([]), () => feedback.privatizeChosen(SENTENCE, [0]), () => feedback.suggest(SENTENCE)]) {
      assert.throws(call, fails('not-ready'));
    }
  });

  test('a failed init may be repeated, and says which rule the file breaks', async () => {
    const list = readFileSync(at('product-feedback'));
    await assert.rejects(statements(new URL('absent.tvs', import.meta.url)).init(), fails('load-failed'));
    await assert.rejects(feedback.init({ encoder: new URL('absent.tvt', import.meta.url) }), fails('load-failed'));
    await assert.rejects(feedback.init({ encoder: new Uint8Array(100) }), fails('bad-table'));
    await assert.rejects(statements(list.subarray(1)).init(), fails('bad-statements'));
    await assert.rejects(statements(/** @type {any} */ (42)).init(), fails('invalid-options'));
    // A table of words is no encoder; another encoder is not that of the list.
    await assert.rejects(feedback.init({ encoder: new URL(import.meta.resolve('textveil/english.tvt')) }), fails('other-encoder'));
    await assert.rejects(feedback.init({ encoder: new URL('../tables/encoder.tvt', import.meta.url) }), fails('other-encoder'));
    for (const wrong of [null, 1, { table: 1 }, new Map()]) await assert.rejects(feedback.init(/** @type {any} */ (wrong)), fails('invalid-options'));
  });
});

test('lists that are loaded at once, each from its own places, do not spoil each other', async () => {
  const wasm = readFileSync(new URL(import.meta.resolve('textveil/textveil_wasm.wasm')));
  const response = () => new Response(wasm, { headers: { 'Content-Type': 'application/wasm' } });
  const [bad, good, other] = LISTS.map((name) => statements(at(name)));
  const inits = [bad.init({ wasm: new Uint8Array([0]) }), good.init({ wasm: response() }), other.init()];
  const [first, ...others] = await Promise.allSettled(inits);
  assert.ok(first.status === 'rejected' && fails('load-failed')(first.reason));
  assert.deepEqual(others.map(({ status }) => status), ['fulfilled', 'fulfilled']);
  assert.equal(good.privatize('A good film.').statements.length, 1);
});

test('a list and its encoder may come from functions, which are asked at each try', async () => {
  const tries = { list: 0, encoder: 0 };
  /** Fails at the first try. */
  const later = (what, file) => () => (++tries[what] > 1 ? file : new URL('absent', import.meta.url));
  const encoder = later('encoder', new URL(import.meta.resolve('textveil/english-text.tvt')));
  const reviews = statements(later('list', at('film-and-book-reviews')));
  // The list says whether it needs an encoder.
  await assert.rejects(reviews.init({ encoder }), fails('load-failed'));
  await assert.rejects(reviews.init({ encoder }), fails('load-failed'));
  await reviews.init({ encoder });
  assert.deepEqual([tries, reviews.privatize('A good film.').statements.length], [{ list: 3, encoder: 2 }, 1]);
});

describe('after init', () => {
  before(() => feedback.init());

  test('init is one promise', () => {
    assert.equal(feedback.init(), feedback.init());
  });

  test('a release is a statement of the list, its guarantee and nothing else', () => {
    const release = feedback.privatize(SENTENCE);
    assert.deepEqual(Object.getOwnPropertyNames(release), ['text', 'guarantee', 'statements']);
    assert.equal(feedback.list()[release.statements[0].number], release.text);
    const { unit, words, epsilonWord, epsilonText, notion, mechanism, clear } = release.guarantee;
    assert.deepEqual([unit, words, epsilonWord, epsilonText, notion, mechanism], ['whole-text', 1, 8, 8, 'pure-dp', 'nearest']);
    assert.deepEqual(clear, ['language']);
    for (const part of [release, release.guarantee, release.statements, release.statements[0]]) assert.ok(Object.isFrozen(part));
  });

  test('a text is drawn once for a field, and anew on other terms', async () => {
    const asked = { epsilon: 1e-6 };
    const releases = Array.from({ length: 40 }, (_, n) => feedback.privatize(SENTENCE, asked, { field: `${n}` }));
    assert.ok(new Set(releases.map(({ text }) => text)).size > 10);
    assert.equal(feedback.privatize(SENTENCE, asked, { field: '7' }), releases[7]);
    assert.equal(await feedback.privatizeAsync(SENTENCE, asked, { field: '7' }), releases[7]);
    assert.notEqual(feedback.privatize(SENTENCE, { ...asked, near: 3 }, { field: '7' }), releases[7]);
    // NFKC makes these one text.
    assert.equal(feedback.privatize('ﬁne app', asked), feedback.privatize('fine app', asked));
  });

  test('at a large ε the nearest statement comes out, for a text of any length', () => {
    const certain = { epsilon: 20 };
    assert.equal(feedback.privatize(SENTENCE, certain).text, 'The app crashes when I open it.');
    assert.equal(feedback.privatize('The Battle of Hastings was fought in 1066.', certain).text, 'This is about something else.');
    assert.equal(feedback.privatize('', certain).text, 'This is about something else.');
    assert.equal(feedback.privatize(`${SENTENCE} `.repeat(500), certain).text, 'The app crashes when I open it.');
  });

  test('a text of another language is refused, also one that was drawn before, unless any is asked for', () => {
    const text = 'Der Kundendienst hat mir drei Tage lang nicht geantwortet.';
    const drawn = feedback.privatize(text, { anyLanguage: true });
    assert.ok(feedback.list().includes(drawn.text));
    for (const call of [() => feedback.privatize(text), () => feedback.near(text), () => feedback.privatize(text, { anyLanguage: false })]) {
      assert.throws(call, fails('other-language'));
    }
    assert.throws(() => feedback.privatize(SENTENCE, { anyLanguage: /** @type {any} */ (1) }), fails('invalid-options'));
    // A text that is accepted has the guarantee of what was asked, whatever was drawn for it before.
    const guarantees = [true, false, true].map((anyLanguage) => feedback.privatize(SENTENCE, { anyLanguage }).guarantee.clear);
    assert.deepEqual(guarantees, [[], ['language'], []]);
    const [strict, any] = [feedback.guarantee(), feedback.guarantee({ anyLanguage: true })];
    assert.deepEqual([strict.clear, any.clear], [['language'], []]);
    assert.deepEqual([strict.neighbours, any.neighbours], ['any two texts, if neither text is refused', 'any two texts']);
    assert.deepEqual(any, { ...strict, clear: [], neighbours: any.neighbours, statement: any.statement });
  });

  test('as many statements come out as were asked for, whatever the text', () => {
    for (const text of ['', 'Late.', 'It crashes. I love it! Too dear? Slow. Ugly.']) {
      const release = feedback.privatize(text, { perSentence: 3 });
      assert.deepEqual([release.statements.length, release.guarantee.words, release.guarantee.epsilonText], [3, 3, 24]);
      assert.equal(release.text, release.statements.map((stated) => stated.text).join(' '));
    }
  });

  test('the probabilities are stated, and add up', () => {
    const { near, inside, outside } = feedback.odds({ epsilon: 8 });
    const others = feedback.list().length - near;
    assert.ok(Math.abs(near * inside + others * outside - 1) < 1e-12);
    assert.ok(inside / outside <= Math.exp(8) && inside / outside > Math.exp(8) * (1 - 1e-5));
  });

  test('the near statements are named to the device, the nearest first', () => {
    const near = feedback.near(SENTENCE);
    assert.deepEqual(near, [{ number: feedback.list().indexOf('The app crashes when I open it.'), text: 'The app crashes when I open it.' }]);
    assert.ok(Object.isFrozen(near) && Object.isFrozen(near[0]));
    const more = feedback.near(SENTENCE, { epsilon: 4 });
    assert.deepEqual([more.length, more[0]], [feedback.odds({ epsilon: 4 }).near, near[0]]);
    assert.equal(feedback.near('', { near: 3 })[0].text, 'This is about something else.');
    assert.deepEqual(feedback.near(`I would like to visit Rome. ${SENTENCE}`, { perSentence: 2 }).at(-1), near[0]);
    assert.throws(() => feedback.near(/** @type {any} */ (7)), fails('invalid-options'));
    assert.throws(() => feedback.near('a'.repeat((1 << 20) + 1)), fails('text-too-long'));
  });

  test('statements are suggested for any text, the nearest first, and the one for what fits nothing last', () => {
    const suggested = feedback.suggest(SENTENCE);
    assert.deepEqual([suggested.length, suggested[0]], [6, feedback.near(SENTENCE)[0]]);
    assert.equal(suggested.at(-1)?.text, 'This is about something else.');
    assert.equal(new Set(suggested.map(({ number }) => number)).size, 6);
    assert.ok(Object.isFrozen(suggested) && suggested.every(({ number, text }) => feedback.list()[number] === text));
    assert.deepEqual(feedback.suggest(SENTENCE, 2), [...suggested.slice(0, 2), suggested[5]]);
    // A text that fits nothing still has nearest statements. An empty one has no direction.
    assert.deepEqual(['Der Hund bellt laut.', 'The Battle of Hastings was fought in 1066.', ''].map((text) => feedback.suggest(text).length), [6, 6, 1]);
    assert.equal(feedback.suggest(SENTENCE, 1000).length, feedback.list().length);
    for (const count of [0, 1001, 1.5, NaN, '3']) assert.throws(() => feedback.suggest(SENTENCE, /** @type {any} */ (count)), fails('invalid-options'));
    assert.throws(() => feedback.suggest(/** @type {any} */ (7)), fails('invalid-options'));
    assert.throws(() => feedback.suggest('a'.repeat((1 << 20) + 1)), fails('text-too-long'));
  });

  test('what the person chose comes out with the stated probability, and a guarantee that names no language', () => {
    const asked = { epsilon: 4, near: 1 };
    const times = 2000;
    const chosen = Array.from({ length: times }, (_, n) => feedback.privatizeChosen(SENTENCE, [7], asked, { field: `${n}` }).statements[0].number);
    const { inside } = feedback.odds(asked);
    const expected = inside * times;
    assert.ok(Math.abs(chosen.filter((number) => number === 7).length - expected) < 6 * Math.sqrt(expected * (1 - inside)));
    assert.ok(new Set(chosen).size > 20);
    assert.deepEqual(feedback.privatizeChosen(SENTENCE, [7], { epsilon: 20 }).text, feedback.list()[7]);
    assert.deepEqual(feedback.privatizeChosen('Der Hund bellt laut.', [7], asked).guarantee, feedback.guarantee({ ...asked, anyLanguage: true }));
    assert.deepEqual(feedback.privatizeChosen(SENTENCE, [], asked).guarantee, feedback.guarantee({ ...asked, anyLanguage: true }));
    assert.equal(feedback.privatizeChosen(SENTENCE, [3, 5], { perSentence: 3 }).statements.length, 3);
  });

  test('a text with its choice is drawn once for a field; another choice and an edited text are drawn anew', () => {
    const drawn = (text, chosen, field = 'a') => feedback.privatizeChosen(text, chosen, { epsilon: 1e-6 }, { field });
    const release = drawn('ﬁne app', [3]);
    assert.equal(drawn('fine app', [3]), release);
    for (const other of [drawn('fine app', [4]), drawn('fine apps', [3]), drawn('fine app', [3], 'b'), drawn('fine app', [])]) assert.notEqual(other, release);
  });

  test('a choice that the list does not have is refused', () => {
    for (const chosen of [[feedback.list().length], [-1], [1.5], [NaN], ['1'], [null], [1, 2], [2 ** 32]]) {
      assert.throws(() => feedback.privatizeChosen(SENTENCE, /** @type {any} */ (chosen)), fails('invalid-argument'), `${chosen}`);
    }
    for (const chosen of [3, null, 'text', { 0: 1 }]) assert.throws(() => feedback.privatizeChosen(SENTENCE, /** @type {any} */ (chosen)), fails('invalid-options'));
    assert.throws(() => feedback.privatizeChosen(/** @type {any} */ (7), [1]), fails('invalid-options'));
    // 1.2 MB in UTF-8, as without a choice.
    for (const call of [(text) => feedback.privatize(text), (text) => feedback.privatizeChosen(text, [1])]) assert.throws(() => call('é'.repeat(600_000)), fails('text-too-long'));
    assert.throws(() => feedback.privatizeChosen(SENTENCE, [1], { epsilon: 0 }), fails('invalid-epsilon'));
  });

  test('options that are not known, or out of range, are refused', () => {
    /** @type {[any, string][]} */
    const wrong = [
      [{ level: 3 }, 'invalid-options'],
      [{ mechanism: 'nearest' }, 'invalid-options'],
      [{ epsilon: '8' }, 'invalid-options'],
      [new Map([['epsilon', 1]]), 'invalid-options'],
      [{ epsilon: 0 }, 'invalid-epsilon'],
      [{ epsilon: 21 }, 'invalid-epsilon'],
      [{ epsilon: NaN }, 'invalid-epsilon'],
      [{ near: 0 }, 'invalid-mass'],
      [{ near: 1.5 }, 'invalid-mass'],
      [{ near: 1e9 }, 'invalid-mass'],
      [{ perSentence: 0 }, 'invalid-argument'],
      [{ perSentence: 33 }, 'invalid-argument'],
      [{ perSentence: 1.5 }, 'invalid-argument'],
    ];
    for (const [options, code] of wrong) {
      assert.throws(() => feedback.privatize(SENTENCE, options), fails(code), JSON.stringify(options));
      assert.throws(() => feedback.guarantee(options), fails(code), JSON.stringify(options));
      assert.throws(() => feedback.near(SENTENCE, options), fails(code), JSON.stringify(options));
    }
    assert.throws(() => feedback.privatize(/** @type {any} */ (7)), fails('invalid-options'));
    assert.throws(() => feedback.privatize('a'.repeat((1 << 20) + 1)), fails('text-too-long'));
    assert.throws(() => feedback.privatize('a', {}, { field: '\ud800' }), fails('invalid-options'));
    assert.throws(() => feedback.privatize('a', {}, /** @type {any} */ ({ field: 1 })), fails('invalid-options'));
  });

  test('a signal that is aborted ends it', async () => {
    const signal = AbortSignal.abort(new Error('gone'));
    await assert.rejects(feedback.privatizeAsync('never drawn', {}, { signal }), /gone/);
    await assert.rejects(feedback.privatizeAsync('a', {}, { signal: /** @type {any} */ ({}) }), fails('invalid-options'));
  });

  test('a ledger of the main entry counts it', async () => {
    const ledger = await Ledger.open({ feedback: { epsilon: 20 } });
    await ledger.spend('feedback', feedback.privatize('one').guarantee);
    await ledger.spend('feedback', feedback.privatize('two').guarantee);
    await assert.rejects(ledger.spend('feedback', feedback.privatize('three').guarantee), fails('budget-exhausted'));
  });

  test('vectors of an own encoder are taken, once for each field, and checked', () => {
    const dims = 129;
    const vector = Float32Array.from({ length: dims }, (_, n) => Math.cos(n));
    const release = feedback.privatizeVectors([vector], { epsilon: 1e-6 });
    assert.equal(feedback.privatizeVectors([[...vector]], { epsilon: 1e-6 }), release);
    assert.equal(feedback.privatizeVectors([], { perSentence: 2 }).statements.length, 2);
    /** @type {[any, string][]} */
    const wrong = [
      [[vector, vector], 'invalid-argument'],
      [[new Float64Array(2 * dims)], 'dimension-mismatch'],
      [[[1]], 'dimension-mismatch'],
      [[vector.fill(NaN)], 'invalid-vector'],
      [[new Array(dims).fill('1')], 'invalid-vector'],
      [[vector, [1]], 'invalid-options'],
      ['text', 'invalid-options'],
      [[7], 'invalid-options'],
    ];
    for (const [vectors, code] of wrong) assert.throws(() => feedback.privatizeVectors(vectors), fails(code), code);
  });
});

test('every list of the package is made with its encoder, and without one takes vectors alone', async () => {
  for (const name of LISTS) {
    const list = statements(readFileSync(at(name)));
    await list.init();
    assert.ok(list.list().length >= 60, name);
    assert.equal(list.list().at(-1), 'This is about something else.');
  }
  const bare = statements(at(LISTS[0]));
  await bare.init({ encoder: null });
  assert.throws(() => bare.privatize('text'), fails('other-encoder'));
  assert.throws(() => bare.near('text'), fails('other-encoder'));
  assert.throws(() => bare.suggest('text'), fails('other-encoder'));
  assert.equal(bare.privatizeChosen('', [2], { epsilon: 20 }).text, bare.list()[2]);
  assert.equal(bare.privatizeVectors([new Array(129).fill(1)]).statements.length, 1);
});

test('it needs no table of words', () => {
  const program = `
    import { statements } from ${JSON.stringify(import.meta.resolve('textveil/statements'))};
    import { privatize } from ${JSON.stringify(import.meta.resolve('textveil'))};
    const list = statements(new URL(${JSON.stringify(`${at(LISTS[0])}`)}));
    await list.init();
    let refused;
    try { privatize('word'); } catch (error) { refused = error.code; }
    console.log(JSON.stringify([list.privatize('A dull film.').guarantee.unit, refused]));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  assert.deepEqual(JSON.parse(printed), ['whole-text', 'not-ready']);
});
