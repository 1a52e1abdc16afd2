/** Sends of a frozen key that no cancel has reached. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { waitsFor } from '../../../../src/domain/sends/waits-for.ts';
import type { Send } from '../../../../src/model/send.ts';
import { resultOf } from '../../../support/client.ts';
import { engineName } from '../../../support/database.ts';
import { waitFor } from '../../../support/wait.ts';
import { hex, startSends } from './support.ts';

const world = await startSends({ anvil: ['--no-mining'] });
after(() => world.stop());
const { instance, organizationId, store } = world;
const { root, clock } = instance;
const GWEI = 10n ** 9n;

const isKnown = async (hash: string) => (await world.ask<object | null>('eth_getTransactionByHash', hash)) !== null;

/** As an activity does, without the message that cancels open sends. */
const freeze = (keepsSends: boolean): Promise<void> =>
  store.transaction((tx) =>
    tx.freezes.insert({
      ...{ organizationId, id: organizationId, target: 'organization', activityId: organizationId, userId: organizationId },
      ...{ reason: 'a test', keepsSends, createdAt: clock.now() },
    }),
  );

const unfreeze = async () =>
  resultOf(await root.submit('COUNTERSIGN_UNFREEZE', { organization: true, reason: 'over' }), 'countersignUnfreezeResult');

/** Resolves when the lane has looked at the send again. */
async function lookedAt(send: Send): Promise<Send> {
  const { dueAt } = await world.read(send);
  clock.advance(20_000);
  return world.until(send, (now) => now.dueAt > dueAt, 'looked at again');
}

test(`an unsigned send of a frozen key waits, and is sent when the freeze ends or if it keeps sends, on ${engineName}`, async () => {
  const from = await world.newAccount();
  await freeze(false);
  const send = await world.accept(from);
  await world.until(send, (now) => now.dueAt > send.dueAt, 'looked at');
  for (let round = 0; round < 2; round++) await lookedAt(send);
  assert.deepEqual([(await world.read(send)).state, (await world.attemptsOf(send)).length], ['queued', 0]);
  assert.match(await waitsFor(store.read, await world.read(send), []), /^a key that signs it is frozen: /);
  await unfreeze();
  clock.advance(20_000);
  await world.untilState(send, 'sent');
  await freeze(true);
  await world.untilState(await world.accept(from), 'sent');
  await unfreeze();
});

test(`a pending send of a frozen key is not replaced by one that pays more, until the freeze ends, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const fees = { maxFeePerGas: String(8n * GWEI), maxPriorityFeePerGas: String(GWEI) };
  await world.ask('anvil_setNextBlockBaseFeePerGas', hex(6n * GWEI));
  await world.ask('anvil_mine', '0x1');
  const send = await world.untilState(await world.accept(from, { fees }), 'sent');
  await waitFor('the node has it', () => isKnown(send.hash));
  await freeze(false);
  await world.ask('anvil_setNextBlockBaseFeePerGas', hex(9n * GWEI));
  for (let round = 0; round < 3; round++) await lookedAt(send);
  assert.equal((await world.attemptsOf(send)).length, 1);
  await unfreeze();
  await lookedAt(send);
  await waitFor('it is replaced', async () => (await world.attemptsOf(send)).length === 2);
});
