/**
 * What `textveil/form` and `textveil/element` share: how a form is sent without the text of its private controls.
 *
 * Nothing here takes raw text out of a form; it never is in one. A private control has no `name`, and so no entry: not
 * without script, not before this file has loaded, not after it has failed. The one thing added is a finished release,
 * in `formdata`, which every way of sending a form goes through (a click, `requestSubmit`, `submit`, `new FormData`).
 * Whatever goes wrong before leaves the entry out.
 *
 * `formdata` cannot wait, so `submit` does: it is stopped, all is loaded, drawn and recorded, and then the form is
 * submitted again with the same button. What is drawn for a text is remembered by the engine; here nothing is, so that
 * no release can be sent for another text than the one that now stands in the control.
 */

import { invalid, plainCopy, TextveilError } from './shared.js';
import * as textveil from './textveil.js';

/** How long typing pauses, in milliseconds, before a preview is drawn: each text drawn is work, and shown is noise. */
const PAUSE = 300;

/** Controls whose value is not a text that somebody wrote. */
const NO_TEXT = /^(?:button|checkbox|file|image|radio|reset|select-.*|submit)$/;

/** What may be set beside the terms, and the type of each. A setting that is not understood might have asked for more privacy. */
export const SETTINGS = { __proto__: null, source: 'any', engine: 'any', ledger: 'any', scope: 'function', withGuarantee: 'boolean', message: 'function' };

/** One guard a form, whatever parts of it are protected by whom, so that a submission waits once. */
const guards = new WeakMap();

/** What happens with each control. */
const states = new WeakMap();

/** Ledger → scope → the releases that it has recorded. A release counts once, however often it is sent. */
const records = new WeakMap();

/**
 * Protects a part of a form.
 *
 * @param form the form
 * @param find gives what is marked as private in that part, each with the name of its field: `[{ control, field }]`
 * @param settings as for `protect`
 */
export function guard(form, find, settings) {
  const part = new Part(find, plainCopy(settings, 'settings', { ...SETTINGS, __proto__: null, options: 'any' }));
  const shared = found(guards, form, () => new Guard(form));
  shared.add(part);
  const first = (field) => shared.controls().find((one) => one.part === part && one.field === field);
  return {
    get ready() {
      return part.load();
    },
    async preview(field) {
      part.shown.add(field);
      const one = first(field);
      return one && shared.preview(one);
    },
    settled: async () => void (await shared.settle()),
    stop: () => shared.remove(part),
    /** A release that the browser has kept of an earlier visit stands for the empty control until somebody writes in it. */
    restore(field, release) {
      const one = first(field);
      if (one) stateOf(one.control).kept = release;
    },
  };
}

/** What `protect` has been told, and the engine. */
class Part {
  /** The fields whose previews somebody looks at. */
  shown = new Set();
  #settings;
  #find;
  #loading;
  #ledger;
  #open = false;

  constructor(find, { engine = textveil, scope = (field) => field, withGuarantee = true, ...settings }) {
    this.#find = find;
    this.#settings = { ...settings, engine, scope, withGuarantee };
    this.load();
  }

  marked() {
    return this.#find().map((one) => ({ ...one, part: this }));
  }

  /** The engine and the ledger; tried anew whenever asked after a failure. */
  load() {
    if (!this.#loading) {
      this.#loading = this.#load();
      // Heard by whoever waits; when nobody does it is no news yet.
      this.#loading.catch(() => (this.#loading = undefined));
    }
    return this.#loading;
  }

  async #load() {
    const { engine, source, ledger } = this.#settings;
    await engine.init(source);
    try {
      this.#ledger = await (typeof ledger === 'function' ? ledger() : ledger);
    } catch (error) {
      // This engine is ready: it is another's ledger, and waiting mends nothing.
      throw error?.code === 'not-ready' ? invalid('The ledger must be that of the engine: textveil/ledger, or textveil/all/ledger.') : error;
    }
    // A function that forgets to return its ledger has asked for one.
    if (ledger !== undefined && typeof this.#ledger?.spend !== 'function') throw invalid('There is no ledger where one was announced.');
    this.#open = true;
  }

  async draw({ control, field }, signal) {
    await this.load();
    return kept(control) ?? this.#settings.engine.privatizeAsync(textOf(control), this.#terms(field), { field, signal });
  }

  /** The entries of a control, now or not at all. */
  entries({ control, field }) {
    if (!this.#open) throw new TextveilError('not-ready', 'textveil is not ready: wait for `settled()`, or submit the form.');
    const release = kept(control) ?? this.#settings.engine.privatize(textOf(control), this.#terms(field), { field });
    if (this.#owes(field, release)) {
      throw new TextveilError('not-recorded', 'The ledger has not recorded this release: wait for `settled()`, or submit the form.');
    }
    const entries = [[field, release.text]];
    if (this.#settings.withGuarantee) entries.push([guaranteeOf(field), JSON.stringify(release.guarantee)]);
    return { release, entries };
  }

  async record({ field }, release) {
    if (!this.#owes(field, release)) return;
    await this.#ledger.spend(this.#settings.scope(field), release.guarantee);
    this.#recorded(field).add(release);
  }

  /** What holds no private word costs nothing. */
  #owes(field, release) {
    return this.#ledger && release.guarantee.words > 0 && !this.#recorded(field).has(release);
  }

  #recorded(field) {
    const scopes = found(records, this.#ledger, () => new Map());
    return found(scopes, this.#settings.scope(field), () => new WeakSet());
  }

  #terms(field) {
    const { options } = this.#settings;
    return typeof options === 'function' ? options(field) : options;
  }

  message(error) {
    return this.#settings.message?.(error) ?? messageOf(error);
  }
}

class Guard {
  #form;
  #parts = new Set();
  /** The submission that waits; a new object each, so that a cancelled one knows. */
  #waiting;
  /** Set while the form is submitted again, by us. */
  #passing = false;
  /** Set while the browser shows a message, by us. */
  #reporting = false;
  #listening;
  #observer;

  constructor(form) {
    this.#form = form;
  }

  add(part) {
    this.#parts.add(part);
    if (this.#parts.size === 1) this.#listen();
    this.#adopt();
  }

  /** Its controls stay without name, so that nothing of them is sent from now on. */
  remove(part) {
    for (const { control } of part.marked()) this.#leave(control);
    this.#parts.delete(part);
    if (this.#parts.size) return;
    this.#cancel();
    this.#listening.abort();
    this.#observer.disconnect();
    guards.delete(this.#form);
  }

  /** Everything that is marked as private, in document order. */
  #marked() {
    const all = [...this.#parts].flatMap((part) => part.marked());
    return all.sort((a, b) => (a.control.compareDocumentPosition(b.control) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  }

  /** What of it is to be sent: what holds a text, is in use and has a field to go to. */
  controls() {
    return this.#marked().filter(({ control, field }) => field && holdsText(control) && !control.matches(':disabled'));
  }

  #listen() {
    const form = this.#form;
    const root = form.getRootNode();
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    // Scripts and slots can put a form into a form, and these events bubble.
    const own = (react) => (event) => event.target === form && react(event);
    form.addEventListener('submit', own((event) => this.#stopAndSend(event)), { capture: true, signal });
    form.addEventListener('formdata', own((event) => this.#fill(event.formData)), { signal });
    form.addEventListener('reset', own(() => this.#reset()), { signal });
    // A new try starts clean, or else the browser would stop it with the message of the last one.
    root.addEventListener('click', (event) => this.#clearFor(event), { capture: true, signal });
    // Whoever comes back finds a form, not one that goes off by itself.
    addEventListener('pagehide', () => this.#cancel(), { signal });
    // What the browser fills in when it goes back, it fills in without a word.
    addEventListener('pageshow', () => this.controls().forEach((one) => this.#touched(one)), { signal });
    this.#observer = new MutationObserver(() => this.#adopt());
    const attributeFilter = ['name', 'data-private', 'form', 'contenteditable'];
    // The root may be a fragment, which the form leaves.
    for (const watched of [root, form]) this.#observer.observe(watched, { subtree: true, childList: true, attributeFilter });
  }

  // ------------------------------------------------------------------------------------------------------ Controls

  /** Takes in what is new: fields come and go. */
  #adopt() {
    for (const { control, field } of this.#marked()) {
      const state = stateOf(control);
      if (control.hasAttribute('name')) {
        console.warn(`textveil: the private control "${field}" had a name, under which its text would be sent; it has been removed.`);
        (state.names ??= new Set()).add(control.getAttribute('name'));
        control.removeAttribute('name');
      }
      if (state.guard === this) continue;
      state.guard = this;
      // Some browsers have a server check the spelling.
      if (!control.hasAttribute('spellcheck')) control.spellcheck = false;
      this.#watch(control, state);
    }
  }

  #watch(control, state) {
    const on = (type, react) => {
      const listener = () => {
        const one = this.controls().find((other) => other.control === control);
        if (one) react(one);
      };
      control.addEventListener(type, listener, { signal: this.#listening.signal });
    };
    for (const type of ['input', 'change']) {
      on(type, (one) => {
        state.kept = undefined;
        this.#touched(one);
      });
    }
    on('compositionstart', (one) => {
      state.composing = true;
      this.#touched(one);
    });
    on('compositionend', (one) => {
      state.composing = false;
      this.#touched(one);
    });
    on('invalid', () => {
      // The browser has said it, and stopped the submission. The next one tries again.
      if (state.failed && !this.#reporting) setTimeout(() => clear(control));
    });
  }

  #touched(one) {
    const state = stateOf(one.control);
    this.#leave(one.control);
    if (one.part.shown.has(one.field) && !state.composing) state.pause = setTimeout(() => this.preview(one), PAUSE);
  }

  /** Ends what goes on for a text that no longer stands there. */
  #leave(control) {
    const state = stateOf(control);
    clear(control);
    clearTimeout(state.pause);
    state.drawing?.abort();
    state.told = undefined;
  }

  #reset() {
    this.#cancel();
    for (const one of this.controls()) {
      stateOf(one.control).kept = undefined;
      this.#touched(one);
    }
  }

  async preview(one) {
    const state = stateOf(one.control);
    state.drawing?.abort();
    state.drawing = new AbortController();
    const { signal } = state.drawing;
    try {
      const release = await one.part.draw(one, signal);
      if (signal.aborted) return undefined;
      announce(one, release);
      return release;
    } catch (error) {
      if (!signal.aborted) this.#fail(one, error);
      return undefined;
    }
  }

  // ---------------------------------------------------------------------------------------------------- Submission

  #stopAndSend(event) {
    const { submitter } = event;
    const method = submitter?.getAttribute('formmethod') ?? this.#form.getAttribute('method');
    // A dialog that is closed sends nothing.
    if (this.#passing || method?.toLowerCase() === 'dialog') return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!this.#waiting) this.#send(submitter);
  }

  async #send(submitter) {
    const waiting = {};
    // A form, or its button, that has gone meanwhile is no longer what somebody wanted to send.
    const wanted = () => this.#waiting === waiting && this.#form.isConnected && (!submitter || submitter.form === this.#form);
    this.#waiting = waiting;
    this.#form.ariaBusy = 'true';
    try {
      // In a task of its own: a form does not let itself be submitted while it tells of a submission.
      await new Promise((next) => setTimeout(next));
      await this.settle(wanted);
      if (!wanted()) return;
      this.#passing = true;
      this.#form.requestSubmit(submitter);
    } catch {
      // Each control has its message; the first one says it.
      if (wanted()) this.#report();
    } finally {
      this.#passing = false;
      if (this.#waiting === waiting) this.#cancel();
    }
  }

  #cancel() {
    this.#waiting = undefined;
    this.#form.ariaBusy = null;
  }

  /**
   * Draws and records all, until nothing has changed meanwhile. All is drawn before anything is recorded, so that a
   * control that fails costs the others nothing.
   */
  async settle(wanted = () => true) {
    let seen;
    do {
      seen = this.controls().map((one) => ({ ...one, text: textOf(one.control) }));
      await this.#each(seen, async (one) => {
        one.release = await one.part.draw(one);
        announce(one, one.release);
      });
      await this.#each(seen, async (one) => {
        if (wanted() && textOf(one.control) === one.text) await one.part.record(one, one.release);
      });
    } while (wanted() && !this.#stand(seen));
  }

  /** Whether these are the controls, protected on these terms, and these their texts. */
  #stand(seen) {
    const now = this.controls();
    const same = ({ control, part }, { text, ...other }) => control === other.control && part === other.part && textOf(control) === text;
    return now.length === seen.length && now.every((one, at) => same(one, seen[at]));
  }

  async #each(controls, work) {
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

  /** Puts the releases into the form data, and whatever else stands there under their names out of it. */
  #fill(data) {
    // A name taken off a control may live on in what a library has made of it: a hidden field, entries of its own.
    this.#adopt();
    for (const { control, field } of this.#marked()) {
      for (const name of [field, guaranteeOf(field), ...(stateOf(control).names ?? [])]) data.delete(name);
    }
    for (const one of this.controls()) {
      try {
        const { release, entries } = one.part.entries(one);
        for (const [name, value] of entries) data.append(name, value);
        announce(one, release);
      } catch (error) {
        this.#fail(one, error);
      }
    }
  }

  // -------------------------------------------------------------------------------------------------------- Errors

  #fail(one, cause) {
    const error =
      cause?.name === 'TextveilError' ? cause : new TextveilError('invalid-options', 'A function that the page has set failed.', { cause });
    // These two a submission mends by itself: nobody has to do anything.
    if (error.code !== 'not-ready' && error.code !== 'not-recorded') {
      stateOf(one.control).failed = true;
      one.control.setCustomValidity?.(one.part.message(error));
      one.control.ariaInvalid = 'true';
      // For whoever has made the page. No message of ours holds the text.
      console.error(`textveil: ${one.field}: ${error.code}: ${error.message}`);
    }
    tell(one, 'error', { error });
    return error;
  }

  /** Takes the person to the first control that failed. */
  #report() {
    const first = this.controls().find(({ control }) => stateOf(control).failed)?.control;
    this.#reporting = true;
    first?.focus();
    first?.reportValidity?.();
    this.#reporting = false;
  }

  #clearFor({ target }) {
    const button = target.closest?.('button, input');
    if (button?.form !== this.#form || !/^(?:submit|image)$/.test(button.type)) return;
    for (const { control } of this.controls()) clear(control);
  }
}

/** Whether it is a control for text; an element around controls is none, and what is editable may hold one that is. */
export function holdsText(control) {
  return typeof control.value === 'string' ? !NO_TEXT.test(control.type) : control.isContentEditable;
}

function textOf(control) {
  return typeof control.value === 'string' ? control.value : editedText(control);
}

/** Read once for what stands there: hidden, the same element would have no lines, and be another text to draw. */
function editedText(control) {
  const state = stateOf(control);
  const { innerHTML } = control;
  if (state.innerHTML !== innerHTML) Object.assign(state, { innerHTML, text: control.innerText });
  return state.text;
}

function kept(control) {
  return textOf(control) ? undefined : stateOf(control).kept;
}

/** Says once of each release, to whoever listens, what may be sent. Never the account. */
function announce(one, release) {
  const state = stateOf(one.control);
  if (state.told === release) return;
  state.told = release;
  tell(one, 'release', { text: release.text, guarantee: release.guarantee });
}

function tell({ control, field }, what, detail) {
  control.dispatchEvent(new CustomEvent(`textveil:${what}`, { bubbles: true, detail: { field, ...detail } }));
}

function clear(control) {
  const state = stateOf(control);
  if (!state.failed) return;
  state.failed = false;
  control.setCustomValidity?.('');
  control.ariaInvalid = null;
}

export function messageOf({ code }) {
  switch (code) {
    case 'budget-exhausted':
      return 'Nothing more may be sent from this field for now: its privacy budget is spent.';
    case 'text-too-long':
      return 'This text is too long to be made private. Please shorten it.';
    case 'unsupported':
      return 'This browser cannot make the text private, so it was not sent.';
    case 'load-failed':
      return 'What makes the text private could not be loaded, so it was not sent. Please check your connection and try again.';
    case 'internal':
      return 'The text could not be made private, so it was not sent. Please reload the page.';
    case 'bad-ledger':
    case 'storage-failed':
      return 'This browser does not let the page count what it sends, so the text was not sent.';
    default:
      if (code.startsWith('invalid-')) return 'This form is not set up as it should be, so the text was not sent.';
      return 'The text could not be made private, so it was not sent. Please try again.';
  }
}

const stateOf = (control) => found(states, control, () => ({}));

const guaranteeOf = (field) => `${field}-guarantee`;

function found(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}
