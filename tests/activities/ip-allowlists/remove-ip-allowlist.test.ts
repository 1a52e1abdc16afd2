import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKeys, resultOf } from '../../support/client.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'REMOVE_IP_ALLOWLIST';
const KEY = 'removeIpAllowlistResult';
const listOf = async (publicKey?: string) => (await root.query('get_ip_allowlist', { publicKey })).body.allowlist;

test('the organization’s list is gone, and those of its keys stay until they are removed', async () => {
  const { keys } = await instance.newUser('Key');
  const { publicKey } = keys;
  const { organizationId } = root;
  for (const more of [{ enabled: true }, { publicKey }])
    resultOf(await root.submit('SET_IP_ALLOWLIST', { rules: [{ cidr: '127.0.0.1' }], ...more }), 'setIpAllowlistResult');
  assert.deepEqual(resultOf(await root.submit(TYPE, {}), KEY), {});
  assert.deepEqual(await listOf(), { organizationId, rules: [] });
  assert.equal((await listOf(publicKey)).rules.length, 1);
  resultOf(await root.submit(TYPE, { publicKey }), KEY);
  assert.deepEqual(await listOf(publicKey), { organizationId, publicKey, rules: [] });
});

test('where there is none, nothing changes; a new one is off again', async () => {
  resultOf(await root.submit(TYPE, {}), KEY);
  resultOf(await root.submit('SET_IP_ALLOWLIST', { rules: [{ cidr: '192.0.2.1' }] }), 'setIpAllowlistResult');
  assert.equal((await listOf()).enabled, false);
});

test('a key that the organization does not have, and another organization’s', async () => {
  for (const publicKey of [newKeys().publicKey, pair.clients[0].keys.publicKey])
    refused(await root.submit(TYPE, { publicKey }), [404, 'UNSPECIFIED', /public key not found: parameters\.publicKey/]);
});

test('sub-organizations have none', async () => {
  refused(await pair.clients[0].submit(TYPE, {}), [400, 'INVALID_ACTIVITY_CALLER', /sub-organization/]);
  refused(await pair.parent.submit(TYPE, {}), [400, 'ORGANIZATION_MISMATCH', /organization mismatch/]);
});

test('bad parameters are named', () =>
  refusesEach(root, TYPE, [[{ publicKey: 'xx' }, 'parameters.publicKey', /public key in hex/]]));
