export * from '../../../../../../wasm/npm/all/textveil.js';
