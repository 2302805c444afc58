import { fetched } from './fetched.mjs';
import { run } from './run.mjs';

self.onmessage = (event) => event.waitUntil(run(fetched).then((outcome) => event.ports[0].postMessage(outcome)));
