import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../../src/base/errors.ts';
import { verifyRegistration } from '../../../src/login/passkeys/registration.ts';
import { type Algorithm, cbor, ORIGIN, type Registering, SoftAuthenticator } from '../../support/authenticator.ts';

const NOW = Date.now();

type Given = Parameters<typeof verifyRegistration>[0];

const verify = (given: Given, origins?: string[]) => verifyRegistration(given, { origins, now: NOW, payer: 'payer' }, 'passkey');

async function refuses(given: Given, field: string, text: RegExp, origins?: string[]): Promise<void> {
  await assert.rejects(verify(given, origins), (error) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, 'REQUEST_INVALID');
    assert.match(error.message, /invalid authenticator attestation/);
    assert.match(error.message, text);
    assert.deepEqual(
      (error.details[1] as { fieldViolations: { field: string }[] }).fieldViolations.map((v) => v.field),
      [`passkey.${field}`],
    );
    return true;
  });
}

const OBJECT = 'attestation.attestationObject';
const CLIENT = 'attestation.clientDataJson';

for (const algorithm of ['ES256', 'RS256'] as const)
  for (const format of ['none', 'packed'] as const)
    test(`${algorithm} with attestation ${format}`, async () => {
      const authenticator = new SoftAuthenticator(algorithm);
      const aaguid = Buffer.from('fbfc3007154e4ecc8c0b6e020557d7bd', 'hex');
      const given = format === 'none' ? authenticator.register({ aaguid }) : authenticator.selfAttested({ aaguid });
      const passkey = await verify({ ...given, authenticatorName: 'mine' });
      assert.equal(passkey.name, 'mine');
      assert.equal(passkey.credentialId, authenticator.id);
      assert.equal(passkey.origin, ORIGIN);
      assert.equal(passkey.attestationType, format);
      assert.equal(passkey.aaguid, aaguid.toString('base64url'));
      assert.deepEqual(passkey.transports, ['AUTHENTICATOR_TRANSPORT_INTERNAL']);
    });

test('the key comes out in its one encoding, whatever the order of its members was', async () => {
  const authenticator = new SoftAuthenticator('ES256');
  const { publicKey } = await verify(authenticator.register());
  const jwk = authenticator.keys.publicKey.export({ format: 'jwk' });
  const expected = `a5010203262001215820${Buffer.from(jwk.x!, 'base64url').toString('hex')}225820${Buffer.from(jwk.y!, 'base64url').toString('hex')}`;
  assert.equal(Buffer.from(publicKey, 'base64url').toString('hex'), expected);
  const reversed = authenticator.register({ keyOrder: 'reversed' });
  assert.equal((await verify(reversed)).publicKey, publicKey);
});

test('a known authenticator has a name', async () => {
  const aaguid = Buffer.from('fbfc3007154e4ecc8c0b6e020557d7bd', 'hex');
  assert.equal((await verify(new SoftAuthenticator().register({ aaguid }))).model, 'iCloud Keychain');
  assert.equal((await verify(new SoftAuthenticator().register())).model, '');
});

test('a challenge may be bytes in base64url, padded or not, or a text as it is', async () => {
  const authenticator = new SoftAuthenticator();
  const text = 'f'.repeat(64);
  await verify(authenticator.register({ challenge: text, signedChallenge: Buffer.from(text).toString('base64url') }));
  await verify(authenticator.register({ challenge: '_-8=', signedChallenge: '_-8' }));
  await verify(authenticator.register({ challenge: '_-8', signedChallenge: '/+8=' }));
});

test('a credential id may be wrapped in CBOR', async () => {
  const authenticator = new SoftAuthenticator();
  const given = authenticator.register();
  given.attestation.credentialId = cbor(authenticator.credentialId).toString('base64url');
  assert.equal((await verify(given)).credentialId, authenticator.id);
});

test('a relying party is the page’s host, or a domain above it', async () => {
  const pages: [origin: string, rpId: string][] = [
    ['https://app.example.com', 'app.example.com'],
    ['https://app.example.com:8443', 'example.com'],
    ['https://a.b.example.com', 'b.example.com'],
    ['http://localhost:3000', 'localhost'],
    // An app's origin does not show its domain.
    ['android:apk-key-hash:AAAA', 'example.com'],
  ];
  for (const [origin, rpId] of pages) await verify(new SoftAuthenticator().register({ origin, rpId }));
  const wrong: [origin: string, rpId: string][] = [
    ['https://app.example.com', 'other.com'],
    ['https://app.example.com', 'com'],
    ['https://example.com', 'app.example.com'],
    ['https://badexample.com', 'example.com'],
    ['https://10.1.2.3', '2.3'],
  ];
  for (const [origin, rpId] of wrong)
    await refuses(new SoftAuthenticator().register({ origin, rpId }), OBJECT, /Unexpected RP ID hash/);
});

test('where origins are listed, others are refused', async () => {
  await verify(new SoftAuthenticator().register(), ['https://other.example.com', ORIGIN]);
  for (const origins of [['https://other.example.com'], ['https://app.example.com:8443'], []])
    await refuses(new SoftAuthenticator().register(), CLIENT, /does not allow passkeys of its origin/, origins);
});

const wrong: [what: string, options: Registering, field: string, text: RegExp, algorithm?: Algorithm][] = [
  ['another challenge', { signedChallenge: 'AAAA' }, 'challenge', /for another challenge/],
  ['an assertion’s client data', { type: 'webauthn.get' }, CLIENT, /must be webauthn.create/],
  ['nobody present', { flags: 0x44 }, OBJECT, /user was not present/],
  ['no attested data', { flags: 0x05 }, OBJECT, /No credential ID/],
  ['an algorithm that was not offered', {}, OBJECT, /Unexpected public key alg "-8"/, 'EdDSA'],
  ['another credential id', { credentialId: Buffer.alloc(16, 1) }, 'attestation.credentialId', /for another credential id/],
  ['an unknown format', { format: 'mine' }, OBJECT, /Unsupported Attestation Format: mine/],
  [
    'a statement where there is none',
    { statement: () => new Map([['sig', Buffer.alloc(1)]]) },
    OBJECT,
    /unexpected attestation statement/,
  ],
];
for (const [what, options, field, text, algorithm] of wrong)
  test(`refused: ${what}`, () => refuses(new SoftAuthenticator(algorithm).register(options), field, text));

test('refused: a self attestation by another key', async () => {
  const other = new SoftAuthenticator();
  const statement = (signed: Buffer) =>
    new Map<string, number | Buffer>([
      ['alg', -7],
      ['sig', other.sign(signed)],
    ]);
  await refuses(new SoftAuthenticator().selfAttested({ statement }), OBJECT, /its signature is wrong/);
});

test('refused: bytes that are not what they should be', async () => {
  const given = new SoftAuthenticator().register();
  const withObject = (bytes: Buffer) => ({
    ...given,
    attestation: { ...given.attestation, attestationObject: bytes.toString('base64url') },
  });
  const whole = Buffer.from(given.attestation.attestationObject, 'base64url');
  // Arrays in arrays, deeper than any stack.
  for (const bytes of [Buffer.alloc(0), whole.subarray(0, 60), Buffer.alloc(18_000, 0x81), Buffer.from('bf', 'hex')])
    await refuses(withObject(bytes), OBJECT, /./);
  for (const clientDataJson of ['', 'AAAA', Buffer.from('{"type":"webauthn.create"}').toString('base64url')])
    await refuses({ ...given, attestation: { ...given.attestation, clientDataJson } }, CLIENT, /not that of a registration/);
  assert.equal((await verify(given)).credentialId, given.attestation.credentialId, 'and the next is verified as ever');
});

test('refused: keys of a size or form that is not usable', async () => {
  const small = new SoftAuthenticator('RS256', undefined, { modulusLength: 1024 });
  await refuses(small.register(), OBJECT, /its public key is invalid/);
  const off = new SoftAuthenticator().register({ point: { y: Buffer.alloc(32, 1) } });
  await refuses(off, OBJECT, /its public key is invalid/);
});
