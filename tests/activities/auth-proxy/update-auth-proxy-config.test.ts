import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findConfig } from '../../../src/auth-proxy/find-config.ts';
import { resultOf } from '../../support/client.ts';
import { refused } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();
const { root, engine } = instance;

const TYPE = 'UPDATE_AUTH_PROXY_CONFIG';
const update = async (settings: object) =>
  resultOf(await root.submit(TYPE, settings), 'updateAuthProxyConfigResult').configId as string;

test('a user without permission is refused', () => refusedToNobody(instance, TYPE, {}));

test('a sub-organization has none', async () => {
  refused(await pair.clients[0].submit(TYPE, {}), [400, 'INVALID_ACTIVITY_CALLER', /cannot be started in a sub-organization/]);
});

test('settings may come before the proxy is switched on, and what is left out stays', async () => {
  const configId = await update({ allowedOrigins: ['http://localhost:3000', 'capacitor://localhost'], otpLength: 6 });
  assert.equal(await findConfig(engine, configId), undefined, 'it is off');
  resultOf(await root.submit('ENABLE_AUTH_PROXY', {}), 'enableAuthProxyResult');
  assert.equal(await update({ otpAlphanumeric: false }), configId);
  const { settings } = (await findConfig(engine, configId))!.config;
  assert.deepEqual(settings.allowedOrigins, ['http://localhost:3000', 'capacitor://localhost']);
  assert.deepEqual([settings.otpLength, settings.otpAlphanumeric, settings.sessionExpirationSeconds], [6, false, 900]);
});
