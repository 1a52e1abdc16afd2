/** Which sends give back what they counted: those that end unsigned, and unused fees. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { changeSend } from '../../../src/domain/sends/send-events.ts';
import { endQueuedSend } from '../../../src/domain/sends/sends.ts';
import { NEVER, type Send } from '../../../src/model/send.ts';
import { fill, idOf, NOW, openMigrated } from '../../store/fixture.ts';
import { spendOf, velocityControlOf } from '../../store/repositories/policies/velocity-row.ts';
import { attemptOf, intentOf, sendOf } from '../../store/repositories/sends/send-rows.ts';
import { engineName } from '../../support/database.ts';

const { store, close } = await openMigrated();
after(() => close());
const org = idOf('org');
await store.transaction((tx) => fill(tx, 'org', null));

/** The state of the entry of a queued send that ends. `hasAttempt`: it was signed, and lost that nonce. */
async function ended(name: string, hasAttempt: boolean, more: Partial<Send> = {}): Promise<string | undefined> {
  const activityId = idOf(`${name} activity`);
  const intent = intentOf({ reserves: true });
  const send = sendOf('org', name, { intent, ...more, activityId });
  await store.transaction(async (tx) => {
    await tx.velocityControls.insert(velocityControlOf(org, name));
    await tx.velocityCounters.count(org, activityId, [spendOf(name, { isReserved: true })], NOW);
    await tx.sends.insert(send);
    if (hasAttempt) await tx.sendAttempts.insert(attemptOf('org', name));
    assert.ok(await endQueuedSend(tx, send, { error: { message: 'cancelled' }, wish: null }, NOW));
  });
  const [entry] = await store.read.velocityCounters.entries(org, idOf(name), '', { limit: 1 });
  return entry?.state;
}

test(`a queued send gives back only if nothing of it was ever signed, on ${engineName}`, async () => {
  assert.equal(await ended('unsigned', false), 'released');
  assert.equal(await ended('signed', true), 'reserved');
  assert.equal(await ended('raw', false, { intent: intentOf({ form: 'raw', reserves: true }) }), 'reserved');
});

/** What stays counted of 40 wei and a fee of 200 wei, in tenths of wei. `paid`: in wei. */
async function kept(name: string, paid: bigint, isDeleted = false): Promise<string | undefined> {
  const activityId = idOf(`${name} activity`);
  const send = sendOf('org', name, { intent: intentOf({ reserves: true }), activityId, state: 'included', blockNumber: 1 });
  const definition = [{ caip19: `${send.caip2}/slip44:60`, decimals: '17' }];
  const what = { dataSource: { chainAssetTransfer: { definition } }, countersign: { fees: true } };
  await store.transaction(async (tx) => {
    await tx.velocityControls.insert(velocityControlOf(org, name, what));
    const spend = spendOf(name, { amount: 2400n, fee: 2000n, isReserved: true });
    await tx.velocityCounters.count(org, activityId, [spend], NOW);
    await tx.sends.insert(send);
    if (isDeleted) await tx.velocityControls.remove(org, idOf(name));
  });
  await store.transaction((tx) => changeSend(tx, send, { state: 'final', dueAt: NEVER }, NOW, { paid }));
  const [entry] = await store.read.velocityCounters.entries(org, idOf(name), '', { limit: 1 });
  const [step] = await store.read.velocityCounters.steps(org, idOf(name), '');
  if (!isDeleted) assert.deepEqual([entry?.amount, entry?.count], [String(step?.amount), step?.count]);
  assert.equal(entry?.state, 'spent');
  return entry?.amount;
}

test(`a final send keeps the paid fee in the control's unit, and never more than it counted, on ${engineName}`, async () => {
  assert.deepEqual([await kept('less', 7n), await kept('nothing', 0n), await kept('more', 201n)], ['470', '400', '2400']);
  assert.equal(await kept('deleted', 7n, true), '2400');
  const found = { cause: 'copied', detail: 'a test', since: '2026-01-01T00:00:00Z', refusesBefore: null, held: [] } as const;
  await store.transaction((tx) => tx.instance.setQuarantine({ ...found, ended: null, sendsBefore: NOW + 1 }));
  assert.equal(await kept('copied', 7n), '2400', 'the original may have paid more');
});
