import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyOtpVerificationToken } from '@turnkey/crypto';
import { writeJwt } from '../../../src/login/tokens/jwt.ts';
import { mintVerificationToken, verificationTokens } from '../../../src/login/tokens/verification-token.ts';
import type { VerificationToken } from '../../../src/model/token.ts';
import { rounds } from '../../support/full.ts';
import fc from '../../support/properties.ts';
import { seeded } from '../../support/seeded.ts';
import { ORGANIZATION, tokenOf, tokenService } from './support.ts';

const { keys, tokens } = tokenService();
const read = verificationTokens(keys);
const mint = (token: VerificationToken) => mintVerificationToken(tokens, token);
const part = (jwt: string, index: number) => JSON.parse(Buffer.from(jwt.split('.')[index]!, 'base64url').toString());

/** Tokens of the published service, from its clients' own tests, with the keys that these have built in. */
const PUBLISHED = {
  enclave: {
    key: '046b4f88421f76b6ba418afc2ea1d8ced671337d7db6b80478a60d8531bf8f17fa9a512f0fef96fc0c9b4cd9dff70b34992e520ce04c79d931f6ff6296b547d201',
    jwt: 'eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJleHAiOiIxNzgyOTE5NjUxMjYxIiwiaWQiOiJlYjM5YjE5OS0zMzUyLTQyODktYjMxZi01NzE5NGM3OTYwOWMiLCJvcmdhbml6YXRpb25faWQiOiI3ZmYxODlmYi1kZjdkLTQ1MmUtODU0MC01NzYzMmUzODBiNzciLCJ2ZXJpZmljYXRpb25fdHlwZSI6Ik9UUF9UWVBFX0VNQUlMIiwiY29udGFjdCI6InVzZXJAZXhhbXBsZS5jb20iLCJwdWJsaWNfa2V5IjoiMDM2MzM1Yjc4ZjkyNzM2ZTMyZTk5ZGM2YWVkOTc5YWZmMGI1YzI0MTkyZTc2YjE2MjhhYTU0ZWRhZjU4YzhjMTVkIn0.YMtLA5vVUTiYhW5CIitrGXb-fk4MWx-MNVC4etopkKVro6tn0CP-Uz7biSZOunASsEc3jkjJWnFIn2AMpuZomg',
  },
  legacy:
    'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJjb250YWN0IjoidXNlckBleGFtcGxlLmNvbSIsImV4cCI6MTc3MDc1MTgyMSwiaWQiOiI4ZmMxZDQ0NS05ZmI4LTQ3NWQtYWViNy04ZTlkOWY4ZjkwYTUiLCJ2ZXJpZmljYXRpb25fdHlwZSI6Ik9UUF9UWVBFX0VNQUlMIn0.YorjdeMCvQmjWe680OeWUDXB7LEBFudvGS8R8TP451DACO02MAyAlKOwXOulG9Z422qXMvVqn7mITT2f1hgWwQ',
};

test('a token is read as it was minted, and by the published client', async () => {
  const legacy = { kind: 'legacy', publicKey: null, type: 'OTP_TYPE_SMS', contact: '+14155550100' } as const;
  for (const token of [tokenOf(), tokenOf(legacy), tokenOf({ ...legacy, publicKey: tokenOf().publicKey })])
    assert.deepEqual(await read(mint(token)), token);
  const claims = await verifyOtpVerificationToken(mint(tokenOf()), keys['otp-signer'].publicKey);
  assert.deepEqual(claims, {
    exp: '4102444800000',
    id: tokenOf().id,
    organization_id: ORGANIZATION,
    verification_type: 'OTP_TYPE_EMAIL',
    contact: 'Ada@Example.com',
    public_key: tokenOf().publicKey,
  });
  await assert.rejects(
    () => verifyOtpVerificationToken(mint(tokenOf()), keys['legacy-token-signer'].publicKey),
    /signature is invalid/,
  );
});

test('header and claims are those of the published service, in its order', () => {
  const names = (jwt: string, index: number) => Object.keys(part(jwt, index));
  const ours = mint(tokenOf());
  for (const index of [0, 1]) assert.deepEqual(names(ours, index), names(PUBLISHED.enclave.jwt, index));
  const legacy = mint(tokenOf({ kind: 'legacy', publicKey: null }));
  assert.deepEqual(part(legacy, 0), part(PUBLISHED.legacy, 0));
  const claims = part(legacy, 1);
  assert.equal(typeof claims.exp, 'number');
  assert.deepEqual(
    Object.keys(claims).filter((name) => name !== 'organization_id'),
    names(PUBLISHED.legacy, 1),
  );
});

test('the published service’s token is read with its key', async () => {
  const theirs = verificationTokens({ ...keys, 'otp-signer': { publicKey: PUBLISHED.enclave.key } });
  const token = (await theirs(PUBLISHED.enclave.jwt))!;
  assert.deepEqual([token.kind, token.contact, token.expiresAt], ['enclave', 'user@example.com', 1782919651261]);
  assert.equal(await read(PUBLISHED.enclave.jwt), undefined);
  assert.equal(await read(PUBLISHED.legacy), undefined, 'nothing says whose it is');
});

test('no contact makes a segment that a client’s decoder spoils', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom(...'~?>\u007fé😀a"\\') })),
      async (contact) => {
        const jwt = mint(tokenOf({ contact }));
        const [header, payload] = jwt.split('.');
        assert.ok(!/[-_=]/.test(`${header}${payload}`), contact);
        assert.equal(JSON.parse(atob(payload!)).contact, contact);
        assert.equal((await read(jwt))?.contact, contact);
      },
    ),
  );
});

test('a token with other claims, or signed by another key, is none', async () => {
  const claims = part(mint(tokenOf()), 1);
  const signed = (
    changed: object,
    header: object = { typ: 'JWT', alg: 'ES256' },
    key: 'otp-signer' | 'legacy-token-signer' = 'otp-signer',
  ) => writeJwt(header as Record<string, string>, { ...claims, ...changed }, (data) => tokens.signToken(key, data));
  assert.ok(await read(signed({})));
  assert.equal(await read(signed({}, undefined, 'legacy-token-signer')), undefined);
  assert.equal(await read(signed({ exp: 4_102_444_800 })), undefined, 'a legacy token has the other key');
  assert.ok(await read(signed({ exp: 4_102_444_800 }, undefined, 'legacy-token-signer')));
  for (const changed of [
    { id: undefined },
    { id: 'x' },
    { organization_id: undefined },
    { organization_id: 7 },
    { verification_type: 'OTP_TYPE_PIGEON' },
    { contact: undefined },
    { contact: null },
    { public_key: undefined },
    { public_key: null },
    { public_key: '02' },
    { public_key: 5 },
    { exp: undefined },
    { exp: 'soon' },
    { exp: '-1' },
    { exp: '1e99' },
    { exp: '9'.repeat(16) },
    { exp: null },
  ])
    assert.equal(await read(signed(changed)), undefined, JSON.stringify(changed));
  for (const header of [
    { alg: 'none', typ: 'JWT' },
    { alg: 'HS256', typ: 'JWT' },
    { alg: 'ES256' },
    { alg: 'ES256', typ: 'at+jwt' },
  ])
    assert.equal(await read(signed({}, header)), undefined, JSON.stringify(header));
  const legacy = (exp: number) => signed({ exp, public_key: undefined }, undefined, 'legacy-token-signer');
  assert.ok(await read(legacy(1)));
  for (const exp of [1.5, -0.5, 1e300]) assert.equal(await read(legacy(exp)), undefined, String(exp));
});

test('no text whatever makes an exception, and no changed token is read', async () => {
  const next = seeded(31);
  const jwt = mint(tokenOf());
  const alphabet = 'ABCabc019-_=.{}" ~é\u0000';
  const [header, payload, signature] = jwt.split('.') as [string, string, string];
  assert.equal(await read(`${header}.${payload}.${signature}.`), undefined);
  assert.equal(await read(`${header}.${payload}`), undefined);
  assert.equal(await read(`${header}.${payload}.`), undefined);
  assert.equal(await read(''), undefined);
  assert.equal(await read('.'.repeat(9_000)), undefined);
  assert.equal(await read(`${header}.${Buffer.from('['.repeat(5_000)).toString('base64url')}.${signature}`), undefined);
  const token = await read(jwt);
  for (let i = 0; i < rounds(3_000); i++) {
    const at = next(jwt.length);
    const cut = next(4);
    const other = `${jwt.slice(0, at)}${alphabet[next(alphabet.length)]}${jwt.slice(at + cut)}`;
    const found = await read(other);
    // The last digit of a segment has bits that mean nothing.
    if (found !== undefined) assert.deepEqual(found, token, other);
  }
  for (let i = 0; i < rounds(2_000); i++) {
    const text = Array.from({ length: next(60) }, () => alphabet[next(alphabet.length)]).join('');
    assert.equal(await read(text), undefined, text);
    assert.equal(await read(`${Buffer.from(text).toString('base64url')}.${payload}.${signature}`), undefined);
  }
});
