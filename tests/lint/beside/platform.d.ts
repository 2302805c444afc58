/** What the DOM library of TypeScript does not know. */

interface PropertyDescriptor {
  /** A descriptor that inherits nothing. */
  __proto__?: null;
}

interface CustomElementConstructor {
  readonly formAssociated?: boolean;
}

interface ParentNode {
  /** Whatever a page has put into a region, custom elements among it. */
  querySelectorAll(selectors: '*' | `[data-private]${string}`): NodeListOf<HTMLElement & Record<string, any>>;
}

interface Node {
  /** A root that is a fragment lacks some of this: the code asks before it uses it. */
  getRootNode(): Document | ShadowRoot;
}

interface HTMLFormControlsCollection {
  [Symbol.iterator](): ArrayIterator<HTMLElement & Record<string, any>>;
}

interface Element {
  closest(selectors: '[lang]'): HTMLElement | null;
}
