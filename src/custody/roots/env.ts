import { createSecretKey } from 'node:crypto';
import type { Random } from '../../base/random.ts';
import type { RootKey } from '../types.ts';
import { openWith, sealWith } from './aead.ts';
import { rootId } from './root-id.ts';

/** The root key as 64 hex digits from the environment, which a supervisor or a secret store fills in. */
export function envRoot(hex: string, random: Random): RootKey {
  const bytes = Buffer.from(hex, 'hex');
  const key = createSecretKey(bytes);
  const id = rootId('env', bytes);
  bytes.fill(0);
  return {
    id,
    wrap: async (plain, aad) => sealWith(key, plain, aad, random),
    async unwrap(wrapped, aad) {
      const plain = openWith(key, wrapped, aad);
      if (plain === undefined)
        throw new Error('ROOT_KEY does not open the master key. The database is damaged: restore it from your backup');
      return plain;
    },
  };
}
