/**
 * Project Wycheproof, through the parts of HPKE. These are the key encapsulation on top of ECDH, HKDF with SHA-256, and
 * AES-256-GCM with a nonce of 12 bytes and a tag of 16.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expand, extract } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { decapsulate, hkdf, openAesGcm, sealAesGcm } from '../../src/crypto/hpke.ts';
import { hex, ownVectors } from './vectors.ts';

type Result = 'valid' | 'invalid' | 'acceptable';
type File<Group> = { numberOfTests: number; testGroups: Group[] };

const ecdh = ownVectors<
  File<{ tests: { tcId: number; comment: string; public: string; private: string; shared: string; result: Result }[] }>
>('wycheproof/ecdh_secp256r1_ecpoint_test.json');

/** DHKEM's shared secret (RFC 9180 §4.1) from that of Diffie-Hellman, by another library. */
function kemSecret(dh: Buffer, context: Buffer): Buffer {
  const label = (text: string) => Buffer.from(`HPKE-v1KEM\x00\x10${text}`, 'latin1');
  const prk = extract(sha256, Buffer.concat([label('eae_prk'), dh]));
  return Buffer.from(expand(sha256, prk, Buffer.concat([Buffer.of(0, 32), label('shared_secret'), context]), 32));
}

test('Wycheproof ecdh_secp256r1_ecpoint: decapsulation', () => {
  let count = 0;
  for (const { tests } of ecdh.testGroups) {
    for (const { tcId, comment, public: point, private: key, shared, result } of tests) {
      // The file writes scalars as DER does: with a zero in front, or without leading zeros.
      const scalar = hex(key.replace(/^(00)+/, '').padStart(64, '0'));
      const kem = decapsulate(scalar, hex(point));
      assert.equal(kem !== undefined, result !== 'invalid', `${tcId} ${comment}`);
      if (kem) assert.deepEqual(kem.sharedSecret, kemSecret(hex(shared), Buffer.concat([kem.enc, kem.recipient])), `${tcId}`);
      count++;
    }
  }
  assert.equal(count, ecdh.numberOfTests);
});

const hkdfVectors = ownVectors<
  File<{ tests: { tcId: number; ikm: string; salt: string; info: string; size: number; okm: string; result: Result }[] }>
>('wycheproof/hkdf_sha256_test.json');

test('Wycheproof hkdf_sha256', () => {
  let count = 0;
  for (const { tests } of hkdfVectors.testGroups) {
    for (const { tcId, ikm, salt, info, size, okm, result } of tests) {
      const derive = () => hkdf(hex(ikm), hex(salt), hex(info), size).toString('hex');
      if (result === 'valid') assert.equal(derive(), okm, `${tcId}`);
      else assert.throws(derive, RangeError, `${tcId}`);
      count++;
    }
  }
  assert.equal(count, hkdfVectors.numberOfTests);
});

type Gcm = { tcId: number; key: string; iv: string; aad: string; msg: string; ct: string; tag: string; result: Result };
const gcm = ownVectors<File<{ ivSize: number; keySize: number; tagSize: number; tests: Gcm[] }>>('wycheproof/aes_gcm_test.json');

test('Wycheproof aes_gcm, keys of 256 and nonces of 96 bits', () => {
  let count = 0;
  const groups = gcm.testGroups.filter(({ ivSize, keySize, tagSize }) => ivSize === 96 && keySize === 256 && tagSize === 128);
  for (const { tests } of groups) {
    for (const { tcId, key, iv, aad, msg, ct, tag, result } of tests) {
      const opened = openAesGcm(hex(key), hex(iv), hex(aad), hex(ct + tag));
      assert.equal(opened?.toString('hex'), result === 'valid' ? msg : undefined, `${tcId}`);
      if (result === 'valid')
        assert.equal(sealAesGcm(hex(key), hex(iv), hex(aad), hex(msg)).toString('hex'), ct + tag, `${tcId}`);
      count++;
    }
  }
  assert.ok(count >= 50, String(count));
});
