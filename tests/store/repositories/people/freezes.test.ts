import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { fill, idOf, type Opened, openMigrated } from '../../fixture.ts';
import { freezeOf } from './freeze-row.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, org, null));
});
after(() => opened.close());

test(`a written row is read back as it was, on ${engineName}`, async () => {
  const row = freezeOf(org, idOf('another'));
  await opened.store.transaction((tx) => tx.freezes.insert(row));
  assert.deepEqual(await opened.store.read.freezes.get(org, idOf('another')), row);
  assert.equal((await opened.store.read.freezes.page(org, { limit: 10 })).length, 2);
  assert.equal(await opened.store.transaction((tx) => tx.freezes.remove(org, idOf('another'))), true);
  assert.equal(await opened.store.read.freezes.get(org, idOf('another')), undefined);
});
