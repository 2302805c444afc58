/** Asks browsers, extensions and session recorders to leave a control alone. */

/** Browsers and extensions send a text to servers to complete, correct, translate or check it. These attributes ask them not to. */
const QUIET = {
  autocomplete: 'off',
  autocorrect: 'off',
  spellcheck: 'false',
  translate: 'no',
  writingsuggestions: 'false',
  'data-enable-grammarly': 'false',
  'data-gramm': 'false',
  'data-gramm_editor': 'false',
  'data-lt-active': 'false',
  'data-ms-editor': 'false',
};

/** These attributes ask session recorders not to record an element. Each recorder knows its own. */
const UNRECORDED = {
  'data-clarity-mask': 'true',
  'data-cs-mask': '',
  'data-dd-privacy': 'mask',
  'data-heap-redact-text': 'true',
  'data-hj-suppress': '',
  'data-matomo-mask': '',
  'data-nr-mask': '',
  'data-openreplay-obscured': '',
  'data-recording-disable': '',
  'data-sentry-block': '',
  'data-sentry-mask': '',
};

const UNRECORDED_CLASSES = ['_lr-hide', 'amp-block', 'fs-exclude', 'mp-block', 'ph-no-capture', 'rr-block', 'ym-disable-keys', 'ym-hide-content'];

/**
 * Asks browsers, extensions and recorders to leave a control alone. Attributes that the page has set stay.
 *
 * @param {HTMLElement} control
 */
export function hideFromAssistants(control) {
  for (const [attribute, value] of Object.entries(QUIET)) {
    if (!control.hasAttribute(attribute)) control.setAttribute(attribute, value);
  }
  hideFromRecorders(control);
}

/** @param {HTMLElement} element */
export function hideFromRecorders(element) {
  for (const [attribute, value] of Object.entries(UNRECORDED)) {
    if (!element.hasAttribute(attribute)) element.setAttribute(attribute, value);
  }
  element.classList.add(...UNRECORDED_CLASSES);
}
