import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBase58check } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { ApiError } from '../../src/base/errors.ts';
import { publicKeyOf } from '../../src/crypto/curves.ts';
import { keyTree, parsePath } from '../../src/crypto/derivation.ts';
import { sha256 } from '../../src/crypto/hash.ts';
import { wipe } from '../../src/crypto/plain-key.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';
import { seeded } from '../support/seeded.ts';
import { derivePrivateKey } from './alone.ts';
import { hex, ownVectors, seededBytes } from './vectors.ts';

const base58check = createBase58check(sha256);

for (const { name, seed, nodes } of ownVectors<{ name: string; seed: string; nodes: [string, string][] }[]>(
  'bip32/vectors.json',
)) {
  test(`BIP-32 ${name}`, () => {
    for (const [path, extended] of nodes) {
      const key = Buffer.from(base58check.decode(extended).subarray(-32)).toString('hex');
      assert.equal(derivePrivateKey(hex(seed), 'CURVE_SECP256K1', path).toString('hex'), key, path);
    }
  });
}

test('BIP-32 agrees with @scure/bip32 on random seeds and paths', () => {
  const bytes = seededBytes(32);
  const next = seeded(33);
  for (let i = 0; i < 60; i++) {
    const seed = bytes(16 + next(49));
    const path = `m${Array.from({ length: next(7) }, () => `/${next(2) ? next(0x7fffffff) : next(5)}${next(2) ? "'" : ''}`).join('')}`;
    const expected = HDKey.fromMasterSeed(seed).derive(path);
    const key = derivePrivateKey(seed, 'CURVE_SECP256K1', path);
    assert.equal(key.toString('hex'), Buffer.from(expected.privateKey!).toString('hex'), path);
    assert.equal(publicKeyOf('CURVE_SECP256K1', key).toString('hex'), Buffer.from(expected.publicKey!).toString('hex'));
  }
});

type Slip10 = { title: string; seed: string; nodes: { chain: string; private: string; public: string }[] }[];
const slip10 = ownVectors<Slip10>('slip10/vectors.json');

test('SLIP-10 test vectors, with the retries of P-256', () => {
  const curves = { secp256k1: 'CURVE_SECP256K1', nist256p1: 'CURVE_P256', ed25519: 'CURVE_ED25519' } as const;
  const counts = { CURVE_SECP256K1: 0, CURVE_P256: 0, CURVE_ED25519: 0 };
  for (const { title, seed, nodes } of slip10) {
    const name = /(secp256k1|nist256p1|ed25519)/.exec(title)?.[1] as keyof typeof curves | undefined;
    const curve = name && curves[name];
    if (!curve) continue;
    for (const node of nodes) {
      const path = node.chain.replaceAll(/<sub>H<\/sub>|H/g, 'h');
      const key = derivePrivateKey(hex(seed), curve, path);
      assert.equal(key.toString('hex'), node.private, `${title} ${path}`);
      assert.equal(publicKeyOf(curve, key).toString('hex'), curve === 'CURVE_ED25519' ? node.public.slice(2) : node.public);
      counts[curve]++;
    }
  }
  assert.ok(counts.CURVE_SECP256K1 >= 12 && counts.CURVE_P256 >= 12 && counts.CURVE_ED25519 >= 12, JSON.stringify(counts));
});

test('on Ed25519 every segment is hardened, whatever the text says', () => {
  const seed = hex('000102030405060708090a0b0c0d0e0f');
  const hardened = derivePrivateKey(seed, 'CURVE_ED25519', "m/44'/784'/0'/0'/0'");
  assert.deepEqual(derivePrivateKey(seed, 'CURVE_ED25519', "m/44'/784'/0'/0/0"), hardened);
  // SLIP-10, test vector 1 for ed25519, chain m/0H.
  const first = '68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3';
  assert.equal(derivePrivateKey(seed, 'CURVE_ED25519', 'm/0').toString('hex'), first);
});

/** Paths that share much: few numbers, and every length. */
const paths = fc
  .array(fc.record({ index: fc.constantFrom(0, 1, 44, 0x7fffffff), mark: fc.constantFrom('', "'", 'h') }), { maxLength: 6 })
  .map((segments) => `m${segments.map(({ index, mark }) => `/${index}${mark}`).join('')}`);
const curves = fc.constantFrom('CURVE_SECP256K1' as const, 'CURVE_P256' as const, 'CURVE_ED25519' as const);

test('keys of one tree, in any order, are those that each path alone gives', () => {
  const asked = fc.array(fc.record({ curve: curves, path: paths }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 64 }), asked, (seed, several) => {
      const tree = keyTree(seed);
      for (const { curve, path } of several) {
        const key = tree.privateKey(curve, path);
        assert.deepEqual(key, derivePrivateKey(seed, curve, path), `${curve} ${path}`);
        // Wiped as the caller does it: the tree returns copies.
        wipe(key);
        if (several.length % 3 === 0) assert.throws(() => tree.privateKey(curve, `${path}/x`), ApiError);
      }
      tree.wipe();
    }),
    { numRuns: rounds(150) },
  );
});

test('a tree that was wiped starts again from the seed', () => {
  const seed = hex('000102030405060708090a0b0c0d0e0f');
  const tree = keyTree(seed);
  const key = tree.privateKey('CURVE_SECP256K1', "m/0'/1");
  tree.wipe();
  assert.deepEqual(tree.privateKey('CURVE_SECP256K1', "m/0'/1"), key);
});

test('paths', () => {
  assert.deepEqual(parsePath("m/44'/60h/0'/0/2147483647"), [0x8000002c, 0x8000003c, 0x80000000, 0, 0x7fffffff]);
  assert.deepEqual(parsePath('m'), []);
  assert.equal(parsePath(`m${'/0'.repeat(10)}`)?.length, 10);
  const refused = [
    '',
    'M/0',
    'm/',
    "m/0''",
    'm//0',
    '/0',
    '0/1',
    'm/-1',
    'm/00',
    "m/044'",
    'm/1.5',
    'm/0x1',
    'm/ 1',
    'm/1 ',
    'm/a',
  ];
  for (const text of [
    ...refused,
    'm/2147483648',
    "m/2147483648'",
    'm/99999999999',
    `m${'/0'.repeat(11)}`,
    "m/0'h",
    'm/0\n',
    'm/٣',
  ]) {
    assert.equal(parsePath(text), undefined, text);
    assert.throws(() => derivePrivateKey(Buffer.alloc(32), 'CURVE_SECP256K1', text), ApiError, text);
  }
  for (const length of [0, 15, 65]) assert.throws(() => derivePrivateKey(Buffer.alloc(length), 'CURVE_P256', 'm'), RangeError);
});

test('any text is a path or not, and never an exception', () => {
  const next = seeded(34);
  const pieces = ['m', '/', "'", 'h', '0', '44', '2147483647', '2147483648', '-', ' ', '\u0000', 'é', '9999999999999'];
  for (let i = 0; i < rounds(5_000); i++) {
    const text = Array.from({ length: next(14) }, () => pieces[next(pieces.length)]).join('');
    const numbers = parsePath(text);
    if (numbers === undefined) continue;
    assert.equal(`m${numbers.map((n) => `/${n >= 0x80000000 ? `${n - 0x80000000}'` : n}`).join('')}`, text.replaceAll('h', "'"));
  }
});
