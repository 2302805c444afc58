/**
 * What was measured of levels and cannot be computed on the page: figures of record 50 (`levels.txt` next to the page).
 *
 * A test compares them with the record.
 */

/** @import { Level, LevelMechanism } from './textveil/all/textveil.js' */

/**
 * @typedef {object} Measured shares, 0…1
 * @property {number} accuracy of a classifier of film reviews, trained and tested on releases
 * @property {number} [content] content words of the reviews that come out as themselves
 * @property {{ all: number, content: number }} [reader] words that a reader with a bigram model of English names rightly
 */

/** The accuracy on the reviews in clear. */
export const IN_CLEAR = 0.794;

/** @type {Partial<Record<LevelMechanism, Record<number, Measured>>>} By level. */
const MEASURED = {
  nearest: {
    0: { accuracy: 0.616, content: 0.002, reader: { all: 0.156, content: 0.018 } },
    1: { accuracy: 0.661, content: 0.002, reader: { all: 0.198, content: 0.038 } },
    2: { accuracy: 0.68, content: 0.006, reader: { all: 0.285, content: 0.127 } },
    3: { accuracy: 0.705, content: 0.007, reader: { all: 0.316, content: 0.144 } },
    4: { accuracy: 0.723, content: 0.022, reader: { all: 0.44, content: 0.281 } },
    5: { accuracy: 0.751, content: 0.043, reader: { all: 0.544, content: 0.332 } },
    6: { accuracy: 0.758, content: 0.044, reader: { all: 0.563, content: 0.337 } },
    7: { accuracy: 0.766, content: 0.131, reader: { all: 0.704, content: 0.486 } },
    8: { accuracy: 0.772, content: 0.132, reader: { all: 0.706, content: 0.485 } },
    9: { accuracy: 0.777, content: 0.41, reader: { all: 0.823, content: 0.666 } },
    10: { accuracy: 0.78, content: 0.415, reader: { all: 0.833, content: 0.68 } },
    11: { accuracy: 0.783, content: 0.417, reader: { all: 0.836, content: 0.686 } },
  },
  certified: {
    3: { accuracy: 0.573, reader: { all: 0.205, content: 0.092 } },
    5: { accuracy: 0.668, reader: { all: 0.449, content: 0.338 } },
    7: { accuracy: 0.734, reader: { all: 0.655, content: 0.545 } },
    9: { accuracy: 0.774, reader: { all: 0.818, content: 0.73 } },
  },
};

/**
 * What was measured of a level, if anything.
 *
 * @param {Pick<Level, 'mechanism' | 'index'>} level
 * @returns {Measured | undefined}
 */
export const measuredOf = ({ mechanism, index }) => MEASURED[mechanism]?.[index];
