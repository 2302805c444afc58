export * from '../../../../../wasm/npm/describe.js';
