import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { listWalletAccounts } from '../../../src/queries/wallets/list-wallet-accounts.ts';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refusesEachQuery } from '../../support/refusals.ts';
import { badPagination, pages } from '../support.ts';

type Account = { walletAccountId: string; walletId: string; path: string; walletDetails?: object };

const instance = await sharedInstance();
const walletIds: string[] = [];
let all: Account[];

const list = async (parameters: object = {}): Promise<Account[]> => {
  const answer = await instance.root.query('list_wallet_accounts', parameters);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.accounts;
};
const ids = (accounts: readonly Account[]) => accounts.map((a) => a.walletAccountId);

before(async () => {
  for (const walletName of ['A', 'B']) {
    const accounts = Array.from({ length: 8 }, (_, i) => ethereumAccount(7 - i));
    const made = await instance.root.submit('CREATE_WALLET', { walletName, accounts });
    walletIds.push(resultOf(made, 'createWalletResult').walletId);
  }
  all = await list({ paginationOptions: { limit: '100' } });
});

test('in the order of creation, of the organization or of one wallet; ten unless asked otherwise', async () => {
  assert.equal(all.length, 16);
  assert.deepEqual(await list(), all.slice(0, 10));
  const ofB = await list({ walletId: walletIds[1]!.toUpperCase() });
  assert.deepEqual(ofB, all.slice(8));
  assert.deepEqual(
    ofB.map((a) => a.path),
    Array.from({ length: 8 }, (_, i) => ethereumAccount(7 - i).path),
  );
  const answer = { accounts: all };
  assert.deepEqual(listWalletAccounts.result.parse(answer), answer, 'the answer has its declared shape');
});

test('pages by key in both directions', async () => {
  await pages(ids(all), async (paginationOptions) => ids(await list({ paginationOptions })));
  const ofA = ids(all.slice(0, 8));
  await pages(ofA, async (paginationOptions) => ids(await list({ walletId: walletIds[0], paginationOptions })));
});

test('with the wallet’s details only where they are asked for', async () => {
  for (const account of [...all, ...(await list({ includeWalletDetails: false }))]) assert.ok(!('walletDetails' in account));
  for (const account of await list({ includeWalletDetails: true, paginationOptions: { limit: '100' } })) {
    const { wallet } = (await instance.root.query('get_wallet', { walletId: account.walletId })).body;
    assert.deepEqual(account.walletDetails, wallet);
  }
});

test('an unknown wallet and a wallet of another organization have none; the parent reads them there', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const made = await sub.clients[0]!.submit('CREATE_WALLET', { walletName: 'W', accounts: [ethereumAccount()] });
  const { walletId } = resultOf(made, 'createWalletResult');
  for (const id of [NOBODY, walletId]) assert.deepEqual(await list({ walletId: id }), []);
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  const { accounts } = (await parent.query('list_wallet_accounts', { walletId })).body;
  assert.equal(accounts.length, 1);
  assert.equal(accounts[0].organizationId, sub.organizationId);
  const strange = { paginationOptions: { after: accounts[0].walletAccountId, limit: '100' } };
  assert.deepEqual(await list(strange), [], 'an id of another organization is an edge and nothing else');
});

test('bad parameters are named', () => refusesEachQuery(instance.root, 'list_wallet_accounts', [...badPagination]));
