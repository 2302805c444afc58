// A Cloudflare Worker: the error of `init` without its options, and then the run.

import { init, privatizeAsync } from 'textveil';
import table from 'textveil/english.tvt';
import wasm from 'textveil/textveil_wasm.wasm';
import insecure from 'textveil-insecure/textveil_wasm.wasm';
import { run } from '../run.mjs';

/** A Worker compiles no module, so it has this one compiled; the other files the test serves. */
const read = async (name) => (name.endsWith('.wasm') ? insecure : new Uint8Array(await (await fetch(`https://golden.example/${name}`)).arrayBuffer()));

/** The smallest module, not compiled. */
const EMPTY = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

const refusal = (source) => init(source).then(() => undefined, ({ name, code, message }) => ({ name, code, message }));

export default {
  async fetch(request) {
    const refusals = { nothing: await refusal(), 'no table': await refusal({ wasm }), bytes: await refusal({ wasm: EMPTY, table }) };
    const ran = request.url.endsWith('/golden') ? await run(read, { wasm, table }) : await init({ wasm, table });
    const { guarantee } = await privatizeAsync('My sister was diagnosed with diabetes in March. '.repeat(1000), { level: 2 });
    return Response.json({ refusals, ran, words: guarantee.words });
  },
};
