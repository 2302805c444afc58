/** @jest-environment @happy-dom/jest-environment */

require('./page.js').pageTests();
