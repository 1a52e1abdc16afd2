import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refusesEach } from '../../support/refusals.ts';

const instance = await sharedInstance();

const TYPE = 'UPDATE_ORGANIZATION_NAME';
const KEY = 'updateOrganizationNameResult';

test('renamed, and found by the new name', async () => {
  const sub = await instance.newSubOrganization('Before', 1, 1);
  const result = resultOf(await sub.clients[0]!.submit(TYPE, { organizationName: 'After' }), KEY);
  assert.deepEqual(result, { organizationId: sub.organizationId, organizationName: 'After' });
  assert.equal((await sub.clients[0]!.query('whoami')).body.organizationName, 'After');
  const found = async (filterValue: string) =>
    (await instance.root.query('list_suborgs', { filterType: 'NAME', filterValue })).body.organizationIds;
  assert.deepEqual([await found('Before'), await found('After')], [[], [sub.organizationId]]);
});

test('the same name again, and the name of another, are no matter', async () => {
  const { organizationId } = instance.root;
  for (const organizationName of ['Same', 'Same', 'Pair'])
    assert.deepEqual(resultOf(await instance.root.submit(TYPE, { organizationName }), KEY), { organizationId, organizationName });
});

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [[{ organizationName: 'a\nb' }, 'parameters.organizationName', /control characters/]]));
