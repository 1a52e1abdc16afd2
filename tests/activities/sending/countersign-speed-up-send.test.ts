import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { approvedBy, newPolicy } from '../../e2e/authority.ts';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { newSend, type SendFacts } from '../../support/world/sends.ts';
import { agreed, refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;
const TYPE = 'COUNTERSIGN_SPEED_UP_SEND';
const KEY = 'countersignSpeedUpSendResult';
const FIELD = 'parameters.sendTransactionStatusId';
const FEE = 'parameters.maxFeePerGas';
const TIP = 'parameters.maxPriorityFeePerGas';
const reason = 'The network is busy';

let address: string;
before(async () => {
  const wallet = await root.submit('CREATE_WALLET', { walletName: 'Main', accounts: [ethereumAccount()] });
  [address] = resultOf(wallet, 'createWalletResult').addresses;
});

/** It pays two gwei for each gas, one of them a tip. */
const send = (facts?: SendFacts) => newSend({ instance, client: root }, address, facts);
const of = (sendTransactionStatusId: string, fees: object = {}) => ({ sendTransactionStatusId, reason, ...fees });
const row = (id: string) => instance.engine.store.read.sends.get(root.organizationId, id);
const wished = async (id: string) => (await row(id))!.wish!.fees;

test('with fees, or with what the network asks', async () => {
  for (const [fees, stored] of [
    [{}, undefined],
    [{ maxFeePerGas: '2200000000' }, { maxFeePerGas: '2200000000', maxPriorityFeePerGas: '1100000000' }],
    [{ maxPriorityFeePerGas: '1500000000' }, { maxFeePerGas: '2200000000', maxPriorityFeePerGas: '1500000000' }],
    [
      { maxFeePerGas: '90000000000', maxPriorityFeePerGas: '3000000000' },
      { maxFeePerGas: '90000000000', maxPriorityFeePerGas: '3000000000' },
    ],
  ]) {
    const { id } = await send();
    const answer = await root.submit(TYPE, of(id, fees));
    assert.deepEqual(resultOf(answer, KEY), { sendTransactionStatusId: id });
    const { state, wish } = (await row(id))!;
    const wanted = { what: 'speed-up', activityId: answer.body.activity.id, reason, ...(stored && { fees: stored }) };
    assert.deepEqual([state, wish], ['sent', wanted]);
  }
});

test('a later one takes the place of one before, and each pays more than what is out', async () => {
  const { id } = await send();
  for (const maxFeePerGas of ['3000000000', '4000000000']) {
    resultOf(await root.submit(TYPE, of(id, { maxFeePerGas })), KEY);
    assert.deepEqual(await wished(id), { maxFeePerGas, maxPriorityFeePerGas: '1100000000' });
  }
  const replaced = await send({ attempts: [{}, { fees: { maxFeePerGas: '5000000000', maxPriorityFeePerGas: '2000000000' } }] });
  const low = await root.submit(TYPE, of(replaced.id, { maxFeePerGas: '5400000000' }));
  refused(low, [400, 'REQUEST_INVALID', /must be at least 5500000000: a tenth more than the 5000000000/], FEE);
});

test('fees that nodes would not take are refused by their names', async () => {
  const { id } = await send();
  const say = (fees: object, text: RegExp, field: string) =>
    root.submit(TYPE, of(id, fees)).then((answer) => refused(answer, [400, 'REQUEST_INVALID', text], field));
  await say({ maxFeePerGas: '2199999999' }, /must be at least 2200000000/, FEE);
  await say({ maxPriorityFeePerGas: '1099999999' }, /must be at least 1100000000/, TIP);
  await say({ maxFeePerGas: '3000000000', maxPriorityFeePerGas: '3000000001' }, /must be at most maxFeePerGas/, TIP);
  assert.equal((await row(id))!.wish, null);
  const even = { maxFeePerGas: '1000', maxPriorityFeePerGas: '1000' };
  const tight = await send({ attempts: [{ fees: even }] });
  resultOf(await root.submit(TYPE, of(tight.id, { maxFeePerGas: '1100' })), KEY);
});

test('one whose caller said what it may pay needs to be told what it may pay now', async () => {
  const { id } = await send({ intent: { feesGiven: true } });
  refused(
    await root.submit(TYPE, of(id)),
    [400, 'REQUEST_INVALID', /is required: the send was submitted with its own fees/],
    FEE,
  );
  resultOf(await root.submit(TYPE, of(id, { maxFeePerGas: '4000000000' })), KEY);
});

test('networks with one price for gas take one', async () => {
  const facts = { attempts: [{ fees: { gasPrice: '1000' } }] };
  const { id } = await send(facts);
  resultOf(await root.submit(TYPE, of(id, { maxFeePerGas: '1100' })), KEY);
  assert.deepEqual(await wished(id), { gasPrice: '1100' });
  const other = await send(facts);
  const tip = await root.submit(TYPE, of(other.id, { maxFeePerGas: '1100', maxPriorityFeePerGas: '1' }));
  refused(tip, [400, 'REQUEST_INVALID', /must be left out/], TIP);
});

test('a send that is finished, unsigned, being cancelled, signed elsewhere, or on Solana is refused with its reason', async () => {
  for (const [facts, why] of [
    [{ state: 'included' }, /its transaction is already mined/],
    [{ state: 'final' }, /mined in a final block/],
    [{ state: 'failed' }, /it has failed/],
    [{ state: 'queued' }, /it is not yet signed/],
    [{ intent: { form: 'raw' } }, /it was submitted signed/],
    [{ kind: 'solana', caip2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' }, /Solana has no replacement/],
  ] as [SendFacts, RegExp][]) {
    const { id } = await send(facts);
    refused(await root.submit(TYPE, of(id)), [400, 'REQUEST_INVALID', why], FIELD);
  }
  const { id } = await send();
  const cancelled = await root.submit('COUNTERSIGN_CANCEL_SEND', of(id));
  refused(
    await root.submit(TYPE, of(id)),
    [400, 'REQUEST_INVALID', new RegExp(`${cancelled.body.activity.id} already cancels it`)],
    FIELD,
  );
});

test('policies see the very transaction, with the fees that are given', async () => {
  const { client, userId } = await instance.newUser('Ann');
  const calls = [{ to: `0x${'ab'.repeat(20)}`, value: '7', data: '0x' }];
  const condition = [
    `activity.type == 'ACTIVITY_TYPE_${TYPE}'`,
    "wallet.label == 'Main'",
    `eth.tx.to == '${calls[0]!.to}'`,
    'eth.tx.value == 7',
    'eth.tx.chain_id == 424242',
    'eth.tx.gas == 21000',
    'eth.tx.max_fee_per_gas <= 5000000000',
    'eth.tx.max_priority_fee_per_gas <= 2000000000',
  ].join(' && ');
  await newPolicy(root, { condition, consensus: approvedBy(userId) });
  const denied = [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/] as [number, string, RegExp];
  const { id } = await send({ intent: { calls } });
  // What the network will ask is not known.
  refused(await client.submit(TYPE, of(id)), denied);
  refused(await client.submit(TYPE, of(id, { maxFeePerGas: '5000000001' })), denied);
  resultOf(await client.submit(TYPE, of(id, { maxFeePerGas: '5000000000' })), KEY);
  const batch = await send({ intent: { calls: [...calls, { to: `0x${'cd'.repeat(20)}`, value: '7', data: '0x' }] } });
  refused(await client.submit(TYPE, of(batch.id, { maxFeePerGas: '5000000000' })), denied);
  // What the paymaster pays counts too.
  const sponsored = await send({ sponsored: true, intent: { calls, form: 'sponsored' } });
  refused(await client.submit(TYPE, of(sponsored.id, { maxFeePerGas: '5000000001' })), denied);
  refused(await client.submit(TYPE, of(sponsored.id)), denied);
  assert.notEqual((await client.submit(TYPE, of(sponsored.id, { maxFeePerGas: '5000000000' }))).status, 403);
});

test('it waits for both, and needs permission', async () => {
  const wallet = await agreed(pair, 'CREATE_WALLET', { walletName: 'Pair', accounts: [ethereumAccount()] });
  const [from] = resultOf(wallet, 'createWalletResult').addresses;
  const { id } = await newSend({ instance, client: pair.clients[0] }, from);
  assert.deepEqual(await waitsForBoth(pair, TYPE, of(id), KEY), { sendTransactionStatusId: id });
  await refusedToNobody(instance, TYPE, of((await send()).id));
  for (const unknown of [id, NOBODY]) refused(await root.submit(TYPE, of(unknown)), [404, 'UNSPECIFIED', /^send not found/]);
});
