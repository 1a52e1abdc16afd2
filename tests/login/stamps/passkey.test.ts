import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { ApiError } from '../../../src/base/errors.ts';
import { es256CoseKey, importCoseKey, rs256CoseKey } from '../../../src/crypto/cose.ts';
import { fingerprintOf } from '../../../src/engine/request/context.ts';
import { decodePasskeyStamp } from '../../../src/engine/request/passkey-stamp.ts';
import { passkeyVerifier } from '../../../src/login/stamps/passkey.ts';
import { coseOf, flip, RP_ID, SoftAuthenticator, type Stamping, sha256 } from '../../support/authenticator.ts';
import fc from '../../support/properties.ts';

const verifier = passkeyVerifier();
const verify = (
  stamp: Parameters<typeof verifier>[0],
  registered: Parameters<typeof verifier>[1],
  body: Buffer,
  origins: readonly string[] | undefined,
) => verifier(stamp, registered, fingerprintOf(body), origins);
const BODY = Buffer.from('{"organizationId":"00000000-0000-4000-8000-000000000001"}');

function registered(authenticator: SoftAuthenticator, rpId = RP_ID) {
  const cose = coseOf(authenticator.keys.publicKey, authenticator.algorithm) as Map<number, Buffer>;
  const key =
    authenticator.algorithm === 'ES256' ? es256CoseKey(cose.get(-2)!, cose.get(-3)!) : rs256CoseKey(cose.get(-1)!, cose.get(-2)!);
  return { publicKey: key!.toString('base64url'), rpIdHash: sha256(rpId).toString('base64url') };
}

const made = (authenticator: SoftAuthenticator, options?: Stamping) =>
  decodePasskeyStamp(JSON.stringify(authenticator.assert(BODY, options)));

test('the computed vector of the published format', () => {
  const stamp = decodePasskeyStamp(
    '{"authenticatorData":"SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAA","clientDataJson":"eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiWkRKa05XTXpOemt5TUdKbVpHVTJPR000WWpnMFpEVXlOekl4WWpjM05qUmhPVGxtWkRnNE1EVTJabVE0TkdFNU4yUTJZVEppTURKbVlXSmhZamN3TkEiLCJvcmlnaW4iOiJodHRwOi8vbG9jYWxob3N0OjMwMDAiLCJjcm9zc09yaWdpbiI6ZmFsc2V9","credentialId":"ABEiM0RVZneImaq7zN3u_w","signature":"MEQCIH9kskZR6p0oc8gLtYDAhYlBLkorIGp2EX2864peqnGoAiBwV4nuAyMNbzYj2uEO2Zmb8fNv_q4bcT8gs1LnIdB1Lw"}',
  );
  const key = {
    publicKey: 'pQECAyYgASFYIPc5-Md7MvTV8TJlhh_r1256nGGhFA0pa4wWMCUIhwMWIlggwklwrXgRzNnafxuI8gK-usdwZj71i6aDRhht13ggDdQ',
    rpIdHash: sha256('localhost').toString('base64url'),
  };
  assert.equal(verify(stamp, key, BODY, undefined), true);
  assert.equal(verify(stamp, key, BODY, ['http://localhost:3000']), true);
  assert.equal(verify(stamp, key, BODY, ['http://localhost:3001']), false);
  assert.equal(verify(stamp, key, Buffer.concat([BODY, Buffer.from(' ')]), undefined), false);
});

for (const algorithm of ['ES256', 'RS256'] as const) {
  test(`${algorithm}: a stamp is verified in full`, () => {
    const authenticator = new SoftAuthenticator(algorithm);
    const key = registered(authenticator);
    const good = (options?: Stamping) => verify(made(authenticator, options), key, BODY, undefined);
    assert.equal(good(), true);
    // Neither a verified user nor a rising counter is asked for.
    assert.equal(good({ flags: 0x01 }), true);
    assert.equal(good({ counter: 7 }), true);
    assert.equal(good({ challenge: `${Buffer.from(sha256(BODY).toString('hex')).toString('base64url')}==` }), true);
    const wrong: [what: string, options: Stamping][] = [
      ['another challenge', { challenge: 'AAAA' }],
      ['the digest itself as the challenge', { challenge: sha256(BODY).toString('base64url') }],
      ['another type', { type: 'webauthn.create' }],
      ['nobody present', { flags: 0x04 }],
      ['another relying party', { rpId: 'app.example.com' }],
      ['another page', { origin: 'https://other.com' }],
      ['a page above the relying party', { origin: 'https://com' }],
      ['changed authenticator data', { tamper: ({ authenticatorData }) => flip(authenticatorData, 36) }],
      ['changed flags', { tamper: ({ authenticatorData }) => flip(authenticatorData, 32, 4) }],
      ['a changed signature', { tamper: ({ signature }) => flip(signature, -1) }],
      ['changed client data', { tamper: ({ clientDataJson }) => flip(clientDataJson, -3) }],
    ];
    for (const [what, options] of wrong) assert.equal(good(options), false, what);
    assert.equal(verify(made(new SoftAuthenticator(algorithm)), key, BODY, undefined), false, 'another key');
    assert.equal(verify(made(authenticator), { ...key, publicKey: 'pQEC' }, BODY, undefined), false, 'no key');
  });

  test(`${algorithm}: no byte of a stamp can be changed`, () => {
    const authenticator = new SoftAuthenticator(algorithm);
    const key = registered(authenticator);
    const { assertion, ...rest } = made(authenticator);
    fc.assert(
      fc.property(
        fc.constantFrom('authenticatorData' as const, 'clientDataJson' as const, 'signature' as const),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (part, at, by) => {
          const bytes = Buffer.from(assertion[part]);
          bytes[at % bytes.length]! ^= by;
          return !verify({ ...rest, assertion: { ...assertion, [part]: bytes } }, key, BODY, undefined);
        },
      ),
    );
  });
}

test('a key is read in one encoding only', () => {
  for (const algorithm of ['ES256', 'RS256'] as const) {
    const whole = Buffer.from(registered(new SoftAuthenticator(algorithm)).publicKey, 'base64url');
    assert.equal(importCoseKey(whole)?.algorithm, algorithm);
    assert.equal(importCoseKey(Buffer.concat([whole, Buffer.of(0)])), undefined);
    for (let length = 0; length < whole.length; length++) assert.equal(importCoseKey(whole.subarray(0, length)), undefined);
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => importCoseKey(Buffer.from(bytes)) === undefined));
  const bytes = (text: string | undefined) => Buffer.from(text!, 'base64url');
  for (const [modulusLength, good] of [
    [1024, false],
    [2048, true],
    [4096, true],
  ] as const) {
    const jwk = generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });
    assert.equal(rs256CoseKey(bytes(jwk.n), bytes(jwk.e)) !== undefined, good);
    assert.equal(rs256CoseKey(Buffer.concat([Buffer.of(0), bytes(jwk.n)]), bytes(jwk.e)) !== undefined, good);
    assert.equal(rs256CoseKey(bytes(jwk.n), Buffer.of(2)), undefined);
  }
});

test('any header is a stamp or is refused', () => {
  const good = new SoftAuthenticator().assert(BODY);
  const attempt = (header: string) => {
    try {
      const { assertion, credentialId } = decodePasskeyStamp(header);
      return Buffer.isBuffer(assertion.signature) && credentialId !== '';
    } catch (error) {
      return (
        error instanceof ApiError && error.code === 'SIGNATURE_INVALID' && /could not extract webauthn stamp/.test(error.message)
      );
    }
  };
  fc.assert(fc.property(fc.string({ unit: 'binary' }), attempt));
  fc.assert(fc.property(fc.json(), attempt));
  const member = fc.oneof(fc.base64String(), fc.string(), fc.integer(), fc.constant(null));
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(good)), member, (name, value) =>
      attempt(JSON.stringify({ ...good, [name]: value })),
    ),
  );
  for (const [name, most] of [
    ['credentialId', 192],
    ['authenticatorData', 1024],
    ['clientDataJson', 3072],
    ['signature', 512],
  ] as const) {
    const of = (length: number) => JSON.stringify({ ...good, [name]: Buffer.alloc(length).toString('base64url') });
    decodePasskeyStamp(of(most));
    for (const length of [0, most + 1]) assert.throws(() => decodePasskeyStamp(of(length)), /must have/);
  }
  assert.throws(() => decodePasskeyStamp(JSON.stringify({ ...good, more: 'x'.repeat(9000) })), /too long/);
});
