export default {
  mode: 'production',
  context: import.meta.dirname,
  entry: './main.js',
  output: { path: `${import.meta.dirname}/dist`, clean: true },
  performance: { maxAssetSize: 2_000_000 },
};
