import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ethers } from 'ethers';
import { ethereumAccount, resultOf, submitPath } from '../../support/client.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { agreed, mayVote, newPair, sharedPair, waitsForBoth } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'CREATE_WALLET';
const DAY = 24 * 60 * 60 * 1000;
const wallet = (walletName: string, ...accounts: object[]) => ({ walletName, accounts });

test('a wallet with an account in every format that this release knows', async () => {
  const accounts = [
    ethereumAccount(),
    { ...ethereumAccount(), addressFormat: 'ADDRESS_FORMAT_COMPRESSED' },
    { ...ethereumAccount(), addressFormat: 'ADDRESS_FORMAT_UNCOMPRESSED', name: 'Named' },
    { ...ethereumAccount(1), curve: 'CURVE_P256', addressFormat: 'ADDRESS_FORMAT_COMPRESSED' },
    { ...ethereumAccount(), curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' },
  ];
  const { walletId, addresses } = resultOf(await instance.root.submit(TYPE, wallet('Main', ...accounts)), 'createWalletResult');
  assert.equal(addresses.length, 5);
  const shown = (await instance.root.query('get_wallet', { walletId })).body.wallet;
  assert.equal(shown.walletName, 'Main');
  assert.deepEqual([shown.exported, shown.imported], [false, false]);
  const listed = (await instance.root.query('list_wallet_accounts', { walletId })).body.accounts;
  assert.deepEqual(
    listed.map((a: Record<string, string>) => [a.address, a.curve, a.path, a.addressFormat, a.pathFormat, a.name]),
    accounts.map((a: Record<string, unknown>, i) => [
      addresses[i],
      a.curve,
      a.path,
      a.addressFormat,
      'PATH_FORMAT_BIP32',
      a.name,
    ]),
  );
  // One key in three formats, checked against another implementation.
  const [eth, compressed, uncompressed, p256, solana] = listed;
  assert.equal(eth.address, ethers.computeAddress(`0x${eth.publicKey}`));
  assert.equal(compressed.address, eth.publicKey);
  assert.equal(`0x${uncompressed.address}`, ethers.SigningKey.computePublicKey(`0x${eth.publicKey}`, false));
  assert.equal(p256.address, p256.publicKey);
  assert.equal(ethers.toBeHex(ethers.decodeBase58(solana.address), 32), `0x${solana.publicKey}`);
});

test('a wallet without accounts, with each mnemonic length', async () => {
  for (const mnemonicLength of [12, 15, 18, 21, 24]) {
    const answer = await instance.root.submit(TYPE, { ...wallet(`Words ${mnemonicLength}`), mnemonicLength });
    assert.deepEqual(resultOf(answer, 'createWalletResult').addresses, []);
  }
});

test('two wallets have different keys', async () => {
  const made = await Promise.all(
    ['One', 'Two'].map(async (name) =>
      resultOf(await instance.root.submit(TYPE, wallet(name, ethereumAccount())), 'createWalletResult'),
    ),
  );
  assert.notEqual(made[0].addresses[0], made[1].addresses[0]);
  assert.notEqual(made[0].walletId, made[1].walletId);
});

test('a second wallet of the same name is refused whole; another organization may use the name', async () => {
  resultOf(await instance.root.submit(TYPE, wallet('Twice')), 'createWalletResult');
  const answer = await instance.root.submit(TYPE, wallet('Twice', ethereumAccount()));
  refused(answer, [400, 'REQUEST_INVALID', /wallet label must be unique/], 'parameters.walletName');
  const wallets = (await instance.root.query('list_wallets')).body.wallets;
  assert.equal(wallets.filter((w: { walletName: string }) => w.walletName === 'Twice').length, 1);
  await waitsForBoth(pair, TYPE, wallet('Twice'), 'createWalletResult');
});

test('an account name that the organization has is refused, and the wallet with it', async () => {
  resultOf(await instance.root.submit(TYPE, wallet('Names', { ...ethereumAccount(), name: 'Hot' })), 'createWalletResult');
  const answer = await instance.root.submit(TYPE, wallet('Names 2', { ...ethereumAccount(), name: 'Hot' }));
  refused(answer, [400, 'REQUEST_INVALID', /name must be unique/], 'parameters.accounts[0].name');
  const wallets = (await instance.root.query('list_wallets')).body.wallets;
  assert.ok(!wallets.some((w: { walletName: string }) => w.walletName === 'Names 2'), 'nothing of a failed activity stays');
});

test('bad parameters are named', async () => {
  const one = (more: object) => wallet('Bad', { ...ethereumAccount(), ...more });
  const path = 'parameters.accounts[0].path';
  await refusesEach(instance.root, TYPE, [
    [wallet('a\u0001b'), 'parameters.walletName', /control characters/],
    [{ ...wallet('Bad'), mnemonicLength: 13 }, 'parameters.mnemonicLength', /12, 15, 18, 21 or 24/],
    [{ ...wallet('Bad'), mnemonicLength: '12' }, 'parameters.mnemonicLength', /12, 15, 18, 21 or 24/],
    [one({ addressFormat: 'ADDRESS_FORMAT_SOLANA' }), 'parameters.accounts[0].addressFormat', /invalid curve/],
    [one({ curve: 'CURVE_P256' }), 'parameters.accounts[0].addressFormat', /invalid curve/],
    [one({ curve: 'CURVE_ED25519' }), 'parameters.accounts[0].addressFormat', /invalid curve/],
    ...[
      '',
      'm/',
      "44'/60'",
      "m/44'/60'/",
      'm/-1',
      'm/01',
      'm/2147483648',
      "m/44''",
      'M/0',
      'm/1/2/3/4/5/6/7/8/9/10/11',
      'm/a',
    ].map((text) => [one({ path: text }), path, /invalid path/] as [unknown, string, RegExp]),
    [
      wallet('Bad', ethereumAccount(), ethereumAccount()),
      'parameters.accounts[1].path',
      /invalid path: wallet account already exists/,
    ],
  ]);
  const wallets = (await instance.root.query('list_wallets')).body.wallets;
  assert.ok(!wallets.some((w: { walletName: string }) => w.walletName === 'Bad'));
});

test('the second user twice at the same instant, and both users at the same instant: it runs once', async () => {
  const [first, second] = pair.clients;
  for (let i = 0; i < 8; i++) {
    const body = first.bodyOf(TYPE, wallet(`Raced ${i}`, ethereumAccount()));
    if (i % 2 === 0) await first.send(submitPath(TYPE), body);
    const racers = i % 2 === 0 ? [second, second, second] : [first, second, first, second];
    const answers = await Promise.all(racers.map((client) => client.send(submitPath(TYPE), body)));
    for (const answer of answers) assert.equal(answer.status, 200, answer.text);
    const ids = new Set(answers.map((answer) => answer.body.activity.id));
    assert.equal(ids.size, 1);
    const { activity } = (await first.query('get_activity', { activityId: [...ids][0] })).body;
    assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
    assert.equal(activity.votes.length, 2);
    const { wallets } = (await first.query('list_wallets')).body;
    assert.equal(wallets.filter((w: { walletName: string }) => w.walletName === `Raced ${i}`).length, 1);
  }
});

test('an approval that fails answers 200 with FAILED and the failure, to everybody and for good', async () => {
  const [first, second] = pair.clients;
  const body = first.bodyOf(TYPE, wallet('Contested'));
  assert.equal((await first.send(submitPath(TYPE), body)).body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  assert.equal((await agreed(pair, TYPE, wallet('Contested'))).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  const failed = await second.send(submitPath(TYPE), body);
  assert.equal(failed.status, 200, failed.text);
  const { activity } = failed.body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_FAILED');
  assert.equal(activity.failure.code, 3);
  assert.match(activity.failure.message, /wallet label must be unique/);
  assert.equal(activity.failure.details[0].turnkeyErrorCode, 'REQUEST_INVALID');
  assert.deepEqual(Object.keys(activity.failure).sort(), ['code', 'details', 'message']);
  assert.deepEqual(Object.keys(activity.result), ['activity']);
  assert.equal(activity.votes.length, 2);
  assert.deepEqual([activity.canApprove, activity.canReject], [false, false]);
  for (const client of [first, second]) assert.deepEqual((await client.send(submitPath(TYPE), body)).body, failed.body);
});

test('approvals lapse 24 hours after the first one, and count from then on anew', async () => {
  const late = await newPair(instance, 'Late');
  const [first, second] = late.clients;
  const body = first.bodyOf(TYPE, wallet('Late'));
  const { id } = (await first.send(submitPath(TYPE), body)).body.activity;
  instance.clock.advance(DAY - 60_000);
  assert.deepEqual(await mayVote(first, id), [false, true]);
  instance.clock.advance(60_000);
  assert.deepEqual(await mayVote(first, id), [true, true]);
  const alone = (await second.send(submitPath(TYPE), body)).body.activity;
  assert.equal(alone.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', 'the first approval is too old');
  assert.equal(alone.votes.length, 2);
  assert.deepEqual(await mayVote(second, id), [false, true]);
  instance.clock.advance(DAY - 60_000);
  const again = (await first.send(submitPath(TYPE), body)).body.activity;
  assert.equal(again.votes.length, 2, 'the stamp of a lapsed approval is on record, and renews nothing');
  const done = (await first.submit('APPROVE_ACTIVITY', { fingerprint: again.fingerprint })).body.activity;
  assert.equal(done.status, 'ACTIVITY_STATUS_COMPLETED');
  assert.equal(done.votes.length, 3);
  assert.equal(done.id, id);
});
