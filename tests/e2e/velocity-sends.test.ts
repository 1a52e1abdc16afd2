/** What sends have counted in limits over time, and what became of it, on a chain. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { countersignSpeedUpSend } from '../../src/activities/sending/countersign-speed-up-send.ts';
import { compareCounters } from '../../src/operator/velocity-check.ts';
import { signWei, wei } from '../activities/velocity-controls/spends.ts';
import { aggregation, velocityControl } from '../activities/velocity-controls/support.ts';
import { CHAIN, hex, startSends } from '../chain-io/sends/evm/support.ts';
import { type Client, newKeys, resultOf, userWith } from '../support/client.ts';
import { NOBODY, refused } from '../support/refusals.ts';
import { waitFor } from '../support/wait.ts';

const world = await startSends({ anvil: ['--no-mining'] });
after(() => world.stop());
const { root, clock } = world.instance;
const { ask } = world;
const TO = '0x00000000000000000000000000000000000000aa';
const GWEI = 10n ** 9n;

const mine = (blocks = 1) => ask('anvil_mine', hex(blocks));
const isKnown = async (hash: string) => (await ask<object | null>('eth_getTransactionByHash', hash)) !== null;

let controls = 0;
const parametersOf = (more: object, terms: object, phase: object) =>
  velocityControl({
    identifier: `limit_${++controls}`,
    dataSource: { chainAssetTransfer: { definition: [{ caip19: `${CHAIN}/slip44:60`, decimals: '18' }], ...phase } },
    aggregation: aggregation({ threshold: wei(10n), ...terms }),
    countersign: { enforcement: 'ALWAYS', ...more },
  });
async function control(more: object = {}, terms: object = {}, phase: object = {}): Promise<string> {
  const parameters = parametersOf(more, terms, phase);
  return resultOf(await root.submit('CREATE_VELOCITY_CONTROL', parameters), 'createVelocityControlResult').velocityControlId;
}
const remove = (velocityControlId: string) => root.submit('DELETE_VELOCITY_CONTROL', { velocityControlId });

type Entry = { entryId: string; activityId: string; state: string; amount: string };
const entriesOf = async (velocityControlId: string, bucket = ''): Promise<Entry[]> =>
  (await root.query('list_velocity_entries', { velocityControlId, bucket })).body.velocityEntries;
const statesOf = async (id: string) => (await entriesOf(id)).map(({ state }) => state);
async function reservedIn(velocityControlId: string): Promise<string | undefined> {
  return (await root.query('list_velocity_buckets', { velocityControlId })).body.velocityBuckets[0]?.reserved;
}
async function countedIn(velocityControlId: string): Promise<string | undefined> {
  const { velocityBuckets } = (await root.query('list_velocity_buckets', { velocityControlId })).body;
  return velocityBuckets[0]?.counted;
}
const becomes = (id: string, ...states: string[]) =>
  waitFor(`entries are ${states}`, async () => (await statesOf(id)).join() === states.join());
/** Without the zeros that an answer leaves out. */
const shown = (amount: bigint): string => wei(amount).replace(/\.?0+$/, '');
/** Looked at again, in spite of a service that rests. */
const hurry = () => clock.advance(5_000);

async function send(from: string, more: object = {}): Promise<{ id: string }> {
  const answer = await root.submit('ETH_SEND_TRANSACTION_V2', {
    from,
    caip2: CHAIN,
    calls: [{ to: TO, value: '4' }],
    ...{ maxFeePerGas: String(20n * GWEI), maxPriorityFeePerGas: String(GWEI) },
    ...more,
  });
  return { id: resultOf(answer, 'ethSendTransactionResultV2').sendTransactionStatusId };
}

async function out(from: string, more: object = {}) {
  const sent = await world.untilState(await send(from, more), 'sent');
  await waitFor('the node has it', () => isKnown(sent.hash));
  return sent;
}

/** Code that reverts always. */
async function reverting(): Promise<string> {
  const address = `0x${'ee'.repeat(20)}`;
  await ask('anvil_setCode', address, '0x60006000fd');
  return address;
}

test('a metric tells for how long the oldest amount is reserved', async () => {
  const shown = async (): Promise<number> => {
    // A page is kept for some seconds.
    hurry();
    const page = await (await fetch(`${world.instance.url}/metrics`)).text();
    return Number(/^countersign_velocity_reserved_seconds (\S+)$/m.exec(page)![1]);
  };
  assert.equal(await shown(), 0);
  const limit = await control();
  const begun = clock.now();
  for (let sends = 0; sends < 2; sends++) {
    await out(await world.newAccount());
    clock.advance(45_000);
  }
  const seconds = await shown();
  assert.ok(seconds >= 90 && seconds <= (clock.now() - begun) / 1000, `${seconds} s`);
  await mine();
  await becomes(limit, 'SPENT', 'SPENT');
  assert.equal(await shown(), 0);
  await remove(limit);
});

test('a send counts when it is accepted, and is spent when it is mined, also at its end', async () => {
  const limit = await control();
  const sent = await out(await world.newAccount());
  assert.deepEqual([await statesOf(limit), await countedIn(limit)], [['RESERVED'], wei(4n)]);
  assert.equal(await reservedIn(limit), wei(4n));
  await mine();
  await becomes(limit, 'SPENT');
  assert.equal(await reservedIn(limit), '0');
  await mine(200);
  hurry();
  await world.untilState(sent, 'final');
  assert.deepEqual([await statesOf(limit), await countedIn(limit)], [['SPENT'], wei(4n)]);
  await remove(limit);
});

test('one that leaves its block is reserved again', async () => {
  const limit = await control();
  const from = await world.newAccount();
  const snapshot = await ask('evm_snapshot');
  const sent = await out(from);
  await mine();
  await becomes(limit, 'SPENT');
  await ask('evm_revert', snapshot);
  await mine(2);
  hurry();
  await world.untilState(sent, 'sent', 'queued');
  await becomes(limit, 'RESERVED');
  assert.equal(await countedIn(limit), wei(4n));
  await remove(limit);
});

test('one that reverts counts until its block is final, then gives the value back, once', async () => {
  const limit = await control();
  const sent = await out(await world.newAccount(), { calls: [{ to: await reverting(), value: '7' }], gasLimit: '100000' });
  await mine();
  await world.untilState(sent, 'included');
  assert.deepEqual([await statesOf(limit), await countedIn(limit)], [['RESERVED'], wei(7n)]);
  await mine(200);
  hurry();
  await becomes(limit, 'RELEASED');
  assert.equal(await countedIn(limit), '0');
  await remove(limit);
});

/** What an account has paid since, as the chain says. */
async function paidBy(account: string, before: bigint): Promise<bigint> {
  return before - BigInt(await ask<string>('eth_getBalance', account, 'latest'));
}

test('a control that counts fees keeps what was paid: of one that reverts the fee alone', async () => {
  const fee = 100_000n * 20n * GWEI;
  const [failing, paying] = [await world.newAccount(), await world.newAccount()];
  const limit = await control({ fees: true, groupBy: 'signer' }, { threshold: wei(10n ** 18n) });
  const feeless = await control({ fees: true, condition: "transfer.kind == 'transfer'" }, { threshold: wei(20n) });
  const before = await Promise.all([failing, paying].map(async (one) => BigInt(await ask('eth_getBalance', one, 'latest'))));
  await out(failing, { calls: [{ to: await reverting(), value: '7' }], gasLimit: '100000' });
  await out(paying, { gasLimit: '100000' });
  const counted = async () => {
    const { velocityBuckets } = (await root.query('list_velocity_buckets', { velocityControlId: limit })).body;
    return new Map<string, string>(velocityBuckets.map((one: { bucket: string; counted: string }) => [one.bucket, one.counted]));
  };
  const reserved = [...(await counted()).values()].toSorted();
  assert.deepEqual(reserved, [shown(fee + 4n), shown(fee + 7n)]);
  await mine(200);
  hurry();
  const paid = await Promise.all([failing, paying].map((one, i) => paidBy(one, before[i]!)));
  await waitFor('the rest is given back', async () => {
    const now = [...(await counted()).values()].toSorted();
    return now.join() === paid.map(shown).toSorted().join();
  });
  assert.ok(paid.every((one) => one > 0n && one < fee));
  const entries = await Promise.all([...(await counted()).keys()].map((bucket) => entriesOf(limit, bucket)));
  assert.deepEqual(
    entries
      .flat()
      .map(({ state, amount }) => [state, amount])
      .toSorted(),
    paid.map((one) => ['SPENT', shown(one)]).toSorted(),
  );
  // A control whose condition leaves fees out has none to give back.
  assert.deepEqual([(await statesOf(feeless)).toSorted(), await countedIn(feeless)], [['RELEASED', 'SPENT'], wei(4n)]);
  assert.deepEqual((await compareCounters(world.instance.engine.store.read, clock.now)).differing, []);
  for (const one of [limit, feeless]) await remove(one);
});

test('one that is never signed, since it would fail, gives back at once', async () => {
  const limit = await control();
  const sent = await send(await world.newAccount(), { calls: [{ to: await reverting(), value: '7' }] });
  await world.untilState(sent, 'failed');
  assert.deepEqual([await statesOf(limit), await countedIn(limit)], [['RELEASED'], '0']);
  await remove(limit);
});

test('a speed-up adds nothing, and one of its transactions is spent', async () => {
  const limit = await control();
  const { id, hash } = await out(await world.newAccount());
  const fees = { maxFeePerGas: String(60n * GWEI), maxPriorityFeePerGas: String(3n * GWEI) };
  const parameters = { sendTransactionStatusId: id, reason: 'slow', ...fees };
  resultOf(await root.submit('COUNTERSIGN_SPEED_UP_SEND', parameters), 'countersignSpeedUpSendResult');
  await waitFor(
    'it is replaced',
    async () => (await world.read({ id })).hash !== hash && isKnown((await world.read({ id })).hash),
  );
  assert.deepEqual([await statesOf(limit), await countedIn(limit)], [['RESERVED'], wei(4n)]);
  await mine();
  await becomes(limit, 'SPENT');
  assert.equal(await countedIn(limit), wei(4n));
  await remove(limit);
});

test('a speed-up is not written if its transaction was replaced after its fees were counted', async () => {
  const { id } = await out(await world.newAccount());
  const intent = { sendTransactionStatusId: id, reason: 'slow', maxFeePerGas: String(60n * GWEI) };
  const subject = { last: { maxFeePerGas: '1', maxPriorityFeePerGas: '1' } };
  const run = world.instance.engine.store.transaction(async (tx) => {
    const ctx = { store: tx, organization: { id: root.organizationId }, activityId: NOBODY, now: clock.now() };
    await countersignSpeedUpSend.execute({ ctx, intent, subject, prepared: undefined } as never);
  });
  await assert.rejects(run, { name: 'Busy', message: 'the transaction was replaced meanwhile' });
  assert.equal((await world.read({ id })).wish, null);
  await mine();
});

test('one that is cancelled counts until the nonce is used for good by another transaction', async () => {
  const limit = await control();
  const sent = await out(await world.newAccount());
  resultOf(
    await root.submit('COUNTERSIGN_CANCEL_SEND', { sendTransactionStatusId: sent.id, reason: 'wrong' }),
    'countersignCancelSendResult',
  );
  await waitFor('the node has the cancel', async () => {
    const newest = (await world.attemptsOf(sent)).at(-1)!;
    return newest.purpose === 'cancel' && isKnown(newest.hash);
  });
  await waitFor('the cancel is mined', async () => {
    hurry();
    await mine();
    return (await world.nonceOf(sent.account)) > sent.nonce!;
  });
  assert.deepEqual([await statesOf(limit), await countedIn(limit)], [['RESERVED'], wei(4n)]);
  await mine(200);
  await world.untilState(sent, 'failed');
  assert.deepEqual([await statesOf(limit), await countedIn(limit)], [['RELEASED'], '0']);
  await remove(limit);
});

const signs = async (signWith: string, value: bigint) =>
  resultOf(await root.submit('SIGN_TRANSACTION_V2', signWei(signWith, value, 31337)), 'signTransactionResult').signedTransaction;
const raw = (signedTransaction: string) => root.submit('ETH_SEND_RAW_TRANSACTION', { signedTransaction, caip2: CHAIN });

test('a raw transaction counts under submission alone, and what was counted does not count again', async () => {
  const [from, other] = [await world.newAccount(), await world.newAccount()];
  const before = await signs(from, 3n);
  const [signature, submission] = [await control(), await control({}, {}, { phase: { submission: {} } })];
  for (let i = 0; i < 2; i++) assert.equal((await raw(before)).status, 200);
  assert.deepEqual([await statesOf(signature), await statesOf(submission)], [[], ['RESERVED']]);
  const after = await signs(other, 5n);
  assert.equal((await raw(after)).status, 200);
  for (const [limit, sum] of [
    [signature, 5n],
    [submission, 8n],
  ] as const)
    assert.equal(await countedIn(limit), wei(sum));
  assert.deepEqual(await statesOf(submission), ['RESERVED', 'SPENT']);
  refused(await root.submit('SIGN_TRANSACTION_V2', signWei(from, 6n, 31337)), [403, 'UNSPECIFIED', /5 left|2 left/]);
  for (const limit of [signature, submission]) await remove(limit);
});

test('a replay of a draft counts the raw transactions of the past, also when they are mined', async () => {
  const signed = await signs(await world.newAccount(), 3n);
  const fromMs = String(clock.now());
  const { id } = (await raw(signed)).body.activity;
  await mine(200);
  hurry();
  const velocityControl = parametersOf({}, { threshold: wei(2n) }, { phase: { submission: {} } });
  const { activities } = (await root.query('replay_velocity_control', { velocityControl, fromMs })).body;
  assert.deepEqual(
    activities.map(({ activityId }: { activityId: string }) => activityId),
    [id],
  );
});

test('the bytes of a send that counts are counted already, whoever submits them', async () => {
  const limit = await control({}, {}, { phase: { submission: {} } });
  const sent = await out(await world.newAccount());
  const [attempt] = await world.attemptsOf(sent);
  assert.equal((await raw(attempt!.signed.toString('hex'))).status, 200);
  assert.deepEqual([await statesOf(limit), await countedIn(limit)], [['RESERVED'], wei(4n)]);
  await remove(limit);
});

async function agentOf(): Promise<Client> {
  const keys = newKeys();
  const users = [{ ...userWith(`Agent ${++controls}`, [keys]), userTags: [] }];
  resultOf(await root.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  return root.as(keys, root.organizationId);
}

test('a reserved entry is released by the root quorum, once, and a spent one never', async () => {
  const TYPE = 'COUNTERSIGN_RELEASE_VELOCITY';
  const limit = await control();
  const from = await world.newAccount();
  const sent = await out(from);
  await signs(from, 1n);
  const [entry, spent] = (await entriesOf(limit)) as [Entry, Entry];
  const of = ({ entryId }: { entryId: string }) => ({ entryId, reason: 'lost' });
  refused(await (await agentOf()).submit(TYPE, of(entry)), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
  refused(await root.submit(TYPE, of(spent)), [400, 'REQUEST_INVALID', /is spent/]);
  for (const entryId of ['x', entry.entryId.replace(entry.activityId, NOBODY)])
    refused(await root.submit(TYPE, of({ entryId })), [404, 'UNSPECIFIED', /entry not found/]);
  const answers = await Promise.all([root.submit(TYPE, of(entry)), root.submit(TYPE, of(entry))]);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400], answers.map(({ text }) => text).join());
  assert.deepEqual([await statesOf(limit), await countedIn(limit)], [['RELEASED', 'SPENT'], wei(1n)]);
  // What becomes of its send changes nothing any more.
  await mine();
  await world.untilState(sent, 'included');
  assert.deepEqual([await statesOf(limit), await countedIn(limit)], [['RELEASED', 'SPENT'], wei(1n)]);
  await remove(limit);
});
