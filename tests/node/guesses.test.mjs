// What a reader makes of a word of a release, and the vectors that decide which words are near.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { alternatives, guesses, init, levels, TextveilError, vectors } from 'textveil/all';

const fails = (code) => (error) => error instanceof TextveilError && error.code === code;

before(() => init());

describe('guesses', () => {
  test('are shares of at most one together, likeliest first, with the word itself among them at a high level', () => {
    const level = levels().filter(({ mechanism }) => mechanism === 'certified').length - 1;
    const { guess, candidates } = guesses('sister', { mechanism: 'certified', level }, 1000);
    assert.equal(candidates, 200);
    assert.ok(guess.length <= 200 && guess[0].word === 'sister');
    assert.ok(guess.every(({ probability }, i) => probability > 0 && (i === 0 || probability <= guess[i - 1].probability)));
    const total = guess.reduce((sum, { probability }) => sum + probability, 0);
    assert.ok(total > 0.5 && total < 1, `${total}: words farther away have the rest`);
  });

  test('tell how sure a reader can be of the word itself: never less than is true, and hardly more', () => {
    // `tests/reference/certify.py core/data/english.tvt --mechanism nearest --level N --odds …`, over all words of the table.
    const exact = { 4: { cancer: 0.1381, sister: 0.0555 }, 5: { cancer: 0.1286, sister: 0.0857 }, 7: { cancer: 0.5019, sister: 0.2398 } };
    for (const [level, words] of Object.entries(exact)) {
      for (const [word, share] of Object.entries(words)) {
        const { written, guess } = guesses(word, { level: Number(level) }, 1);
        assert.ok(written > share - 5e-5 && written < 1.02 * share, `${word} at ${level}: ${written} for ${share}`);
        assert.ok(guess[0].word === word ? guess[0].probability === written : guess[0].probability >= written);
      }
    }
  });

  test('follow from what words turn into and how frequent they are, by Bayes', () => {
    const { guess } = guesses('Nurse', { level: 2 }, 2);
    assert.equal(guess.length, 2);
    const chance = (word) => alternatives(word, { level: 2 }, 1000).distribution.find((output) => output.word === 'nurse')?.probability;
    const [first, second] = guess.map(({ word }) => chance(word));
    assert.ok(first > 0 && second > 0);
    // Frequencies are powers of ten with a step of 1/20.
    const exponent = 20 * Math.log10((guess[0].probability / first) / (guess[1].probability / second));
    assert.ok(Math.abs(exponent - Math.round(exponent)) < 1e-6, `${exponent}`);
  });

  test('are refused where no probabilities are known, and for what cannot have come out', () => {
    assert.throws(() => guesses('doctor', { mechanism: 'metric-laplace' }), fails('not-offered'));
    for (const word of ['xqzzyv', '', 'two words']) assert.throws(() => guesses(word), fails('invalid-argument'));
    for (const k of [0, 1001, 1.5, '1']) assert.throws(() => guesses('doctor', {}, k), fails('invalid-options'));
    assert.throws(() => guesses(5), fails('invalid-options'));
  });
});

describe('vectors', () => {
  test('have the distances that alternatives have', () => {
    const { distribution } = alternatives('doctor', {}, 20);
    const [doctor, ...others] = vectors(['doctor', ...distribution.map(({ word }) => word)]);
    for (const [i, other] of others.entries()) {
      const distance = Math.hypot(...doctor.map((x, j) => x - other[j]));
      assert.ok(Math.abs(distance - distribution[i].distance) < 1e-9);
    }
    assert.deepEqual(vectors(['Doctor']), [doctor]);
    assert.deepEqual(vectors([]), []);
  });

  test('are copies, and asked for by a list of words', () => {
    const [mine] = vectors(['doctor']);
    mine.fill(0);
    assert.notDeepEqual(vectors(['doctor'])[0], mine);
    for (const words of [undefined, 'doctor', [5], [undefined], new Array(2)]) assert.throws(() => vectors(words), fails('invalid-options'));
  });
});
