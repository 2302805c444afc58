// Draws in a worker, so that a long text does not block the page. The worker loads the module and the table, and remembers releases.

const form = document.querySelector('form');
const comment = form.querySelector('textarea');
const preview = form.querySelector('output');
const status = form.querySelector('[role=status]');

const SENDING = 'Sending…';
/** A random number for this text. By it a collector counts the text once, also if the person sends it again because no answer came. */
let nonce;

const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
/** Ends with the worker: it could not be loaded, or has crashed. A new one would not remember what this one has drawn. */
const crashed = new Promise((_, reject) => worker.addEventListener('error', () => reject(new Error('The worker has crashed.'))));
crashed.catch(() => {});

/** The release of a text. The worker remembers it, and gives the same release for the same text. */
async function released(text) {
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
  worker.postMessage(text, [port2]);
  const { release, code } = await Promise.race([answer, crashed]);
  if (!release) throw new Error(code);
  return release;
}

/** Shows what will be sent for the text in the control, or nothing after a failure. */
async function show() {
  const text = comment.value;
  try {
    const release = await released(text);
    if (comment.value !== text) return show();
    preview.value = release.text;
    status.textContent = 'Not sent yet. Of your text, only this will be.';
    return release;
  } catch {
    preview.value = '';
    status.textContent = 'The text could not be made private, so it was not sent.';
    return undefined;
  }
}

comment.addEventListener('input', () => {
  nonce = undefined;
  preview.value = status.textContent = '';
});
comment.addEventListener('blur', () => {
  if (comment.value && !preview.value) void show();
});
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (status.textContent === SENDING) return;
  // The private control has no name, so it adds no entry.
  const data = new FormData(form);
  const release = await show();
  if (!release) return;
  data.append('comment', release.text);
  data.append('comment-guarantee', JSON.stringify(release.guarantee));
  nonce ??= crypto.getRandomValues(new BigUint64Array(2)).join('');
  data.append('nonce', nonce);
  status.textContent = SENDING;
  const { ok } = await fetch(form.action, { method: form.method, body: data }).catch(() => ({ ok: false }));
  // If the person has written on meanwhile, nothing is said of the new text.
  if (status.textContent === SENDING) status.textContent = ok ? 'Sent.' : 'It could not be sent. Please try again.';
});
