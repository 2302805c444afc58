// The blocks of the book that say how statements are set up with each bundler: built as they stand, filled in, and sent.

import assert from 'node:assert/strict';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { open, watchedPage } from '../browser/chromium.mjs';
import { blocks } from './blocks.mjs';
import { serve } from './serve.mjs';
import { at, program, tool } from './workbench.mjs';

const PAGE = 'docs/src/how-to/frameworks.md';
const SECRET = 'Zebulon Quimby says that it crashes at every start';
const RAW = /zebulon|quimby/i;

const [[address, element], [tag], [component], vite] = await Promise.all([
  blocks(PAGE, 'js', 'Statements').then((all) => all.filter((block) => !block.includes('{{#include'))),
  blocks(PAGE, 'html', 'Statements'),
  blocks(PAGE, 'jsx', 'Statements'),
  readFile(at('recipes/feedback/main.js'), 'utf8'),
]);
const IMPORTED = /^import list from .*$/m;
const NAMED = /^const list = .*$/m;
const [imported] = vite.match(IMPORTED);
const AREA = '<label for="comment">Your feedback</label><textarea id="comment"></textarea>';

/** A page with a form around `content`. */
const page = (content, script) => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Feedback</title><link rel="icon" href="data:,"><script type="module" src="${script}"></script></head>
  <body>${content}</body>
</html>`;
const form = (content) => page(`<form action="/releases" method="post">${content}<button>Send</button></form>`, 'dist/main.js');

/** The files of each project, in a folder of its own, how it is built, and the folder that is served. */
const PROJECTS = {
  'React with Vite': {
    files: {
      'index.html': page('<main id="root"></main>', './main.jsx'),
      'feedback.jsx': component.replace(NAMED, imported),
      'main.jsx': `import { createRoot } from 'react-dom/client';
import { Feedback } from './feedback.jsx';
createRoot(document.getElementById('root')).render(<form action="/releases" method="post"><Feedback /><button>Send</button></form>);`,
    },
    build: (folder) => tool('recipes', 'vite/bin/vite.js', 'build', folder, '--logLevel=warn'),
    served: 'dist',
  },
  Next: {
    files: {
      'app/page.jsx': `'use client';
${component}
export default function Page() {
  return <form action="/releases" method="post"><Feedback /><button>Send</button></form>;
}`,
    },
    copied: 'next',
    build: (folder) => tool('recipes', 'next/dist/bin/next', 'build', folder),
    served: 'out',
    inline: true,
  },
  webpack: {
    files: { 'index.html': form(`<textveil-field name="comment" suggest>${AREA}</textveil-field>`), 'main.js': vite.replace(IMPORTED, address) },
    copied: 'webpack',
    build: (folder) => tool('recipes', 'webpack/bin/webpack.js', `--config=${folder}/webpack.config.mjs`),
    served: '.',
  },
  esbuild: {
    files: { 'index.html': form(`${tag}${AREA}</textveil-field>`), 'main.js': element },
    copied: 'esbuild',
    async build(folder) {
      const script = await readFile(`${folder}/build.mjs`, 'utf8');
      await writeFile(`${folder}/build.mjs`, script.replace("'english.tvt'", "'english-text.tvt'"));
      await cp(at('recipes/node_modules/textveil/lists/product-feedback.tvs'), `${folder}/product-feedback.tvs`);
      await program('recipes', process.execPath, `${folder}/build.mjs`);
    },
    served: '.',
  },
};

let browser;
before(async () => (browser = await open()));
after(() => browser?.close());

for (const [name, { files, copied, build, served, inline = false }] of Object.entries(PROJECTS)) {
  test(`the book's lines for statements in ${name}: the statement that was shown is sent, and the text is not`, async () => {
    // Next to the recipes: each of their configurations names the folder above it.
    const folder = at('recipes', `book-${name.toLowerCase().replaceAll(' ', '-')}`);
    await rm(folder, { recursive: true, force: true });
    if (copied) await cp(at('recipes', copied), folder, { recursive: true, filter: (path) => !/\/(dist|out|\.next)$/.test(path) });
    for (const [file, content] of Object.entries(files)) {
      await mkdir(new URL('.', `file://${folder}/${file}`), { recursive: true });
      await writeFile(`${folder}/${file}`, content);
    }
    await build(folder);
    const { site, log, close } = await serve([`${folder}/${served}`], { inline });
    const { page: tab, troubles } = await watchedPage(browser.context);
    try {
      await tab.goto(site, { waitUntil: 'networkidle' });
      await tab.fill('textarea', SECRET);
      await tab.locator('.textveil-suggested > button').first().waitFor();
      await tab.locator('.textveil-show').click();
      await tab.waitForFunction(() => document.querySelector('output').textContent);
      const shown = await tab.locator('output').first().textContent();
      await tab.locator('form > button').click({ noWaitAfter: true });
      await tab.getByText('Received.').waitFor();
      const data = new URLSearchParams(log.find(({ method }) => method === 'POST').body);
      assert.equal(data.get('comment'), shown);
      assert.equal(JSON.parse(`${data.get('comment-guarantee')}`).unit, 'whole-text');
      for (const { path, body } of log) assert.doesNotMatch(path + body, RAW);
      assert.deepEqual(troubles, []);
    } finally {
      await tab.close();
      await close();
    }
  });
}
