import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { encryptedSecret } from '../../support/oauth2.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { sharedPair, waitsForBoth } from '../support.ts';

const { instance, pair } = await sharedPair({ LIMIT_OAUTH2_CREDENTIALS: '3' });

const TYPE = 'CREATE_OAUTH2_CREDENTIAL';
const KEY = 'createOauth2CredentialResult';
const SECRET = 'the client secret';
const sample = {
  provider: 'OAUTH2_PROVIDER_X',
  clientId: 'bXktY2xpZW50',
  encryptedClientSecret: await encryptedSecret(instance.url, SECRET),
};

test('a credential is shown as it was sent, and its secret is nowhere in clear', async () => {
  const { oauth2CredentialId } = resultOf(await instance.root.submit(TYPE, sample), KEY);
  const { oauth2Credential } = (await instance.root.query('get_oauth2_credential', { oauth2CredentialId })).body;
  const { createdAt, updatedAt, ...rest } = oauth2Credential;
  assert.deepEqual(rest, { ...sample, oauth2CredentialId, organizationId: instance.root.organizationId });
  assert.deepEqual(createdAt, updatedAt);
  const [row] = await instance.raw('SELECT * FROM oauth2_credentials');
  assert.ok(!JSON.stringify(row).includes(SECRET), 'the row has it sealed, and in the envelope');
  const sealed = row!.sealed_client_secret as Uint8Array;
  assert.ok(sealed.length > SECRET.length && !Buffer.from(sealed).includes(SECRET));
});

test('a secret that cannot be used', async () => {
  const field = 'parameters.encryptedClientSecret';
  const sealed = (secret: string) => encryptedSecret(instance.url, secret);
  const good = sample.encryptedClientSecret;
  const other = good.slice(0, -2) + (good.endsWith('00') ? '01' : '00');
  const cases: [string, RegExp][] = [
    ['no hex', /is not hex .* oauth2-secret-encryption/],
    [good.slice(2), /is not an envelope/],
    ['00'.repeat(97), /is not an envelope/],
    [good.slice(0, 24) + '00'.repeat(65) + good.slice(154), /has no P-256 public key/],
    [other, /cannot be decrypted: it is not sealed to the key of this service/],
    [await sealed('x'.repeat(513)), /must hold a client secret/],
    [await sealed('two\nlines'), /must hold a client secret/],
    [await sealed('schlüssel'), /must hold a client secret/],
    ['ab'.repeat(2049), /at most 4096 characters/],
  ];
  await refusesEach(
    instance.root,
    TYPE,
    cases.map(([encryptedClientSecret, text]) => [{ ...sample, encryptedClientSecret }, field, text]),
  );
});

test('bad parameters are named, in the words that clients know', () =>
  refusesEach(instance.root, TYPE, [
    [{ ...sample, provider: 'OAUTH2_PROVIDER_Y' }, 'parameters.provider', /did you mean OAUTH2_PROVIDER_X\?/],
    [{ ...sample, clientId: 'a\nb' }, 'parameters.clientId', /printable ASCII/],
  ]));

test('waits for the second root user, in a sub-organization too', async () => {
  const { oauth2CredentialId } = await waitsForBoth(pair, TYPE, sample, KEY);
  const ask = { oauth2CredentialId };
  assert.equal((await pair.outsider.query('get_oauth2_credential', ask)).status, 200, 'its users may look');
  assert.equal((await instance.root.query('get_oauth2_credential', ask)).status, 404, 'it is not the parent’s');
});

test('an organization has so many at most, and room again after one was deleted', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 2; i++) ids.push(resultOf(await instance.root.submit(TYPE, sample), KEY).oauth2CredentialId);
  refused(await instance.root.submit(TYPE, sample), [
    429,
    'UNSPECIFIED',
    /limit of 3 OAuth 2.0 credentials \(LIMIT_OAUTH2_CREDENTIALS\)/,
  ]);
  resultOf(
    await instance.root.submit('DELETE_OAUTH2_CREDENTIAL', { oauth2CredentialId: ids[0] }),
    'deleteOauth2CredentialResult',
  );
  resultOf(await instance.root.submit(TYPE, sample), KEY);
});
