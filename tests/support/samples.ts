export const ID = '00000000-0000-7000-8000-000000000001';

/** A webhook endpoint's URL: an address that counts as public, of space that no network has been given. */
export const RECEIVER = 'https://[2d00::1]/hooks';

/** The base point of P-256: its private key is 1, and no test opens bundles sealed to it. */
export const TARGET =
  '046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5';

/** Parameters by operation: an activity's kind, a query's name, or the whole type of an older version (ACTIVITY_TYPE_CREATE_USERS). */
export type Samples = Readonly<Record<string, () => unknown>>;
