import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { decryptCredentialBundle, encryptOauth2ClientSecret, generateP256KeyPair } from '@turnkey/crypto';
import { BundleError } from '../../src/crypto/bundle.ts';
import { envelope } from '../../src/custody/envelope.ts';
import { newServiceKey, type ServiceKeys, serviceKeyNames } from '../../src/custody/service-keys.ts';
import { EnvelopeError } from '../../src/custody/types.ts';
import { vault } from '../../src/custody/vault.ts';

const sealing = envelope(new Map([[1, createSecretKey(Buffer.alloc(32, 1))]]), randomBytes);
const services = Object.fromEntries(
  serviceKeyNames.map((name) => [name, newServiceKey(sealing, randomBytes, name)]),
) as ServiceKeys;
const { oauth2 } = vault(sealing, randomBytes, services, () => Buffer.alloc(37));
const receiver = services['oauth2-secret-encryption'].publicKey;
const place = { organizationId: '0191e4a0-0000-7000-8000-000000000001', id: '0191e4a0-0000-7000-8000-000000000002' };

test('a secret of a published client is sealed for its row, and opens there alone', async () => {
  for (const secret of ['x', 'the-secret: of/the+client ~', 's'.repeat(512)]) {
    const sealed = oauth2.sealClientSecret(place, await encryptOauth2ClientSecret(secret, receiver));
    assert.equal(oauth2.openClientSecret(place, sealed), secret);
    for (const other of [
      { ...place, id: place.organizationId },
      { ...place, organizationId: place.id },
    ])
      assert.throws(() => oauth2.openClientSecret(other, sealed), EnvelopeError);
  }
});

test('a text that is no client secret is refused, and not shown', async () => {
  for (const secret of ['ü', 'a\0', 'two\nlines', 's'.repeat(513)]) {
    const encrypted = await encryptOauth2ClientSecret(secret, receiver);
    assert.throws(
      () => oauth2.sealClientSecret(place, encrypted),
      (error) => error instanceof BundleError && !error.message.includes(secret),
    );
  }
  const elsewhere = await encryptOauth2ClientSecret('secret', generateP256KeyPair().publicKeyUncompressed);
  assert.throws(() => oauth2.sealClientSecret(place, elsewhere), /not sealed to the key of this service/);
});

test('a bearer token is sealed as a credential bundle is', () => {
  const target = generateP256KeyPair();
  const token = 'T'.repeat(1902);
  const sealed = oauth2.sealBearerToken(Buffer.from(target.publicKeyUncompressed, 'hex'), token);
  assert.equal(Buffer.from(decryptCredentialBundle(sealed, target.privateKey), 'hex').toString(), token);
});
