// Draws in a worker, so that a long text does not block the page. The worker loads the module and the table, and remembers releases.

const form = document.querySelector('form');
const comment = form.querySelector('textarea');
const preview = form.querySelector('output');
const status = form.querySelector('[role=status]');

const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });

/** The release of a text. The worker remembers it, and gives the same release for the same text. */
async function released(text) {
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
  worker.postMessage(text, [port2]);
  const { release, code } = await answer;
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

comment.addEventListener('input', () => (preview.value = status.textContent = ''));
comment.addEventListener('change', show);
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  // The private control has no name, so it adds no entry.
  const data = new FormData(form);
  const release = await show();
  if (!release) return;
  data.append('comment', release.text);
  data.append('comment-guarantee', JSON.stringify(release.guarantee));
  const { ok } = await fetch(form.action, { method: form.method, body: data }).catch(() => ({ ok: false }));
  status.textContent = ok ? 'Sent.' : 'It could not be sent. Please try again.';
});
