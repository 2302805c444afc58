// Compiles a module to CommonJS. What is compiled does not know where it lies.

const { transformSync } = require('esbuild');

exports.process = (source) => ({ code: transformSync(source, { format: 'cjs' }).code });
