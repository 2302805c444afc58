export * from '../../../../wasm/npm/raw.js';
export { default } from '../../../../wasm/npm/raw.js';
