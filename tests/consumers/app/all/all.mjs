// A page with the larger entry, whose module lies elsewhere.

import * as all from 'textveil/all';
import { firstUse } from '../first-use.mjs';

globalThis.outcomes = { all: () => firstUse(all) };
