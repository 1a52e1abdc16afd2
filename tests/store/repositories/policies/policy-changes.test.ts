import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Policy } from '../../../../src/model/policy.ts';
import { engineName } from '../../../support/database.ts';
import { fill, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction(async (tx) => {
    for (const id of ['one', 'other', 'busy', 'both']) await fill(tx, id, null);
  });
});
after(() => opened.close());

const policyOf = (organizationId: string, name: string, condition = 'true'): Policy => ({
  organizationId: idOf(organizationId),
  id: idOf(name),
  name,
  effect: 'EFFECT_ALLOW',
  condition,
  consensus: '',
  time: '',
  notes: '',
  createdAt: NOW,
  updatedAt: NOW,
});

const textOf = (name: string, condition = 'true') => ({
  id: idOf(name),
  effect: 'EFFECT_ALLOW',
  condition,
  consensus: '',
  time: '',
});

test(`a version says which policies it changed, as they are now, on ${engineName}`, async () => {
  const { store } = opened;
  const { policyChanges } = store.read;
  assert.equal(await policyChanges.since(idOf('one'), 1, 10), undefined, 'nothing has changed');
  await store.transaction(async (tx) => {
    await tx.policies.insert(policyOf('one', 'b'));
    await tx.policies.insert(policyOf('one', 'a'));
  });
  await store.transaction(async (tx) => void (await tx.policies.update(policyOf('one', 'a', 'false'))));
  await store.transaction(async (tx) => void (await tx.policies.remove(idOf('one'), idOf('policy'))));
  const second = [
    { version: 2, policyId: idOf('a'), text: textOf('a', 'false') },
    { version: 2, policyId: idOf('b'), text: textOf('b') },
  ];
  const third = { version: 3, policyId: idOf('a'), text: textOf('a', 'false') };
  const fourth = { version: 4, policyId: idOf('policy'), text: undefined };
  assert.deepEqual(await policyChanges.since(idOf('one'), 1, 10), [...second, third, fourth]);
  assert.deepEqual(await policyChanges.since(idOf('one'), 1, 3), [...second, third]);
  assert.deepEqual(await policyChanges.since(idOf('one'), 3, 10), [fourth]);
  assert.equal(await policyChanges.since(idOf('one'), 4, 10), undefined);
  assert.equal(await policyChanges.since(idOf('one'), 0, 10), undefined, 'what came before the first version is not known');
  assert.equal((await store.read.organizations.get(idOf('one')))!.policiesVersion, 4);
  assert.equal((await store.read.organizations.get(idOf('other')))!.policiesVersion, 1);
  assert.deepEqual(await policyChanges.texts(idOf('one'), undefined, 1), [textOf('a', 'false')]);
  assert.deepEqual(await policyChanges.texts(idOf('one'), idOf('a'), 10), [textOf('b')]);
});

test(`the changes of many versions are not kept for ever on ${engineName}`, async () => {
  const { store, raw } = opened;
  await raw('UPDATE organizations SET policies_version = 1998 WHERE id = $1', idOf('busy'));
  const condition = (n: number) => `wallet.id == '${n}'`;
  await raw(
    'INSERT INTO policy_changes (organization_id, version, policy_id) VALUES ($1, 998, $2)',
    idOf('busy'),
    idOf('policy'),
  );
  for (const n of [1, 2]) await store.transaction((tx) => tx.policies.update(policyOf('busy', 'policy', condition(n))));
  const versions = (
    await raw('SELECT version FROM policy_changes WHERE organization_id = $1 ORDER BY version', idOf('busy'))
  ).map((row) => Number(row.version));
  assert.deepEqual(versions, [1999, 2000]);
  assert.equal(
    await store.read.policyChanges.since(idOf('busy'), 997, 10),
    undefined,
    'whoever is further behind reads everything',
  );
  assert.equal((await store.read.policyChanges.since(idOf('busy'), 1998, 10))!.length, 2);
});

test(`changes at one instant have versions of their own, each with its policy, on ${engineName}`, async () => {
  const { store } = opened;
  const names = Array.from({ length: 20 }, (_, n) => `p${String(n).padStart(2, '0')}`);
  await Promise.all(names.map((name) => store.transaction((tx) => tx.policies.insert(policyOf('both', name)))));
  const changes = (await store.read.policyChanges.since(idOf('both'), 1, 100))!;
  assert.deepEqual(
    changes.map(({ version }) => version),
    names.map((_, n) => n + 2),
  );
  assert.deepEqual(changes.map(({ policyId }) => policyId).sort(), names.map(idOf));
});
