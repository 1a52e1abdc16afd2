import { createHash } from 'node:crypto';

/** Identifies a key of 32 random bytes, and reveals nothing of it. */
export const rootId = (provider: string, key: Uint8Array): string =>
  `${provider}:${createHash('sha256').update('countersign/root-id/1').update(key).digest('hex').slice(0, 16)}`;

/** Whether an id is of this key, whichever provider has it. */
export const isIdOf = (id: string, key: Uint8Array): boolean =>
  id.includes(':') && rootId(id.slice(0, id.indexOf(':')), key) === id;
