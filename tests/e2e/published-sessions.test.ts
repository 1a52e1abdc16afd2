import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { TurnkeyClient } from '@turnkey/http';
import { Turnkey } from '@turnkey/sdk-server';
import { claimsOf } from '../activities/sessions/support.ts';
import { type Keys, newKeys, submitPath } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { keysIn, newTarget } from '../support/published.ts';

/** Sessions as the published clients make and use them. */
const instance = await sharedInstance();
const { organizationId, userId, apiPublicKey, apiPrivateKey } = instance.credentials;

const sdk = ({ publicKey, privateKey }: Keys) =>
  new Turnkey({
    apiBaseUrl: instance.url,
    apiPublicKey: publicKey,
    apiPrivateKey: privateKey,
    defaultOrganizationId: organizationId,
  }).apiClient();

const root: Keys = { publicKey: apiPublicKey, privateKey: apiPrivateKey };

test('@turnkey/sdk-server logs in, works with the session, refreshes it and logs out', async () => {
  const first = newKeys();
  const { session } = await sdk(root).stampLogin({ publicKey: first.publicKey, expirationSeconds: '600' });
  assert.equal((await claimsOf(instance.url, session)).user_id, userId);
  assert.equal((await sdk(first).getWhoami()).userId, userId);
  const second = newKeys();
  await sdk(first).stampLogin({ publicKey: second.publicKey, invalidateExisting: true });
  await assert.rejects(sdk(first).getWhoami(), /could not find public key in organization or its parent organization/);
  const { apiKeys } = await sdk(second).getApiKeys({ userId });
  const mine = apiKeys.filter(({ credential }) => credential.type === 'CREDENTIAL_TYPE_LOGIN');
  assert.deepEqual(
    mine.map(({ credential }) => credential.publicKey),
    [second.publicKey],
  );
  await sdk(second).deleteApiKeys({ userId, apiKeyIds: mine.map(({ apiKeyId }) => apiKeyId) });
  await assert.rejects(sdk(second).getWhoami(), /could not find public key/);
});

test('@turnkey/sdk-server gets a read-write session, whose bundle @turnkey/crypto opens', async () => {
  const target = newTarget();
  const made = await sdk(root).createReadWriteSession({ targetPublicKey: target.publicKeyUncompressed, apiKeyName: 'Tablet' });
  assert.deepEqual([made.organizationId, made.userId], [organizationId, userId]);
  assert.equal((await sdk(keysIn(made.credentialBundle, target)).getWhoami()).userId, userId);
});

test('a session that has expired is told to @turnkey/http in the words that clients look for', async () => {
  const keys = newKeys();
  await sdk(root).stampLogin({ publicKey: keys.publicKey, expirationSeconds: '1' });
  instance.clock.advance(60_000);
  const stamper = new ApiKeyStamper({ apiPublicKey: keys.publicKey, apiPrivateKey: keys.privateKey });
  const client = new TurnkeyClient({ baseUrl: instance.url }, stamper);
  await assert.rejects(client.getWhoami({ organizationId }), /Unauthenticated desc = expired api key publicKey/);
});

test('@turnkey/http gets a read-only session, which reads as sdk-browser sends it', async () => {
  const client = new TurnkeyClient({ baseUrl: instance.url }, new ApiKeyStamper({ apiPublicKey, apiPrivateKey }));
  const { activity } = await client.createReadOnlySession({
    type: 'ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION',
    timestampMs: String(instance.clock.now()),
    organizationId,
    parameters: {},
  });
  const { session, sessionExpiry } = activity.result.createReadOnlySessionResult!;
  assert.ok(Number(sessionExpiry) * 1000 > instance.clock.now());
  const send = (path: string, body: object, origin = 'https://app.example') =>
    fetch(`${instance.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'X-Client-Version': '@turnkey/sdk-browser@8.2.1',
        'X-Session': session,
        origin,
      },
      body: JSON.stringify(body),
    });
  const answer = await send('/public/v1/query/whoami', { organizationId });
  assert.equal(answer.headers.get('access-control-allow-origin'), '*');
  assert.equal(((await answer.json()) as { userId: string }).userId, userId);
  const submit = {
    type: 'ACTIVITY_TYPE_DELETE_USERS',
    timestampMs: String(instance.clock.now()),
    organizationId,
    parameters: { userIds: [] },
  };
  assert.equal((await send(submitPath('DELETE_USERS'), submit)).status, 401);
  const preflight = await fetch(`${instance.url}/public/v1/query/whoami`, { method: 'OPTIONS' });
  assert.match(preflight.headers.get('access-control-allow-headers')!, /X-Session/);
});
