import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decryptCredentialBundle } from '@turnkey/crypto';
import { BundleError, sealCredentialBundle } from '../../src/crypto/bundle.ts';
import { generateHpkeKeyPair } from '../../src/crypto/hpke.ts';
import { p256Convert } from '../../src/crypto/p256.ts';
import { hex, ownVectors, seededBytes } from './vectors.ts';

type Key = { privateKey: string; publicKey: string };
const wire = ownVectors<{ recipient: Key; ephemeral: Key; credentialBundle: { computed: string; captured: string } }>(
  'hpke/wire.json',
);

test('byte for byte, to a target of either form', () => {
  const random = () => hex(wire.ephemeral.privateKey);
  for (const form of ['compressed', 'uncompressed'] as const) {
    const target = p256Convert(hex(wire.recipient.publicKey), form)!;
    assert.equal(sealCredentialBundle(target, hex(wire.ephemeral.privateKey), random), wire.credentialBundle.computed);
  }
  // The captured one and this have the same content.
  for (const bundle of Object.values(wire.credentialBundle))
    assert.equal(decryptCredentialBundle(bundle, wire.recipient.privateKey), wire.ephemeral.privateKey);
});

test('@turnkey/crypto opens every bundle', () => {
  const random = seededBytes(31);
  for (let i = 0; i < 12; i++) {
    const target = generateHpkeKeyPair(random);
    const issued = generateHpkeKeyPair(random);
    const bundle = sealCredentialBundle(target.publicKey, issued.privateKey, random);
    assert.equal(decryptCredentialBundle(bundle, target.privateKey.toString('hex')), issued.privateKey.toString('hex'));
  }
});

test('a target that is no key is refused', () => {
  for (const target of [Buffer.alloc(0), Buffer.alloc(33), Buffer.alloc(65, 4)])
    assert.throws(() => sealCredentialBundle(target, hex(wire.ephemeral.privateKey), seededBytes(32)), BundleError);
});
