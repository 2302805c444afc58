// The short form of a guarantee is the reference's, and a form sends it.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { guarantee, init, privatize, representation } from 'textveil/all';
import { short } from 'textveil/short';

const { cases } = JSON.parse(readFileSync(new URL('../vectors/short.json', import.meta.url), 'utf8'));

before(() => init());

test('each short form is the reference’s', () => {
  assert.ok(cases.length > 0);
  for (const { guarantee, canonical, short: expected } of cases) {
    assert.deepEqual(short(guarantee), expected);
    assert.equal(expected.digest, createHash('sha256').update(canonical).digest('hex'));
  }
});

test('it is less than half as long, and does not hang on the order of the fields', () => {
  for (const long of [privatize('A kind doctor, in March.').guarantee, guarantee({ mechanism: 'certified' }), representation('two words', { mechanism: 'dpnr', epsilon: 8 }).guarantee]) {
    const reversed = Object.fromEntries(Object.entries(long).toReversed());
    assert.deepEqual(short(/** @type {any} */ (reversed)), short(long));
    assert.ok(JSON.stringify(short(long)).length < 0.6 * JSON.stringify(long).length);
    assert.ok(!('statement' in short(long)));
  }
});

test('the digest is SHA-256, whatever the length', () => {
  for (let length = 0; length < 140; length += 1) {
    const statement = 'é'.repeat(length);
    assert.equal(short(/** @type {any} */ ({ statement })).digest, createHash('sha256').update(JSON.stringify({ statement })).digest('hex'));
  }
});
