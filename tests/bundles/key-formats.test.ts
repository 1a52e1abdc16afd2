import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bech32, bech32m } from '@scure/base';
import { KeyFormatError, readKey, writeKey } from '../../src/bundles/key-formats.ts';
import { joinImportedMnemonic, splitImportedMnemonic } from '../../src/bundles/wallet-text.ts';
import fc from '../support/properties.ts';

const FORMATS = ['HEXADECIMAL', 'SOLANA', 'BITCOIN_MAINNET_WIF', 'BITCOIN_TESTNET_WIF', 'SUI_BECH32'];
const ONE = new Uint8Array(32);
ONE[31] = 1;

test('a key that is written in a format is read from it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.constantFrom(...FORMATS), (key, format) => {
      assert.deepEqual(new Uint8Array(readKey(writeKey(key, format), format)), key);
    }),
  );
});

test('known keys have known texts', () => {
  const rows = [
    ['HEXADECIMAL', `0x${'0'.repeat(63)}1`],
    // https://en.bitcoin.it/wiki/Wallet_import_format writes the key 1 so.
    ['BITCOIN_MAINNET_WIF', 'KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn'],
    ['BITCOIN_TESTNET_WIF', 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA'],
    ['of a later version', `0x${'0'.repeat(63)}1`],
  ] as const;
  for (const [format, text] of rows) {
    assert.equal(writeKey(ONE, format), text);
    assert.deepEqual(new Uint8Array(readKey(text, format)), ONE);
  }
  assert.deepEqual(new Uint8Array(readKey('0'.repeat(63).concat('1'), 'HEXADECIMAL')), ONE);
});

const sui = (bytes: Uint8Array, prefix = 'suiprivkey') => bech32.encodeFromBytes(prefix, bytes);
const flagged = (flag: number) => Uint8Array.of(flag, ...ONE);

const WRONG: readonly (readonly [string, string, RegExp])[] = [
  ['HEXADECIMAL', '', /64 hexadecimal digits/],
  ['HEXADECIMAL', '0x01', /64 hexadecimal digits/],
  ['HEXADECIMAL', `${'0'.repeat(63)}g`, /64 hexadecimal digits/],
  ['HEXADECIMAL', '0'.repeat(66), /64 hexadecimal digits/],
  ['HEXADECIMAL', '0'.repeat(1000), /at most 256 characters/],
  ['SOLANA', writeKey(ONE, 'SOLANA').slice(1), /base58|half/],
  ['SOLANA', `${writeKey(ONE, 'SOLANA').slice(0, -1)}1`, /second half/],
  ['SOLANA', '0OIl', /not base58/],
  ['BITCOIN_MAINNET_WIF', writeKey(ONE, 'BITCOIN_TESTNET_WIF'), /not of the Bitcoin main network/],
  ['BITCOIN_TESTNET_WIF', writeKey(ONE, 'BITCOIN_MAINNET_WIF'), /not of the Bitcoin test network/],
  // The same key with an uncompressed public key.
  ['BITCOIN_MAINNET_WIF', '5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf', /compressed/],
  ['BITCOIN_MAINNET_WIF', 'KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWm', /checksum/],
  ['SUI_BECH32', sui(flagged(1)), /Ed25519/],
  ['SUI_BECH32', sui(flagged(0), 'sui'), /begin with suiprivkey1/],
  ['SUI_BECH32', sui(ONE), /33 bytes/],
  ['SUI_BECH32', bech32m.encodeFromBytes('suiprivkey', flagged(0)), /not bech32/],
];

for (const [format, text, message] of WRONG) {
  test(`a wrong key is refused: ${format} of ${text.length} characters, ${message.source}`, () => {
    assert.throws(
      () => readKey(text, format),
      (error: Error) => error instanceof KeyFormatError && message.test(error.message) && !(text && error.message.includes(text)),
    );
  });
}

test('typed words and a passphrase are what the service reads', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 24 }), fc.string({ maxLength: 60 }), (words, passphrase) => {
      const typed = { mnemonic: words.join(' '), passphrase };
      const text = joinImportedMnemonic(typed);
      if (text === undefined) assert.match(passphrase, /[\r\n\ufffd]/);
      else assert.deepEqual(splitImportedMnemonic(text), typed);
    }),
  );
  for (const [mnemonic, passphrase] of [
    ['a\nb', ''],
    ['', ''],
    ['  ', 'x'],
    ['a', 'b\nc'],
    ['a'.repeat(1025), ''],
  ] as const)
    assert.equal(joinImportedMnemonic({ mnemonic, passphrase }), undefined);
  assert.equal(joinImportedMnemonic({ mnemonic: ' a b\n', passphrase: ' c ' }), 'a b\n--PASS--\n c ');
});
