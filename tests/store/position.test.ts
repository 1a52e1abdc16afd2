import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../src/store/store.ts';
import type { Store } from '../../src/store/types.ts';
import { engineName } from '../support/database.ts';
import { activityOf, auditOf, fill, finished, idOf, NOW, type Opened, openMigrated } from './fixture.ts';

const ORG = idOf('organization');

/** Writes an activity and an audit row in each of the ways there are, one after the other. */
async function writeAll(store: Store, round: string): Promise<string[]> {
  await store.record(finished(ORG, `${round} record`, 1));
  await store.transaction((tx) => tx.audit.insert(auditOf(ORG, 'activity', `${round} event`)));
  await store.transaction((tx) => tx.activities.insert(activityOf(ORG, `${round} transaction`)));
  await store.record({ ...finished(ORG, `${round} reserved`, 1), reservations: [] });
  return ['record', 'event', 'transaction', 'reserved'].map((way) => `${round} ${way}`);
}

async function positionsOf({ raw }: Opened, ids: readonly string[]): Promise<number[]> {
  const rows = await raw('SELECT id, position FROM activities UNION ALL SELECT id, position FROM audit');
  const byId = new Map(rows.map(({ id, position }) => [id, Number(position)]));
  return ids.map((id) => byId.get(idOf(id))!);
}

test(`positions rise in the order of writing, over both tables, on ${engineName}`, async () => {
  const opened = await openMigrated();
  const { store, folder, url } = opened;
  let again: Store | undefined;
  try {
    await store.transaction((tx) => fill(tx, ORG, null));
    const ids = await writeAll(store, 'first');
    await assert.rejects(
      store.transaction(async (tx) => {
        await tx.audit.insert(auditOf(ORG, 'activity', 'undone'));
        throw new Error('no');
      }),
    );
    ids.push(...(await writeAll(store, 'second')));
    // Two stores share PostgreSQL, but not a folder.
    if (engineName === 'sqlite') await store.close();
    again = openStore({ folder, url, poolSize: 2 });
    await again.migrate(NOW);
    ids.push(...(await writeAll(again, 'after a restart')));
    const positions = await positionsOf(opened, ids);
    for (const [i, position] of positions.entries()) assert.ok(i === 0 || position > positions[i - 1]!, positions.join(' '));
  } finally {
    await again?.close();
    await opened.close();
  }
});

test('a dump that is restored on a younger PostgreSQL goes on above the highest position', {
  skip: engineName === 'sqlite' && 'about PostgreSQL',
}, async () => {
  const opened = await openMigrated();
  const { store } = opened;
  try {
    await store.transaction((tx) => fill(tx, ORG, null));
    for (const [i, table] of ['activities', 'audit'].entries()) {
      const ids = await writeAll(store, `before ${table}`);
      // As a server writes after that many transactions.
      const far = 10 ** (9 + i);
      await opened.raw(`UPDATE ${table} SET position = $1 WHERE id = $2`, far, idOf(ids[i]!));
      await store.migrate(NOW);
      await store.migrate(NOW);
      for (const position of await positionsOf(opened, await writeAll(store, `after ${table}`)))
        assert.ok(position > far && position < 2 * far, `${position}`);
    }
  } finally {
    await opened.close();
  }
});
