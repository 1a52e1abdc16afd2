/** 8 bytes each. */
const PLACES = 32_768;

/** `sha256:` and 48 of the digest's bits, as hexadecimal. */
const FROM = 7;
const TO = FROM + 12;

const placedValue = (fingerprint: string): number => Number.parseInt(fingerprint.slice(FROM, TO), 16);

/**
 * Bodies that the database knows, by their fingerprints. A newer one takes the place of an older, so that nothing has to be cleared up after each
 * signature. It may have forgotten a body, or take another for it (one in 2^33): the first is found when it is recorded, and the second looked up.
 */
export class KnownBodies {
  readonly #places = new Float64Array(PLACES);

  add(fingerprint: string): void {
    const value = placedValue(fingerprint);
    this.#places[value % PLACES] = value;
  }

  has(fingerprint: string): boolean {
    const value = placedValue(fingerprint);
    return this.#places[value % PLACES] === value;
  }
}
