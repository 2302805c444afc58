/**
 * The elements of a form: which of them hold a text that a person writes, under which names a form would send it, and how an element
 * is taken out of what its form sends.
 */

/** @import { Release } from './textveil.js' */
/** @typedef {HTMLElement & Record<string, any>} Member an element of the page, which may have any properties */
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

/** Types of controls whose value is not a text of words that a person wrote. */
const NO_TEXT = /^(?:button|checkbox|color|date.*|file|image|month|number|radio|range|reset|select-.*|submit|time|week)$/;

/** The least width and height of the part of a control that a person must be able to see, in pixels. */
const SMALLEST = 8;

/**
 * The state of each control.
 *
 * @type {WeakMap<object, State>}
 */
const states = new WeakMap();

/** @type {(control: object) => State} */
export const stateOf = (control) => getOrCreate(states, control, () => ({}));

/**
 * Whether we have taken an element out of what its form sends.
 *
 * @type {(element: object) => boolean}
 */
export const isSilenced = (element) => states.get(element)?.silenced === true;

/**
 * @template {object | string} K
 * @template V
 * @param {{ has(key: K): boolean, get(key: K): V | undefined, set(key: K, value: V): unknown }} map
 * @param {K} key
 * @param {() => V} make
 * @returns {V}
 */
export function getOrCreate(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  // @ts-expect-error The line above has set it.
  return map.get(key);
}

/**
 * A property of an element; undefined if its getter throws.
 *
 * @param {Member} element
 * @param {string} property
 * @returns {any}
 */
export function read(element, property) {
  try {
    return element[property];
  } catch {
    return undefined;
  }
}

/**
 * Whether it is a custom element of the page, which may add any entries to a form. Our own adds none.
 *
 * @type {(element: Element) => boolean}
 */
export const isCustom = ({ localName }) => localName.includes('-') && localName !== 'textveil-field';

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
export const isWritten = (element) => holdsText(element) && element.type !== 'hidden';

/**
 * Whether a person chooses one answer in the element.
 *
 * @type {(element: Member) => boolean}
 */
export const isQuestion = ({ localName, type }) => localName === 'select' && type === 'select-one';

/**
 * The control of a region: the region itself, or the first element in it that holds text and belongs to no inner region. If none does,
 * the first one in which a person chooses an answer.
 *
 * @param {Member} region
 * @returns {Member | undefined}
 */
export function controlOf(region) {
  if (region.localName !== 'textveil-field' && (holdsText(region) || isQuestion(region))) return region;
  const own = [...region.querySelectorAll('*')].filter((element) => element.closest('[data-private], textveil-field') === region);
  const texts = own.filter((element) => (element.matches('input, textarea, [contenteditable]') || isCustom(element)) && isWritten(element));
  // A custom element that is a button may have a value, too. A placeholder tells a field from a button.
  return texts.find((element) => !isCustom(element) || 'placeholder' in element) ?? texts[0] ?? own.find(isQuestion);
}

/**
 * The elements of a region that can be part of a form.
 *
 * @type {(region: Member) => Member[]}
 */
export const membersOf = (region) => [region, ...region.querySelectorAll('*')].filter((element) => 'form' in element || isCustom(element));

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
export function namesOf(element) {
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
export const elementsOf = (form) => [...unhidden(form).elements];

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
export function silence(element) {
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

/** @type {(element: Member) => boolean} */
export const isDisabled = (element) =>
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
export const isTakenOut = (element) => isCustom(element) && Boolean(customElements.get(element.localName)?.formAssociated) && element.getAttribute('form') === '';

/**
 * Whether the browser can show a validation message at the element.
 *
 * @type {(element: Member) => boolean}
 */
export const isChecked = (element) => !isCustom(element) && element.willValidate === true && isRendered(element);

/**
 * Whether an element is on the page. Where the platform cannot tell, it is.
 *
 * @type {(element: Element) => boolean}
 */
export const isRendered = (element) => element.checkVisibility?.({ checkVisibilityCSS: true }) !== false;

/**
 * Whether a person can see an element, where it now is on the screen.
 *
 * @param {Member} element
 */
export function isSeen(element) {
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
 * The addresses that an element names for a form.
 *
 * @param {Member} element
 * @returns {string[]}
 */
export const addressesOf = (element) => ['action', 'formaction'].map((name) => element.getAttribute(name) ?? '');

/**
 * @param {Member} control
 * @returns {string}
 */
export function textOf(control) {
  return typeof control.value === 'string' ? control.value : editedText(control);
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
