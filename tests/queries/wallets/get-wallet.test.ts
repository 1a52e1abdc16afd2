import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getWallet } from '../../../src/queries/wallets/get-wallet.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { hidesOthers } from '../support.ts';

const instance = await sharedInstance();

const wallet = (walletName: string) => ({ walletName, accounts: [] });

test('one wallet', async () => {
  const { walletId } = resultOf(await instance.root.submit('CREATE_WALLET', wallet('One')), 'createWalletResult');
  const { body } = await instance.root.query('get_wallet', { walletId });
  assert.deepEqual(getWallet.result.parse(body), body, 'the answer has its declared shape');
  const { createdAt, updatedAt, ...rest } = body.wallet;
  assert.deepEqual(rest, { walletId, walletName: 'One', exported: false, imported: false });
  assert.deepEqual(createdAt, updatedAt);
  assert.ok(Math.abs(Number(createdAt.seconds) * 1000 - instance.clock.now()) < 60_000);
});

test('the parent reads it; elsewhere it is nothing', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const { walletId } = resultOf(await sub.clients[0]!.submit('CREATE_WALLET', wallet('Theirs')), 'createWalletResult');
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  assert.equal((await parent.query('get_wallet', { walletId })).body.wallet.walletName, 'Theirs');
  await hidesOthers(instance.root, 'get_wallet', 'walletId', walletId, /wallet not found/);
});
