import { useEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { useForm } from 'react-hook-form';
import { protect } from 'textveil/form';
import { showPreview } from '../shared/preview.js';
import { send } from '../shared/send.js';

function Comment() {
  const form = useRef(null);
  const { register, handleSubmit } = useForm();

  useEffect(() => {
    const protection = protect(form.current);
    const hide = showPreview(form.current, protection);
    return () => {
      hide();
      protection.stop();
    };
  }, []);

  // What is sent are the data of the form, which hold the release, and not the values that the library has gathered.
  // The private control is uncontrolled, not registered and without `name`: the library never sees its text.
  return (
    <main>
      <h1>How was your visit?</h1>
      <form ref={form} onSubmit={handleSubmit((_, { target }) => send(target, '/releases'))}>
        <input type="hidden" name="nonce" />
        <p>
          <label htmlFor="ward">Ward</label>
          <input id="ward" autoComplete="off" {...register('ward', { required: true })} />
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

createRoot(document.querySelector('#root')).render(<Comment />);
