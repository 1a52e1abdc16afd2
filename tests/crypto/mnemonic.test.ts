import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateMnemonic, isMnemonic, mnemonicToSeed } from '../../src/crypto/mnemonic.ts';
import { hex, seededBytes, sharedVectors } from './vectors.ts';

const bip39 = sharedVectors<{ english: [string, string, string, string][] }>('bip39/vectors.json');

test('BIP-39 vectors: entropy → mnemonic → seed', { skip: bip39.skip }, async () => {
  assert.ok(bip39.data!.english.length >= 24);
  for (const [entropy, mnemonic, seed] of bip39.data!.english) {
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

test('what is no mnemonic', () => {
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
