// Which module `init` takes: the one with 128-bit vectors where the engine has them, else the one without.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { MODULES, WITHOUT_SIMD } from './vectors.mjs';

const [SIMD, BASELINE] = MODULES;

/** The modules of an entry that a program has compiled which makes a text private after `before`. */
async function compiled(entry, { flags = [], before = '', places = '' }) {
  const script = `
    ${before}
    const { compile } = WebAssembly;
    const sizes = [];
    WebAssembly.compile = (bytes) => (sizes.push(bytes.length), compile(bytes));
    const { init, privatize } = await import(${JSON.stringify(import.meta.resolve(entry))});
    await init(${places});
    const { words } = privatize('a kind doctor').guarantee;
    console.log(JSON.stringify({ sizes, words }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '--eval', script]);
  const { sizes, words } = JSON.parse(stdout);
  assert.equal(words, 3);
  // Node compiles a module of its own for `fetch`.
  return MODULES.filter((file) => sizes.includes(readFileSync(new URL(import.meta.resolve(`${entry}/${file}`))).length));
}

for (const entry of ['textveil', 'textveil/all']) {
  describe(entry, () => {
    test('an engine with 128-bit vectors gets the module with them', async () => {
      assert.deepEqual(await compiled(entry, {}), [SIMD]);
    });

    test('an engine without gets the other', async () => {
      const before = 'WebAssembly.validate = () => false;';
      assert.deepEqual(await compiled(entry, { before }), [BASELINE]);
    });

    // Nothing is pretended here: this engine compiles no vectors.
    test('and can run it', { skip: process.arch === 'x64' ? false : 'V8 has no switch for it on this processor' }, async () => {
      assert.deepEqual(await compiled(entry, { flags: [WITHOUT_SIMD] }), [BASELINE]);
    });

    test('a function is told what the engine can run, and may give any source', async () => {
      for (const [before, file] of [['', SIMD], ['WebAssembly.validate = () => false;', BASELINE]]) {
        const address = (name) => JSON.stringify(import.meta.resolve(`${entry}/${name}`));
        const places = `{ wasm: (simd) => (simd ? ${address(SIMD)} : new URL(${address(BASELINE)})) }`;
        assert.deepEqual(await compiled(entry, { before, places }), [file]);
      }
    });
  });
}
