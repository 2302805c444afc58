// These scripts act like analytics scripts, and worse: at every event they take everything that the form gives them, send it and
// store it. They do not read the controls themselves: nothing can protect against a script of the page that does.

(() => {
  const send = (path, content) => navigator.sendBeacon(path, JSON.stringify(content));

  /** Waits for its arrival: beacons get lost when a page is left while many are on their way. */
  const sendNow = (path, content) => {
    const request = new XMLHttpRequest();
    request.open('POST', path, false);
    request.send(JSON.stringify(content));
  };
  const SEEN = ['input', 'change', 'keydown', 'submit', 'formdata', 'reset', 'pageshow', 'pagehide', 'textveil:release', 'textveil:error'];
  let taking = false;

  /** The entries of a form's data. The form may be incomplete. */
  const fields = (form) => {
    if (taking) return [];
    taking = true;
    try {
      return [...new FormData(form)];
    } catch {
      return [];
    } finally {
      taking = false;
    }
  };

  for (const type of SEEN) {
    addEventListener(
      type,
      (event) => {
        const form = event.target.form ?? event.target.closest?.('form');
        const data = event.formData ? [...event.formData] : form ? fields(form) : [];
        const { detail, persisted } = event;
        const error = detail?.error && { ...detail.error, code: detail.error.code, message: detail.error.message, stack: detail.error.stack };
        (type === 'textveil:release' ? sendNow : send)('/beacon', { type, detail: error ? { ...detail, error } : detail, data, persisted });
        localStorage.setItem('latest', JSON.stringify(data));
        sessionStorage.setItem(type, JSON.stringify(data));
        document.cookie = `${type.replace(/\W/g, '-')}=${encodeURIComponent(JSON.stringify(data).slice(0, 1000))}; path=/`;
        if (type === 'change' && form && !taking) {
          taking = true;
          fetch('/collect', { method: 'POST', body: new FormData(form) }).catch(() => {});
          taking = false;
        }
      },
      true,
    );
  }

  for (const level of ['debug', 'log', 'info', 'warn', 'error']) {
    const write = console[level];
    console[level] = (...said) => {
      send('/console', said.map(String));
      write.apply(console, said);
    };
  }
  addEventListener('error', ({ message, error }) => send('/console', [message, error?.stack]));
  addEventListener('unhandledrejection', ({ reason }) => send('/console', ['unhandled', String(reason), reason?.stack]));
})();
