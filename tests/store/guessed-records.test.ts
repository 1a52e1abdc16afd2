import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Window } from '../../src/model/velocity-window.ts';
import { KnownCounters } from '../../src/store/guessed-records.ts';
import { counterKey } from '../../src/store/repositories/policies/velocity-counters.ts';
import { finished, idOf, NOW } from './fixture.ts';
import { spendOf } from './repositories/policies/velocity-row.ts';

const STEP_MS = 100_000;
const window: Window = { kind: 'rolling', seconds: (STEP_MS * 96) / 1000 };

test('counters that outgrow what a process keeps are written, and read again for the next record', async () => {
  const known = new KnownCounters(1_000);
  const large = 10n ** 120n;
  const now = Math.floor(NOW / STEP_MS);
  const steps = [2, 1].map((before) => ({ number: now - before, amount: large, count: 1 }));
  const spends = ['a', 'b'].map((bucket) => spendOf('limit', { bucket, amount: large, window }));
  known.keep(new Map(spends.map((spend) => [counterKey(idOf('org'), spend), steps])));
  const record = { ...finished('org', 'large', 1), spends };
  assert.equal(await known.record(async () => true, [record]), true);
  // The least recently used one is no longer kept, so nothing is tried.
  assert.equal(await known.record(() => assert.fail('it is not tried'), [record]), undefined);
});
