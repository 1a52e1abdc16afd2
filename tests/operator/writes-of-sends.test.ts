/** Commands that change sends beside the lane. After a crash before or after their write they may run again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FailPoint, meetFailPoints } from '../../src/base/fail-point.ts';
import type { EvmNode } from '../../src/chain-io/nodes/evm/node.ts';
import type { Send } from '../../src/model/send.ts';
import { write } from '../../src/operator/release/end.ts';
import { giveEvm } from '../../src/operator/withdraw/evm.ts';
import { WITHDRAWING_ORGANIZATION } from '../../src/operator/withdraw/quote.ts';
import type { Stored } from '../../src/operator/withdraw/stored.ts';
import { idOf, NOW } from '../store/names.ts';
import { type Opened, openMigrated } from '../store/opened.ts';
import { attemptOf, sendOf } from '../store/repositories/sends/send-rows.ts';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

const nothing = () => undefined;

/** The fail points that the work meets, beside those of each transaction. It ends at `dies`, as a process would. */
async function metBy(work: () => Promise<void>, dies: FailPoint): Promise<FailPoint[]> {
  const met: FailPoint[] = [];
  meetFailPoints((name) => {
    if (!name.endsWith(' store')) met.push(name);
    if (name === dies) throw new Error('died');
    return undefined;
  });
  await assert.rejects(work(), { message: 'died' });
  meetFailPoints(nothing);
  return met;
}

const stored = async ({ organizationId, id }: Send): Promise<Send> =>
  (await opened.store.read.sends.get(organizationId, id)) as Send;

async function insert(send: Send): Promise<void> {
  await opened.store.transaction(async (tx) => {
    await tx.sendAccounts.lock(send);
    await tx.sends.insert(send);
    if (send.state !== 'queued')
      await tx.sendAttempts.insert(attemptOf(send.organizationId, send.id, { nonce: send.nonce!, hash: `hash of ${send.id}` }));
  });
}

test('a withdrawal that each node refuses is noted once, as its lane would note it', async () => {
  const send = sendOf(WITHDRAWING_ORGANIZATION, 'withdrawal', { state: 'sent', nonce: 3, sponsored: true });
  await insert(send);
  const answer = { endpoint: 'one', outcome: 'invalid', text: 'of another chain' } as const;
  const node = { send: async () => ({ outcome: 'invalid', answers: [answer] }) } as unknown as EvmNode;
  const give = () => giveEvm(node, { store: opened.store, clock: { now: () => NOW + 1 } }, { sendId: send.id } as Stored);
  assert.deepEqual(await metBy(give, 'before look-again'), ['before broadcast', 'before look-again']);
  assert.deepEqual(await stored(send), send);
  assert.deepEqual(await metBy(give, 'after look-again'), ['before broadcast', 'before look-again', 'after look-again']);
  const noted = await stored(send);
  assert.deepEqual(noted, {
    ...send,
    error: { message: 'every node refused it: of another chain' },
    dueAt: NOW + 1,
    updatedAt: NOW + 1,
    version: 2,
  });
  await give();
  assert.deepEqual(await stored(send), noted);
});

test('a release that dies before or after its write is run again, and ends each send once', async () => {
  const [queued, signed] = [
    sendOf('released', 'queued'),
    sendOf('released', 'signed', { state: 'signed', nonce: 1, hash: `hash of ${idOf('signed')}` }),
  ];
  for (const send of [queued, signed]) await insert(send);
  const key = { caip2: queued.caip2, account: queued.account };
  const release = () =>
    write(
      opened.store,
      key,
      [queued, signed].map((send) => ({ send, fate: 'ended' })),
      () => NOW + 2,
    );
  assert.deepEqual(await metBy(release, 'before release'), ['before release']);
  assert.deepEqual([await stored(queued), await stored(signed)], [queued, signed]);
  assert.deepEqual(await metBy(release, 'after release'), ['before release', 'after release']);
  const ended = [await stored(queued), await stored(signed)];
  assert.deepEqual(
    ended.map(({ state, version }) => [state, version]),
    [
      ['failed', 2],
      ['failed', 3],
    ],
  );
  await release();
  assert.deepEqual([await stored(queued), await stored(signed)], ended);
});
