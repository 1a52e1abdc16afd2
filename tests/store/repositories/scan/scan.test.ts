import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { NOW, type Opened, openMigrated } from '../../fixture.ts';
import { scanAddressOf } from './scan-rows.ts';

const DAY = 86_400_000;
let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

test(`after a reset of the clock, addresses that were checked later wait for no others, on ${engineName}`, async () => {
  const { store } = opened;
  const { caip2 } = scanAddressOf('a');
  const check = (address: string, checkedAt: number) =>
    store.transaction((tx) => tx.scan.putAddress({ ...scanAddressOf('a'), address, checkedAt }));
  await check('ahead', NOW + DAY);
  await store.transaction((tx) => tx.scan.checkedBy(NOW));
  await check('now', NOW + 1);
  const [first] = await store.read.scan.leastRecentAddresses(caip2, 1);
  assert.deepEqual([first!.address, first!.checkedAt], ['ahead', NOW]);
});
