import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getIpAllowlist } from '../../../src/queries/ip-allowlists/get-ip-allowlist.ts';
import { newKeys, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEachQuery } from '../../support/refusals.ts';

const instance = await sharedInstance();
const { root } = instance;

const listOf = async (publicKey?: string) => (await root.query('get_ip_allowlist', { publicKey })).body;

test('none at first: no rules', async () => {
  const { organizationId } = root;
  assert.deepEqual(await listOf(), { allowlist: { organizationId, rules: [] } });
  const { publicKey } = root.keys;
  assert.deepEqual(await listOf(publicKey), { allowlist: { organizationId, publicKey, rules: [] } });
});

test('every user of the organization reads it, in its declared shape', async () => {
  const rules = [{ cidr: '192.0.2.0/24', label: 'Office' }, { cidr: '2001:db8::1' }];
  resultOf(await root.submit('SET_IP_ALLOWLIST', { rules, onEvaluationError: 'ALLOW' }), 'setIpAllowlistResult');
  const { client } = await instance.newUser('Reader');
  const { body } = await client.query('get_ip_allowlist');
  assert.deepEqual(getIpAllowlist.result.parse(body), body);
  assert.deepEqual(
    body.allowlist.rules.map(({ cidr, label }: { cidr: string; label?: string }) => [cidr, label]),
    [
      ['192.0.2.0/24', 'Office'],
      ['2001:db8::1/128', undefined],
    ],
  );
  assert.equal(body.allowlist.onEvaluationError, 'ALLOW');
});

test('a sub-organization has none, whatever its parent has, and does not see its parent’s', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const own = { allowlist: { organizationId: sub.organizationId, rules: [] } };
  assert.deepEqual((await sub.clients[0]!.query('get_ip_allowlist')).body, own);
  assert.deepEqual((await root.as(root.keys, sub.organizationId).query('get_ip_allowlist')).body, own);
  const { publicKey } = sub.clients[0]!.keys;
  refused(await root.query('get_ip_allowlist', { publicKey }), [404, 'UNSPECIFIED', /public key not found: publicKey names/]);
});

test('an unknown key, and what is no key', async () => {
  const { publicKey } = newKeys();
  refused(await root.query('get_ip_allowlist', { publicKey }), [404, 'UNSPECIFIED', /public key not found/]);
  await refusesEachQuery(root, 'get_ip_allowlist', [[{ publicKey: 'x' }, 'publicKey', /public key in hex/]]);
});
