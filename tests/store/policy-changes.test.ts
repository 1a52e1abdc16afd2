import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Policy } from '../../src/model/policy.ts';
import { policyVersions } from '../../src/store/migrations/0006-policy-versions.ts';
import { statementsOf } from '../../src/store/migrations/index.ts';
import { engineName } from '../support/database.ts';
import { fill, NOW, type Opened, openMigrated } from './fixture.ts';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction(async (tx) => {
    for (const id of ['one', 'other', 'busy', 'both']) await fill(tx, id, null);
  });
});
after(() => opened.close());

const policyOf = (organizationId: string, id: string, condition = 'true'): Policy => ({
  organizationId,
  id,
  name: id,
  effect: 'EFFECT_ALLOW',
  condition,
  consensus: '',
  time: '',
  notes: '',
  createdAt: NOW,
  updatedAt: NOW,
});

const textOf = (id: string, condition = 'true') => ({ id, effect: 'EFFECT_ALLOW', condition, consensus: '', time: '' });

test(`a version says which policies it changed, as they are now, on ${engineName}`, async () => {
  const { store } = opened;
  const { policyChanges } = store.read;
  assert.equal(await policyChanges.since('one', 1, 10), undefined, 'nothing has changed');
  await store.transaction(async (tx) => {
    await tx.policies.insert(policyOf('one', 'b'));
    await tx.policies.insert(policyOf('one', 'a'));
  });
  await store.transaction(async (tx) => void (await tx.policies.update(policyOf('one', 'a', 'false'))));
  await store.transaction(async (tx) => void (await tx.policies.remove('one', 'policy')));
  const second = [
    { version: 2, policyId: 'a', text: textOf('a', 'false') },
    { version: 2, policyId: 'b', text: textOf('b') },
  ];
  const third = { version: 3, policyId: 'a', text: textOf('a', 'false') };
  const fourth = { version: 4, policyId: 'policy', text: undefined };
  assert.deepEqual(await policyChanges.since('one', 1, 10), [...second, third, fourth]);
  assert.deepEqual(await policyChanges.since('one', 1, 3), [...second, third]);
  assert.deepEqual(await policyChanges.since('one', 3, 10), [fourth]);
  assert.equal(await policyChanges.since('one', 4, 10), undefined);
  assert.equal(await policyChanges.since('one', 0, 10), undefined, 'what came before the first version is not known');
  assert.equal((await store.read.organizations.get('one'))!.policiesVersion, 4);
  assert.equal((await store.read.organizations.get('other'))!.policiesVersion, 1);
  assert.deepEqual(await policyChanges.texts('one', undefined, 1), [textOf('a', 'false')]);
  assert.deepEqual(await policyChanges.texts('one', 'a', 10), [textOf('b')]);
});

test(`the changes of many versions are not kept for ever on ${engineName}`, async () => {
  const { store, raw } = opened;
  await raw("UPDATE organizations SET policies_version = 1998 WHERE id = 'busy'");
  const condition = (n: number) => `wallet.id == '${n}'`;
  await raw("INSERT INTO policy_changes (organization_id, version, policy_id) VALUES ('busy', 998, 'policy')");
  for (const n of [1, 2]) await store.transaction((tx) => tx.policies.update(policyOf('busy', 'policy', condition(n))));
  const versions = (await raw("SELECT version FROM policy_changes WHERE organization_id = 'busy' ORDER BY version")).map((row) =>
    Number(row.version),
  );
  assert.deepEqual(versions, [1999, 2000]);
  assert.equal(await store.read.policyChanges.since('busy', 997, 10), undefined, 'whoever is further behind reads everything');
  assert.equal((await store.read.policyChanges.since('busy', 1998, 10))!.length, 2);
});

test(`changes at one instant have versions of their own, each with its policy, on ${engineName}`, async () => {
  const { store } = opened;
  const names = Array.from({ length: 20 }, (_, n) => `p${String(n).padStart(2, '0')}`);
  await Promise.all(names.map((name) => store.transaction((tx) => tx.policies.insert(policyOf('both', name)))));
  const changes = (await store.read.policyChanges.since('both', 1, 100))!;
  assert.deepEqual(
    changes.map(({ version }) => version),
    names.map((_, n) => n + 2),
  );
  assert.deepEqual(changes.map(({ policyId }) => policyId).sort(), names);
});

test(`organizations from before policies had versions begin with the first, on ${engineName}`, async () => {
  const old = await openMigrated();
  try {
    const { store, raw } = old;
    await store.transaction((tx) => fill(tx, 'old', null));
    await raw('DROP TABLE policy_changes');
    await raw('ALTER TABLE organizations DROP COLUMN policies_version');
    for (const step of statementsOf(policyVersions, engineName)) await raw(step);
    assert.equal((await store.read.organizations.get('old'))!.policiesVersion, 1);
    await store.transaction((tx) => tx.policies.insert(policyOf('old', 'a')));
    assert.deepEqual(await store.read.policyChanges.since('old', 1, 10), [{ version: 2, policyId: 'a', text: textOf('a') }]);
    assert.equal((await store.read.policyChanges.texts('old', undefined, 10)).length, 2);
  } finally {
    await old.close();
  }
});
