/** Remembers what this page has drawn, and what it is drawing. A text is drawn once. */

/** @import { RawDrawing, Release } from './types.js' */

/**
 * All releases of this page, by their key: the input and the terms.
 *
 * Each draw for a text spends privacy: two draws of one sentence are two observations of it, and their ε add up. A form
 * that draws again at every keystroke, preview and retry spends without limit. A person who draws again until the result
 * pleases is outside the guarantee. So a text (a list of vectors, an answer to a question) is drawn once. Asking again
 * gives the same release, through both entries.
 *
 * @type {Map<string, any>}
 */
export const releases = new Map();

/**
 * All drawings that have begun and not ended, by the key of their release. All callers who wait for a release share one drawing.
 *
 * @type {Map<string, Drawing>}
 */
export const drawings = new Map();

/** How long a slice of a drawing takes, in milliseconds: half a frame. */
const SLICE = 8;
/** The number of words that are drawn in one call: faster than one by one. */
const TOGETHER = 8;

/**
 * A release that is being drawn. It ends when it is finished, when no caller waits for it any more, or when the module
 * crashes. Nothing leaves this class before it is finished.
 */
export class Drawing {
  /** The number of callers who wait for it. */
  waiting = 0;

  /**
   * @param {string} key
   * @param {RawDrawing<Release<string, string>>} inner
   * @param {<T>(work: () => T) => T} inWasm
   */
  constructor(key, inner, inWasm) {
    this.key = key;
    this.inner = inner;
    this.inWasm = inWasm;
  }

  /** Draws for one slice of time. If the release is then complete, remembers it. Returns whether it is complete. */
  slice() {
    const end = performance.now() + SLICE;
    const isDrawn = this.run(() => {
      while (!this.inner.advance(TOGETHER)) if (performance.now() > end) return false;
      return true;
    });
    if (isDrawn) drawnOnce(this.key, () => this.finish());
    return isDrawn;
  }

  finish() {
    const release = this.run(() => sealed(this.inner.finish()));
    this.forget();
    return release;
  }

  drop() {
    if (this.forget()) this.run(() => this.inner.free());
  }

  /**
   * Runs `work` in the module. If the module crashes, forgets this drawing: nothing in a crashed module can be freed.
   *
   * @template T
   * @param {() => T} work
   */
  run(work) {
    try {
      return this.inWasm(work);
    } catch (error) {
      this.forget();
      throw error;
    }
  }

  /** Returns whether there was anything to forget. */
  forget() {
    return drawings.get(this.key) === this && drawings.delete(this.key);
  }
}

/**
 * Lets other tasks run: of the page, the worker, Node.
 *
 * @returns {Promise<void>}
 */
export function yieldToOthers() {
  return new Promise((resolve) => {
    // Older Cloudflare Workers and jsdom have no `MessageChannel`.
    if (!globalThis.MessageChannel) return setTimeout(resolve);
    // A timer of 0 waits 4 ms, or a second in a hidden page. `scheduler.yield` puts our task before all others.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}

/**
 * What a release is remembered by. A key does not say whether texts of any language are taken, since the draw is the same. The
 * guarantee says it.
 *
 * @param {string} key
 * @param {{ anyLanguage?: boolean }} terms
 */
export const remembered = (key, { anyLanguage }) => (anyLanguage ? `${key}*` : key);

/**
 * The release with this key. If it is missing, `draw` draws it.
 *
 * @template T
 * @param {string} key
 * @param {() => T} draw
 * @returns {T}
 */
export function drawnOnce(key, draw) {
  let release = releases.get(key);
  if (!release) {
    release = draw();
    releases.set(key, release);
  }
  return release;
}

/**
 * Hides the account from enumeration: `JSON.stringify(release)` and `{ ...release }` hold only what may be sent.
 * The descriptor has no prototype: a page that changes `Object.prototype` does not make the account visible.
 *
 * @param {Release<string, string>} release
 * @returns {Release<string, string>}
 */
function sealed({ account, ...sendable }) {
  // @ts-expect-error The account is there again: TypeScript does not follow `defineProperty`.
  return deepFreeze(Object.defineProperty(sendable, 'account', { __proto__: null, value: account }));
}

/**
 * Makes a result, and everything in it, read-only.
 *
 * @template T
 * @param {T} value
 */
export function deepFreeze(value) {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    // @ts-expect-error An own name of the object, which its type need not have.
    for (const name of Object.getOwnPropertyNames(value)) deepFreeze(value[name]);
  }
  return value;
}
