import { init, privatize } from 'textveil';

// Starts early. After a failure the call below tries again, and reports the error.
init().catch(() => {});

self.onmessage = async ({ data: text, ports }) => {
  const [port] = ports;
  try {
    await init();
    // The message does not hold the account: it must stay on the device.
    port.postMessage({ release: privatize(text) });
  } catch ({ code }) {
    port.postMessage({ code });
  }
};
