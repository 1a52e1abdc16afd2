import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { approvedBy, newPolicy } from '../../e2e/authority.ts';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { newSend, type SendFacts } from '../../support/world/sends.ts';
import { agreed, refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;
const TYPE = 'COUNTERSIGN_CANCEL_SEND';
const KEY = 'countersignCancelSendResult';
const FIELD = 'parameters.sendTransactionStatusId';
const reason = 'The recipient is wrong';

let address: string;
before(async () => {
  const wallet = await root.submit('CREATE_WALLET', { walletName: 'Main', accounts: [ethereumAccount()] });
  [address] = resultOf(wallet, 'createWalletResult').addresses;
});

const send = (facts?: SendFacts) => newSend({ instance, client: root }, address, facts);
const of = (sendTransactionStatusId: string) => ({ sendTransactionStatusId, reason });
const row = (id: string) => instance.engine.store.read.sends.get(root.organizationId, id);

test('one that may be out is given to the owner of its account, who replaces it', async () => {
  for (const state of ['signed', 'sent'] as const) {
    const { id, account, caip2 } = await send({ state });
    const answer = await root.submit(TYPE, of(id));
    assert.deepEqual(resultOf(answer, KEY), { sendTransactionStatusId: id });
    const after = await row(id);
    assert.deepEqual([after!.state, after!.wish], [state, { what: 'cancel', activityId: answer.body.activity.id, reason }]);
    // Its owner may have taken it already.
    assert.ok(await instance.engine.store.read.sendAccounts.get({ caip2, account }));
  }
});

test('one that came signed, by a key of the organization', async () => {
  const { id } = await send({ intent: { form: 'raw', signWith: '' } });
  resultOf(await root.submit(TYPE, of(id)), KEY);
  assert.equal((await row(id))!.wish!.what, 'cancel');
});

test('one that is not signed fails at once, with who did it and why', async () => {
  for (const facts of [{}, { kind: 'solana' as const, caip2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' }]) {
    const { id } = await send({ ...facts, state: 'queued', nonce: null, hash: '', attempts: [] });
    const answer = await root.submit(TYPE, of(id));
    assert.deepEqual(resultOf(answer, KEY), { sendTransactionStatusId: id });
    const status = (await root.query('get_send_transaction_status', { sendTransactionStatusId: id })).body;
    const message = `cancelled by activity ${answer.body.activity.id} before it was signed: ${reason}`;
    assert.deepEqual(status, { txStatus: 'FAILED', txError: message, error: { message, revertChain: [] } });
  }
});

test('one that is signed on Solana is marked, so that it is not signed again', async () => {
  const solana = { kind: 'solana' as const, caip2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' };
  const { id } = await send({ ...solana, state: 'sent', intent: { blockhash: 'chosen', signWiths: [] } as never });
  resultOf(await root.submit(TYPE, of(id)), KEY);
  const { state, wish } = (await row(id))!;
  assert.deepEqual([state, wish!.what], ['sent', 'cancel']);
});

test('a send that is finished, on Solana and sent, signed elsewhere or already cancelled is refused with its reason', async () => {
  const solana = { kind: 'solana' as const, caip2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' };
  for (const [facts, why] of [
    [{ state: 'included' }, /its transaction is already mined/],
    [{ state: 'final' }, /its transaction is mined in a final block/],
    [{ state: 'failed' }, /it has failed/],
    [{ ...solana, state: 'sent' }, /it is signed, and Solana has no replacement/],
    [{ ...solana, state: 'signed' }, /it is signed, and Solana has no replacement/],
    [
      { intent: { form: 'raw' }, fromAddress: `0x${'5'.repeat(40)}` },
      /it was submitted signed, and the key of its account is not in this organization/,
    ],
  ] as [SendFacts, RegExp][]) {
    const { id } = await send(facts);
    const answer = await root.submit(TYPE, of(id));
    refused(answer, [400, 'REQUEST_INVALID', why], FIELD);
    assert.equal((await row(id))!.wish, null);
  }
  const { id } = await send();
  const first = await root.submit(TYPE, of(id));
  resultOf(first, KEY);
  const again = await root.submit(TYPE, of(id));
  refused(again, [400, 'REQUEST_INVALID', new RegExp(`activity ${first.body.activity.id} already cancels it`)], FIELD);
});

test('of two at the same moment one is carried out, and the other is told so', async () => {
  for (const state of ['sent', 'queued'] as const) {
    const { id } = await send({ state });
    const both = await Promise.all([root.submit(TYPE, of(id)), root.submit(TYPE, of(id))]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400], both.map(({ text }) => text).join());
  }
});

test('a cancellation takes the place of a speed-up', async () => {
  const { id } = await send();
  resultOf(await root.submit('COUNTERSIGN_SPEED_UP_SEND', of(id)), 'countersignSpeedUpSendResult');
  resultOf(await root.submit(TYPE, of(id)), KEY);
  assert.equal((await row(id))!.wish!.what, 'cancel');
});

test('policies see the signer and the transaction that takes the nonce; what it pays is not known', async () => {
  const { client, userId } = await instance.newUser('Ann');
  const mine = `activity.type == 'ACTIVITY_TYPE_${TYPE}' && activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'`;
  const allow = async (condition: string) => newPolicy(root, { condition, consensus: approvedBy(userId) });
  await allow(`${mine} && eth.tx.max_fee_per_gas < 1000000000000`);
  const { id } = await send();
  refused(await client.submit(TYPE, of(id)), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
  const self = `eth.tx.to == '${address.toLowerCase()}' && eth.tx.from == '${address.toLowerCase()}' && eth.tx.value == 0 && eth.tx.data == '0x' && eth.tx.nonce == 5`;
  await allow(`${mine} && wallet.label == 'Main' && ${self} && activity.params.reason == '${reason}'`);
  resultOf(await client.submit(TYPE, of(id)), KEY);
  const paid = await send({ sponsored: true, account: `0x${'5'.repeat(40)}`, intent: { form: 'sponsored' } });
  refused(await client.submit(TYPE, of(paid.id)), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
  const either = `['${paid.account}', '${address.toLowerCase()}']`;
  await allow(`${mine} && wallet.label == 'Main' && eth.tx.from in ${either} && eth.tx.to in ${either}`);
  resultOf(await client.submit(TYPE, of(paid.id)), KEY);
  refused(await client.submit(TYPE, of(NOBODY)), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
});

test('of a message, policies see what voids it: the call, the authorization, and what takes its place', async () => {
  const delegate = `0x${'d'.repeat(40)}`;
  const account = `0x${'5'.repeat(40)}`;
  const from = address.toLowerCase();
  const burning = `0x195e307b${(64).toString(16).padStart(64, '0')}${(3).toString(16).padStart(64, '0')}${'0'.repeat(64)}`;
  for (const form of ['batch', 'sponsored'] as const) {
    const { client, userId } = await instance.newUser(`Bob of ${form}`);
    const sponsored = form === 'sponsored';
    const allow = (condition: string) => newPolicy(root, { condition, consensus: approvedBy(userId) });
    const { id } = await send({
      sponsored,
      ...(sponsored ? { account } : {}),
      messageNonce: 3,
      intent: { form, delegate, ...(sponsored ? { station: delegate } : {}) },
    });
    const payer = sponsored ? account : from;
    await allow(`eth.tx.to == '${payer}' && eth.tx.data == '0x' && eth.tx.nonce == 5`);
    refused(await client.submit(TYPE, of(id)), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
    const authorized = `eth.tx.type == 'TYPE_4' && eth.tx.authorization_list.all(a, a.address == '${delegate}')`;
    await allow(
      `eth.tx.from == '${from}' && eth.tx.to == '${from}' && eth.tx.value == 0 && eth.tx.data == '${burning}' && ${authorized}`,
    );
    resultOf(await client.submit(TYPE, of(id)), KEY);
  }
});

test('it waits for both, and is refused to nobody in particular', async () => {
  const wallet = await agreed(pair, 'CREATE_WALLET', { walletName: 'Pair', accounts: [ethereumAccount()] });
  const [from] = resultOf(wallet, 'createWalletResult').addresses;
  const { id } = await newSend({ instance, client: pair.clients[0] }, from);
  assert.deepEqual(await waitsForBoth(pair, TYPE, of(id), KEY), { sendTransactionStatusId: id });
  await refusedToNobody(instance, TYPE, of((await send()).id));
});

test('one of another organization is unknown, as what nobody has', async () => {
  const wallet = await agreed(pair, 'CREATE_WALLET', { walletName: 'Theirs', accounts: [ethereumAccount()] });
  const theirs = await newSend({ instance, client: pair.clients[0] }, resultOf(wallet, 'createWalletResult').addresses[0]);
  for (const id of [theirs.id, NOBODY])
    refused(await root.submit(TYPE, of(id)), [404, 'UNSPECIFIED', new RegExp(`^send not found: ${FIELD} names ${id}$`)]);
});

test('parameters', () =>
  refusesEach(root, TYPE, [
    [{ sendTransactionStatusId: NOBODY, reason: '  ' }, 'parameters.reason', /must say why/],
    [{ sendTransactionStatusId: NOBODY, reason: 'a\nb' }, 'parameters.reason', /control characters/],
  ]));
