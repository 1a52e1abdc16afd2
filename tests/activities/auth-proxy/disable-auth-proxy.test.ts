import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findConfig } from '../../../src/auth-proxy/find-config.ts';
import { proxySubmit } from '../../../src/auth-proxy/submit.ts';
import { resultOf } from '../../support/client.ts';
import { refused } from '../../support/refusals.ts';
import { sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();
const { root, engine } = instance;

const TYPE = 'DISABLE_AUTH_PROXY';
const KEY = 'disableAuthProxyResult';
const update = async (settings: object) =>
  resultOf(await root.submit('UPDATE_AUTH_PROXY_CONFIG', settings), 'updateAuthProxyConfigResult').configId as string;

test('a sub-organization has none', async () => {
  refused(await pair.clients[0].submit(TYPE, {}), [400, 'INVALID_ACTIVITY_CALLER', /cannot be started in a sub-organization/]);
});

test('user, key and feature go; the settings and the id of the configuration stay', async () => {
  const first = resultOf(await root.submit('ENABLE_AUTH_PROXY', {}), 'enableAuthProxyResult').userId;
  const configId = await update({ allowedOrigins: ['https://app.example.com'] });
  const before = (await findConfig(engine, configId))!;
  assert.deepEqual(resultOf(await root.submit(TYPE, {}), KEY), {});

  assert.equal(await findConfig(engine, configId), undefined);
  const { users } = (await root.query('list_users', {})).body;
  assert.ok(!users.some(({ userId }: { userId: string }) => userId === first));
  const { features } = (await root.query('get_organization', {})).body.organizationData;
  assert.ok(!features.some(({ name }: { name: string }) => name === 'FEATURE_NAME_AUTH_PROXY'));
  const [row] = await instance.raw('SELECT * FROM auth_proxy_configs');
  assert.deepEqual([row!.key_id, row!.public_key, row!.sealed_key], [null, null, null]);
  const wish = { otpId: before.config.id, otpCode: '1' };
  await assert.rejects(proxySubmit(engine, before, 'ACTIVITY_TYPE_VERIFY_OTP', wish), { code: 'NOT_FOUND' });

  const second = resultOf(await root.submit('ENABLE_AUTH_PROXY', {}), 'enableAuthProxyResult').userId;
  assert.notEqual(second, first);
  const after = (await findConfig(engine, configId))!;
  assert.equal(after.config.id, configId);
  assert.deepEqual(after.config.settings.allowedOrigins, ['https://app.example.com']);
  assert.notEqual(after.config.publicKey, before.config.publicKey);
});

test('a disabled auth proxy stays disabled', async () => {
  for (const _ of [0, 1]) assert.deepEqual(resultOf(await root.submit(TYPE, {}), KEY), {});
});
