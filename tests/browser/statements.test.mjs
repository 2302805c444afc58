// What forms promise whose texts are exchanged for statements, in three engines.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inEachEngine } from './browsers.mjs';
import { POLICY, record, until } from './recorder.mjs';

const MAIN = `
  import { protect } from '/textveil/form.js';
  import '/textveil/element.js';
  Object.assign(window, { protect, told: [], LIST: '/textveil/lists/product-feedback.tvs' });
  for (const type of ['textveil:release', 'textveil:error']) addEventListener(type, ({ type, detail }) => told.push([type, detail.text ?? detail.error.code]));
  window.ledger = { spent: [], async spend(scope, { epsilonText }) { this.spent.push([scope, epsilonText]); } };
  window.entries = () => [...new FormData(document.forms[0])].filter(([name]) => !name.endsWith('-guarantee'));
  window.part = (name, field = document.querySelector('textveil-field')) => field.querySelector('.textveil-' + name);
  window.ready = () => eventually(() => part('guarantee')?.textContent);
  window.ask = async () => (part('show').click(), await eventually(() => part('preview').textContent));
  window.fetched = (name) => performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith(name)).length;
  window.offered = () => [...part('suggested').querySelectorAll('button')].map((button) => [button.textContent, button.ariaPressed]);
  window.suggestions = async () => { await import('/textveil/statements.js'); await ready(); await eventually(() => offered().length); };
  window.pick = (text) => [...part('suggested').querySelectorAll('button')].find((button) => button.textContent === text).click();
  window.write = (text, area = document.querySelector('textarea')) => { area.value = text; area.dispatchEvent(new Event('input', { bubbles: true })); };
  window.pause = (ms) => new Promise((end) => setTimeout(end, ms));
  /** Waits for something that must happen, also on a slow machine. If it does not happen, the checks that follow fail. */
  window.eventually = async (come) => { for (let tries = 0; !come() && tries < 1000; tries++) await pause(20); };
  window.main = true;`;

const FIELD = '<textveil-field name="a" statements="/textveil/lists/product-feedback.tvs" epsilon="20"><textarea>The app crashes every time I open it.</textarea></textveil-field>';

const CHOICE = '<textveil-field name="a" statements="/textveil/lists/product-feedback.tvs" epsilon="20" suggest="3"><textarea>The search does not find things that I know are there.</textarea></textveil-field>';

/** A question. The text of an option is its value. */
const QUESTION = '<textveil-field name="q" statements="/answers.tvs" epsilon="20"><select name="raw"><option value="">Please choose</option><option>Never</option><option selected>Every day</option></select></textveil-field>';

/** Its list, as `textveil statements build --answers` makes it. */
const ANSWERS = readFileSync(new URL('../data/answers.tvs', import.meta.url));

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** A script of a document, with addresses for a page without a bundler. */
const served = (script) => script.replace(/^ *import list .*$/m, "const list = '/textveil/lists/product-feedback.tvs';").replace(/'textveil\/([a-z]+)'/g, "'/textveil/$1.js'");

/** The page of the tutorial; and of the README, the lines that say that a form waits, and the texts in other languages. */
const [, TUTORIAL_FORM, TUTORIAL_SCRIPT] = read('docs/src/tutorials/form.md').match(/(<textveil-field[^]*?<\/textveil-field>)[^]*?<script type="module">\n([^]*?)<\/script>/) ?? [];
const TUTORIAL = { form: TUTORIAL_FORM, script: served(TUTORIAL_SCRIPT) };
const [, WAITING] = read('wasm/npm/README.md').match(/```js\n(const form = [^`]*?new MutationObserver[^]*?)```/) ?? [];
const [, TRANSLATION] = served(read('wasm/npm/README.md')).match(/```js\n(import { TextveilField }[^]*?)```/) ?? [];

/** Each claim: the body of a page, the steps in the page, and the expected result. */
const CLAIMS = [
  {
    claim: '<textveil-field> shows the statement that will be sent, and what holds for the whole text; it needs no table of words',
    body: `<form>${FIELD}</form>`,
    work: async () => {
      await import('/textveil/statements.js');
      await ready();
      const promised = part('guarantee').textContent;
      await ask();
      const sent = new Map(new FormData(document.forms[0]));
      const { unit, epsilonText } = JSON.parse(`${sent.get('a-guarantee')}`);
      return { promised: /any other/.test(promised), shown: part('preview').textContent, sent: sent.get('a'), unit, epsilonText, fetched: [fetched('english-text.tvt'), fetched('english.tvt')] };
    },
    check: (seen) =>
      assert.deepEqual(seen, { promised: true, shown: 'The app crashes when I open it.', sent: 'The app crashes when I open it.', unit: 'whole-text', epsilonText: 20, fetched: [1, 0] }),
  },
  {
    claim: 'a person can leave the field out and take it in again, and nothing is drawn or counted anew',
    body: `<form><input name="b" value="public">${FIELD.replace('20', '0.001')}</form>`,
    work: async () => {
      await import('/textveil/statements.js');
      const [form] = document.forms;
      const field = document.querySelector('textveil-field');
      field.settings = { ledger };
      await ready();
      const seen = { before: part('withdraw').checkVisibility() };
      await ask();
      const shown = part('preview').textContent;
      part('withdraw').click();
      seen.withdrawn = [entries(), part('preview').textContent, part('label').textContent, part('show').checkVisibility(), document.activeElement === part('withdraw')];
      form.addEventListener('submit', (event) => { event.preventDefault(); seen.submitted = entries(); });
      form.requestSubmit();
      await eventually(() => seen.submitted);
      // Another text does not bring it back.
      field.control.value = 'another text';
      field.control.dispatchEvent(new Event('input', { bubbles: true }));
      seen.edited = [entries(), part('label').checkVisibility()];
      field.control.value = 'The app crashes every time I open it.';
      part('withdraw').click();
      await ask();
      seen.restored = [part('preview').textContent === shown, entries().length, part('withdraw').textContent];
      part('withdraw').click();
      form.reset();
      await ask();
      return { ...seen, reset: [entries().length, part('preview').textContent === shown], spent: ledger.spent };
    },
    check: (seen) =>
      assert.deepEqual(seen, {
        before: false,
        withdrawn: [[['b', 'public']], '', 'Nothing will be sent from this field.', false, true],
        submitted: [['b', 'public']],
        edited: [[['b', 'public']], true],
        restored: [true, 2, 'Do not send it'],
        reset: [2, true],
        spent: [['a', 0.001]],
      }),
  },
  {
    claim: 'what was left out stays out: after a reset that the page cancels, in another control, and under other settings',
    body: `<form>${FIELD}</form>`,
    work: async () => {
      await import('/textveil/statements.js');
      const [form] = document.forms;
      const field = document.querySelector('textveil-field');
      await ready();
      await ask();
      part('withdraw').click();
      const seen = [];
      const look = () => seen.push([entries().length, part('label').checkVisibility(), part('guarantee').checkVisibility()]);
      form.addEventListener('reset', (event) => event.preventDefault());
      form.reset();
      await pause(50);
      look();
      field.querySelector('textarea').outerHTML = '<textarea>The app crashes every time I open it.</textarea>';
      await pause(50);
      look();
      field.settings = { guarantee: 'none' };
      await pause(200);
      look();
      part('withdraw').click();
      await ask();
      return { seen, taken: entries() };
    },
    check: ({ seen, taken }) => {
      assert.deepEqual(seen.map(([sent, said]) => [sent, said]), [[0, true], [0, true], [0, true]]);
      assert.deepEqual(taken, [['a', 'The app crashes when I open it.']]);
    },
  },
  {
    claim: 'what is shown is gone when another list would send something else',
    body: `<form>${FIELD}</form>`,
    work: async () => {
      await import('/textveil/statements.js');
      const field = document.querySelector('textveil-field');
      await ready();
      await ask();
      const seen = [part('preview').textContent];
      field.statements = '/textveil/lists/support-requests.tvs';
      seen.push(part('preview').textContent);
      await ready();
      await ask();
      seen.push(part('preview').textContent === entries()[0][1]);
      field.statements = null;
      seen.push(part('preview').textContent, field.hasAttribute('statements'));
      return seen;
    },
    check: (seen) => assert.deepEqual(seen, ['The app crashes when I open it.', '', true, '', false]),
  },
  {
    claim: 'a list that is named before `textveil/statements` is there is an error, until it is there',
    body: `<form>${FIELD}</form>`,
    work: async () => {
      const [form] = document.forms;
      form.addEventListener('submit', (event) => event.preventDefault());
      await eventually(() => part('error')?.textContent);
      form.requestSubmit();
      await eventually(() => told.length);
      const seen = { told: [...told], sent: entries(), fetched: fetched('.tvt') };
      await import('/textveil/statements.js');
      await ready();
      await ask();
      return { ...seen, mended: [part('error').textContent, entries()] };
    },
    check: (seen) => {
      assert.deepEqual(new Set(seen.told.map(String)), new Set(['textveil:error,invalid-options']));
      assert.deepEqual([seen.sent, seen.fetched, seen.mended], [[], 0, ['', [['a', 'The app crashes when I open it.']]]]);
    },
  },
  {
    claim: '`protect` takes an address or a list, and no engine beside it; fields of one list share its encoder',
    body: '<form><textarea data-private="a">It crashes all the time</textarea><input data-private="b" value="far too expensive for what it does"></form>',
    work: async () => {
      const { statements } = await import('/textveil/statements.js');
      const [form] = document.forms;
      const refused = [];
      for (const statements of [42, {}]) {
        const wrong = protect(form, { statements });
        await wrong.ready.catch(({ code }) => refused.push(code));
        refused.push(entries().length);
        wrong.stop();
      }
      const both = protect(form, { statements: LIST, engine: await import('/textveil/textveil.js') });
      await both.ready.catch(({ code }) => refused.push(code));
      both.stop();
      const sent = [];
      for (const list of [LIST, statements(LIST), statements('/textveil/lists/support-requests.tvs')]) {
        const protection = protect(form, { statements: list, options: { epsilon: 20 } });
        await protection.settled();
        protection.withdraw('b');
        const without = entries().length;
        protection.withdraw('b', false);
        sent.push([without, ...entries()]);
        protection.stop();
      }
      return { refused, same: `${sent[0]}` === `${sent[1]}`, sent: sent[0], other: sent[2][1][1] !== sent[0][1][1], encoders: fetched('english-text.tvt') };
    },
    check: ({ sent: [without, ...sent], ...seen }) => {
      assert.deepEqual(seen, { refused: ['invalid-options', 0, 'invalid-options', 0, 'invalid-options'], same: true, other: true, encoders: 1 });
      assert.equal(without, 1);
      assert.deepEqual(sent.map(([field]) => field), ['a', 'b']);
    },
  },
  {
    claim: 'a text that is refused can be left out by a button, and the form is sent without it; another text can be sent',
    body: `<form><input name="b" value="public">${FIELD}</form>`,
    work: async () => {
      await import('/textveil/statements.js');
      const [form] = document.forms;
      const area = document.querySelector('textarea');
      let sent;
      form.addEventListener('submit', (event) => { event.preventDefault(); sent = entries(); });
      const shown = () => ['show', 'preview', 'withdraw', 'guarantee', 'error'].filter((name) => part(name).checkVisibility());
      await ready();
      /** @type {any[]} */
      const seen = [shown()];
      write('Der Hund läuft schnell über die große Straße, bellt laut und erschreckt mehrere Nachbarn.');
      form.requestSubmit();
      await eventually(() => part('error').textContent && !form.ariaBusy);
      seen.push(shown(), part('withdraw').textContent, part('error').textContent, sent ?? null, document.activeElement === area);
      part('withdraw').click();
      seen.push(shown(), part('label').textContent);
      form.requestSubmit();
      await eventually(() => sent);
      seen.push(sent);
      part('withdraw').click();
      write('The app crashes every time I open it.');
      seen.push(shown());
      part('show').focus();
      await ask();
      seen.push(shown(), document.activeElement === part('preview'));
      write('The app crashes.');
      seen.push(shown());
      return seen;
    },
    check: (seen) =>
      assert.deepEqual(seen, [
        ['show', 'guarantee'],
        ['withdraw', 'error'],
        'Do not send it',
        'This text seems to be in a language that cannot be made private here, so it cannot be sent. Usually, only English can.',
        null,
        true,
        ['withdraw'],
        'Nothing will be sent from this field.',
        [['b', 'public']],
        ['show', 'guarantee'],
        ['preview', 'withdraw', 'guarantee'],
        true,
        ['show', 'guarantee'],
      ]),
  },
  {
    claim: "the page of the tutorial, with the README's texts in German: each field has them, and still sends a statement; a field that asks takes any language",
    language: 'de',
    body: `<form>${TUTORIAL.form}<textveil-field name="more" statements="/textveil/lists/product-feedback.tvs"><textarea></textarea></textveil-field></form>`,
    script: `${TUTORIAL.script}\n${TRANSLATION}`,
    work: async () => {
      const [form] = document.forms;
      const fields = [...document.querySelectorAll('textveil-field')];
      await eventually(() => fields.every((field) => part('guarantee', field)?.textContent));
      const write = (text) => fields.forEach(({ control }) => { control.value = text; control.dispatchEvent(new Event('input', { bubbles: true })); });
      let sent;
      form.addEventListener('submit', (event) => { event.preventDefault(); sent = Object.fromEntries(new FormData(form)); });
      const shown = fields.map((field) => part('show', field).textContent);
      write('Der Hund läuft schnell über die große Straße, bellt laut und erschreckt mehrere Nachbarn.');
      form.requestSubmit();
      await eventually(() => part('error', fields[1]).textContent && !form.ariaBusy);
      const errors = fields.map((field) => part('error', field).textContent);
      const asks = part('asks', fields[0]).textContent;
      write('It crashes every time I take a photo of my dog Bruno.');
      form.requestSubmit();
      await eventually(() => sent);
      return { shown, errors, asks, units: ['comment', 'more'].map((name) => JSON.parse(sent[`${name}-guarantee`]).unit) };
    },
    check: (seen) =>
      assert.deepEqual(seen, {
        shown: Array(2).fill('Zeigen, was gesendet wird'),
        errors: ['', 'Bitte schreiben Sie auf Englisch.'],
        asks: 'Was sagt es am besten?',
        units: Array(2).fill('whole-text'),
      }),
  },
  {
    claim: 'a person chooses among the statements that are offered; nothing is drawn before it is asked for, and the choice is sent',
    body: `<form><input name="b" value="public">${CHOICE}</form>`,
    work: async () => {
      await import('/textveil/statements.js');
      document.querySelector('textveil-field').settings = { ledger };
      await suggestions();
      const seen = { offered: offered(), names: [...part('suggested').querySelectorAll('[name]')].length, sent: [] };
      pick('The search gives me useless results.');
      seen.pressed = offered().map(([, pressed]) => pressed);
      seen.before = [ledger.spent.length, part('preview').textContent];
      await ask();
      seen.sent.push(part('preview').textContent, ...entries());
      // Another choice is another release, and what was shown is gone.
      pick('This is about something else.');
      seen.gone = part('preview').textContent;
      seen.unrecorded = entries();
      await ask();
      seen.sent.push(...entries());
      return { ...seen, spent: ledger.spent, clear: JSON.parse(`${new FormData(document.forms[0]).get('a-guarantee')}`).clear };
    },
    check: (seen) =>
      assert.deepEqual(seen, {
        offered: [['The search finds what I need.', 'true'], ['The search gives me useless results.', 'false'], ['Everything is where I expect it.', 'false'], ['This is about something else.', 'false']],
        names: 0,
        pressed: ['false', 'true', 'false', 'false'],
        before: [0, ''],
        sent: ['The search gives me useless results.', ['b', 'public'], ['a', 'The search gives me useless results.'], ['b', 'public'], ['a', 'This is about something else.']],
        gone: '',
        unrecorded: [['b', 'public']],
        spent: [['a', 20], ['a', 20]],
        clear: [],
      }),
  },
  {
    claim: 'whether a person has chosen does not show: a text of any language is taken, and both releases say the same of themselves',
    body: `<form>${CHOICE}</form>`,
    work: async () => {
      await import('/textveil/statements.js');
      await ready();
      const said = async () => (await ask(), new FormData(document.forms[0]).get('a-guarantee'));
      write('Der Hund läuft schnell über die große Straße, bellt laut und erschreckt mehrere Nachbarn.');
      const nearest = [await said(), ...entries()];
      await eventually(() => offered().length);
      const [, , [other]] = offered();
      pick(other);
      const chosen = [await said(), ...entries()];
      return { same: nearest[0] === chosen[0], nearest: nearest[1], chosen: chosen[1][1] === other };
    },
    check: (seen) => assert.deepEqual(seen, { same: true, nearest: ['a', 'This is about something else.'], chosen: true }),
  },
  {
    claim: 'a choice stays while it is offered, and goes with a text that offers it no more, also if that is sent at once or written by a script',
    body: `<form>${CHOICE}</form>`,
    work: async () => {
      await import('/textveil/statements.js');
      const field = document.querySelector('textveil-field');
      await suggestions();
      const chosen = 'The search gives me useless results.';
      const pressed = () => offered().find(([, pressed]) => pressed === 'true')?.[0];
      pick(chosen);
      write('The search does not find things that I know are there!');
      const seen = [entries()[0][1] === chosen];
      write('The app crashes every time I open it.');
      seen.push(entries()[0][1], pressed());
      field.control.value = 'The search does not find things that I know are there.';
      seen.push(entries()[0][1], pressed());
      pick(chosen);
      write('');
      seen.push(entries()[0][1], offered().length);
      field.control.value = 'The search does not find things that I know are there.';
      seen.push(entries()[0][1]);
      pick(chosen);
      document.forms[0].reset();
      await pause(50);
      return [...seen, pressed()];
    },
    check: (seen) => {
      const nearest = 'The search finds what I need.';
      const crash = 'The app crashes when I open it.';
      assert.deepEqual(seen, [true, crash, crash, nearest, nearest, 'This is about something else.', 0, nearest, nearest]);
    },
  },
  {
    claim: 'the statement for what fits nothing is chosen for one text, a text that is too long for none, and a page sees no number',
    body: `<form>${CHOICE}</form>`,
    work: async () => {
      await suggestions();
      const other = 'This is about something else.';
      pick(other);
      const seen = [entries()[0][1], [...part('suggested').querySelectorAll('button')].some((button) => button.value), part('suggested').translate];
      write('The app crashes every time I open it.');
      seen.push(entries()[0][1]);
      const second = offered()[1][0];
      pick(second);
      seen.push(entries()[0][1] === second);
      write('é'.repeat(600_000));
      seen.push(entries().length, offered().length);
      return seen;
    },
    check: ([first, hasValue, translated, crash, chosen, sent, buttons]) => {
      assert.deepEqual([first, hasValue, translated, crash], ['This is about something else.', false, false, 'The app crashes when I open it.']);
      assert.deepEqual([chosen, sent, buttons], [true, 0, 0]);
    },
  },
  {
    claim: 'a choice while a submission waits is not taken: what the page sends itself is complete',
    body: `<form><input name="b" value="public">${CHOICE}</form>`,
    work: async () => {
      await import('/textveil/statements.js');
      const [form] = document.forms;
      let record;
      document.querySelector('textveil-field').settings = { ledger: { spend: () => new Promise((end) => (record = end)) } };
      let sent;
      form.addEventListener('submit', (event) => { event.preventDefault(); sent = entries(); });
      await suggestions();
      form.requestSubmit();
      await eventually(() => record);
      const inert = part('suggested').inert;
      pick('This is about something else.');
      record();
      await eventually(() => sent);
      await eventually(() => !form.ariaBusy);
      await pause(50);
      return { inert, sent, free: part('suggested').inert };
    },
    check: (seen) => assert.deepEqual(seen, { inert: true, sent: [['b', 'public'], ['a', 'The search finds what I need.']], free: false }),
  },
  {
    claim: 'a preview of a text that a script has changed meanwhile is not shown',
    body: `<form>${CHOICE}</form>`,
    work: async () => {
      await import('/textveil/statements.js');
      const field = document.querySelector('textveil-field');
      let record;
      field.settings = { ledger: { spend: () => new Promise((end) => (record = end)) } };
      await suggestions();
      part('show').click();
      await eventually(() => record);
      field.control.value = 'It drains my battery.';
      record();
      await pause(100);
      const seen = [part('preview').textContent, entries().length, told.filter(([type]) => type === 'textveil:release').length];
      record = undefined;
      part('show').click();
      await eventually(() => record);
      record();
      await eventually(() => part('preview').textContent);
      return [...seen, part('preview').textContent, entries()[0][1]];
    },
    check: (seen) => assert.deepEqual(seen, ['', 0, 0, 'It drains my battery.', 'It drains my battery.']),
  },
  {
    claim: 'a disabled field takes no presses, and a screen reader is told when statements are offered',
    body: `<form><textveil-field name="a" statements="/textveil/lists/product-feedback.tvs" suggest disabled><textarea></textarea></textveil-field></form>`,
    work: async () => {
      await import('/textveil/statements.js');
      await ready();
      const field = document.querySelector('textveil-field');
      const look = () => [field.control.disabled, part('show').disabled, part('suggested').inert, part('asks').getAttribute('role'), part('asks').textContent];
      const seen = [look()];
      field.removeAttribute('disabled');
      write('It drains my battery.');
      await suggestions();
      seen.push(look());
      field.toggleAttribute('disabled');
      return [...seen, look()];
    },
    check: (seen) =>
      assert.deepEqual(seen, [
        [true, true, true, 'status', ''],
        [false, false, false, 'status', 'Which of these says it best?'],
        [true, true, true, 'status', 'Which of these says it best?'],
      ]),
  },
  {
    claim: 'what is offered is for the text that stands there, also after a script has written it, and after a list has changed elsewhere',
    body: `<form>${CHOICE}</form>`,
    work: async () => {
      await import('/textveil/statements.js');
      const field = document.querySelector('textveil-field');
      await suggestions();
      const seen = [];
      field.control.value = 'The app crashes every time I open it.';
      field.control.focus();
      seen.push(offered()[0][0]);
      pick(offered()[1][0]);
      field.querySelector('textarea').outerHTML = '<textarea>It drains my battery.</textarea>';
      await eventually(() => offered()[0][0] === 'It drains my battery.');
      seen.push(offered()[0]);
      const [form] = document.forms;
      field.remove();
      field.suggest = undefined;
      form.append(field);
      await eventually(() => !offered().length && entries().length);
      seen.push(offered().length, entries().length);
      return seen;
    },
    check: (seen) => assert.deepEqual(seen, ['The app crashes when I open it.', ['It drains my battery.', 'true'], 0, 1]),
  },
  {
    claim: 'nothing is offered while a field is left out, and a choice during a preview ends it',
    body: `<form>${CHOICE}</form>`,
    work: async () => {
      await suggestions();
      const chosen = 'The search gives me useless results.';
      part('show').click();
      pick(chosen);
      await pause(100);
      const seen = [part('preview').textContent, part('show').checkVisibility()];
      await ask();
      seen.push(part('preview').textContent === chosen);
      part('withdraw').click();
      seen.push(part('suggested').checkVisibility(), entries().length);
      part('withdraw').click();
      seen.push(part('suggested').checkVisibility());
      await ask();
      return [...seen, part('preview').textContent === chosen];
    },
    check: (seen) => assert.deepEqual(seen, ['', true, true, false, 0, true, true]),
  },
  {
    claim: 'statements are offered after a pause in writing, not at each letter',
    body: `<form>${CHOICE}</form>`,
    work: async () => {
      await suggestions();
      const [[before]] = offered();
      write('It drains my battery.');
      await pause(50);
      const seen = [offered()[0][0] === before];
      await eventually(() => offered()[0][0] !== before);
      return [...seen, offered()[0][0]];
    },
    check: (seen) => assert.deepEqual(seen, [true, 'It drains my battery.']),
  },
  {
    claim: 'what is hidden stays hidden, whatever the styles of the page',
    body: `<form>${CHOICE}</form>`,
    work: async () => {
      await suggestions();
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('button, div, span { display: flex }');
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
      const shown = () => ['suggested', 'show', 'withdraw', 'guarantee'].filter((name) => part(name).checkVisibility());
      const seen = [shown(), getComputedStyle(part('show')).display];
      await ask();
      seen.push(shown());
      part('withdraw').click();
      return [...seen, shown()];
    },
    check: (seen) => assert.deepEqual(seen, [['suggested', 'show', 'guarantee'], 'flex', ['suggested', 'withdraw', 'guarantee'], ['withdraw']]),
  },
  {
    claim: 'the ids of a page and those of the element do not collide',
    body: `<form><label id="comment-label" for="comment">Comment</label><p id="comment-error">An error of the page</p>
      ${CHOICE.replace('<textarea', '<textarea id="comment" aria-describedby="comment-error"')}</form>`,
    work: async () => {
      await suggestions();
      const { control } = document.querySelector('textveil-field');
      const named = (element, attribute) => element.getAttribute(attribute)?.split(' ').map((id) => (id.startsWith('textveil-') ? document.getElementById(id).className : id));
      const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
      return [named(control, 'aria-describedby'), named(part('preview'), 'for'), named(part('preview'), 'aria-labelledby'), named(part('suggested'), 'aria-labelledby'), ids.length - new Set(ids).size];
    },
    check: (seen) => assert.deepEqual(seen, [['comment-error', 'textveil-error'], ['comment'], ['textveil-label'], ['textveil-asks'], 0]),
  },
  {
    claim: 'what is sent has its language and its direction, and the promise the language in which it is',
    language: 'ar',
    body: `<div lang="de-AT"></div><form dir="rtl">${CHOICE}</form>`,
    work: async () => {
      await suggestions();
      const field = document.querySelector('textveil-field');
      await ask();
      const [button] = part('suggested').querySelectorAll('button');
      const seen = [part('preview'), button, part('guarantee')].map(({ lang, dir, textContent }) => [lang, dir, /Whatever is sent/.test(textContent)]);
      const inside = document.querySelector('div').attachShadow({ mode: 'open' });
      field.setAttribute('output-lang', 'nl');
      inside.append(document.forms[0]);
      write('It drains my battery.', field.control);
      await eventually(() => part('suggested', field).querySelector('button').lang === 'nl');
      part('show', field).click();
      await eventually(() => part('preview', field).textContent);
      const [again] = part('suggested', field).querySelectorAll('button');
      return [...seen, part('guarantee', field).lang, /Was auch gesendet wird/.test(part('guarantee', field).textContent), again.lang, part('preview', field).lang];
    },
    check: (seen) =>
      assert.deepEqual(seen, [['en', 'auto', false], ['en', 'auto', false], ['en', 'auto', true], 'de-AT', true, 'nl', 'nl']),
  },
  {
    claim: "the README's lines tell a screen reader that a form prepares, as long as it waits",
    body: '<form><textarea data-private="a">It drains my battery.</textarea><p role="status"></p></form>',
    script: WAITING,
    work: async () => {
      await import('/textveil/statements.js');
      const [form] = document.forms;
      let record;
      protect(form, { statements: LIST, ledger: { spend: () => new Promise((end) => (record = end)) } });
      let sent;
      form.addEventListener('submit', (event) => { event.preventDefault(); sent = entries(); });
      const status = form.querySelector('p');
      form.requestSubmit();
      await eventually(() => record);
      const seen = [status.textContent];
      record();
      await eventually(() => sent && !form.ariaBusy);
      await pause(50);
      return [...seen, status.textContent, sent.length];
    },
    check: (seen) => assert.deepEqual(seen, ['Preparing…', '', 1]),
  },
  {
    claim: 'suggestions without a list, of several statements, or of no number are an error that a person sees, and nothing is sent',
    body: `<form>${CHOICE}</form>`,
    work: async () => {
      await import('/textveil/statements.js');
      const field = document.querySelector('textveil-field');
      await ready();
      const seen = [];
      const look = async (make, mend) => {
        make();
        await eventually(() => part('error').textContent);
        seen.push([Boolean(part('error').textContent), entries().length]);
        mend();
        await eventually(() => !part('error').textContent);
        await eventually(() => entries().length);
        seen.push([part('error').textContent, entries().length]);
      };
      const { statements } = field;
      await look(() => (field.statements = null), () => (field.statements = statements));
      await look(() => (field.perSentence = 2), () => (field.perSentence = undefined));
      await look(() => field.setAttribute('suggest', 'many'), () => (field.suggest = true));
      seen.push(offered().length);
      field.suggest = undefined;
      await eventually(() => !offered().length);
      return [...seen, field.hasAttribute('suggest'), offered().length, entries().length];
    },
    check: (seen) => assert.deepEqual(seen, [[true, 0], ['', 1], [true, 0], ['', 1], [true, 0], ['', 1], 6, false, 0, 1]),
  },
  {
    claim: 'the address of a list means what it meant when it was first named, also after a router has changed that of the page',
    body: `<form>${CHOICE.replace('"/textveil', '"textveil')}</form><form><textarea data-private="b">The app crashes.</textarea></form>`,
    work: async () => {
      await suggestions();
      protect(document.forms[1], { statements: 'textveil/lists/product-feedback.tvs' });
      history.pushState(0, '', '/app/feedback/new');
      write('The app crashes every time I open it.');
      await eventually(() => offered().some(([text]) => text.includes('crashes')));
      const seen = [offered().length, entries().length];
      // New settings, and a form that is protected later.
      document.querySelector('textveil-field').settings = { guarantee: 'none' };
      await eventually(() => entries().length);
      const protection = protect(Object.assign(document.body.appendChild(document.createElement('form')), { innerHTML: '<input data-private="c" value="slow">' }), { statements: 'textveil/lists/product-feedback.tvs' });
      await protection.settled();
      return [...seen, entries().length, [...new FormData(document.forms[2])].length, fetched('product-feedback.tvs')];
    },
    check: (seen) => assert.deepEqual(seen, [4, 1, 1, 2, 1]),
  },
  {
    claim: 'a list or an encoder that does not come keeps the text, and says so',
    body: `<form>${FIELD.replace('product-feedback', 'absent')}</form>`,
    work: async () => {
      const { statements } = await import('/textveil/statements.js');
      const [seen, lines] = [[], []];
      console.error = (line) => lines.push(line);
      // Some servers answer a page for an address that they do not know.
      for (const address of ['/textveil/lists/absent.tvs', '/page.html']) {
        document.querySelector('textveil-field').statements = address;
        await eventually(() => part('error')?.textContent);
        seen.push([part('error').textContent, entries().length, await statements(address).init().catch(({ code, cause }) => `${code}: ${cause.message}`)]);
      }
      return [...seen, lines];
    },
    check: ([absent, page, lines]) => {
      // The developer reads at once which file is missing.
      assert.match(lines.join('\n'), /^textveil: load-failed: .*: http\S*page\.html: a page, and not the file$/m);
      for (const [error, sent] of [absent, page]) {
        assert.match(error, /could not load the part that makes the text private/);
        assert.equal(sent, 0);
      }
      assert.match(absent[2], /^load-failed: http.*absent\.tvs: HTTP status 404/);
      assert.match(page[2], /^load-failed: http.*page\.html: a page, and not the file/);
    },
  },
  {
    claim: 'the chosen answer of a <select> is exchanged for an answer of the list, once, at epsilon 2 and without an encoder; it counts for itself alone',
    body: `<form lang="de">${QUESTION.replace('epsilon="20"', '')}</form>`,
    work: async () => {
      const { statements } = await import('/textveil/statements.js');
      await ready();
      const [form] = document.forms;
      const field = document.querySelector('textveil-field');
      field.settings = { ledger };
      await ask();
      const [first, second] = [0, 1].map(() => Object.fromEntries(new FormData(form)));
      const { parameters, unit, epsilonText, clear } = JSON.parse(`${first['q-guarantee']}`);
      const list = statements('/answers.tvs');
      await list.init();
      const refused = ['privatize', 'near', 'suggest'].map((name) => {
        try {
          list[name]('text');
        } catch ({ code }) {
          return code;
        }
      });
      return { promise: part('guarantee').textContent, names: Object.keys(first), same: first.q === second.q, shown: part('preview').textContent === first.q, lang: part('preview').lang, near: parameters.mass * 4, unit, epsilonText, clear, spent: ledger.spent, fetched: fetched('.tvt'), named: document.querySelector('select').hasAttribute('name'), refused };
    },
    check: (seen) =>
      assert.deepEqual(seen, { promise: 'Was auch gesendet wird, ist bei einer Antwort höchstens 7,4-mal so wahrscheinlich wie bei einer anderen (ε = 2). Sichtbar: dass es eine Antwort gibt.', names: ['q', 'q-guarantee'], same: true, shown: true, lang: 'de', near: 1, unit: 'whole-text', epsilonText: 2, clear: [], spent: [['q', 2]], fetched: 0, named: false, refused: Array(3).fill('invalid-options') }),
  },
  {
    claim: 'the answer that is sent is the one that stands in the <select>, and of a question without an answer any is sent, under the same guarantee',
    body: `<form>${QUESTION}</form>`,
    work: async () => {
      const { statements } = await import('/textveil/statements.js');
      await ready();
      const select = document.querySelector('select');
      const seen = [];
      for (const answer of ['Every day', 'Never', '']) {
        select.value = answer;
        select.dispatchEvent(new Event('change', { bubbles: true }));
        await ask();
        const data = new FormData(document.forms[0]);
        seen.push([data.get('q'), data.get('q-guarantee'), part('preview').textContent]);
      }
      const list = statements('/answers.tvs');
      await list.init();
      const silent = Array.from({ length: 200 }, (_, number) => list.privatizeChosen('', [], { epsilon: 20 }, { field: `${number}` }).text);
      return { seen, silent, answers: list.list(), ofAnswers: list.ofAnswers() };
    },
    check: ({ seen, silent, answers, ofAnswers }) => {
      assert.deepEqual(seen.slice(0, 2).map(([sent]) => sent), ['Every day', 'Never']);
      assert.equal(new Set(seen.map(([, guarantee]) => guarantee)).size, 1);
      for (const [sent, , shown] of seen) assert.equal(shown, sent);
      assert.ok(ofAnswers && answers.includes(seen[2][0]));
      // Each comes 50 times, and is 6 standard deviations away once in a billion runs.
      for (const answer of answers) assert.ok(Math.abs(silent.filter((text) => text === answer).length - 50) < 37, `${silent}`);
    },
  },
  {
    claim: 'an option that the list lacks stops everybody, whatever is chosen, and the developer reads so at once',
    body: `<form>${QUESTION.replace('<option>Never', '<option>Nevr</option><option>Never')}</form>`,
    work: async () => {
      const lines = [];
      console.error = (line) => lines.push(`${line}`);
      await import('/textveil/statements.js');
      await ready();
      await eventually(() => lines.length);
      const [form] = document.forms;
      const seen = [];
      for (const answer of ['Never', '', 'Nevr']) {
        form.querySelector('select').value = answer;
        const before = told.length;
        form.requestSubmit();
        await eventually(() => told.length > before);
        await pause(50);
        seen.push([told.at(-1).join(' '), [...new FormData(form)].length, part('error').textContent]);
      }
      return { seen, first: lines[0] };
    },
    check: ({ seen, first }) => {
      assert.deepEqual(seen, Array(3).fill(['textveil:error invalid-options', 0, 'This form is not set up as it should be, so the answer cannot be sent.']));
      assert.match(first, /not among the answers of the list/);
    },
  },
  {
    claim: 'a drawn answer cannot be left out; one that the browser has kept is sent from a required question, which is required again after another choice',
    body: `<form>${QUESTION.replace('<select', '<select required').replace(' selected', '')}</form>`,
    work: async () => {
      await import('/textveil/statements.js');
      await ready();
      const [form] = document.forms;
      const [field, select] = [document.querySelector('textveil-field'), document.querySelector('select')];
      const states = [];
      const internals = ElementInternals.prototype;
      const { setFormValue } = internals;
      internals.setFormValue = function (value, state) {
        if (state) states.push(state);
        return setFormValue.call(this, value, state);
      };
      select.value = 'Never';
      await ask();
      const hidden = part('withdraw').hidden;
      const [state] = states;
      select.value = '';
      select.dispatchEvent(new Event('input', { bubbles: true }));
      const before = form.checkValidity();
      field.formStateRestoreCallback(state, 'restore');
      await eventually(() => part('preview').textContent);
      await pause(10);
      const kept = [form.checkValidity(), new FormData(form).get('q'), select.required];
      select.dispatchEvent(new Event('input', { bubbles: true }));
      return { hidden, before, kept, after: [form.checkValidity(), select.required], sent: JSON.parse(state).text };
    },
    check: ({ hidden, before, kept, after, sent }) => assert.deepEqual({ hidden, before, kept, after }, { hidden: true, before: false, kept: [true, sent, false], after: [false, true] }),
  },
  {
    claim: 'a question stands before or behind a private text in a form, also one that comes later, and public fields with the words of an answer stay',
    body: `<form>${QUESTION}${FIELD}<input type="hidden" name="nonce"></form><form>${FIELD.replace('"a"', '"b"')}${QUESTION}</form><form>${QUESTION}</form>`,
    work: async () => {
      await import('/textveil/statements.js');
      const fields = document.querySelectorAll('textveil-field');
      for (const field of fields) await eventually(() => part('guarantee', field)?.textContent);
      const [both, , question] = document.forms;
      question.addEventListener('formdata', ({ formData }) => formData.append('c', 'Why it is so: Every day, I see it.'));
      question.append(Object.assign(document.createElement('div'), { innerHTML: '<textarea data-private="t">I love this app.</textarea>' }));
      await protect(question, { statements: LIST, options: { epsilon: 20 } }).settled();
      for (const field of fields) {
        part('show', field).click();
        await eventually(() => part('preview', field).textContent);
      }
      const all = [...document.forms].map((form) => Object.fromEntries([...new FormData(form)].filter(([name]) => !name.endsWith('-guarantee'))));
      return [...all.map(({ nonce, ...sent }) => sent), /^\d{22,}$/.test(`${new FormData(both).get('nonce')}`), fetched('english-text.tvt')];
    },
    check: (seen) => {
      const [a, q] = ['The app crashes when I open it.', 'Every day'];
      assert.deepEqual(seen, [{ q, a }, { b: a, q }, { q, t: 'I love this app.', c: 'Why it is so: Every day, I see it.' }, true, 1]);
    },
  },
  {
    claim: 'an answer that the list does not have, a question without a list, with a list for texts, with `suggest`, for several sentences, or with several answers: nothing is sent, the person reads so, and the developer reads why',
    body: `
      <form>${QUESTION.replace('>Every day', '>I hate mondays.')}</form>
      <form><select data-private="q"><option>Never</option></select></form>
      <form>${QUESTION.replace('/answers', '/textveil/lists/product-feedback')}</form>
      <form>${QUESTION.replace('epsilon', 'suggest epsilon')}</form>
      <form>${QUESTION.replace('epsilon', 'per-sentence="3" epsilon')}</form>
      <form>${QUESTION.replace('<select', '<select multiple')}</form>
      <form><select data-private><option>Never</option></select></form>
      <form>${QUESTION.replace('name="q"', '')}</form>`,
    work: async () => {
      const lines = [];
      console.error = (line) => lines.push(`${line}`);
      await import('/textveil/statements.js');
      protect(document.forms[1]);
      protect(document.forms[6], { statements: '/answers.tvs' });
      await ready();
      const seen = [];
      for (const form of document.forms) {
        let sent = false;
        form.addEventListener('submit', (event) => { event.preventDefault(); sent = true; });
        const before = told.length;
        form.requestSubmit();
        await eventually(() => told.length > before);
        await pause(50);
        const { control, region = form.querySelector('select') } = { control: form.querySelector('select') };
        const message = form.querySelector('.textveil-error')?.textContent || region.validationMessage;
        seen.push([sent, [...new FormData(form)].length, told.at(-1).join(' '), Boolean(message), /mondays|Every/.test(message), control.hasAttribute('name')]);
      }
      return { seen, lines: lines.join('\n') };
    },
    check: ({ seen, lines }) => {
      const refused = (code) => [false, 0, `textveil:error ${code}`, true, false, false];
      assert.deepEqual(seen, [...Array(4).fill(refused('invalid-options')), refused('invalid-argument'), ...Array(3).fill(refused('invalid-options'))]);
      for (const why of [/not among the answers of the list/, /needs a list of answers/, /leave out the attribute `suggest`/, /No text can be read/, /has no field/]) assert.match(lines, why);
      assert.doesNotMatch(lines, /mondays/);
    },
  },
  {
    claim: 'in a region with a text and a <select>, the text is sent and no choice',
    body: '<form><div data-private="a"><select name="kind"><option>The app is slow.</option></select><textarea>I love this app.</textarea></div></form>',
    work: async () => {
      const { statements } = await import('/textveil/statements.js');
      await protect(document.forms[0], { statements: statements(LIST), options: { epsilon: 20 } }).settled();
      return entries();
    },
    check: (seen) => assert.deepEqual(seen, [['a', 'I love this app.']]),
  },
];

inEachEngine('forms with statements', (browser) => {
  /** Opens a page with a form. */
  async function visit({ body, script = '', language = 'en' }) {
    const files = {
      '/answers.tvs': ANSWERS,
      '/page.html': `<!doctype html><html lang="${language}"><meta charset="utf-8"><title>A form</title>${body}<script type="module" src="/main.js"></script></html>`,
      '/main.js': `${script}${MAIN}`,
    };
    const site = await record({ files, headers: { 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-store' } });
    await browser.goto(`${site.url}/page.html`);
    await until(() => browser.evaluate(() => Boolean(window.main)).catch(() => false), 'the page');
    return site;
  }

  for (const { work, check, ...page } of CLAIMS) {
    test(page.claim, async () => {
      const site = await visit(page);
      try {
        check(await browser.evaluate(work));
      } finally {
        await site.close();
      }
    });
  }

  for (const pressed of ['#send', '.textveil-show']) {
    test(`a slow press of ${pressed} right after the last letter is not lost: statements come after it`, async () => {
      const site = await visit({ body: `<form>${CHOICE.replace(/(<textarea>)[^<]*/, '$1')}<button id="send">Send</button></form>` });
      try {
        await browser.evaluate(async (pressed) => {
          await import('/textveil/statements.js');
          await ready();
          const [form] = document.forms;
          const button = document.querySelector(pressed);
          const look = () => told.push([button.getBoundingClientRect().top, offered().length]);
          form.addEventListener('submit', (event) => event.preventDefault());
          button.addEventListener('click', look, true);
          // The last letter comes in the moment of the press.
          addEventListener('pointerdown', () => (look(), write('It drains my battery.')), { capture: true, once: true });
        }, pressed);
        await browser.click(pressed, 900);
        const [[top, none], click, later] = await browser.evaluate(async () => {
          await eventually(() => offered().length);
          return [...told.slice(0, 2), offered().length];
        });
        assert.deepEqual([none, click, later], [0, [top, 0], 4]);
      } finally {
        await site.close();
      }
    });
  }

  test('a press right after other statements have come is for none of them; one by keyboard is', async () => {
    const site = await visit({ body: `<form>${CHOICE}</form>` });
    try {
      const second = '.textveil-suggested button:nth-of-type(2)';
      const pressed = () => browser.evaluate(() => offered().map(([, pressed]) => pressed === 'true'));
      const pass = (ms) => browser.evaluate((ms) => void (window.clock += ms), ms);
      await browser.evaluate(async () => {
        await suggestions();
        window.clock = performance.now() + 10_000;
        performance.now = () => window.clock;
        write('It drains my battery.');
        await eventually(() => offered()[0][0] === 'It drains my battery.');
      });
      await browser.click(second);
      const seen = [await pressed()];
      await pass(1000);
      await browser.click(second);
      seen.push(await pressed());
      await browser.evaluate(async () => {
        write('The app crashes every time I open it.');
        await eventually(() => offered()[0][0] === 'The app crashes when I open it.');
        part('suggested').querySelectorAll('button')[2].focus();
      });
      await browser.press('Enter');
      seen.push(await pressed());
      assert.deepEqual(seen, [[true, false, false, false], [false, true, false, false], [false, false, true, false]]);
    } finally {
      await site.close();
    }
  });
});
