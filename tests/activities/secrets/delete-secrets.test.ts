import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { newTarget } from '../../support/published.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { encryptionSuite, exported, exportOf, imported, importOf, openTargets, sealed } from './support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'DELETE_SECRETS';
const KEY = 'deleteSecretsResult';
const rows = async (table: string) => Number((await instance.raw(`SELECT COUNT(*) AS n FROM ${table}`))[0]!.n);

test('a deleted secret is gone with its content, and its name is free again', async () => {
  const [sealedBefore, before] = [await rows('secrets'), await rows('stored_secrets')];
  const [one, two, kept] = await imported(root, ['one', { name: 'one' }], ['two'], ['kept']);
  const { secretIds } = resultOf(await root.submit(TYPE, { secretIds: [two, one] }), KEY);
  assert.deepEqual(secretIds, [two, one]);
  const missing: [number, string, RegExp] = [404, 'UNSPECIFIED', /secret not found/];
  refused(await root.submit('EXPORT_SECRETS', exportOf(newTarget(), [one!])), missing);
  refused(await root.submit(TYPE, { secretIds: [one] }), missing);
  refused(await root.submit(TYPE, { secretIds: [kept, two] }), missing);
  assert.deepEqual(await exported(root, kept!), ['kept'], 'all or none');
  assert.deepEqual([await rows('secrets'), await rows('stored_secrets')], [sealedBefore + 1, before + 1]);
  await imported(root, ['again', { name: 'one' }]);
});

test('a secret of another organization is not found', async () => {
  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  const [theirs] = await imported(sub, ['theirs']);
  for (const id of [NOBODY, theirs!])
    refused(await root.submit(TYPE, { secretIds: [id] }), [404, 'UNSPECIFIED', new RegExp(`secret not found: .* ${id}$`)]);
  assert.deepEqual(await exported(sub, theirs!), ['theirs']);
});

test('policies judge each element by its id, its name and its properties', async () => {
  const { client, userId } = await instance.newUser('Deletes');
  const staticProperties = [{ key: 'kind', value: 'token' }];
  const ids = await imported(root, ['a', { name: 'old', staticProperties }], ['b', { name: 'new', staticProperties }], ['c']);
  const condition = `activity.kind == '${TYPE}' && secret.static_properties['kind'] == 'token' && activity.params.secret_name == 'old'`;
  await newPolicy(root, { condition: `${condition} && activity.params.secret_id == '${ids[0]}'`, consensus: approvedBy(userId) });
  for (const secretIds of [[ids[1]], [ids[2]], [ids[0], ids[1]]]) denied(await client.submit(TYPE, { secretIds }));
  resultOf(await client.submit(TYPE, { secretIds: [ids[0]] }), KEY);
});

test('a deleted organization leaves no secret and no key', async () => {
  const counts = () => Promise.all(['secrets', 'stored_secrets', 'secret_targets'].map(rows));
  const sub = (await instance.newSubOrganization('Deleted', 1, 1)).clients[0]!;
  const before = await counts();
  await imported(sub, ['gone']);
  await openTargets(sub, 2);
  assert.deepEqual(await counts(), [before[0]! + 1, before[1]! + 1, before[2]! + 2]);
  resultOf(await sub.submit('DELETE_SUB_ORGANIZATION', { deleteWithoutExport: true }), 'deleteSubOrganizationResult');
  assert.deepEqual(await counts(), before);
});

test('waits for the second root user', async () => {
  const init = await agreed(pair, 'INIT_IMPORT_SECRETS', { encryptionSuite, numSecrets: 1 });
  const [bundle] = resultOf(init, 'initImportSecretsResult').enclaveTargetMessages;
  const parameters = { secrets: [await sealed(pair.clients[0], bundle, 'both')] };
  const { secretIds } = resultOf(await agreed(pair, 'IMPORT_SECRETS', parameters), 'importSecretsResult');
  assert.deepEqual(await waitsForBoth(pair, TYPE, { secretIds }, KEY), { secretIds });
});

test('a user without permission is refused', async () =>
  refusedToNobody(instance, TYPE, { secretIds: await imported(root, ['text']) }));

test('bad parameters are named', async () => {
  const [id] = await imported(root, ['text']);
  await refusesEach(root, TYPE, [
    [{ secretIds: [] }, 'parameters.secretIds', /must name at least one/],
    [{ secretIds: [id, id!.toUpperCase()] }, 'parameters.secretIds', /must name each secret once/],
    [{ secretIds: ['x'] }, 'parameters.secretIds[0]', /must be a UUID/],
  ]);
  assert.equal((await importOf(root, ['text'])).secrets.length, 1);
});
