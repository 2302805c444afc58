// A page of a bundler's, and what a test calls on it.

import * as textveil from 'textveil';
import { fetched } from './fetched.mjs';
import { firstUse } from './first-use.mjs';
import { run } from './run.mjs';

globalThis.outcomes = {
  page: () => run(fetched),
  first: () => firstUse(textveil),

  /** The page compiles the module and loads the table, once for however many workers; the module is cloned, the table transferred. */
  async worker() {
    const wasm = await WebAssembly.compileStreaming(fetch(new URL('textveil/textveil_wasm.wasm', import.meta.url)));
    const table = await (await fetch(new URL('textveil/english.tvt', import.meta.url))).arrayBuffer();
    const worker = new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' });
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.postMessage({ wasm, table }, [table]);
    });
  },

  async serviceWorker() {
    await navigator.serviceWorker.register('/service-worker.mjs', { type: 'module' });
    const { active } = await navigator.serviceWorker.ready;
    const { port1, port2 } = new MessageChannel();
    return new Promise((resolve) => {
      port1.onmessage = ({ data }) => resolve(data);
      active.postMessage(undefined, [port2]);
    });
  },
};
