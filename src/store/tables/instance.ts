import { bytes, flag, int, text } from '../columns.ts';
import { table } from '../table.ts';

export const migrations = table('migrations', { version: int(), name: text(), appliedAt: int() });

/** Facts of the instance, such as the id of the root organization. */
export const instance = table('instance', { key: text(), value: text() });

/** Versions of the master key, each wrapped by a root key. */
export const masterKeys = table('master_keys', {
  version: int(),
  rootId: text(),
  wrapped: bytes(),
  retired: flag(),
  createdAt: int(),
});

/** The service's own signing keys, shared by all processes of the database. */
export const serviceKeys = table('service_keys', {
  name: text(),
  /** Lower-case hex, 65 bytes. */
  publicKey: text(),
  sealed: bytes(),
  createdAt: int(),
});
