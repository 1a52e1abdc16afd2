/** Which sends give back what they counted when they end before they are signed. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { endQueuedSend } from '../../../src/domain/sends/sends.ts';
import type { Send } from '../../../src/model/send.ts';
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
