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
export const IN_CLEAR = 0.799;

/** @type {Partial<Record<LevelMechanism, Record<number, Measured>>>} By level. */
const MEASURED = {
  nearest: {
    0: { accuracy: 0.619, content: 0.001, reader: { all: 0.153, content: 0.027 } },
    1: { accuracy: 0.665, content: 0.002, reader: { all: 0.193, content: 0.035 } },
    2: { accuracy: 0.689, content: 0.005, reader: { all: 0.271, content: 0.109 } },
    3: { accuracy: 0.703, content: 0.006, reader: { all: 0.308, content: 0.13 } },
    4: { accuracy: 0.737, content: 0.019, reader: { all: 0.441, content: 0.282 } },
    5: { accuracy: 0.763, content: 0.04, reader: { all: 0.533, content: 0.314 } },
    6: { accuracy: 0.769, content: 0.041, reader: { all: 0.54, content: 0.307 } },
    7: { accuracy: 0.772, content: 0.121, reader: { all: 0.692, content: 0.478 } },
    8: { accuracy: 0.773, content: 0.122, reader: { all: 0.7, content: 0.485 } },
    9: { accuracy: 0.781, content: 0.385, reader: { all: 0.812, content: 0.649 } },
    10: { accuracy: 0.787, content: 0.39, reader: { all: 0.823, content: 0.662 } },
    11: { accuracy: 0.788, content: 0.392, reader: { all: 0.826, content: 0.666 } },
  },
  certified: {
    3: { accuracy: 0.579, reader: { all: 0.205, content: 0.091 } },
    5: { accuracy: 0.668, reader: { all: 0.449, content: 0.338 } },
    7: { accuracy: 0.739, reader: { all: 0.665, content: 0.556 } },
    9: { accuracy: 0.776, reader: { all: 0.826, content: 0.744 } },
  },
};

/**
 * What was measured of a level, if anything.
 *
 * @param {Pick<Level, 'mechanism' | 'index'>} level
 * @returns {Measured | undefined}
 */
export const measuredOf = ({ mechanism, index }) => MEASURED[mechanism]?.[index];
