/** The bytes of a golden file, in a page or a worker. */
export async function fetched(name) {
  return new Uint8Array(await (await fetch(`/golden/${name}`)).arrayBuffer());
}
