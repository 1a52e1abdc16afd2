import { pbkdf2 } from 'node:crypto';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { entropyToMnemonic, mnemonicToEntropy, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { zero } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import { LONGEST_MNEMONIC } from '../bundles/wallet-text.ts';
import { sha256 } from './hash.ts';

export type MnemonicLength = 12 | 15 | 18 | 21 | 24;

/** The words of an entropy and its checksum, 11 bits each (BIP-39). The package does the same, but first checks all words of its list. */
function englishWords(entropy: Uint8Array): string {
  const bytes = Buffer.concat([entropy, sha256(entropy).subarray(0, 1)]);
  const words: string[] = [];
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0x3ffff;
    bits += 8;
    if (bits < 11) continue;
    bits -= 11;
    words.push(wordlist[(held >> bits) & 0x7ff]!);
  }
  zero(bytes);
  return words.join(' ');
}

/** A fresh English mnemonic (BIP-39): 32 bits of entropy per three words, the rest is checksum. */
export function generateMnemonic(words: MnemonicLength, random: Random): string {
  const entropy = random((words * 4) / 3);
  try {
    return englishWords(entropy);
  } finally {
    zero(entropy);
  }
}

/** Whether the text has a BIP-39 number of English words and a valid checksum. */
export function isMnemonic(text: string): boolean {
  return validateMnemonic(text, wordlist);
}

const stretch = promisify(pbkdf2);

/**
 * The 64-byte seed (BIP-39 "From mnemonic to seed"), computed on the thread pool. Any text has a seed: isMnemonic and
 * readMnemonic check for a valid mnemonic. The caller wipes the result.
 */
export async function mnemonicToSeed(mnemonic: string, passphrase = ''): Promise<Buffer> {
  const password = Buffer.from(mnemonic.normalize('NFKD'));
  try {
    return await stretch(password, `mnemonic${passphrase.normalize('NFKD')}`, 2048, 64, 'sha512');
  } finally {
    zero(password);
  }
}

/**
 * The lists of BIP-39, in search order. English and French share a hundred words, and English comes first. The two Chinese lists
 * share 1,275 characters, each at the same place in both. A text of such characters is the same entropy in either, and is reported
 * as simplified.
 */
const lists = {
  MNEMONIC_LANGUAGE_ENGLISH: 'english',
  MNEMONIC_LANGUAGE_SIMPLIFIED_CHINESE: 'simplified-chinese',
  MNEMONIC_LANGUAGE_TRADITIONAL_CHINESE: 'traditional-chinese',
  MNEMONIC_LANGUAGE_CZECH: 'czech',
  MNEMONIC_LANGUAGE_FRENCH: 'french',
  MNEMONIC_LANGUAGE_ITALIAN: 'italian',
  MNEMONIC_LANGUAGE_JAPANESE: 'japanese',
  MNEMONIC_LANGUAGE_KOREAN: 'korean',
  MNEMONIC_LANGUAGE_SPANISH: 'spanish',
} as const;

export type MnemonicLanguage = keyof typeof lists;

export const MNEMONIC_LANGUAGES = Object.keys(lists) as readonly MnemonicLanguage[];

const require = createRequire(import.meta.url);

/** Loaded on first use: few services need more than English. */
function wordsOf(language: MnemonicLanguage): string[] {
  if (language === 'MNEMONIC_LANGUAGE_ENGLISH') return wordlist;
  return (require(`@scure/bip39/wordlists/${lists[language]}.js`) as { wordlist: string[] }).wordlist;
}

type Read = { mnemonic: string; language: MnemonicLanguage; entropy: Uint8Array };

function read(text: string): Read | undefined {
  if (text.length > LONGEST_MNEMONIC || !text.isWellFormed()) return undefined;
  const mnemonic = text.normalize('NFKD').trim().split(/\s+/).join(' ');
  for (const language of MNEMONIC_LANGUAGES) {
    const words = wordsOf(language);
    try {
      return { mnemonic, language, entropy: mnemonicToEntropy(mnemonic, words) };
    } catch {
      // Not a mnemonic in this list.
    }
  }
  return undefined;
}

/**
 * Normalizes user input in any of the nine languages: NFKD, one space between words. This also covers Japanese, whose wide space
 * NFKD converts. The result has the same BIP-39 seed as every accepted spelling of it. Undefined if no list has all the words, or
 * their number or checksum is wrong. Upper case is not a BIP-39 word.
 */
export function readMnemonic(text: string): { mnemonic: string; language: MnemonicLanguage } | undefined {
  const found = read(text);
  if (found === undefined) return undefined;
  zero(found.entropy);
  return { mnemonic: found.mnemonic, language: found.language };
}

/**
 * The same entropy in another language's words, joined with a space, or with U+3000 in Japanese (BIP-39,
 * "Wordlists"). Throws RangeError if the text is not a mnemonic.
 *
 * Attention: a BIP-39 seed is derived from the words, not from the entropy. A wallet restored from the translation,
 * here or elsewhere, has other keys and addresses than the exported one. Restoring the original keys requires the
 * words in their original language: either those, or the translation translated back.
 */
export function translateMnemonic(text: string, language: MnemonicLanguage): string {
  const found = read(text);
  if (found === undefined) throw new RangeError('not a mnemonic');
  try {
    return entropyToMnemonic(found.entropy, wordsOf(language));
  } finally {
    zero(found.entropy);
  }
}
