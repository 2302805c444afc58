const PREPARING = 'Preparing…';

/**
 * Shows under a protected form what will be sent for its private field. The release is drawn when the person leaves the field, not
 * at each pause: a release that is shown counts as released.
 *
 * @param protection what `protect(form)` returned
 * @returns ends it
 */
export function showPreview(form, protection, field = 'comment') {
  const preview = form.querySelector('output');
  const status = form.querySelector('[role=status]');
  const listening = new AbortController();
  const waiting = new MutationObserver(() => {
    if (form.matches('[aria-busy=true]') && !released) status.textContent = PREPARING;
    else if (status.textContent === PREPARING) status.textContent = '';
  });
  /** Whether nothing has been drawn since the person wrote. */
  let written = false;
  /** Whether the release for what the person wrote is there. */
  let released = false;
  const on = (type, react) => form.addEventListener(type, react, { signal: listening.signal });
  const say = (release, message) => {
    preview.value = release;
    status.textContent = message;
  };
  const draw = () => {
    written = false;
    protection.preview(field);
  };

  on('input', ({ target }) => {
    if (target.dataset.private !== field) return;
    written = true;
    released = false;
    say('', 'Leave the field to see what will be sent.');
  });
  on('change', ({ target }) => {
    if (target.dataset.private === field) draw();
  });
  // There is no `change` if the person has restored the text that was there before.
  on('focusout', ({ target }) => {
    if (written && target.dataset.private === field) draw();
  });
  on('textveil:release', ({ detail }) => {
    released = true;
    say(detail.text, 'Not sent yet. Of your text, only this will be.');
  });
  on('textveil:error', ({ target }) => say('', target.validationMessage));
  // A submission waits for the release.
  waiting.observe(form, { attributeFilter: ['aria-busy'] });
  return () => {
    listening.abort();
    waiting.disconnect();
  };
}
