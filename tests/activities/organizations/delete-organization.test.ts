import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newOrganization } from '../../../src/model/organization.ts';
import { newUser } from '../../../src/model/user.ts';
import { tables } from '../../../src/store/tables/index.ts';
import { approvedBy, newPolicy, newWallet } from '../../e2e/authority.ts';
import { credentialOf, idOf, NOW } from '../../store/fixture.ts';
import { bulk } from '../../store/many.ts';
import { type Client, newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { mnemonicOf } from '../custody.ts';
import { refusedToNobody } from '../support.ts';

const instance = await sharedInstance();

const TYPE = 'DELETE_ORGANIZATION';
const KEY = 'deleteOrganizationResult';
const UNKNOWN: [number, string, RegExp] = [404, 'ORGANIZATION_NOT_FOUND', /no organization found/];
const FIELD = 'parameters.organizationId';

/** A top-level organization with these root users, made past the service. */
async function newTopLevel(name: string, threshold = 1): Promise<{ id: string; clients: Client[] }> {
  const id = idOf(name);
  const keys = Array.from({ length: threshold }, newKeys);
  const userIds = keys.map((_, i) => idOf(`${name} user ${i}`));
  const rows = await bulk({ folder: instance.dataDir, url: instance.databaseUrl });
  try {
    const rootQuorum = { threshold, userIds };
    await rows.insert(tables.organizations, 1, () => newOrganization({ id, parentId: null, name, rootQuorum, createdAt: NOW }));
    await rows.insert(tables.users, threshold, (n) =>
      newUser({ organizationId: id, id: userIds[n]!, parentId: null, name: `${name} ${n}`, createdAt: NOW }),
    );
    await rows.insert(tables.credentials, threshold, (n) => ({
      ...credentialOf(name, `${name} key ${n}`, keys[n]!.publicKey),
      userId: userIds[n]!,
    }));
  } finally {
    await rows.close();
  }
  return { id, clients: keys.map((one) => instance.root.as(one, id)) };
}

test('it is gone with its users and keys, and others stay', async () => {
  const { id, clients } = await newTopLevel('Leaves');
  const [client] = clients as [Client];
  const { walletId } = await newWallet(client);
  await mnemonicOf(client, walletId);
  assert.deepEqual(resultOf(await client.submit(TYPE, { organizationId: id }), KEY), { organizationId: id });
  refused(await client.query('whoami'), UNKNOWN);
  refused(await client.query('list_activities'), UNKNOWN);
  refused(await client.submit('CREATE_WALLET', { walletName: 'No', accounts: [] }), UNKNOWN);
  refused(await instance.root.as(instance.root.keys, id).query('list_activities'), UNKNOWN);
  for (const table of ['secrets', 'users', 'credentials'])
    assert.deepEqual(await instance.raw(`SELECT 1 AS n FROM ${table} WHERE organization_id = $1`, id), [], table);
  const [row] = await instance.raw('SELECT count(*) AS n FROM activities WHERE organization_id = $1', id);
  assert.ok(Number(row!.n) >= 3, 'its record stays');
  assert.equal((await instance.root.query('whoami')).status, 200);
});

test('not while it has sub-organizations', async () => {
  const { id, clients } = await newTopLevel('Parent');
  const [client] = clients as [Client];
  const keys = newKeys();
  const sent = { subOrganizationName: 'Sub', rootQuorumThreshold: 1, rootUsers: [userWith('Root', [keys])] };
  const created = await client.submit('CREATE_SUB_ORGANIZATION_V8', sent);
  const { subOrganizationId } = resultOf(created, 'createSubOrganizationResultV8');
  const has = new RegExp(`has sub-organizations, such as ${subOrganizationId}`);
  refused(await client.submit(TYPE, { organizationId: id }), [400, 'REQUEST_INVALID', has], FIELD);
  const inside = client.as(keys, subOrganizationId);
  resultOf(await inside.submit('DELETE_SUB_ORGANIZATION', {}), 'deleteSubOrganizationResult');
  resultOf(await client.submit(TYPE, { organizationId: id }), KEY);
  refused(await client.as(client.keys, subOrganizationId).query('list_activities'), UNKNOWN);
});

test('not while a wallet was not exported', async () => {
  const { id, clients } = await newTopLevel('Keeps');
  const [client] = clients as [Client];
  const { walletId } = await newWallet(client);
  const why = new RegExp(`wallet has not been exported: ${walletId}`);
  refused(await client.submit(TYPE, { organizationId: id }), [400, 'REQUEST_INVALID', why], FIELD);
  const gone = { walletIds: [walletId], deleteWithoutExport: true };
  resultOf(await client.submit('DELETE_WALLETS', gone), 'deleteWalletsResult');
  resultOf(await client.submit(TYPE, { organizationId: id }), KEY);
});

test('only itself, and not the one that the service was set up with', async () => {
  const { id, clients } = await newTopLevel('Itself');
  const other = await instance.newSubOrganization('Other', 1, 1);
  for (const organizationId of [other.organizationId, instance.root.organizationId, NOBODY])
    refused(
      await clients[0]!.submit(TYPE, { organizationId }),
      [400, 'REQUEST_INVALID', /must be the organization of the request/],
      FIELD,
    );
  refused(
    await instance.root.submit(TYPE, { organizationId: instance.root.organizationId }),
    [400, 'REQUEST_INVALID', /is the first organization of this service/],
    FIELD,
  );
  refused(await other.clients[0]!.submit(TYPE, { organizationId: id }), [400, 'INVALID_ACTIVITY_CALLER', /sub-organization/]);
});

test('a user without permission is refused, and one whom a policy allows it, too', async () => {
  const sent = { organizationId: instance.root.organizationId };
  await refusedToNobody(instance, TYPE, sent);
  const { client, userId } = await instance.newUser('Deputy');
  await newPolicy(instance.root, { condition: "activity.resource == 'ORGANIZATION'", consensus: approvedBy(userId) });
  refused(await client.submit(TYPE, sent), [403, 'REQUEST_NOT_AUTHORIZED', /Only a root user/]);
});
