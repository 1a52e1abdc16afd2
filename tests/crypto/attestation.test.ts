import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { decodeCBOR, encodeCBOR } from '@levischuck/tiny-cbor';
import { verifyCoseSign1Sig } from '@turnkey/crypto';
import { LONGEST_DOCUMENT, makeAttestation, openAttestation } from '../../src/crypto/attestation.ts';
import { p384PublicKey, signEs384 } from '../../src/crypto/p384.ts';
import { seeded } from '../support/seeded.ts';
import { seededBytes } from './vectors.ts';

const bytes = seededBytes(41);
const privateKey = bytes(48);
const signer = p384PublicKey(privateKey);
const facts = { moduleId: 'signer', timestampMs: 1_758_058_763_571, publicKey: bytes(130), userData: bytes(32) };
const document = makeAttestation(facts, privateKey);

/** The decoder of CBOR needs memory of its own. */
const decoded = (encoded: Uint8Array) => decodeCBOR(Uint8Array.from(encoded));
const parts = decoded(document) as [Uint8Array, Map<string, never>, Uint8Array, Uint8Array];
const payload = decoded(parts[2]) as Map<string, unknown>;

test('a document has the layout of Nitro, with all measurements zero', () => {
  assert.equal(document[0], 0x84, 'a bare array of four');
  assert.deepEqual(Buffer.from(parts[0]).toString('hex'), 'a1013822');
  assert.deepEqual(
    [...payload.keys()],
    ['module_id', 'digest', 'timestamp', 'pcrs', 'certificate', 'cabundle', 'public_key', 'user_data', 'nonce'],
  );
  assert.equal(payload.get('digest'), 'SHA384');
  assert.equal(payload.get('timestamp'), facts.timestampMs);
  const pcrs = payload.get('pcrs') as Map<number, Uint8Array>;
  assert.deepEqual([...pcrs.keys()], [...Array(32).keys()]);
  for (const pcr of pcrs.values()) assert.deepEqual(pcr, new Uint8Array(48));
  assert.ok(document.length < LONGEST_DOCUMENT / 2, `${document.length} bytes`);
});

test('its certificate is of the signing key, which published code verifies the signature with', async () => {
  const certificate = new X509Certificate(payload.get('certificate') as Uint8Array);
  assert.ok(certificate.verify(certificate.publicKey));
  assert.ok(certificate.publicKey.export({ format: 'der', type: 'spki' }).subarray(-97).equals(signer));
  assert.match(certificate.subject, /without hardware/);
  assert.deepEqual(payload.get('cabundle'), [payload.get('certificate')]);
  // Its declared types are those of its own decoder.
  const verified = verifyCoseSign1Sig as unknown as (parts: unknown[], leaf: unknown) => Promise<void>;
  const leaf = payload.get('certificate');
  await verified(parts, leaf);
  await assert.rejects(verified([parts[0], parts[1], bytes(90), parts[3]], leaf), /ES384/);
});

test('a document opens for its key alone', () => {
  assert.deepEqual(openAttestation(document, signer), facts);
  assert.equal(openAttestation(document, p384PublicKey(bytes(48))), undefined);
  assert.equal(openAttestation(document, bytes(97)), undefined);
  const tagged = Buffer.concat([Buffer.of(0xd2), document]);
  assert.equal(openAttestation(tagged, signer), undefined);
  assert.equal(openAttestation(Buffer.concat([document, Buffer.of(0)]), signer), undefined);
});

test('a signed payload of another form is refused', () => {
  const signed = (fields: Map<string, unknown> | number) => {
    const inner = encodeCBOR(fields as never);
    const signature = signEs384(encodeCBOR(['Signature1', parts[0], new Uint8Array(0), inner]), privateKey);
    return encodeCBOR([parts[0], new Map(), inner, signature]);
  };
  assert.deepEqual(openAttestation(signed(payload), signer), facts);
  assert.equal(openAttestation(signed(7), signer), undefined);
  for (const name of ['module_id', 'timestamp', 'public_key', 'user_data']) {
    assert.equal(openAttestation(signed(new Map([...payload].filter(([key]) => key !== name))), signer), undefined, name);
    assert.equal(openAttestation(signed(new Map([...payload, [name, null]])), signer), undefined, name);
  }
  for (const [name, value] of [
    ...[['timestamp', -1] as const, ['timestamp', 1.5] as const, ['timestamp', 2n ** 63n] as const],
    ...[['public_key', bytes(1025)] as const, ['module_id', 'm'.repeat(129)] as const],
  ])
    assert.equal(openAttestation(signed(new Map([...payload, [name, value]])), signer), undefined, `${name} ${value}`);
});

test('no bytes whatever open or throw', () => {
  const next = seeded(43);
  for (let i = 0; i < 2_000; i++) {
    const copy = Buffer.from(document);
    // Mostly heads of CBOR: those before the payload, and lengths, are where a reader goes wrong.
    for (let n = 0; n <= next(3); n++) copy[next(i % 2 ? 16 : copy.length)] = next(256);
    const other = [copy, copy.subarray(next(40)), copy.subarray(0, next(copy.length)), bytes(next(200))][next(4)]!;
    if (!other.equals(document)) assert.equal(openAttestation(other, signer), undefined, other.toString('hex'));
  }
  for (const head of [0x81, 0xa1, 0xc0, 0x9b, 0xbb, 0x5b, 0xff])
    for (const length of [1, 9, 4096, LONGEST_DOCUMENT, LONGEST_DOCUMENT + 1])
      assert.equal(openAttestation(Buffer.alloc(length, head), signer), undefined, `${head} ${length}`);
});
