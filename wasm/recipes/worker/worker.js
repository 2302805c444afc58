import { init, privatize } from 'textveil';

let ready;

self.onmessage = async ({ data, ports: [port] }) => {
  if (!port) {
    ready = init(data);
    return;
  }
  try {
    await ready;
    // A message does not carry the account, which is the device's alone.
    port.postMessage({ release: privatize(data.text) });
  } catch ({ code }) {
    port.postMessage({ code });
  }
};
