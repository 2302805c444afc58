/**
 * Sends a form without the text of its private controls. `textveil/form` and `textveil/element` share this file.
 *
 * From a private region a form sends only finished releases. This file adds them in the event `formdata`, which every way of
 * sending a form fires (a click, `requestSubmit`, `submit`, `new FormData`). Elements of a region lose their `name`, and custom
 * elements also their form. So the browser sends nothing from them, even after a failure. Entries that they still add at
 * `formdata` are removed. If no text of a region can be read, that is an error, and the whole form sends nothing.
 *
 * A listener for `formdata` cannot wait. So this file stops the event `submit`, loads, draws and records everything, and then
 * submits the form again with the same button. The engine remembers the releases. This file remembers none: it always asks
 * for the release of the text that is now in the control.
 */

/** @import { Release } from './textveil.js' */
/** @typedef {HTMLElement & Record<string, any>} Member an element of the page, which may have any properties */
/** @typedef {{ region: Member, field?: string }} Region without a field if it is left out, with an empty one if the page names none */
/** @typedef {Region & { control?: Member, target: Member, part: Part }} Found a region, its control, and where its errors are shown */
/** @typedef {Found & { control: Member, field: string }} Filled a region that has a control */
/** @typedef {Filled & { text: string, release: Release }} Seen a control with its text, and what was drawn for it */
/**
 * @typedef Passing
 * @property {Found[]} lacking the controls whose release was missing in the form data
 * @property {boolean} again whether a listener of the page has changed a text, so that all must be settled once more
 */
/** @typedef {(name: string, value: unknown) => string | undefined} Privacy why an entry of the form data is private; undefined for a public one */
/**
 * @typedef State what happens with a control
 * @property {boolean} [silenced]
 * @property {Set<string>} [names]
 * @property {number} [fights]
 * @property {HTMLFormElement} [owner]
 * @property {Release} [kept]
 * @property {AbortController} [drawing]
 * @property {Release} [announced]
 * @property {string} [seen] the text of the latest preview
 * @property {boolean} [failed]
 * @property {boolean} [warned] whether the developer knows that the form data were read too early
 * @property {HTMLElement} [message]
 * @property {string} [innerHTML]
 * @property {string} [text]
 */

import { plainCopy } from './arguments.js';
import { invalid, TextveilError } from './errors.js';
import { listAt } from './lists.js';
import { short } from './short.js';
import * as textveil from './textveil.js';

/** Types of controls whose value is not a text that a person wrote. */
const NO_TEXT = /^(?:button|checkbox|file|image|radio|reset|select-.*|submit)$/;

/** Browsers and extensions send a text to servers to complete, correct, translate or check it. These attributes ask them not to. */
const QUIET = {
  autocomplete: 'off',
  autocorrect: 'off',
  spellcheck: 'false',
  translate: 'no',
  writingsuggestions: 'false',
  'data-enable-grammarly': 'false',
  'data-gramm': 'false',
  'data-gramm_editor': 'false',
  'data-lt-active': 'false',
  'data-ms-editor': 'false',
};

/** These attributes ask session recorders not to record an element. Each recorder knows its own. */
const UNRECORDED = {
  'data-clarity-mask': 'true',
  'data-cs-mask': '',
  'data-dd-privacy': 'mask',
  'data-heap-redact-text': 'true',
  'data-hj-suppress': '',
  'data-matomo-mask': '',
  'data-nr-mask': '',
  'data-openreplay-obscured': '',
  'data-recording-disable': '',
  'data-sentry-block': '',
  'data-sentry-mask': '',
};
const UNRECORDED_CLASSES = ['_lr-hide', 'amp-block', 'fs-exclude', 'mp-block', 'ph-no-capture', 'rr-block', 'ym-disable-keys', 'ym-hide-content'];

/**
 * The least length of a private text whose copy is recognized: as whole words of a value, or anywhere in it. Then that of a part of it.
 * What is shorter may be there by chance.
 */
const TELLING = { words: 4, anywhere: 8, part: 24 };

/** A copy of a short text is recognized, too, if it was made this many letters ago. */
const LETTERS_AGO = 3;

/** The least width and height of the part of a control that a person must be able to see, in pixels. */
const SMALLEST = 8;

/** How long the page's detector may take for a text, in milliseconds. */
const DETECTOR_LIMIT = 10_000;

/** How long a form waits for the module, the table and the ledger, in milliseconds. Another try uses what has come. */
const LOADING_LIMIT = 60_000;

/** How often a page may change a text or its settings while a submission waits for them. */
const MOST_CHANGES = 5;

/** How a guarantee is written. */
const WRITTEN = { __proto__: null, short: (/** @type {any} */ guarantee) => JSON.stringify(short(guarantee)), long: JSON.stringify, none: undefined };

/**
 * The name of a field that is filled in, if it is empty, with a random number. A collector counts one number once. So the number stays
 * as long as its releases do, also if a browser has kept them.
 */
const NONCE = 'nonce';

/** The settings that are not options, and the type of each. Others are refused: an unknown setting might have asked for more privacy. */
export const SETTINGS = { __proto__: null, source: 'any', engine: 'any', statements: 'any', ledger: 'any', redact: 'function', scope: 'function', guarantee: 'string', message: 'function' };

/**
 * One object for each form, even if several callers protect its parts. So a submission waits once.
 *
 * @type {WeakMap<HTMLFormElement, FormSubmission>}
 */
const submissions = new WeakMap();

/**
 * On a form, the copy of this package that protects it. Bundles may have a copy each, and two copies would stop what the other one submits.
 */
const COPY = Symbol.for('textveil.copy');
const THIS_COPY = {};

/**
 * What a person wrote in an element outside of the regions, and nothing that a script put there. It also holds for a form that is
 * protected anew.
 *
 * @type {WeakMap<object, string[]>}
 */
const writings = new WeakMap();

/**
 * The state of each control.
 *
 * @type {WeakMap<object, State>}
 */
const states = new WeakMap();

/**
 * Ledger → scope → the releases that it has recorded, and those that it is recording. A release counts once, however often it is sent.
 *
 * @type {WeakMap<object, Map<string, WeakMap<Release, true | Promise<void>>>>}
 */
const records = new WeakMap();

/**
 * Protects a part of a form.
 *
 * @param {HTMLFormElement} form the form
 * @param {() => Region[]} find gives the private regions of that part, each with the name of its field: `[{ region, field }]`
 * @param {any} settings as for `protect`
 */
export function protectRegions(form, find, settings) {
  const part = new Part(find, plainCopy(settings, 'settings', { ...SETTINGS, __proto__: null, options: 'any' }));
  const shared = getOrCreate(submissions, form, () => new FormSubmission(form));
  shared.add(part);
  return {
    get ready() {
      return part.load();
    },
    /** @param {string} field */
    preview: (field) => shared.preview(part, field),
    settled: () => shared.settle(),
    stop: () => shared.remove(part),
    /** @param {string} field */
    withdraw: (field, withdrawn = true) => shared.withdraw(part, field, withdrawn),
    /**
     * What holds for a release of the field, before anything is drawn.
     *
     * @param {string} field
     */
    guarantee: (field) => part.guarantee(field),
    /**
     * Uses a release that the browser has kept from an earlier visit, as long as the control is empty and the terms are the same.
     *
     * @param {Release} [release]
     */
    restore(release) {
      for (const { control } of part.regions()) if (control) stateOf(control).kept = release;
    },
    /** That release, if it would be sent. */
    kept: () => shared.controls().flatMap((one) => (one.part === part && part.kept(one)) || [])[0],
    /** The release that `textveil:release` told last, unless the person has written since. */
    announced: () => part.regions().flatMap(({ control }) => (control && stateOf(control).announced) || [])[0],
  };
}

/** One call of `protect`: its settings and its engine. */
class Part {
  /** @type {any} */
  #settings;
  /** @type {() => Region[]} */
  #find;
  /** @type {Promise<void> | undefined} */
  #loading;
  /** @type {any} */
  #engine;
  /** The fields that are left out of what is sent. */
  withdrawn = new Set();
  /**
   * What the detector has found, by field and text. It is asked once for a text: another answer would be another release.
   *
   * @type {Map<string, unknown[]>}
   */
  #spans = new Map();
  /**
   * The detector's answers that are awaited.
   *
   * @type {Map<string, Promise<unknown[]>>}
   */
  #asked = new Map();
  /** @type {any} */
  #ledger;
  #open = false;

  /**
   * @param {() => Region[]} find
   * @param {{ [setting: string]: any, scope?: (field: string) => string, guarantee?: string }} settings
   */
  constructor(find, { scope = (field) => field, guarantee = 'short', ...settings }) {
    if (!(guarantee in WRITTEN)) throw invalid('The setting `guarantee` is "short", "long" or "none".');
    this.#find = find;
    this.#settings = { ...settings, scope, written: Reflect.get(WRITTEN, guarantee) };
    void this.load();
  }

  /**
   * The regions. `target` is where errors are shown: the control, or the region itself if it has no control.
   *
   * @returns {Found[]}
   */
  regions() {
    return this.#find().map(({ region, field }) => {
      const control = controlOf(region);
      return { region, field, control, target: control ?? region, part: this };
    });
  }

  /** Loads the engine and the ledger. A call after a failure tries again. */
  load() {
    if (!this.#loading) {
      this.#loading = this.#load();
      // Callers who wait get the error, too.
      this.#loading.catch((error) => {
        this.#loading = undefined;
        tell(error);
      });
    }
    return this.#loading;
  }

  async #load() {
    const { engine, statements, source, ledger, redact } = this.#settings;
    if (redact && statements !== undefined) throw invalid('A whole text is exchanged for a statement: the setting `redact` is for words.');
    this.#engine = engineOf(engine, statements);
    await this.#engine.init(source);
    try {
      this.#ledger = await (typeof ledger === 'function' ? ledger() : ledger);
    } catch (/** @type {any} */ error) {
      // This engine is ready, so the ledger belongs to another engine. Waiting does not help.
      throw error?.code === 'not-ready' ? invalid('The ledger must be that of the engine: textveil/ledger, or textveil/all/ledger.') : error;
    }
    // The page asked for a ledger, but its function returned none.
    if (ledger !== undefined && typeof this.#ledger?.spend !== 'function') throw invalid('The setting `ledger` gives no ledger.');
    this.#open = true;
  }

  /**
   * Draws a release of a text: usually that of the control.
   *
   * @param {Filled & { text?: string }} one
   * @param {AbortSignal} [signal]
   * @returns {Promise<Release>}
   */
  async draw({ control, field, text: seen }, signal) {
    await within(LOADING_LIMIT, this.load(), new TextveilError('load-failed', 'The module, the table and the ledger have not come within a minute.'));
    const kept = this.kept({ control, field });
    if (kept) return kept;
    // The spans are those of this very text, whatever is in the control when the detector answers.
    const text = seen ?? textOf(control);
    const spans = this.#settings.redact && (await this.#detect(field, text));
    try {
      return await this.#engine.privatizeAsync(text, this.#terms(field, spans), { field, signal });
    } catch (/** @type {any} */ error) {
      if (error?.code === 'invalid-span') this.#spans.delete(keyOf(field, text));
      throw error;
    }
  }

  /**
   * What the page's detector finds in a text.
   *
   * @param {string} field
   * @param {string} text
   * @returns {Promise<unknown[]>}
   */
  async #detect(field, text) {
    const key = keyOf(field, text);
    const ask = async () => {
      try {
        const found = await within(DETECTOR_LIMIT, this.#settings.redact(text, field));
        if (!Array.isArray(found)) throw found;
        const spans = found.map(({ start, end, kind }) => ({ start, end, kind }));
        this.#spans.set(key, spans);
        return spans;
      } catch {
        // Without the cause: the message of a detector may quote the text.
        throw new TextveilError('detector-failed', 'The function `redact` of the page has failed, has given no array of spans, or has not answered within 10 seconds.');
      }
    };
    return this.#spans.get(key) ?? getOrCreate(this.#asked, key, () => ask().finally(() => this.#asked.delete(key)));
  }

  /**
   * The release that the browser has kept, if the control is empty and it was drawn on the terms that hold now.
   *
   * @param {{ control: Member, field: string }} one
   */
  kept({ control, field }) {
    const { kept } = stateOf(control);
    return kept && !textOf(control) && termsOf(kept.guarantee) === termsOf(this.guarantee(field)) ? kept : undefined;
  }

  /** @param {string} field */
  guarantee(field) {
    return this.#engine.guarantee(this.#terms(field, this.#settings.redact && []));
  }

  /**
   * The entries of a control. Throws if they are not ready.
   *
   * @param {Filled} one
   * @returns {{ release: Release, entries: [string, string][] }}
   */
  entries({ control, field }) {
    if (!this.#open) throw notReady();
    const release = this.kept({ control, field }) ?? this.#engine.privatize(...this.#subject(control, field), { field });
    if (this.#mustRecord(field, release)) {
      throw new TextveilError('not-recorded', 'The ledger has not recorded this release: wait for `settled()`, or submit the form.');
    }
    /** @type {[string, string][]} */
    const entries = [[field, release.text]];
    const { written } = this.#settings;
    if (written) entries.push([guaranteeOf(field), written(release.guarantee)]);
    return { release, entries };
  }

  /**
   * @param {Filled} one
   * @param {Release} release
   */
  async record({ field }, release) {
    if (!this.#mustRecord(field, release)) return;
    const recorded = this.#recorded(field);
    let spent = recorded.get(release);
    if (!spent) {
      spent = this.#spend(field, release);
      recorded.set(release, spent);
      // After a failure the next call tries again.
      spent.then(() => recorded.set(release, true), () => recorded.delete(release));
    }
    // A preview and a submission may wait for one record.
    await spent;
  }

  /**
   * @param {string} field
   * @param {Release} release
   * @returns {Promise<void>}
   */
  async #spend(field, release) {
    await this.#ledger.spend(this.#settings.scope(field), release.guarantee);
  }

  /**
   * Whether the ledger must still record this release. A release without private words costs nothing.
   *
   * @param {string} field
   * @param {Release} release
   */
  #mustRecord(field, release) {
    return this.#ledger && release.guarantee.words > 0 && this.#recorded(field).get(release) !== true;
  }

  /** @param {string} field */
  #recorded(field) {
    const scopes = getOrCreate(records, this.#ledger, () => new Map());
    return getOrCreate(scopes, this.#settings.scope(field), () => new WeakMap());
  }

  /**
   * The text of a control and the terms of its release. Throws if the detector has not seen the text.
   *
   * @param {Member} control
   * @param {string} field
   */
  #subject(control, field) {
    const text = textOf(control);
    const spans = this.#spans.get(keyOf(field, text));
    if (this.#settings.redact && !spans) throw notReady();
    return [text, this.#terms(field, spans)];
  }

  /**
   * @param {string} field
   * @param {unknown[]} [spans] those of the text
   */
  #terms(field, spans) {
    const { options } = this.#settings;
    const terms = typeof options === 'function' ? options(field) : options;
    // One list of spans cannot be that of every text.
    if (terms?.spans !== undefined) throw invalid('In a form the setting `redact` is a function that finds the spans of each text.');
    return spans ? extended(terms, { spans }) : terms;
  }

  /**
   * @param {TextveilError} error
   * @returns {string}
   */
  message(error) {
    return said(error, this.#settings.message);
  }
}

class FormSubmission {
  /** @type {HTMLFormElement} */
  #form;
  /**
   * The same form, for its properties.
   *
   * @type {HTMLFormElement}
   */
  #own;
  /** @type {Set<Part>} */
  #parts = new Set();
  /**
   * The submission that waits. Each has an object of its own, so that a cancelled one can tell.
   *
   * @type {object | undefined}
   */
  #waiting;
  /**
   * The submission that passes, while this class submits the form again.
   *
   * @type {Passing | undefined}
   */
  #passing;
  /**
   * Checks what the listeners of the page have done to a submission that passes.
   *
   * @type {(event: Event) => void}
   */
  #last;
  /** True while the browser shows a message for this class. */
  #reporting = false;
  /** @type {AbortController} */
  #listening;
  /** @type {MutationObserver} */
  #observer;
  /** The controls that have our listeners, and the events that have been handled. */
  #known = new WeakSet();
  /**
   * What stood outside of the regions when a person began to write in an empty one, and still stands there. It is no copy.
   *
   * @type {Map<Member, string[]> | undefined}
   */
  #before;
  /**
   * The addresses of the form and its buttons, as the page had them.
   *
   * @type {Set<string>}
   */
  #addresses;
  /**
   * The names outside of the regions, as the page had them before a person began to write in an empty region.
   *
   * @type {Set<string>}
   */
  #names;

  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.#form = form;
    this.#own = unhidden(form);
  }

  /** @param {Part} part */
  add(part) {
    this.#parts.add(part);
    if (this.#parts.size === 1) this.#listen();
    this.#adopt();
    if (this.#isTaken()) console.error(`textveil: ${TAKEN}`);
  }

  /**
   * Ends the protection. The elements stay without name and form, so the browser never sends them.
   *
   * @param {Part} part
   */
  remove(part) {
    for (const { target } of part.regions()) this.#leave(target);
    this.#parts.delete(part);
    if (this.#parts.size) return;
    if (this.#waiting && this.#own.isConnected) this.#lose();
    this.#cancel();
    this.#listening.abort();
    this.#observer.disconnect();
    submissions.delete(this.#form);
    if (!this.#isTaken()) Reflect.deleteProperty(this.#form, COPY);
  }

  /** Whether another copy of this package protects the form. Then this one lets nothing pass. */
  #isTaken() {
    /** @type {any} */
    const form = this.#form;
    return (form[COPY] ??= THIS_COPY) !== THIS_COPY;
  }

  /** The private regions, in document order. */
  #regions() {
    const all = [...this.#parts].flatMap((part) => part.regions());
    return all.sort((a, b) => (a.target.compareDocumentPosition(b.target) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  }

  /**
   * The controls that are to be sent: those with a text and a field that are not disabled and not withdrawn.
   *
   * @returns {Filled[]}
   */
  controls() {
    // @ts-expect-error Each has a control: TypeScript does not infer that from the filter.
    return this.#regions().filter(({ control, field, part }) => field && control && !isDisabled(control) && !part.withdrawn.has(field));
  }

  /** The regions with a fault: a field whose text cannot be read, or a control without a field; all if another copy protects the form. */
  #faulty() {
    return this.#isTaken() ? this.#regions() : this.#regions().filter(({ region, control, field }) => (field ? !control : control && field === '') && !isDisabled(control ?? region));
  }

  #listen() {
    const [form, unhiddenForm] = [this.#form, this.#own];
    const root = unhiddenForm.getRootNode();
    const unhiddenRoot = unhidden(root);
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    // Scripts and slots can put a form into another form, and these events bubble.
    /** @type {(react: (event: any) => void) => (event: Event) => void} */
    const own = (react) => (event) => event.target === form && react(event);
    unhiddenForm.addEventListener('submit', own((event) => this.#stopAndSend(event)), { capture: true, signal });
    const view = unhiddenForm.ownerDocument.defaultView ?? window;
    this.#addresses = new Set([unhiddenForm, ...elementsOf(form)].flatMap(addressesOf));
    this.#names = new Set(this.#outside(new Set()).flatMap(namesOf));
    // Our listener comes first, on the window; other listeners may add entries. It is also on the form: the event does not leave a shadow tree.
    for (const first of [view, unhiddenForm]) first.addEventListener('formdata', own((event) => this.#answer(event)), { capture: true, signal });
    // On the window too: here, the listeners of the page have not yet copied what was written.
    for (const type of ['beforeinput', 'input']) view.addEventListener(type, (event) => this.#follow(event), { capture: true, signal });
    // After the listeners of the page: they may have changed an address or a text. The event does not leave a shadow tree.
    this.#last = own((event) => this.#check(event));
    for (const outer of [unhiddenRoot, view]) outer.addEventListener('submit', this.#last, { signal });
    // They may also cancel a reset, or keep the event from the window.
    view.addEventListener('reset', own((event) => this.#reset(event)), { signal });
    unhiddenForm.addEventListener('reset', own((event) => setTimeout(() => this.#reset(event))), { signal });
    // A new try starts without messages. Otherwise the browser would stop it with the message of the last try.
    unhiddenRoot.addEventListener('click', (event) => this.#clearFor(event), { capture: true, signal });
    // A person who comes back to the page must not find a form that submits itself.
    addEventListener('pagehide', () => this.#cancel(), { signal });
    // When the browser goes back to a page, it fills in controls without an event.
    addEventListener('pageshow', () => {
      for (const { control } of this.controls()) if (stateOf(control).seen !== textOf(control)) this.#leave(control);
    }, { signal });
    this.#observer = new MutationObserver(() => this.#adopt());
    const attributeFilter = ['name', 'data-private', 'form', 'contenteditable'];
    // The root may be a fragment, which the form leaves.
    for (const watched of [root, form]) this.#observer.observe(watched, { subtree: true, childList: true, attributeFilter });
  }

  // ------------------------------------------------------------------------------------------------------ Controls

  /** Silences and watches the elements that are new. */
  #adopt() {
    const regions = this.#regions();
    for (const member of this.#members(regions)) silence(member);
    for (const { control } of regions) {
      if (!control || this.#known.has(control)) continue;
      this.#known.add(control);
      hideFromAssistants(control);
      this.#watch(control, stateOf(control));
    }
  }

  /**
   * The elements in the regions, and those that once were in one: a framework may move or reuse an element with its text.
   *
   * @param {Found[]} regions
   * @returns {Set<Member>}
   */
  #members(regions) {
    const once = [...this.#own.querySelectorAll('*'), ...elementsOf(this.#form)].filter((element) => states.get(element)?.silenced);
    return new Set([...regions.flatMap(({ region }) => membersOf(region)), ...once]);
  }

  /**
   * @param {Member} control
   * @param {State} state
   */
  #watch(control, state) {
    /** @type {(type: string, react: () => void) => void} */
    const on = (type, react) => {
      const listener = () => {
        if (this.#regions().some((other) => other.control === control)) react();
      };
      control.addEventListener(type, listener, { signal: this.#listening.signal });
    };
    for (const type of ['input', 'change']) {
      on(type, () => {
        state.kept = undefined;
        this.#leave(control);
      });
    }
    on('invalid', () => {
      // The browser has shown the message, and stopped the submission. The next one tries again.
      if (state.failed && !this.#reporting) setTimeout(() => clear(control));
    });
  }

  /**
   * Ends the work for a text that is no longer in the control.
   *
   * @param {Member} control
   */
  #leave(control) {
    const state = stateOf(control);
    clear(control);
    state.drawing?.abort();
    state.announced = undefined;
  }

  /** @param {Event} event */
  #reset(event) {
    if (event.defaultPrevented || this.#known.has(event)) return;
    this.#known.add(event);
    this.#cancel();
    for (const element of this.#outside(new Set())) writings.delete(element);
    for (const part of this.#parts) part.withdrawn.clear();
    for (const { control } of this.controls()) {
      stateOf(control).kept = undefined;
      this.#leave(control);
      // A custom element without a form gets no reset from the browser.
      if (isTakenOut(control)) setTimeout(() => control.formResetCallback?.());
    }
  }

  /**
   * Draws a preview. It counts as a release, even if it is never sent: a session recorder, for example, sees it on the page.
   *
   * @param {Part} part
   * @param {string} field
   */
  async preview(part, field) {
    /** @type {(one: Found) => boolean} */
    const meant = (one) => one.part === part && one.field === field;
    for (const faulty of this.#faulty().filter(meant)) this.#fail(faulty, this.#fault(faulty));
    const one = this.controls().find(meant);
    if (!one) return undefined;
    const state = stateOf(one.control);
    // What an earlier try said holds no more.
    clear(one.control);
    state.drawing?.abort();
    state.drawing = new AbortController();
    const text = (state.seen = textOf(one.control));
    const { signal } = state.drawing;
    try {
      const release = await one.part.draw(one, signal);
      if (signal.aborted) return undefined;
      await one.part.record(one, release);
      // A script may have changed the text without an event: this release is not the one that would be sent.
      if (signal.aborted || textOf(one.control) !== text) return undefined;
      announce(one, release);
      return release;
    } catch (error) {
      if (!signal.aborted) this.#fail(one, error);
      return undefined;
    }
  }

  /**
   * Leaves a field out of what is sent, or takes it in again. What was drawn for its text stays as it is.
   *
   * @param {Part} part
   * @param {string} field
   * @param {boolean} withdrawn
   */
  withdraw(part, field, withdrawn) {
    if (withdrawn) part.withdrawn.add(field);
    else part.withdrawn.delete(field);
    for (const { control } of part.regions().filter((one) => one.field === field)) if (control) this.#leave(control);
  }

  // -------------------------------------------------------------------------------------------------- Public values

  /**
   * Notes what a person writes outside of the regions, and when a person begins to write in one.
   *
   * @param {any} event
   */
  #follow(event) {
    const path = event.composedPath();
    const regions = this.#regions();
    if (path.some((/** @type {any} */ one) => states.get(one)?.silenced || regions.some(({ region }) => region === one))) return this.#begin(event, regions);
    const [target] = path;
    // A script can dispatch the event, too. A box that is ticked says nothing of its value.
    const isEditor = target.isContentEditable;
    if (event.type !== 'input' || !event.isTrusted || !(isEditor || typeof target.value === 'string') || /^(?:checkbox|file|radio)$/.test(target.type)) return;
    // The browser fills in controls without the focus. One with the focus that cannot be seen takes the keys for another one.
    if (target.matches(':focus') && !isSeen(target)) return;
    const values = isEditor ? [target.innerText, target.innerHTML] : valuesOf(target);
    // The control may be in the shadow tree of the element that has the name.
    for (const one of path) writings.set(one, values);
  }

  /**
   * Remembers what stands outside of the regions before any text is in one. Forgets what has changed since: it may be a copy.
   *
   * @param {Event} event
   * @param {Found[]} regions
   */
  #begin({ type, isTrusted }, regions) {
    for (const [element, values] of this.#before ?? []) if (`${valuesOf(element)}` !== `${values}`) this.#before?.delete(element);
    if (this.#before) return;
    const members = this.#members(regions);
    if (this.#texts(regions, members).length) {
      this.#before = new Map();
    } else if (isTrusted && type === 'beforeinput') {
      const outside = this.#outside(members);
      this.#before = new Map(outside.map((element) => [element, valuesOf(element)]));
      for (const name of outside.flatMap(namesOf)) this.#names.add(name);
    }
  }

  /**
   * The elements with a name outside of the regions.
   *
   * @param {Set<Member>} members
   */
  #outside(members) {
    return this.#others(members).filter((element) => namesOf(element).length);
  }

  /**
   * All elements outside of the regions.
   *
   * @param {Set<Member>} members
   * @returns {Member[]}
   */
  #others(members) {
    const all = new Set([...elementsOf(this.#form), ...this.#own.querySelectorAll('*')]);
    return [...all].filter((element) => !members.has(element));
  }

  /**
   * The private texts whose copies are recognized.
   *
   * @param {Found[]} regions
   * @param {Set<Member>} members
   */
  #texts(regions, members) {
    const controls = [...[...members].filter(isWritten), ...regions.flatMap(({ control }) => control ?? [])];
    const filled = controls.filter((one) => plainText(textOf(one)));
    const texts = filled.flatMap((one) => (one.isContentEditable ? [textOf(one), one.innerHTML, one.textContent ?? ''] : textOf(one)));
    // A control of one line takes the ends of lines out.
    const forms = texts.flatMap((text) => [text, text.replace(/[\r\n]/g, '')].flatMap(formsOf));
    const isTelling = (/** @type {string} */ text) => text.length >= (texts.some((one) => plainText(one) === text) ? TELLING.words : TELLING.anywhere);
    return [...new Set(forms)].filter(isTelling);
  }

  /**
   * Stops a form in whose address a script has put a private text. If a script has changed a text or the options, the form needs
   * another release, and starts again.
   *
   * @param {any} event
   */
  #check(event) {
    if (!this.#passing || event.defaultPrevented) return;
    if (!this.controls().every(isSettled)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      this.#passing.again = true;
      return;
    }
    const regions = this.#regions();
    const texts = this.#texts(regions, this.#members(regions));
    const addresses = [this.#own, event.submitter ?? []].flat().flatMap(addressesOf);
    if (!addresses.some((address) => !this.#addresses.has(address) && holdsAny(formsOf(address), texts))) return;
    event.preventDefault();
    for (const one of regions) this.#fail(one, new TextveilError('invalid-options', 'The address of the form holds a private text. Nothing is sent.'));
    this.#report();
  }

  // ---------------------------------------------------------------------------------------------------- Submission

  /** @param {any} event */
  #stopAndSend(event) {
    const { submitter } = event;
    const method = submitter?.getAttribute('formmethod') ?? this.#own.getAttribute('method');
    // A form with the method `dialog` sends nothing.
    if (this.#passing || method?.toLowerCase() === 'dialog') return;
    // The page has cancelled it, and the browser sends nothing. Or another copy protects the form, and here is nothing to protect.
    if (event.defaultPrevented || (this.#isTaken() && !this.#regions().length)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (this.#waiting) return;
    this.#clear();
    // The browser does not validate custom elements without a form.
    const checks = !this.#own.noValidate && !submitter?.formNoValidate;
    const bad = checks && this.controls().find(({ control }) => isTakenOut(control) && control.checkValidity?.() === false);
    if (bad) {
      bad.control.focus();
      bad.control.reportValidity?.();
      return;
    }
    // A custom element that acts as a button is no submitter for `requestSubmit`.
    void this.#send(submitter?.matches('button, input') ? submitter : undefined);
  }

  /** @param {any} submitter */
  async #send(submitter) {
    const waiting = {};
    let fleeting = false;
    // If the form has been removed meanwhile, the person no longer wants to send it.
    const wanted = () => this.#waiting === waiting && this.#own.isConnected;
    const complete = () => wanted() && (!submitter || fleeting || submitter.form === this.#form);
    // A page may turn the button off after the press. Its entry belongs to the press.
    const pressed = submitter?.disabled === false;
    this.#waiting = waiting;
    this.#own.setAttribute('aria-busy', 'true');
    try {
      // In a task of its own: a form cannot be submitted while it dispatches `submit`.
      await new Promise((next) => setTimeout(next));
      // Some design systems click a temporary button, and remove it at once.
      fleeting = Boolean(submitter) && !submitter.isConnected;
      // Safari has it from version 16 on.
      if (!this.#own.requestSubmit) await this.#each(this.#regions(), () => { throw new TextveilError('unsupported', 'This browser lacks `requestSubmit`.'); });
      for (let tries = 1; ; tries++) {
        await this.settle(complete);
        if (!wanted()) return;
        if (!complete()) return await this.#each(this.#regions(), refuse('The button that was pressed has been removed from the form, so the form is not sent. Hide it instead.'));
        const { lacking, again } = this.#pass(submitter, fleeting, pressed);
        if (again && tries < MOST_CHANGES) continue;
        return await this.#each(again ? this.#regions() : lacking, refuse('A listener for `submit` has changed a text or its options, and there was no release for that. Change them earlier.'));
      }
    } catch (/** @type {any} */ error) {
      // Each control that failed has its message. Show the first. Another failure is named, without words that it may quote.
      if (wanted() && !this.#report()) console.error(`textveil: ${error?.name}: the form could not be submitted.`);
    } finally {
      if (fleeting) submitter.remove();
      if (this.#waiting === waiting) this.#cancel();
    }
  }

  /**
   * Submits the form again, with all its releases. Now the listeners of the page hear of it.
   *
   * @param {any} submitter
   * @param {boolean} fleeting
   * @param {boolean} pressed
   */
  #pass(submitter, fleeting, pressed) {
    /** @type {Passing} */
    const passing = { lacking: [], again: false };
    this.#passing = passing;
    // The last listener of the form is ours, too: one before it may keep the event from what is around the form.
    this.#own.removeEventListener('submit', this.#last);
    this.#own.addEventListener('submit', this.#last, { signal: this.#listening.signal });
    if (fleeting) this.#own.append(submitter);
    const off = pressed && submitter.disabled;
    try {
      if (off) submitter.disabled = false;
      this.#own.requestSubmit(submitter);
    } finally {
      if (off) submitter.disabled = true;
      this.#passing = undefined;
    }
    return passing;
  }

  #cancel() {
    this.#waiting = undefined;
    this.#own.removeAttribute('aria-busy');
  }

  /**
   * Draws and records all controls. Repeats if a text has changed meanwhile. Draws all before it records any: if one
   * control fails, the others cost nothing.
   */
  async settle(wanted = () => true) {
    await this.#each(this.controls(), requireFormData);
    /** @type {any[]} */
    let seen;
    let [renewed, rewritten] = [0, 0];
    do {
      this.#adopt();
      await this.#each(this.#faulty(), (one) => {
        throw this.#fault(one);
      });
      seen = this.controls().map((one) => ({ ...one, text: textOf(one.control) }));
      await this.#each(seen, async (one) => {
        one.release = await one.part.draw(one);
      });
      let isRewritten = false;
      await this.#each(seen, async (one) => {
        if (!wanted() || textOf(one.control) !== one.text || !this.#parts.has(one.part)) return;
        await one.part.record(one, one.release);
        if (!this.#parts.has(one.part)) return;
        announce(one, one.release);
        // A person does not write in that moment.
        if (textOf(one.control) !== one.text) isRewritten = true;
      });
      if (seen.some(({ part }) => !this.#parts.has(part))) renewed++;
      if (renewed > MOST_CHANGES) await this.#each(this.#regions(), refuse('The page sets the settings of a field anew again and again. Keep the functions in them.'));
      if (isRewritten) rewritten++;
      if (rewritten > MOST_CHANGES) await this.#each(this.#regions(), refuse('A listener for `textveil:release` changes the text again and again. Show the release elsewhere.'));
    } while (wanted() && !this.#stand(seen));
  }

  /**
   * Whether the form still has these controls with these texts, under the same protection.
   *
   * @param {Seen[]} seen
   */
  #stand(seen) {
    const now = this.controls();
    /** @type {(one: Filled, other: Seen) => boolean} */
    const same = ({ control, part }, { text, ...other }) => control === other.control && part === other.part && textOf(control) === text;
    return now.length === seen.length && now.every((one, at) => same(one, seen[at]));
  }

  /**
   * @template {Found} T
   * @param {T[]} controls
   * @param {(one: T) => unknown} work
   */
  async #each(controls, work) {
    /** @type {unknown[]} */
    const failures = [];
    for (const one of controls) {
      try {
        await work(one);
      } catch (error) {
        failures.push(this.#fail(one, error));
      }
    }
    if (failures.length) throw failures[0];
  }

  /** @param {FormDataEvent} event */
  #answer(event) {
    if (this.#known.has(event)) return;
    this.#known.add(event);
    try {
      this.#fill(event.formData);
    } catch (/** @type {any} */ error) {
      // Not with its message: that may come from an element of the page, and hold its text.
      console.error(`textveil: ${error?.name}: the form data could not be made private, and are empty.`);
      empty(event.formData);
    }
  }

  /**
   * Adds the releases to the form data. Removes every other entry of a region, and refuses those that are added later.
   *
   * @param {FormData & Record<string, any>} data
   */
  #fill(data) {
    const regions = this.#regions();
    // Not when it is protected: frameworks add regions later.
    if (!regions.length && !this.#isTaken() && !stateOf(this.#form).warned) {
      stateOf(this.#form).warned = true;
      console.warn('textveil: this form is protected, but has no element with data-private. All of it is sent as it is.');
    }
    const members = this.#members(regions);
    const elements = elementsOf(this.#form);
    const late = elements.some((element) => isCustom(element) && members.has(element));
    this.#adopt();
    const faulty = this.#faulty();
    for (const one of faulty) this.#fail(one, this.#fault(one));
    // These elements came after the last check. Their entries may have any name, so that all entries are removed.
    if (late) for (const one of regions) this.#fail(one, notReady(), true);
    if (faulty.length || late) return empty(data);
    const isPrivate = this.#privacyOf(regions, members);
    const present = [...data];
    if (present.some((entry) => isPrivate(...entry))) {
      const outside = this.#outside(members);
      for (const [name, value] of present) {
        const reason = isPrivate(name, value);
        if (reason) console.warn(`textveil: ${reason}. So it is left out of the form data.`);
        // The browser must not put a copy back when the person returns to the page.
        if (reason) for (const element of outside) if (namesOf(element).includes(name)) element.setAttribute('autocomplete', 'off');
        data.delete(name);
      }
      for (const entry of present) if (!isPrivate(...entry)) data.append(...entry);
    }
    // A custom element in a region may add entries in a listener of its own. Each entry that is added is checked.
    const added = [...members].some(isCustom) ? namesAdded(this.#own, elements, members) : undefined;
    const append = data.append.bind(data);
    for (const method of ['append', 'set']) {
      const add = data[method].bind(data);
      /** @type {(name: unknown, ...value: any[]) => void} */
      data[method] = (name, ...value) => {
        let reason = isPrivate(`${name}`, value[0]);
        if (!reason && added?.has(`${name}`) === false) reason = `The entry "${name}" may come from a private region. For a public entry, put <input type="hidden" name="${name}"> into the form`;
        if (!reason) return add(name, ...value);
        console.error(`textveil: A script was about to add an entry to the form data. ${reason}. So it is left out.`);
      };
    }
    const asksForNonce = data.get(NONCE) === '';
    /** @type {Release[]} */
    const releases = [];
    for (const one of this.controls()) {
      try {
        const { release, entries } = one.part.entries(one);
        for (const [name, value] of entries) append(name, value);
        releases.push(release);
        announce(one, release);
      } catch (error) {
        // The page may have cleared the control after it has taken the form data.
        if (isAwaited(error) && textOf(one.control)) this.#passing?.lacking.push(one);
        this.#fail(one, error, isAwaited(error));
      }
    }
    if (!asksForNonce) return;
    data.delete(NONCE);
    // Without a release there is nothing to count.
    if (releases.length) append(NONCE, `${releases.map(numberOf).reduce((sum, number) => sum + number)}`);
  }

  /**
   * Whether an entry belongs to a region: by its name, or because its name or its value is a copy of a private text.
   *
   * @param {Found[]} regions
   * @param {Set<Member>} members
   * @returns {Privacy}
   */
  #privacyOf(regions, members) {
    const names = new Set(regions.flatMap(({ field }) => (field ? [field, guaranteeOf(field)] : [])));
    for (const member of members) for (const name of stateOf(member).names ?? []) names.add(name);
    const texts = this.#texts(regions, members);
    if (texts.length) this.#before ??= new Map();
    const outside = this.#outside(members);
    /** @type {(element: Member) => string[]} */
    const publicOf = (element) => [writings, this.#before].flatMap((known) => known?.get(element) ?? []).flatMap(formsOf);
    /** @type {(name: string, forms: string[]) => boolean} */
    const isPublic = (name, forms) => outside.some((element) => namesOf(element).includes(name) && publicOf(element).includes(forms.at(-1) ?? ''));
    const holdsPart = texts.length ? holderOfParts(texts, releasesOf(regions), this.#others(members).flatMap(publicOf)) : () => false;
    return (name, value) => {
      if (names.has(name)) return `The entry "${name}" has the name of a private control`;
      if (!texts.length) return undefined;
      // Without the name: the console is not private.
      if (!this.#names.has(name) && holdsAny(formsOf(name), texts)) return 'An entry has the text of a private control in its name';
      const forms = value instanceof Blob ? [] : formsOf(`${value}`);
      const isCopy = (holdsAny(forms, texts) || holdsPart(forms)) && !isPublic(name, forms);
      return isCopy ? `The entry "${name}" holds the text of a private control, and no person wrote it there` : undefined;
    };
  }

  // -------------------------------------------------------------------------------------------------------- Errors

  /**
   * @param {Found} one
   * @param {any} cause
   * @param {boolean} [awaited] whether a submission would wait for what is missing
   */
  #fail(one, cause, awaited = false) {
    let error = asTextveilError(cause);
    // Nothing is left to wait for: the person must know.
    if (!awaited && isAwaited(error)) error = new TextveilError('load-failed', 'All was loaded, but what draws or counts is not ready.');
    const { target, field, part } = one;
    const checked = isChecked(target);
    if (!awaited) {
      clear(target);
      stateOf(target).failed = true;
      if (checked) target.setCustomValidity(part.message(error));
      target.setAttribute('aria-invalid', 'true');
      tell(error, field || 'a private region');
    } else if (!this.#waiting && !stateOf(target).warned) {
      // A page may read the form data again and again.
      stateOf(target).warned = true;
      console.warn(`textveil: ${field || 'a private region'}: left out of the form data. ${error.message}`);
    }
    const shown = !dispatch(one, 'error', { error });
    if (awaited) return error;
    // The page shows it: the browser shall not show it once more.
    if (shown && checked) target.setCustomValidity('');
    if (!shown && !checked) showMessageAfter(target, part.message(error));
    return error;
  }

  /** @param {Found} one */
  #fault(one) {
    return this.#isTaken() ? invalid(TAKEN) : fault(one);
  }

  /** Says that a submission was not sent, because its last private field has gone while it waited. */
  #lose() {
    const error = invalid('The last private field was removed, or its protection was stopped, while the form was being sent. So the form is not sent.');
    console.error(`textveil: ${error.message}`);
    stateOf(this.#own).failed = true;
    showMessageAfter(this.#own, messageOf(error));
  }

  /** Moves the focus to the first control that failed. */
  #report() {
    const first = this.#regions().find(({ target }) => stateOf(target).failed)?.target;
    if (!first) return false;
    this.#reporting = true;
    first.focus();
    if (isChecked(first) && first.validity.customError) first.reportValidity();
    this.#reporting = false;
    // If the element cannot take the focus, its message does.
    const message = stateOf(first).message ?? first.closest('textveil-field')?.querySelector('.textveil-error');
    if (message && !first.matches(':focus-within')) {
      message.tabIndex = -1;
      message.focus();
    }
    return true;
  }

  /** @param {any} event */
  #clearFor({ target }) {
    const button = target.closest?.('button, input');
    if (button?.form === this.#form && /^(?:submit|image)$/.test(button.type)) this.#clear();
  }

  #clear() {
    clear(this.#own);
    for (const { region, target } of this.#regions()) [region, target].forEach(clear);
  }
}

/**
 * What draws: an engine, or the list of a file.
 *
 * @param {unknown} engine
 * @param {any} statements
 */
function engineOf(engine, statements) {
  if (statements === undefined) return engine ?? textveil;
  if (engine !== undefined) throw invalid('Give `engine` or `statements`, not both.');
  if (typeof statements === 'string') return listAt(statements);
  if (typeof statements?.privatizeAsync !== 'function') throw invalid('The setting `statements` is an address, or what `statements()` has made.');
  return statements;
}

/** Without the event, releases would be left out silently. So that is an error. */
function requireFormData() {
  if (firesFormData()) return;
  throw new TextveilError('unsupported', 'This platform fires no `formdata` event. In a test, call `provideFormData()` of textveil/testing first.');
}

/** Whether `new FormData(form)` fires `formdata`. It does in every browser; it does not in jsdom and happy-dom. */
export function firesFormData() {
  const form = document.createElement('form');
  let fires = false;
  form.addEventListener('formdata', () => (fires = true));
  new FormData(form);
  return fires;
}

// ------------------------------------------------------------------------------------------------------------ Regions

/**
 * A property of an element; undefined if its getter throws.
 *
 * @param {Member} element
 * @param {string} property
 * @returns {any}
 */
function read(element, property) {
  try {
    return element[property];
  } catch {
    return undefined;
  }
}

/**
 * Empties the form data, and keeps them empty.
 *
 * @param {FormData} data
 */
function empty(data) {
  for (const name of new Set(data.keys())) data.delete(name);
  data.append = data.set = () => {};
}

/**
 * Whether it is a custom element of the page, which may add any entries to a form. Our own adds none.
 *
 * @type {(element: Element) => boolean}
 */
const isCustom = ({ localName }) => localName.includes('-') && localName !== 'textveil-field';

/**
 * Whether the element itself holds a text that a person writes.
 *
 * @param {Member} element
 */
function holdsText(element) {
  if (typeof read(element, 'value') !== 'string') return element.isContentEditable;
  if (isCustom(element)) return !('checked' in element) && !NO_TEXT.test(element.type);
  return element.matches('input, textarea') && !NO_TEXT.test(element.type);
}

/**
 * Whether a person can write in the element. A hidden field is a control only if the page marks it itself.
 *
 * @type {(element: Member) => boolean}
 */
const isWritten = (element) => holdsText(element) && element.type !== 'hidden';

/**
 * The control of a region: the region itself, or the first element in it that holds text and belongs to no inner region.
 *
 * @param {Member} region
 * @returns {Member | undefined}
 */
export function controlOf(region) {
  if (region.localName !== 'textveil-field' && holdsText(region)) return region;
  const texts = [...region.querySelectorAll('*')].filter(
    (element) =>
      (element.matches('input, textarea, [contenteditable]') || isCustom(element)) &&
      isWritten(element) &&
      element.closest('[data-private], textveil-field') === region,
  );
  // A custom element that is a button may have a value, too. A placeholder tells a field from a button.
  return texts.find((element) => !isCustom(element) || 'placeholder' in element) ?? texts[0];
}

/**
 * The elements of a region that can be part of a form.
 *
 * @type {(region: Member) => Member[]}
 */
const membersOf = (region) => [region, ...region.querySelectorAll('*')].filter((element) => 'form' in element || isCustom(element));

/**
 * The form of an element, also if we have taken it out of that form.
 *
 * @param {Member} element
 * @returns {HTMLFormElement | null}
 */
export function formOf(element) {
  const { owner } = stateOf(element);
  if (owner) return owner;
  if (isForm(element.form)) return element.form;
  return named(element) ?? element.closest('form');
}

/**
 * The form that the element's attribute names.
 *
 * @param {Member} element
 * @returns {any}
 */
function named(element) {
  const id = element.getAttribute('form');
  const form = id ? element.getRootNode().getElementById?.(id) : undefined;
  return isForm(form) ? form : undefined;
}

/**
 * The names under which the browser could send something of an element.
 *
 * @param {Member} element
 * @returns {string[]}
 */
function namesOf(element) {
  const name = read(element, 'name');
  const names = [element.getAttribute('name'), typeof name === 'string' ? name : '', element.getAttribute('dirname')];
  if (element.type === 'image') names.push(...['x', 'y'].map((axis) => (name ? `${name}.${axis}` : axis)));
  // @ts-expect-error Each is a string: TypeScript does not infer that from the filter.
  return names.filter(Boolean);
}

/**
 * The elements of a form.
 *
 * @type {(form: any) => Member[]}
 */
const elementsOf = (form) => [...unhidden(form).elements];

/**
 * A node for its properties and methods. A control with the name "elements" hides `form.elements`, and a form with a name may hide
 * a property of the document. Here both are those of the platform.
 *
 * @template {Node} T
 * @param {T} node
 * @returns {T}
 */
export function unhidden(node) {
  const prototype = Object.getPrototypeOf(node);
  return new Proxy(node, {
    get(_, property) {
      const value = Reflect.get(Reflect.getOwnPropertyDescriptor(node, property) ? prototype : node, property, node);
      return typeof value === 'function' ? value.bind(node) : value;
    },
  });
}

/** @type {(value: unknown) => boolean} */
export function isForm(value) {
  try {
    return Boolean(Reflect.get(HTMLFormElement.prototype, 'elements', value));
  } catch {
    return false;
  }
}

/**
 * The names under which a listener may add entries: those of public custom elements and of public hidden fields.
 *
 * @param {HTMLFormElement} form
 * @param {Member[]} elements
 * @param {Set<Member>} members
 */
function namesAdded(form, elements, members) {
  const all = [...elements, ...form.querySelectorAll('*')];
  return new Set(all.filter((element) => !members.has(element) && (isCustom(element) || element.type === 'hidden')).flatMap(namesOf));
}

/**
 * Removes all elements of a region from what a form sends, before the form is known.
 *
 * @type {(region: HTMLElement) => void}
 */
export const silenceAll = (region) => membersOf(region).forEach(silence);

/**
 * Removes an element from what a form sends, for good.
 *
 * @param {Member} element
 */
function silence(element) {
  const state = stateOf(element);
  state.silenced = true;
  for (const name of namesOf(element)) (state.names ??= new Set()).add(name);
  // Some elements put their name back each time. We stop after 100 tries; at `formdata` the entry is removed anyway.
  if ((state.fights ??= 0) > 100) return;
  if (element.hasAttribute('name')) {
    const name = element.getAttribute('name');
    console.warn(`textveil: an element in a private region had the name "${name}", under which its text could be sent. The name has been removed.`);
    state.fights++;
    element.removeAttribute('name');
  }
  if (!isCustom(element)) return;
  try {
    // Some elements keep the name in a property only.
    if (element.name) element.name = '';
  } catch {
    // Entries with that name are removed at `formdata`.
  }
  const known = customElements.get(element.localName);
  // Its value may consist of entries with any names. An empty `form` attribute takes the element out of every form, also one that is defined later.
  if ((!known || known.formAssociated) && element.getAttribute('form') !== '') {
    state.fights++;
    state.owner = named(element);
    element.setAttribute('form', '');
  }
}

/**
 * Asks browsers, extensions and recorders to leave a control alone. Attributes that the page has set stay.
 *
 * @param {HTMLElement} control
 */
function hideFromAssistants(control) {
  for (const [attribute, value] of Object.entries(QUIET)) {
    if (!control.hasAttribute(attribute)) control.setAttribute(attribute, value);
  }
  hideFromRecorders(control);
}

/** @param {HTMLElement} element */
export function hideFromRecorders(element) {
  for (const [attribute, value] of Object.entries(UNRECORDED)) {
    if (!element.hasAttribute(attribute)) element.setAttribute(attribute, value);
  }
  element.classList.add(...UNRECORDED_CLASSES);
}

/** @type {(element: Member) => boolean} */
const isDisabled = (element) =>
  element.matches(':disabled') || isTurnedOff(element) || (isCustom(element) && (element.disabled === true || element.hasAttribute('disabled')));

/**
 * Whether an element is in a fieldset that is disabled, and not in its legend. An editable element does not tell it.
 *
 * @type {(element: Element | null | undefined) => boolean}
 */
function isTurnedOff(element) {
  const fieldset = element?.closest('fieldset:disabled');
  if (!fieldset) return false;
  return !fieldset.querySelector(':scope > legend')?.contains(element ?? null) || isTurnedOff(fieldset.parentElement);
}

/**
 * Whether we have removed the element from its form.
 *
 * @type {(element: Element) => boolean}
 */
const isTakenOut = (element) => isCustom(element) && Boolean(customElements.get(element.localName)?.formAssociated) && element.getAttribute('form') === '';

/**
 * Whether the browser can show a validation message at the element.
 *
 * @type {(element: Member) => boolean}
 */
const isChecked = (element) => !isCustom(element) && element.willValidate === true && isRendered(element);

/**
 * Whether an element is on the page. Where the platform cannot tell, it is.
 *
 * @type {(element: Element) => boolean}
 */
export const isRendered = (element) => element.checkVisibility?.({ checkVisibilityCSS: true }) !== false;

/**
 * A text with single spaces: a copy may stand in a control of one line, or in markup.
 *
 * @type {(text: string) => string}
 */
const plainText = (text) => text.replace(/\s+/g, ' ').trim();

/**
 * The forms in which a text is sought: as it stands, without the escapes of addresses, HTML and JSON, and its words alone in small
 * letters. A text without words lacks the last form.
 *
 * @param {string} text
 * @returns {string[]}
 */
function formsOf(text) {
  const bare = unescaped(text);
  return [...new Set([text, bare, wordsOf(bare)].map(plainText))].filter(Boolean);
}

/** @type {(text: string) => string} */
const wordsOf = (text) => plainText(text.normalize('NFKC').toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, ' '));

/**
 * A text without escapes, also where a script has escaped it more than once.
 *
 * @param {string} text
 */
function unescaped(text) {
  let before;
  for (let tries = 0; tries < 4 && text !== before; tries++) {
    before = text;
    text = decoded(text).replace(/<\/?[a-z][^<>]*>|\\[bfnrt]|\\u([\da-f]{4})|&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (_, unit, hex, decimal, name) => {
      const code = parseInt(unit ?? hex, 16) || Number(decimal);
      return code < 0x110000 ? String.fromCodePoint(code) : (ENTITIES.get(name) ?? ' ');
    });
  }
  return text;
}

const ENTITIES = new Map([['amp', '&'], ['lt', '<'], ['gt', '>']]);

/**
 * Whether a value, by its forms, holds one of the texts. Only a long text counts if it stands within a word.
 *
 * @param {string[]} forms
 * @param {string[]} texts
 */
function holdsAny(forms, texts) {
  return texts.some((text) =>
    forms.some((form) => {
      let at = form.indexOf(text);
      while (text.length < TELLING.anywhere && at >= 0 && !(isEdge(form, at) && isEdge(form, at + text.length))) at = form.indexOf(text, at + 1);
      return at >= 0;
    }),
  );
}

/**
 * What says whether a value, by its forms, holds the beginning of a text or stands in it. So a copy that was cut, or made some keys ago,
 * is found. A part may be there by chance: it does not count if it stands in something that a person wrote in public, nor within a release.
 * Only words count: other values may begin with the same markup.
 *
 * @param {string[]} texts
 * @param {string[]} releases
 * @param {string[]} publics
 * @returns {(forms: string[]) => boolean}
 */
function holderOfParts(texts, releases, publics) {
  /** @type {(part: string) => boolean} */
  const isTelling = (part) => part.length >= TELLING.anywhere && /\p{L}/u.test(part) && !publics.some((one) => one.includes(part));
  const words = texts.filter((text) => wordsOf(text) === text);
  const beginnings = words.filter(({ length }) => length >= TELLING.part).map((text) => plainText(text.slice(0, TELLING.part))).filter(isTelling);
  /** @type {(form: string) => boolean} */
  const isPart = (form) => words.some((text) => (form.length >= TELLING.part ? text.includes(form) : text.startsWith(form) && form.length >= text.length - LETTERS_AGO));
  return (forms) =>
    forms
      .map((form) => plainText(releases.reduce((rest, release) => rest.replaceAll(release, ' '), form)))
      .some((form) => beginnings.some((part) => ` ${form}`.includes(` ${part}`)) || (isTelling(form) && isPart(form)));
}

/**
 * What the page may show of the regions, in all its forms.
 *
 * @param {Found[]} regions
 */
const releasesOf = (regions) =>
  regions.flatMap(({ control }) => formsOf((control && stateOf(control).announced?.text) ?? '')).filter((text) => text.length >= TELLING.anywhere);

/**
 * Whether a word may begin or end at a place of a value. Scripts without capitals may have no spaces between words.
 *
 * @param {string} value
 * @param {number} at
 */
const isEdge = (value, at) => !/[\p{LC}\p{N}]$/u.test(value.slice(Math.max(0, at - 2), at)) || !/^[\p{LC}\p{N}]/u.test(value.slice(at, at + 2));

/**
 * The addresses that an element names for a form.
 *
 * @param {Member} element
 * @returns {string[]}
 */
const addressesOf = (element) => ['action', 'formaction'].map((name) => element.getAttribute(name) ?? '');

/**
 * A text without the escapes of `encodeURIComponent` and of `escape`. Each run is decoded by itself: a percent sign elsewhere
 * is no reason to leave it.
 *
 * @param {string} text
 */
function decoded(text) {
  return text.replace(/%u[\da-f]{4}|(?:%[\da-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run.replace(/%u?([\da-f]+)/gi, (_, code) => String.fromCharCode(parseInt(code, 16)));
    }
  });
}

/**
 * What a form may send of an element: its value, or that of each of its options.
 *
 * @param {Member} element
 * @returns {string[]}
 */
function valuesOf(element) {
  const holders = element.localName === 'select' ? [...element.options] : [element];
  return holders.map((one) => plainText(`${read(one, 'value') ?? ''}`));
}

/**
 * Whether a person can see an element, where it now is on the screen.
 *
 * @param {Member} element
 */
function isSeen(element) {
  for (let one = element; one; one = one.parentElement ?? /** @type {any} */ (one.getRootNode()).host) if (Number(getComputedStyle(one).opacity) < 0.1) return false;
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const [x, y] = [Math.max(left, 0), Math.max(top, 0)];
  const [width, height] = [Math.min(right, innerWidth) - x, Math.min(bottom, innerHeight) - y];
  /** @type {any} */
  const root = element.getRootNode();
  // Nothing may clip or cover all of it.
  const shares = [0.1, 0.5, 0.9];
  return width >= SMALLEST && height >= SMALLEST && shares.some((across) => shares.some((down) => root.elementFromPoint(x + across * width, y + down * height) === element));
}

/**
 * Options with others in their place. A copy like the original, so that the engine refuses what it would refuse, and overlooks nothing.
 *
 * @param {any} options
 * @param {object} others
 */
export function extended(options = {}, others) {
  return Object.create(Object.getPrototypeOf(options), { ...Object.getOwnPropertyDescriptors(options), ...Object.getOwnPropertyDescriptors(others) });
}

const TAKEN = 'Two copies of textveil protect this form. Load one: from one address, or from one bundle. Nothing is sent.';

/** @param {Found} faulty */
function fault({ region: { localName }, field }) {
  return invalid(
    field
      ? `No text can be read from the private <${localName}>: neither it nor anything in it is a control for text, an editable element, ` +
          'or a custom element that is defined and whose `value` is a string. Nothing is sent.'
      : `The private <${localName}> has no field. Write the name of the field: data-private="note", or <textveil-field name="note">. Nothing is sent.`,
  );
}

/**
 * @param {string} field
 * @param {string} text
 */
const keyOf = (field, text) => JSON.stringify([field, text]);

/**
 * Whether a submission waits for what is missing. The person has nothing to do.
 *
 * @type {(error: any) => boolean}
 */
const isAwaited = (error) => error?.code === 'not-ready' || error?.code === 'not-recorded';

/**
 * Whether the release of a control could be sent now.
 *
 * @param {Filled} one
 */
function isSettled(one) {
  try {
    one.part.entries(one);
    return true;
  } catch {
    return false;
  }
}

/**
 * What a browser keeps of a release for the way back. Its number goes with it: sent once more, it still counts once.
 *
 * @param {Release} release
 */
export const written = (release) => JSON.stringify({ text: release.text, guarantee: release.guarantee, number: `${numberOf(release)}` });

/**
 * The release in what a browser has kept.
 *
 * @param {string} state
 */
export function readRelease(state) {
  const { number, ...release } = JSON.parse(state);
  if (number) NUMBERS.set(release, BigInt(number));
  return release;
}

/**
 * A random number of 128 bits, the same for a release as long as the page stays.
 *
 * @type {(release: Release) => bigint}
 */
const numberOf = (release) =>
  getOrCreate(NUMBERS, release, () => crypto.getRandomValues(new BigUint64Array(2)).reduce((high, low) => (high << 64n) | low, 0n));

/** @type {WeakMap<Release, bigint>} */
const NUMBERS = new WeakMap();

/**
 * An error of this package. What a function of the page throws becomes one, and its message is never shown: it may quote the text.
 *
 * @param {any} cause
 * @returns {TextveilError}
 */
const asTextveilError = (cause) =>
  cause?.name === 'TextveilError' ? cause : new TextveilError('invalid-options', 'A function that the page has set failed.', { cause });

/**
 * Tells the developer of the page of an error, once. No message of ours holds the text.
 *
 * @param {any} cause
 * @param {string} [where]
 */
export function tell(cause, where) {
  const error = asTextveilError(cause);
  if (toldErrors.has(error)) return;
  toldErrors.add(error);
  // The file, if `loading.js` names it. Another cause may come from the page.
  const [file = ''] = /^\S+: (?:HTTP status \d+|a page, and not the file)$/.exec(/** @type {any} */ (error.cause)?.message) ?? [];
  console.error(`textveil: ${[where, error.code, error.message, file].filter(Boolean).join(': ')}`);
}

/** @type {WeakSet<TextveilError>} */
const toldErrors = new WeakSet();

/** @type {(message: string) => () => never} */
const refuse = (message) => () => {
  throw invalid(message);
};

/**
 * What is awaited, if it comes in time.
 *
 * @template T
 * @param {number} limit in milliseconds
 * @param {Promise<T> | T} awaited
 * @param {unknown} [late] what is thrown otherwise
 * @returns {Promise<T>}
 */
async function within(limit, awaited, late) {
  /** @type {any} */
  let timer;
  try {
    return await Promise.race([awaited, new Promise((_, refuse) => (timer = setTimeout(refuse, limit, late)))]);
  } finally {
    clearTimeout(timer);
  }
}

const notReady = () => new TextveilError('not-ready', 'textveil is not ready: wait for `settled()`, or submit the form.');

/**
 * @param {Member} control
 * @returns {string}
 */
export function textOf(control) {
  return typeof control.value === 'string' ? control.value : editedText(control);
}

/**
 * What a page says of an error. If it says nothing, or fails, a person reads the package's message.
 *
 * @param {TextveilError} error
 * @param {(error: TextveilError) => string | undefined} [message]
 * @returns {string}
 */
export function said(error, message) {
  try {
    return message?.(error) ?? messageOf(error);
  } catch (cause) {
    console.error('textveil: the function `message` of the page has failed.', cause);
    return messageOf(error);
  }
}

/**
 * The text of an editable element. Read once for each content: while the element is hidden, its text has no line breaks, and would
 * be drawn as another text.
 *
 * @param {Member} control
 * @returns {string}
 */
function editedText(control) {
  const state = stateOf(control);
  const { innerHTML } = control;
  if (state.innerHTML !== innerHTML) Object.assign(state, { innerHTML, text: control.innerText });
  // @ts-expect-error `Object.assign` has set it.
  return state.text;
}

/**
 * What a guarantee says of the terms: all but what depends on the text. The words of a whole text do not.
 *
 * @param {Record<string, any>} guarantee
 */
function termsOf({ words, epsilonText, deltaText, totalVariation, exactSampler, statement, ...terms }) {
  return JSON.stringify([terms, terms.unit === 'whole-text' && words]);
}

/**
 * Dispatches `textveil:release`, once for each release. The event never holds the account.
 *
 * @param {Filled} one
 * @param {Release} release
 */
function announce(one, release) {
  const state = stateOf(one.control);
  if (state.announced === release) return;
  state.announced = release;
  dispatch(one, 'release', { text: release.text, guarantee: release.guarantee });
}

/**
 * Dispatches an event. False if a listener has called `preventDefault`: then the page shows the error itself.
 *
 * @param {Found} one
 * @param {string} what
 * @param {object} detail
 */
function dispatch({ target, field }, what, detail) {
  return target.dispatchEvent(new CustomEvent(`textveil:${what}`, { bubbles: true, cancelable: what === 'error', detail: { field, ...detail } }));
}

/**
 * Shows a message after an element, where the browser shows none. If the element is hidden, the message stands after the nearest
 * element around it where it can be seen.
 *
 * @param {Member} target
 * @param {string} message
 */
function showMessageAfter(target, message) {
  const paragraph = Object.assign(document.createElement('p'), { className: 'textveil-error', textContent: message });
  paragraph.setAttribute('role', 'alert');
  stateOf(target).message = paragraph;
  let place = target;
  place.after(paragraph);
  while (!isRendered(paragraph) && place.parentElement && place.parentElement !== document.body) {
    place = place.parentElement;
    place.after(paragraph);
  }
}

/** @param {Member} target */
function clear(target) {
  const state = stateOf(target);
  if (!state.failed) return;
  state.failed = false;
  if (!isCustom(target)) target.setCustomValidity?.('');
  target.removeAttribute('aria-invalid');
  state.message?.remove();
  state.message = undefined;
}

/**
 * @param {TextveilError} error
 * @returns {string}
 */
export function messageOf({ code }) {
  switch (code) {
    case 'budget-exhausted':
      return 'This would tell more about you than may still be sent from this field. Please shorten the text, or try again later.';
    case 'text-too-long':
      return 'This text is too long to be made private. Please shorten it.';
    case 'other-language':
      return 'This text seems to be in a language that cannot be made private here, so it cannot be sent. Usually, only English can.';
    case 'unsupported':
      return 'This browser cannot make the text private, so it cannot be sent.';
    case 'load-failed':
      return 'The page could not load the part that makes the text private, so the text cannot be sent yet. Please check your connection and try again.';
    case 'internal':
      return 'The text could not be made private, so it cannot be sent. Please copy your text, and then reload the page.';
    case 'bad-ledger':
    case 'storage-failed':
      return 'This browser does not let the page count what it sends, so the text cannot be sent. Please let this site store data, or leave the private window.';
    default:
      if (/^(?:invalid-|bad-statements$|other-encoder$)/.test(code)) return 'This form is not set up as it should be, so the text cannot be sent.';
      return 'The text could not be made private, so it cannot be sent. Please try again.';
  }
}

/** @type {(control: object) => State} */
const stateOf = (control) => getOrCreate(states, control, () => ({}));

/** @type {(field: string) => string} */
const guaranteeOf = (field) => `${field}-guarantee`;

/**
 * @template {object | string} K
 * @template V
 * @param {{ has(key: K): boolean, get(key: K): V | undefined, set(key: K, value: V): unknown }} map
 * @param {K} key
 * @param {() => V} make
 * @returns {V}
 */
function getOrCreate(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  // @ts-expect-error The line above has set it.
  return map.get(key);
}
