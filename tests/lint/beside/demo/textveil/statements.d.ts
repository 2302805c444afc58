export * from '../../../../../wasm/npm/statements.js';
