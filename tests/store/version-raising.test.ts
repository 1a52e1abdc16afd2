import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CACHED_READS } from '../../src/engine/request/known-facts.ts';
import type { Writer, Writes } from '../../src/store/types.ts';
import { changedPolicy, raisesVersion } from '../../src/store/version-raising.ts';
import { engineName } from '../support/database.ts';
import { partOf } from '../support/full.ts';
import { reads } from './calls-of-reads.ts';
import { writes } from './calls-of-writes.ts';
import { activityOf, credentialOf, fill, finished, idOf, NOW, type Opened, openMigrated, userOf } from './fixture.ts';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

/** The rule is of no engine. On PostgreSQL, `npm test` tries one write of each repository, and more. */
const LEAST = engineName === 'postgres' ? 4 : 1;

let organizations = 0;

type Methods = Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>;

/** Every row of an organization that signatures keep in memory. */
async function kept(org: string): Promise<unknown[]> {
  const { read } = opened.store;
  const found: unknown[] = [await read.organizations.get(org), await read.credentials.holder(org, `key of ${org}`)];
  for (const [repository, methods] of Object.entries(CACHED_READS))
    for (const method of methods)
      for (const args of (reads(org) as unknown as Record<string, Record<string, unknown[][]>>)[repository]![method]!)
        found.push(await (read as unknown as Methods)[repository]![method]!(...args));
  assert.ok(found.length > 6 && !found.includes(undefined));
  return found;
}

for (const [repository, methods] of Object.entries(writes('')))
  for (const method of partOf(Object.keys(methods), LEAST)) {
    const changes = raisesVersion(repository as keyof Writes, method);
    const what = changes ? 'makes decisions that were made before it stale' : 'leaves decisions as they are';
    test(`${repository}.${method} ${what}, on ${engineName}`, async () => {
      const { store } = opened;
      const [org, other] = [idOf(`organization ${++organizations}`), idOf(`organization ${++organizations}`)];
      for (const id of [org, other]) await store.transaction((tx) => fill(tx, id, null));
      const { version, policiesVersion } = (await store.read.organizations.get(org))!;
      const before = await kept(org);
      const calls = (writes(org) as unknown as Record<string, Record<string, unknown[][]>>)[repository]![method]!;
      const policyOf = changedPolicy(repository as keyof Writes, method) as ((...args: unknown[]) => string) | undefined;
      await store.transaction(async (tx) => {
        const target = (tx as unknown as Methods)[repository]!;
        for (const args of calls) await target[method]!(...args);
        if (!changes) return;
        // Several changes in one transaction raise the version once.
        await tx.tags.dropMember(org, idOf('nobody'), NOW);
      });
      const after = (await store.read.organizations.get(org))!;
      assert.equal(after.version, changes ? version + 1 : version);
      assert.equal(after.policiesVersion, policyOf ? policiesVersion + 1 : policiesVersion);
      const changed = await store.read.policyChanges.since(org, policiesVersion, 10);
      assert.deepEqual(
        changed?.map(({ policyId }) => policyId),
        policyOf && [...new Set(calls.map((args) => policyOf(...args)))],
      );
      if (!changes) assert.deepEqual(await kept(org), before, 'what signatures keep is as it was');
      // From then on, records need an event.
      const unchanged = method === 'open' && repository === 'streams' ? 'unheard' : 'written';
      assert.equal(await store.record(finished(org, 'signed', version)), changes ? 'stale' : unchanged);
      const { version: untouched } = (await store.read.organizations.get(other))!;
      assert.equal(await store.record(finished(other, 'signed', untouched)), 'written', 'others are not disturbed');
    });
  }

test('every write of a policy says which policy it changes, and no other write does', () => {
  for (const [repository, methods] of Object.entries(writes('')))
    for (const method of Object.keys(methods))
      assert.equal(changedPolicy(repository as keyof Writes, method) !== undefined, repository === 'policies', method);
});

test('what policies see of users, wallets and keys changes facts', () => {
  const seen: [keyof Writes, string[]][] = [
    ['users', ['rename', 'remove']],
    ['credentials', ['insert', 'remove']],
    ['tags', ['rename', 'add', 'drop', 'dropMember', 'remove']],
    ['wallets', ['rename', 'renameAccount', 'setExported', 'setAccountExported']],
    ['signers', ['disable', 'destroy']],
    ['privateKeys', ['setExported']],
  ];
  for (const [repository, methods] of seen)
    for (const method of methods) assert.ok(raisesVersion(repository, method), `${repository}.${method}`);
});

test('an activity keeps the version of facts that its decision rested on, and the one that they got', async () => {
  const { store, raw } = opened;
  const [org, other] = [idOf(`organization ${++organizations}`), idOf(`organization ${++organizations}`)];
  for (const id of [org, other]) await store.transaction((tx) => fill(tx, id, null));
  const versions = async (id: string) => {
    const rows = await raw(
      'SELECT facts_version, facts_after FROM activities WHERE organization_id = $1 AND id = $2',
      org,
      idOf(id),
    );
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
  await finish('changes nothing', 1, (tx) => tx.users.insert(userOf(org, 'another')));
  assert.deepEqual(await versions('changes nothing'), [1, null]);
  await finish('changes another', 1, (tx) => tx.policies.remove(other, idOf('policy')));
  assert.deepEqual(await versions('changes another'), [1, null]);
  await finish('changes', 1, (tx) => tx.policies.remove(org, idOf('policy')));
  assert.deepEqual(await versions('changes'), [1, 2]);
  await finish('changes later', 2, async (tx) => {
    await tx.organizations.change(org, { name: 'changed' }, NOW);
    await tx.privateKeys.remove(org, idOf('private'));
  });
  assert.deepEqual(await versions('changes later'), [2, 3]);
  assert.equal((await store.read.organizations.get(org))!.version, 3);
});

test('a transaction that fails changes no version', async () => {
  const { store } = opened;
  const org = idOf(`organization ${++organizations}`);
  await store.transaction((tx) => fill(tx, org, null));
  const { version } = (await store.read.organizations.get(org))!;
  const failing = store.transaction(async (tx) => {
    await tx.policies.remove(org, idOf('policy'));
    throw new Error('no');
  });
  await assert.rejects(failing, /no/);
  assert.equal((await store.read.organizations.get(org))!.version, version);
});

test('the first keys of a new user change no facts, and a later one does', async () => {
  const { store } = opened;
  const org = idOf(`organization ${++organizations}`);
  await store.transaction((tx) => fill(tx, org, null));
  const version = async () => (await store.read.organizations.get(org))!.version;
  const first = await version();
  await store.transaction(async (tx) => {
    await tx.users.insert(userOf(org, 'new'));
    for (const key of ['one', 'two'])
      await tx.credentials.insert({ ...credentialOf(org, key, `${key} of ${org}`), userId: idOf('new') });
  });
  assert.equal(await version(), first);
  await store.transaction((tx) =>
    tx.credentials.insert({ ...credentialOf(org, 'three', `three of ${org}`), userId: idOf('new') }),
  );
  assert.equal(await version(), first + 1);
});

test('a writer of facts is told after the commit, and before the caller', async () => {
  const told: string[] = [];
  const opened = await openMigrated((organizationId) => void told.push(organizationId));
  try {
    const { store } = opened;
    const [one, two] = [idOf('one'), idOf('two')];
    for (const org of [one, two]) await store.transaction((tx) => fill(tx, org, null));
    assert.deepEqual(told, [], 'nobody knows a new organization');
    const { version } = (await store.read.organizations.get(one))!;
    await store.transaction(async (tx) => {
      await tx.users.update(one, idOf('user'), { name: 'renamed' }, NOW);
      assert.deepEqual(told, []);
    });
    assert.deepEqual(told, [one]);
    assert.equal((await store.read.organizations.get(one))!.version, version + 1);
    await store.transaction((tx) => tx.users.insert(userOf('one', 'another')));
    assert.deepEqual(told, [one], 'an addition is no change');
    await assert.rejects(
      store.transaction(async (tx) => {
        await tx.users.remove(two, idOf('user'), NOW);
        throw new Error('before anything was raised');
      }),
    );
    assert.deepEqual(told, [one]);
  } finally {
    await opened.close();
  }
});
