import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base58, base58check as base58checkOf, bech32m } from '@scure/base';
import { computeAddress, getAddress as ethersAddress } from 'ethers';
import { publicKeyToAddress } from 'viem/accounts';
import { getAddress as viemAddress } from 'viem/utils';
import { toHex } from '../../src/base/bytes.ts';
import { addressFormat, addressFormats } from '../../src/chains/index.ts';
import { type Curve, publicKeyOf } from '../../src/crypto/curves.ts';
import { sha256 } from '../../src/crypto/hash.ts';
import { mnemonicToSeed } from '../../src/crypto/mnemonic.ts';
import { tapTweakPublicKey, uncompressed } from '../../src/crypto/points.ts';
import { derivePrivateKey } from '../crypto/alone.ts';
import { hex, ownVectors, seededBytes } from '../crypto/vectors.ts';
import { rounds } from '../support/full.ts';
import { seeded } from '../support/seeded.ts';

const format = (name: string) => addressFormat(`ADDRESS_FORMAT_${name}`)!;
const encode = (name: string, publicKey: Buffer, curve?: Curve): string =>
  format(name).encode(publicKey, curve ?? format(name).curves[0]!);

const vectors = ownVectors<Record<string, Record<string, string>>>('addresses/vectors.json');

for (const [name, addresses] of Object.entries(vectors)) {
  test(`${name}: addresses of an independent library`, () => {
    const row = addressFormat(name)!;
    for (const [publicKey, address] of Object.entries(addresses)) {
      assert.equal(row.encode(hex(publicKey), row.curves[0]!), address);
      assert.equal(row.normalize(address), address);
    }
  });
}

const random = ownVectors<Record<string, string[]>>('addresses/random.json');

for (const [name, addresses] of Object.entries(random)) {
  test(`${name}: the addresses of ${addresses.length} random keys by an independent library`, () => {
    const row = addressFormat(name)!;
    const [curve] = row.curves as [Curve];
    assert.ok(addresses.length >= 100);
    for (const [i, address] of addresses.entries()) {
      const key = sha256(Buffer.from(`address vectors ${i + 5}`));
      assert.equal(row.encode(publicKeyOf(curve, key), curve), address);
    }
  });
}

test('the rows: 38 names, each once, and each with vectors here or below', () => {
  const names = addressFormats.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.equal(names.length, 38);
  const below = ['COMPRESSED', 'UNCOMPRESSED', 'SPARK_MAINNET', 'SPARK_REGTEST'].map((name) => `ADDRESS_FORMAT_${name}`);
  assert.deepEqual(new Set(names), new Set([...Object.keys(vectors), ...below]));
  assert.deepEqual(new Set(Object.keys(random)), new Set(Object.keys(vectors)));
  for (const name of ['', 'ADDRESS_FORMAT_', 'ETHEREUM', 'toString', '__proto__']) assert.equal(addressFormat(name), undefined);
  for (const { name, curves, signature } of addressFormats) {
    const expected = /P2TR$/.test(name)
      ? 'bip341'
      : /SPARK/.test(name)
        ? 'bip340'
        : curves[0] === 'CURVE_ED25519'
          ? 'ed25519'
          : 'ecdsa';
    assert.equal(signature, curves.length > 1 ? 'of-curve' : expected, name);
  }
});

test('the addresses of a mnemonic that many wallets publish', async () => {
  // "abandon … about", the mnemonic of the examples in BIP-84 and BIP-86, without a passphrase.
  const seed = await mnemonicToSeed(`${'abandon '.repeat(11)}about`);
  const published: readonly [string, string, string][] = [
    ["m/44'/60'/0'/0/0", 'ETHEREUM', '0x9858EfFD232B4033E47d90003D41EC34EcaEda94'],
    ["m/44'/501'/0'/0'", 'SOLANA', 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'],
    ["m/44'/118'/0'/0/0", 'COSMOS', 'cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4'],
    ["m/44'/195'/0'/0/0", 'TRON', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH'],
    ["m/44'/144'/0'/0/0", 'XRP', 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3'],
    ["m/44'/3'/0'/0/0", 'DOGE_MAINNET', 'DBus3bamQjgJULBJtYXpEzDWQRwF5iwxgC'],
    ["m/44'/0'/0'/0/0", 'BITCOIN_MAINNET_P2PKH', '1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA'],
    ["m/49'/0'/0'/0/0", 'BITCOIN_MAINNET_P2SH', '37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf'],
    // BIP-49, BIP-84 and BIP-86, "Test vectors".
    ["m/49'/1'/0'/0/0", 'BITCOIN_TESTNET_P2SH', '2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2'],
    ["m/84'/0'/0'/0/0", 'BITCOIN_MAINNET_P2WPKH', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
    ["m/84'/0'/0'/0/1", 'BITCOIN_MAINNET_P2WPKH', 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g'],
    ["m/84'/0'/0'/1/0", 'BITCOIN_MAINNET_P2WPKH', 'bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el'],
    ["m/86'/0'/0'/0/0", 'BITCOIN_MAINNET_P2TR', 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr'],
    ["m/86'/0'/0'/0/1", 'BITCOIN_MAINNET_P2TR', 'bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh'],
    ["m/86'/0'/0'/1/0", 'BITCOIN_MAINNET_P2TR', 'bc1p3qkhfews2uk44qtvauqyr2ttdsw7svhkl9nkm9s9c3x4ax5h60wqwruhk7'],
  ];
  for (const [path, name, address] of published) {
    const curve = format(name).curves[0]!;
    assert.equal(encode(name, publicKeyOf(curve, derivePrivateKey(seed, curve, path))), address, `${name} ${path}`);
  }
});

test('ETHEREUM agrees with viem and ethers', () => {
  const bytes = seededBytes(60);
  for (let i = 0; i < 100; i++) {
    const publicKey = publicKeyOf('CURVE_SECP256K1', bytes(32));
    const address = encode('ETHEREUM', publicKey);
    assert.equal(address, computeAddress(`0x${publicKey.toString('hex')}`));
    assert.equal(address, publicKeyToAddress(`0x${toHex(uncompressed('CURVE_SECP256K1', publicKey))}`));
    assert.equal(address, viemAddress(address.toLowerCase()));
    for (const text of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
      assert.equal(format('ETHEREUM').normalize(text), ethersAddress(address));
    }
  }
});

test('BIP-341 wallet-test-vectors.json, the first: an internal key without scripts', () => {
  const internal = hex('02d6889cb081036e0faefa3a35157ad71086b123b2b144b649798b494c300a961d');
  const output = '53a1f6e454df1aa2776a2814a721372d6258050de330b3c6d10ee8f4e0dda343';
  assert.equal(toHex(tapTweakPublicKey(internal)), output);
  assert.equal(encode('BITCOIN_MAINNET_P2TR', internal), 'bc1p2wsldez5mud2yam29q22wgfh9439spgduvct83k3pm50fcxa5dps59h4z5');
});

test('BIP-173: the public key of the examples', () => {
  const publicKey = hex('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
  assert.equal(encode('BITCOIN_MAINNET_P2WPKH', publicKey), 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4');
  assert.equal(encode('BITCOIN_TESTNET_P2WPKH', publicKey), 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx');
  assert.equal(encode('BITCOIN_MAINNET_P2WSH', publicKey), 'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3');
  assert.equal(encode('BITCOIN_TESTNET_P2WSH', publicKey), 'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7');
});

test('DOGE: a key of libdogecoin (test/address_tests.c)', () => {
  const wif = base58checkOf(sha256).decode('QWgNKvA5LPD1HpopRFghjz6jPipHRAUrLjqTt7paxYX8cTbu5eRs');
  const publicKey = publicKeyOf('CURVE_SECP256K1', wif.subarray(1, 33));
  assert.equal(encode('DOGE_MAINNET', publicKey), 'D7AM5jDQ7xRRK7bMCZ87e4BsFxHxCdDbXd');
});

test('SPARK: addresses of the Spark SDK (buildonspark/spark, address.test.ts and xchain-address.test.ts)', () => {
  const identity = hex('0353908bac090ba741de6147a540a665537006911590f93249b2823dbe187d3213');
  assert.equal(encode('SPARK_REGTEST', identity), 'sparkrt1pgssx5us3wkqjza8g80xz3a9gznx25msq6g3ty8exfym9q3ahcv86vsnxxdy83');
  // That source gives the key as a Taproot address: its program is the x coordinate, and Y is even.
  const { words } = bech32m.decode('bc1pvluhspufxmuus9wh3dshxhxfg3656c9mwfw85scaydyp7sk9800sl4h5ae');
  const even = Buffer.concat([Buffer.of(2), bech32m.fromWords(words.slice(1))]);
  assert.equal(encode('SPARK_MAINNET', even), 'spark1pgssyele0qrcjdheeq2a0zmpwdwvj3r4f4stkuju0fp36g6grapv2w7l8am2cp');
});

test('COMPRESSED and UNCOMPRESSED are the key in hex', () => {
  for (const curve of ['CURVE_SECP256K1', 'CURVE_P256'] as const) {
    const publicKey = publicKeyOf(curve, Buffer.alloc(32, 3));
    assert.equal(encode('COMPRESSED', publicKey, curve), publicKey.toString('hex'));
    const long = encode('UNCOMPRESSED', publicKey, curve);
    assert.match(long, /^04[0-9a-f]{128}$/);
    assert.equal(long.slice(2, 66), publicKey.toString('hex').slice(2));
    assert.equal(format('UNCOMPRESSED').normalize(long.toUpperCase()), long);
    assert.equal(format('COMPRESSED').normalize(publicKey.toString('hex').toUpperCase()), publicKey.toString('hex'));
  }
  const publicKey = publicKeyOf('CURVE_ED25519', Buffer.alloc(32, 3));
  assert.equal(encode('COMPRESSED', publicKey, 'CURVE_ED25519'), publicKey.toString('hex'));
});

test('TON: every form of an address is the same account', () => {
  const bytes = seededBytes(61);
  for (const name of ['TON_V3R2', 'TON_V4R2', 'TON_V5R1']) {
    const stored = encode(name, publicKeyOf('CURVE_ED25519', bytes(32)));
    assert.match(stored, /^UQ[A-Za-z0-9_-]{46}$/);
    const account = Buffer.from(stored, 'base64url').subarray(2, 34);
    const { normalize } = format(name);
    assert.equal(normalize(`0:${account.toString('hex')}`), stored);
    assert.equal(normalize(`0:${account.toString('hex').toUpperCase()}`), stored);
    assert.equal(normalize(Buffer.from(stored, 'base64url').toString('base64')), stored);
    const wrong = `${stored.slice(0, 20)}${stored[20] === 'A' ? 'B' : 'A'}${stored.slice(21)}`;
    for (const text of [wrong, stored.slice(1), `1:${account.toString('hex')}`, '']) assert.equal(normalize(text), text);
  }
  // TEP-2, "Smart-contract addresses": the same account in its forms.
  const raw = '-1:fcb91a3a3816d0f7b8c2c76108b8a9bc5a6b7a55bd79f8ab101c52db29232260';
  const forms = ['kf/8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15+KsQHFLbKSMiYIny', 'kf_8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15-KsQHFLbKSMiYIny'];
  for (const form of forms) assert.equal(format('TON_V4R2').normalize(form), format('TON_V4R2').normalize(raw));
});

test('capitals, where a format allows them', () => {
  const bytes = seededBytes(62);
  for (const { name, curves, encode: write, normalize } of addressFormats) {
    const address = write(publicKeyOf(curves[0]!, bytes(32)), curves[0]!);
    const capitals = address.startsWith('0x') ? `0x${address.slice(2).toUpperCase()}` : address.toUpperCase();
    const either = /P2W|P2TR|COSMOS|SEI|SPARK|SUI|APTOS|ETHEREUM|COMPRESSED/.test(name);
    assert.equal(normalize(capitals), either ? address : capitals, name);
  }
});

test('base58 of Solana by another way of computing it', () => {
  const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  const slow = (data: Buffer): string => {
    let value = BigInt(`0x${data.toString('hex')}`);
    let text = '';
    for (; value > 0n; value /= 58n) text = ALPHABET[Number(value % 58n)]! + text;
    return '1'.repeat(data.findIndex((byte) => byte !== 0)) + text;
  };
  const bytes = seededBytes(63);
  for (const key of [...Array.from({ length: 50 }, () => bytes(32)), Buffer.concat([Buffer.alloc(3), bytes(29)])]) {
    assert.equal(encode('SOLANA', key), slow(key));
    assert.deepEqual(Buffer.from(base58.decode(slow(key))), key);
  }
});

test('any text normalises to a text, and doing it again changes nothing', () => {
  const next = seeded(64);
  const pieces = ['0x', '0:', 'bc1', 'BC1', 'UQ', 'a', 'F', '9', 'é', '\u0000', '\ud800', 'A'.repeat(40), 'f'.repeat(64), '+/'];
  for (let i = 0; i < rounds(3_000); i++) {
    const text = Array.from({ length: next(6) }, () => pieces[next(pieces.length)]).join('');
    for (const { normalize } of addressFormats) assert.equal(normalize(normalize(text)), normalize(text));
  }
});
