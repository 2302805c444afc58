/** The panel "Use it": the chosen settings as a link and as code, to copy. */

import { codeFor, fragmentOf } from './settings.js';

/** @import { Settings } from './settings.js' */
/** @import { Preset } from './textveil/all/textveil.js' */
/** @import { View } from './view.js' */

/** @typedef {ReturnType<typeof codeFor>} Code */

/**
 * The panel.
 *
 * @param {View} view the page's elements
 */
export function usePanel(view) {
  /** @type {Code | undefined} Absent until the levels are loaded. */
  let code;
  let link = '';

  /**
   * Shows the code for these settings.
   *
   * @param {Settings} settings
   * @param {Preset | null} preset the name of their level, if it has one
   */
  function show(settings, preset) {
    code = codeFor(settings, preset);
    link = new URL(fragmentOf(settings), location.href).href;
    view.codeText.textContent = code[chosen()];
    for (const button of [view.copyCode, view.copyLink]) button.disabled = false;
  }

  const chosen = () => {
    const input = /** @type {HTMLInputElement} */ (view.codeKinds.querySelector(':checked'));
    return /** @type {keyof Code} */ (input.value);
  };

  /**
   * @param {string} what
   * @param {string} copied what to say then
   */
  async function copy(what, copied) {
    try {
      await navigator.clipboard.writeText(what);
      view.copyStatus.textContent = copied;
    } catch {
      view.copyStatus.textContent = 'This browser does not let the page copy. Select the code and copy it by hand.';
    }
  }

  view.codeKinds.addEventListener('change', () => {
    view.codeText.textContent = code?.[chosen()] ?? '';
    view.copyStatus.textContent = '';
  });
  view.copyCode.addEventListener('click', () => copy(view.codeText.textContent, 'The code is copied.'));
  view.copyLink.addEventListener('click', () => copy(link, 'The link is copied. It holds the settings, and nothing of your text.'));

  return { show };
}
