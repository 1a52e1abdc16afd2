import { pbkdf2 } from 'node:crypto';
import { entropyToMnemonic, validateMnemonic as validate } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { zero } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';

export type MnemonicLength = 12 | 15 | 18 | 21 | 24;

/** A fresh English mnemonic (BIP-39): 11 bits a word, of which one in 33 is checksum. */
export function generateMnemonic(words: MnemonicLength, random: Random): string {
  const entropy = random((words * 4) / 3);
  try {
    return entropyToMnemonic(entropy, wordlist);
  } finally {
    zero(entropy);
  }
}

/** English words with a right checksum. */
export function isMnemonic(mnemonic: string): boolean {
  return validate(mnemonic, wordlist);
}

/** The 64-byte seed (BIP-39 "From mnemonic to seed"), computed on the thread pool. The caller wipes it. */
export function mnemonicToSeed(mnemonic: string, passphrase = ''): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    pbkdf2(mnemonic.normalize('NFKD'), `mnemonic${passphrase}`.normalize('NFKD'), 2048, 64, 'sha512', (error, seed) => (error ? reject(error) : resolve(seed))),
  );
}
