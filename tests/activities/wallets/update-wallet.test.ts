import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy, newWallet, signing } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, refusedToNobody, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'UPDATE_WALLET';
const KEY = 'updateWalletResult';
const TAKEN: [number, string, RegExp] = [400, 'REQUEST_INVALID', /wallet label must be unique/];
const shown = async (walletId: string) => (await instance.root.query('get_wallet', { walletId })).body.wallet;
const rename = (walletId: string, walletName?: string) => instance.root.submit(TYPE, { walletId, walletName });
const empty = (walletName: string) => ({ walletName, accounts: [] });

test('another name and nothing else; the old one is free', async () => {
  const { walletId, addresses } = await newWallet(instance.root, 2);
  const before = await shown(walletId);
  instance.clock.advance(5_000);
  assert.deepEqual(resultOf(await rename(walletId.toUpperCase(), 'Büro „Zürich“ 🗝'), KEY), { walletId });
  const after = await shown(walletId);
  assert.deepEqual(after, { ...before, walletName: 'Büro „Zürich“ 🗝', updatedAt: after.updatedAt });
  assert.ok(Number(after.updatedAt.seconds) >= Number(before.updatedAt.seconds) + 5);
  for (const address of addresses)
    resultOf(await instance.root.submit('SIGN_RAW_PAYLOAD_V2', signing(address)), 'signRawPayloadResult');
  resultOf(await instance.root.submit('CREATE_WALLET', empty(before.walletName)), 'createWalletResult');
});

test('its own name again, or none, is no error', async () => {
  const { walletId } = await newWallet(instance.root);
  const { walletName } = await shown(walletId);
  for (const name of [walletName, undefined]) assert.deepEqual(resultOf(await rename(walletId, name), KEY), { walletId });
  assert.equal((await shown(walletId)).walletName, walletName);
});

test('a name that another wallet has is refused; another organization may have it', async () => {
  const [one, two] = [await newWallet(instance.root), await newWallet(instance.root)];
  const before = await shown(two.walletId);
  refused(await rename(two.walletId, (await shown(one.walletId)).walletName), TAKEN, 'parameters.walletName');
  assert.deepEqual(await shown(two.walletId), before);
  resultOf(await agreed(pair, 'CREATE_WALLET', empty('Elsewhere')), 'createWalletResult');
  resultOf(await rename(two.walletId, 'Elsewhere'), KEY);
});

test('of several wallets that want one name at the same instant, one gets it', async () => {
  const wallets = await Promise.all(Array.from({ length: 4 }, () => newWallet(instance.root)));
  const answers = await Promise.all(wallets.map(({ walletId }) => rename(walletId, 'Wanted')));
  const got = answers.filter((answer) => answer.status === 200);
  assert.equal(got.length, 1, answers.map((answer) => answer.text).join('\n'));
  for (const answer of answers) if (answer !== got[0]) refused(answer, TAKEN);
  const names = await Promise.all(wallets.map(async ({ walletId }) => (await shown(walletId)).walletName));
  assert.equal(names.filter((name) => name === 'Wanted').length, 1);
});

test('an unknown wallet, and the wallet of another organization', async () => {
  const made = await agreed(pair, 'CREATE_WALLET', empty('Theirs'));
  const theirs = resultOf(made, 'createWalletResult').walletId;
  for (const id of [NOBODY, theirs])
    for (const name of ['Mine', undefined])
      refused(await rename(id, name), [404, 'UNSPECIFIED', new RegExp(`wallet not found: parameters.walletId names ${id}`)]);
  assert.equal((await pair.parent.query('get_wallet', { walletId: theirs })).body.wallet.walletName, 'Theirs');
});

test('a user without permission is refused, until a policy names the wallet', async () => {
  const [mine, other] = [await newWallet(instance.root), await newWallet(instance.root)];
  await refusedToNobody(instance, TYPE, { walletId: mine.walletId, walletName: 'Forbidden' });
  const { client, userId } = await instance.newUser('Renames');
  const consensus = approvedBy(userId);
  await newPolicy(instance.root, {
    condition: `activity.resource == 'WALLET' && activity.action == 'UPDATE' && activity.params.wallet_id == '${mine.walletId}'`,
    consensus,
  });
  // The wallet itself is shown to policies about signing and exports alone.
  await newPolicy(instance.root, { condition: `activity.action == 'UPDATE' && wallet.id == '${other.walletId}'`, consensus });
  denied(await client.submit(TYPE, { walletId: other.walletId, walletName: 'Forbidden' }));
  denied(await client.submit(TYPE, { walletId: NOBODY, walletName: 'Forbidden' }));
  resultOf(await client.submit(TYPE, { walletId: mine.walletId.toUpperCase(), walletName: 'Allowed' }), KEY);
  assert.equal((await shown(mine.walletId)).walletName, 'Allowed');
});

test('policies see the new name at once', async () => {
  const { client, userId } = await instance.newUser('Pays');
  const { walletId, addresses } = await newWallet(instance.root);
  await newPolicy(instance.root, {
    condition: "activity.action == 'SIGN' && wallet.label == 'Payouts'",
    consensus: approvedBy(userId),
  });
  const sign = () => client.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!));
  denied(await sign());
  resultOf(await rename(walletId, 'Payouts'), KEY);
  resultOf(await sign(), 'signRawPayloadResult');
  resultOf(await rename(walletId, 'Payouts of last year'), KEY);
  denied(await sign());
});

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [[{ walletId: NOBODY, walletName: 'a\nb' }, 'parameters.walletName', /control characters/]]));
