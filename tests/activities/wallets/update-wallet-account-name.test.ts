import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy, newWallet, signing } from '../../e2e/authority.ts';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, refusedToNobody, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'UPDATE_WALLET_ACCOUNT_NAME';
const KEY = 'updateWalletAccountNameResult';
const TAKEN: [number, string, RegExp] = [400, 'REQUEST_INVALID', /wallet account name must be unique in the organization/];
const rename = (walletAccountId: string, name: string) => instance.root.submit(TYPE, { walletAccountId, name });

/** Of a wallet's accounts, in the order of their creation. */
const accountsOf = async (walletId: string, client = instance.root) =>
  (await client.query('list_wallet_accounts', { walletId })).body.accounts;

test('a name for an account that had none, then another one, and nothing else', async () => {
  const { root } = instance;
  const { walletId, addresses } = await newWallet(root, 2);
  const [first, second] = await accountsOf(walletId);
  assert.ok(!('name' in first));
  for (const name of ['Kasse „Süd“', 'Till']) {
    instance.clock.advance(5_000);
    const { walletAccountId } = first;
    assert.deepEqual(resultOf(await rename(walletAccountId.toUpperCase(), name), KEY), { walletAccountId });
    const [named, other] = await accountsOf(walletId);
    assert.deepEqual(named, { ...first, name, updatedAt: named.updatedAt });
    assert.ok(Number(named.updatedAt.seconds) >= Number(first.updatedAt.seconds) + 5);
    assert.deepEqual(other, second);
  }
  resultOf(await root.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!)), 'signRawPayloadResult');
  resultOf(await rename(second.walletAccountId, 'Kasse „Süd“'), KEY);
});

test('its own name again is no error; one that any wallet of the organization has is refused', async () => {
  const { root } = instance;
  const accounts = [{ ...ethereumAccount(), name: 'Hot' }, ethereumAccount(1)];
  const made = resultOf(await root.submit('CREATE_WALLET', { walletName: 'Hot', accounts }), 'createWalletResult');
  const [hot, beside] = await accountsOf(made.walletId);
  const [elsewhere] = await accountsOf((await newWallet(root)).walletId);
  resultOf(await rename(hot.walletAccountId, 'Hot'), KEY);
  for (const { walletAccountId } of [beside, elsewhere]) refused(await rename(walletAccountId, 'Hot'), TAKEN, 'parameters.name');
  assert.ok(!('name' in (await accountsOf(made.walletId))[1]));
  const theirs = await agreed(pair, 'CREATE_WALLET', { walletName: 'Cold', accounts: [{ ...ethereumAccount(), name: 'Cold' }] });
  resultOf(theirs, 'createWalletResult');
  resultOf(await rename(beside.walletAccountId, 'Cold'), KEY);
});

test('of several accounts that want one name at the same instant, one gets it', async () => {
  const { walletId } = await newWallet(instance.root, 4);
  const accounts: { walletAccountId: string }[] = await accountsOf(walletId);
  const answers = await Promise.all(accounts.map(({ walletAccountId }) => rename(walletAccountId, 'Wanted')));
  const got = answers.filter((answer) => answer.status === 200);
  assert.equal(got.length, 1, answers.map((answer) => answer.text).join('\n'));
  for (const answer of answers) if (answer !== got[0]) refused(answer, TAKEN);
  const named = (await accountsOf(walletId)).filter((account: { name?: string }) => account.name === 'Wanted');
  assert.equal(named.length, 1);
});

test('an unknown account, a wallet, and the account of another organization', async () => {
  const made = await agreed(pair, 'CREATE_WALLET', { walletName: 'Theirs', accounts: [ethereumAccount()] });
  const theirs = resultOf(made, 'createWalletResult').walletId;
  const [foreign] = await accountsOf(theirs, pair.parent);
  const { walletId } = await newWallet(instance.root);
  for (const id of [NOBODY, walletId, foreign.walletAccountId]) {
    const wanted = new RegExp(`wallet account not found: parameters.walletAccountId names ${id}`);
    refused(await rename(id, 'Mine'), [404, 'UNSPECIFIED', wanted]);
  }
  assert.ok(!('name' in (await accountsOf(theirs, pair.parent))[0]));
});

test('a user without permission is refused, until a policy allows it', async () => {
  const { walletId } = await newWallet(instance.root);
  const [{ walletAccountId }] = await accountsOf(walletId);
  const parameters = { walletAccountId, name: 'By policy' };
  await refusedToNobody(instance, TYPE, parameters);
  const { client, userId } = await instance.newUser('Names');
  denied(await client.submit(TYPE, parameters));
  await newPolicy(instance.root, {
    condition: "activity.type == 'ACTIVITY_TYPE_UPDATE_WALLET_ACCOUNT_NAME'",
    consensus: approvedBy(userId),
  });
  resultOf(await client.submit(TYPE, parameters), KEY);
  denied(await client.submit('UPDATE_WALLET', { walletId, walletName: 'Not this' }));
});

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [[{ walletAccountId: NOBODY, name: 'a\tb' }, 'parameters.name', /control characters/]]));
