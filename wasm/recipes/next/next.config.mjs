import { dirname } from 'node:path';

// `root`: the folder of the lock file, with `node_modules` and what the recipes share.
export default { output: 'export', turbopack: { root: dirname(import.meta.dirname) } };
