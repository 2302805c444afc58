/** What has been drawn on this page, and what is being drawn. A text is drawn once. */

/** @import { Guarantee, RawDrawing, Release } from './types.js' */

/**
 * Every release of this page's life, by what it was drawn from and on which terms.
 *
 * Each draw for a text spends privacy: two draws of the same sentence are two observations of it, and their ε add up. A
 * form that redraws at every keystroke, preview and retry would spend without end, and whoever may redraw until the
 * outcome pleases has left the guarantee altogether. So a text (a list of vectors, an answer to a question) is drawn
 * once, and asking again gives the same release, through whichever entry.
 *
 * @type {Map<string, any>}
 */
export const releases = new Map();

/**
 * Every drawing that has begun and not ended, by what its release will be kept under: one for all who wait for it.
 *
 * @type {Map<string, Drawing>}
 */
export const drawings = new Map();

/** How long a slice of a drawing takes, in milliseconds: half a frame. */
const SLICE = 8;
/** Words that are drawn at once: each takes less time than by itself. */
const TOGETHER = 8;

/**
 * A release in the making, which lasts until it is finished, or nobody waits for it any more, or its module has crashed. What
 * is not finished has been seen by nobody.
 */
export class Drawing {
  /** How many wait for it. */
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

  /** Draws for a while, and sees to it that the release is remembered once it is there; tells whether it is. */
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
   * Of a module that has crashed, nothing can be freed.
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

  /** Whether there was anything to forget. */
  forget() {
    return drawings.get(this.key) === this && drawings.delete(this.key);
  }
}

/**
 * Lets whatever else is due have its turn: the page, the worker, Node.
 *
 * @returns {Promise<void>}
 */
export function yieldToOthers() {
  return new Promise((resolve) => {
    // Older Cloudflare Workers and jsdom have no channels.
    if (!globalThis.MessageChannel) return setTimeout(resolve);
    // A timer of 0 waits 4 ms, and a second where the page is not seen; after `scheduler.yield` all other tasks wait.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}

/**
 * What has been drawn under this key, or else what `draw` draws.
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
 * What the distribution of a release depends on: what it is remembered by. Options that come to the same thing share a draw.
 *
 * @param {unknown} input
 * @param {Record<string, any>} options
 * @param {Guarantee<string, string>} promised
 */
export function drawKey(input, { level, epsilon, eta, keepFunctionWords, placeholders, ...others }, promised) {
  const { mechanism, calibration, unit, clear, table } = promised;
  const strength = promised.eta === null ? { epsilon } : { eta: promised.eta };
  const terms = { ...others, mechanism, calibration, unit, clear, table, ...strength };
  // oxlint-disable-next-line typescript/require-array-sort-compare -- no two have one name
  return JSON.stringify([input, Object.entries(terms).sort()]);
}

/**
 * Hides the account from enumeration: `JSON.stringify(release)` and `{ ...release }` carry what may be sent, and no more.
 * A descriptor without prototype: whatever a page has done to `Object.prototype`, this one stays hidden.
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
