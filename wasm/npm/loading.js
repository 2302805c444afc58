/** Loads the module and the table: from an address, a response, bytes, or a compiled module. */

import { invalid } from './errors.js';

/** @import { CompiledModule, Source } from './types.js' */

/** The smallest module with a 128-bit vector instruction: () → v128 { i8x16.popcnt(i8x16.splat(0)) }. */
export const SIMD_PROBE = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, // magic, version
  1, 5, 1, 0x60, 0, 1, 0x7b, // type () → v128
  3, 2, 1, 0, // one function of it
  10, 10, 1, 8, 0, 0x41, 0, 0xfd, 0x0f, 0xfd, 0x62, 0x0b, // its body
]);

/**
 * Some test environments have no `Response`.
 *
 * @param {unknown} body
 * @returns {body is Response}
 */
const isResponse = (body) => !!globalThis.Response && body instanceof Response;

/** @param {Source | CompiledModule} source */
export async function compile(source) {
  const body = await read(source);
  if (body instanceof WebAssembly.Module) return body;
  const streamable =
    isResponse(body) &&
    typeof WebAssembly.compileStreaming === 'function' &&
    // Streaming needs this type. Many servers send another: then the bytes are compiled when all have arrived.
    body.headers.get('content-type')?.toLowerCase() === 'application/wasm';
  return streamable ? WebAssembly.compileStreaming(body) : WebAssembly.compile(await toBytes(body));
}

/**
 * Fetches a URL, and calls a function. Returns anything else as it is. Rejects on an HTTP error.
 *
 * @param {Source | CompiledModule} source
 * @returns {Promise<unknown>}
 */
export async function read(source) {
  /** @type {unknown} */
  let body = await (typeof source === 'function' ? source() : source);
  if (typeof body === 'string' || body instanceof URL) {
    const url = new URL(body, globalThis.location?.href);
    body = url.protocol === 'file:' ? await readLocal(url) : await fetch(url);
  }
  if (isResponse(body) && !body.ok) throw new Error(`${body.url}: HTTP status ${body.status}`);
  return body;
}

/**
 * Reads a local file in Node. The specifier is a variable, so that a bundler for browsers does not look for the module.
 *
 * @param {URL} url
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function readLocal(url) {
  const files = 'node:fs/promises';
  const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ files);
  return readFile(url);
}

/**
 * The bytes of a file. Rejects on a page: many servers answer one for an address that they do not know.
 *
 * @param {unknown} body
 * @returns {Promise<Uint8Array<any>>}
 */
export async function toBytes(body) {
  if (isResponse(body)) {
    const bytes = new Uint8Array(await body.arrayBuffer());
    if (/^\s*</.test(new TextDecoder().decode(bytes.subarray(0, 64)))) throw new Error(`${body.url}: a page, and not the file`);
    return bytes;
  }
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw invalid('A source is a URL, a string, a Response, bytes, or (for the module) a WebAssembly.Module.');
}
