/**
 * Project Wycheproof, through the functions that verify stamps. The service accepts two kinds of stamps that the standard
 * refuses, because genuine stamps need it. One is high S, which Wycheproof calls invalid in its Bitcoin file only (flag
 * SignatureMalleabilityBitcoin). The other is an integer of up to 33 bytes with zero bytes in front; no vector has exactly
 * that. All other encodings that BER allows and DER does not are refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiKeyCurve, importStampKey, parseStampPublicKey, type StampScheme, verifyStamp } from '../../src/crypto/stamp.ts';
import { verifyInPool } from '../support/verify-in-pool.ts';
import { hex, ownVectors } from './vectors.ts';

type Vector = { tcId: number; comment: string; flags: string[]; msg: string; sig: string; result: 'valid' | 'invalid' };
type File = { numberOfTests: number; testGroups: { publicKey: { uncompressed?: string; pk?: string }; tests: Vector[] }[] };

const files: readonly { name: string; scheme: StampScheme; curve: ApiKeyCurve; accepted: readonly number[] }[] = [
  { name: 'ecdsa_secp256r1_sha256', scheme: 'SIGNATURE_SCHEME_TK_API_P256', curve: 'API_KEY_CURVE_P256', accepted: [] },
  { name: 'ecdsa_secp256k1_sha256', scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1', curve: 'API_KEY_CURVE_SECP256K1', accepted: [] },
  {
    name: 'ecdsa_secp256k1_sha256_bitcoin',
    scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1',
    curve: 'API_KEY_CURVE_SECP256K1',
    // High S: 1 by its flag, 388 is an edge case of the same rule.
    accepted: [1, 388],
  },
  { name: 'ed25519', scheme: 'SIGNATURE_SCHEME_TK_API_ED25519', curve: 'API_KEY_CURVE_ED25519', accepted: [] },
];

for (const { name, scheme, curve, accepted } of files) {
  const data = ownVectors<File>(`wycheproof/${name}_test.json`);
  test(`Wycheproof ${name}`, async () => {
    let count = 0;
    for (const { publicKey, tests } of data.testGroups) {
      const normal = parseStampPublicKey(curve, (publicKey.uncompressed ?? publicKey.pk)!);
      const key = importStampKey(scheme, hex(normal!))!;
      for (const { tcId, comment, msg, sig, result } of tests) {
        const expected = result === 'valid' || accepted.includes(tcId);
        assert.equal(verifyStamp(key, hex(msg), hex(sig)), expected, `${tcId} ${comment}`);
        assert.equal(await verifyInPool(key, hex(msg), hex(sig)), expected, `${tcId} ${comment}`);
        count++;
      }
    }
    assert.equal(count, data.numberOfTests);
  });
}
