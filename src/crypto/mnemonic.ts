import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { entropyToMnemonic, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { zero } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';

export type MnemonicLength = 12 | 15 | 18 | 21 | 24;

/** A fresh English mnemonic (BIP-39): 32 bits of entropy for every three words, the rest is checksum. */
export function generateMnemonic(words: MnemonicLength, random: Random): string {
  const entropy = random((words * 4) / 3);
  try {
    return entropyToMnemonic(entropy, wordlist);
  } finally {
    zero(entropy);
  }
}

/** English words, as many as BIP-39 knows, with a right checksum. */
export function isMnemonic(text: string): boolean {
  return validateMnemonic(text, wordlist);
}

const stretch = promisify(pbkdf2);

/**
 * The 64-byte seed (BIP-39 "From mnemonic to seed"), computed on the thread pool. Any text has a seed: whether it is a
 * mnemonic is isMnemonic's to say. The caller wipes the result.
 */
export async function mnemonicToSeed(mnemonic: string, passphrase = ''): Promise<Buffer> {
  const password = Buffer.from(mnemonic.normalize('NFKD'));
  try {
    return await stretch(password, `mnemonic${passphrase.normalize('NFKD')}`, 2048, 64, 'sha512');
  } finally {
    zero(password);
  }
}
