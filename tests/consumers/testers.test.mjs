// The package in other people's tests: by Jest, in Node, in jsdom and in happy-dom. And what is for such tests alone changes nothing in a
// browser.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { open, watchedPage } from '../browser/chromium.mjs';
import { serve } from './serve.mjs';
import { at, program } from './workbench.mjs';

/** How many tests each file has. */
const FILES = { 'modules/program': 1, 'modules/jsdom': 10, 'modules/happy-dom': 10, 'compiled/program': 2 };

describe('Jest', () => {
  for (const [file, count] of Object.entries(FILES)) {
    test(file, async () => {
      const flags = file.startsWith('modules') ? ['--experimental-vm-modules'] : [];
      const said = await program('testers', process.execPath, ...flags, 'node_modules/jest/bin/jest.js', '--json', '--runTestsByPath', `${file}.test.js`);
      const { numPassedTests, numTotalTests } = JSON.parse(said);
      assert.deepEqual([numPassedTests, numTotalTests], [count, count]);
    });
  }
});

describe('textveil/testing in a browser', () => {
  let server;
  let browser;
  before(async () => ([server, browser] = await Promise.all([serve([at('testers'), at('testers/node_modules')]), open()])));
  after(() => Promise.all([browser.close(), server.close()]));

  test('changes nothing, and submitted() gives what is sent', async () => {
    const { page, troubles } = await watchedPage(browser.context);
    await page.goto(`${server.site}page.html`);
    const found = await page.evaluate(async () => {
      const { provideFormData, submitted } = await import('/textveil/testing.js');
      const { protect } = await import('/textveil/form.js');
      const own = [FormData, FormDataEvent];
      provideFormData();
      const form = document.querySelector('form');
      await protect(form).ready;
      const data = await submitted(form);
      return { same: own[0] === FormData && own[1] === FormDataEvent, keys: [...data.keys()], text: data.get('note') };
    });
    assert.equal(found.same, true);
    assert.deepEqual(found.keys, ['go', 'note', 'note-guarantee']);
    assert.doesNotMatch(found.text, /zebulon|quimby/i);
    assert.deepEqual(troubles, []);
    await page.close();
  });
});
