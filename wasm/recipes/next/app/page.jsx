'use client';

import { useEffect, useRef } from 'react';
import { protect } from 'textveil/form';
import { showPreview } from '../../shared/preview.js';

export default function Page() {
  const form = useRef(null);
  useEffect(() => {
    const protection = protect(form.current);
    const hide = showPreview(form.current, protection);
    return () => {
      hide();
      protection.stop();
    };
  }, []);

  // React renders the text area and does not control it: no `name`, no `value`, no state that holds its text.
  return (
    <main>
      <h1>How was your visit?</h1>
      <form ref={form} action="/releases" method="post">
        <input type="hidden" name="nonce" />
        <p>
          <label htmlFor="ward">Ward</label>
          <input id="ward" name="ward" autoComplete="off" required />
        </p>
        <p>
          <label htmlFor="comment">Your comment</label>
          <textarea
            id="comment"
            data-private="comment"
            rows={4}
            aria-describedby="hint"
            autoComplete="off" autoCorrect="off" spellCheck={false} translate="no" writingsuggestions="false"
            data-enable-grammarly="false" data-gramm="false" data-gramm_editor="false" data-lt-active="false" data-ms-editor="false"
          />
          <span id="hint" className="hint">
            Before it is sent, each word is replaced, or by chance kept, on this device.
          </span>
        </p>
        <p>
          <label htmlFor="preview">What will be sent of it</label>
          <output id="preview" htmlFor="comment" />
        </p>
        <button>Send</button>
        <p role="status" />
      </form>
    </main>
  );
}
