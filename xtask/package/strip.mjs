/** Takes the comments out of the scripts of a package: `node strip.mjs FOLDER`. */

import { stripped } from './scripts.mjs';

await stripped(process.argv[2]);
