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
