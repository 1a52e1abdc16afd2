import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reserveGas, settleGas } from '../../../src/chain-io/sends/gas/reserve.ts';
import type { Organization } from '../../../src/model/organization.ts';
import { getGasUsage } from '../../../src/queries/sponsorship/get-gas-usage.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';
import { newTopLevel } from '../../support/world/homes.ts';

const instance = await sharedInstance({ ALLOW_CREATE_ORGANIZATION: '1' });
const { engine } = instance;

const usageOf = async (client: Client) => {
  const { body } = await client.query('get_gas_usage');
  assert.deepEqual(getGasUsage.result.parse(body), body, 'the answer has its declared shape');
  return body;
};
const configure = async (client: Client, more: object = {}) =>
  resultOf(
    await client.submit('UPSERT_GAS_USAGE_CONFIG', {
      orgWindowLimitUsd: '10',
      subOrgWindowLimitUsd: '2.50',
      windowDurationMinutes: '60',
      ...more,
    }),
    'upsertGasUsageConfigResult',
  );

/** One coin costs one USD. */
const price = { usdE18: 10n ** 18n, decimals: 18 };
const coins = (thousandths: number) => BigInt(thousandths) * 10n ** 15n;

async function reserve(client: Client, thousandths: number): Promise<{ organizationId: string; id: string; spent: string }> {
  const organization = (await engine.store.read.organizations.get(client.organizationId)) as Organization;
  const id = engine.ids.next();
  const reservation = { sendId: id, units: coins(thousandths), price };
  await engine.store.transaction((tx) => reserveGas({ store: tx, organization, now: engine.clock.now() }, reservation));
  return { organizationId: organization.id, id, spent: '0' };
}

test('zeros where nothing is configured, and what was configured', async () => {
  const { client } = await newTopLevel(instance, 'Empty');
  assert.deepEqual(await usageOf(client), { windowDurationMinutes: 0, windowLimitUsd: '0.00', usageUsd: '0.00' });
  await configure(client);
  assert.deepEqual(await usageOf(client), { windowDurationMinutes: 60, windowLimitUsd: '10.00', usageUsd: '0.00' });
});

test('a parent sees the total, a sub-organization its own, and what left the window is gone', async () => {
  await configure(instance.root);
  const below = (await instance.newSubOrganization('Below', 1, 1)).clients[0]!;
  const beside = (await instance.newSubOrganization('Beside', 1, 1)).clients[0]!;
  const send = await reserve(below, 1500);
  await reserve(instance.root, 3000);
  assert.deepEqual(await usageOf(below), { windowDurationMinutes: 60, windowLimitUsd: '2.50', usageUsd: '1.50' });
  assert.equal((await usageOf(beside)).usageUsd, '0.00');
  assert.deepEqual(await usageOf(instance.root), { windowDurationMinutes: 60, windowLimitUsd: '10.00', usageUsd: '4.50' });
  const asParent = instance.root.as(instance.root.keys, below.organizationId);
  assert.equal((await usageOf(asParent)).usageUsd, '1.50', 'the parent looks into it');
  await engine.store.transaction((tx) => settleGas(tx, send, coins(1) + 1n));
  assert.equal((await usageOf(below)).usageUsd, '0.001001', 'rounded up');
  assert.equal((await usageOf(instance.root)).usageUsd, '3.001001');
  instance.clock.advance(59 * 60_000);
  assert.equal((await usageOf(instance.root)).usageUsd, '3.001001');
  instance.clock.advance(2 * 60_000);
  for (const client of [below, instance.root]) assert.equal((await usageOf(client)).usageUsd, '0.00');
  await configure(instance.root, { windowDurationMinutes: '120' });
  assert.equal((await usageOf(instance.root)).usageUsd, '3.001001', 'a longer window has what was spent before');
});

test('another organization tells nothing', async () => {
  const { client } = await newTopLevel(instance, 'Elsewhere');
  const answer = await instance.root.query('get_gas_usage', { organizationId: client.organizationId });
  refused(answer, [401, 'PUBLIC_KEY_NOT_FOUND', /./]);
});
