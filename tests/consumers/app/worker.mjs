import { fetched } from './fetched.mjs';
import { run } from './run.mjs';

self.onmessage = async ({ data }) => self.postMessage(await run(fetched, data));
