/**
 * Sends a form without the text of its private controls. `textveil/form` and `textveil/element` share this file, which has one object for
 * each form. `form-part.js` draws the releases, and `form-copies.js` finds copies of the text elsewhere in the form.
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

/** @import { Member, State } from './form-controls.js' */
/** @import { Filled, Found, Region } from './form-part.js' */
/** @import { Release } from './textveil.js' */
/** @typedef {Filled & { text: string, release: Release }} Seen a control with its text, and what was drawn for it */
/**
 * @typedef Passing
 * @property {Found[]} lacking the controls whose release was missing in the form data
 * @property {boolean} again whether a listener of the page has changed a text, so that all must be settled once more
 */
/** @typedef {(name: string, value: unknown) => string | undefined} Privacy why an entry of the form data is private; undefined for a public one */

import { plainCopy } from './arguments.js';
import { invalid, TextveilError } from './errors.js';
import { hideFromAssistants } from './form-assistants.js';
import { formsOf, holderOfParts, holdsAny, plainText, TELLING } from './form-copies.js';
import { addressesOf, elementsOf, getOrCreate, isChecked, isCustom, isDisabled, isQuestion, isSeen, isSilenced, isTakenOut, isWritten, membersOf, namesOf, read, silence, stateOf, textOf, unhidden } from './form-controls.js';
import { announce, asTextveilError, clear, dispatch, fault, isAwaited, messageOf, notReady, refuse, showMessageAfter, TAKEN, tell } from './form-messages.js';
import { guaranteeOf, numberOf, Part, SETTINGS } from './form-part.js';

/** How often a page may change a text or its settings while a submission waits for them. */
const MOST_CHANGES = 5;

/**
 * The name of a field that is filled in, if it is empty, with a random number. A collector counts one number once. So the number stays
 * as long as its releases do, also if a browser has kept them.
 */
const NONCE = 'nonce';

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
    const once = [...this.#own.querySelectorAll('*'), ...elementsOf(this.#form)].filter(isSilenced);
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
    if (path.some((/** @type {any} */ one) => isSilenced(one) || regions.some(({ region }) => region === one))) return this.#begin(event, regions);
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
    // An answer of a public list may stand anywhere.
    const controls = [...[...members].filter(isWritten), ...regions.flatMap(({ control }) => (control && !isQuestion(control) ? control : []))];
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
      if (checked) target.setCustomValidity(part.message(error, target));
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
    if (!shown && !checked) showMessageAfter(target, part.message(error, target));
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
 * What the page may show of the regions, in all its forms.
 *
 * @param {Found[]} regions
 */
const releasesOf = (regions) =>
  regions.flatMap(({ control }) => formsOf((control && stateOf(control).announced?.text) ?? '')).filter((text) => text.length >= TELLING.anywhere);

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
