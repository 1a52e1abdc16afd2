import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { wordlist as french } from '@scure/bip39/wordlists/french.js';
import { joinExportedMnemonic, splitImportedMnemonic } from '../../src/bundles/wallet-text.ts';
import {
  generateMnemonic,
  isMnemonic,
  MNEMONIC_LANGUAGES,
  type MnemonicLanguage,
  mnemonicToSeed,
  readMnemonic,
  translateMnemonic,
} from '../../src/crypto/mnemonic.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';
import { hex, ownVectors, seededBytes } from './vectors.ts';

type Vector = [entropy: string, mnemonic: string, seed: string, key: string];

const bip39 = ownVectors<{ english: Vector[] } & Record<string, Vector[]>>('bip39/vectors.json');

test('BIP-39 vectors: entropy → mnemonic → seed', async () => {
  assert.ok(bip39.english.length >= 24);
  for (const [entropy, mnemonic, seed] of bip39.english) {
    const words = mnemonic.split(' ').length as 12 | 18 | 24;
    assert.equal(
      generateMnemonic(words, (n) => {
        assert.equal(n, entropy.length / 2);
        return hex(entropy);
      }),
      mnemonic,
    );
    assert.equal((await mnemonicToSeed(mnemonic, 'TREZOR')).toString('hex'), seed);
    assert.ok(isMnemonic(mnemonic));
  }
});

test('a mnemonic of each length, whose entropy is wiped', () => {
  const bytes = seededBytes(39);
  for (const words of [12, 15, 18, 21, 24] as const) {
    let entropy: Buffer = Buffer.alloc(0);
    const mnemonic = generateMnemonic(words, (n) => {
      entropy = bytes(n);
      return entropy;
    });
    assert.equal(mnemonic.split(' ').length, words);
    assert.ok(isMnemonic(mnemonic));
    assert.ok(entropy.every((byte) => byte === 0));
  }
});

test('texts that are not mnemonics', () => {
  const abandon = 'abandon '.repeat(11);
  assert.ok(isMnemonic(`${abandon}about`));
  for (const text of ['', 'about', `${abandon}abandon`, `${abandon}abou`, `${abandon}about about`, `${abandon}ABOUT`, '\u0000']) {
    assert.equal(isMnemonic(text), false, text);
  }
});

test('mnemonic and passphrase are normalised (NFKD)', async () => {
  const seeds = await Promise.all(['é', 'e\u0301'].map((passphrase) => mnemonicToSeed('abandon', passphrase)));
  assert.deepEqual(seeds[0], seeds[1]);
});

/** The names of the nine lists in the published vectors. */
const published: Readonly<Record<MnemonicLanguage, string>> = {
  MNEMONIC_LANGUAGE_ENGLISH: 'english',
  MNEMONIC_LANGUAGE_SIMPLIFIED_CHINESE: 'chinese_simplified',
  MNEMONIC_LANGUAGE_TRADITIONAL_CHINESE: 'chinese_traditional',
  MNEMONIC_LANGUAGE_CZECH: 'czech',
  MNEMONIC_LANGUAGE_FRENCH: 'french',
  MNEMONIC_LANGUAGE_ITALIAN: 'italian',
  MNEMONIC_LANGUAGE_JAPANESE: 'japanese',
  MNEMONIC_LANGUAGE_KOREAN: 'korean',
  MNEMONIC_LANGUAGE_SPANISH: 'spanish',
};

/** A text of characters that both Chinese lists have is called simplified. */
const isReadAs = (read: MnemonicLanguage | undefined, language: MnemonicLanguage) =>
  read === language || (language === 'MNEMONIC_LANGUAGE_TRADITIONAL_CHINESE' && read === 'MNEMONIC_LANGUAGE_SIMPLIFIED_CHINESE');

test('BIP-39 vectors in nine languages: translation, recognition, seed', async () => {
  for (const language of MNEMONIC_LANGUAGES) {
    const vectors = bip39[published[language]]!;
    assert.equal(vectors.length, 24);
    for (const [i, [entropy, mnemonic, seed]] of vectors.entries()) {
      const english = entropyToMnemonic(hex(entropy), wordlist);
      assert.equal(translateMnemonic(english, language), mnemonic);
      assert.equal(translateMnemonic(mnemonic, 'MNEMONIC_LANGUAGE_ENGLISH'), english);
      const read = readMnemonic(mnemonic)!;
      assert.ok(isReadAs(read.language, language), `${language} ${i}`);
      assert.equal(read.mnemonic, mnemonic.normalize('NFKD'));
      if (i % 8 === 0) assert.equal((await mnemonicToSeed(read.mnemonic, 'TREZOR')).toString('hex'), seed);
    }
  }
});

const entropies = fc
  .constantFrom(16, 20, 24, 28, 32)
  .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array)));
const languages = fc.constantFrom(...MNEMONIC_LANGUAGES);

test('from one language to another and back is the same text', () => {
  fc.assert(
    fc.property(entropies, languages, languages, (entropy, from, to) => {
      const english = entropyToMnemonic(entropy, wordlist);
      const first = translateMnemonic(english, from);
      const second = translateMnemonic(first, to);
      assert.ok(isReadAs(readMnemonic(second)?.language, to));
      assert.equal(second.includes('\u3000'), to === 'MNEMONIC_LANGUAGE_JAPANESE');
      assert.equal(translateMnemonic(second, from), first);
      assert.equal(translateMnemonic(second, 'MNEMONIC_LANGUAGE_ENGLISH'), english);
    }),
    { numRuns: rounds(60) },
  );
});

test('a mnemonic is read however it is spaced and composed', async () => {
  const spaces = fc.array(fc.constantFrom(' ', '\t', '\n', '\r\n', '\u00a0', '\u3000'), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      entropies,
      languages,
      spaces,
      fc.constantFrom('NFC', 'NFD', 'NFKC', 'NFKD'),
      async (entropy, language, gap, form) => {
        const plain = translateMnemonic(entropyToMnemonic(entropy, wordlist), language);
        const words = plain.split(/\s/);
        const typed = `${gap.join('')}${words.join(gap.join(''))}\ufeff\n`.normalize(form);
        const read = readMnemonic(typed);
        assert.ok(isReadAs(read?.language, language));
        assert.equal(read!.mnemonic, words.join(' '));
        assert.deepEqual(await mnemonicToSeed(read!.mnemonic), await mnemonicToSeed(plain));
      },
    ),
    { numRuns: rounds(40) },
  );
});

test('a text that two lists have is read as the first, and every wrong one as none', () => {
  // Words that both lists have, at different indexes: 12 of them have a valid checksum in French only, or in both.
  const shared = french.filter((word) => wordlist.includes(word));
  assert.equal(shared.length, 100);
  const bytes = seededBytes(40);
  const seen = new Set<string | undefined>();
  for (let i = 0; i < 200; i++) {
    const text = Array.from(bytes(12), (byte) => shared[byte % 100]).join(' ');
    const language = readMnemonic(text)?.language;
    seen.add(language);
    assert.equal(language === 'MNEMONIC_LANGUAGE_ENGLISH', isMnemonic(text));
  }
  assert.deepEqual(seen, new Set([undefined, 'MNEMONIC_LANGUAGE_ENGLISH', 'MNEMONIC_LANGUAGE_FRENCH']));

  const abandon = 'abandon '.repeat(11);
  const wrong = [
    '',
    ' ',
    'about',
    `${abandon}abandon`,
    `${abandon}about about`,
    `${abandon}ABOUT`,
    `${abandon}abeille`,
    `${abandon}\ud800`,
  ];
  for (const text of [...wrong, `${' '.repeat(1000)}${abandon}about`, '\ufdfa'.repeat(1024)]) {
    assert.equal(readMnemonic(text), undefined, text.slice(0, 100));
    assert.throws(() => translateMnemonic(text, 'MNEMONIC_LANGUAGE_FRENCH'), { name: 'RangeError', message: 'not a mnemonic' });
  }
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 1200 }), (text) => readMnemonic(text) === undefined));
});

test('an import is a mnemonic, or one with a passphrase', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['a b', 'a b', ''],
    [' a b\r\n', 'a b', ''],
    ['a\nb', 'a\nb', ''],
    ['a b\n--PASS--\n', 'a b', ''],
    ['a b\n--PASS--\nhush', 'a b', 'hush'],
    ['a b\n--PASS--\nhush\n', 'a b', 'hush'],
    ['a b \r\n--PASS--\n hush \r\n', 'a b', ' hush '],
    ['a b\n--PASS--\n--PASS--', 'a b', '--PASS--'],
    ['a b --PASS-- hush', 'a b --PASS-- hush', ''],
    ['\n--PASS--\nhush', '', 'hush'],
    [`${'a'.repeat(1024)}\n--PASS--\n${'é'.repeat(1024)}`, 'a'.repeat(1024), 'é'.repeat(1024)],
  ];
  for (const [text, mnemonic, passphrase] of rows) assert.deepEqual(splitImportedMnemonic(text), { mnemonic, passphrase });
  for (const text of [
    'a'.repeat(1025),
    'a'.repeat(100_000),
    `a\n--PASS--\n${'a'.repeat(1025)}`,
    'a\n--PASS--\nb\nc',
    'a\n--PASS--\nb\n\n',
    'a\n--PASS--\nb\n--PASS--\nc',
    'a\n--PASS--\n\ufffd',
    'a\n--PASS--\n\ud800',
  ]) {
    assert.equal(splitImportedMnemonic(text), undefined, JSON.stringify(text.slice(0, 40)));
  }
});

test('the exported mnemonic is the imported one', () => {
  assert.equal(joinExportedMnemonic('a b'), 'a b');
  assert.equal(joinExportedMnemonic('a b', 'hush'), 'a b\nhush');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (passphrase) => {
      const split = splitImportedMnemonic(`a b\n--PASS--\n${passphrase}`);
      const [mnemonic, rest = ''] = joinExportedMnemonic(split!.mnemonic, split!.passphrase).split('\n');
      assert.deepEqual({ mnemonic, passphrase: rest }, { mnemonic: 'a b', passphrase });
    }),
  );
});
