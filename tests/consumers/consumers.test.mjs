// The package as its customers get it, installed from its tarball by npm. Every runtime and every bundler runs the
// golden vectors. Each finds the module and the table where the package says that they are.

import assert from 'node:assert/strict';
import { cp, readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { open, watchedPage } from '../browser/chromium.mjs';
import { WITHOUT_SIMD } from '../node/vectors.mjs';
import { installed } from './extension.mjs';
import { serve } from './serve.mjs';
import { at, executable, program, started, tool } from './workbench.mjs';
import { DATES, workerd } from './workerd.mjs';

/** Many times what a run takes, in seconds. */
const PATIENCE = 300;

before(async () => {
  await cp(new URL('../node/vectors.mjs', import.meta.url), at('app/vectors.mjs'));
  const golden = at('app/public/golden/');
  for (const folder of ['vectors', 'tables']) await cp(new URL(`../${folder}/`, import.meta.url), golden, { recursive: true });
  for (const file of ['english.tvt', 'textveil_wasm.wasm']) await cp(at('app/node_modules/textveil-insecure', file), `${golden}${file}`);
});

/** The claims of `tests/node/vectors.mjs`, and a release of eight words. */
function assertRan({ claims, release }) {
  assert.ok(claims.length > 5);
  for (const { claim, tried, failures } of claims) {
    assert.ok(tried > 0, claim);
    assert.deepEqual(failures, [], claim);
  }
  assertReleased(release);
}

function assertReleased({ text, guarantee, account }) {
  assert.match(text, /^\S+( \S+){7}\.$/);
  assert.equal(guarantee.words, 8);
  assert.equal(account, undefined);
}

/** What a call to `outcomes` of the page at this address comes to; nothing may go wrong on the page, nor be asked of another server. */
async function outcome(context, address, call) {
  const { page, troubles, requests } = await watchedPage(context);
  await page.goto(address);
  await page.waitForFunction(() => globalThis.outcomes);
  const tooLate = wait(PATIENCE * 1000, undefined, { ref: false }).then(() => Promise.reject(new Error(`${call}: no outcome after ${PATIENCE} s`)));
  const result = await Promise.race([page.evaluate((call) => outcomes[call](), call), tooLate]);
  await page.close();
  assert.deepEqual(troubles, []);
  assert.deepEqual(requests.filter(({ url }) => new URL(url).origin !== new URL(address).origin), []);
  return result;
}

describe('a program', () => {
  const programs = {
    'of Node': () => program('app', process.execPath, 'runtime.mjs'),
    'of Node, CommonJS': () => program('app', process.execPath, 'required.cjs'),
    'of Deno': () => program('app', executable('@deno', 'deno'), 'run', '--no-prompt', '--allow-read', 'runtime.mjs'),
    'of Bun': () => program('app', executable('@oven', 'bin/bun'), 'runtime.mjs'),
  };
  for (const [name, run] of Object.entries(programs)) {
    test(name, async () => assertRan(JSON.parse(await run())));
  }
});

describe('a Worker of Cloudflare', () => {
  before(() => {
    const wrangler = at('recipes/node_modules/wrangler/bin/wrangler.js');
    return program('app', process.execPath, wrangler, 'deploy', '--dry-run', '--config=workerd/wrangler.json', '--outdir=dist');
  });

  async function answer(date, path) {
    const golden = async ({ url }) => new Response(await readFile(at('app/public/golden', new URL(url).pathname)));
    const worker = workerd(at('app/workerd/dist'), date, golden);
    try {
      return await (await worker.dispatchFetch(`http://localhost/${path}`)).json();
    } finally {
      await worker.dispose();
    }
  }

  test('without both files init says what to pass', async () => {
    for (const date of DATES) {
      const { refusals, words } = await answer(date, '');
      assert.deepEqual(Object.keys(refusals), ['nothing', 'no table', 'bytes'], 'none of them is enough');
      for (const [passed, { name, code, message }] of Object.entries(refusals)) {
        assert.deepEqual([name, code], ['TextveilError', 'load-failed'], passed);
        assert.match(message, /Cloudflare Workers and Jest need `init\(\{ wasm, table \}\)`/);
      }
      assert.equal(words, 8000, `with both files, as of ${date}`);
    }
  });

  test('with both files', async () => assertRan((await answer(DATES.at(-1), 'golden')).ran));
});

describe('a page', () => {
  let browser;
  let without;
  before(async () => ([browser, without] = await Promise.all([open(), open({ engine: [WITHOUT_SIMD] })])));
  after(() => Promise.all([browser.close(), without.close()]));

  const bundlers = {
    vite: () => tool('app', 'vite/bin/vite.js', 'build', '--logLevel=warn'),
    webpack: () => tool('app', 'webpack/bin/webpack.js', '--config=webpack.config.mjs'),
    esbuild: () => program('app', process.execPath, 'esbuild.config.mjs'),
  };
  for (const [name, build] of Object.entries(bundlers)) {
    describe(`of ${name}`, () => {
      let server;
      before(async () => {
        await build();
        server = await serve([at('app/dist', name), at('app'), at('app/public')]);
      });
      after(() => server.close());

      test('on its main thread', async () => assertRan(await outcome(browser.context, server.site, 'page')));
      test('in a worker that is handed the compiled module and the table', async () => {
        assertRan(await outcome(browser.context, server.site, 'worker'));
      });
      test('with the larger entry', async () => assertReleased(await outcome(browser.context, `${server.site}all/`, 'all')));
      test('in an engine without 128-bit vectors (on x86-64), with either entry', async () => {
        assertReleased(await outcome(without.context, server.site, 'first'));
        assertReleased(await outcome(without.context, `${server.site}all/`, 'all'));
      });
      if (name === 'esbuild') {
        test('in a service worker', async () => assertRan(await outcome(browser.context, server.site, 'serviceWorker')));
      }
    });
  }

  describe('of the development server of Vite', () => {
    let vite;
    before(async () => (vite = await started('app', 'vite/bin/vite.js', '--host=127.0.0.1')));
    after(() => vite.stop());

    test('on its main thread', async () => assertRan(await outcome(browser.context, vite.site, 'page')));
    test('in a worker', async () => assertRan(await outcome(browser.context, vite.site, 'worker')));
    test('with the larger entry', async () => assertReleased(await outcome(browser.context, `${vite.site}all/`, 'all')));
  });
});

describe('a browser extension, under the policy of extensions that may run WebAssembly', () => {
  let browser;
  before(async () => (browser = await open({ ignoreDefaultArgs: ['--disable-extensions'] })));
  after(() => browser.close());

  test('on a page of its own', async () => {
    const folder = at('app/dist/extension');
    // The page and its scripts as esbuild's customer has them, and the manifest.
    for (const files of ['dist/esbuild', 'public', 'extension']) await cp(at('app', files), folder, { recursive: true });
    await cp(at('app/index.html'), `${folder}/index.html`);
    assertRan(await outcome(browser.context, `${await installed(browser.context, folder)}index.html`, 'page'));
  });
});
