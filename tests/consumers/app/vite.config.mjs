export default {
  build: { outDir: 'dist/vite', rolldownOptions: { input: ['index.html', 'all/index.html'] } },
  worker: { format: 'es' },
};
