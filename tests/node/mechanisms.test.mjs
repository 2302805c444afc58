// The vocabulary of mechanisms: each through `privatize` or `representation`, what it promises, and every refusal.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { alternatives, choice, contributor, deniability, encodeBy, guarantee, init, levels, mechanisms, privatize, representation, representationOf, TextveilError } from 'textveil/all';

const SENTENCE = 'My sister was diagnosed with diabetes in March.';
const WORDS = 8;
const fails = (code) => (error) => error instanceof TextveilError && error.code === code;

/** The options of each mechanism, and the kind of its output. */
const ASKED = {
  plateau: { level: 1, out: ['words'], notion: 'metric-dp' },
  nearest: { epsilon: 9, mass: 0.01, frequencyPower: 0.5, out: ['words'], notion: 'pure-dp' },
  certified: { level: 3, out: ['words'], notion: 'metric-dp' },
  exponential: { level: 3, out: ['words'], notion: 'metric-dp' },
  'truncated-exponential': { epsilon: 10, gamma: 0.5, out: ['words'], notion: 'metric-dp' },
  'class-exponential': { epsilon: 8, out: ['words'], notion: 'pure-dp' },
  'metric-laplace': { epsilon: 12, out: ['words', 'vectors'], notion: 'metric-dp' },
  vickrey: { epsilon: 40, t: 0.5, out: ['words'], notion: 'metric-dp' },
  mahalanobis: { epsilon: 60, lambda: 0.2, out: ['words', 'vectors'], notion: 'metric-dp' },
  'lattice-laplace': { epsilon: 40, out: ['words', 'vectors'], notion: 'metric-dp' },
  laplace: { epsilon: 40, clip: 1, out: ['words', 'vectors'], notion: 'pure-dp' },
  'truncated-laplace': { epsilon: 4, delta: 1e-5, out: ['words', 'vectors'], notion: 'approximate-dp' },
  gaussian: { epsilon: 8, delta: 1e-5, clip: 1, out: ['words', 'vectors'], notion: 'approximate-dp' },
  'discrete-gaussian': { epsilon: 8, delta: 1e-5, out: ['words', 'vectors'], notion: 'approximate-dp' },
  dpnr: { epsilon: 4, out: ['vectors'], notion: 'pure-dp' },
  privunit2: { epsilon: 10, out: ['vectors'], notion: 'approximate-dp' },
  sue: { epsilon: 50, integerBits: 2, fractionBits: 4, out: ['bits'], notion: 'pure-dp' },
  oue: { epsilon: 50, out: ['bits'], notion: 'pure-dp' },
  ome: { epsilon: 50, lambda: 100, out: ['bits'], notion: 'pure-dp' },
  'randomized-response': { epsilon: 50, tilt: 0.5, out: ['bits'], notion: 'pure-dp' },
};
const asked = (mechanism) => {
  const { out, notion, ...parameters } = ASKED[mechanism];
  return { mechanism, ...parameters };
};
const namesOf = (kind) => Object.keys(ASKED).filter((name) => ASKED[name].out.includes(kind));

before(() => init());

describe('the list of mechanisms', () => {
  test('holds every one, with the parameters that it takes', () => {
    assert.deepEqual(mechanisms().map(({ name }) => name).sort(), Object.keys(ASKED).sort());
    for (const { name, parameters } of mechanisms()) {
      const { mechanism, ...given } = asked(name);
      assert.deepEqual(Object.keys(given).filter((option) => !parameters.includes(option)), [], name);
    }
  });

  test('a parameter that a mechanism does not take is refused, whatever its value', () => {
    const all = [...new Set(mechanisms().flatMap(({ parameters }) => parameters))];
    assert.equal(all.length, 13);
    for (const { name, parameters } of mechanisms()) {
      for (const other of all.filter((parameter) => !parameters.includes(parameter))) {
        assert.throws(() => guarantee({ mechanism: name, [other]: 1 }), (/** @type {any} */ error) => /^invalid-/.test(error.code), `${name} ${other}`);
      }
    }
  });

  test('a published calibration is had where the list says so, and by name alone', () => {
    for (const { name, hasPublished } of mechanisms()) {
      const promised = (calibration) =>
        ASKED[name].out.includes('words')
          ? guarantee({ ...asked(name), calibration })
          : representation('word', { ...asked(name), calibration }).guarantee;
      assert.deepEqual([promised(undefined).calibration, promised('sound').claim], ['sound', null]);
      if (hasPublished) assert.equal(promised('published').calibration, 'published');
      else assert.throws(() => promised('published'), fails('invalid-calibration'));
    }
  });
});

describe('deniability', () => {
  test('says of each word what alternatives say, and of what stays in clear nothing', () => {
    const said = deniability('the doctor called +44 20 7946 0123', { keepFunctionWords: true, placeholders: true });
    assert.deepEqual(said.map(({ token }) => token), ['the', 'doctor', 'called', '+44 20 7946 0123']);
    assert.deepEqual(said.map(({ deniability }) => deniability === null), [true, false, false, true]);
    const { input, deniability: doctor } = said[1];
    const { distribution } = alternatives('doctor');
    const kept = distribution.find(({ word }) => word === input).probability;
    assert.ok(Math.abs(doctor.kept - kept) < 1e-12, `${doctor.kept} ${kept}`);
    assert.ok(doctor.support > 1 && doctor.perplexity > 1 && doctor.distinct > 1 && doctor.distance > 0 && !doctor.estimated);
    assert.throws(() => deniability('a word', { level: 99 }), fails('invalid-level'));
  });

  test('falls from level to level', () => {
    const kept = levels()
      .filter(({ mechanism }) => mechanism === 'certified')
      .map(({ index: level }) => deniability('doctor', { mechanism: 'certified', level })[0].deniability);
    assert.ok(kept.every((here, place) => place === 0 || (here.kept > kept[place - 1].kept && here.perplexity < kept[place - 1].perplexity)));
  });
});

describe('mechanisms for words', () => {
  for (const mechanism of namesOf('words')) {
    test(`${mechanism} rewrites a text under its notion`, () => {
      const { text, guarantee: promised, account } = privatize(SENTENCE, asked(mechanism));
      assert.equal(text.split(' ').length, WORDS);
      assert.equal(account.length, WORDS);
      assert.deepEqual([promised.mechanism, promised.notion, promised.unit, promised.words], [mechanism, ASKED[mechanism].notion, 'word', WORDS]);
      const { mechanism: named, epsilon, level, ...told } = asked(mechanism);
      assert.deepEqual(promised.parameters, told);
      assert.equal(promised.eta === null, promised.notion !== 'metric-dp');
      assert.equal(promised.metric === null, promised.eta === null);
      assert.equal(promised.deltaWord > 0, promised.notion === 'approximate-dp' || !promised.exactSampler);
      assert.equal(promised.exactSampler, promised.totalVariation === 0);
      assert.ok(promised.epsilonWord > 0 && promised.epsilonText >= WORDS * promised.epsilonWord * (1 - 1e-15));
      assert.ok(!('epsilon' in asked(mechanism)) || promised.epsilonWord <= asked(mechanism).epsilon);
      assert.ok(promised.statement.includes(mechanism));
      assert.equal(privatize(SENTENCE, asked(mechanism)).text, text);
    });

    test(`${mechanism} says what a word may become`, () => {
      const { distribution } = alternatives('doctor', asked(mechanism), 5);
      const { epsilonWord } = guarantee(asked(mechanism));
      assert.ok(distribution.length >= 1);
      for (const { factor } of distribution) assert.ok(factor >= 1 && factor <= Math.exp(epsilonWord) * (1 + 1e-9));
    });
  }

  test('a mechanism for representations alone puts out no words', () => {
    for (const mechanism of Object.keys(ASKED).filter((name) => !ASKED[name].out.includes('words'))) {
      assert.throws(() => privatize(SENTENCE, asked(mechanism)), fails('not-offered'));
    }
  });

  test('every parameter counts as terms of its own', () => {
    const text = `${SENTENCE} ${SENTENCE} ${SENTENCE}`;
    const base = { mechanism: 'vickrey', epsilon: 5, t: 0.5 };
    const first = privatize(text, base);
    assert.equal(privatize(text, { t: 0.5, eta: first.guarantee.eta, mechanism: 'vickrey', calibration: 'sound' }), first);
    assert.notEqual(privatize(text, { ...base, t: 0.25 }), first);
    assert.notEqual(privatize(text, { ...base, epsilon: 6 }), first);
  });
});

describe('representations of a text', () => {
  for (const mechanism of namesOf('vectors')) {
    test(`${mechanism} puts out a vector for the text or for each word`, () => {
      const { vectors: [whole, ...rest], guarantee: promised } = representation(SENTENCE, asked(mechanism));
      assert.deepEqual([whole.constructor, rest.length, promised.unit, promised.words], [Float64Array, 0, 'text', WORDS]);
      assert.ok(whole.every(Number.isFinite));
      const words = representation(SENTENCE, { ...asked(mechanism), unit: 'word' });
      assert.deepEqual([words.vectors.length, words.vectors[0].length, words.guarantee.unit], [WORDS, whole.length, 'word']);
      assert.deepEqual(words.guarantee.clear, ['word-count', 'language']);
    });
  }

  for (const mechanism of namesOf('bits')) {
    test(`${mechanism} puts out a bit string for the text or for each word`, () => {
      const { bits: [whole, ...rest], bitLength, guarantee: promised } = representation(SENTENCE, asked(mechanism));
      const [dims] = representation(SENTENCE, asked('dpnr')).vectors.map(({ length }) => length);
      const { integerBits = 4, fractionBits = 5 } = ASKED[mechanism];
      assert.equal(bitLength, dims * (1 + integerBits + fractionBits));
      assert.deepEqual([whole.constructor, whole.length, rest.length], [Uint8Array, Math.ceil(bitLength / 8), 0]);
      assert.ok(promised.epsilonText <= asked(mechanism).epsilon && promised.exactSampler);
      assert.equal(representation(SENTENCE, { ...asked(mechanism), unit: 'word' }).bits.length, WORDS);
    });
  }

  test('a mechanism for words alone puts out no vectors', () => {
    for (const mechanism of ['exponential', 'truncated-exponential', 'class-exponential', 'vickrey']) {
      assert.throws(() => representation(SENTENCE, asked(mechanism)), fails('not-offered'));
    }
  });

  test('without a mechanism it is privunit2, at a strength that must be told; one with levels stands on its default', () => {
    for (const unset of [undefined, {}, { mechanism: 'privunit2' }]) assert.throws(() => representation(SENTENCE, unset), fails('invalid-epsilon'));
    assert.throws(() => representation(SENTENCE, { eta: 20 }), fails('invalid-options'));
    const usual = representation(SENTENCE, { epsilon: 8 });
    assert.equal(usual.guarantee.mechanism, 'privunit2');
    assert.deepEqual(representation(SENTENCE, { mechanism: 'privunit2', epsilon: 8 }).vectors, usual.vectors);
    const { eta } = levels().find(({ mechanism, isDefault }) => mechanism === 'metric-laplace' && isDefault);
    const { guarantee: promised, vectors } = representation(SENTENCE, { mechanism: 'metric-laplace' });
    assert.deepEqual([promised.mechanism, promised.eta], ['metric-laplace', eta]);
    assert.deepEqual(representation(SENTENCE, { mechanism: 'metric-laplace', eta, unit: 'text' }).vectors, vectors);
  });

  test('it is drawn once, and what one caller does to it no other sees', () => {
    const options = { ...asked('gaussian'), dropout: 0.25 };
    const [first] = representation(SENTENCE, options).vectors;
    const drawn = first.slice();
    first.fill(0);
    assert.deepEqual(representation(SENTENCE, { ...options, dropoutSize: 'random' }).vectors[0], drawn);
    const whole = representation(SENTENCE, asked('gaussian'));
    assert.deepEqual(representation(SENTENCE, { ...asked('gaussian'), dropout: 0 }), whole);
    for (const other of [{ ...options, dropout: 0.5 }, { ...options, dropoutSize: 'fixed' }, { ...options, unit: 'word' }, asked('gaussian')]) {
      assert.notDeepEqual(representation(SENTENCE, other).vectors[0], drawn);
    }
    assert.notDeepEqual(representation(`${SENTENCE}!`, options).vectors[0], drawn);
  });

  test('each field has its own, and another control is refused', () => {
    const both = (control) => [representation(SENTENCE, { epsilon: 10 }, control), representationOf([[0.6, 0.8, 0]], { epsilon: 10 }, control)].map(({ vectors }) => vectors[0].join());
    const controls = [{}, { field: '' }, { field: 'comment' }, { field: 'reply' }];
    const drawn = controls.map(both);
    assert.deepEqual(controls.map(both), drawn);
    assert.deepEqual(both(), drawn[0]);
    assert.equal(new Set(drawn.flat()).size, 2 * controls.length);
    for (const control of [{ field: 5 }, { field: '\ud800' }, { name: 'a' }, null]) {
      assert.throws(() => representation(SENTENCE, { epsilon: 10 }, control), fails('invalid-options'));
      assert.throws(() => representationOf([[0.6, 0.8, 0]], { epsilon: 10 }, control), fails('invalid-options'));
    }
  });

  test('options that are one law are one release, however they are put', () => {
    const drawn = representation(SENTENCE, { epsilon: 10 }).vectors[0];
    const none = SENTENCE.split(' ').map(() => false);
    for (const same of [{ dropoutSize: 'fixed', dropout: 0 }, { dropout: 0 }, { dropout: -0 }, { mask: none }, { mechanism: 'privunit2', unit: 'text' }]) {
      assert.deepEqual(representation(SENTENCE, { epsilon: 10, ...same }).vectors[0], drawn, JSON.stringify(same));
    }
    assert.throws(() => representation(SENTENCE, { epsilon: 10, mask: [...none, false] }), { code: 'invalid-mask' });
  });

  test('it can be sent as it is, and cannot be altered', () => {
    const { vectors, ...rest } = representation(SENTENCE, asked('laplace'));
    assert.deepEqual(Object.keys(rest), ['guarantee']);
    assert.deepEqual(structuredClone(vectors), vectors);
    for (const part of [representation(SENTENCE, asked('dpnr')), vectors, rest.guarantee, rest.guarantee.clear]) assert.ok(Object.isFrozen(part));
  });

  test('dropout at random strengthens the promise, a mask does not and is public', () => {
    const options = asked('gaussian');
    const plain = representation(SENTENCE, options).guarantee;
    for (const dropoutSize of ['random', 'fixed']) {
      const dropped = representation(SENTENCE, { ...options, dropout: 0.5, dropoutSize }).guarantee;
      assert.ok(dropped.epsilonWord < plain.epsilonWord && dropped.deltaWord < plain.deltaWord, dropoutSize);
    }
    const mask = Array.from({ length: WORDS }, (_, word) => word % 2 === 0);
    const { clear, statement, ...numbers } = representation(SENTENCE, { ...options, mask }).guarantee;
    assert.deepEqual({ ...plain, ...numbers }, plain);
    assert.deepEqual(clear, ['word-count', 'mask', 'language']);
    assert.match(statement, /which of them were left out/);
  });

  test('a published calibration is marked, and what holds stands beside the claim', () => {
    for (const mechanism of ['dpnr', 'sue', 'oue', 'ome']) {
      const { calibration, claim, epsilonText, statement } = representation(SENTENCE, { ...asked(mechanism), calibration: 'published' }).guarantee;
      assert.deepEqual([calibration, claim.epsilon, claim.holds], ['published', asked(mechanism).epsilon, false]);
      assert.ok(epsilonText > claim.epsilon);
      assert.match(statement, /Its claim .* does not follow/);
    }
  });
});

describe('representations of a whole text', () => {
  const terms = { unit: 'whole-text', epsilon: 8 };

  test('before there is an encoder, and by a table that is none, nothing comes out', async () => {
    assert.throws(() => representation(SENTENCE, terms), fails('other-encoder'));
    await assert.rejects(encodeBy(new Uint8Array(100)), fails('bad-table'));
    await assert.rejects(encodeBy(new URL(import.meta.resolve('textveil/english.tvt'))), fails('other-encoder'));
    assert.throws(() => representation(SENTENCE, terms), fails('other-encoder'));
  });

  test('a text of any length is one vector under one guarantee, drawn once', async () => {
    await encodeBy(new URL(import.meta.resolve('textveil/english-text.tvt')));
    const texts = ['', SENTENCE, 'Приложение', `${SENTENCE} `.repeat(500)];
    const all = texts.map((text) => representation(text, terms));
    for (const { vectors, guarantee: promised } of all) {
      assert.deepEqual([vectors.length, vectors[0].length], [1, 16]);
      assert.deepEqual(promised, all[0].guarantee);
    }
    const { unit, words, clear, epsilonWord, epsilonText } = all[0].guarantee;
    assert.deepEqual([unit, words, clear], ['whole-text', 1, []]);
    assert.ok(epsilonText === epsilonWord && epsilonText <= 8);
    assert.deepEqual(representation(SENTENCE, { ...terms, dims: 16, mechanism: 'privunit2' }).vectors, all[1].vectors);
    assert.notDeepEqual(representation(SENTENCE, terms, { field: 'comment' }).vectors, all[1].vectors);
    assert.equal(representation(SENTENCE, { ...terms, dims: 3 }).vectors[0].length, 3);
  });

  test('what cannot be a vector of a whole text is refused', () => {
    for (const dims of [0, 130, 2.5, -1, NaN]) assert.throws(() => representation(SENTENCE, { ...terms, dims }), fails('dimension-mismatch'));
    for (const more of [{ dims: 2 }, { mechanism: 'dpnr' }, { dropout: 0.5 }, { mask: [] }]) {
      assert.throws(() => representation(SENTENCE, { ...terms, ...more }), fails('not-offered'));
    }
    assert.throws(() => representation(SENTENCE, { ...terms, anyLanguage: true }), fails('invalid-options'));
    assert.throws(() => representation(SENTENCE, { epsilon: 8, dims: 16 }), fails('invalid-options'));
  });
});

describe('representations of another encoder’s vectors', () => {
  const UNIT = [[0.6, 0.8, 0], [0, 0.6, -0.8]];

  for (const mechanism of [...namesOf('vectors'), ...namesOf('bits')].filter((name) => name !== 'mahalanobis')) {
    test(`${mechanism} takes them`, () => {
      const given = { ...asked(mechanism), clip: 1 };
      const { vectors, bits, guarantee: promised } = representationOf(UNIT, { ...given, unit: 'word' });
      assert.equal((vectors ?? bits).length, 2);
      assert.deepEqual([promised.table, promised.words], [null, 2]);
      assert.equal((representationOf(UNIT, given).vectors ?? representationOf(UNIT, given).bits).length, 1);
    });
  }

  test('the same values are drawn once, whatever holds them', () => {
    const options = { mechanism: 'laplace', epsilon: 5, clip: 1 };
    const drawn = representationOf(UNIT, options).vectors;
    assert.deepEqual(representationOf(UNIT.map((vector) => Float64Array.from(vector)), options).vectors, drawn);
    assert.deepEqual(representationOf([[0.6, 0.8, -0], [0, 0.6, -0.8]], options).vectors, drawn);
    assert.notDeepEqual(representationOf([[0.6, 0.8, 1e-9], [0, 0.6, -0.8]], options).vectors, drawn);
    assert.notDeepEqual(representationOf(UNIT, { ...options, clip: 2 }).vectors, drawn);
  });

  test('the usual mechanism needs no norm, and one that is told changes nothing', () => {
    const { guarantee: promised, vectors } = representationOf(UNIT, { epsilon: 10 });
    assert.equal(promised.mechanism, 'privunit2');
    for (const clip of [1, 2]) assert.deepEqual(representationOf(UNIT, { mechanism: 'privunit2', epsilon: 10, clip }).vectors, vectors);
    assert.throws(() => representationOf(UNIT, { clip: 1 }), fails('invalid-epsilon'));
    assert.throws(() => representationOf([[1, 1, 0]], { epsilon: 10 }), fails('not-normalized'));
  });

  test('what is far beyond the norm is clipped to it', () => {
    const { vectors: [near] } = representationOf([[0.6, 0.8]], { mechanism: 'lattice-laplace', eta: 1e6, clip: 1 });
    const { vectors: [far] } = representationOf([[6e9, 8e9]], { mechanism: 'lattice-laplace', eta: 1e6, clip: 1 });
    near.forEach((x, place) => assert.ok(Math.abs(x - far[place]) < 0.001, `${near} and ${far}`));
  });

  test('what is no list of vectors of numbers is refused', () => {
    const options = { mechanism: 'dpnr', epsilon: 4, clip: 1 };
    const mistakes = [
      ['invalid-options', [undefined, null, 'vectors', 3, { length: 1, 0: [1] }, new Float64Array(3), [1, 2], ['1'], [null]]],
      ['invalid-vector', [[], [[]], [[], [1]], [[NaN]], [[Infinity]], [['1']], [[1, null]], [[1n]], [new BigInt64Array(2)], [[1, , 2]]]],
      ['dimension-mismatch', [[[1], [1, 2]], [new Float64Array(4097)]]],
    ];
    for (const [code, wrong] of mistakes) {
      for (const vectors of wrong) assert.throws(() => representationOf(vectors, options), fails(code), `${code}: ${String(vectors)}`);
    }
    assert.throws(() => representationOf([[1, 1, 0]], { ...options, mechanism: 'privunit2' }), fails('not-normalized'));
  });
});

describe('choices out of a public list', () => {
  const sized = (question, size, index = 0) => choice(index, size, { question, epsilon: 1 });
  // Two draws of this length are equal by chance with a probability below 10^-1000.
  const SIZE = 10_000;

  test('a report has a bit for each value, and its promise is of a value', () => {
    for (const mechanism of ['sue', 'oue']) {
      const { bits, bitLength, guarantee: promised } = choice(2, 13, { question: 'shape', mechanism, epsilon: 2 });
      assert.deepEqual([bits.constructor, bits.length, bitLength], [Uint8Array, 2, 13]);
      assert.equal(bits[1] % 8, 0, 'the last byte is filled with zeros');
      const { notion, unit, words, clear, table, claim, exactSampler } = promised;
      assert.deepEqual({ notion, unit, words, clear, table, claim, exactSampler }, { notion: 'pure-dp', unit: 'value', words: 1, clear: [], table: null, claim: null, exactSampler: true });
      assert.ok(promised.epsilonText <= 2 && promised.epsilonText > 2 * (1 - 1e-8) && promised.epsilonWord === promised.epsilonText);
      assert.match(promised.statement, /any two values/);
    }
  });

  test('weak noise shows the value in its place', () => {
    // Each bit stays as it is with odds of e^35.
    for (const index of [0, 7, 8, 19]) {
      const { bits } = choice(index, 20, { question: 'place', mechanism: 'sue', epsilon: 70 });
      const ones = Array.from({ length: 24 }, (_, place) => place).filter((place) => (bits[place >> 3] >> (7 - (place % 8))) & 1);
      assert.deepEqual(ones, [index]);
    }
  });

  test('an answer is drawn once under the same terms, however they are put', () => {
    const { bits } = sized('colour', SIZE);
    const alike = [{ epsilon: 1 }, { epsilon: 1, mechanism: 'oue' }, { calibration: 'sound', epsilon: 1, mechanism: undefined }];
    for (const terms of alike) assert.deepEqual(choice(0, SIZE, { ...terms, question: 'colour' }).bits, bits);
    assert.deepEqual(choice(-0, SIZE, { question: 'colour', epsilon: 1 }).bits, bits);
  });

  test('another question, answer or term is drawn anew, and a changed answer that is changed back is not', () => {
    const { bits } = sized('again', SIZE);
    const others = [
      sized('Again', SIZE),
      sized('again', SIZE, 1),
      choice(0, SIZE, { question: 'again', epsilon: 1.5 }),
      choice(0, SIZE, { question: 'again', epsilon: 1, mechanism: 'sue' }),
      choice(0, SIZE, { question: 'again', epsilon: 1, calibration: 'published' }),
    ];
    for (const other of others) assert.notDeepEqual(other.bits, bits);
    assert.notDeepEqual(sized('again', SIZE + 8).bits.slice(0, bits.length), bits);
    assert.deepEqual(sized('again', SIZE).bits, bits);
  });

  test('what one caller does to a report no other sees', () => {
    const report = sized('kept', SIZE);
    const drawn = report.bits.slice();
    report.bits.fill(0);
    assert.deepEqual(sized('kept', SIZE).bits, drawn);
    assert.deepEqual(Object.keys(report), ['bits', 'bitLength', 'guarantee']);
    for (const part of [report, report.guarantee, report.guarantee.clear]) assert.ok(Object.isFrozen(part));
  });

  test('a published calibration is marked with its claim, which holds', () => {
    for (const [mechanism, share] of /** @type {[string, number][]} */ ([['sue', 1], ['oue', 0.5]])) {
      const { claim, epsilonText } = choice(0, 2, { question: 'paper', mechanism, epsilon: 4, calibration: 'published' }).guarantee;
      assert.deepEqual([claim.epsilon, claim.holds], [4, true]);
      assert.ok(Math.abs(epsilonText / (4 * share) - 1) < 1e-8, `${mechanism}: ${epsilonText}`);
    }
  });

  test('every mistake has its code', () => {
    const given = { question: 'mistaken', epsilon: 1 };
    const no = [-1, 0.5, NaN, Infinity, 2 ** 32, 2 ** 32 + 1, 2 ** 53];
    const mistakes = {
      'invalid-argument': [[5, 5], [0, 0], [0, 1], [0, 65_537], ...no.flatMap((number) => [[number, 5], [0, number]])].map(([index, size]) => () => choice(index, size, given)),
      'invalid-options': [
        ...[undefined, null, '1', 1n, true, [1], { valueOf: () => 1 }].flatMap((other) => [() => choice(other, 5, given), () => choice(1, other, given)]),
        ...[undefined, null, {}, 'mistaken', { ...given, question: undefined }, { ...given, question: 3 }].map((options) => () => choice(1, 5, options)),
        ...[{ integerBits: 4 }, { fractionBits: 5 }, { level: 1, epsilon: undefined }, { unit: 'word' }, { dropout: 0.5 }, { placeholders: true }].map((more) => () => choice(1, 5, { ...given, ...more })),
      ],
      'invalid-epsilon': [undefined, 0, -1, NaN, Infinity, 1e3].map((epsilon) => () => choice(1, 5, { ...given, epsilon })),
      'not-offered': [() => choice(1, 5, { ...given, mechanism: 'laplace' }), () => choice(1, 5, { ...given, mechanism: 'ome', lambda: 2 })],
    };
    for (const [code, calls] of Object.entries(mistakes)) {
      for (const call of calls) assert.throws(call, (/** @type {any} */ error) => fails(code)(error) && !error.message.includes('mistaken'), `${code}: ${call}`);
    }
  });

  test('a polluted Object.prototype has no effect', () => {
    const { bits, guarantee: promised } = sized('polluted', SIZE);
    const polluted = { question: 'theirs', mechanism: 'sue', epsilon: 60 };
    Object.assign(Object.prototype, polluted);
    try {
      assert.deepEqual(choice(0, SIZE, { question: 'polluted', epsilon: 1 }), { bits, bitLength: SIZE, guarantee: promised });
      assert.throws(() => choice(0, SIZE, { epsilon: 1 }), fails('invalid-options'));
      assert.throws(() => choice(0, SIZE, { question: 'polluted' }), fails('invalid-epsilon'));
    } finally {
      for (const name of Object.keys(polluted)) delete Object.prototype[name];
    }
  });
});

test('every parameter and option out of its range has its code', () => {
  const represented = (options) => () => representation(SENTENCE, options);
  const noisy = (options) => represented({ mechanism: 'metric-laplace', ...options });
  const mistakes = {
    'invalid-mechanism': [() => guarantee({ mechanism: 'wishful' }), represented({ mechanism: 'toString' })],
    'invalid-calibration': [() => guarantee({ calibration: 'published' }), () => guarantee({ ...asked('laplace'), calibration: 'lucky' })],
    'invalid-eta': [() => guarantee({ eta: -1 }), () => guarantee({ mechanism: 'vickrey', t: 0.5 }), () => representationOf([[1]], { mechanism: 'metric-laplace', clip: 1 })],
    'invalid-epsilon': [() => guarantee({ mechanism: 'laplace' }), represented({ mechanism: 'dpnr', epsilon: NaN })],
    'invalid-level': [() => guarantee({ level: -1 }), noisy({ level: 1e9 })],
    'invalid-delta': [() => guarantee({ mechanism: 'gaussian', epsilon: 1 }), () => guarantee({ mechanism: 'gaussian', epsilon: 1, delta: 1 })],
    'invalid-clip': [() => guarantee({ mechanism: 'laplace', epsilon: 1, clip: 0 }), () => representationOf([[1]], { mechanism: 'laplace', epsilon: 1 })],
    'invalid-lambda': [() => guarantee({ mechanism: 'mahalanobis', eta: 9, lambda: 2 }), represented({ mechanism: 'ome', epsilon: 9, lambda: 0.5 })],
    'invalid-gamma': [() => guarantee({ mechanism: 'truncated-exponential', eta: 9, gamma: -1 }), () => guarantee({ mechanism: 'truncated-exponential', eta: 9 })],
    'invalid-t': [() => guarantee({ mechanism: 'vickrey', eta: 9, t: 1.5 }), () => guarantee({ mechanism: 'vickrey', eta: 9 })],
    'invalid-integer-bits': [represented({ mechanism: 'sue', epsilon: 9, integerBits: 16 }), represented({ mechanism: 'sue', epsilon: 9, integerBits: 0.5 })],
    'invalid-fraction-bits': [represented({ mechanism: 'oue', epsilon: 9, fractionBits: -1 })],
    'invalid-tilt': [represented({ mechanism: 'randomized-response', epsilon: 9, tilt: -1 })],
    'invalid-mass': [0, 1, 1e-12, NaN].map((mass) => () => guarantee({ ...asked('nearest'), mass })),
    'invalid-frequency-power': [-0.1, 1.1, NaN].map((frequencyPower) => () => guarantee({ ...asked('nearest'), frequencyPower })),
    'invalid-dropout': [1, -0.5, NaN, Infinity].map((dropout) => represented({ ...asked('dpnr'), dropout })),
    'invalid-mask': [noisy({ mask: [true] }), noisy({ mask: [] })],
    'not-offered': [
      noisy({ dropout: 0.5 }),
      () => guarantee({ mechanism: 'sue', epsilon: 9 }),
      () => representationOf([[1]], { mechanism: 'class-exponential', epsilon: 9, clip: 1 }),
      () => representationOf([[1]], { mechanism: 'mahalanobis', eta: 9, lambda: 0.5, clip: 1 }),
      () => representationOf([[1]], { mechanism: 'privunit2', epsilon: 9, clip: 1 }),
    ],
    'text-too-long': [() => representation('a'.repeat(1_048_577), asked('dpnr'))],
    'other-language': [() => representation('Ich habe seit drei Tagen starke Kopfschmerzen.', asked('dpnr'))],
    'invalid-options': [
      () => guarantee({ delta: 0.5 }),
      () => guarantee({ dropout: 0.5 }),
      noisy({ keepFunctionWords: true }),
      noisy({ plainLayout: true }),
      noisy({ anyLanguage: 1 }),
      () => representationOf([[1, 0, 0]], { epsilon: 4, anyLanguage: true }),
      noisy({ unit: 'sentence' }),
      noisy({ unit: null }),
      noisy({ dropout: '0.5' }),
      noisy({ dropoutSize: 'fixed' }),
      represented({ ...asked('dpnr'), dropout: 0.5, dropoutSize: 'large' }),
      represented({ ...asked('dpnr'), dropout: 0.5, mask: Array(WORDS).fill(true) }),
      noisy({ mask: 'true' }),
      noisy({ mask: [1, 0] }),
      noisy({ mask: Array(WORDS) }),
      noisy({ integer_bits: 3 }),
      represented(Object.create({ eta: 1 })),
      represented(new Map()),
    ],
  };
  for (const [code, calls] of Object.entries(mistakes)) {
    for (const call of calls) assert.throws(call, fails(code), `${code}: ${call}`);
  }
});

describe('contributions to new words', () => {
  const TEXTS = ['The bloop is broken, and my zorp never came.', 'A zorp is a warm drink of milk and honey.'];
  const table = new URL(import.meta.resolve('textveil/english.tvt'));
  const request = async (changes) => {
    const id = (await readFile(table)).subarray(32, 64).toString('hex');
    const terms = { table: id, dims: 8, window: 5, mean: Array(8).fill(0), words: ['bloop', 'zorp'], wordsEach: 60 };
    return JSON.stringify({ ...terms, norm: 4096, noise: { by: 'sum' }, epsilon: 3, delta: 1e-6, ...changes });
  };

  test('a request is answered once, with its guarantee', async () => {
    await assert.rejects(contributor(await request()), fails('noise-elsewhere'));
    const asked = await contributor(await request(), { trustedSum: true });
    for (const texts of ['zorp', [1], [null]]) assert.throws(() => asked.contribute(/** @type {any} */ (texts)), fails('invalid-options'));
    for (const epsilon of [0, 3.1, NaN]) assert.throws(() => asked.contribute(TEXTS, { epsilon }), fails('invalid-epsilon'));
    const promised = asked.guarantee({ epsilon: 1 });
    const given = asked.contribute([...TEXTS, 'zorp milk '.repeat(2 ** 17), '\ufdfa'.repeat(2 ** 18)], { epsilon: 1 });
    assert.deepEqual([given.id, given.guarantee, given.bits, given.largest], [asked.id, promised, 14, 4096]);
    assert.match(given.guarantee.statement, /^\(1\.00, 1e-6\)-differential privacy .* protects nobody\.$/);
    assert.ok(given.vector instanceof Int32Array && given.vector.length === 16 && given.vector.some((x) => x !== 0));
    assert.throws(() => asked.contribute(TEXTS), fails('already-contributed'));
    const same = await contributor(` ${await request()}\n`, { table, trustedSum: true });
    assert.equal(same.id, asked.id);
    assert.deepEqual(same.contribute(TEXTS, { epsilon: 1 }).vector, given.vector);
  });

  test('with noise by the devices no bare contribution leaves', async () => {
    const noise = { by: 'devices', least: 4 };
    const asked = await Promise.all([0, 1].map(async () => contributor(await request({ noise }))));
    const [one, other] = asked.map((device) => device.contribute([]));
    assert.notDeepEqual(one.vector, other.vector);
    assert.deepEqual(one.guarantee.noise, noise);
    assert.doesNotMatch(one.guarantee.statement, /protects nobody/);
  });

  test('what is no request, or is about another table, is refused', async () => {
    for (const wrong of ['', 'null', '[]', await request({ words: ['zorp', 'bloop'] })]) await assert.rejects(contributor(wrong), fails('bad-request'));
    await assert.rejects(contributor(/** @type {any} */ ({})), fails('invalid-options'));
    await assert.rejects(contributor(await request(), { trustedSum: true, table: new URL(import.meta.resolve('textveil/english-text.tvt')) }), fails('other-table'));
    await assert.rejects(contributor(await request(), { table: new Uint8Array(9) }), fails('bad-table'));
    await assert.rejects(contributor(await request({ table: 'ab'.repeat(32) }), { trustedSum: true }), fails('other-table'));
    const weak = { noise: { by: 'devices', least: 4 }, epsilon: 11 };
    await assert.rejects(contributor(await request(weak)), fails('bad-request'));
    const many = { noise: { by: 'devices', least: 10_001 } };
    await assert.rejects(contributor(await request(many)), fails('noise-elsewhere'));
    await contributor(await request(many), { trustedSum: true });
  });
});
