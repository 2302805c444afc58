/**
 * Shows under a protected form what will be sent of its private field: the very release, before it is sent.
 *
 * @param protection what `protect(form)` returned
 * @returns ends it
 */
export function showPreview(form, protection, field = 'comment') {
  const preview = form.querySelector('output');
  const status = form.querySelector('[role=status]');
  const listening = new AbortController();
  const on = (type, react) => form.addEventListener(type, react, { signal: listening.signal });
  const say = (release, message) => {
    preview.value = release;
    status.textContent = message;
  };

  on('input', ({ target }) => {
    if (target.dataset.private === field) say('', 'Not sent. It is being made private on this device.');
  });
  on('textveil:release', ({ detail }) => say(detail.text, 'Not sent yet. Of your text, only this will be.'));
  on('textveil:error', ({ target }) => say('', target.validationMessage));
  protection.preview(field);
  return () => listening.abort();
}
