// A Worker between people and a third party's service. The service gets a release, and never the text.
//
// The Worker itself gets the text: it is a server. Where you can, protect the form in the page instead; then no server gets it.

import { init, privatize } from 'textveil';
import table from 'textveil/english.tvt';
import wasm from 'textveil/textveil_wasm.wasm';

// A Worker has no address for its own files, so both are passed.
await init({ wasm, table });

/** The longest text, in characters. A Worker remembers every release for as long as it lives, and has 128 MB. */
const LONGEST = 5000;

export default {
  async fetch(request, env) {
    // Your sign-in knows who it is. Each person is a field: under one name, equal texts of two people would get equal releases.
    const person = request.headers.get('X-Person');
    if (request.method !== 'POST' || !person) return new Response('POST a text, with the header X-Person.\n', { status: 400 });
    const text = await request.text();
    if (text.length > LONGEST) return new Response(`Not sent: the text is longer than ${LONGEST} characters.\n`, { status: 413 });
    let release;
    try {
      release = privatize(text, { level: 4 }, { field: person });
    } catch (error) {
      // No message of the package quotes the text.
      return new Response(`Not sent: ${error.message}\n`, { status: { 'text-too-long': 413, 'other-language': 422 }[error.code] ?? 503 });
    }
    // A release in JSON holds its text and its guarantee.
    return fetch(env.SERVICE, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(release) });
  },
};
