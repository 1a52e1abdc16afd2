import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Given, giveToNodes } from '../../../../src/chain-io/sends/solana/deliver.ts';
import type { Work } from '../../../../src/chain-io/sends/solana/work.ts';

test('a transaction is given again only after a commit, which no standby may lack', async () => {
  const given = { send: { id: 'a send', state: 'sent' }, attempt: { mayBeSent: true, said: '', signed: Buffer.alloc(1) } };
  let sent = 0;
  const node = { send: async () => ({ outcome: 'sent', answers: [], at: sent++ }) };
  const work = (transaction: () => Promise<void>) =>
    ({ claimed: { transaction }, clock: { now: () => 0 }, node, memory: { given: { set() {} } } }) as unknown as Work;
  const unconfirmed = async () => {
    throw new Error('the wait for the standby was cancelled');
  };
  await assert.rejects(giveToNodes(work(unconfirmed), [given as unknown as Given]), /cancelled/);
  assert.equal(sent, 0);
  await giveToNodes(
    work(async () => {}),
    [given as unknown as Given],
  );
  assert.equal(sent, 1);
});
