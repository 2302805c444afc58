/** The panel "Use it": the chosen settings as a link and as code, to copy. */

import { codeFor, fragmentOf } from './settings.js';

/**
 * The panel.
 *
 * @param view the page's elements
 */
export function usePanel(view) {
  let code;
  let link;

  /** Shows the code for these settings. */
  function show(settings) {
    code = codeFor(settings);
    link = new URL(fragmentOf(settings), location.href).href;
    view.codeText.textContent = code[chosen()];
  }

  const chosen = () => view.codeKinds.querySelector(':checked').value;

  async function copy(what, copied) {
    try {
      await navigator.clipboard.writeText(what);
      view.copyStatus.textContent = copied;
    } catch {
      view.copyStatus.textContent = 'This browser does not let the page copy. The code can be selected and copied by hand.';
    }
  }

  view.codeKinds.addEventListener('change', () => {
    view.codeText.textContent = code[chosen()];
    view.copyStatus.textContent = '';
  });
  view.copyCode.addEventListener('click', () => copy(code[chosen()], 'The code is copied.'));
  view.copyLink.addEventListener('click', () => copy(link, 'The link is copied. It holds the settings, and nothing of your text.'));

  return { show };
}
