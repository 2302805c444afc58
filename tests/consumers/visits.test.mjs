// What a page costs. With the headers that the package's README asks for, a second visit fetches the page itself and nothing else; and no
// visit asks any other server for anything.

import assert from 'node:assert/strict';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { open, watchedPage } from '../browser/chromium.mjs';
import { serve } from './serve.mjs';
import { at, tool } from './workbench.mjs';

/** May be cached for ever: a changed file gets a new address. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

const SITES = {
  // The package as it is, in a folder that carries its version: no build.
  'a versioned folder': { folder: 'versioned', forGood: (path) => /^\/textveil@\d+\.\d+\.\d+\//.test(path) },
  // Names that the bundler has made from the contents.
  'names with hashes': { folder: 'hashed', forGood: (path) => path.startsWith('/assets/') },
};

before(async () => {
  await tool('recipes', 'vite/bin/vite.js', 'build', 'vite', '--outDir=../hashed', '--logLevel=error');
  const { version } = JSON.parse(await readFile(at('recipes/node_modules/textveil/package.json'), 'utf8'));
  await mkdir(at('recipes/versioned'), { recursive: true });
  await cp(at('recipes/node_modules/textveil'), at(`recipes/versioned/textveil@${version}`), { recursive: true });
  // The plain recipe, its scripts and its style in the versioned folder too.
  for (const file of ['recipe.css', 'preview.js']) await cp(at('recipes/shared', file), at(`recipes/versioned/textveil@${version}`, file));
  const versioned = async (from, to, ...changes) => {
    const text = await readFile(at('recipes/static', from), 'utf8');
    await writeFile(at('recipes/versioned', to), changes.reduce((text, [was, is]) => text.replace(was, is), text));
  };
  await versioned('index.html', 'index.html', ['../shared/', `textveil@${version}/`], ['main.js', `textveil@${version}/main.js`]);
  await versioned('main.js', `textveil@${version}/main.js`, ['./textveil/', './'], ['../shared/', './']);
});

for (const [name, { folder, forGood }] of Object.entries(SITES)) {
  test(`${name}: the second visit fetches the page alone`, async (t) => {
    const caching = (path) => (forGood(path) ? FOR_GOOD : 'no-cache');
    const { site, log, close: stop } = await serve([at('recipes', folder)], { caching });
    const { context, close } = await open();
    try {
      const first = await visit(context, site, log);
      const second = await visit(context, site, log);
      // Of the two modules, the one that this engine can run.
      for (const kind of ['.wasm', '.tvt']) assert.equal(first.filter(({ path }) => path.endsWith(kind)).length, 1);
      assert.deepEqual(second.map(({ path }) => path), ['/']);
      const total = first.reduce((sum, { bytes }) => sum + bytes, 0);
      t.diagnostic(`the first visit: ${first.length} files, ${total.toLocaleString('en')} bytes, not compressed`);
    } finally {
      await close();
      await stop();
    }
  });
}

/** What the server was asked for by a page that has made a text private; the page has asked no other server. */
async function visit(context, site, log) {
  const before = log.length;
  const { page, troubles, requests } = await watchedPage(context);
  await page.goto(site);
  await page.fill('#comment', 'The nurse was kind.');
  // What will be sent is shown when the person leaves the field.
  await page.press('#comment', 'Tab');
  await page.waitForFunction(() => document.querySelector('output').textContent !== '');
  await page.close();
  assert.deepEqual(troubles, []);
  assert.deepEqual(requests.filter(({ url }) => !url.startsWith(site) && !url.startsWith('data:')), []);
  return log.slice(before);
}
