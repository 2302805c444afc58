/**
 * What the two entries share: everything about words, over the module that an entry brings.
 *
 * What is private is decided in the WebAssembly module. This file is what only JavaScript can do: fetch the
 * module and the table, normalize the text, and see to it that
 *   - a text is drawn once (what has been released is remembered),
 *   - nothing but a finished release is ever returned (a failure throws; it never falls back to the text),
 *   - an error never quotes the text.
 *
 * Importing it does nothing: no fetch, no compilation, no top-level await. `init` starts everything.
 */

/** Every failure of this package; `code` is stable, `message` is for people. Never holds the user's text. */
export class TextveilError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = 'TextveilError';
    this.code = code;
  }
}

/**
 * Every release of this page's life, by what it was drawn from and on which terms.
 *
 * Each draw for a text spends privacy: two draws of the same sentence are two observations of it, and their ε add up. A
 * form that redraws at every keystroke, preview and retry would spend without end, and whoever may redraw until the
 * outcome pleases has left the guarantee altogether. So a text (a list of vectors, an answer to a question) is drawn
 * once, and asking again gives the same release, through whichever entry.
 */
const releases = new Map();

/** Every drawing that has begun and not ended, by what its release will be kept under: one for all who wait for it. */
const drawings = new Map();

/** How long a slice of a drawing takes, in milliseconds: half a frame. */
const SLICE = 8;
/** Words that are drawn at once: each takes less time than by itself. */
const TOGETHER = 8;

/** What `init` may be given. Each is of one of many types: `compile` and `toBytes` see to that. */
const SOURCES = { __proto__: null, wasm: 'any', table: 'any' };

/** The options beside the parameters, and the type of each. What values are possible, the module sees to. */
export const NAMED = { mechanism: 'string', calibration: 'string' };
export const REWRITING = { ...NAMED, keepFunctionWords: 'boolean', placeholders: 'boolean' };

/** What `privatize` and `privatizeAsync` may be told beside the options. */
const CONTROL = { __proto__: null, field: 'string', signal: 'any' };

/**
 * What an entry can do with words; and `requireReady`, `checkedOptions` and `inWasm`, on which it builds whatever else it can do.
 *
 * @param instantiate what the module's glue makes an instance with
 * @param Veil the class that the glue exports
 * @param beside the address of the module beside the entry, for an engine with 128-bit vectors or without: literal ones there, so that
 *   bundlers recognise them and ship the files
 */
export function textveil(instantiate, Veil, beside) {
  /** The loaded table inside the wasm instance; absent before `init` and after a crash. */
  let veil;
  /** The names of all parameters, each with its type, as the module has them. */
  let parameters;
  /** The one initialization, shared by all callers; absent before the first and after a failed one. */
  let loading;
  /** Set for good when the wasm instance has crashed: its memory can no longer be believed. */
  let broken = false;

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

  async function load(places) {
    if (broken) throw crashed();
    if (typeof WebAssembly !== 'object') throw new TextveilError('unsupported', 'This engine has no WebAssembly.');
    let bytes;
    try {
      let module;
      // Inside `try`: where the platform does not say where this file lies, `new URL` throws.
      let { wasm = beside, table = new URL('./english.tvt', import.meta.url) } = places;
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

  function privatize(text, options, control) {
    const { key, begin } = asked(text, options, control);
    return drawnOnce(key, () => (drawings.get(key) ?? begin()).finish());
  }

  async function privatizeAsync(text, options, control) {
    const { key, begin, signal } = asked(text, options, control);
    if (signal && typeof signal.aborted !== 'boolean') throw invalid('The signal must be an AbortSignal.');
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
        if (!drawing.slice()) await breath();
      }
    } finally {
      if (drawing && !(drawing.waiting -= 1)) drawing.drop();
    }
  }

  /** What a text is remembered by, and how its drawing begins. */
  function asked(text, options, control) {
    requireReady();
    const normal = normalized(text);
    const terms = checkedOptions(options, REWRITING);
    const { field, signal } = plainCopy(control, 'control', CONTROL);
    // Equal releases for two fields would show that their texts are equal.
    const key = inWasm(() => drawKey([normal, field], terms, veil.guarantee(terms)));
    const begin = () => {
      const drawing = new Drawing(key, inWasm(() => veil.begin(normal, terms)), inWasm);
      drawings.set(key, drawing);
      return drawing;
    };
    return { key, begin, signal };
  }

  function guarantee(options) {
    requireReady();
    const asked = checkedOptions(options, REWRITING);
    return deepFreeze(inWasm(() => veil.guarantee(asked)));
  }

  function levels() {
    requireReady();
    return deepFreeze(inWasm(() => veil.levels()));
  }

  function mechanisms() {
    requireReady();
    return deepFreeze(inWasm(() => veil.mechanisms()));
  }

  function alternatives(token, options, k = 10) {
    requireReady();
    const normal = normalized(token);
    const asked = checkedOptions(options, REWRITING);
    requireCount(k);
    return deepFreeze(inWasm(() => veil.alternatives(normal, asked, k)));
  }

  function requireReady() {
    if (broken) throw crashed();
    if (!veil) throw new TextveilError('not-ready', 'textveil is not ready: `await init()` first.');
  }

  /**
   * Runs `work` in the wasm instance. An error that the core has reported passes through; anything else is a crash, which
   * may have left the instance's memory in any state, so that nothing it says afterwards is believed.
   */
  function inWasm(work) {
    if (broken) throw crashed();
    try {
      return work(veil);
    } catch (error) {
      if (error?.name === 'TextveilError' && typeof error.code === 'string') {
        throw new TextveilError(error.code, error.message);
      }
      broken = true;
      veil = undefined;
      loading = undefined;
      throw crashed();
    }
  }

  function checkedOptions(options, choices) {
    const copy = plainCopy(options, 'options', { __proto__: null, ...choices, ...parameters });
    const strengths = ['level', 'epsilon', 'eta'].filter((name) => name in copy);
    if (strengths.length > 1) throw invalid(`The strength is given once: here are ${strengths.join(' and ')}.`);
    return copy;
  }

  return { init, privatize, privatizeAsync, guarantee, levels, mechanisms, alternatives, requireReady, checkedOptions, inWasm };
}

// ---------------------------------------------------------------------------------------------------------- Loading

/** The smallest module with a 128-bit vector instruction: () → v128 { i8x16.popcnt(i8x16.splat(0)) }. */
const SIMD_PROBE = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, // magic, version
  1, 5, 1, 0x60, 0, 1, 0x7b, // type () → v128
  3, 2, 1, 0, // one function of it
  10, 10, 1, 8, 0, 0x41, 0, 0xfd, 0x0f, 0xfd, 0x62, 0x0b, // its body
]);

/** Some test environments have no `Response`. */
const isResponse = (body) => globalThis.Response && body instanceof Response;

async function compile(source) {
  const body = await read(source);
  if (body instanceof WebAssembly.Module) return body;
  const streamable =
    isResponse(body) &&
    typeof WebAssembly.compileStreaming === 'function' &&
    // Streaming insists on this type; many servers send another, and then the bytes are compiled once they are here.
    body.headers.get('content-type')?.toLowerCase() === 'application/wasm';
  return streamable ? WebAssembly.compileStreaming(body) : WebAssembly.compile(await toBytes(body));
}

/** Follows a URL; hands anything else through. Rejects on an HTTP error. */
async function read(source) {
  let body = await source;
  if (typeof body === 'string' || body instanceof URL) {
    const url = new URL(body, globalThis.location?.href);
    body = url.protocol === 'file:' ? await readLocal(url) : await fetch(url);
  }
  if (isResponse(body) && !body.ok) throw new Error(`HTTP status ${body.status}`);
  return body;
}

/** Node reads its own files. The specifier stands apart so that a bundler for browsers does not look for it. */
async function readLocal(url) {
  const files = 'node:fs/promises';
  const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ files);
  return readFile(url);
}

async function toBytes(body) {
  if (isResponse(body)) return new Uint8Array(await body.arrayBuffer());
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw invalid('A source is a URL, a string, a Response, bytes, or (for the module) a WebAssembly.Module.');
}

// ---------------------------------------------------------------------------------------------------------- Drawing

/**
 * A release in the making, which lasts until it is finished, or nobody waits for it any more, or its module has crashed. What
 * is not finished has been seen by nobody.
 */
class Drawing {
  /** How many wait for it. */
  waiting = 0;

  constructor(key, inner, inWasm) {
    Object.assign(this, { key, inner, inWasm });
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

  /** Of a module that has crashed, nothing can be freed. */
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

/** Lets whatever else is due have its turn: the page, the worker, Node. */
function breath() {
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

/** What has been drawn under this key, or else what `draw` draws. */
export function drawnOnce(key, draw) {
  let release = releases.get(key);
  if (!release) {
    release = draw();
    releases.set(key, release);
  }
  return release;
}

/** What the distribution of a release depends on: what it is remembered by. Options that come to the same thing share a draw. */
export function drawKey(input, { level, epsilon, eta, keepFunctionWords, placeholders, ...others }, promised) {
  const { mechanism, calibration, unit, clear, table } = promised;
  const strength = promised.eta === null ? { epsilon } : { eta: promised.eta };
  const terms = { ...others, mechanism, calibration, unit, clear, table, ...strength };
  return JSON.stringify([input, Object.entries(terms).sort()]);
}

/**
 * Hides the account from enumeration: `JSON.stringify(release)` and `{ ...release }` carry what may be sent, and no more.
 * A descriptor without prototype: whatever a page has done to `Object.prototype`, this one stays hidden.
 */
function sealed({ account, ...sendable }) {
  return deepFreeze(Object.defineProperty(sendable, 'account', { __proto__: null, value: account }));
}

// --------------------------------------------------------------------------------------------------------- The border

/** Without a cause: what a crash has to say might quote the text. */
function crashed() {
  return new TextveilError('internal', 'textveil has crashed and stays shut; reload to start it anew.');
}

export function invalid(message) {
  return new TextveilError('invalid-options', message);
}

/** How many alternatives may be asked for. */
export function requireCount(k) {
  if (!Number.isInteger(k) || k < 1 || k > 1000) throw invalid('The number k must be a whole number from 1 to 1000.');
}

/** The core's limit in bytes of UTF-8; of UTF-16 units a text within it has no more. */
const LONGEST_TEXT = 1_048_576;

/** NFKC, and half surrogate pairs as the U+FFFD that they become in UTF-8: equal for the core is equal for the memory. */
export function normalized(text) {
  if (typeof text !== 'string') throw invalid('The text must be a string.');
  // First, because NFKC makes some texts eighteen times as long.
  requireLength(text);
  const normal = text.normalize('NFKC').replace(/\p{Surrogate}/gu, '\ufffd');
  requireLength(normal);
  return normal;
}

function requireLength(text) {
  if (text.length > LONGEST_TEXT) throw new TextveilError('text-too-long', 'The text is longer than 1 MiB.');
}

/**
 * The own properties of a plain object, in an object without prototype; none for `undefined`.
 *
 * Whatever is not understood is refused. A strength in a Map, in a prototype or under a misspelt name would otherwise go
 * unseen, and the default could protect less than was asked for. A message names what is known, never what was passed.
 *
 * @param types the known names, each with the type of its value, or `any`
 */
export function plainCopy(object, title, types) {
  const copy = { __proto__: null };
  if (object === undefined) return copy;
  if (!isPlain(object)) throw invalid(`The ${title} must be a plain object of: ${Object.keys(types).join(', ')}.`);
  for (const name of Reflect.ownKeys(object)) {
    if (!(name in types)) throw invalid(`The ${title} know only these names: ${Object.keys(types).join(', ')}.`);
    const value = object[name];
    if (value === undefined) continue;
    if (types[name] !== 'any' && typeof value !== types[name]) throw invalid(`The option ${name} must be a ${types[name]}.`);
    copy[name] = value;
  }
  return copy;
}

function isPlain(value) {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function deepFreeze(value) {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const name of Object.getOwnPropertyNames(value)) deepFreeze(value[name]);
  }
  return value;
}
