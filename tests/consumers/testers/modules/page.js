// Tests of a page with private fields, in whatever DOM the file that calls this has chosen. Neither jsdom nor happy-dom fires `formdata`.

const SECRET = 'Zebulon Quimby has fear of the colonoscopyx';
const RAW = /zebulon|quimby|colonoscopyx/i;

const PAGE = `
  <form>
    <input name="ward" value="Maple 3">
    <textarea data-private="comment"></textarea>
    <textveil-field name="note" level="3"><label>Note <textarea></textarea></label></textveil-field>
    <button name="go" value="1">Send</button>
  </form>`;

/** The element outside of the form that it names. */
const OUTSIDE = '<form id="far"><button>Send</button></form><textveil-field name="note" form="far"><textarea></textarea></textveil-field>';

const ENTRIES = ['ward', 'go', 'comment', 'comment-guarantee', 'note', 'note-guarantee'];

exports.pageTests = () => {
  let textveil;

  beforeAll(async () => {
    const [form, testing] = [await import('textveil/form'), await import('textveil/testing')];
    await import('textveil/element');
    textveil = { ...form, ...testing };
    // Messages for developers: each names the error, and never the text.
    jest.spyOn(console, 'error').mockImplementation(() => {});
  });

  /** The page with both controls filled in, and what its own listener for `submit` has seen. */
  async function filledIn(settings) {
    document.body.innerHTML = PAGE;
    const form = document.querySelector('form');
    const protection = textveil.protect(form, settings);
    await protection.ready;
    const seen = [];
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      seen.push([...new FormData(form).keys()]);
    });
    for (const control of form.querySelectorAll('textarea')) {
      control.value = SECRET;
      control.dispatchEvent(new Event('input', { bubbles: true }));
    }
    return { form, protection, seen };
  }

  const errorOf = (form) => form.querySelector('.textveil-error').textContent;

  async function until(holds) {
    for (let tries = 0; tries < 3000 && !holds(); tries++) await new Promise((next) => setTimeout(next, 10));
    expect(holds()).toBeTruthy();
  }

  describe('without the helper', () => {
    test('settled() rejects, since no release could be sent', async () => {
      const { form, protection } = await filledIn();
      await expect(protection.settled()).rejects.toMatchObject({ name: 'TextveilError', code: 'unsupported', message: expect.stringContaining('textveil/testing') });
      expect([...new FormData(form).keys()]).toEqual(['ward']);
    });

    test('a submission is stopped, and the person is told', async () => {
      const { form, seen } = await filledIn();
      form.querySelector('[name=go]').click();
      await until(() => form.querySelector('[data-private]').validationMessage);
      await until(() => errorOf(form));
      expect(errorOf(form)).toMatch(/cannot be sent/);
      expect(seen).toEqual([]);
      expect(JSON.stringify(/** @type {any} */ (console.error).mock.calls)).not.toMatch(RAW);
    });

    test('<textveil-field> shows what would be sent, when asked', async () => {
      const { form } = await filledIn();
      expect(form.querySelector('output').textContent).toBe('');
      form.querySelector('.textveil-show').click();
      await until(() => form.querySelector('output').textContent);
      expect(form.querySelector('output').textContent).not.toMatch(RAW);
    });
  });

  describe('with the helper', () => {
    test('submitted() gives what a browser would send', async () => {
      const { form, protection } = await filledIn();
      const data = await textveil.submitted(form);
      expect([...data.keys()]).toEqual(ENTRIES);
      expect(JSON.stringify([...data])).not.toMatch(RAW);
      expect(JSON.parse(data.get('note-guarantee')).words).toBe(7);
      expect(data.get('comment')).toBe((await protection.preview('comment')).text);
    });

    test('the page itself gets the same form data, by submit and by settled()', async () => {
      const { form, protection, seen } = await filledIn();
      const data = await textveil.submitted(form);
      expect(seen).toEqual([ENTRIES.filter((name) => name !== 'go')]);
      await protection.settled();
      expect([...new FormData(form)]).toEqual([...data].filter(([name]) => name !== 'go'));
    });

    test('<textveil-field> may stand outside of its form', async () => {
      document.body.innerHTML = OUTSIDE;
      document.querySelector('textarea').value = SECRET;
      // The element joins its form in the next microtask.
      await Promise.resolve();
      const data = await textveil.submitted(document.querySelector('form'));
      expect([...data.keys()]).toEqual(['note', 'note-guarantee']);
      expect(data.get('note')).not.toMatch(RAW);
    });

    test('submitted() rejects with the error of a field', async () => {
      const { form, seen } = await filledIn({ options: { level: 999 } });
      await expect(textveil.submitted(form)).rejects.toMatchObject({ code: 'invalid-level' });
      expect(seen).toEqual([]);
    });

    test('submitted() rejects where a browser would not submit', async () => {
      const { form, seen } = await filledIn();
      Object.assign(form.querySelector('input'), { required: true, value: '' });
      await expect(textveil.submitted(form)).rejects.toMatchObject({ code: 'invalid-argument' });
      expect(seen).toEqual([]);
    });

    test('submitted() waits no longer than its limit, and says what did not happen', async () => {
      const begun = Date.now();
      const { form, seen } = await filledIn({ ledger: { spend: () => new Promise(() => {}) } });
      const unrecorded = textveil.submitted(form, undefined, { limit: 3000 });
      await expect(unrecorded).rejects.toMatchObject({ name: 'TextveilError', code: 'not-ready', message: expect.stringMatching(/within 3000 ms\. Fields with a release: (note|none)\. .*ledger/) });
      expect(seen).toEqual([]);
      const { form: stopped } = await filledIn();
      stopped.addEventListener('submit', (event) => {
        event.preventDefault();
        event.stopImmediatePropagation();
      }, true);
      const lost = textveil.submitted(stopped, undefined, { limit: 3000 });
      await expect(lost).rejects.toMatchObject({ code: 'not-ready', message: expect.stringContaining('a listener of the page has stopped the event') });
      expect(Date.now() - begun).toBeLessThan(30_000);
    });

    test('it is put in place once', () => {
      textveil.provideFormData();
      const { FormData: provided } = globalThis;
      textveil.provideFormData();
      expect(globalThis.FormData).toBe(provided);
    });
  });
};
