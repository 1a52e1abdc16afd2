/** 256 KiB in all. */
const PLACES = 32_768;

/** `sha256:` and 48 of the digest's bits, as hexadecimal. */
const FROM = 7;
const TO = FROM + 12;

const placedValue = (fingerprint: string): number => Number.parseInt(fingerprint.slice(FROM, TO), 16);

/**
 * Bodies that the database has, by their fingerprints (`sha256:` and hexadecimal). Each has one place, where a newer body
 * replaces an older one. So no clean-up is needed after each signature. The caller must tolerate both errors. A forgotten body
 * is found when it is recorded. A new body that is taken for a known one (one of 2^33) is only looked up.
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
