/** The error class of this package, and two errors that several files throw. */

/** @import { ErrorCode } from './types.js' */

/** Every failure of this package; `code` is stable, `message` is for people. Never holds the user's text. */
export class TextveilError extends Error {
  /**
   * @param {ErrorCode} code
   * @param {string} message
   * @param {{ cause?: unknown }} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.name = 'TextveilError';
    this.code = code;
  }
}

/** Has no cause: the message of a crash might quote the text. */
export function crashed() {
  return new TextveilError('internal', 'textveil has crashed. It stays shut until the page is reloaded.');
}

/** @param {string} message */
export function invalid(message) {
  return new TextveilError('invalid-options', message);
}
