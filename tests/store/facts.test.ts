import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { changesFacts } from '../../src/store/facts.ts';
import type { Writer, Writes } from '../../src/store/types.ts';
import { engineName } from '../support/database.ts';
import { activityOf, fill, finished, NOW, type Opened, openMigrated, writes } from './fixture.ts';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

let organizations = 0;

for (const [repository, methods] of Object.entries(writes('')))
  for (const method of Object.keys(methods)) {
    const changes = changesFacts(repository as keyof Writes, method);
    const what = changes ? 'makes decisions that were made before it stale' : 'leaves decisions as they are';
    test(`${repository}.${method} ${what}, on ${engineName}`, async () => {
      const { store } = opened;
      const [org, other] = [`organization ${++organizations}`, `organization ${++organizations}`];
      for (const id of [org, other]) await store.transaction((tx) => fill(tx, id, null));
      const { version } = (await store.read.organizations.get(org))!;
      const calls = (writes(org) as unknown as Record<string, Record<string, unknown[][]>>)[repository]![method]!;
      await store.transaction(async (tx) => {
        const target = (tx as unknown as Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>)[repository]!;
        for (const args of calls) await target[method]!(...args);
        if (!changes) return;
        // Several changes in one transaction raise the version once.
        await tx.policies.remove(org, 'nothing');
      });
      const after = (await store.read.organizations.get(org))!.version;
      assert.equal(after, changes ? version + 1 : version);
      assert.equal(await store.record(finished(org, 'signed', version)), changes ? 'stale' : 'written');
      const { version: untouched } = (await store.read.organizations.get(other))!;
      assert.equal(await store.record(finished(other, 'signed', untouched)), 'written', 'others are not disturbed');
    });
  }

test('what policies see of users, wallets and keys changes facts', () => {
  const seen: [keyof Writes, string[]][] = [
    ['users', ['rename', 'remove']],
    ['tags', ['add', 'drop', 'dropMember', 'remove']],
    ['wallets', ['rename', 'setExported', 'setAccountExported']],
    ['privateKeys', ['setExported']],
  ];
  for (const [repository, methods] of seen)
    for (const method of methods) assert.ok(changesFacts(repository, method), `${repository}.${method}`);
});

test('an activity keeps the version of facts that its decision rested on, and the one that they got', async () => {
  const { store, raw } = opened;
  const [org, other] = [`organization ${++organizations}`, `organization ${++organizations}`];
  for (const id of [org, other]) await store.transaction((tx) => fill(tx, id, null));
  const versions = async (id: string) => {
    const rows = await raw('SELECT facts_version, facts_after FROM activities WHERE organization_id = $1 AND id = $2', org, id);
    return rows.map((row) => [Number(row.facts_version), row.facts_after === null ? null : Number(row.facts_after)])[0];
  };
  /** Runs an activity that waited, whose decision rests on `version`. */
  const finish = (id: string, version: number, work: (tx: Writer) => Promise<unknown>) =>
    store.transaction(async (tx) => {
      const activity = activityOf(org, id, { factsVersion: 1 });
      await tx.activities.insert(activity);
      await work(tx);
      const outcome = { status: activity.status, result: '{}', failure: null, factsVersion: version };
      assert.ok(await tx.activities.finish(activity, outcome, NOW));
    });
  await store.record(finished(org, 'signed', 1));
  assert.deepEqual(await versions('signed'), [1, null]);
  await finish('changes nothing', 1, (tx) => tx.wallets.renameAccount(org, 'account', 'renamed', NOW));
  assert.deepEqual(await versions('changes nothing'), [1, null]);
  await finish('changes another', 1, (tx) => tx.policies.remove(other, 'policy'));
  assert.deepEqual(await versions('changes another'), [1, null]);
  await finish('changes', 1, (tx) => tx.policies.remove(org, 'policy'));
  assert.deepEqual(await versions('changes'), [1, 2]);
  await finish('changes later', 2, async (tx) => {
    await tx.organizations.change(org, { name: 'changed' }, NOW);
    await tx.privateKeys.remove(org, 'private');
  });
  assert.deepEqual(await versions('changes later'), [2, 3]);
  assert.equal((await store.read.organizations.get(org))!.version, 3);
});

test('a transaction that fails changes no version', async () => {
  const { store } = opened;
  const org = `organization ${++organizations}`;
  await store.transaction((tx) => fill(tx, org, null));
  const { version } = (await store.read.organizations.get(org))!;
  const failing = store.transaction(async (tx) => {
    await tx.policies.remove(org, 'policy');
    throw new Error('no');
  });
  await assert.rejects(failing, /no/);
  assert.equal((await store.read.organizations.get(org))!.version, version);
});
