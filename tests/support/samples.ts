export const ID = '00000000-0000-7000-8000-000000000001';

/** A webhook endpoint's URL: an address that counts as public, of space that no network has been given. */
export const RECEIVER = 'https://[2d00::1]/hooks';

/** Parameters by operation: an activity's kind, a query's name, or the whole type of an older version (ACTIVITY_TYPE_CREATE_USERS). */
export type Samples = Readonly<Record<string, () => unknown>>;
