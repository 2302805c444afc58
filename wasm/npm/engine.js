/**
 * The functions for words, which both entries share. Each entry brings its own WebAssembly module.
 *
 * The module decides what is private. This file does what only JavaScript can do: it fetches the module and the table,
 * and normalizes the text. It makes sure that
 *   - a text is drawn once (releases are remembered),
 *   - only a finished release is returned (a failure throws; it never returns the text),
 *   - an error never quotes the text.
 *
 * Importing it does nothing: no fetch, no compilation, no top-level await. `init` starts everything.
 */

/** @import { instantiate as Instantiate, RawWords, Source, CompiledModule, Words } from './types.js' */
/** @typedef {Words<any, string, string, string>} Api */
/** @typedef {{ wasm?: Source | CompiledModule | ((simd: boolean) => Source | CompiledModule), table?: Source }} Places */

import { normalized, plainCopy, requireCount, requireWellFormed, TEXT_OPTIONS } from './arguments.js';
import { crashed, invalid, TextveilError } from './errors.js';
import { compile, read, SIMD_PROBE, toBytes } from './loading.js';
import { deepFreeze, Drawing, drawings, drawnOnce, releases, yieldToOthers } from './memory.js';

/** What `init` takes. `compile` and `toBytes` check the types. */
const SOURCES = { __proto__: null, wasm: 'any', table: 'any' };

/** What `privatize` and `privatizeAsync` take after the options. */
const CONTROL = { __proto__: null, field: 'string', signal: 'any' };

/**
 * The functions of an entry for words. `requireReady`, `checkedOptions` and `inWasm` are for its further functions.
 *
 * @template {RawWords<any, string, string, string>} V
 * @param {typeof Instantiate} instantiate the function of the module's glue that makes an instance
 * @param {new (table: Uint8Array) => V} Veil the class that the glue exports
 * @param {(simd: boolean) => URL} moduleBeside the address of the module next to the entry, for an engine with 128-bit vectors or without. The entry writes
 *   the addresses as literals: bundlers recognise those, and ship the files
 */
export function textveil(instantiate, Veil, moduleBeside) {
  /**
   * The loaded table in the wasm instance; absent before `init` and after a crash.
   *
   * @type {V}
   */
  let veil;
  /**
   * The names of all parameters of the module, each with its type.
   *
   * @type {{ [name: string]: string }}
   */
  let parameters;
  /**
   * The initialization, which all callers share; absent before the first call and after a failure.
   *
   * @type {Promise<void> | undefined}
   */
  let loading;
  /** True for good once the wasm instance has crashed: its memory may hold anything. */
  let broken = false;

  /** @type {Api['init']} */
  function init(source) {
    let places;
    try {
      places = plainCopy(source, 'sources', SOURCES);
    } catch (error) {
      return Promise.reject(error);
    }
    loading ??= load(places).catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  /** @param {Places} places */
  async function load(places) {
    if (broken) throw crashed();
    if (typeof WebAssembly !== 'object') throw new TextveilError('unsupported', 'This engine has no WebAssembly.');
    /** @type {Uint8Array} */
    let bytes;
    try {
      let module;
      // Inside `try`: on a platform that does not know the address of this file, `new URL` throws.
      let { wasm = moduleBeside, table = new URL('./english.tvt', import.meta.url) } = places;
      if (typeof wasm === 'function') wasm = wasm(WebAssembly.validate(SIMD_PROBE));
      [module, bytes] = await Promise.all([compile(wasm), read(table).then(toBytes)]);
      await instantiate({ module_or_path: module });
    } catch (cause) {
      if (cause instanceof TextveilError) throw cause;
      throw new TextveilError(
        'load-failed',
        "The WebAssembly module or the table could not be loaded. Are both files served, and does the Content-Security-Policy allow " +
          "'wasm-unsafe-eval'? Cloudflare Workers and Jest need `init({ wasm, table })`.",
        { cause },
      );
    }
    inWasm(() => {
      veil = new Veil(bytes);
      parameters = Object.fromEntries(veil.parameters().map((name) => [name, 'number']));
    });
  }

  /** @type {Api['privatize']} */
  function privatize(text, options, control) {
    const { key, begin } = request(text, options, control);
    return drawnOnce(key, () => (drawings.get(key) ?? begin()).finish());
  }

  /** @type {Api['privatizeAsync']} */
  async function privatizeAsync(text, options, control) {
    const { key, begin, signal } = request(text, options, control);
    if (signal && typeof signal.aborted !== 'boolean') throw invalid('The signal must be an AbortSignal.');
    /** @type {Drawing | undefined} */
    let drawing;
    try {
      for (;;) {
        if (signal?.aborted) throw signal.reason;
        const release = releases.get(key);
        if (release) return release;
        if (!drawing) {
          drawing = drawings.get(key) ?? begin();
          drawing.waiting += 1;
        }
        if (!drawing.slice()) await yieldToOthers();
      }
    } finally {
      if (drawing && !(drawing.waiting -= 1)) drawing.drop();
    }
  }

  /**
   * The key of a text's release, and the function that begins to draw it.
   *
   * @param {string} text
   * @param {unknown} options
   * @param {unknown} control
   */
  function request(text, options, control) {
    requireReady();
    const normal = normalized(text);
    const terms = checkedOptions(options, TEXT_OPTIONS);
    const { field, signal } = plainCopy(control, 'control', CONTROL);
    // Equal releases for two fields would show that their texts are equal.
    if (field !== undefined) requireWellFormed(field, 'field');
    const key = inWasm(() => veil.key(normal, field, terms));
    const begin = () => {
      const drawing = new Drawing(key, inWasm(() => veil.begin(normal, terms)), inWasm);
      drawings.set(key, drawing);
      return drawing;
    };
    return { key, begin, signal };
  }

  /** @type {Api['guarantee']} */
  function guarantee(options) {
    requireReady();
    const checked = checkedOptions(options, TEXT_OPTIONS);
    return deepFreeze(inWasm(() => veil.guarantee(checked)));
  }

  /** @type {Api['levels']} */
  function levels() {
    requireReady();
    return deepFreeze(inWasm(() => veil.levels()));
  }

  /** @type {Api['mechanisms']} */
  function mechanisms() {
    requireReady();
    return deepFreeze(inWasm(() => veil.mechanisms()));
  }

  /** @type {Api['alternatives']} */
  function alternatives(token, options, k = 10) {
    requireReady();
    const normal = normalized(token);
    const checked = checkedOptions(options, TEXT_OPTIONS);
    requireCount(k);
    return deepFreeze(inWasm(() => veil.alternatives(normal, checked, k)));
  }

  function requireReady() {
    if (broken) throw crashed();
    if (!veil) throw new TextveilError('not-ready', 'textveil is not ready: `await init()` first.');
  }

  /**
   * Runs `work` in the wasm instance. Passes on an error that the core reports. Any other error is a crash: after it the
   * instance's memory may be in any state, so the instance is not used again.
   *
   * @template T
   * @param {(veil: V) => T} work
   * @returns {T}
   */
  function inWasm(work) {
    if (broken) throw crashed();
    try {
      return work(veil);
    } catch (/** @type {any} */ error) {
      if (error?.name === 'TextveilError' && typeof error.code === 'string') {
        throw new TextveilError(error.code, error.message);
      }
      broken = true;
      // @ts-expect-error Absent from here on; `requireReady` comes before every use.
      veil = undefined;
      loading = undefined;
      throw crashed();
    }
  }

  /**
   * @param {unknown} options
   * @param {{ [name: string]: string }} choices the options that are not parameters, with their types
   */
  function checkedOptions(options, choices) {
    const copy = plainCopy(options, 'options', { __proto__: null, ...choices, ...parameters });
    const strengths = ['level', 'preset', 'epsilon', 'eta'].filter((name) => name in copy);
    if (strengths.length > 1) throw invalid(`Give one strength only: here are ${strengths.join(' and ')}.`);
    return copy;
  }

  return { init, privatize, privatizeAsync, guarantee, levels, mechanisms, alternatives, requireReady, checkedOptions, inWasm };
}
