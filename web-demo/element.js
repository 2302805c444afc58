/** Elements with properties and children. Text only ever enters as text nodes. */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * An element of the page.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<Omit<HTMLElementTagNameMap[Name], 'dataset'>> & { dataset?: Record<string, string | number> }} properties
 * @param {(Node | string)[]} children
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
 * @param {keyof SVGElementTagNameMap} name
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 */
export function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
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
