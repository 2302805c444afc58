// Extensions, unpacked, in a Chromium that was opened with `ignoreDefaultArgs: ['--disable-extensions']`.

/** Loads the extension that lies in `folder` and returns the address of its files, with a `/`. */
export async function installed(context, folder) {
  const session = await context.browser().newBrowserCDPSession();
  const { id } = await session.send('Extensions.loadUnpacked', { path: folder });
  await session.detach();
  return `chrome-extension://${id}/`;
}
