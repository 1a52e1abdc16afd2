import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { refusesEach } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';

const { instance, pair } = await sharedPair();

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

test('a user without permission is refused', () => refusedToNobody(instance, TYPE, { organizationName: 'Nobody’s' }));

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [
    [{}, 'parameters.organizationName', /is required/],
    [{ organizationName: '' }, 'parameters.organizationName', /must not be empty/],
    [{ organizationName: 'x'.repeat(256) }, 'parameters.organizationName', /at most 255/],
    [{ organizationName: 'a\nb' }, 'parameters.organizationName', /control characters/],
  ]));

test('waits for the second root user', async () => {
  await waitsForBoth(pair, TYPE, { organizationName: 'Agreed' }, KEY);
});
