export * from '../../../../../wasm/npm/all/raw.js';
export { default } from '../../../../../wasm/npm/all/raw.js';
