/** The one error of this package, and the two that several files throw. */

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

/** Without a cause: what a crash has to say might quote the text. */
export function crashed() {
  return new TextveilError('internal', 'textveil has crashed and stays shut; reload to start it anew.');
}

/** @param {string} message */
export function invalid(message) {
  return new TextveilError('invalid-options', message);
}
