import { bytes, flag, int, sealed, text } from '../columns.ts';
import { table } from '../table.ts';

export const migrations = table('migrations', { version: int(), name: text(), appliedAt: int() });

/** Facts of the instance, such as the id of the root organization. */
export const instance = table('instance', { key: text(), value: text() });

/**
 * What a version of the master key does. A version goes through them in this order:
 * - `coming`: it opens, and seals nothing yet.
 * - `live`: it opens. The newest live version seals.
 * - `closing`: it opens. Secrets under it are being sealed anew, and the store refuses new ones.
 * - `emptied`: it opens, but no stored secret is under it any more.
 * - `hashes`: it opens nothing, and verifies keyed hashes that were made under it.
 * - `retired`: it does nothing, and its key is erased.
 */
export type MasterKeyState = 'coming' | 'live' | 'closing' | 'emptied' | 'hashes' | 'retired';

/** Versions of the master key, each wrapped by a root key. */
export const masterKeys = table('master_keys', {
  version: int(),
  rootId: text(),
  wrapped: bytes(),
  retired: flag(),
  createdAt: int(),
  state: text<MasterKeyState>(),
  /** Why a running process cannot use a version that is `coming`. */
  objection: text(),
});

/** The service's own signing keys, shared by all processes of the database. */
export const serviceKeys = table('service_keys', {
  name: text(),
  /** Lower-case hex, 65 bytes. */
  publicKey: text(),
  sealed: sealed(),
  createdAt: int(),
});
