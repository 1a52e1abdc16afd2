/** Sends of one account cannot hold up those of others that the same paymaster pays for. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Hex } from 'viem';
import { MESSAGE_NONCE_SLOT } from '../../../src/chains/ethereum/delegation.ts';
import {
  CHAIN,
  dataOf,
  idOf,
  landed,
  newAccount,
  SPONSORING,
  sendingWorld,
  sponsoring,
} from '../../activities/sending/eth-support.ts';
import { engineName } from '../../support/database.ts';
import { sharedInstance } from '../../support/instance.ts';
import { rpc } from '../../support/rpc-liar.ts';

const TYPE = 'ETH_SEND_TRANSACTION_V2';
const world = await sendingWorld();
after(() => world.stop());
const instance = await sharedInstance({ ...world.env, ...SPONSORING });
const { root } = instance;
await sponsoring(world, instance);
const target = await world.deploy('Target');

const sponsored = (from: Hex, more: object = {}) => ({
  from,
  caip2: CHAIN,
  sponsor: true,
  calls: [{ to: target, data: dataOf('Target', 'add', [1n]) }],
  ...more,
});
const ask = (method: string, ...params: unknown[]) => rpc(world.anvil.url, method, params);
const accept = async (from: Hex, more: object = {}) => idOf(await root.submit(TYPE, sponsored(from, more)));

test(`a message nonce that no row can hold fails its send, and no other, on ${engineName}`, async () => {
  const [from, other] = [await newAccount(world, root, 0n), await newAccount(world, root, 0n)];
  await ask('anvil_setStorageAt', from, MESSAGE_NONCE_SLOT, `0x${'00'.repeat(16)}${'ff'.repeat(16)}`);
  const id = await accept(from, { gasLimit: '300000' });
  assert.equal((await landed(root, await accept(other))).txStatus, 'INCLUDED');
  const status = await landed(root, id);
  assert.equal(status.txStatus, 'FAILED');
  assert.match(status.txError, /nonce/);
});
