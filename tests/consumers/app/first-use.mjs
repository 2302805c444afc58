/** The first use of an entry of the release flavour, its files where it looks for them unless told: what `JSON.stringify` leaves of a release. */
export async function firstUse({ init, privatize }, places) {
  await init(places);
  return JSON.parse(JSON.stringify(privatize('My sister was diagnosed with diabetes in March.')));
}
