import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samples } from '../../support/all-samples.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { newTopLevel } from '../../support/world/homes.ts';
import { refusedToNobody } from '../support.ts';

const instance = await sharedInstance({ ALLOW_CREATE_ORGANIZATION: '1' });

const TYPE = 'UPSERT_GAS_USAGE_CONFIG';
const KEY = 'upsertGasUsageConfigResult';
const sample = samples('UPSERT_GAS_USAGE_CONFIG') as object;
const limits = { orgWindowLimitUsd: '10', subOrgWindowLimitUsd: '0.000001', windowDurationMinutes: '43200' };

const upsert = async (client: Client, parameters: object) => resultOf(await client.submit(TYPE, parameters), KEY);
const configOf = ({ organizationId }: Client) => instance.engine.store.read.gas.config(organizationId);
const featuresOf = async (client: Client) =>
  (await client.query('get_organization_configs')).body.configs.features.map(({ name }: { name: string }) => name);

test('it is made once, changed from then on, and keeps its id', async () => {
  const { client } = await newTopLevel(instance, 'Once');
  const made = await upsert(client, sample);
  const row = await configOf(client);
  assert.deepEqual(
    { ...row, createdAt: 0, updatedAt: 0 },
    {
      organizationId: client.organizationId,
      id: made.gasUsageConfigId,
      enabled: true,
      orgLimitMicroUsd: 100_000_000,
      subOrgLimitMicroUsd: 2_500_000,
      windowMinutes: 1440,
      createdAt: 0,
      updatedAt: 0,
    },
  );
  assert.deepEqual(await upsert(client, limits), made);
  const changed = await configOf(client);
  assert.deepEqual([changed?.orgLimitMicroUsd, changed?.subOrgLimitMicroUsd, changed?.windowMinutes], [10_000_000, 1, 43_200]);
  assert.equal(changed?.createdAt, row?.createdAt);
});

test('omitted fields stay as they are, and it is enabled at first', async () => {
  const { client } = await newTopLevel(instance, 'Left out');
  await upsert(client, limits);
  assert.equal((await configOf(client))?.enabled, true);
  await upsert(client, { ...limits, enabled: false, solanaConfig: { rentPrefundEnabled: true } });
  for (const parameters of [limits, { ...limits, solanaConfig: {} }]) {
    await upsert(client, parameters);
    assert.equal((await configOf(client))?.enabled, false);
    assert.ok((await featuresOf(client)).includes('FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED'));
  }
});

test('rent on Solana is a feature of the organization, and no other feature changes', async () => {
  const { client } = await newTopLevel(instance, 'Rent');
  const before = await featuresOf(client);
  await upsert(client, { ...limits, solanaConfig: { rentPrefundEnabled: true } });
  assert.deepEqual((await featuresOf(client)).sort(), [...before, 'FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED'].sort());
  await upsert(client, { ...limits, solanaConfig: { rentPrefundEnabled: false } });
  assert.deepEqual(await featuresOf(client), before);
});

test('a user without permission is refused, and a policy permits', async () => {
  await refusedToNobody(instance, TYPE, sample);
  const condition = "activity.resource == 'SPONSORSHIP' && activity.action == 'UPDATE'";
  const policy = { policyName: 'gas', effect: 'EFFECT_ALLOW', condition, consensus: 'true', notes: '' };
  resultOf(await instance.root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  const { client } = await instance.newUser('Permitted');
  await upsert(client, sample);
});

test('a sub-organization is sponsored by its parent, and sets nothing', async () => {
  const { clients } = await instance.newSubOrganization('Below', 1, 1);
  refused(await clients[0]!.submit(TYPE, sample), [400, 'INVALID_ACTIVITY_CALLER', /./]);
  assert.equal(await configOf(clients[0]!), undefined);
});

test('bad parameters are named', async () => {
  const { client } = await newTopLevel(instance, 'Mistakes');
  const USD = /must be an amount of USD from 0 to 1000000000 with at most six decimals/;
  const MINUTES = /must be a whole number of minutes from 1 to 43200/;
  await refusesEach(client, TYPE, [
    [{ ...sample, orgWindowLimitUsd: 100 }, 'parameters.orgWindowLimitUsd', /./],
    [{ ...sample, orgWindowLimitUsd: '-1' }, 'parameters.orgWindowLimitUsd', USD],
    [{ ...sample, orgWindowLimitUsd: '1e3' }, 'parameters.orgWindowLimitUsd', USD],
    [{ ...sample, orgWindowLimitUsd: '1000000000.000001x' }, 'parameters.orgWindowLimitUsd', USD],
    [{ ...sample, orgWindowLimitUsd: '1000000001' }, 'parameters.orgWindowLimitUsd', USD],
    [{ ...sample, orgWindowLimitUsd: '1'.repeat(1000) }, 'parameters.orgWindowLimitUsd', USD],
    [{ ...sample, subOrgWindowLimitUsd: '0.0000001' }, 'parameters.subOrgWindowLimitUsd', USD],
    [{ ...sample, windowDurationMinutes: 60 }, 'parameters.windowDurationMinutes', /./],
    [{ ...sample, windowDurationMinutes: '0' }, 'parameters.windowDurationMinutes', MINUTES],
    [{ ...sample, windowDurationMinutes: '1.5' }, 'parameters.windowDurationMinutes', MINUTES],
    [{ ...sample, windowDurationMinutes: '43201' }, 'parameters.windowDurationMinutes', MINUTES],
    [{ ...sample, enabled: 'yes' }, 'parameters.enabled', /./],
    [{ ...sample, solanaConfig: { rentPrefundEnabled: 1 } }, 'parameters.solanaConfig.rentPrefundEnabled', /./],
  ]);
  assert.equal(await configOf(client), undefined);
});
