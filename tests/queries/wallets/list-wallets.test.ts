import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listWallets } from '../../../src/queries/wallets/list-wallets.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

test('all wallets in the order of their creation, each as get_wallet shows it', async () => {
  assert.deepEqual((await instance.root.query('list_wallets')).body, { wallets: [] });
  for (const walletName of ['C', 'A', 'B']) await instance.root.submit('CREATE_WALLET', { walletName, accounts: [] });
  const { body } = await instance.root.query('list_wallets');
  assert.deepEqual(listWallets.result.parse(body), body, 'the answer has its declared shape');
  assert.deepEqual(
    body.wallets.map((w: { walletName: string }) => w.walletName),
    ['C', 'A', 'B'],
  );
  for (const wallet of body.wallets)
    assert.deepEqual((await instance.root.query('get_wallet', { walletId: wallet.walletId })).body.wallet, wallet);
});

test('each organization has its own, and the parent reads those of a sub-organization', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  await sub.clients[0]!.submit('CREATE_WALLET', { walletName: 'Theirs', accounts: [] });
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  for (const client of [sub.clients[0]!, parent]) {
    const { wallets } = (await client.query('list_wallets')).body;
    assert.deepEqual(
      wallets.map((w: { walletName: string }) => w.walletName),
      ['Theirs'],
    );
  }
});
