/**
 * The functions for words, which both entries share. Each entry brings its own WebAssembly module.
 *
 * The module decides what is private. This file does what only JavaScript can do: it fetches the module and the table,
 * and normalizes the text, unless spans of it are to be taken out first. It makes sure that
 *   - a text is drawn once (releases are remembered),
 *   - only a finished release is returned (a failure throws; it never returns the text),
 *   - an error never quotes the text.
 *
 * Importing it does nothing. `init` starts everything.
 */

/** @import { RawWords, Source, Words } from './types.js' */
/** @import { Module, Place } from './module.js' */
/** @typedef {Words<any, string, string, string>} Api */
/** @typedef {{ wasm?: Place, table?: Source }} Places */

import { checkedControl, normalized, plainCopy, requireCount, TEXT_OPTIONS, typed } from './arguments.js';
import { invalid } from './errors.js';
import { read, toBytes } from './loading.js';
import { deepFreeze, Drawing, drawings, drawnOnce, releases, remembered, yieldToOthers } from './memory.js';
import { initOnce, loading, notReady } from './module.js';

/** What `init` takes. */
const SOURCES = { __proto__: null, wasm: 'any', table: 'any' };

/** What `privatize`, `privatizeAsync` and `guarantee` take. */
const RELEASE_OPTIONS = { ...TEXT_OPTIONS, spans: 'array' };

/**
 * The functions of an entry for words. `requireReady`, `checkedOptions` and `inWasm` are for its further functions.
 *
 * @template {RawWords<any, string, string, string>} V
 * @param {Module} module
 * @param {new (table: Uint8Array) => V} Veil the class that the module's glue exports
 */
export function textveil(module, Veil) {
  /**
   * The loaded table in the module; absent before `init`.
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

  /** @type {Api['init']} */
  const init = initOnce(module, SOURCES, load);

  /** @param {Places} places */
  async function load(places) {
    // Where the address of this file is unknown, `new URL` throws.
    const both = async () => {
      const { wasm, table = new URL('./english.tvt', import.meta.url) } = places;
      const [bytes] = await Promise.all([read(table).then(toBytes), module.load(wasm)]);
      return bytes;
    };
    const bytes = await loading(
      both,
      "The WebAssembly module or the table could not be loaded. Are both files served, and does the Content-Security-Policy allow " +
        "'wasm-unsafe-eval'? Cloudflare Workers and Jest need `init({ wasm, table })`.",
    );
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
    const terms = checkedOptions(options, RELEASE_OPTIONS);
    // The places of spans count in what was typed. The module takes the spans out, and normalizes the rest.
    const given = (terms.spans ? typed : normalized)(text);
    const { field, signal } = checkedControl(control);
    const key = remembered(inWasm(() => veil.key(given, field, terms), terms), terms);
    const begin = () => {
      const drawing = new Drawing(key, inWasm(() => veil.begin(given, terms)), inWasm);
      drawings.set(key, drawing);
      return drawing;
    };
    return { key, begin, signal };
  }

  /** @type {Api['guarantee']} */
  function guarantee(options) {
    requireReady();
    const checked = checkedOptions(options, RELEASE_OPTIONS);
    return deepFreeze(inWasm(() => veil.guarantee(checked), checked));
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
    return deepFreeze(inWasm(() => veil.alternatives(normal, checked, k), checked));
  }

  function requireReady() {
    module.requireReady();
    if (!veil) throw notReady();
  }

  /**
   * Runs `work`. Where its options name a level that is not there, the error says which are.
   *
   * @template T
   * @param {(veil: V) => T} work
   * @param {{ mechanism?: string }} [options]
   * @returns {T}
   */
  function inWasm(work, options) {
    try {
      return module.run(() => work(veil));
    } catch (/** @type {any} */ error) {
      if (options && error.code === 'invalid-level') {
        const { mechanism = levels().find(({ isDefault }) => isDefault)?.mechanism } = options;
        const own = levels().filter((level) => level.mechanism === mechanism);
        const names = own.map(({ index, preset }) => index + (preset ? ` = ${preset}` : ''));
        if (own[0]) error.message += `. Levels of ${mechanism}: ${names.join(', ')}. The first has ε ${Math.ceil(own[0].epsilonWord * 100) / 100}`;
      }
      throw error;
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
