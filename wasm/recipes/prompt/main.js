// Asks a language model. The model gets the release. Names and numbers are put back into its answer here.

import { init } from 'textveil';
import { preparePrompt } from 'textveil/prompt';

const form = document.querySelector('form');
const question = form.querySelector('textarea');
const [preview, answer] = form.querySelectorAll('output');
const status = form.querySelector('[role=status]');
const SENDING = 'Sending…';
/** A random number for this text. By it a collector counts the text once, also if the person sends it again because no answer came. */
let nonce;

/** Shows what may be sent. It is the same for the same question. */
async function prepared() {
  try {
    await init();
    const prompt = preparePrompt(question.value);
    preview.value = prompt.text;
    status.textContent = 'Not sent yet. Of your text, only this will be.';
    return prompt;
  } catch {
    preview.value = '';
    status.textContent = 'The question could not be made private, so it was not sent.';
    return undefined;
  }
}

question.addEventListener('input', () => {
  nonce = undefined;
  preview.value = status.textContent = '';
});
question.addEventListener('blur', () => {
  if (question.value && !preview.value) void prepared();
});
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (status.textContent === SENDING) return;
  answer.value = '';
  // The question has no name, so it adds no entry.
  const data = new FormData(form);
  const prompt = await prepared();
  if (!prompt) return;
  data.append('prompt', prompt.text);
  data.append('prompt-guarantee', JSON.stringify(prompt.guarantee));
  nonce ??= crypto.getRandomValues(new BigUint64Array(2)).join('');
  data.append('nonce', nonce);
  status.textContent = SENDING;
  const response = await fetch(form.action, { method: form.method, body: data }).catch(() => Response.error());
  const restored = response.ok ? prompt.restore(await response.text()) : '';
  // The person has written another question meanwhile: this answer is not for it.
  if (status.textContent !== SENDING) return;
  answer.value = restored;
  status.textContent = response.ok ? 'Sent.' : 'The assistant could not be asked. Please try again.';
});
