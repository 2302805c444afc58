/** @jest-environment jsdom */

require('./page.js').pageTests();
