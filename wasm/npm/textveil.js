/** textveil: replaces the words of a text on this device, before it is sent. The entry with the small module. */

import { textveil } from './engine.js';
import { Module } from './module.js';
import instantiate, { Veil } from './textveil_wasm.js';

export { TextveilError } from './errors.js';

/** For the other files of this package. */
export const module = new Module(instantiate, (simd) =>
  simd ? new URL('./textveil_wasm.wasm', import.meta.url) : new URL('./textveil_wasm_baseline.wasm', import.meta.url),
);
export const { init, privatize, privatizeAsync, guarantee, levels, mechanisms, alternatives } = textveil(module, Veil);
