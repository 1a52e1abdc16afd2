import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, beforeEach, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ComputeBudgetProgram, NONCE_ACCOUNT_LENGTH, NonceAccount, PublicKey, SystemProgram } from '@solana/web3.js';
import { acceptSend } from '../../../../src/domain/sends/sends.ts';
import { resultOf } from '../../../support/client.ts';
import { waitFor } from '../../../support/wait.ts';
import {
  attemptsOf,
  FRIEND,
  idOf,
  newAccounts,
  sendOf,
  sendRow,
  setAccount,
  sharedSending,
  statusOf,
  TYPE,
  transaction,
  transfer,
  until,
  whenRow,
} from './support.ts';

const sending = await sharedSending();
const { instance, node, liar } = sending;
const { root } = instance;
let payer: PublicKey;
before(async () => {
  [payer] = (await newAccounts(sending, root, 1, 100_000_000_000n)) as [PublicKey];
});
beforeEach(() => liar.truth());

const hash = () => node.svm.latestBlockhash() as string;
const balance = () => node.svm.getBalance(FRIEND.toBase58() as never) ?? 0n;
const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 10_000 });
const submit = async (unsigned: string, more: object = {}) => idOf(await root.submit(TYPE, sendOf([payer], unsigned, more)));
const sendTransfer = (lamports?: number) => submit(transaction({ payer }, transfer(payer, lamports)));
/** The service broadcasts it again after two seconds, and looks for final ones every two. */
const later = () => instance.clock.advance(2_500);

/** Lets time pass until it is so. */
const passing = (id: string, state: string) => whenRow(sending, id, state, later);

test('included, and final once its block is', async () => {
  const id = await sendTransfer();
  await until(root, id, 'INCLUDED');
  assert.equal((await sendRow(instance, id)).state, 'included');
  node.advance(32);
  const { blockNumber } = await passing(id, 'final');
  assert.ok(blockNumber! > 1000);
  assert.equal((await statusOf(root, id)).txStatus, 'INCLUDED');
});

test('a transaction that nodes take and lose is given again until it lands', async () => {
  const before = balance();
  node.lose(2);
  const id = await sendTransfer(3_000_000);
  await whenRow(sending, id, 'sent');
  await passing(id, 'included');
  assert.equal(balance(), before + 3_000_000n);
  assert.equal((await attemptsOf(sending, id)).length, 1);
});

test('a fork that is left: back to BROADCASTING, and it lands again', async () => {
  const before = balance();
  node.mark();
  const id = await sendTransfer(4_000_000);
  await until(root, id, 'INCLUDED');
  node.hold();
  node.rollBack();
  await passing(id, 'sent');
  const { txStatus, solana } = await statusOf(root, id);
  assert.equal(txStatus, 'BROADCASTING');
  later();
  node.land();
  assert.equal((await until(root, id, 'INCLUDED')).solana.signature, solana.signature);
  assert.equal(balance(), before + 4_000_000n);
});

test('a blockhash that the service chose and that expires: signed anew only once the old one is gone for good', async () => {
  const before = balance();
  node.lose(1000);
  const id = await sendTransfer(5_000_000);
  const { hash: first } = await whenRow(sending, id, 'sent');
  const lastValidBlockHeight = (await attemptsOf(sending, id))[0]!.lastValidBlockHeight!;
  // Ended, but not final.
  node.advance(160);
  later();
  await whenAsked('getSignatureStatuses');
  assert.equal((await attemptsOf(sending, id)).length, 1);
  node.advance(60);
  node.lose(0);
  const { hash: second } = await passing(id, 'included');
  const attempts = await attemptsOf(sending, id);
  assert.deepEqual(
    attempts.map(({ hash }) => hash),
    [first, second],
  );
  assert.ok(attempts[1]!.lastValidBlockHeight! > lastValidBlockHeight + 150);
  assert.notEqual(attempts[1]!.sent.message.recentBlockhash, attempts[0]!.sent.message.recentBlockhash);
  assert.equal(balance(), before + 5_000_000n);
});

const MAIN = { organization: true, reason: 'a test' };

test('a send that was signed before a freeze is not signed again when its blockhash expires, also after the freeze', async () => {
  const before = balance();
  node.lose(1000);
  const id = await sendTransfer();
  await whenRow(sending, id, 'sent');
  resultOf(await root.submit('COUNTERSIGN_FREEZE', MAIN), 'countersignFreezeResult');
  await waitFor('the freeze cancels it', async () => (await sendRow(instance, id)).wish?.what === 'cancel');
  node.advance(160);
  later();
  await whenAsked('getSignatureStatuses');
  resultOf(await root.submit('COUNTERSIGN_UNFREEZE', MAIN), 'countersignUnfreezeResult');
  node.advance(60);
  node.lose(0);
  await passing(id, 'failed');
  const { txError } = await statusOf(root, id);
  assert.match(txError, /the transaction expired: .*\. It is not signed again: activity \S+ cancelled it: a test$/);
  assert.deepEqual([(await attemptsOf(sending, id)).length, balance()], [1, before]);
});

test('a send that is cancelled after it was signed, and before a node had it, is given to no node', async () => {
  const before = balance();
  node.lose(1000);
  const id = await sendTransfer();
  await whenRow(sending, id, 'sent');
  const { hash: signed, ...send } = await sendRow(instance, id);
  node.lose(0);
  // As if the process had died between the signature and the broadcast. In one write: a step between two would broadcast it.
  const cancel = JSON.stringify({ what: 'cancel', activityId: id, reason: 'a test' });
  const change = "UPDATE sends SET state = 'signed', wish = $1, version = version + 1";
  await instance.raw(`${change} WHERE id = (SELECT send_id FROM send_attempts WHERE hash = $2)`, cancel, signed);
  await instance.engine.store.transaction((tx) => tx.sendAccounts.makeDue(send, instance.clock.now()));
  await passing(id, 'sent');
  node.advance(220);
  await passing(id, 'failed');
  assert.match((await statusOf(root, id)).txError, /It is not signed again: activity \S+ cancelled it: a test$/);
  assert.deepEqual([(await attemptsOf(sending, id)).length, balance()], [1, before]);
});

test('a send that expires during a freeze fails, also if the freeze did not cancel it', async () => {
  node.lose(1000);
  const id = await sendTransfer();
  await whenRow(sending, id, 'sent');
  const { organizationId } = root;
  const freeze = {
    organizationId,
    id: organizationId,
    target: 'organization',
    activityId: id,
    userId: id,
    reason: 'a test',
  } as const;
  const { store } = instance.engine;
  await store.transaction((tx) => tx.freezes.insert({ ...freeze, keepsSends: false, createdAt: instance.clock.now() }));
  node.advance(220);
  node.lose(0);
  await passing(id, 'failed');
  assert.match((await statusOf(root, id)).txError, /It is not signed again: a key that signs it is frozen$/);
  await store.transaction((tx) => tx.freezes.remove(organizationId, organizationId));
});

test('a blockhash that the caller gave and that expires: FAILED, and never signed anew', async () => {
  const before = balance();
  node.lose(1000);
  const id = await submit(transaction({ payer, blockhash: hash() }, limit, transfer(payer)));
  await whenRow(sending, id, 'sent');
  node.advance(151 + 2 * 32);
  later();
  await whenAsked('getSignatureStatuses');
  assert.equal((await statusOf(root, id)).txStatus, 'BROADCASTING');
  node.advance(64);
  await passing(id, 'failed');
  node.lose(0);
  const { txStatus, txError, solana } = await statusOf(root, id);
  assert.deepEqual([txStatus, solana], ['FAILED', undefined]);
  assert.match(txError, /expired: its blockhash was valid until block \d+, and no block up to it has the transaction/);
  assert.equal((await attemptsOf(sending, id)).length, 1);
  assert.equal(balance(), before);
});

for (const said of [1, 10 ** 12])
  test(`an endpoint that says that its blockhash counts until block ${said}: nothing is signed with it`, async () => {
    const value = { blockhash: FRIEND.toBase58(), lastValidBlockHeight: said };
    liar.lie({ kind: 'result', result: { context: { slot: 1 }, value } }, { methods: ['getLatestBlockhash'] });
    const id = await sendTransfer();
    // It is looked at again later.
    let row = await sendRow(instance, id);
    for (; row.dueAt === row.createdAt; row = await sendRow(instance, id)) await delay(20);
    assert.equal(row.state, 'queued');
    liar.truth();
    await whenRow(sending, id, 'included', () => instance.clock.advance(30_000));
    const [attempt] = await attemptsOf(sending, id);
    assert.equal(attempt!.sent.message.recentBlockhash, hash());
    assert.ok(attempt!.lastValidBlockHeight! < 10_000);
  });

test('while one endpoint does not answer, nothing is called expired', async () => {
  node.lose(1000);
  const id = await sendTransfer();
  await whenRow(sending, id, 'sent');
  node.advance(300);
  liar.lie({ kind: 'limit' }, { methods: ['getSignatureStatuses'] });
  later();
  await whenAsked('getSignatureStatuses');
  assert.equal((await sendRow(instance, id)).state, 'sent');
  assert.equal((await attemptsOf(sending, id)).length, 1);
  node.lose(0);
  liar.truth();
  await passing(id, 'included');
});

test('one that fails on chain is INCLUDED with what happened', async () => {
  // No node simulates it: it may have been sent before.
  const rich = 98_000_000_000;
  node.hold();
  const first = await submit(transaction({ payer }, limit, transfer(payer, rich)));
  const second = await submit(transaction({ payer }, limit, transfer(payer, rich - 1_000)));
  await waitFor('the node has both', async () => node.held() === 2);
  node.land();
  const [one, other] = [await until(root, first, 'INCLUDED'), await until(root, second, 'INCLUDED')];
  const failed = one.error === undefined ? other : one;
  assert.equal([one.error, other.error].filter((error) => error === undefined).length, 1);
  assert.equal(failed.txError, 'instruction 1: custom program error 0x1');
  const { source, transactionErrorJson, logs, unitsConsumed, innerInstructionsJson } = failed.error.solana;
  assert.deepEqual([source, transactionErrorJson], ['execution', '{"InstructionError":[1,{"Custom":1}]}']);
  assert.match(logs.join('\n'), /insufficient lamports/);
  assert.equal(unitsConsumed, '300');
  assert.equal(innerInstructionsJson, '[]');
  assert.match(failed.solana.signature, /^\w+$/);
  node.airdrop(payer.toBase58(), 100_000_000_000n);
});

test('an endpoint that is busy is asked again, and still tries it out first', async () => {
  liar.lie({ kind: 'error', code: -32005, message: 'Node is behind by 300 slots' }, { methods: ['sendTransaction'], times: 1 });
  const id = await submit(transaction({ payer }, limit, transfer(payer, 10 ** 15)));
  await whenRow(sending, id, 'sent');
  later();
  const { error } = await until(root, id, 'FAILED');
  assert.equal(error.solana.source, 'preflight');
});

test('two sends whose bytes would be the same are two: the second takes another blockhash', async () => {
  const before = balance();
  const same = transaction({ payer }, limit, transfer(payer, 6_000_000));
  const [first, second] = [await submit(same), await submit(same)];
  await until(root, first, 'INCLUDED');
  assert.equal((await sendRow(instance, second)).state, 'queued');
  node.advance(151);
  await until(root, second, 'INCLUDED');
  assert.equal(balance(), before + 12_000_000n);
});

test('a durable nonce does not expire by height; once another transaction used it, the send FAILED', async () => {
  const [nonce, authority] = [new PublicKey(Buffer.alloc(32, 5)), payer];
  const setNonce = (value: Buffer) => {
    const data = Buffer.alloc(NONCE_ACCOUNT_LENGTH);
    data.writeUInt32LE(1, 0);
    data.writeUInt32LE(1, 4);
    authority.toBuffer().copy(data, 8);
    value.copy(data, 40);
    data.writeBigUInt64LE(5000n, 72);
    setAccount(node, nonce, SystemProgram.programId, data);
    return NonceAccount.fromAccountData(data).nonce;
  };
  const value = setNonce(Buffer.alloc(32, 9));
  const advance = SystemProgram.nonceAdvance({ noncePubkey: nonce, authorizedPubkey: authority });
  const unsigned = transaction({ payer, blockhash: value }, advance, limit, transfer(payer));
  liar.lie({ kind: 'error', code: -32005, message: 'Node is behind by 300 slots' }, { methods: ['sendTransaction'] });
  const id = await submit(unsigned);
  await whenRow(sending, id, 'sent');
  node.advance(1000);
  later();
  await whenAsked('getAccountInfo');
  assert.equal((await sendRow(instance, id)).state, 'sent');
  setNonce(Buffer.alloc(32, 10));
  later();
  while ((await attemptsOf(sending, id))[0]!.lastValidBlockHeight === null) await whenAsked('getSignatureStatuses');
  assert.equal((await sendRow(instance, id)).state, 'sent');
  node.advance(100);
  await passing(id, 'failed');
  assert.equal(
    (await statusOf(root, id)).txError,
    'its nonce account has another durable nonce, and the transaction was not mined',
  );
});

test('a send whose key is gone before it is signed FAILED', async () => {
  const [own] = (await newAccounts(sending, root, 1)) as [PublicKey];
  liar.lie({ kind: 'limit' }, { methods: ['getBlockHeight'] });
  const unsigned = transaction({ payer: own, blockhash: hash() }, limit, transfer(own));
  const id = idOf(await root.submit(TYPE, sendOf([own], unsigned)));
  const { wallets } = (await root.query('list_wallets')).body;
  const [latest] = wallets.toSorted((a: { walletId: string }, b: { walletId: string }) => (a.walletId < b.walletId ? 1 : -1));
  resultOf(
    await root.submit('DELETE_WALLETS', { walletIds: [latest.walletId], deleteWithoutExport: true }),
    'deleteWalletsResult',
  );
  liar.truth();
  const { txError } = await until(root, id, 'FAILED');
  assert.match(txError, /its key was deleted/);
});

test('a send that cannot be signed stops no others of its account', async () => {
  const first = await sendTransfer();
  await until(root, first, 'INCLUDED');
  const { store } = instance.engine;
  const good = await sendRow(instance, first);
  const broken = { ...good, id: randomUUID(), intent: { ...good.intent, blockhash: 'given', transaction: 'AAAA' } };
  const accepted = await store.transaction((tx) => acceptSend(tx, broken, instance.clock.now()));
  const others = [await sendTransfer(), await sendTransfer()];
  for (const id of others) await until(root, id, 'INCLUDED');
  const { state } = await sendRow(instance, accepted.id);
  assert.equal(state, 'queued');
});

/** Waits until a method is asked twice from now on, so that earlier requests have ended. */
async function whenAsked(method: string): Promise<void> {
  const count = () => liar.asked.filter((one) => one === method).length;
  const before = count();
  await waitFor(`${method} is asked twice`, () => count() >= before + 2);
}
