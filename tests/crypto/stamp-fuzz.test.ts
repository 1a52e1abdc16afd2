import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicKeyOf, signDigest, signEd25519 } from '../../src/crypto/curves.ts';
import { encodeEcdsaSignature } from '../../src/crypto/der.ts';
import { sha256 } from '../../src/crypto/hash.ts';
import { type ApiKeyCurve, importStampKey, parseStampPublicKey, verifyStamp } from '../../src/crypto/stamp.ts';
import { rounds } from '../support/full.ts';
import { seeded } from '../support/seeded.ts';
import { verifyInPool } from '../support/verify-in-pool.ts';
import { seededBytes } from './vectors.ts';

test('no bytes whatever make an exception', async () => {
  const next = seeded(22);
  const bytes = seededBytes(23);
  const secret = bytes(32);
  const body = Buffer.from('{"organizationId":"00000000-0000-4000-8000-000000000001"}');
  const der = (curve: 'CURVE_P256' | 'CURVE_SECP256K1') => {
    const { r, s } = signDigest(curve, secret, sha256(body));
    return Buffer.from(encodeEcdsaSignature(Buffer.concat([r, s])));
  };
  const rows = [
    ['SIGNATURE_SCHEME_TK_API_P256', publicKeyOf('CURVE_P256', secret), der('CURVE_P256')],
    ['SIGNATURE_SCHEME_TK_API_SECP256K1', publicKeyOf('CURVE_SECP256K1', secret), der('CURVE_SECP256K1')],
    ['SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191', publicKeyOf('CURVE_SECP256K1', secret), der('CURVE_SECP256K1')],
    ['SIGNATURE_SCHEME_TK_API_ED25519', publicKeyOf('CURVE_ED25519', secret), signEd25519(secret, body)],
  ] as const;
  const mutate = (from: Buffer): Buffer => {
    const copy = Buffer.from(from);
    for (let i = 0; i <= next(3); i++) if (copy.length > 0) copy[next(copy.length)] = next(256);
    return [copy, copy.subarray(next(5)), Buffer.concat([copy, bytes(next(4))]), bytes(next(100))][next(4)]!;
  };
  for (const [scheme, publicKey, signature] of rows) {
    const key = importStampKey(scheme, publicKey)!;
    for (let i = 0; i < rounds(1_500); i++) {
      const other = mutate(signature);
      const expected = other.equals(signature) && scheme !== 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191';
      assert.equal(verifyStamp(key, body, other), expected, other.toString('hex'));
      if (i % 10 === 0) assert.equal(await verifyInPool(key, body, other), expected);
      const point = mutate(publicKey);
      const imported = importStampKey(scheme, point);
      const curve = { P: 'CURVE_P256', S: 'CURVE_SECP256K1', E: 'CURVE_ED25519' }[scheme.slice(24)[0]!];
      const normal = parseStampPublicKey(`API_KEY_${curve}` as ApiKeyCurve, point.toString('hex'));
      assert.equal(imported === undefined, normal === undefined, point.toString('hex'));
      if (imported) verifyStamp(imported, body, signature);
    }
  }
});
