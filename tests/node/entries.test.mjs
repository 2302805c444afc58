// The two entries next to each other.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as main from 'textveil';
import * as all from 'textveil/all';

before(() => Promise.all([main.init(), all.init()]));

const names = (entry) => entry.mechanisms().map(({ name }) => name);

describe('the main entry', () => {
  test('has the functions for words, and its mechanisms are among all', () => {
    const more = Object.keys(all).filter((name) => !(name in main));
    assert.deepEqual(more.sort(), ['choice', 'contributor', 'deniability', 'encodeBy', 'guesses', 'representation', 'representationOf', 'vectors', 'words']);
    assert.deepEqual(Object.keys(main).filter((name) => !(name in all)), []);
    assert.deepEqual(names(main), ['exponential', 'certified', 'plateau', 'nearest']);
    assert.ok(names(main).every((name) => names(all).includes(name)));
  });

  test('says of every other mechanism, whatever it is told, where it is', () => {
    for (const { name, parameters } of all.mechanisms().filter(({ name }) => !names(main).includes(name))) {
      const told = Object.fromEntries(parameters.filter((parameter) => !['eta', 'level'].includes(parameter)).map((parameter) => [parameter, 1]));
      for (const call of [() => main.guarantee({ mechanism: name, ...told }), () => main.privatize('a word', { mechanism: name })]) {
        assert.throws(call, (/** @type {any} */ error) => error instanceof main.TextveilError && error.code === 'invalid-mechanism' && error.message.includes('textveil/all'));
      }
    }
  });

  test('promises what all promises, to the letter', () => {
    for (const mechanism of names(main)) {
      const asked = { mechanism };
      for (const options of [asked, { ...asked, keepFunctionWords: true, placeholders: false }]) {
        assert.deepEqual(main.guarantee(options), all.guarantee(options));
      }
      const text = `Ten words of a text for ${mechanism}: is that enough?`;
      assert.deepEqual(main.privatize(text, asked).guarantee, all.privatize(`${text} `, asked).guarantee);
    }
  });

  test('has the levels of its mechanisms, as they are in all', () => {
    assert.ok(main.levels().length > 0);
    assert.deepEqual(main.levels(), all.levels().filter(({ mechanism }) => names(main).includes(mechanism)));
  });
});

test('a text is drawn once, through whichever entry', () => {
  const text = 'My sister was diagnosed with diabetes in March.';
  assert.equal(all.privatize(text), main.privatize(text));
  assert.equal(main.privatize(`${text} `, { level: 2 }), all.privatize(`${text} `, { level: 2 }));
});
