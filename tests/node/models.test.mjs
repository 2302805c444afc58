// Models that `textveil-collector train export` wrote name on the device what `train predict --clear` names of the same texts.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import * as textveil from 'textveil/all';
import * as logistic from '../models/logistic.js';
import * as perceptron from '../models/perceptron.js';

const lines = (name) => readFileSync(new URL(`../models/${name}`, import.meta.url), 'utf8').split('\n').slice(0, -1);
const texts = lines('texts.txt');

describe('words', () => {
  test('need the module', () => {
    assert.throws(() => textveil.words('a film'), (/** @type {any} */ error) => error instanceof textveil.TextveilError && error.code === 'not-ready');
  });
});

describe('models', () => {
  before(() => textveil.init());

  test('read the words of the table, and null for what it does not know', () => {
    assert.deepEqual(textveil.words('The FILMM, zzqxvk a@example.org!'), ['the', 'film', null, null]);
    assert.deepEqual(textveil.words(' … '), []);
    assert.ok(Object.isFrozen(textveil.words('a film')));
    assert.throws(() => textveil.words(/** @type {any} */ (7)), (error) => error instanceof textveil.TextveilError);
  });

  for (const [name, model] of Object.entries({ logistic, perceptron })) {
    test(`of the kind ${name} name what the collector names`, () => {
      const named = lines(`${name}.jsonl`).map((line) => JSON.parse(line));
      assert.equal(named.length, texts.length);
      for (const [number, text] of texts.entries()) {
        const { class: ours, probabilities } = model.classify(text, textveil);
        assert.equal(ours, named[number].class, text);
        for (const [place, label] of model.classes.entries()) {
          assert.ok(Math.abs(probabilities[place] - named[number].probabilities[label]) < 1e-5, text);
        }
      }
      assert.equal(new Set(named.map((line) => line.class)).size, 2);
    });
  }

  test('refuse another table than theirs', () => {
    const other = { ...textveil, guarantee: () => ({ table: '00' }) };
    assert.throws(() => logistic.classify('a film', other), (/** @type {any} */ error) => error.code === 'other-table');
  });
});
