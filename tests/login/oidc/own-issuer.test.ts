import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { test } from 'node:test';
import type { Oauth2Vault } from '../../../src/custody/types.ts';
import { oidcPort } from '../../../src/login/oidc/verify.ts';
import { mintIdentityToken, ownIssuer } from '../../../src/login/tokens/own-issuer.ts';
import { sharedIssuer } from '../../support/oidc.ts';

const { issuer } = await sharedIssuer();

const BASE_URL = 'https://custody.test';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const signWith = (key: KeyObject) => (data: Uint8Array) => sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' });

/** The point in hex, 65 bytes. */
function pointOf(key: KeyObject): string {
  const { x, y } = createPublicKey(key.export({ type: 'spki', format: 'pem' }) as string).export({ format: 'jwk' });
  return `04${Buffer.from(x!, 'base64url').toString('hex')}${Buffer.from(y!, 'base64url').toString('hex')}`;
}

const vault = { identityPublicKey: pointOf(publicKey), signIdentityToken: signWith(privateKey) } as unknown as Oauth2Vault;
const own = ownIssuer(BASE_URL, pointOf(publicKey));
const asked: string[] = [];
const fetchNothing = async (url: string): Promise<Buffer> => {
  asked.push(url);
  throw new Error('nobody is asked');
};
const NOW = Date.now();
const mint = (more: object = {}) =>
  mintIdentityToken(vault, {
    baseUrl: BASE_URL,
    audience: 'client',
    subject: 'x:1',
    nonce: 'nonce',
    encryptedBearerToken: undefined,
    now: NOW,
    ...more,
  });
const verify = (token: string, options: object = {}, now = NOW) =>
  oidcPort(fetchNothing, { now: () => 0 }, { own, ...options }).verify([{ token, field: 'f' }], { now, payer: 'payer' });

test('its own tokens are verified without asking anybody, until they expire', async () => {
  const [token] = await verify(mint());
  assert.deepEqual(token, { issuer: BASE_URL, audience: 'client', subject: 'x:1', verifiedEmail: undefined });
  await assert.rejects(verify(mint(), {}, NOW + 700_000), /it has expired/);
  assert.deepEqual(asked, []);
});

test('no other key signs in its name, also under the same key id', async () => {
  const { kid } = own.keys.keys[0]!;
  for (const [header, text] of [
    [{}, /its issuer has no key with its kid and alg/],
    [{ kid }, /its signature does not match/],
  ] as const)
    await assert.rejects(verify(issuer.signNow({ iss: BASE_URL, aud: 'client', sub: 'x:1' }, header)), text);
  assert.deepEqual(asked, []);
});

test('its key signs in no other name, however like its own', async () => {
  for (const baseUrl of [issuer.url, `${BASE_URL}/`, 'https://CUSTODY.test', 'http://custody.test']) {
    asked.length = 0;
    await assert.rejects(verify(mint({ baseUrl })));
    assert.equal(asked.length, 1, 'its own key is not tried: that issuer is asked');
  }
});

test('payloads are written so that published clients can read them', () => {
  const token = mint({ audience: '~~~>>>???', nonce: 'ü' });
  assert.equal(JSON.parse(atob(token.split('.')[1]!)).aud, '~~~>>>???');
});

test('the operator says whose tokens are accepted, beside the service’s own', async () => {
  const text = /invalid OIDC token: f: OAUTH disallowed: this service accepts no tokens of its issuer \(OIDC_ISSUERS\)/;
  asked.length = 0;
  for (const accepted of [[], ['https://accounts.google.com'], [`${issuer.url}/`]]) {
    await assert.rejects(verify(issuer.signNow(), { accepted }), text);
    assert.equal((await verify(mint(), { accepted })).length, 1);
  }
  assert.deepEqual(asked, []);
  await assert.rejects(verify(issuer.signNow(), { accepted: [issuer.url] }));
  assert.equal(asked.length, 1);
});
