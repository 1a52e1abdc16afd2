import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPolicy } from '../../e2e/authority.ts';
import { newKeys, resultOf } from '../../support/client.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'SET_IP_ALLOWLIST';
const KEY = 'setIpAllowlistResult';
const set = async (parameters: object) => resultOf(await root.submit(TYPE, parameters), KEY);
const listOf = async (publicKey?: string) => (await root.query('get_ip_allowlist', { publicKey })).body.allowlist;
const here = [{ cidr: '127.0.0.1' }];

test('blocks in canonical form, each once with its first label; the list is off unless it is switched on', async () => {
  const answer = await root.submit(TYPE, {
    rules: [
      { cidr: '192.168.1.100/24', label: 'Office' },
      { cidr: '192.168.1.0/24', label: 'Again' },
      { cidr: '2001:DB8:1:2:3::/48' },
      { cidr: '::ffff:198.51.100.7', label: 'VPN' },
      { cidr: '198.51.100.7/32' },
    ],
  });
  assert.deepEqual(resultOf(answer, KEY), {});
  const { rules, ...rest } = await listOf();
  assert.deepEqual(rest, { organizationId: root.organizationId, enabled: false, onEvaluationError: 'DENY' });
  const createdAt = rules[0].createdAt;
  assert.ok(Math.abs(Number(createdAt) - instance.clock.now()) < 60_000);
  assert.deepEqual(rules, [
    { cidr: '192.168.1.0/24', label: 'Office', createdAt },
    { cidr: '2001:db8:1::/48', createdAt },
    { cidr: '198.51.100.7/32', label: 'VPN', createdAt },
  ]);
});

test('the sent list replaces the stored one; a block in both keeps its time; enabled and rules that are left out stay', async () => {
  await set({ rules: [...here, { cidr: '192.0.2.0/24' }], enabled: true, onEvaluationError: 'ALLOW' });
  const before = await listOf();
  assert.deepEqual([before.enabled, before.onEvaluationError], [true, 'ALLOW']);
  instance.clock.advance(5000);
  await set({ rules: [...here, { cidr: '203.0.113.0/24' }] });
  const after = await listOf();
  assert.deepEqual([after.enabled, after.onEvaluationError], [true, 'DENY']);
  assert.deepEqual(after.rules[0], before.rules[0]);
  assert.equal(after.rules[1].cidr, '203.0.113.0/24');
  assert.ok(Number(after.rules[1].createdAt) >= Number(before.rules[1].createdAt) + 5000);
  await set({ enabled: false });
  assert.deepEqual(await listOf(), { ...after, enabled: false });
  await set({ rules: [] });
  assert.deepEqual((await listOf()).rules, []);
});

test("a key's list that does not count is stored, the answer warns, and it is shown why", async () => {
  const { keys } = await instance.newUser('Not in force');
  const { publicKey } = keys;
  const warned = async (parameters: object) => {
    const answer = await root.submit(TYPE, { publicKey, ...parameters });
    assert.deepEqual(resultOf(answer, KEY), {});
    const [header, { notInForce }] = [answer.headers.get('x-warnings'), await listOf(publicKey)];
    const [warning] = header === null ? [] : [decodeURIComponent(header)];
    assert.equal(
      warning,
      notInForce && `IP_ALLOWLIST_NOT_IN_FORCE: the key's IP allow-list is stored, but not in force: ${notInForce}`,
    );
    return notInForce;
  };
  await root.submit('REMOVE_IP_ALLOWLIST', {});
  assert.match(await warned({ rules: here }), /^the organization has no IP allow-list: /);
  await set({ rules: here, enabled: false });
  assert.match(await warned({}), /^the organization's IP allow-list is off: /);
  await set({ enabled: true });
  assert.equal(await warned({}), undefined);
  assert.match(await warned({ rules: [] }), /^this list has no blocks: /);
  await set({ enabled: false });
});

test('the list of one key, by its public key in either case', async () => {
  const { keys } = await instance.newUser('Key');
  const publicKey = keys.publicKey;
  await set({ publicKey: publicKey.toUpperCase(), rules: [{ cidr: '192.0.2.0/24', label: 'Server' }] });
  const { rules, notInForce, ...rest } = await listOf(publicKey);
  assert.deepEqual(rest, { organizationId: root.organizationId, publicKey, onEvaluationError: 'DENY' });
  assert.deepEqual([rules[0].cidr, rules[0].label], ['192.0.2.0/24', 'Server']);
  assert.match(notInForce, /is off/);
  await set({ publicKey, enabled: true, rules: [] });
  assert.deepEqual((await listOf(publicKey)).rules, []);
});

test('ten blocks of each kind, after those that are there twice', async () => {
  const v4 = Array.from({ length: 11 }, (_, i) => ({ cidr: `10.0.${i}.0/24` }));
  const v6 = Array.from({ length: 11 }, (_, i) => ({ cidr: `2001:db8:${i}::/48` }));
  await set({ rules: [...v4.slice(0, 10), ...v6.slice(0, 10), v4[0], v6[0]] });
  assert.equal((await listOf()).rules.length, 20);
  for (const [rules, version] of [
    [v4, 'IPv4'],
    [v6, 'IPv6'],
  ] as const)
    refused(
      await root.submit(TYPE, { rules }),
      [400, 'REQUEST_INVALID', new RegExp(`10 blocks of ${version}`)],
      'parameters.rules',
    );
  assert.equal((await listOf()).rules.length, 20);
});

test('a key that the organization does not have, and another organization’s', async () => {
  for (const publicKey of [newKeys().publicKey, pair.clients[0].keys.publicKey])
    refused(await root.submit(TYPE, { publicKey, rules: [] }), [
      404,
      'UNSPECIFIED',
      /public key not found: parameters\.publicKey/,
    ]);
});

test('sub-organizations have none, not even by their parent', async () => {
  const wanted: [number, string, RegExp] = [400, 'INVALID_ACTIVITY_CALLER', /cannot be started in a sub-organization/];
  refused(await pair.clients[0].submit(TYPE, { rules: here }), wanted);
  const parent = await pair.parent.submit(TYPE, { rules: here });
  refused(parent, [400, 'ORGANIZATION_MISMATCH', /organization mismatch/]);
});

test('by policy: nobody, and then whom one names', async () => {
  await refusedToNobody(instance, TYPE, { rules: here });
  const { client, userId } = await instance.newUser('Network');
  await newPolicy(root, {
    condition: "activity.resource == 'CONFIG' && activity.action == 'UPDATE'",
    consensus: `approvers.any(user, user.id == '${userId}')`,
  });
  resultOf(await client.submit(TYPE, { rules: here }), KEY);
  refused(await client.submit('REMOVE_IP_ALLOWLIST', {}), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
});

test('bad parameters are named', async () => {
  const { keys } = await instance.newUser('Bad');
  const rule = (cidr: unknown, more = {}) => ({ rules: [{ cidr: '192.0.2.1' }, { cidr, ...more }] });
  const at = 'parameters.rules[1].cidr';
  await refusesEach(root, TYPE, [
    ...['', '192.0.2.0/33', '192.0.2', 'example.com', 'fe80::1%eth0', '::ffff:192.0.2.1/90', '*'].map(
      (cidr) => [rule(cidr), at, /block of addresses/] as [unknown, string, RegExp],
    ),
    [rule('10.0.0.0/19'), at, /wider than \/20.*"10\.0\.0\.0\/19"/],
    [rule('0.0.0.0/0'), at, /wider than \/20/],
    [rule('2001:db8::/47'), at, /wider than \/48/],
    [rule('::ffff:10.0.0.0/115'), at, /wider than \/20/],
    [rule('1'.repeat(65)), at, /at most 64 characters/],
    [rule(1), at, /string/],
    [rule(undefined), at, /is required/],
    [rule('192.0.2.2', { label: '' }), 'parameters.rules[1].label', /must not be empty/],
    [rule('192.0.2.2', { label: 'x'.repeat(256) }), 'parameters.rules[1].label', /at most 255/],
    [{ rules: Array(101).fill({ cidr: '192.0.2.1' }) }, 'parameters.rules', /100/],
    [{ rules: 'all' }, 'parameters.rules', /./],
    [{ rules: [], publicKey: '' }, 'parameters.publicKey', /public key in hex/],
    [{ rules: [], publicKey: 'xx' }, 'parameters.publicKey', /public key in hex/],
    [{ rules: [], publicKey: keys.publicKey, enabled: false }, 'parameters.enabled', /a key's list is enabled if it has rules/],
  ]);
});
