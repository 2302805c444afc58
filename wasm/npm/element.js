/**
 * textveil/element: `<textveil-field>`, a private control that shows, when asked, what will be sent, and what that guarantees.
 *
 *     <textveil-field name="comment" level="4">
 *       <label>Comment <textarea></textarea></label>     no name: without script nothing of it is sent
 *     </textveil-field>
 *
 * The label and the control are the page's own, and stay where they are, in the light DOM: styles, labels, selection, undo
 * and autofill know nothing of this element. What is sent goes the way of `textveil/form`.
 *
 * Importing this file defines the element.
 */

/** @import { Guarantee } from './types.js' */
/** @import { TextveilError } from './textveil.js' */
/** @typedef {{ text: string, guarantee: Guarantee<string, string> }} Sendable */
/** @typedef {Record<'sent' | 'show' | 'label' | 'preview' | 'guarantee' | 'error', HTMLElement>} Parts */

import { describe } from './describe.js';
import { plainCopy } from './arguments.js';
import { controlOf, hideFromRecorders, messageOf, protectRegions, SETTINGS, silenceAll } from './form-submission.js';
import * as textveil from './textveil.js';

/**
 * Some frameworks write a flag that is off as "false".
 *
 * @type {(said: string | null) => boolean}
 */
const flag = (said) => said !== 'false';

/**
 * What `privatize` is told, by attributes. A value that makes no sense is refused there, and nothing is sent.
 *
 * @type {Record<string, (value: any) => unknown>}
 */
const ATTRIBUTES = { level: Number, epsilon: Number, eta: Number, mechanism: String, 'keep-function-words': flag, placeholders: flag };

/**
 * What each is called as a property.
 *
 * @type {(attribute: string) => string}
 */
const propertyOf = (attribute) => attribute.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/** In a layer, so that every style of the page overrules it. Constructed, so that no policy has to allow it. */
const STYLE = `@layer textveil {
  textveil-field { display: block; margin-block: 1em; max-inline-size: 42em; }
  textveil-field :is(input, textarea, [contenteditable]) { display: block; box-sizing: border-box; inline-size: 100%; font: inherit; }
  .textveil-sent { margin-block-start: 0.5em; padding: 0.5em 0.75em; border: 1px solid GrayText; border-inline-start-width: 4px; border-radius: 4px; }
  .textveil-label, .textveil-guarantee { display: block; font-size: 0.8125em; }
  .textveil-label { margin-block-start: 0.75em; font-weight: 600; }
  .textveil-preview { display: block; margin-block: 0.25em 0.75em; white-space: pre-wrap; overflow-wrap: anywhere; }
  .textveil-show { font: inherit; font-size: 0.875em; }
  .textveil-show + .textveil-label:not([hidden]) ~ .textveil-guarantee { margin-block-start: 0; }
  .textveil-guarantee { margin-block-start: 0.5em; opacity: 0.85; }
  .textveil-label[hidden], .textveil-preview:empty { display: none; }
  .textveil-error { margin-block: 0.5em 0; font-weight: 600; }
  .textveil-error:not(:empty)::before { content: '\\26A0\\FE0E  '; }
  .textveil-error:empty { display: none; }
}`;

/** @type {CSSStyleSheet} */
let sheet;
let fields = 0;

/** Where there is no document (a server that renders pages) importing does nothing. */
const Base = globalThis.HTMLElement ?? class {};

export class TextveilField extends Base {
  static formAssociated = true;
  static observedAttributes = ['name', ...Object.keys(ATTRIBUTES)];

  /** What the element says, for pages in other languages to replace. */
  static messages = { show: 'Show what will be sent', preview: 'This is what will be sent:' };

  /**
   * happy-dom has none. Those of jsdom lack `form` and `setFormValue`.
   *
   * @type {Partial<ElementInternals>}
   */
  #internals = this.attachInternals?.() ?? {};
  /** @type {any} */
  #options;
  /** @type {Readonly<Record<string, any>>} */
  #settings = Object.freeze({});
  /** @type {ReturnType<typeof protectRegions> | undefined} */
  #protection;
  /** @type {HTMLFormElement | null | undefined} */
  #form;
  /** @type {Parts} */
  #parts;
  /**
   * What the browser has kept of an earlier visit, until it is used.
   *
   * @type {any}
   */
  #kept;
  /**
   * The control, if this element has disabled it.
   *
   * @type {HTMLElement | undefined}
   */
  #disabled;

  constructor() {
    super();
    this.addEventListener('input', () => this.#stale());
    this.addEventListener('textveil:release', ({ detail }) => this.#show(detail));
    this.addEventListener('textveil:error', (event) => {
      // It is shown here.
      event.preventDefault();
      this.#fail(event.detail.error);
    });
    /** @type {Record<string, any>} */
    const self = this;
    // What a script has set before this class was known hides the accessors, and would go unseen.
    for (const property of ['name', 'settings', 'options', ...Object.keys(ATTRIBUTES).map(propertyOf)]) {
      if (!Object.hasOwn(this, property)) continue;
      const value = self[property];
      delete self[property];
      self[property] = value;
    }
  }

  get name() {
    return this.getAttribute('name') ?? '';
  }

  set name(name) {
    this.setAttribute('name', name);
  }

  /** The person's control: the first one inside that holds text. */
  get control() {
    return controlOf(this) ?? null;
  }

  /** What `protect` takes, but for `options`. Set later, it holds for everything that is drawn or sent from then on. */
  get settings() {
    return this.#settings;
  }

  set settings(settings) {
    this.#settings = Object.freeze(plainCopy(settings, 'settings', SETTINGS));
    if (!this.#form) return;
    this.#protection?.stop();
    this.#protection = this.#protect(this.#form);
  }

  /** What `privatize` is told: what has been set here, else what the attributes say. */
  get options() {
    if (this.#options) return this.#options;
    /** @type {Record<string, unknown>} */
    const options = {};
    for (const [attribute, read] of Object.entries(ATTRIBUTES)) {
      if (this.hasAttribute(attribute)) options[propertyOf(attribute)] = read(this.getAttribute(attribute));
    }
    return options;
  }

  set options(options) {
    this.#options = options;
    this.#again();
  }

  // What the browser tells of the form. The next microtask, so that a script that imports this can set things first.

  connectedCallback() {
    silenceAll(this);
    queueMicrotask(() => this.#connect());
  }

  disconnectedCallback() {
    this.#connect();
  }

  formAssociatedCallback() {
    queueMicrotask(() => this.#connect());
  }

  attributeChangedCallback() {
    this.#again();
  }

  /** @param {boolean} disabled */
  formDisabledCallback(disabled) {
    const { control } = this;
    // A control that the page has disabled stays so.
    if (disabled && control && !control.disabled && !control.inert) {
      this.#disabled = control;
      turnOff(control, true);
    } else if (!disabled && this.#disabled) {
      turnOff(this.#disabled, false);
      this.#disabled = undefined;
    }
  }

  formResetCallback() {
    this.#stale();
  }

  /**
   * Only ever a release: what has been given to `setFormValue`.
   *
   * @param {string} state
   */
  formStateRestoreCallback(state) {
    this.#kept = JSON.parse(state);
    this.#restore();
    void this.#promise();
  }

  #connect() {
    const { form: owner = formOf(this) } = this.#internals;
    const form = this.isConnected ? owner : null;
    if (form === (this.#form ?? null)) return;
    this.#protection?.stop();
    this.#form = form;
    this.#protection = form ? this.#protect(form) : undefined;
  }

  /** @param {HTMLFormElement} form */
  #protect(form) {
    this.#build();
    const field = () => (this.matches(':disabled') ? '' : this.name);
    this.#protection = protectRegions(form, () => [{ region: this, field: field() }], { ...this.settings, options: () => this.options });
    this.#restore();
    void this.#promise();
    return this.#protection;
  }

  #restore() {
    if (this.#kept) this.#protection?.restore(this.name, this.#kept);
  }

  /** The terms have changed: what has been drawn is not what would be sent. */
  #again() {
    if (!this.#protection) return;
    this.#stale();
    void this.#promise();
  }

  /** Shows what is promised on these terms; or the release of an earlier visit, which is sent while the control is empty. */
  async #promise() {
    const protection = this.#protection;
    try {
      await protection?.ready;
      if (!protection || protection !== this.#protection) return;
      if (this.#kept) this.#show(this.#kept);
      else if (!this.#parts.error.textContent) this.#say(this.#usual());
    } catch (/** @type {any} */ error) {
      if (protection === this.#protection) this.#fail(error);
    }
  }

  #usual() {
    const { engine = textveil } = this.settings;
    return engine.guarantee(this.options);
  }

  // ------------------------------------------------------------------------------------------------- What it shows

  #build() {
    const root = this.getRootNode();
    // jsdom adopts no sheets.
    if (root.adoptedStyleSheets) sheet ??= constructed(STYLE);
    if (root.adoptedStyleSheets?.includes(sheet) === false) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    if (this.#parts) return;
    const id = this.control?.id || `textveil-${++fields}`;
    /** @type {<T extends keyof HTMLElementTagNameMap>(tag: T, what: string) => HTMLElementTagNameMap[T]} */
    const make = (tag, what) => Object.assign(document.createElement(tag), { className: `textveil-${what}`, id: `${id}-${what}` });
    const parts = {
      sent: make('div', 'sent'),
      show: make('button', 'show'),
      label: make('span', 'label'),
      preview: make('output', 'preview'),
      guarantee: make('span', 'guarantee'),
      error: make('p', 'error'),
    };
    Object.assign(parts.show, { type: 'button', textContent: TextveilField.messages.show });
    // Each preview counts as a release. So one is drawn only when the person asks for it.
    parts.show.addEventListener('click', () => this.#protection?.preview(this.name));
    parts.preview.setAttribute('aria-labelledby', parts.label.id);
    parts.label.textContent = TextveilField.messages.preview;
    parts.label.hidden = true;
    hideFromRecorders(parts.preview);
    parts.error.setAttribute('role', 'alert');
    parts.sent.append(parts.show, parts.label, parts.preview, parts.guarantee);
    this.append(parts.error, parts.sent);
    this.#parts = parts;
    this.#link();
  }

  /** The control may come, or be defined, later than this element. */
  #link() {
    const { control } = this;
    const { preview, error } = this.#parts;
    const described = control?.getAttribute('aria-describedby')?.split(' ') ?? [];
    if (!control || described.includes(error.id)) return;
    control.id ||= `${error.id}-control`;
    preview.setAttribute('for', control.id);
    control.setAttribute('aria-describedby', [...described, error.id].join(' '));
  }

  /** Removes what was drawn for an earlier text. */
  #stale() {
    this.#kept = undefined;
    this.#internals.setFormValue?.(null);
    if (!this.#parts) return;
    const { sent, label, preview, error } = this.#parts;
    error.textContent = preview.textContent = '';
    label.hidden = true;
    sent.hidden = false;
  }

  /** @param {Sendable} release */
  #show({ text, guarantee }) {
    this.#link();
    const { label, preview, error } = this.#parts;
    // What the browser keeps for the way back.
    this.#internals.setFormValue?.(null, JSON.stringify({ text, guarantee }));
    preview.textContent = text;
    label.hidden = !text;
    error.textContent = '';
    this.#say(guarantee.words ? guarantee : this.#usual());
  }

  /**
   * What is promised.
   *
   * @param {Guarantee<string, string>} guarantee
   */
  #say(guarantee) {
    const { sent, guarantee: line } = this.#parts;
    line.textContent = describe(guarantee, this.closest('[lang]')?.lang);
    sent.hidden = false;
  }

  /** @param {TextveilError} error */
  #fail(error) {
    // These pass by themselves.
    if (error.code === 'not-ready' || error.code === 'not-recorded') return;
    this.#stale();
    this.#link();
    const { sent, error: line } = this.#parts;
    // Nothing will be sent. If the button has the focus, the control gets it: there the person can do something.
    if (sent.contains(this.getRootNode().activeElement)) this.control?.focus();
    sent.hidden = true;
    line.textContent = (this.settings.message ?? messageOf)(error);
  }
}

/**
 * The element's form, where the platform does not tell.
 *
 * @param {Element} element
 * @returns {any}
 */
function formOf(element) {
  const id = element.getAttribute('form');
  return id === null ? element.closest('form') : (element.ownerDocument.getElementById(id) ?? null);
}

/**
 * @param {any} control
 * @param {boolean} off
 */
function turnOff(control, off) {
  if ('disabled' in control) control.disabled = off;
  else control.inert = off;
}

/** @param {string} style */
function constructed(style) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  return sheet;
}

// Frameworks set properties where they are told to, or where there are some.
for (const attribute of Object.keys(ATTRIBUTES)) {
  const property = propertyOf(attribute);
  Object.defineProperty(TextveilField.prototype, property, {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() {
      return this.options[property];
    },
    set(value) {
      if (value == null || value === false) this.removeAttribute(attribute);
      else this.setAttribute(attribute, value === true ? '' : value);
    },
  });
}

if (globalThis.customElements && !customElements.get('textveil-field')) customElements.define('textveil-field', TextveilField);
