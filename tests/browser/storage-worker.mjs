// Spends in a worker, which has no `localStorage`: answers with what is spent then, or with the error's code.

import { browserStorage, Ledger } from '../insecure/ledger.js';
import { init } from '../insecure/textveil.js';

addEventListener('message', async ({ data: name }) => {
  try {
    await init();
    const ledger = await Ledger.open({ note: { epsilon: 2 } }, browserStorage(name));
    await ledger.spend('note', { epsilonText: 1, deltaText: 0 });
    postMessage((await ledger.spent('note')).epsilon);
  } catch (error) {
    postMessage(error.code ?? String(error));
  }
});
