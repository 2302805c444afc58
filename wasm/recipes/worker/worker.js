import { init, privatize } from 'textveil';

// Early; a failure is heard by whoever waits, and `init` may be called again.
init().catch(() => {});

self.onmessage = async ({ data: text, ports }) => {
  const [port] = ports;
  try {
    await init();
    // A message does not carry the account, which is the device's alone.
    port.postMessage({ release: privatize(text) });
  } catch ({ code }) {
    port.postMessage({ code });
  }
};
