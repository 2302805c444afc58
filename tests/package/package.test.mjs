/** What builds the npm package (`xtask/package`). */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { crateOf } from '../../xtask/package/bill.mjs';
import { digests } from '../../xtask/package/digests.mjs';
import { stripped } from '../../xtask/package/scripts.mjs';

function folder(t) {
  const made = mkdtempSync(join(tmpdir(), 'textveil-package-'));
  t.after(() => rmSync(made, { recursive: true }));
  return made;
}

test('a text that looks like a comment stays, and comments go', async (t) => {
  const template = '`\n// not a comment\n/* nor this */\n`';
  const made = folder(t);
  const script = join(made, 'a.js');
  writeFileSync(script, `/** What\n * it does. */\n// why\nexport const text = ${template}; // end\n`);
  await stripped(made);
  const text = readFileSync(script, 'utf8');
  assert(text.includes(template), text);
  assert(!/What|why|end/.test(text), text);
});

test('digests are those that other programs compute', (t) => {
  const made = folder(t);
  mkdirSync(join(made, 'all'));
  for (const name of ['all/a.js', 'b.d.ts']) writeFileSync(join(made, name), 'abc');
  const { all, integrity } = digests(made);
  // FIPS 180's example.
  const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  const sha384 = 'sha384-ywB1P0WjXou1oD1pmsZQBycsMqsO3tFjGotgWkP/W+2AhgcroefMI1i67KE0yCWn';
  assert.deepEqual(all, { 'all/a.js': sha256, 'b.d.ts': sha256 });
  assert.deepEqual(integrity, { 'all/a.js': sha384 });
});

test('a crate has the checksum of its version unless it is in the checkout, and a licence in any case', () => {
  const entry = (version, rest) => `[[package]]\nname = "a"\nversion = "${version}"\n${rest}\n`;
  const lock = entry('1.0.0', 'checksum = "01"\n') + entry('2.0.0', '');
  const fetched = crateOf('a v1.0.0;MIT', lock);
  assert.deepEqual([fetched['bom-ref'], fetched.hashes[0].content], ['pkg:cargo/a@1.0.0', '01']);
  const own = crateOf('textveil v0.1.0 (/a;b/core);MIT/Apache-2.0', lock);
  assert.deepEqual(own.licenses, [{ expression: 'MIT OR Apache-2.0' }]);
  assert(!('hashes' in own) && !('purl' in own));
  for (const refused of ['a v2.0.0;MIT', 'a v1.0.0;', 'a;MIT']) assert.throws(() => crateOf(refused, lock), refused);
});
