/**
 * textveil/short: a guarantee without its English, with a digest of the whole.
 *
 * A collector states the rest from it, and refuses it if the digest is of anything else. `core/src/privacy/guarantee/short.rs`
 * does the same in Rust.
 */

/** @import { Guarantee, ShortGuarantee } from './types.js' */

/** These fields follow from the others. */
const LEFT_OUT = ['neighbours', 'exactSampler', 'statement'];

/**
 * @param {Guarantee<string, string>} guarantee
 * @returns {ShortGuarantee<string, string>}
 */
export function short(guarantee) {
  const kept = Object.entries(guarantee).filter(([name]) => !LEFT_OUT.includes(name));
  // @ts-expect-error These are its fields: TypeScript does not infer that from the filter.
  return { ...Object.fromEntries(kept), digest: sha256(canonical(guarantee)) };
}

/**
 * JSON as RFC 8785 has it: names in order, no white space, numbers as JavaScript writes them.
 *
 * @param {any} value
 * @returns {string}
 */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)}}`;
}

// The platform's own SHA-256 is asynchronous, and is missing on pages without HTTPS. A form cannot wait while it is sent.
const START = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
const ROUNDS = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/**
 * The SHA-256 of a text in UTF-8, in hexadecimal.
 *
 * @param {string} text
 */
function sha256(text) {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array(64 * Math.ceil((bytes.length + 9) / 64));
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, 8 * bytes.length);
  const sum = Uint32Array.from(START);
  for (let block = 0; block < padded.length; block += 64) mix(sum, view, block);
  return [...sum].map((word) => word.toString(16).padStart(8, '0')).join('');
}

/**
 * Takes a block of 64 bytes into the sum.
 *
 * @param {Uint32Array} sum
 * @param {DataView} view
 * @param {number} block
 */
function mix(sum, view, block) {
  const words = new Uint32Array(64);
  let [a, b, c, d, e, f, g, h] = sum;
  for (let i = 0; i < 64; i++) {
    const [early, late] = [words[i - 15], words[i - 2]];
    words[i] =
      i < 16
        ? view.getUint32(block + 4 * i)
        : words[i - 16] + (turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)) + words[i - 7] + (turned(late, 17) ^ turned(late, 19) ^ (late >>> 10));
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i]) | 0;
    const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, place) => (sum[place] += word));
}

/** @type {(word: number, by: number) => number} */
const turned = (word, by) => (word >>> by) | (word << (32 - by));
