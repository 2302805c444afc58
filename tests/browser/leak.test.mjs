// No text of a private control leaves a page, in three engines. No request, storage or line of the console has it,
// however the form is sent and whatever breaks on the way. Each scenario also says what must arrive instead.
//
// The search may find one thing: a private word that the mechanism has drawn from its table, and that a release therefore holds.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { inEachEngine } from './browsers.mjs';
import { POLICY, record, stored, until } from './recorder.mjs';

const SPIES = readFileSync(new URL('./leak-spies.js', import.meta.url), 'utf8');

/** Words of the table and others, a name, numbers, an address, an emoji and another script. */
const SECRET = 'Zebulonia Quimbleton got diabetes in Ouagadougou, card 4929817733001, zeb.quimby@velvetfrog.org 🦩 Жирафовна';
const OTHER = 'Philomenka Snodgrassle owes 88213377419 to her psychiatrist';
// No word of four letters: a browser separates the parts of a form by random letters, which may spell one.
const PRIVATE = [...new Set(`${SECRET} ${OTHER} zeb.quimby velvetfrog`.split(/[\s,]+/).filter((word) => word.length > 4 || /\p{Emoji_Presentation}/u.test(word)))];
/** Those that the table has, so that a release can hold them by chance. None of the others is a part of a word of the table. */
const DRAWABLE = new Set(['diabetes', 'psychiatrist']);

/** How long the test waits for requests that must not come, in milliseconds. */
const LONG_ENOUGH = 800;

// ----------------------------------------------------------------------------------------------------------- Pages

const FORM = `
  <form id="form" action="/submitted" method="post">
    <p><label>Comment <textarea id="private" data-private="comment" rows="3"></textarea></label></p>
    <p><label>Topic <input name="topic" value="sleep"></label></p>
    <p><button id="send">Send</button> <button type="reset" id="reset">Clear</button></p>
  </form>`;

const PROTECT = `
  import { protect } from '/textveil/form.js';
  window.protection = protect(document.querySelector('form'));`;

/** Takes both names out. `window.asked` has the texts that it has seen. */
const DETECTOR = `
  window.asked = [];
  const found = (text) => [...text.matchAll(/Zebulonia Quimbleton|Philomenka Snodgrassle/g)].map(({ index, 0: name }) => ({ start: index, end: index + name.length, kind: 'PERSON' }));
  const after = (milliseconds, answer) => new Promise((done) => setTimeout(() => done(answer), milliseconds));
  /** Answers half a second after the first text has given way to another one. */
  const late = async (text) => {
    while (text.startsWith('Zeb') && document.querySelector('#private').value === text) await after(50);
    return after(500, found(text));
  };`;

/** A page whose form has this detector. */
const detecting = (redact) => ({ script: DETECTOR + PROTECT.replace("'form'))", `'form'), { redact(text, field) { asked.push([text, field]); return (${redact})(text); } })`) });

/** The files of a page: its body, a module, and a script that runs first. */
function page({ body = FORM, script = PROTECT, first = '' } = {}) {
  return {
    '/page.html': `<!doctype html><html lang="en"><meta charset="utf-8"><title>A form</title>
      <script src="/spies.js"></script>${body}<script type="module" src="/main.js"></script></html>`,
    '/spies.js': `${SPIES}\n${first}`,
    '/main.js': script,
    '/elsewhere.html': '<!doctype html><title>elsewhere</title>',
  };
}

/** Fails, stalls or damages the answers for one path. */
const when = (path, what) => (asked) => (asked.endsWith(path) ? what : {});
const damaged = (bytes) => bytes.map((byte, at) => (at > 1000 && at % 97 === 0 ? byte ^ 0x55 : byte));

// ------------------------------------------------------------------------------------------------------- Scenarios

/**
 * The actions, their page, and the result that must follow. `run` gets the browser, the recording server and `said`,
 * the names of events that the page has told.
 *
 * @type {any[]}
 */
const SCENARIOS = [
  {
    name: 'a button sends the release',
    async run({ browser, site }) {
      await browser.click('#send');
      await arrived(site);
    },
  },
  {
    name: 'Enter sends the release',
    page: { body: FORM.replace(/<textarea([^>]*)><\/textarea>/, '<input$1>') },
    async run({ browser, site }) {
      await browser.evaluate(() => document.querySelector('#private').focus());
      await browser.press('Enter');
      await arrived(site);
    },
  },
  {
    name: 'keys typed one by one are seen by nobody',
    text: '',
    async run({ browser, site }) {
      await browser.type('#private', OTHER);
      await browser.click('#send');
      await arrived(site);
    },
  },
  {
    name: 'a button with an address of its own',
    page: { body: FORM.replace('<button id="send"', '<button id="send" name="by" value="button" formaction="/other" formnovalidate') },
    async run({ browser, site }) {
      await browser.click('#send');
      assert.equal((await arrived(site, '/other')).get('by'), 'button');
    },
  },
  {
    name: 'requestSubmit sends the release',
    async run({ browser, site }) {
      await browser.evaluate(() => document.querySelector('form').requestSubmit());
      await arrived(site);
    },
  },
  {
    name: 'submit() sends the release when it is there',
    async run({ browser, site }) {
      await browser.evaluate(() => window.protection.ready);
      await browser.evaluate(() => void setTimeout(() => document.querySelector('form').submit()));
      await arrived(site);
    },
  },
  {
    name: 'submit() before all is loaded goes without the field',
    rule: when('.wasm', { held: true }),
    async run({ browser, site }) {
      await browser.evaluate(() => void setTimeout(() => document.querySelector('form').submit()));
      await absent(site);
    },
  },
  {
    name: 'fetch with the form data sends the release',
    async run({ browser, site }) {
      await browser.evaluate(async () => {
        await window.protection.settled();
        await fetch('/submitted', { method: 'POST', body: new FormData(document.querySelector('form')) });
      });
      await arrived(site);
    },
  },
  {
    name: 'a slow network: pressed three times, it waits and sends once',
    rule: when('.wasm', { held: true }),
    async run({ browser, site }) {
      await browser.evaluate(() => {
        for (let time = 0; time < 3; time++) document.querySelector('#send').click();
      });
      await wait(LONG_ENOUGH);
      assert.equal(site.to('/submitted').length, 0);
      site.free();
      await arrived(site);
      await wait(LONG_ENOUGH);
      assert.equal(site.to('/submitted').length, 1);
    },
  },
  {
    name: 'what is written while it waits is what is sent',
    rule: when('.wasm', { held: true }),
    async run({ browser, site }) {
      await browser.click('#send');
      await write(browser, '#private', OTHER);
      site.free();
      const fields = await arrived(site);
      // A placeholder stands for the number.
      assert.equal(JSON.parse(fields.get('comment-guarantee')).words, OTHER.split(' ').length - 1);
      assert.ok(fields.get('comment').includes('[number]'));
    },
  },
  {
    name: 'left while it waits, nothing is sent',
    rule: when('.wasm', { held: true }),
    async run({ browser, site }) {
      await browser.click('#send');
      await browser.goto(`${site.url}/elsewhere.html`);
      site.free();
      await wait(LONG_ENOUGH);
      assert.equal(site.to('/submitted').length, 0);
    },
  },
  {
    name: 'a policy that forbids WebAssembly stops the submission',
    headers: { 'Content-Security-Policy': POLICY.replace(" 'wasm-unsafe-eval'", '') },
    run: refused('load-failed'),
  },
  {
    name: 'no script: the form goes without the field',
    headers: { 'Content-Security-Policy': POLICY.replace(/script-src [^;]*/, "script-src 'none'") },
    scripted: false,
    async run({ browser, site }) {
      await browser.click('#send');
      await absent(site);
    },
  },
  {
    name: 'textveil/form does not load: the form goes without the field',
    rule: when('/form.js', { status: 404 }),
    scripted: false,
    async run({ browser, site }) {
      await browser.click('#send');
      await absent(site);
    },
  },
  {
    name: 'no table: refused, and sent once it is there',
    rule: when('.tvt', { status: 404 }),
    async run(all) {
      await stopped('load-failed', all);
      all.site.rule = () => ({});
      await all.browser.click('#send');
      await arrived(all.site);
    },
  },
  {
    name: 'no table, whose place is a function: refused, and sent once it is there',
    rule: when('.tvt', { status: 404 }),
    page: { script: PROTECT.replace("'form'))", "'form'), { source: { table: () => fetch('/textveil/english.tvt') } })") },
    async run(all) {
      await stopped('load-failed', all);
      all.site.rule = () => ({});
      await all.browser.click('#send');
      await arrived(all.site);
    },
  },
  {
    name: 'a script that puts the text into the name of an entry',
    page: { script: `${PROTECT} document.querySelector('form').addEventListener('formdata', ({ formData }) => formData.append('tags[' + document.querySelector('#private').value + ']', '1'));` },
    async run({ browser, site }) {
      await browser.click('#send');
      await arrived(site);
    },
  },
  {
    name: 'a damaged table stops the submission',
    rule: when('.tvt', { change: damaged }),
    run: refused('bad-table'),
  },
  {
    name: 'a damaged module stops the submission',
    rule: when('.wasm', { change: damaged }),
    run: refused('load-failed'),
  },
  ...['{ opions: {} }', '{ guarantee: "full" }', '1'].map((settings) => ({
    name: `a control with a name, and the settings ${settings}, which are refused: the form goes without the field`,
    page: {
      body: FORM.replace('data-private="comment"', 'data-private="comment" name="comment"'),
      script: `import { protect } from '/textveil/form.js';
        try { protect(document.querySelector('form'), ${settings}); } catch (error) { window.protection = error.code; }
        window.protection ??= 'not refused';`,
    },
    async run({ browser, site }) {
      const [code, name] = await browser.evaluate(() => [window.protection, document.querySelector('#private').getAttribute('name')]);
      assert.deepEqual([code, name], ['invalid-options', null]);
      await browser.click('#send');
      await absent(site);
    },
  })),
  {
    name: 'no random numbers stop the submission',
    page: { first: "Crypto.prototype.getRandomValues = () => { throw new Error('no entropy'); };" },
    run: refused('entropy-unavailable'),
  },
  {
    name: 'listeners of the page that throw change nothing',
    page: {
      first: `for (const type of ['input', 'change', 'submit', 'formdata', 'textveil:release', 'textveil:error'])
        for (const early of [true, false]) addEventListener(type, () => { throw new Error('a mistake of the page'); }, early);`,
    },
    async run({ browser, site }) {
      await browser.click('#send');
      await arrived(site);
    },
  },
  {
    name: 'functions of the page that throw stop the submission',
    page: { script: PROTECT.replace("'form'))", "'form'), { options() { throw new Error('a mistake of the page'); } })") },
    run: refused('invalid-options'),
  },
  {
    name: 'a spent ledger stops the submission',
    page: {
      script: `import { Ledger } from '/textveil/ledger.js';
        ${PROTECT.replace("'form'))", "'form'), { ledger: () => Ledger.open({ comment: { epsilon: 5 } }) })")}`,
    },
    run: refused('budget-exhausted'),
  },
  {
    name: 'a ledger with room records, and the release is sent',
    page: {
      script: `import { Ledger } from '/textveil/ledger.js';
        ${PROTECT.replace("'form'))", "'form'), { ledger: () => Ledger.open({ comment: { epsilon: 500 } }) })")}`,
    },
    async run({ browser, site }) {
      await browser.evaluate(() => window.protection.ready);
      // The form's data do not hold a release that the ledger has not recorded.
      const early = await browser.evaluate(() => [...new FormData(document.querySelector('form'))].map(([name]) => name));
      assert.deepEqual(early, ['topic']);
      await browser.click('#send');
      await arrived(site);
    },
  },
  {
    name: 'back, and sent again',
    async run(all) {
      await backAndAgain(all);
    },
  },
  {
    name: 'back, where the page is not kept, and sent again',
    headers: { 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-store' },
    async run(all) {
      await backAndAgain(all);
    },
  },
  {
    name: 'cleared, the field is sent empty',
    async run({ browser, site }) {
      await browser.click('#reset');
      await browser.click('#send');
      const fields = await arrived(site);
      assert.equal(fields.get('comment'), '');
      assert.equal(JSON.parse(fields.get('comment-guarantee')).words, 0);
    },
  },
  {
    name: 'a detector takes a name out before anything is drawn',
    page: detecting('found'),
    async run({ browser, site }) {
      await browser.click('#send');
      redacted(await arrived(site), SECRET);
    },
  },
  {
    name: 'a slow detector: what is written meanwhile is looked at, too',
    page: detecting('late'),
    async run({ browser, site }) {
      await browser.evaluate(() => window.protection.ready);
      await browser.click('#send');
      await until(() => browser.evaluate(() => window.asked.length), 'the detector');
      await write(browser, '#private', OTHER);
      redacted(await arrived(site), OTHER);
      assert.equal([...new Set(releases(site))].length, 1);
    },
  },
  {
    name: 'a detector that answers for an older text when a newer one is sent',
    page: detecting("(text) => (text.startsWith('Zeb') ? late(text) : found(text))"),
    async run({ browser, site }) {
      await browser.evaluate(() => window.protection.ready);
      await browser.evaluate(() => void window.protection.preview('comment'));
      await until(() => browser.evaluate(() => window.asked.length), 'the detector');
      await write(browser, '#private', OTHER);
      await browser.evaluate(() => window.protection.settled());
      await wait(1500);
      await browser.click('#send');
      redacted(await arrived(site), OTHER);
      assert.equal([...new Set(releases(site))].length, 1);
    },
  },
  {
    name: 'a script that sends the form before the detector has answered sends it without the field',
    page: detecting('(text) => after(60_000, found(text))'),
    async run({ browser, site }) {
      await browser.evaluate(() => window.protection.ready);
      await browser.evaluate(() => void setTimeout(() => document.querySelector('form').submit()));
      await absent(site);
    },
  },
  {
    name: 'a detector that works at the second try',
    page: detecting('(text) => { if (asked.length < 2) throw new Error(text); return found(text); }'),
    async run(all) {
      await stopped('detector-failed', all);
      await all.browser.click('#send');
      redacted(await arrived(all.site), SECRET);
    },
  },
  ...[
    ['a detector that throws the text', '(text) => { throw new Error(text); }', 'detector-failed'],
    ['a detector that is rejected with the text', 'async (text) => { throw { name: "TextveilError", code: text, message: text }; }', 'detector-failed'],
    ['a detector that gives no spans', '(text) => text', 'detector-failed'],
    ['a detector that gives nothing', '() => {}', 'detector-failed'],
    ['a detector that never answers', '() => new Promise(() => {})', 'detector-failed'],
    ['a detector whose spans throw', '(text) => [{ get start() { throw new Error(text); } }]', 'detector-failed'],
    ['a detector that gives spans of an older, longer text', '() => [{ start: 200, end: 210, kind: "person" }]', 'invalid-span'],
    ['a detector that puts the text into the kind', '(text) => [{ start: 0, end: 5, kind: text }]', 'invalid-span'],
    ['a detector that gives the words', '(text) => text.split(" ")', 'invalid-span'],
  ].map(([name, redact, code]) => ({ name: `${name} stops the submission`, page: detecting(redact), run: refused(code) })),
  {
    name: 'by GET, the release is in the address',
    page: { body: FORM.replace('post', 'get') },
    async run({ browser, site }) {
      await browser.click('#send');
      await arrived(site);
    },
  },
  {
    name: 'in parts: the encoding of files',
    page: { body: FORM.replace('method', 'enctype="multipart/form-data" method') },
    async run({ browser, site }) {
      await browser.click('#send');
      await arrived(site);
    },
  },
  {
    name: 'a name that the page has given by mistake is taken away',
    page: { body: FORM.replace('data-private="comment"', 'data-private="comment" name="raw"') },
    async run({ browser, site }) {
      await browser.evaluate(() => document.querySelector('#private').setAttribute('name', 'raw'));
      await browser.click('#send');
      const fields = await arrived(site);
      assert.ok(!fields.has('raw'));
    },
  },
  {
    name: 'a text area, an editable element, an input elsewhere and a <textveil-field>',
    page: {
      body: FORM.replace('</form>', '') + `
        <div id="editable" contenteditable data-private="editable" style="min-height: 2em"></div>
        <textveil-field name="field"><label>Field <textarea id="inner"></textarea></label></textveil-field></form>
        <input id="elsewhere" form="form" data-private="elsewhere">`,
      script: `import '/textveil/element.js'; ${PROTECT}`,
    },
    async run({ browser, site }) {
      await write(browser, '#editable', OTHER);
      await write(browser, '#inner', SECRET);
      await write(browser, '#elsewhere', OTHER);
      // A preview, as somebody asks for it. It may be shown already: this page takes the form data at each input.
      await browser.evaluate(() => document.querySelector('.textveil-show').click());
      await until(() => browser.evaluate(() => document.querySelector('output').textContent), 'the preview');
      await browser.click('#send');
      const fields = await arrived(site);
      for (const name of ['editable', 'field', 'elsewhere']) {
        assert.ok(JSON.parse(fields.get(`${name}-guarantee`)).words > 0, name);
        assert.ok(fields.get(name).length > 0);
      }
    },
  },
  {
    name: 'a <textveil-field> whose table is not there: its button tries again, and then nothing stands in the way',
    rule: when('.tvt', { status: 404 }),
    page: {
      body: FORM.replace('</form>', '<textveil-field name="field"><label>Field <textarea id="inner"></textarea></label></textveil-field></form>'),
      script: `import '/textveil/element.js'; ${PROTECT}`,
    },
    async run({ browser, site }) {
      await write(browser, '#inner', OTHER);
      await browser.click('.textveil-show');
      const said = () => browser.evaluate(() => document.querySelector('.textveil-error').textContent);
      await until(async () => /cannot be sent yet/.test(await said()), 'the message');
      // The page says so after its own load. The click may still wait for another one, which must fail too.
      await until(() => told(site, 'textveil:error').length > 0, 'the error of the click');
      site.rule = () => ({});
      await browser.click('.textveil-show');
      await until(() => browser.evaluate(() => document.querySelector('output').textContent), 'the preview');
      const left = await browser.evaluate(() => [document.querySelector('#inner').validationMessage, document.querySelector('.textveil-error').textContent]);
      assert.deepEqual(left, ['', '']);
      await browser.click('#send');
      assert.ok((await arrived(site)).get('field'));
    },
  },
];

/** The form arrives, once, with the release that the page has told, and with what is public. */
async function arrived(site, path = '/submitted', count = 1) {
  const entries = await site.form(path, count);
  const fields = new Map(entries);
  assert.equal(fields.get('topic'), 'sleep');
  assert.ok(fields.has('comment'), `no release among ${[...fields.keys()]}`);
  assert.ok(fields.get('comment-guarantee').startsWith('{'));
  assert.equal(fields.size, entries.length);
  await until(() => releases(site).includes(fields.get('comment')), 'the news of the release');
  return fields;
}

/** The release has a placeholder instead of the name, and for the name no word. */
function redacted(fields, text) {
  const { clear, words } = JSON.parse(fields.get('comment-guarantee'));
  assert.ok(fields.get('comment').startsWith('[person] '), fields.get('comment'));
  assert.ok(clear.includes('redactions'));
  // Without both words of the name, and without the number and the address, which have placeholders.
  const rest = text.replace(/\S*(?:\d{7}|@)\S*/g, '').split(/[\s,]+/).filter(Boolean);
  assert.equal(words, rest.length - 2);
}

/** The form arrives without the private field. */
async function absent(site) {
  const fields = await site.form('/submitted');
  assert.deepEqual(fields, [['topic', 'sleep']]);
}

/** The submission is stopped. A script that sends the form all the same sends it without the field. */
function refused(code) {
  return async (all) => {
    await stopped(code, all);
    await all.browser.evaluate(() => void setTimeout(() => document.querySelector('form').submit()));
    await absent(all.site);
  };
}

/** The submission is stopped; the control says why, and the page hears it. */
async function stopped(code, { browser, site }) {
  await browser.click('#send');
  await until(() => told(site, 'textveil:error').some(({ detail }) => detail.error.code === code), `the error ${code}`);
  await wait(LONG_ENOUGH);
  assert.equal(site.to('/submitted').length, 0);
  const control = await browser.evaluate(() => {
    const { validationMessage, ariaInvalid, validity } = document.querySelector('#private');
    return { validationMessage, ariaInvalid, customError: validity.customError, focused: document.activeElement.id };
  });
  assert.ok(control.validationMessage.length > 10);
  assert.deepEqual({ ...control, validationMessage: '' }, { validationMessage: '', ariaInvalid: 'true', customError: true, focused: 'private' });
}

async function backAndAgain({ browser, site }) {
  await browser.click('#send');
  const first = await arrived(site);
  await until(() => browser.evaluate(() => document.title === 'arrived').catch(() => false), 'the answer');
  await browser.back();
  await until(() => browser.evaluate(() => document.title === 'A form' && document.readyState === 'complete' && Boolean(window.protection)).catch(() => false), 'the form');
  const text = await browser.evaluate(() => document.querySelector('#private').value);
  await browser.click('#send');
  const second = await arrived(site, '/submitted', 2);
  const kept = told(site, 'pageshow').at(-1).persisted;
  // The same page gives the same release. After a reload either the page has forgotten the release, or the browser the text.
  if (kept) assert.equal(second.get('comment'), first.get('comment'));
  return { kept, text };
}

// ---------------------------------------------------------------------------------------------------------- Search

/** What the page's spies have told of an event. */
const told = (site, type) => site.to('/beacon').map(({ body }) => JSON.parse(body)).filter((told) => told.type === type);

/** The releases that the page has told of. */
const releases = (site) => told(site, 'textveil:release').map(({ detail }) => detail.text);

/** Enters a text as if it were pasted. */
function write(browser, selector, text) {
  return browser.evaluate(
    (selector, text) => {
      const control = document.querySelector(selector);
      control.focus();
      document.execCommand('selectAll');
      document.execCommand('insertText', false, text);
      control.dispatchEvent(new Event('change', { bubbles: true }));
    },
    selector,
    text,
  );
}

/** Opens a page of the same site without scripts, after all pending requests have arrived. */
async function elsewhere(browser, site) {
  await until(() => browser.goto(`${site.url}/elsewhere.html`).then(() => true, () => false), 'another page');
}

/** Deletes the cookies of the previous scenario, which had the same host. */
async function withoutCookies(browser, site) {
  await elsewhere(browser, site);
  await browser.evaluate(() => {
    for (const cookie of document.cookie.split('; ')) document.cookie = `${cookie.split('=')[0]}=; path=/; max-age=0`;
  });
  site.requests.length = 0;
}

/** Each text as it is, with its escapes resolved, and whatever in it looks like base64. */
function* readings(text) {
  yield text;
  try {
    yield decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // Not escaped.
  }
  yield text.replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(parseInt(code, 16)));
  for (const [chunk] of text.matchAll(/[A-Za-z0-9+/_-]{12,}={0,2}/g)) {
    const bytes = Buffer.from(chunk, 'base64');
    yield bytes.toString('utf8');
    yield bytes.toString('utf16le');
  }
}

/** The private words in `texts`, without those that a mechanism can have drawn because a release holds them. */
function leaks(texts, drawn) {
  const allowed = drawn.join(' ').toLowerCase();
  const wanted = PRIVATE.map((word) => word.toLowerCase()).filter((word) => !(DRAWABLE.has(word) && allowed.includes(word)));
  const found = [];
  for (const text of texts) {
    for (const reading of readings(text)) {
      const low = reading.toLowerCase();
      for (const word of wanted) if (low.includes(word)) found.push(`${word} in ${reading.slice(0, 300)}`);
    }
  }
  return found;
}

test('the search finds what it looks for', () => {
  const inside = (text) => leaks([text], []).length > 0;
  assert.ok(inside(`a=${encodeURIComponent(SECRET)}`));
  assert.ok(inside(new URLSearchParams({ a: SECRET }).toString()));
  assert.ok(inside(Buffer.from(SECRET).toString('base64')));
  assert.ok(inside(Buffer.from(SECRET, 'utf16le').toString('base64url')));
  assert.ok(inside('x %F0%9F%A6%A9 y'));
  assert.ok(inside('{"a":"\\u0416\\u0438\\u0440\\u0430\\u0444\\u043e\\u0432\\u043d\\u0430"}'));
  assert.ok(!leaks(['about Diabetes'], ['Diabetes, drawn']).length);
  // No mechanism draws this word: a release that has it is a leak.
  assert.ok(leaks(['Zebulonia'], ['Zebulonia']).length > 0);
  for (const word of DRAWABLE) assert.ok(PRIVATE.includes(word));
});

// ------------------------------------------------------------------------------------------------------------ Runs

inEachEngine('no text leaves a page', (browser) => {
  for (const { name, page: parts, headers, rule, text = SECRET, scripted = true, run } of SCENARIOS) {
    test(name, async () => {
      const site = await record({ files: page(parts), headers: { 'Content-Security-Policy': POLICY, ...headers }, rule });
      try {
        await withoutCookies(browser, site);
        const line = browser.console.length;
        await browser.goto(`${site.url}/page.html`);
        // Not every driver waits for modules.
        if (scripted) await until(() => browser.evaluate(() => Boolean(window.protection)), 'the protection');
        if (text) await write(browser, '#private', text);
        await run({ browser, site });
        if (scripted) assert.ok(site.to('/beacon').length > 0, 'the spies were silent');
        await elsewhere(browser, site);
        const requests = site.requests.flatMap(({ method, url, headers, body }) => [`${method} ${url}`, JSON.stringify(headers), body.toString('utf8')]);
        const texts = [...requests, ...(await stored(browser)), ...browser.console.slice(line)];
        assert.deepEqual(leaks(texts, releases(site)), []);
      } finally {
        await site.close();
      }
    });
  }
});
