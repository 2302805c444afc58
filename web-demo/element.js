/** Elements with properties and children. Text only ever enters as text nodes. */

/** @typedef {{ [id: string]: HTMLElement & Record<string, any> }} View the page's elements by their id, in camel case */
/** @typedef {string | Node} Child */
/** @typedef {(error: any) => void} Fail what to do with an error */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * An element of the page.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} name
 * @param {Record<string, any>} [properties]
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(name, properties = {}, ...children) {
  const { dataset, ...rest } = properties;
  const made = Object.assign(document.createElement(name), rest);
  Object.assign(made.dataset, dataset);
  made.append(...children);
  return made;
}

/**
 * An element of a drawing, which has attributes.
 *
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {Child[]} children
 */
export function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/**
 * Says something in a place, or hides the place.
 *
 * @param {HTMLElement} place
 * @param {string | false} [said]
 */
export function note(place, said) {
  place.hidden = !said;
  place.textContent = said || '';
}
