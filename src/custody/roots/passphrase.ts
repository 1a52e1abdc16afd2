import { createSecretKey, type KeyObject, scrypt } from 'node:crypto';
import type { Random } from '../../base/random.ts';
import type { RootKey } from '../types.ts';
import { openWith, sealWith } from './aead.ts';

/** RFC 7914 parameters: 128 MiB of memory and some tenths of a second. They are part of `id`, so they can be raised later. */
const COST = { N: 1 << 17, r: 8, p: 1, maxmem: 256 << 20 };
const SALT = 16;
const SHORTEST = 12;

function derive(passphrase: string, salt: Buffer): Promise<KeyObject> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, 32, COST, (error, bytes) => {
      if (error) return reject(error);
      resolve(createSecretKey(bytes));
      bytes.fill(0);
    });
  });
}

/** Derives the root key from a passphrase by scrypt. Only a salt is stored, in front of each wrapped key. */
export function passphraseRoot(passphrase: string, random: Random): RootKey {
  if (passphrase.length < SHORTEST) throw new Error(`ROOT_PASSPHRASE must have at least ${SHORTEST} characters`);
  return {
    id: 'passphrase:scrypt-17-8-1',
    async wrap(plain, aad) {
      const salt = random(SALT);
      return Buffer.concat([salt, sealWith(await derive(passphrase, salt), plain, aad, random)]);
    },
    async unwrap(wrapped, aad) {
      const plain = openWith(await derive(passphrase, wrapped.subarray(0, SALT)), wrapped.subarray(SALT), aad);
      if (plain === undefined)
        throw new Error('ROOT_PASSPHRASE does not open the master key: it is not the passphrase that sealed it');
      return plain;
    },
  };
}
