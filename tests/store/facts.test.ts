import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { changesFacts } from '../../src/store/facts.ts';
import type { Writes } from '../../src/store/types.ts';
import { engineName } from '../support/database.ts';
import { fill, finished, idOf, type Opened, openMigrated, writes } from './fixture.ts';

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
      const [org, other] = [idOf(`organization ${++organizations}`), idOf(`organization ${++organizations}`)];
      for (const id of [org, other]) await store.transaction((tx) => fill(tx, id, null));
      const { version } = (await store.read.organizations.get(org))!;
      const calls = (writes(org) as unknown as Record<string, Record<string, unknown[][]>>)[repository]![method]!;
      await store.transaction(async (tx) => {
        const target = (tx as unknown as Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>)[repository]!;
        for (const args of calls) await target[method]!(...args);
        if (!changes) return;
        // Once, however often: several changes of one transaction are one change.
        await tx.policies.remove(org, idOf('nothing'));
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
