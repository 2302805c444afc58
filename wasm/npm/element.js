/**
 * textveil/element: `<textveil-field>`, a private control. On request it shows what will be sent, and the guarantee.
 *
 *     <textveil-field name="comment" level="4">
 *       <label>Comment <textarea></textarea></label>     no name: without script nothing of it is sent
 *     </textveil-field>
 *
 * The label and the control belong to the page, and stay in the light DOM. So styles, labels, selection, undo and autofill work
 * as usual. The release is sent as by `textveil/form`.
 *
 * Importing this file defines the element.
 */

/** @import { Guarantee } from './types.js' */
/** @import { Release, TextveilError } from './textveil.js' */
/** @typedef {Record<'suggested' | 'asks' | 'sent' | 'show' | 'label' | 'preview' | 'withdraw' | 'guarantee' | 'error', HTMLElement>} Parts */

// @ts-expect-error `languageOf` is for this file: the public types leave it out.
import { describe, languageOf } from './describe.js';
import { plainCopy, requireCount } from './arguments.js';
import { invalid } from './errors.js';
import { hideFromRecorders } from './form-assistants.js';
import { controlOf, formOf, isQuestion, isRendered, silenceAll, textOf } from './form-controls.js';
import { said, tell } from './form-messages.js';
import { extended, readRelease, SETTINGS, written } from './form-part.js';
import { protectRegions } from './form-submission.js';
import { listAt, whenProvided } from './lists.js';

/**
 * The value of a flag. Some frameworks write a flag that is off as "false".
 *
 * @type {(said: string | null) => boolean}
 */
const flag = (said) => said !== 'false';

/**
 * A list of words. Only the white space of HTML divides them.
 *
 * @type {(said: string) => string[]}
 */
const words = (said) => said.split(/[\t\n\f\r ]+/).filter(Boolean);

/**
 * The attribute for a list of words. A word with white space in it stays one, so that `privatize` refuses it.
 *
 * @type {(list: readonly unknown[]) => string}
 */
const listed = (list) => list.map((word) => `${word}`.replace(/[\t\n\f\r ]/g, '\u00a0')).join(' ');

/**
 * The attributes that are options of `privatize`, and how each is read. `privatize` refuses invalid values, and nothing is sent.
 *
 * @type {Record<string, (value: any) => unknown>}
 */
const ATTRIBUTES = {
  level: Number,
  preset: String,
  epsilon: Number,
  eta: Number,
  mechanism: String,
  near: Number,
  'per-sentence': Number,
  'keep-function-words': flag,
  placeholders: flag,
  'plain-layout': flag,
  'as-drawn': flag,
  'any-language': flag,
  'keep-words': words,
  'never-say': words,
};

/**
 * The property for an attribute.
 *
 * @type {(attribute: string) => string}
 */
const propertyOf = (attribute) => attribute.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/**
 * The names under which HTML may have an attribute. React on a server writes the name of the property, and HTML ignores its
 * capitals.
 *
 * @type {(attribute: string) => string[]}
 */
const namesOf = (attribute) => [...new Set([attribute, propertyOf(attribute).toLowerCase()])];

/**
 * In a layer: every style of the page outside of layers overrides it, except that what is hidden stays hidden. A page with layers names
 * this one first. A constructed sheet: no Content-Security-Policy has to allow it.
 */
const STYLE = `@layer textveil {
  textveil-field { display: block; margin-block: 1em; max-inline-size: 42em; }
  textveil-field :is(input, textarea, select, [contenteditable]) { display: block; box-sizing: border-box; inline-size: 100%; font: inherit; }
  .textveil-sent { margin-block-start: 0.5em; padding: 0.5em 0.75em; border: 1px solid GrayText; border-inline-start-width: 4px; border-radius: 4px; }
  .textveil-asks:not(:empty) { display: block; margin-block-start: 0.5em; font-size: 0.8125em; font-weight: 600; }
  .textveil-suggested > button { display: block; box-sizing: border-box; inline-size: 100%; margin-block-start: 0.25em; padding: 0.35em 0.75em; border: 1px solid GrayText; border-radius: 4px; background: none; color: inherit; font: inherit; text-align: start; cursor: pointer; }
  .textveil-suggested > button[aria-pressed='true'] { border-color: currentColor; box-shadow: inset 0 0 0 1px currentColor; font-weight: 600; }
  .textveil-suggested > button::before { content: '\\25CB\\FE0E  '; content: '\\25CB\\FE0E  ' / ''; }
  .textveil-suggested > button[aria-pressed='true']::before { content: '\\25CF\\FE0E  '; content: '\\25CF\\FE0E  ' / ''; }
  .textveil-label, .textveil-guarantee { display: block; font-size: 0.8125em; }
  .textveil-label:not(:empty) { margin-block-start: 0.75em; font-weight: 600; }
  .textveil-preview { display: block; margin-block: 0.25em 0.75em; white-space: pre-wrap; overflow-wrap: anywhere; }
  .textveil-show, .textveil-withdraw { font: inherit; font-size: 0.875em; }
  .textveil-withdraw { display: block; margin-block: 0.5em 0.75em; }
  .textveil-show + .textveil-label:not(:empty) ~ .textveil-guarantee { margin-block-start: 0; }
  .textveil-guarantee { margin-block-start: 0.5em; opacity: 0.85; }
  :is(.textveil-suggested, .textveil-sent *)[hidden] { display: none !important; }
  .textveil-error { margin-block: 0.5em 0; font-weight: 600; }
  .textveil-error:not(:empty)::before { content: '\\26A0\\FE0E  '; }
  :is(.textveil-error, .textveil-preview):empty { display: none; }
}`;

/** After this many milliseconds of waiting, the element says that it works. */
const SOON = 400;

/** After this many milliseconds on a page, the element is set up as the page wants it. */
const PATIENCE = 1000;

/** How many statements are offered where the attribute has no number. */
const USUAL_SUGGESTIONS = 5;

/** To find what is nearest to a longer text would take too long while a person writes. In UTF-16 units. */
const LONGEST_SUGGESTED = 20_000;

/** What a person does before anything is sent. */
const EVENTS = ['focusin', 'keydown', 'pointerdown', 'pointerup', 'pointercancel'];

/** @type {CSSStyleSheet} */
let sheet;
let fields = 0;

/** On a server that renders pages there is no document: importing does nothing. */
const Base = globalThis.HTMLElement ?? class {};

export class TextveilField extends Base {
  static formAssociated = true;
  static observedAttributes = ['name', 'statements', 'suggest', ...Object.keys(ATTRIBUTES).flatMap(namesOf)];

  /** The texts of the element. A page in another language replaces them. */
  static messages = {
    choose: 'Which of these says it best?',
    show: 'Show what will be sent',
    preview: 'This is what will be sent:',
    withdraw: 'Do not send it',
    withdrawn: 'Nothing will be sent from this field.',
    restore: 'Send it after all',
    working: 'Working…',
    empty: 'There is no text yet.',
  };
  /**
   * The message for an error, in all fields whose settings have none.
   *
   * @type {((error: TextveilError) => string | undefined) | undefined}
   */
  static message;

  /**
   * happy-dom lacks them. Those of jsdom lack `form` and `setFormValue`.
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
   * The release that the browser has kept from an earlier visit, until it is used.
   *
   * @type {any}
   */
  #kept;
  /**
   * The text whose release is shown.
   *
   * @type {string | undefined}
   */
  #shown;
  #withdrawn = false;
  #advised = false;
  /**
   * The list from which the person chooses.
   *
   * @type {any}
   */
  #list;
  /**
   * The number of the statement that the person chose.
   *
   * @type {number | undefined}
   */
  #chosen;
  /**
   * The text for which statements are offered.
   *
   * @type {string | undefined}
   */
  #offered;
  /**
   * The buttons, by the numbers of their statements. A page sees no number: it would name the statement to a recorder of attributes.
   *
   * @type {Map<number, HTMLElement>}
   */
  #buttons = new Map();
  /** When they appeared. A press right after that was meant for what stood there before. */
  #appeared = 0;
  /**
   * Runs until the person has stopped typing, or until a press has ended.
   *
   * @type {ReturnType<typeof setTimeout> | undefined}
   */
  #typing;
  /** Whether something other than a statement is pressed. It must not move before the click. */
  #pressed = false;
  /**
   * Runs until the element says that it works.
   *
   * @type {ReturnType<typeof setTimeout> | undefined}
   */
  #waiting;
  /** Runs when lists of statements can be made. */
  #provided = () => this.#again();
  /** A script may change the text without an event. Before a person can do anything else, its release is no longer shown. */
  #compare = (/** @type {any} */ event) => {
    if (!this.control) return;
    const text = textOf(this.control);
    if (this.#shown !== undefined && text !== this.#shown) this.#stale();
    if (text === this.#offered) return;
    const { type, key } = event;
    if (type === 'pointerdown') {
      this.#pressed = !event.composedPath().includes(this.#parts?.suggested);
      clearTimeout(this.#typing);
    }
    if (type === 'pointerup' || type === 'pointercancel') this.#offerSoon();
    // What is offered for an earlier text must not get the focus.
    else if (key === 'Tab' || (type !== 'keydown' && !this.#pressed)) this.#offer();
  };
  /** A control may come later than this element, and may get a name or another form. */
  #observer = new MutationObserver(() => this.#adopt());
  /** A form that was sent waits for its releases. */
  #busy = new MutationObserver(() => {
    this.#wait(this.#isBusy());
    this.#lock();
  });
  /**
   * The control, if this element has disabled it.
   *
   * @type {HTMLElement | undefined}
   */
  #disabled;
  /**
   * The control, if this element has taken `required` from it.
   *
   * @type {any}
   */
  #required;

  constructor() {
    super();
    this.addEventListener('input', () => {
      this.#stale();
      this.#offerSoon();
    });
    // Not what the event says: a script may have dispatched it.
    this.addEventListener('textveil:release', ({ target }) => {
      const release = target === this.control && this.#protection?.announced();
      if (release) this.#show(release);
    });
    this.addEventListener('textveil:error', (event) => {
      this.#fail(event.detail.error);
      // It is shown here, unless the page hides this element.
      if (this.#parts && isRendered(this.#parts.error)) event.preventDefault();
    });
    /** @type {Record<string, any>} */
    const self = this;
    // A property that a script has set before this class was defined hides the accessor, and would be ignored.
    for (const property of ['name', 'statements', 'suggest', 'settings', 'options', ...Object.keys(ATTRIBUTES).map(propertyOf)]) {
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

  /** The address of a list: whole texts are exchanged for its statements. */
  get statements() {
    return this.getAttribute('statements') ?? undefined;
  }

  set statements(address) {
    // Frameworks set `null` for what is absent.
    if (!address) this.removeAttribute('statements');
    else this.setAttribute('statements', address);
  }

  /** How many statements are offered for each text. The person may choose one; otherwise the nearest is taken. */
  get suggest() {
    const said = this.getAttribute('suggest');
    if (said === null || said === 'false') return undefined;
    return said === '' || said === 'true' ? USUAL_SUGGESTIONS : Number(said);
  }

  /** @param {any} count */
  set suggest(count) {
    if (count == null || count === false) this.removeAttribute('suggest');
    else this.setAttribute('suggest', count === true ? '' : count);
  }

  /** The control in which the person writes: the first one inside that holds text. */
  get control() {
    return controlOf(this) ?? null;
  }

  /** The settings of `protect`, except `options`. New settings apply to everything that is drawn or sent afterwards. */
  get settings() {
    return this.#settings;
  }

  set settings(settings) {
    const old = this.#settings;
    this.#settings = Object.freeze(plainCopy(settings, 'settings', SETTINGS));
    if (!haveSameEntries(steady(this.#settings), steady(old))) this.#anew();
  }

  /** The options of `privatize`: those that were set here, otherwise those of the attributes. */
  get options() {
    if (this.#options) return this.#options;
    /** @type {Record<string, unknown>} */
    const options = {};
    for (const [attribute, read] of Object.entries(ATTRIBUTES)) {
      const name = namesOf(attribute).find((name) => this.hasAttribute(name));
      if (name) options[propertyOf(attribute)] = read(this.getAttribute(name));
    }
    return options;
  }

  set options(options) {
    // The very same object may have been changed.
    const same = options !== this.#options && haveSameEntries(options, this.#options);
    this.#options = options;
    if (!same) this.#again();
  }

  // The browser calls these. They wait a microtask, so that a script that imports this file can set properties first.

  connectedCallback() {
    this.#observer.observe(this, { subtree: true, childList: true, attributeFilter: ['name', 'form', 'contenteditable'] });
    for (const event of EVENTS) document.addEventListener(event, this.#compare, true);
    this.#adopt();
    // The form that a control names may follow.
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => this.#connect(), { once: true });
    setTimeout(() => this.#advise(), PATIENCE);
  }

  disconnectedCallback() {
    this.#observer.disconnect();
    for (const event of EVENTS) document.removeEventListener(event, this.#compare, true);
    this.#connect();
  }

  formAssociatedCallback() {
    queueMicrotask(() => this.#connect());
  }

  /**
   * @param {string} attribute
   * @param {string | null} before
   * @param {string | null} now
   */
  attributeChangedCallback(attribute, before, now) {
    if (before === now) return;
    if (attribute === 'statements' || attribute === 'suggest') this.#anew();
    else this.#again();
  }

  /** @param {boolean} disabled */
  formDisabledCallback(disabled) {
    const { control } = this;
    // A control that the page has disabled stays disabled.
    if (disabled && control && !control.disabled && !control.inert) {
      this.#disabled = control;
      turnOff(control, true);
    } else if (!disabled && this.#disabled) {
      turnOff(this.#disabled, false);
      this.#disabled = undefined;
    }
    this.#lock();
  }

  formResetCallback() {
    this.#withdrawn = false;
    this.#chosen = undefined;
    this.#stale();
    // The browser empties the control afterwards, if it comes later in the form.
    setTimeout(() => this.#offer());
  }

  /**
   * The state is always a release: only `#show` calls `setFormValue`.
   *
   * @param {string} state
   * @param {string} reason
   */
  formStateRestoreCallback(state, reason) {
    // What a browser fills in by itself is no release.
    if (reason !== 'restore') return;
    this.#kept = readRelease(state);
    this.#restore();
    void this.#promise();
  }

  /** The language of what is sent. Answers are in the page's. All that comes with the package is English. */
  get #language() {
    return this.getAttribute('output-lang') ?? (this.control && isQuestion(this.control) ? (localeOf(this) ?? '') : 'en');
  }

  #isBusy() {
    return this.#form?.getAttribute('aria-busy') === 'true';
  }

  /** A disabled field takes no presses. While a submission waits, it takes no choice: what is drawn is what the person has chosen. */
  #lock() {
    if (!this.#parts) return;
    const off = this.matches(':disabled');
    turnOff(this.#parts.show, off);
    turnOff(this.#parts.withdraw, off);
    this.#parts.suggested.inert = off || this.#isBusy();
  }

  /** Tells the developer of the page, once, what makes this element do less than it seems to. */
  #advise() {
    if (!this.isConnected || this.#advised) return;
    this.#advised = true;
    if (!this.#form) console.warn('textveil: a <textveil-field> is in no form, so it does nothing. Put a <form> around it.');
    const known = new Set([...TextveilField.observedAttributes, 'class', 'disabled', 'form', 'is', 'role']);
    for (const property in this) known.add(property.toLowerCase());
    const unknown = this.getAttributeNames().filter((name) => /^(?!item|exportparts)[a-z]+$/.test(name) && !known.has(name));
    if (unknown.length) console.warn(`textveil: a <textveil-field> does not know these attributes, and ignores them: ${unknown.join(', ')}.`);
  }

  #adopt() {
    silenceAll(this);
    if (this.control && textOf(this.control) !== this.#offered && !this.#pressed) this.#offerSoon();
    queueMicrotask(() => this.#connect());
  }

  #connect() {
    const { control } = this;
    const { form: owner = formOf(this) } = this.#internals;
    // An element outside of a form belongs to the form of its control.
    const form = this.isConnected ? (owner ?? (control && formOf(control)) ?? null) : null;
    if (form === (this.#form ?? null)) return;
    this.#protection?.stop();
    this.#busy.disconnect();
    this.#form = form;
    this.#protection = form ? this.#protect(form) : undefined;
  }

  /** @param {HTMLFormElement} form */
  #protect(form) {
    this.#list = this.#chosen = undefined;
    this.#build();
    this.#busy.observe(form, { attributeFilter: ['aria-busy'] });
    const field = () => (this.#withdrawn || this.matches(':disabled') ? undefined : this.name);
    /** @type {Record<string, any>} */
    const settings = {
      ...this.settings,
      options: () => this.#terms(),
      message: (/** @type {TextveilError} */ error) => this.#message(error),
      scope: (/** @type {string} */ name) => (this.settings.scope ? this.settings.scope(name) : name),
    };
    if (this.statements !== undefined) {
      settings.statements = this.statements;
      whenProvided(this.#provided);
    }
    if (this.suggest !== undefined) settings.statements = this.#choosing(settings.statements);
    this.#protection = protectRegions(form, () => [{ region: this, field: field() }], settings);
    this.#restore();
    void this.#promise();
    return this.#protection;
  }

  /** @param {TextveilError} error */
  #message(error) {
    return this.settings.message?.(error) ?? TextveilField.message?.(error);
  }

  /**
   * The options under which a text is drawn. Whether a person has chosen a statement must not show. A choice is never refused for its
   * language, so no text is.
   */
  #terms() {
    const { options } = this;
    if (this.suggest === undefined) return options;
    requireCount(this.suggest);
    if (!this.#list) throw invalid('The attribute `suggest` needs a list: the attribute `statements`.');
    if (this.control && isQuestion(this.control)) throw invalid('A <select> offers its answers itself: leave out the attribute `suggest`.');
    if (options?.perSentence > 1) throw invalid('A person chooses one statement for a text: `suggest` and `per-sentence` exclude each other.');
    return extended(options, { anyLanguage: true });
  }

  /**
   * The engine of a list from which the person chooses.
   *
   * @param {any} source
   */
  #choosing(source) {
    const list = typeof source === 'string' ? listAt(source) : source;
    this.#list = list;
    /** @type {(text: string, options: unknown, control: any) => any} */
    const privatize = (text, options, control) => list.privatizeChosen(text, this.#numbers(list, text, options), options, control);
    return (
      list && {
        privatize,
        privatizeAsync: async (/** @type {[string, unknown, any]} */ ...given) => privatize(...given),
        init: (/** @type {any} */ places) => list.init(places),
        guarantee: (/** @type {unknown} */ options) => list.guarantee(options),
      }
    );
  }

  /**
   * What a text is exchanged by: the choice, or else the nearest statement.
   *
   * @param {any} list
   * @param {string} text
   * @param {unknown} options
   * @returns {number[]}
   */
  #numbers(list, text, options) {
    if (text !== this.#offered) this.#offer();
    // The control may have another text by now. A choice is for the text for which it was offered.
    const chosen = text === this.#offered ? this.#chosen : undefined;
    const number = chosen ?? list.near(text, options)[0]?.number;
    return number === undefined ? [] : [number];
  }

  /** The settings have changed. The new protection begins before the old one ends, so that a submission waits for it. */
  #anew() {
    if (!this.#form) return;
    const [kept, old] = [this.#kept, this.#protection];
    this.#stale();
    this.#kept = kept;
    try {
      this.#protection = this.#protect(this.#form);
    } finally {
      // Also if the new settings are refused: they may have asked for more.
      old?.stop();
    }
  }

  /**
   * Takes `required` from the control, or gives it back.
   *
   * @param {boolean} required
   */
  #require(required) {
    const { control } = this;
    if (required) {
      if (this.#required) this.#required.required = true;
      this.#required = undefined;
    } else if (control?.required === true) {
      this.#required = control;
      control.required = false;
    }
  }

  #restore() {
    if (this.#kept) this.#protection?.restore(this.#kept);
  }

  /** The options have changed: the release that was drawn is not the one that would be sent. */
  #again() {
    if (!this.#protection) return;
    this.#stale();
    void this.#promise();
  }

  /** Shows the guarantee of these options; or the release of an earlier visit, which is sent while the control is empty. */
  async #promise() {
    const protection = this.#protection;
    try {
      await protection?.ready;
      if (!protection || protection !== this.#protection) return;
      this.#offer();
      const kept = protection.kept();
      if (kept) {
        this.#show(kept);
        // The browser must let an empty control pass while a release stands for its text.
        this.#require(false);
      } else if (!this.#parts.error.textContent) this.#say(protection.guarantee(this.name));
    } catch (/** @type {any} */ error) {
      if (protection === this.#protection) this.#fail(error);
    }
  }

  // ------------------------------------------------------------------------------------------------- What it shows

  #build() {
    const root = this.getRootNode();
    // jsdom has no `adoptedStyleSheets`.
    if (root.adoptedStyleSheets) sheet ??= constructed(STYLE);
    if (root.adoptedStyleSheets?.includes(sheet) === false) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    if (this.#parts) return;
    // The page may have an id such as `comment-error` itself.
    const id = `textveil-${this.control?.id || ++fields}`;
    /** @type {<T extends keyof HTMLElementTagNameMap>(tag: T, what: string) => HTMLElementTagNameMap[T]} */
    const make = (tag, what) => Object.assign(document.createElement(tag), { className: `textveil-${what}`, id: `${id}-${what}` });
    const parts = {
      suggested: make('div', 'suggested'),
      asks: make('span', 'asks'),
      sent: make('div', 'sent'),
      show: make('button', 'show'),
      label: make('span', 'label'),
      preview: make('output', 'preview'),
      withdraw: make('button', 'withdraw'),
      guarantee: make('span', 'guarantee'),
      error: make('p', 'error'),
    };
    Object.assign(parts.show, { type: 'button', textContent: TextveilField.messages.show });
    // Each preview counts as a release. So one is drawn only when the person asks for it.
    parts.show.addEventListener('click', () => void this.#preview());
    Object.assign(parts.withdraw, { type: 'button', hidden: true });
    parts.withdraw.addEventListener('click', () => this.#withdraw(!this.#withdrawn));
    parts.suggested.setAttribute('role', 'group');
    // A translator would send it.
    parts.suggested.translate = false;
    parts.suggested.classList.add('notranslate');
    parts.suggested.setAttribute('aria-labelledby', parts.asks.id);
    parts.suggested.append(parts.asks);
    parts.preview.setAttribute('aria-labelledby', parts.label.id);
    Object.assign(parts.preview, { dir: 'auto', tabIndex: -1 });
    // They stay on the page, empty or not, so that a screen reader says what is put in.
    for (const part of [parts.asks, parts.label]) part.setAttribute('role', 'status');
    hideFromRecorders(parts.preview);
    parts.error.setAttribute('role', 'alert');
    parts.sent.append(parts.show, parts.label, parts.preview, parts.withdraw, parts.guarantee);
    // A copy of this element has those of the other.
    for (const other of this.querySelectorAll(':scope > :is(.textveil-error, .textveil-suggested, .textveil-sent)')) other.remove();
    this.append(parts.error, parts.suggested, parts.sent);
    this.#parts = parts;
    this.#lock();
    this.#link();
  }

  /** Connects the control with its messages. The control may be added, or defined, later than this element. */
  #link() {
    const { control } = this;
    const { preview, error } = this.#parts;
    const described = control?.getAttribute('aria-describedby')?.split(' ') ?? [];
    if (!control || described.includes(error.id)) return;
    control.id ||= `${error.id}-control`;
    preview.setAttribute('for', control.id);
    control.setAttribute('aria-describedby', [...described, error.id].join(' '));
  }

  #offerSoon() {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#offer(), SOON);
  }

  /**
   * Offers the statements that are nearest to the text. The one that the draw would start from is marked. A choice stays while it is
   * among the nearest. The statement for texts that fit nothing is always offered. Its choice ends with the text.
   */
  #offer() {
    clearTimeout(this.#typing);
    this.#pressed = false;
    if (!this.#parts) return;
    const [list, text, before] = [this.#list, this.control ? textOf(this.control) : '', this.#offered];
    const { suggested } = this.#parts;
    /** @type {any[]} */
    let offered = [];
    this.#offered = text;
    try {
      const terms = list && this.#terms();
      if (list && text.trim() && text.length <= LONGEST_SUGGESTED) offered = list.suggest(text, this.suggest);
      const near = text === before ? offered : offered.slice(0, -1);
      if (!near.some(({ number }) => number === this.#chosen)) this.#chosen = undefined;
      const numbers = offered.map(({ number }) => number);
      // A button that has the focus stays.
      if (`${[...this.#buttons.keys()]}` !== `${numbers}`) this.#buildButtons(offered);
      const [marked] = offered.length ? this.#numbers(list, text, terms) : [];
      for (const [number, button] of this.#buttons) button.setAttribute('aria-pressed', `${number === marked}`);
      suggested.hidden = this.#withdrawn;
    } catch (/** @type {any} */ error) {
      this.#chosen = undefined;
      this.#buildButtons([]);
      // A submission tells what is wrong with the text. A list that is not loaded offers nothing yet.
      if (error?.code !== 'text-too-long') this.#fail(error);
    }
  }

  /** @param {readonly { number: number, text: string }[]} offered */
  #buildButtons(offered) {
    this.#appeared = performance.now();
    for (const button of this.#buttons.values()) button.remove();
    this.#buttons = new Map();
    for (const { number, text } of offered) {
      const button = Object.assign(document.createElement('button'), { type: 'button', dir: 'auto', lang: this.#language, textContent: text });
      // A press by keyboard has no `detail`. It is for the button that has the focus.
      button.addEventListener('click', ({ detail }) => {
        if (!detail || performance.now() - this.#appeared > SOON) this.#choose(number);
      });
      hideFromRecorders(button);
      this.#buttons.set(number, button);
    }
    const { asks } = this.#parts;
    asks.textContent = offered.length ? TextveilField.messages.choose : '';
    asks.after(...this.#buttons.values());
  }

  /** @param {number} number */
  #choose(number) {
    if (this.#isBusy()) return;
    this.#chosen = number;
    // What is drawn at the moment is for another choice.
    this.#protection?.withdraw(this.name, false);
    this.#stale();
    this.#offer();
  }

  /** Removes what was drawn for an earlier text. */
  #stale() {
    this.#require(true);
    this.#kept = this.#shown = undefined;
    this.#protection?.restore();
    this.#internals.setFormValue?.(null);
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    if (!this.#parts) return;
    const { show, label, preview, withdraw, guarantee, error } = this.#parts;
    const { messages } = TextveilField;
    error.textContent = preview.textContent = '';
    show.hidden = guarantee.hidden = this.#withdrawn;
    withdraw.hidden = !this.#withdrawn;
    label.textContent = this.#withdrawn ? messages.withdrawn : '';
    withdraw.textContent = messages.restore;
  }

  /**
   * Leaves the field out of what is sent, or takes it in again. Nothing is drawn anew: the text keeps its release.
   *
   * @param {boolean} withdrawn
   */
  #withdraw(withdrawn) {
    // While it is withdrawn, its region has no field.
    if (withdrawn) this.#protection?.withdraw(this.name, true);
    this.#withdrawn = withdrawn;
    if (!withdrawn) this.#protection?.withdraw(this.name, false);
    this.#stale();
    this.#offer();
    (withdrawn ? this.#parts.withdraw : this.#parts.show).focus();
  }

  async #preview() {
    this.#wait(true);
    const waiting = this.#waiting;
    const release = await this.#protection?.preview(this.name);
    // The text has changed meanwhile, or the button was pressed again.
    if (waiting !== this.#waiting) return;
    this.#wait(false);
    // It has been announced before, and was no longer shown.
    if (release && this.#shown === undefined) this.#show(release);
    if (release && !release.text) this.#parts.label.textContent = TextveilField.messages.empty;
  }

  /**
   * A person waits for this element, or no longer does.
   *
   * @param {boolean} waits
   */
  #wait(waits) {
    const { label } = this.#parts;
    const { working } = TextveilField.messages;
    clearTimeout(this.#waiting);
    this.#waiting = waits ? setTimeout(() => (label.textContent ||= working), SOON) : undefined;
    if (!waits && label.textContent === working) label.textContent = '';
  }

  /** @param {Release} release */
  #show(release) {
    if (this.#withdrawn) return;
    const { text, guarantee } = release;
    this.#link();
    const { show, label, preview, withdraw, error } = this.#parts;
    // The browser keeps this for a person who comes back to the page.
    this.#internals.setFormValue?.(null, written(release));
    this.#shown = this.control ? textOf(this.control) : undefined;
    Object.assign(preview, { lang: this.#language, textContent: text });
    // If people left out wrong answers, those that come would be the right ones.
    withdraw.hidden = !text || isQuestion(this.control ?? this);
    label.textContent = text ? TextveilField.messages.preview : '';
    withdraw.textContent = TextveilField.messages.withdraw;
    error.textContent = '';
    // It has done its work: another press would show the same.
    if (text && this.#hasFocus(show)) preview.focus();
    show.hidden = Boolean(text);
    // @ts-expect-error What is shown was drawn under a protection.
    this.#say(guarantee.words || text ? guarantee : this.#protection.guarantee(this.name));
  }

  /**
   * Shows a guarantee.
   *
   * @param {Guarantee<string, string>} guarantee
   */
  #say(guarantee) {
    const { guarantee: line } = this.#parts;
    const lang = languageOf(localeOf(this));
    /** @type {Guarantee<string, string>} */
    const stated = this.control && isQuestion(this.control) ? { ...guarantee, unit: 'value' } : guarantee;
    Object.assign(line, { dir: 'auto', lang, textContent: describe(stated, lang), hidden: this.#withdrawn });
  }

  /** @param {Element} part */
  #hasFocus(part) {
    return part.contains(this.getRootNode().activeElement);
  }

  /** @param {TextveilError} error */
  #fail(error) {
    // A submission waits for these two. They need no message.
    if (error.code === 'not-ready' || error.code === 'not-recorded') return;
    tell(error, this.name);
    this.#stale();
    this.#link();
    const { sent, show, withdraw, guarantee, error: line } = this.#parts;
    // Nothing will be sent. What was not loaded may come if the person asks again. Otherwise a button that has the focus gives it
    // to the control. There the person can do something, or can leave the field out.
    const again = error.code === 'load-failed';
    if (!again && this.#hasFocus(sent)) this.control?.focus();
    guarantee.hidden = true;
    if (!this.#withdrawn) {
      show.hidden = !again;
      withdraw.hidden = false;
      withdraw.textContent = TextveilField.messages.withdraw;
    }
    line.textContent = said(error, () => this.#message(error), this.control ?? this);
  }
}

/**
 * The settings without those that are read anew each time.
 *
 * @type {(settings: Record<string, any>) => object}
 */
const steady = ({ message, scope, ...others }) => others;

/**
 * Whether two objects have the same entries. React sets a new object, with new arrays in it, at every rendering.
 *
 * @param {any} one
 * @param {any} other
 * @returns {boolean}
 */
function haveSameEntries(one, other) {
  if (Object(one) !== one || Object(other) !== other || Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  const names = Reflect.ownKeys(one);
  /** @type {(name: string | symbol) => boolean} */
  const same = (name) => Object.hasOwn(other, name) && (Object.is(one[name], other[name]) || (Array.isArray(one[name]) && haveSameEntries(one[name], other[name])));
  return names.length === Reflect.ownKeys(other).length && names.every(same);
}

/**
 * @param {any} control
 * @param {boolean} off
 */
function turnOff(control, off) {
  if ('disabled' in control) control.disabled = off;
  else control.inert = off;
}

/**
 * What the page says of the language at an element, also around a shadow tree.
 *
 * @type {(element: any) => string | undefined}
 */
const localeOf = (element) => element && (element.closest('[lang]')?.lang ?? localeOf(element.getRootNode().host));

/** @param {string} style */
function constructed(style) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  return sheet;
}

// Some frameworks set properties instead of attributes, if an element has them.
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
      const [, written] = namesOf(attribute);
      if (written) this.removeAttribute(written);
      // Placeholders are on where the attribute is missing.
      if (value == null || (value === false && attribute !== 'placeholders')) this.removeAttribute(attribute);
      else this.setAttribute(attribute, value === true ? '' : Array.isArray(value) ? listed(value) : value);
    },
  });
}

if (globalThis.customElements && !customElements.get('textveil-field')) customElements.define('textveil-field', TextveilField);
