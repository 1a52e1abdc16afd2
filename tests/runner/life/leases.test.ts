/** Leases by a service in the test's hands, and a clock that it moves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lease } from '../../../src/runner/life/lease.ts';

const PLACE = { organizationId: 'o', deploymentId: 'd' };

test('a lease that is not renewed lapses before another runner can have it, and comes back by a late renewal', async () => {
  const lease = new Lease(PLACE, true, 60_000);
  lease.check(44_999, 15_000);
  assert.equal(lease.lapse.aborted, false);
  await lease.held();
  const { lapse } = lease;
  lease.check(45_000, 15_000);
  assert.equal(lapse.aborted, true);
  let isHeld = false;
  const held = lease.held().then(() => {
    isHeld = true;
  });
  await new Promise(setImmediate);
  assert.equal(isHeld, false);
  lease.renew(130_000, false);
  await held;
  assert.deepEqual([lease.lapse.aborted, lease.isLive, lease.lost.aborted], [false, false, false]);
});

test('a lease that is lost ends each wait', async () => {
  const lease = new Lease(PLACE, true, 0);
  lease.check(0, 15_000);
  const waits = [lease.held(), lease.rest(1_000_000)];
  lease.lose('deleted');
  for (const wait of waits) await assert.rejects(wait);
  await assert.rejects(lease.rest(0));
});
