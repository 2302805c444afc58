// A form sends no entry of a private region, whatever elements are in the region. It may hold elements of three design
// systems as shipped, custom elements that do all they may with a form, and controls without text. The tests run in
// three engines, by each of the four ways to send a form. Either the release is sent instead, or a person sees an error
// and nothing is sent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { inEachEngine } from './browsers.mjs';
import { fieldsOf, POLICY, record, until } from './recorder.mjs';

/** Words that the table does not have, so that no release can hold them by chance. */
const RAW = 'Zebulonia Quimbleton has the xylotoxic fever';
const TELLTALE = /zebulonia|quimbleton|xylotoxic/i;

/** How a form is sent; the first two wait for the release by themselves. */
const WAYS = ['click', 'requestSubmit', 'submit', 'fetch'];

/** How long the test waits for requests that must not come, in milliseconds. */
const LONG_ENOUGH = 250;

/** Material's modules name others without a path. */
const IMPORTS = {};
for (const [name, main] of Object.entries({ lit: 'index.js', 'lit-html': 'lit-html.js', 'lit-element': 'index.js', '@lit/reactive-element': 'reactive-element.js', tslib: 'tslib.es6.mjs' })) {
  IMPORTS[name] = `/modules/${name}/${main}`;
  IMPORTS[`${name}/`] = `/modules/${name}/`;
}

const HEADERS = { 'Content-Security-Policy': `${POLICY.replace("script-src 'self'", "script-src 'self' 'nonce-map'")}; frame-src 'self'` };

/** The three design systems: what defines their elements, a private control, its button, and a public control. */
const SYSTEMS = {
  Shoelace: {
    define: ['textarea', 'input', 'button'].map((name) => `/modules/@shoelace-style/shoelace/cdn/components/${name}/${name}.js`),
    control: '<sl-textarea id="private" NAME label="Note"></sl-textarea>',
    open: '<sl-input name="open" value="public"></sl-input>',
    button: '<sl-button id="send" type="submit">Send</sl-button>',
  },
  Material: {
    define: ['textfield/outlined-text-field', 'textfield/filled-text-field', 'button/filled-button'].map((path) => `/modules/@material/web/${path}.js`),
    control: '<md-outlined-text-field id="private" type="textarea" NAME label="Note"></md-outlined-text-field>',
    open: '<md-filled-text-field name="open" value="public"></md-filled-text-field>',
    button: '<md-filled-button id="send" type="submit">Send</md-filled-button>',
  },
  Fluent: {
    define: ['/modules/@fluentui/web-components/dist/web-components.min.js'],
    control: '<fluent-text-area id="private" NAME>Note</fluent-text-area>',
    open: '<fluent-text-field name="open" value="public"></fluent-text-field>',
    button: '<fluent-button id="send" type="submit">Send</fluent-button>',
  },
};

/** Elements that pages could define, each with another way to bring a text into a form; `note` is where the text is. */
const ELEMENTS = `
  class Note extends HTMLElement {
    static formAssociated = true;
    #value = '';
    get value() { return this.#value; }
    set value(value) { this.#value = value; this.changed?.(value); }
    internals = this.attachInternals();
  }
  const entries = (...names) => (value) => { const data = new FormData(); for (const name of names) data.append(name, value); return data; };
  const classes = {
    'x-value': class extends Note { changed(value) { this.internals.setFormValue(value); } },
    'x-entries': class extends Note { changed(value) { this.internals.setFormValue(entries('one', 'two', 'topic', 'note')(value)); } },
    // No text can be read from these.
    'x-mute': class extends Note { get value() { return undefined; } set value(value) { this.internals.setFormValue(value); } },
    'x-mute-entries': class extends Note { get value() { return undefined; } set value(value) { this.internals.setFormValue(entries('one', 'two')(value)); } },
    'x-object': class extends Note { get value() { return { text: 1 }; } set value(value) { this.internals.setFormValue(value); } },
    'x-throws': class extends Note {
      get value() { throw new Error('no value'); }
      set value(value) { this.internals.setFormValue(entries('one', 'two')(value)); }
      get name() { throw new Error('no name'); }
      set name(name) { throw new Error('no name'); }
    },
    // Not associated with the form: they wait for its event, early or late, and may keep it from others.
    'x-listens': class extends HTMLElement {
      value = '';
      connectedCallback() {
        const form = this.closest('form');
        const [where, early, last] = [this.dataset.at === 'window' ? window : form, 'early' in this.dataset, 'last' in this.dataset];
        where?.addEventListener('formdata', (event) => {
          for (const name of ['secret-name', this.name, this.getAttribute('name'), 'topic']) if (name) event.formData.append(name, this.value);
          event.formData.set('with-more', JSON.stringify({ text: this.value }));
          event.formData.append('without-text', this.value.length);
          if (last) event.stopImmediatePropagation();
        }, early);
      }
    },
    'x-property': class extends HTMLElement {
      value = '';
      name = 'by-property';
      connectedCallback() { this.closest('form')?.addEventListener('formdata', ({ formData }) => this.name && formData.append(this.name, this.value)); }
    },
    // It puts its name back.
    'x-stubborn': class extends Note {
      static observedAttributes = ['name', 'form'];
      attributeChangedCallback(name, _, now) { if (name === 'name' && !now) this.setAttribute('name', 'stubborn'); if (name === 'form' && now !== null) this.removeAttribute('form'); }
      changed(value) { this.internals.setFormValue(entries('stubborn', 'more')(value)); }
    },
    // As some editors do, it keeps its text in a hidden control as well, in itself or elsewhere in the form.
    'x-hidden-inside': class extends HTMLElement {
      #value = '';
      get value() { return this.#value; }
      set value(value) { this.#value = value; this.innerHTML = '<input type="hidden" name="inside">'; this.firstChild.value = value; }
    },
    'x-hidden-outside': class extends HTMLElement {
      #value = '';
      get value() { return this.#value; }
      set value(value) {
        this.#value = value;
        const hidden = Object.assign(document.createElement('input'), { type: 'hidden', name: 'outside', value: '<p>' + value + '</p>' });
        this.closest('form').append(hidden);
      }
    },
    'x-shadow': class extends HTMLElement {
      constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<x-entries></x-entries><textarea name="in-shadow"></textarea>'; }
      get value() { return this.shadowRoot.lastChild.value; }
      set value(value) { for (const child of this.shadowRoot.children) child.value = value; }
    },
  };
  window.define = (...names) => { for (const name of names.length ? names : Object.keys(classes)) customElements.define(name, classes[name]); };`;

/** Properties and methods of a form. A control with such a name hides it. */
const ASKED = [
  ...['addEventListener', 'append', 'getAttribute', 'getRootNode', 'isConnected', 'localName', 'method', 'noValidate', 'ownerDocument'],
  ...['querySelectorAll', 'removeAttribute', 'removeEventListener', 'requestSubmit', 'setAttribute', 'setCustomValidity'],
];

const form = (content, { button = '<button id="send" name="by" value="button">Send</button>', attributes = '' } = {}) =>
  `<form id="form" method="post" target="sink" ${attributes}><input name="topic" value="sleep">${content}<p>${button}</p></form>`;

/** Markup with a control in it, in each kind of region. */
const REGIONS = {
  'data-private': (control) => control.replace('NAME', 'data-private="note" name="raw"'),
  'in data-private': (control) => `<div data-private="note">${control.replace('NAME', 'name="raw"')}</div>`,
  '<textveil-field>': (control) => `<textveil-field name="note">${control.replace('NAME', 'name="raw"')}</textveil-field>`,
};

/** What happens to a control while the submission waits, or before. In the page. */
const MOVES = {
  renamed: () => {
    const control = document.querySelector('#private');
    control.setAttribute('name', 'renamed');
    control.name = 'renamed-again';
  },
  'given a form': () => document.querySelector('#private').setAttribute('form', 'form'),
  moved: () => document.querySelector('#form').append(document.querySelector('#private')),
  'moved out and back': () => {
    const control = document.querySelector('#private');
    const place = document.createComment('');
    control.replaceWith(place);
    document.body.append(control);
    control.setAttribute('name', 'raw');
    place.replaceWith(control);
  },
  replaced: () => {
    const control = document.querySelector('#private');
    const other = document.createElement(control.localName);
    for (const { name, value } of control.attributes) if (name !== 'form') other.setAttribute(name, value);
    other.setAttribute('name', 'replaced');
    control.replaceWith(other);
    other.value = control.value;
  },
};

/**
 * The content of the page, the actions there, and the result that must follow. 'release' sends a release. 'public'
 * sends everything except the region. With 'error' a person sees an error, and nothing is sent.
 *
 * @type {any[]}
 */
const SCENARIOS = [
  ...Object.entries(SYSTEMS).flatMap(([system, { define, control, open, button }]) => [
    ...Object.entries(REGIONS).map(([kind, region]) => ({
      name: `${system}: ${kind}`,
      body: form(open + region(control), { button }),
      imports: define,
      open: 'public',
      come: 'release',
    })),
    {
      name: `${system}: defined late`,
      body: form(open + REGIONS['data-private'](control), { button }),
      late: define,
      open: 'public',
      come: 'release',
    },
    {
      name: `${system}: never defined`,
      body: form(REGIONS['data-private'](control)),
      unwritten: true,
      come: 'error',
    },
    {
      name: `${system}: a form in a shadow tree`,
      body: `<div id="host"></div><template>${form(REGIONS['data-private'](control))}</template>`,
      imports: define,
      early: () => document.querySelector('#host').attachShadow({ mode: 'open' }).append(document.querySelector('template').content),
      come: 'release',
    },
    ...Object.entries(MOVES).map(([name, move]) => ({
      name: `${system}: ${name} while the submission waits`,
      body: form(open + REGIONS['data-private'](control), { button }),
      imports: define,
      meanwhile: move,
      open: 'public',
      come: 'release',
    })),
  ]),
  ...['x-value', 'x-entries', 'x-shadow', 'x-property', 'x-hidden-inside', 'x-hidden-outside'].flatMap((tag) =>
    Object.entries(REGIONS).map(([kind, region]) => ({
      name: `<${tag}>: ${kind}`,
      body: form(region(`<${tag} id="private" NAME></${tag}>`)),
      early: () => define(),
      come: 'release',
    })),
  ),
  ...['', 'data-early', 'data-last', 'data-early data-last', 'data-at="window"', 'data-at="window" data-early'].map((how) => ({
    name: `<x-listens ${how}>`,
    body: form(`<div data-private="note"><x-listens id="private" name="raw" ${how}></x-listens></div>`),
    early: () => define(),
    // It may add entries before ours, or stop the event. Its text must not be sent.
    come: 'release',
    loose: how.includes('window'),
  })),
  ...['x-mute', 'x-mute-entries', 'x-object', 'x-throws'].flatMap((tag) =>
    Object.entries(REGIONS).map(([kind, region]) => ({
      name: `<${tag}>, which cannot be read: ${kind}`,
      body: form(region(`<${tag} id="private" NAME></${tag}>`)),
      early: () => define(),
      come: 'error',
    })),
  ),
  {
    name: 'an element that puts name and form back',
    body: form('<x-stubborn id="private" data-private="note" name="raw"></x-stubborn>'),
    early: () => define(),
    // Where it gets its form back (not in Firefox) its entries cannot be told from others: then all are taken out.
    come: 'either',
  },
  {
    name: 'a control that a framework uses again for a public field, with the text in it',
    body: form('<textarea id="private" data-private="note"></textarea>'),
    before: () => {
      const control = document.querySelector('#private');
      control.removeAttribute('data-private');
      control.name = 'feedback';
    },
    meanwhile: () => {
      const control = document.querySelector('#private');
      control.removeAttribute('data-private');
      control.name = 'feedback';
    },
    come: 'public',
  },
  {
    name: 'a second element, which cannot be read, and adds its text under the name of a public control',
    body: form('<div data-private="note"><textarea id="private"></textarea><x-secret></x-secret></div>'),
    early: () => {
      const secret = window.raw.toUpperCase();
      customElements.define(
        'x-secret',
        class extends HTMLElement {
          connectedCallback() {
            this.closest('form').addEventListener('formdata', ({ formData }) => (formData.append('topic', secret), formData.set('topic', secret)));
          }
        },
      );
    },
    come: 'release',
  },
  {
    name: 'a public entry that a script adds, for which there is a hidden field',
    body: form('<x-value id="private" data-private="note"></x-value><input type="hidden" name="token" value="early">'),
    early: () => {
      define();
      document.querySelector('form').addEventListener('formdata', ({ formData }) => formData.set('token', 'late'));
    },
    extra: ['token', 'late'],
    come: 'release',
  },
  {
    name: 'an element that is defined while the submission waits',
    body: form('<x-entries id="private" data-private="note" name="raw"></x-entries>'),
    early: () => define('x-value'),
    meanwhile: () => {
      if (!customElements.get('x-entries')) define('x-entries');
      document.querySelector('#private').value = document.querySelector('#private').value || window.raw;
    },
    come: 'either',
  },
  {
    name: 'an element that comes in the last moment',
    body: form('<textarea id="private" data-private="note"></textarea><div data-private="more" id="place"><input></div>'),
    early: () => define(),
    before: () => {
      document.querySelector('#place').innerHTML = '<input><x-entries name="raw"></x-entries>';
      document.querySelector('#place').lastChild.value = window.raw;
    },
    come: 'either',
  },
  {
    name: 'an element that comes in the page\'s own submit listener',
    body: form('<textarea id="private" data-private="note"></textarea><div data-private="more" id="place"><input></div>'),
    early: () => {
      define();
      document.addEventListener('submit', () => {
        document.querySelector('#place').innerHTML = '<input><x-entries name="raw"></x-entries><select name="raw-choice"><option></select>';
        document.querySelector('x-entries').value = window.raw;
        document.querySelector('option').value = window.raw;
      });
    },
    come: 'either',
  },
  ...Object.entries({ 'data-private': '<fieldset data-private="note">', '<textveil-field>': '<textveil-field name="note">' }).map(([kind, start]) => ({
    name: `choices, files, hidden fields and buttons: ${kind}`,
    body: form(
      `${start}<textarea id="private" dirname="direction" name="raw"></textarea>
        <select name="choice"><option value="RAW">x</select><input type="checkbox" name="check" value="RAW" checked>
        <input type="radio" name="radio" value="RAW" checked><input type="hidden" name="hidden" value="RAW"><input name="more" value="RAW">
        <input type="file" name="file"><output name="output">RAW</output><object name="object"></object><div contenteditable name="editable">RAW</div>
        <button id="send" name="button" value="RAW">Send</button></${start.match(/\w[\w-]*/)[0]}>`.replaceAll('RAW', RAW),
      { button: '' },
    ),
    come: 'release',
  })),
  {
    name: 'a button with a picture in a region',
    body: form('<div data-private="note"><textarea id="private"></textarea><input type="image" id="send" name="picture" alt="Send"></div>', { button: '' }),
    come: 'release',
  },
  ...[
    '<input type="checkbox" data-private="note" name="raw" value="RAW" checked>',
    ...['color" value="#123456', 'date" value="1999-07-01', 'number" value="42', 'range" value="42', 'time" value="12:30'].map(
      (type) => `<input data-private="note" name="raw" type="${type}">`,
    ),
    '<select data-private="note" name="raw"><option>RAW</select>',
    '<div data-private="note"></div>',
    '<textveil-field name="note"></textveil-field>',
    '<textveil-field name="note"><select name="raw"><option>RAW</select></textveil-field>',
  ].map((markup) => ({
    name: `no text: ${markup.replace('RAW', '…')}`,
    body: form(markup.replace('RAW', RAW)),
    come: 'error',
  })),
  {
    name: 'data-private without a field',
    body: form(`<div data-private=""><div contenteditable id="private"></div><x-entries name="more"></x-entries></div>`),
    early: () => {
      define();
      document.querySelector('x-entries').value = window.raw;
    },
    come: 'error',
  },
  {
    name: 'a region elsewhere, whose control names the form',
    body: `${form('')}<div data-private="note"><x-entries id="private" form="form" name="raw"></x-entries><select form="form" name="choice"><option>${RAW}</select></div>`,
    early: () => define(),
    come: 'release',
  },
  {
    name: 'a control in the form that names another form, which nobody protects',
    body: `${form('<textarea id="private" data-private="note"></textarea><textarea id="second" data-private="other" form="second-form" name="raw"></textarea>')}<form id="second-form"></form>`,
    check: () => ({ name: document.querySelector('#second').getAttribute('name'), second: [...new FormData(document.querySelector('#second-form')).keys()] }),
    checked: { name: null, second: [] },
    come: 'release',
  },
  {
    name: 'a <textveil-field> in another, and marked controls in both',
    body: form(
      `<textveil-field name="outer"><textarea name="o">${RAW}</textarea><textveil-field name="note"><textarea id="private" name="raw"></textarea><input data-private="third" name="t" value="${RAW}"></textveil-field></textveil-field>`,
    ),
    come: 'release',
  },
  {
    name: 'hidden fields with an ordinary value, in a region and outside of it',
    body: form('<div data-private="note"><input type="hidden" name="inside" value="en"><textarea id="private"></textarea></div><input type="hidden" name="lang" value="en">'),
    extra: ['lang', 'en'],
    come: 'release',
  },
  {
    name: 'a control that is called "elements"',
    body: form('<input name="elements" value="x"><input name="form" value="x"><textarea id="private" data-private="note" name="raw"></textarea>'),
    come: 'release',
  },
  {
    name: 'controls that are called as what the package asks of a form',
    body: form(`${ASKED.map((name) => `<input name="${name}" value="x">`).join('')}<textarea id="private" data-private="note" name="raw"></textarea>`),
    loose: true,
    come: 'release',
  },
  {
    name: 'a form that has the name of a method of the document',
    body: form('<textarea id="private" data-private="note" name="raw"></textarea>', { attributes: 'name="addEventListener"' }),
    early: () => document.querySelector('form').after(Object.assign(document.createElement('form'), { name: 'querySelectorAll' })),
    come: 'release',
  },
  {
    name: 'an editor that copies its text into a hidden field',
    body: form('<div contenteditable id="private" data-private="note" name="raw"></div><input type="hidden" name="copy"><textarea name="copy-too" hidden></textarea>'),
    early: () => {
      const editor = document.querySelector('#private');
      editor.addEventListener('input', () => {
        document.querySelector('[name=copy]').value = editor.innerHTML;
        document.querySelector('[name=copy-too]').value = `${editor.innerText}\nand more`;
      });
    },
    come: 'release',
  },
  {
    name: 'a fieldset that is disabled: nothing of it is asked for',
    body: form('<fieldset disabled><x-mute id="private" data-private="note" name="raw"></x-mute></fieldset>'),
    early: () => define(),
    come: 'public',
  },
];

/** What a page does. */
const MAIN = (imports) => `
  import { protect } from '/textveil/form.js';
  import '/textveil/element.js';
  import '/elements.js';
  ${imports.map((path) => `import '${path}';`).join('\n')}
  window.raw = ${JSON.stringify(RAW)};
  window.pause = (ms) => new Promise((end) => setTimeout(end, ms));
  window.put = (control, text) => {
    control[control.isContentEditable ? 'innerText' : 'value'] = text;
    control.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  };
  window.answers = 0;
  document.querySelector('iframe').addEventListener('load', () => window.answers++);
  window.find = (selector) => document.querySelector(selector) ?? document.querySelector('#host')?.shadowRoot.querySelector(selector);
  window.start = (early, late) => {
    early?.();
    window.form = find('form');
    // It waits as long as it is told to.
    window.held = Promise.resolve();
    window.protection = protect(form, { ledger: () => ({ spend: () => window.held }) });
    return Promise.all(late.map((path) => import(path)));
  };
  window.write = async () => {
    const control = find('#private');
    if (!control) return;
    put(control, raw);
    // Components take over a value in their own time.
    await (control.updateComplete ?? pause(100));
    await pause(0);
  };
  window.send = async (way, address, meanwhile, before) => {
    Element.prototype.setAttribute.call(form, 'action', address);
    let go = () => {};
    if (meanwhile) window.held = new Promise((end) => (go = end));
    if (way === 'click') find('#send').click();
    if (way === 'requestSubmit') HTMLFormElement.prototype.requestSubmit.call(form);
    if (meanwhile) {
      await pause(30);
      meanwhile();
    }
    go();
    if (way === 'click' || way === 'requestSubmit') return;
    await protection.settled().catch(() => {});
    before?.();
    if (way === 'submit') return setTimeout(() => HTMLFormElement.prototype.submit.call(form));
    const body = new FormData(form);
    await fetch(address, { method: 'POST', body });
  };
  window.problems = () => {
    const said = [...document.querySelectorAll('.textveil-error'), ...(document.querySelector('#host')?.shadowRoot.querySelectorAll('.textveil-error') ?? [])];
    const lines = said.filter((line) => line.textContent && line.checkVisibility()).map((line) => line.textContent);
    const messages = [...Element.prototype.querySelectorAll.call(form, 'input, textarea, select')].filter((control) => control.validity.customError).map((control) => control.validationMessage);
    const active = find('#host')?.shadowRoot.activeElement ?? document.activeElement;
    return { said: [...lines, ...messages], focused: active !== document.body };
  };
  window.main = true;`;

/** What is wrong; and, for each way, the entries that arrived: one cell of the table of scenarios and engines. */
async function sendAll(browser, site, { come, meanwhile, before, open, extra, loose }) {
  const problems = [];
  const found = [];
  const say = (way, what) => problems.push(`${way}: ${what}`);
  for (const way of WAYS) {
    const address = `/by-${way}`;
    const had = await browser.evaluate('() => window.answers');
    await browser.evaluate(`(way, address) => window.send(way, address, ${meanwhile ?? undefined}, ${before ?? undefined})`, way, address);
    const waits = way === 'click' || way === 'requestSubmit';
    const expected = come === 'error' && waits ? 0 : 1;
    if (expected) await until(() => site.to(address).length > 0, `a request for ${address}`);
    else await wait(LONG_ENOUGH);
    // A submission that comes while the answer to the last one arrives may get lost.
    if (expected && way !== 'fetch') await until(() => browser.evaluate('(had) => window.answers > had', had), 'the answer');
    const requests = site.to(address);
    if (requests.length !== expected) say(way, `${requests.length} requests`);
    if (!requests.length) found.push(`${way}: stopped, the person is told`);
    for (const request of requests) {
      const sent = await fieldsOf(request);
      const names = sent.map(([name]) => name);
      found.push(`${way}: ${names.filter((name) => !name.endsWith('-guarantee')).join(' ') || 'empty'}`);
      const text = `${request.url}\n${request.body}\n${decodeURIComponent(request.body.toString('latin1').replace(/%(?![0-9a-f]{2})/gi, '').replaceAll('+', ' '))}\n${sent.join('\n')}`;
      if (TELLTALE.test(text)) say(way, `THE TEXT, in ${JSON.stringify(sent)}`);
      if (come === 'either' && names.length === 0) continue;
      if (come === 'error') {
        if (names.length) say(way, `sent ${names}`);
        continue;
      }
      if (sent.find(([name]) => name === 'topic')?.[1] !== 'sleep') say(way, 'without what is public');
      if (open && sent.find(([name]) => name === 'open')?.[1] !== open) say(way, `without the public control of the design system, but ${names}`);
      if (extra && sent.find(([name]) => name === extra[0])?.[1] !== extra[1]) say(way, `without ${extra}, but ${names}`);
      const others = names.filter((name) => name !== extra?.[0] && !['topic', 'open', 'by', 'elements', 'form', 'note', 'note-guarantee', 'outer', 'outer-guarantee', 'third', 'third-guarantee', 'more', 'more-guarantee', 'copy', 'copy-too'].includes(name));
      if (others.length && !loose) say(way, `unexpected ${others}`);
      if (come !== 'public' && !JSON.parse(`${sent.find(([name]) => name === 'note-guarantee')?.[1] ?? '{}'}`).words) say(way, `no release, but ${names}`);
    }
    if (come === 'error' && waits) {
      await until(() => browser.evaluate('() => window.problems().said.length > 0'), 'a message').catch(() => {});
      const { said, focused } = await browser.evaluate('() => window.problems()');
      if (!said.some((line) => /not sent|cannot be sent/.test(line))) say(way, `nobody is told: ${JSON.stringify(said)}`);
      if (!focused) say(way, 'the focus is nowhere');
    }
  }
  return { problems, found };
}

/** A word that people write in private and in public. A release may hold it by chance, so the tests look at all other entries. */
const WORD = 'cancer';

/** How pages hide a control from the person, and still let the browser lay it out. */
const UNSEEN = {
  'for screen readers only': 'position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0)',
  'one pixel wide': 'position: absolute; width: 1px; height: 1px; padding: 0; border: 0; overflow: hidden',
  transparent: 'opacity: 0',
  'nearly transparent': 'opacity: 0.01',
  'off the screen': 'position: absolute; left: -9999px',
  'not visible': 'visibility: hidden',
  'not shown': 'display: none',
};

const EDITOR = '<div contenteditable id="private" data-private="note"></div>';

/** In the page: an editor that copies its text into the control `body`, in another form, with this style. */
const mirror = (style, before, after) => {
  const [editor, body] = [document.querySelector('#private'), document.querySelector('[name=body]')];
  editor.style.minHeight = '2em';
  body.style.cssText = style;
  editor.addEventListener('input', () => (body.value = before + (editor.value ?? editor.innerText) + after));
};

/** A private text with all that other forms escape. */
const LONG = 'My sister Zebulonia has "cancer" & pain\nsince May, and customer service is slow';

/** What a script makes of a private text, and of the text before the last key. In the page. */
const COPIED = {
  'escaped in JSON': (text) => JSON.stringify({ note: text }),
  'encoded for an address': (text) => encodeURIComponent(text),
  'encoded for a form, twice': (text) => new URLSearchParams({ q: `${new URLSearchParams({ note: text })}` }),
  'escaped in HTML': (text) => text.replace(/[&"\n]/g, (sign) => ({ '&': '&amp;', '"': '&#x22;', '\n': '<br>' })[sign]),
  'in small letters': (text) => text.toLowerCase(),
  'cut behind forty characters, in JSON': (text) => JSON.stringify({ title: text.slice(0, 40) }),
  'without its last characters': (text) => text.slice(0, -4),
  'without its beginning': (text) => text.slice(10),
  'of its middle': (text) => text.slice(10, 40),
};

/** Private texts, and values of scripts that are no copies of them. */
const ALIKE = [
  ['2026-11-03', '2026-11-29T12:00:00Z'],
  ['10:30 to 11:45', '10:30 to 11:00'],
  ['bob@companyname.com', 'support@companyname.com'],
  ['https://www.example.com/orders/17', 'https://www.example.com/thanks'],
  ['New York City', 'New York Central'],
  ['Dear Sir or Madam, my doctor was rude', '<p>Dear Sir or Madam,</p><p>I order ten chairs</p>'],
  ['I would like to complain about a nurse', '{"title":"I would like to book a room"}'],
];

/** In the page: writes what a script makes of a text into the hidden field `body`, whatever the private text is. */
const copier = (make) => `() => document.querySelector('#private').addEventListener('input', (event) => (document.querySelector('[name=body]').value = (${make})(event.target.value)))`;

/** Waits for the elements of Shoelace. */
const shoelace = { imports: SYSTEMS.Shoelace.define, prepare: () => document.querySelector('[name=title]').updateComplete };

/**
 * The content of a form, the steps of a script and of a person, and the public entries that must arrive. `type` and then `press`
 * name a control for each text that a person types. `press` also reaches a control that only has the focus, or is in a shadow tree.
 *
 * @type {any[]}
 */
const COPIES = [
  ...Object.entries(UNSEEN).map(([how, style]) => ({
    name: `a copy in a text area that is ${how}`,
    body: `${EDITOR}<textarea name="body"></textarea>`,
    prepare: mirror,
    given: [style, '', ''],
    type: [['#private', WORD]],
    sent: [],
  })),
  {
    name: 'a copy in a text area that can be seen, but in which nobody wrote',
    body: `${EDITOR}<textarea name="body"></textarea>`,
    prepare: mirror,
    given: ['', '', ''],
    type: [['#private', WORD]],
    sent: [],
  },
  ...Object.entries({
    'after a word': ['Diagnosis: ', ''],
    'in JSON': ['{"v":"', '"}'],
    'between words of other scripts': ['диагноз:', '。病'],
  }).map(([where, around]) => ({
    name: `a copy in a hidden field, ${where}`,
    body: '<input id="private" data-private="note"><input type="hidden" name="body">',
    prepare: mirror,
    given: ['', ...around],
    type: [['#private', WORD]],
    sent: [],
  })),
  {
    name: 'a copy of a long text in a hidden field, within a word',
    body: '<input id="private" data-private="note"><input type="hidden" name="body">',
    prepare: mirror,
    given: ['', 'x', 'x'],
    type: [['#private', 'headaches']],
    sent: [],
  },
  {
    name: 'a copy with other white space',
    body: `${EDITOR}<input type="hidden" name="body">`,
    prepare: () => {
      const [editor, body] = [document.querySelector('#private'), document.querySelector('[name=body]')];
      editor.style.minHeight = '2em';
      editor.addEventListener('input', () => (body.value = editor.innerText.replaceAll(/\s+/g, ' \n')));
    },
    type: [['#private', 'my own note']],
    sent: [],
  },
  {
    name: 'a copy of two lines in a control of one line',
    body: '<textarea id="private" data-private="note"></textarea><input name="body">',
    prepare: mirror,
    given: ['', '', ''],
    then: () => put(document.querySelector('#private'), 'first line\nsecond line'),
    sent: [],
  },
  ...Object.entries(COPIED).map(([how, make]) => ({
    name: `a copy in a hidden field, ${how}`,
    body: '<textarea id="private" data-private="note"></textarea><input type="hidden" name="body">',
    prepare: copier(make),
    then: `() => put(document.querySelector('#private'), ${JSON.stringify(LONG)})`,
    sent: [],
  })),
  {
    name: 'a copy that is one key old',
    body: '<input id="private" data-private="note"><input type="hidden" name="body">',
    prepare: copier("(text) => ((window.before = [text, window.before?.[0] ?? '']), window.before[1])"),
    type: [['#private', 'I have cancer']],
    sent: [],
  },
  ...['zebulonia', 'A-17', 'customer service', '<p class="ql-align-center">Hello</p>', 'my sister has'].map((value) => ({
    name: `a value of a script that is no copy: ${value}`,
    body: '<div contenteditable id="private" data-private="note"></div><input type="hidden" name="body">',
    prepare: `() => document.querySelector('#private').addEventListener('input', () => (document.querySelector('[name=body]').value = ${JSON.stringify(value)}))`,
    then: `() => put(document.querySelector('#private'), ${JSON.stringify(LONG)})`,
    sent: [['body', value]],
  })),
  ...ALIKE.map(([text, value]) => ({
    name: `a value of a script that is like the text: ${value}`,
    body: '<input id="private" data-private="note"><input type="hidden" name="body">',
    prepare: `() => document.querySelector('#private').addEventListener('input', () => (document.querySelector('[name=body]').value = ${JSON.stringify(value)}))`,
    then: `() => put(document.querySelector('#private'), ${JSON.stringify(text)})`,
    sent: [['body', value]],
  })),
  {
    name: 'a letter in a public editor, which begins as the private text does',
    body: '<div contenteditable id="public"></div><input type="hidden" name="body"><input id="private" data-private="note">',
    prepare: () => document.querySelector('#public').addEventListener('input', ({ target }) => (document.querySelector('[name=body]').value = target.innerHTML)),
    type: [['#private', 'With kind regards to all of you, Zebulonia'], ['#public', 'With kind regards to all of you, Anna']],
    sent: [['body', 'With kind regards to all of you, Anna']],
  },
  {
    name: 'a copy of what a person wrote in public, and also in private',
    body: '<input name="title"><input id="private" data-private="note"><input type="hidden" name="body">',
    prepare: () => document.querySelector('[name=title]').addEventListener('input', ({ target }) => (document.querySelector('[name=body]').value = target.value)),
    type: [['#private', 'Please answer me: zebulonia@example.org'], ['[name=title]', 'Zebulonia@example.org']],
    sent: [['title', 'Zebulonia@example.org'], ['body', 'Zebulonia@example.org']],
  },
  {
    name: 'a file is no text, whatever a script calls it',
    body: '<input id="private" data-private="note"><input type="file" name="title">',
    type: [['#private', 'object']],
    sent: [['title', '']],
  },
  {
    name: 'a short text within another word is there by chance',
    body: '<input id="private" data-private="note"><input type="hidden" name="body">',
    prepare: mirror,
    given: ['', 'pre', 'ous'],
    type: [['#private', WORD]],
    sent: [['body', `pre${WORD}ous`]],
  },
  ...Object.entries(UNSEEN).filter(([, style]) => !/visibility|display/.test(style)).map(([how, style]) => ({
    name: `a text area that is ${how} and takes the keys for the private region`,
    body: `${EDITOR}<textarea name="body"></textarea>`,
    prepare: (style) => {
      const [editor, body] = [document.querySelector('#private'), document.querySelector('[name=body]')];
      body.style.cssText = style;
      body.addEventListener('input', () => put(editor, body.value));
    },
    given: [style],
    press: ['[name=body]', WORD],
    sent: [],
  })),
  {
    name: 'a title with the same word, written before',
    body: '<input name="title"><input id="private" data-private="note">',
    type: [['[name=title]', WORD], ['#private', WORD]],
    sent: [['title', WORD]],
  },
  {
    name: 'a title with the same word, written later, and shown in a later step no more',
    body: '<input id="private" data-private="note"><input name="title">',
    type: [['#private', WORD], ['[name=title]', WORD]],
    then: () => (document.querySelector('[name=title]').style.display = 'none'),
    sent: [['title', WORD]],
  },
  {
    name: 'a title with the same word, in a form that is protected anew',
    body: '<input id="private" data-private="note"><input name="title">',
    type: [['#private', WORD], ['[name=title]', WORD]],
    then: () => {
      window.protection.stop();
      return window.start(undefined, []);
    },
    sent: [['title', WORD]],
  },
  {
    name: 'a text around the same word',
    body: '<input id="private" data-private="note"><textarea name="title"></textarea>',
    type: [['#private', WORD], ['[name=title]', `about ${WORD}, too`]],
    sent: [['title', `about ${WORD}, too`]],
  },
  {
    name: 'a title that a script has changed since',
    body: '<input id="private" data-private="note"><input name="title">',
    type: [['#private', WORD], ['[name=title]', WORD]],
    then: () => (document.querySelector('[name=title]').value += ' and more'),
    sent: [],
  },
  {
    name: 'a title that was cleared with the form, and into which a script copies',
    body: '<input id="private" data-private="note"><input name="title">',
    type: [['#private', WORD], ['[name=title]', WORD]],
    then: async () => {
      window.form.reset();
      await pause(0);
      put(document.querySelector('#private'), 'cancer');
      document.querySelector('[name=title]').value = 'cancer';
    },
    sent: [],
  },
  {
    name: 'the title of a design system, with the same word',
    body: '<sl-input name="title"></sl-input><input id="private" data-private="note">',
    ...shoelace,
    type: [['#private', WORD]],
    press: ['sl-input', WORD],
    sent: [['title', WORD]],
  },
  {
    name: 'the title of a design system into which a script copies',
    body: '<sl-input name="title"></sl-input><input id="private" data-private="note">',
    ...shoelace,
    type: [['#private', WORD]],
    then: async () => {
      const title = document.querySelector('[name=title]');
      title.value = 'cancer';
      await title.updateComplete;
    },
    sent: [],
  },
  {
    name: 'what stood there before: of the server, a password manager, or an earlier visit',
    body: `<input name="title"><input type="hidden" name="token" value="from ${WORD}"><select name="choice"><option>${WORD}</select>
      <input type="checkbox" name="check" value="${WORD}" checked><input id="private" data-private="note">`,
    prepare: () => put(document.querySelector('[name=title]'), 'cancer'),
    type: [['#private', WORD]],
    sent: [['title', WORD], ['token', `from ${WORD}`], ['choice', WORD], ['check', WORD]],
  },
  {
    name: 'what stood there before, and a script has changed and changed back',
    body: `<input type="hidden" name="body" value="${WORD}"><input id="private" data-private="note">`,
    prepare: mirror,
    given: ['', '', ''],
    type: [['#private', WORD]],
    sent: [],
  },
  {
    name: 'a choice among those that the page had before',
    body: `<input id="private" data-private="note"><select name="choice"><option><option>other<option>${WORD}</select>`,
    type: [['#private', WORD]],
    then: () => (document.querySelector('select').value = 'cancer'),
    sent: [['choice', WORD]],
  },
  {
    name: 'copies as an option, as a value of a box, of a button and of a custom element, and in entries of a script',
    body: '<input id="private" data-private="note"><select name="choice"></select><input type="checkbox" name="check" checked><x-value name="custom"></x-value>',
    prepare: () => {
      define('x-value');
      const [control, send] = ['#private', '#send'].map((selector) => document.querySelector(selector));
      control.addEventListener('input', () => {
        document.querySelector('select').innerHTML = `<option>${control.value}`;
        document.querySelector('[name=check]').value = send.value = `so: ${control.value}`;
        document.querySelector('x-value').value = control.value;
      });
      window.form.addEventListener('formdata', ({ formData }) => {
        formData.append('early', `(${control.value})`);
        formData.set('topic', 'sleep');
        formData.set('later', JSON.stringify({ v: control.value }));
      });
    },
    type: [['#private', WORD]],
    by: [],
    sent: [],
  },
  {
    name: 'the text in the name of an entry: of a hidden field, of a box, and of a script',
    body: '<input id="private" data-private="note"><input type="hidden" value="1"><input type="checkbox" checked>',
    prepare: () => {
      const [control, hidden, box] = ['#private', '[type=hidden]', '[type=checkbox]'].map((selector) => document.querySelector(selector));
      control.addEventListener('input', () => {
        hidden.name = `tags[${control.value}]`;
        box.name = control.value;
      });
      window.form.addEventListener('formdata', ({ formData }) => formData.append(`q: ${control.value}`, '1'));
    },
    type: [['#private', WORD]],
    sent: [],
  },
  {
    name: 'a name that the page had before',
    body: `<input id="private" data-private="note"><input type="checkbox" name="has-${WORD}" value="yes" checked>`,
    type: [['#private', WORD]],
    sent: [[`has-${WORD}`, 'yes']],
  },
];

/** Texts, and how a script makes an address of each. In the page. */
const ADDRESSES = {
  'encoded, behind a percent sign of the page': ['my own cancer', (text) => `/with?discount=100%&note=${encodeURIComponent(text)}`],
  'encoded, with a percent sign in the text': ['100% my own cancer', (text) => `/with?${new URLSearchParams({ text })}`],
  'as it is, with a plus': ['my own C++ and cancer', (text) => `/with?note=${text}`],
  'as the browser writes it': ['my own C++ and cancér', (text) => new URL(`/with?note=${text}`, location.href).href],
  'by `escape`': ['my own cancér, рак', (text) => `/with?note=${escape(text)}`],
};

inEachEngine('nothing of a private region is sent', (browser, engine) => {
  /** A page, and what works on it. */
  async function visit({ body, imports = [], kept = true }, work) {
    const files = {
      '/page.html': `<!doctype html><html lang="en"><meta charset="utf-8"><title>A form</title>
        <script type="importmap" nonce="map">${JSON.stringify({ imports: IMPORTS })}</script>
        ${body}<iframe name="sink" title="answers"></iframe><script type="module" src="/main.js"></script></html>`,
      '/main.js': MAIN(imports),
      '/elements.js': ELEMENTS,
    };
    const site = await record({ files, headers: kept ? HEADERS : { ...HEADERS, 'Cache-Control': 'no-store' } });
    try {
      await browser.goto(`${site.url}/page.html`);
      await until(() => browser.evaluate(() => Boolean(window.main)).catch(() => false), 'the page');
      await work(site);
    } finally {
      await site.close();
    }
  }

  for (const scenario of SCENARIOS) {
    test(scenario.name, (t) =>
      visit(scenario, async (site) => {
        /** @type {any} */
        const { late = [], early, unwritten = false, check, checked } = scenario;
        await browser.evaluate(`(late) => window.start(${early ?? undefined}, late).then(() => ${unwritten} || window.write())`, late);
        const { problems, found } = await sendAll(browser, site, scenario);
        t.diagnostic(found.join(' · '));
        assert.deepEqual(problems, []);
        if (check) assert.deepEqual(await browser.evaluate(check), checked);
      }),
    );
  }

  /** The page with a form is prepared, and a person types. */
  async function typed(/** @type {any} */ { prepare = () => {}, given = [], type = [], press: [focused, keys] = ['', ''], then = () => {} }) {
    await browser.evaluate(() => window.start(undefined, []).then(() => window.protection.ready));
    await browser.evaluate(`async (...given) => void (await (${prepare})(...given))`, ...given);
    for (const [selector, text] of type) await browser.type(selector, text);
    if (focused) await browser.evaluate((selector) => document.querySelector(selector).focus(), focused);
    for (const key of keys) await browser.press(key);
    await browser.evaluate(`async () => void (await (${then})())`);
  }

  for (const scenario of COPIES) {
    test(`copies: ${scenario.name}`, () =>
      visit({ ...scenario, body: form(scenario.body) }, async (site) => {
        await typed(scenario);
        for (const way of ['fetch', 'click']) {
          const address = `/by-${way}`;
          await browser.evaluate('(way, address) => window.send(way, address)', way, address);
          await until(() => site.to(address).length > 0, `a request for ${address}`);
          const entries = await fieldsOf(site.to(address)[0]);
          const own = entries.filter(([name]) => name.startsWith('note')).map(([name]) => name);
          const others = entries.filter(([name]) => !name.startsWith('note')).map(([name, value]) => `${name}=${value instanceof File ? value.name : value}`);
          const { by = [['by', 'button']], sent } = scenario;
          const expected = [['topic', 'sleep'], ...sent, ...(way === 'click' ? by : [])].map(([name, value]) => `${name}=${value}`);
          assert.deepEqual(others.sort(), expected.sort(), way);
          assert.deepEqual(own, ['note', 'note-guarantee'], way);
        }
      }));
  }

  for (const attribute of ['action', 'formaction']) {
    test(`copies: a script puts the text into the ${attribute} of the form`, () =>
      visit({ body: form('<input id="private" data-private="note">') }, async (site) => {
        await typed({ type: [['#private', `my own ${WORD}`]] });
        await browser.evaluate((attribute) => {
          const holder = attribute === 'action' ? window.form : find('#send');
          window.form.addEventListener('submit', () => {
            const query = new URLSearchParams({ q: document.querySelector('#private').value });
            holder.setAttribute(attribute, holder.hasAttribute('data-late') ? '/without' : `/with?${query}`);
          });
        }, attribute);
        await browser.evaluate(() => window.send('click', '/first'));
        await until(() => browser.evaluate(() => window.problems().said.length > 0), 'an error');
        await wait(LONG_ENOUGH);
        assert.deepEqual(['/first', '/with'].map((path) => site.to(path).length), [0, 0]);
        assert.ok((await browser.evaluate(() => window.problems())).focused);
        // Without the text the form is sent.
        await browser.evaluate((attribute) => {
          (attribute === 'action' ? window.form : find('#send')).setAttribute('data-late', '');
          window.send('click', '/first');
        }, attribute);
        await until(() => site.to('/without').length > 0, 'the form');
      }));
  }

  for (const [how, [text, make]] of Object.entries(ADDRESSES)) {
    test(`copies: a script puts the text into the address of the form, ${how}`, () =>
      visit({ body: form('<input id="private" data-private="note">') }, async (site) => {
        await typed({ prepare: (text) => put(document.querySelector('#private'), text), given: [text] });
        await browser.evaluate(`(text) => window.form.addEventListener('submit', () => window.form.setAttribute('action', (${make})(text)))`, text);
        await browser.evaluate(() => window.send('click', '/first'));
        await until(() => browser.evaluate(() => window.problems().said.length > 0), 'an error');
        await wait(LONG_ENOUGH);
        assert.deepEqual(['/first', '/with'].map((path) => site.to(path).length), [0, 0]);
      }));
  }

  test('copies: the address that the page gave to the form is none', () =>
    visit({ body: form('<input id="private" data-private="note">', { attributes: `action="/about/${WORD}"` }) }, async (site) => {
      await typed({ prepare: (word) => put(document.querySelector('#private'), word), given: [WORD] });
      await browser.click('#send');
      await until(() => site.to(`/about/${WORD}`).length > 0, 'the form');
    }));

  test('copies: the browser does not put one back when the person returns', async (t) => {
    await visit({ body: form(`${EDITOR}<textarea name="body"></textarea>`, { attributes: 'action="/sent"' }), kept: false }, async () => {
      await typed({ prepare: mirror, given: [UNSEEN['for screen readers only'], '', ''], type: [['#private', WORD]] });
      await browser.evaluate(() => {
        window.form.target = '';
        return window.send('click', '/sent');
      });
      await until(() => browser.evaluate(() => document.title === 'arrived').catch(() => false), 'the answer');
      await browser.back();
      await until(() => browser.evaluate(() => document.title === 'A form' && Boolean(window.main)).catch(() => false), 'the form');
      await wait(LONG_ENOUGH);
      const { text, copy } = await browser.evaluate(() => ({ text: document.querySelector('#private').innerText.trim(), copy: document.querySelector('[name=body]').value }));
      if (text) t.diagnostic(`${engine} has kept the page as it was`);
      else assert.equal(copy, '');
    });
  });

  // Only Chromium fills in on demand.
  if (engine === 'chromium') {
    test('copies: what the browser fills in is none', () =>
      visit({ body: form('<input id="private" data-private="note"><div id="long"></div><input name="name" autocomplete="cc-name"><input name="number" autocomplete="cc-number">') }, async (site) => {
        await typed({
          // The last control is far below the screen.
          prepare: () => {
            const [number] = document.querySelectorAll('[name=number]');
            number.style.cssText = 'position: absolute; top: 4000px';
          },
          type: [['#private', `${WORD} 4111111111111111`]],
        });
        const [page] = [browser.page];
        const devtools = await page.context().newCDPSession(page);
        await devtools.send('Autofill.enable');
        await page.click('[name=name]');
        const { root } = await devtools.send('DOM.getDocument');
        const { nodeId } = await devtools.send('DOM.querySelector', { nodeId: root.nodeId, selector: '[name=name]' });
        const { node } = await devtools.send('DOM.describeNode', { nodeId });
        const card = { number: '4111111111111111', name: `${WORD} 4111111111111111`, expiryMonth: '12', expiryYear: '2040', cvc: '123' };
        await devtools.send('Autofill.trigger', { fieldId: node.backendNodeId, card });
        await until(() => browser.evaluate(() => document.querySelector('[name=number]').value), 'the number');
        await browser.evaluate(() => window.send('click', '/filled'));
        await until(() => site.to('/filled').length > 0, 'the form');
        const sent = (await fieldsOf(site.to('/filled')[0])).filter(([name]) => name === 'name' || name === 'number');
        assert.deepEqual(sent, [['name', card.name], ['number', card.number]]);
      }));
  }

  for (const [system, { define, control, button }] of Object.entries(SYSTEMS)) {
    test(`${system}: a private control is required and reset as others are, and says that its budget is spent`, () =>
      visit({ body: form(control.replace('NAME', 'data-private="note" required'), { button }), imports: define }, async (site) => {
        const seen = await browser.evaluate(async () => {
          await window.start(undefined, []);
          const control = find('#private');
          const empty = async () => {
            await control.updateComplete;
            for (let tries = 0; tries < 600 && (tries === 0 || control.value !== ''); tries++) await pause(50);
          };
          await empty();
          window.form.action = '/required';
          find('#send').click();
          await pause(300);
          await write();
          window.form.reset();
          await empty();
          const reset = control.value;
          await write();
          const gone = Object.assign(new Error('spent'), { name: 'TextveilError', code: 'budget-exhausted' });
          window.held = Promise.reject(gone);
          window.held.catch(() => {});
          find('#send').click();
          for (let tries = 0; tries < 1500 && !problems().said.length; tries++) await pause(20);
          return { reset, ...problems() };
        });
        assert.deepEqual(site.to('/required'), []);
        assert.equal(seen.reset, '');
        assert.match(seen.said.join(), /than may still be sent/);
        assert.ok(seen.focused);
      }));
  }
});
