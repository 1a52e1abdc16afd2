import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../support/database.ts';
import { startSends, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startSends();
});
after(() => world.stop());

test(`a send lands once, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const accepted = await world.accept(from);
  assert.equal(accepted.state, 'queued');
  const included = await world.untilState(accepted, 'included');
  assert.equal(included.nonce, 0);
  assert.equal(included.error, null);
  const receipt = await world.ask<{ blockHash: string; status: string; from: string }>(
    'eth_getTransactionReceipt',
    included.hash,
  );
  assert.deepEqual([receipt.blockHash, receipt.status, receipt.from], [included.blockHash, '0x1', from]);
  assert.equal(await world.nonceOf(from), 1);
});
