/**
 * A WebAssembly module in this page: loaded once, and shut for good after a crash.
 *
 * Importing this file does nothing: no fetch, no compilation, no top-level await.
 */

/** @import { instantiate as Instantiate, Source, CompiledModule } from './types.js' */
/** @typedef {Source | CompiledModule | ((simd: boolean) => Source | CompiledModule)} Place */

import { plainCopy } from './arguments.js';
import { crashed, TextveilError } from './errors.js';
import { compile, SIMD_PROBE } from './loading.js';

export class Module {
  #instantiate;
  #beside;
  /** @type {Promise<void> | undefined} */
  #loading;
  #isLoaded = false;
  /** True for good once the instance has crashed: its memory may hold anything. */
  #isBroken = false;

  /**
   * @param {typeof Instantiate} instantiate the function of the module's glue that makes an instance
   * @param {(simd: boolean) => URL} beside the address of the module next to the entry, for an engine with 128-bit vectors or without.
   *   The entry writes the addresses as literals: bundlers recognise those, and ship the files
   */
  constructor(instantiate, beside) {
    this.#instantiate = instantiate;
    this.#beside = beside;
  }

  /**
   * Compiles the module and makes its instance, once: callers take turns. A place that is given is looked at even if there is an instance.
   * After a failure the next call tries again.
   *
   * @param {Place} [place]
   * @returns {Promise<void>}
   */
  load(place) {
    if (place === undefined && this.#loading) return this.#loading;
    const before = Promise.resolve(this.#loading).catch(() => {});
    const turn = before.then(() => this.#load(place ?? this.#beside));
    this.#loading = turn;
    turn.catch(() => {
      if (this.#loading === turn) this.#loading = this.#isLoaded ? Promise.resolve() : undefined;
    });
    return turn;
  }

  /** @param {Place} place */
  async #load(place) {
    const source = typeof place === 'function' ? place(WebAssembly.validate(SIMD_PROBE)) : place;
    const compiled = await compile(source);
    if (!this.#isLoaded) await this.#instantiate({ module_or_path: compiled });
    this.#isLoaded = true;
  }

  /** Throws if the instance has crashed, or if this engine cannot have one. */
  requireUsable() {
    if (this.#isBroken) throw crashed();
    if (typeof WebAssembly !== 'object') throw new TextveilError('unsupported', 'This engine has no WebAssembly.');
  }

  requireReady() {
    if (this.#isBroken) throw crashed();
    if (!this.#isLoaded) throw notReady();
  }

  /**
   * Runs `work` in the instance. Passes on an error that the core reports. Any other error is a crash: after it the
   * instance's memory may be in any state, so the instance is not used again.
   *
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  run(work) {
    if (this.#isBroken) throw crashed();
    try {
      return work();
    } catch (/** @type {any} */ error) {
      if (error?.name === 'TextveilError' && typeof error.code === 'string') {
        throw new TextveilError(error.code, error.message);
      }
      this.#isBroken = true;
      throw crashed();
    }
  }
}

/**
 * An `init`: all callers share one promise, and after a failure the next call tries again.
 *
 * @param {Module} module
 * @param {any} types the places that it takes; those who read them check the types
 * @param {(places: any) => Promise<void>} load
 */
export function initOnce(module, types, load) {
  /** @type {Promise<void> | undefined} */
  let initializing;
  /** @param {unknown} [source] */
  return (source) => {
    let places;
    try {
      places = plainCopy(source, 'sources', types);
      module.requireUsable();
    } catch (error) {
      return Promise.reject(error);
    }
    initializing ??= load(places).catch((error) => {
      initializing = undefined;
      throw error;
    });
    return initializing;
  };
}

export const notReady = () => new TextveilError('not-ready', 'textveil is not ready: `await init()` first.');

/**
 * What fails while files are loaded is `load-failed`, unless it has a code of its own.
 *
 * @template T
 * @param {() => Promise<T>} load
 * @param {string} message
 */
export async function loading(load, message) {
  try {
    return await load();
  } catch (cause) {
    if (cause instanceof TextveilError) throw cause;
    throw new TextveilError('load-failed', message, { cause });
  }
}
