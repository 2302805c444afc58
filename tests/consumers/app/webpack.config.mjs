// Classic scripts, the default. With `experiments.outputModule` the worker of webpack 5.112 waits for ever for a chunk that holds nothing
// but the module and the table.

export default {
  mode: 'production',
  entry: { page: './page.mjs', 'all/all': './all/all.mjs' },
  output: { path: new URL('dist/webpack', import.meta.url).pathname, filename: '[name].mjs' },
  performance: { hints: false },
};
