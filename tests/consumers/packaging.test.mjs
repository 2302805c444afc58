// What tools that judge packages find in the tarball.

import { test } from 'node:test';
import { tool } from './workbench.mjs';

const TARBALL = process.env.TEXTVEIL_TARBALL;

test('publint finds nothing', async () => {
  await tool('app', 'publint/src/cli.js', 'run', TARBALL, '--strict');
});

test('the types are found and right wherever a module can be imported', async () => {
  // `esm-only`: CommonJS gets the package by `require` of an ES module, which Node can do from 20.19 on (`consumers.test.mjs` does it).
  const profile = ['--profile', 'esm-only'];
  // Files, not modules: exported for their addresses.
  const modules = ['textveil_wasm.wasm', 'textveil_wasm_baseline.wasm'];
  const files = [...modules, ...modules.map((file) => `all/${file}`), 'english.tvt', 'english-text.tvt', 'lists/*.tvs', 'package.json'];
  await tool('app', '@arethetypeswrong/cli/dist/index.js', TARBALL, ...profile, '--exclude-entrypoints', ...files);
});
