// A prompt for a language model: which capitals mark a name. The rest of it is tested in a browser, in `../browser/prompt.test.mjs`.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { init } from 'textveil';
import { preparePrompt } from 'textveil/prompt';

/** What stands before a word, and whether a sentence begins with that word. */
const LAYOUT = [
  [' ', false],
  [', ', false],
  [' (', false],
  [' "', false],
  [': ', false],
  ['.(', false],
  ['. - ', false],
  ['\n- ', false],
  ['. ', true],
  ['! ', true],
  ['?! ', true],
  ['.\t', true],
  ['. "', true],
  ['." ', true],
  ['.) (', true],
  ['\n', true],
  [',\n', true],
  ['\n\n  (\'', true],
];

before(() => init());

test('options that are no plain object are refused, as `privatize` refuses them', () => {
  for (const options of [new Map([['level', 0]]), Object.create({ level: 0 }), null, 'level', [0]]) {
    assert.throws(() => preparePrompt('we saw a dog', options), { code: 'invalid-options' });
  }
  assert.equal(preparePrompt('we saw a dog', { level: 0 }).guarantee.words, 4);
  assert.equal(preparePrompt('we saw a dog').guarantee.words, 4);
});

describe('a capital', () => {
  // So much that every word comes out as itself.
  const asked = { mechanism: 'exponential', eta: 2000 };

  for (const [layout, begins] of LAYOUT) {
    test(`behind ${JSON.stringify(layout)} ${begins ? 'begins a sentence' : 'marks a name'}`, () => {
      const { text, restore } = preparePrompt(`we saw${layout}Dog`, asked);
      assert.equal(text, `We saw${layout}${begins ? 'Dog' : 'dog'}`);
      assert.equal(restore('the dog'), begins ? 'the dog' : 'the Dog');
    });
  }

  test('of the first word begins a sentence, and marks a name if it does so elsewhere', () => {
    assert.equal(preparePrompt('Dog saw us', asked).restore('the dog'), 'the dog');
    assert.equal(preparePrompt('"Dog saw us', asked).restore('the dog'), 'the dog');
    assert.equal(preparePrompt('Dog saw us. We saw Dog.', asked).restore('the dog'), 'the Dog');
  });
});

/**
 * A text, what a detector finds in it, and what is put back.
 *
 * @type {[string, string[], string[]][]}
 */
const SPANS = [
  ['Please mail anna@example.org, she said', ['anna'], ['anna@example.org']],
  ['see https://ex.org/u/anna?x=1 [now]', ['anna'], ['https://ex.org/u/anna?x=1']],
  ['He met O’Brien at “home”', ['Brien'], ["O'Brien"]],
  ['Dr.Anna and e.g.Bob', ['Anna', 'Bob'], ['Dr.Anna', 'e.g.Bob']],
  ['Then AnnaXBob came', ['Anna', 'Bob'], ['Anna', 'XBob']],
  ['She lives in Fooville.\r\nYes', ['Foo'], ['Fooville']],
  ["Anna's friend (Anna Smith) and Anna-Lena", ["Anna", 'Anna Smith', 'Lena'], ['Anna', 'Anna Smith', 'Lena']],
  ['  \n Anna', ['Anna'], ['Anna']],
];

describe('the rest of a word or an address comes back with a span', () => {
  for (const [text, found, originals] of SPANS) {
    test(JSON.stringify(text), () => {
      const spans = [];
      let at = 0;
      for (const one of found) {
        const start = text.indexOf(one, at);
        at = start + one.length;
        spans.push({ start, end: at, kind: 'name' });
      }
      const { restore } = preparePrompt(text, { spans });
      assert.equal(restore(found.map((_, number) => `<[name-${number + 1}]>`).join()), originals.map((original) => `<${original}>`).join());
    });
  }

  test('with another layout the spans alone come back', () => {
    const { restore } = preparePrompt('mail (anna@example.org) today', { spans: [{ start: 6, end: 10, kind: 'name' }], plainLayout: true });
    assert.equal(restore('[name-1]'), 'anna');
  });
});

test('a sign is no name: it is not put back for a common word', () => {
  // A level at which signs come out as words.
  for (let tries = 0; tries < 20; tries++) {
    const { text, restore } = preparePrompt(`we [draft${tries}] it`, { level: 0 });
    assert.doesNotMatch(restore(text), /[[\]]/);
  }
});
