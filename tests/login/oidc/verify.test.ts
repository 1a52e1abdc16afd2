import assert from 'node:assert/strict';
import { createHash, createPublicKey } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { ApiError, Unreachable } from '../../../src/base/errors.ts';
import type { OidcPort, OidcQuestion } from '../../../src/engine/ports.ts';
import { fetchKeys } from '../../../src/login/oidc/issuer.ts';
import { oidcPort } from '../../../src/login/oidc/verify.ts';
import { parseAllowed } from '../../../src/outbound/allowed.ts';
import { guarded } from '../../../src/outbound/guard.ts';
import { type Issuer, startIssuer } from '../../support/oidc.ts';

const DISCOVERY = '/.well-known/openid-configuration';
const KEYS = '/jwks';

let issuer: Issuer;
before(async () => {
  issuer = await startIssuer();
});
after(() => issuer.close());

let elapsed = 0;
let oidc: OidcPort;
const newPort = (milliseconds?: number) =>
  oidcPort(guarded({ allowed: parseAllowed(issuer.hostAndPort) }), { now: () => elapsed }, { milliseconds });
beforeEach(() => {
  oidc = newPort();
  issuer.answer(DISCOVERY, undefined);
  issuer.answer(KEYS, undefined);
  issuer.asked.length = 0;
});

const question = (more: Partial<OidcQuestion> = {}): OidcQuestion => ({ now: Date.now(), payer: 'payer', ...more });
const verify = async (token: string, more: Partial<OidcQuestion> = {}) =>
  (await oidc.verify([{ token, field: 'oidcToken' }], question(more)))[0]!;
const seconds = (ahead: number) => Math.floor(Date.now() / 1000) + ahead;
/** A failure is forgotten by then. */
const later = () => {
  elapsed += 5000;
};
const fetches = () => issuer.asked.filter((path) => path === KEYS).length;

async function refused(token: string, message: RegExp, more: Partial<OidcQuestion> = {}): Promise<void> {
  await assert.rejects(verify(token, more), (error: ApiError) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, 'INVALID_OIDC_TOKEN', error.message);
    assert.equal(error.http, 400);
    assert.match(error.message, /^invalid OIDC token: oidcToken: /);
    assert.match(error.message, message);
    const parts = token.split('.').filter(({ length }) => length > 10);
    for (const part of parts) assert.ok(!error.message.includes(part), 'the token is not told');
    return true;
  });
}

async function notNow(token: string, message: RegExp, more: Partial<OidcQuestion> = {}): Promise<void> {
  await assert.rejects(verify(token, more), (error: Error) => {
    assert.ok(error instanceof Unreachable, String(error));
    assert.match(error.message, message);
    return true;
  });
}

/** JSON at a path of the issuer. */
const serve = (path: string, document: unknown) =>
  issuer.answer(path, (_, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(document)));

test('a token of a real login', async () => {
  const token = await issuer.signIn('alice');
  const expected = { issuer: issuer.url, audience: issuer.clientId, subject: 'alice', verifiedEmail: undefined };
  assert.deepEqual(await verify(token), expected);
  assert.deepEqual(await verify(Buffer.from(token).toString('base64')), expected, 'in base64 too');
  const other = await verify(await issuer.signIn('alice', { clientId: 'other-client' }));
  assert.deepEqual(other, { ...expected, audience: 'other-client' });
});

test('keys are fetched once for all who need them, and again when they are old', async () => {
  const tokens = await Promise.all(Array.from({ length: 5 }, (_, i) => issuer.sign({ sub: `somebody ${i}` })));
  issuer.asked.length = 0;
  await Promise.all(tokens.map((token) => verify(token)));
  assert.deepEqual(issuer.asked, [DISCOVERY, KEYS]);
  elapsed += 599_000;
  await verify(tokens[0]!);
  assert.equal(fetches(), 1);
  elapsed += 2000;
  await verify(tokens[0]!);
  assert.equal(fetches(), 2);
});

test('a new key is fetched when it is first seen, and the old one is gone', async () => {
  const old = await issuer.sign();
  await verify(old);
  await issuer.rotate();
  elapsed += 10_000;
  assert.equal((await verify(await issuer.signIn('bob'))).subject, 'bob');
  assert.equal(fetches(), 2);
  await refused(old, /its issuer has no key with its kid and alg/);
});

test('unknown keys do not make us fetch each time', async () => {
  await verify(await issuer.sign());
  for (let i = 0; i < 5; i++)
    await refused(await issuer.sign({}, { kid: `unknown ${i}` }), /its issuer has no key with its kid and alg/);
  assert.equal(fetches(), 1, 'they were fetched a moment ago');
  elapsed += 10_000;
  const many = Array.from({ length: 5 }, async (_, i) =>
    refused(await issuer.sign({}, { kid: `other ${i}` }), /no key with its kid and alg/),
  );
  await Promise.all(many);
  for (let i = 0; i < 5; i++) await refused(await issuer.sign({}, { kid: `more ${i}` }), /no key with its kid and alg/);
  assert.equal(fetches(), 2);
  // A fetch that fails counts too.
  elapsed += 10_000;
  issuer.answer(KEYS, (_, response) => response.writeHead(500).end());
  await notNow(await issuer.sign({}, { kid: 'again' }), /status 500/);
  await refused(await issuer.sign({}, { kid: 'again' }), /no key with its kid and alg/);
  assert.equal(fetches(), 3);
  assert.equal((await verify(await issuer.sign())).subject, 'somebody', 'the known keys are still good');
});

test('an issuer that fails is not asked again for a moment, and its failure is told', async () => {
  issuer.answer(DISCOVERY, (_, response) => response.writeHead(500).end());
  const many = Array.from({ length: 5 }, async (_, i) => notNow(await issuer.sign({ sub: `${i}` }), /status 500/));
  await Promise.all(many);
  for (let i = 0; i < 5; i++) await notNow(await issuer.sign(), /status 500/, { payer: `payer ${i}` });
  issuer.answer(DISCOVERY, (_, response) => response.end('{}'));
  await notNow(await issuer.sign(), /status 500/);
  assert.equal(issuer.asked.length, 1);
  later();
  await refused(await issuer.sign(), /names another issuer/);
  issuer.answer(DISCOVERY, undefined);
  await refused(await issuer.sign(), /names another issuer/);
  assert.equal(issuer.asked.length, 2);
  later();
  assert.equal((await verify(await issuer.sign())).subject, 'somebody');
});

test('a payer without a free place does not keep others from a new key', async () => {
  const slow = await startIssuer();
  try {
    const waiting: (() => void)[] = [];
    slow.answer(DISCOVERY, (_, response) => void waiting.push(() => response.writeHead(500).end()));
    const allowed = parseAllowed(`${issuer.hostAndPort},${slow.hostAndPort}`);
    oidc = oidcPort(guarded({ allowed, bounds: { payer: 1 } }), { now: () => elapsed });
    await verify(await issuer.sign());
    elapsed += 10_000;
    const held = notNow(await slow.sign(), /status 500/, { payer: 'greedy' });
    await notNow(await issuer.sign({}, { kid: 'unknown' }), /too many requests/, { payer: 'greedy' });
    await issuer.rotate();
    assert.equal((await verify(await issuer.signIn('bob'))).subject, 'bob');
    while (waiting.length === 0) await new Promise(setImmediate);
    waiting[0]!();
    await held;
  } finally {
    await slow.close();
  }
});

test('a token without the name of its key is tried with those that fit', async () => {
  const { d: _, ...known } = issuer.key();
  const others = await Promise.all(
    Array.from({ length: 3 }, async (_, i) => ({
      ...(await exportJWK((await generateKeyPair('ES256')).publicKey)),
      kid: `other ${i}`,
    })),
  );
  serve(KEYS, { keys: [...others, known] });
  assert.equal((await verify(await issuer.sign({}, { kid: undefined }))).subject, 'somebody');
  serve(KEYS, { keys: others });
  oidc = newPort();
  await refused(await issuer.sign({}, { kid: undefined }), /does not match the keys/);
});

test('all tokens of one call that name no key have a bounded number of tries', async () => {
  const { d: _, ...known } = issuer.key();
  const wrong = { ...(await exportJWK((await generateKeyPair('ES256')).publicKey)), kid: 'wrong' };
  serve(KEYS, { keys: [wrong, known] });
  const tokens = async (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => ({ token: await issuer.sign({}, { kid: undefined }), field: 'token' })),
    );
  assert.equal((await oidc.verify(await tokens(32), question())).length, 32, 'two tries each');
  await assert.rejects(async () => oidc.verify(await tokens(33), question()), /names no kid/);
});

test('the signature: another key, changed bytes', async () => {
  const { privateKey } = await generateKeyPair('ES256');
  const claims = { iss: issuer.url, aud: 'client', sub: 'somebody', exp: seconds(60) };
  const foreign = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: issuer.key().kid! }).sign(privateKey);
  await refused(foreign, /signature does not match/);
  const [header, , signature] = (await issuer.sign()).split('.');
  const payload = Buffer.from(JSON.stringify({ ...claims, sub: 'somebody else' })).toString('base64url');
  await refused(`${header}.${payload}.${signature}`, /signature does not match/);
});

test('no signature, and a public key used as a secret', async () => {
  const claims = { iss: issuer.url, aud: 'client', sub: 'somebody', exp: seconds(60) };
  const none = new UnsecuredJWT(claims).encode();
  await refused(none, /three parts/);
  await refused(`${none}AA`, /must be signed with another algorithm/);
  const { d: _, ...known } = issuer.key();
  const pem = createPublicKey({ key: known as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  for (const secret of [Buffer.from(pem as string), Buffer.from(JSON.stringify(known))])
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      const confused = await new SignJWT(claims).setProtectedHeader({ alg, kid: known.kid! }).sign(secret);
      await refused(confused, /must be signed with another algorithm/);
    }
  for (const alg of ['nOnE', 'RSA-OAEP', 'dir', '', undefined])
    await refused(await issuer.sign({}, {}).then(withHeader({ alg })), /must be signed with another algorithm/);
  assert.deepEqual(issuer.asked, [], 'nobody was asked for keys');
  // An algorithm that is accepted, and is not the key's.
  for (const alg of ['RS256', 'ES384', 'EdDSA'])
    await refused(await issuer.sign().then(withHeader({ alg, kid: known.kid })), /no key with its kid and alg/);
});

/** Puts another header in front of a signed token. */
const withHeader = (header: object) => (token: string) =>
  [Buffer.from(JSON.stringify(header)).toString('base64url'), ...token.split('.').slice(1)].join('.');

test('RSA, Ed25519 and the larger curves are accepted', async () => {
  for (const alg of ['RS256', 'RS512', 'PS256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']) {
    const { publicKey, privateKey } = await generateKeyPair(alg);
    serve(KEYS, { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg }] });
    oidc = newPort();
    const claims = { iss: issuer.url, aud: 'client', sub: alg, exp: seconds(60) };
    assert.equal((await verify(await new SignJWT(claims).setProtectedHeader({ alg, kid: 'k' }).sign(privateKey))).subject, alg);
  }
});

test('times: expired, not yet valid, and clocks that differ a little', async () => {
  await refused(await issuer.sign({ exp: seconds(-61) }), /it has expired/);
  await refused(await issuer.sign(), /it has expired/, { now: Date.now() + 3_700_000 });
  await refused(await issuer.sign({ nbf: seconds(70) }), /not valid yet/);
  await refused(await issuer.sign({ iat: seconds(70) }), /not valid yet/);
  for (const exp of [undefined, '2000000000', null]) await refused(await issuer.sign({ exp }), /exp/);
  for (const wrong of [{ nbf: 'x' }, { iat: 'x' }]) await refused(await issuer.sign(wrong), /not acceptable/);
  for (const fine of [{ exp: seconds(-50) }, { nbf: seconds(50) }, { iat: seconds(50) }, { iat: undefined }])
    await verify(await issuer.sign(fine));
});

test('claims that identify: present, texts, not long', async () => {
  const long = 'a'.repeat(513);
  const cases: [object, RegExp][] = [
    ...[undefined, '', 1, null, ['a'], long, 'a\u0000'].map((sub): [object, RegExp] => [{ sub }, /its sub must be/]),
    ...[undefined, '', 1, null, {}, [], [1], long, 'a\n', '\ud800'].map((aud): [object, RegExp] => [{ aud }, /its aud must be/]),
    ...[undefined, '', 1, [issuer.url], `https://${long}`].map((iss): [object, RegExp] => [{ iss }, /its iss must be/]),
    [{ aud: ['a', 'b'] }, /azp names one/],
    [{ aud: ['a', 'b'], azp: 'c' }, /azp names one/],
    [{ aud: ['a', 1], azp: 1 }, /its aud must be/],
  ];
  for (const [claims, message] of cases) await refused(await issuer.sign(claims), message);
  assert.deepEqual(issuer.asked, []);
  const audiences: [object, string][] = [
    [{ aud: ['client'] }, 'client'],
    [{ aud: ['client', 'api'], azp: 'client' }, 'client'],
    // A native app's token for its server: the party that got it differs from whom it is for.
    [{ aud: 'server', azp: 'android' }, 'server'],
  ];
  for (const [claims, audience] of audiences) assert.equal((await verify(await issuer.sign(claims))).audience, audience);
});

test('texts that are not ID tokens', async () => {
  const good = await issuer.sign();
  for (const typ of ['at+jwt', 'application/at+jwt', 'logout+jwt'])
    await refused(await issuer.sign({}, { typ }), /not an ID token/);
  const parts = good.split('.');
  for (const wrong of [
    '',
    'x',
    'a.b',
    'a.b.c.d',
    `${parts[0]}.${parts[1]}.`,
    `${good}=`,
    `${good} `,
    '..',
    `${parts[0]}.*.c`,
    'YQ==',
  ])
    await refused(wrong, /three parts/);
  for (const wrong of [`YQ.${parts[1]}.${parts[2]}`, `${parts[0]}.W10.${parts[2]}`, `${parts[0]}.bnVsbA.${parts[2]}`])
    await refused(wrong, /JSON objects/);
  await refused(withHeader({ alg: 'ES256', kid: issuer.key().kid, crit: ['x'], x: 1 })(good), /cannot be verified/);
});

test('an issuer whose discovery does not fit', async () => {
  const documents: [unknown, RegExp][] = [
    [{ issuer: 'https://another.test', jwks_uri: `${issuer.url}/jwks` }, /names another issuer/],
    [{ issuer: `${issuer.url}/`, jwks_uri: `${issuer.url}/jwks` }, /names another issuer/],
    [{ jwks_uri: `${issuer.url}/jwks` }, /names another issuer/],
    [{ issuer: issuer.url }, /no jwks_uri/],
    [{ issuer: issuer.url, jwks_uri: 1 }, /no jwks_uri/],
    [{ issuer: issuer.url, jwks_uri: 'https://169.254.169.254/keys' }, /no public address/],
    [{ issuer: issuer.url, jwks_uri: 'http://127.0.0.1/keys' }, /over https/],
    [null, /not a JSON object/],
    ['text', /not a JSON object/],
  ];
  for (const [document, message] of documents) {
    later();
    serve(DISCOVERY, document);
    await refused(await issuer.sign(), message);
  }
  later();
  issuer.answer(DISCOVERY, (_, response) => response.end('<html>'));
  await refused(await issuer.sign(), /not a JSON object/);
  later();
  issuer.answer(DISCOVERY, (_, response) => response.writeHead(404).end());
  await refused(await issuer.sign(), /status 404/);
});

test('key sets that are none', async () => {
  for (const document of [{}, { keys: {} }, { keys: null }]) {
    serve(KEYS, document);
    await refused(await issuer.sign(), /no list of keys/);
    later();
  }
  const { d: _, ...known } = issuer.key();
  const oct = { kty: 'oct', k: 'c2VjcmV0', kid: known.kid };
  const useless = [1, null, {}, oct, { ...known, use: 'enc' }, { kty: 'RSA', kid: known.kid, n: 'a'.repeat(1367), e: 'AQAB' }];
  serve(KEYS, { keys: useless });
  await refused(await issuer.sign(), /no key with its kid and alg/);
  serve(KEYS, { keys: [{ ...known, x: 'AAAA' }] });
  oidc = newPort();
  await refused(await issuer.sign(), /cannot be verified/);
  // A hundred keys are looked at.
  serve(KEYS, { keys: [...Array.from({ length: 100 }, () => ({ ...known, kid: 'other' })), known] });
  oidc = newPort();
  await refused(await issuer.sign(), /no key with its kid and alg/);
});

test('only the used members of a key are kept', async () => {
  const { d: _, ...known } = issuer.key();
  const bad = [
    { ...known, kid: 1 },
    { ...known, kid: 'k'.repeat(1025) },
    { ...known, use: ['sig'] },
    { ...known, key_ops: ['sign'] },
    { ...known, alg: {} },
  ];
  serve(KEYS, { keys: [...bad, { ...known, key_ops: ['verify'], x5c: Array.from({ length: 1000 }, () => ({})) }] });
  const fetchDocument = guarded({ allowed: parseAllowed(issuer.hostAndPort) });
  const { find } = await fetchKeys(fetchDocument, issuer.url, 'payer');
  assert.deepEqual(find.jwks().keys, [known]);
});

test('issuers that must not be asked', async () => {
  for (const iss of ['https://127.0.0.1', 'https://[::1]', 'https://localhost', 'https://169.254.169.254', 'https://0x7f.1'])
    await refused(await issuer.sign({ iss }), /no public address/);
  for (const iss of ['http://issuer.test', 'ftp://issuer.test']) await refused(await issuer.sign({ iss }), /over https/);
  for (const iss of ['issuer', `${issuer.url}?a`, `${issuer.url}#a`]) await refused(await issuer.sign({ iss }), /must be a URL/);
});

test('huge documents', async () => {
  for (const path of [DISCOVERY, KEYS]) {
    issuer.answer(path, (_, response) => response.end(`{"a":"${'x'.repeat(262_144)}"}`));
    await refused(await issuer.sign(), /more than 262144 bytes/);
    issuer.answer(path, undefined);
    later();
  }
  issuer.answer(DISCOVERY, (_, response) => response.end('['.repeat(200_000)));
  await refused(await issuer.sign(), /not a JSON object/);
});

test('a slow issuer: refused for now, and others do not wait for it', async () => {
  const fast = await startIssuer();
  try {
    const arrived = Promise.withResolvers<void>();
    issuer.answer(DISCOVERY, () => arrived.resolve());
    const allowed = parseAllowed(`${issuer.hostAndPort},${fast.hostAndPort}`);
    oidc = oidcPort(guarded({ allowed, bounds: { milliseconds: 300 } }), { now: () => elapsed });
    const slow = notNow(await issuer.sign(), /keys of the token's issuer cannot be read now: .* could not be reached/);
    await arrived.promise;
    assert.equal((await verify(await fast.sign())).issuer, fast.url);
    await slow;
    issuer.answer(DISCOVERY, undefined);
    later();
    assert.equal((await verify(await issuer.sign())).issuer, issuer.url, 'its next answer counts');
    issuer.answer(DISCOVERY, () => {});
    oidc = newPort(20);
    await notNow(await issuer.sign(), /did not answer in time/);
  } finally {
    await fast.close();
  }
});

test('a token that is bound to a public key', async () => {
  const boundTo = '0394e549c71fa99dd5cf752fba623090be314949b74e4cdf7ca72031dd638e281a';
  const nonce = '1663bba492a323085b13895634a3618792c4ec6896f3c34ef3c26396df22ef82';
  assert.equal(createHash('sha256').update(boundTo).digest('hex'), nonce);
  assert.equal((await verify(await issuer.signIn('alice', { nonce }), { boundTo })).subject, 'alice');
  await verify(await issuer.sign({ tknonce: nonce, nonce: 'another' }), { boundTo });
  const others = [
    {},
    { nonce: boundTo },
    { nonce: nonce.toUpperCase() },
    { nonce: '' },
    { nonce: [nonce] },
    { tknonce: nonce.slice(1) },
  ];
  for (const claims of others) await refused(await issuer.sign(claims), /nonce/, { boundTo });
  await refused(await issuer.signIn('alice'), /nonce/, { boundTo });
});

test('only of Google an email is believed, and only if it says that it is verified', async () => {
  const email = { email: 'a@example.com', email_verified: true };
  assert.equal((await verify(await issuer.sign(email))).verifiedEmail, undefined);
  const { identityOf } = await import('../../../src/login/oidc/token.ts');
  const google = { iss: 'https://accounts.google.com', aud: 'client', sub: '1' };
  assert.equal(identityOf({ ...google, ...email }, 'f').verifiedEmail, 'a@example.com');
  for (const wrong of [{ email_verified: 'true' }, { email_verified: undefined }, { email: 1 }, { email: 'a'.repeat(255) }])
    assert.equal(identityOf({ ...google, ...email, ...wrong }, 'f').verifiedEmail, undefined);
});
