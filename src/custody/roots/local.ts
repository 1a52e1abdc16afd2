import { createSecretKey } from 'node:crypto';
import { zero } from '../../base/bytes.ts';
import type { Random } from '../../base/random.ts';
import type { RootKey } from '../types.ts';
import { openWith, sealWith } from './aead.ts';
import { rootId } from './root-id.ts';

/**
 * A root key of 32 bytes in this process. It overwrites `bytes`. `where`: what holds the key, for the error of a master key that it does
 * not open.
 */
export function localRoot(kind: 'file' | 'env' | 'shares', bytes: Buffer, where: string, random: Random): RootKey {
  const key = createSecretKey(bytes);
  const id = rootId(kind, bytes);
  zero(bytes);
  return {
    id,
    wrap: async (plain, aad) => sealWith(key, plain, aad, random),
    async unwrap(wrapped, aad) {
      const plain = openWith(key, wrapped, aad);
      if (plain === undefined)
        throw new Error(`${where} does not open the master key. The database is damaged: restore it from your backup`);
      return plain;
    },
  };
}
