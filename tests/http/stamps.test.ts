import assert from 'node:assert/strict';
import { createECDH, createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openapi } from '../../scripts/generate/openapi/document.ts';
import { API_KEY_EXAMPLE, apiKeyHeader, PASSKEY_EXAMPLE, passkeyHeader } from '../../scripts/generate/openapi/stamps.ts';
import { activities } from '../../src/activities/index.ts';
import { fingerprintOf } from '../../src/engine/request/context.ts';
import { authenticate, isAttestedStamp, isPasskeyStamp } from '../../src/engine/request/stamp.ts';
import { apiKeyVerifier } from '../../src/login/stamps/api-key.ts';
import { passkeyVerifier } from '../../src/login/stamps/passkey.ts';
import { stampOf } from '../support/client.ts';

const stamps = { ...apiKeyVerifier(), verifyPasskey: passkeyVerifier() };
const changed = (body: string) => Buffer.from(body.replace('0001', '0002'));

test('the example of an API key’s stamp verifies, and only over its own bytes', async () => {
  const { body, privateKey, stamp } = API_KEY_EXAMPLE;
  const headers = { stamp: apiKeyHeader() };
  for (const others of [false, true]) {
    assert.deepEqual(await authenticate(stamps, headers, Buffer.from(body), others).verified, stamp);
    await assert.rejects(authenticate(stamps, headers, changed(body), others).verified, /could not verify api key signature/);
  }
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(privateKey, 'hex');
  assert.equal(ecdh.getPublicKey('hex', 'compressed'), stamp.publicKey);
  const another = { stamp: stampOf({ publicKey: stamp.publicKey, privateKey }, body) };
  assert.ok(await authenticate(stamps, another, Buffer.from(body), false).verified);
});

test('the example of a passkey’s stamp verifies, in both headers, and only over its own bytes', async () => {
  const { body, challenge, relyingParty, publicKey } = PASSKEY_EXAMPLE;
  const rpIdHash = createHash('sha256').update(relyingParty).digest('base64url');
  const inStamp = Buffer.from(passkeyHeader()).toString('base64url');
  for (const headers of [{ webauthnStamp: passkeyHeader() }, { stamp: inStamp }]) {
    const stamp = await authenticate(stamps, headers, Buffer.from(body), false).verified;
    assert.ok(isPasskeyStamp(stamp));
    const verify = (over: Buffer, registered = { publicKey, rpIdHash }) =>
      stamps.verifyPasskey(stamp, registered, fingerprintOf(over), undefined);
    assert.ok(verify(Buffer.from(body)));
    assert.ok(!verify(changed(body)));
    const other = createHash('sha256').update('other.example').digest('base64url');
    assert.ok(!verify(Buffer.from(body), { publicKey, rpIdHash: other }));
    const client = JSON.parse(stamp.assertion.clientDataJson.toString('utf8'));
    assert.equal(Buffer.from(client.challenge, 'base64url').toString('utf8'), challenge);
  }
  assert.equal(createHash('sha256').update(body).digest('hex'), challenge);
});

test('the stamp of an attested key is verified over its own bytes, before anybody looks at its token', async () => {
  const { body, stamp } = API_KEY_EXAMPLE;
  const { publicKey, signature } = stamp;
  const scheme = 'STAMP_ATTESTED_SCHEME_P256_OIDC';
  const attestedStamp = JSON.stringify({ publicKey: publicKey.toUpperCase(), signature, scheme, publicKeyAttestation: 'token' });
  for (const header of [attestedStamp, Buffer.from(attestedStamp).toString('base64url')]) {
    const made = await authenticate(stamps, { attestedStamp: header }, Buffer.from(body), false).verified;
    assert.ok(isAttestedStamp(made));
    assert.equal(made.publicKey, publicKey);
    assert.deepEqual(made.attestation, { by: 'oidc', token: 'token', keyText: publicKey.toUpperCase() });
    assert.ok(!made.signature.includes('"token"'));
    const over = authenticate(stamps, { attestedStamp: header }, changed(body), false);
    await assert.rejects(over.verified, /could not verify api key signature/);
  }
  const first = authenticate(stamps, { stamp: apiKeyHeader(), attestedStamp }, Buffer.from(body), false);
  assert.deepEqual(await first.verified, stamp);
});

test('openapi.json and docs/stamps.md say how a stamp is made, with the examples', () => {
  const document = openapi(activities, []) as {
    paths: Record<string, { post: { security: object[] } }>;
    components: { securitySchemes: Record<string, { name: string; description: string }> };
  };
  const { stamp, passkey, attested } = document.components.securitySchemes;
  assert.deepEqual([stamp!.name, passkey!.name, attested!.name], ['X-Stamp', 'X-Stamp-WebAuthn', 'X-Stamp-Attested']);
  const page = readFileSync(new URL('../../docs/stamps.md', import.meta.url), 'utf8');
  for (const [scheme, header] of [
    [stamp!, apiKeyHeader()],
    [passkey!, passkeyHeader()],
  ] as const) {
    assert.ok(scheme.description.includes(header));
    assert.ok(page.includes(header));
  }
  for (const kind of activities) {
    const any = kind.submitters.from === 'newcomer' ? [{ passkey: [] }] : [{ stamp: [] }, { passkey: [] }, { attested: [] }];
    assert.deepEqual(document.paths[kind.path]!.post.security, any, kind.kind);
  }
  const nonce = createHash('sha256').update(API_KEY_EXAMPLE.stamp.publicKey).digest('hex');
  assert.ok(attested!.description.includes(nonce) && page.includes(nonce));
  for (const scheme of ['P256', 'SECP256K1', 'SECP256K1_EIP191', 'ED25519'])
    assert.ok(
      page.includes(`\`SIGNATURE_SCHEME_TK_API_${scheme}\``) &&
        stamp!.description.includes(`SIGNATURE_SCHEME_TK_API_${scheme} |`),
    );
});
