/** Sends that are messages of the account: batches, and those that another account pays for. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Hex } from 'viem';
import { delegateOf } from '../../../../src/chains/ethereum/delegation.ts';
import {
  CHAIN,
  dataOf,
  FRIEND,
  idOf,
  landed,
  newAccount,
  SPONSORING,
  sendingWorld,
  sendOf,
  sponsoring,
  userWith,
} from '../../../activities/sending/eth-support.ts';
import { resultOf, submitPath } from '../../../support/client.ts';
import { sharedInstance } from '../../../support/instance.ts';
import { refused, refusesEach } from '../../../support/refusals.ts';
import { type Lie, rpc } from '../../../support/rpc-liar.ts';
import { waitFor } from '../../../support/wait.ts';

const TYPE = 'ETH_SEND_TRANSACTION_V2';
const world = await sendingWorld();
after(() => world.stop());
const instance = await sharedInstance({ ...world.env, ...SPONSORING, RPC_URL_EIP155_5: 'http://127.0.0.1:9' });
const { root } = instance;
const paymaster = await sponsoring(world, instance);
const target = await world.deploy('Target');
const token = await world.deploy('Token');

const add = (amount: bigint, more: object = {}) => ({ to: target, data: dataOf('Target', 'add', [amount]), ...more });
const approve = (amount: bigint) => ({ to: token, data: dataOf('Token', 'approve', [FRIEND, amount]) });
const sending = (from: Hex, calls: readonly object[], more: object = {}) => ({ from, caip2: CHAIN, calls, ...more });
const receiptOf = (hash: Hex) => world.node.getTransactionReceipt({ hash });
const delegateNow = async (address: Hex) => delegateOf((await world.node.getCode({ address })) ?? '0x');
const total = async (): Promise<bigint> => world.view('Target', target, 'total');

async function sent(parameters: object, client = root) {
  const id = idOf(await client.submit(TYPE, parameters));
  const status = await landed(client, id);
  assert.equal(status.txStatus, 'INCLUDED', JSON.stringify(status));
  return { id, ...status, receipt: await receiptOf(status.eth.txHash) };
}

test('several calls in one transaction, of an account that pays itself; then its delegation ends', async () => {
  const from = await newAccount(world, root);
  const before = await total();
  const { receipt, error } = await sent(
    sending(from, [add(2n, { value: '5' }), approve(9n), add(3n), { to: FRIEND, value: '1' }]),
  );
  assert.deepEqual([receipt.status, receipt.type, receipt.from, error], ['success', 'eip7702', from.toLowerCase(), undefined]);
  assert.equal((await total()) - before, 5n);
  assert.equal(await delegateNow(from), world.delegate.toLowerCase());
  assert.equal((await sent(sending(from, [approve(1n), approve(2n)]))).receipt.type, 'eip1559');
  const answer = await root.submit('ETH_UNDELEGATE_7702', { from, caip2: CHAIN });
  const ended = await landed(root, idOf(answer, 'ethUndelegate7702Result'));
  assert.equal((await receiptOf(ended.eth.txHash)).status, 'success');
  assert.equal(await delegateNow(from), undefined);
  assert.equal((await sent(sending(from, [approve(3n), approve(4n)]))).receipt.type, 'eip7702');
});

test('a batch of which one call fails does nothing, and says which', async () => {
  const from = await newAccount(world, root);
  const before = await total();
  const failing = { to: target, data: dataOf('Target', 'failWithString', []) };
  const refusedOne = await landed(root, idOf(await root.submit(TYPE, sending(from, [add(2n), failing]))));
  assert.equal(refusedOne.txStatus, 'FAILED');
  assert.equal('eth' in refusedOne && refusedOne.eth.txHash !== undefined, false);
  assert.equal(refusedOne.error.revertChain.at(-1).native.nativeType, 'error_string');
  // Nothing says which call it was, and so no contract that may be innocent is named.
  assert.equal(refusedOne.error.revertChain[0].address, from);
  const given = await sent(sending(from, [add(2n), failing], { gasLimit: '400000' }));
  assert.equal(given.receipt.status, 'reverted');
  assert.equal(given.error.revertChain.at(-1).native.nativeType, 'error_string');
  assert.equal(await total(), before);
});

test('an account without funds sends: the paymaster pays, with and without its authorization', async () => {
  const from = await newAccount(world, root, 0n);
  const before = await total();
  const first = await sent(sending(from, [add(4n)], { sponsor: true }));
  assert.deepEqual([first.receipt.type, first.receipt.from, first.receipt.status], ['eip7702', paymaster, 'success']);
  const second = await sent(sending(from, [add(1n), approve(5n)], { sponsor: true }));
  assert.equal(second.receipt.type, 'eip1559');
  const old = { from, caip2: CHAIN, sponsor: true, ...add(2n) };
  const v1 = await landed(root, idOf(await root.submit('ETH_SEND_TRANSACTION', old), 'ethSendTransactionResult'));
  assert.equal(v1.txStatus, 'INCLUDED');
  assert.equal((await total()) - before, 7n);
  assert.equal(await world.node.getBalance({ address: from }), 0n);
  const row = await sendOf(instance, root, first.id);
  assert.deepEqual([row.sponsored, row.account, row.fromAddress], [true, paymaster, from.toLowerCase()]);
  assert.notEqual((await root.query('get_gas_usage')).body.usageUsd, '0');
});

test('an authorization uses a nonce of its account, also right after that was asked for its nonce', async () => {
  for (let i = 0; i < 5; i++) {
    const from = await newAccount(world, root);
    const first = await sent(sending(from, [add(1n)]));
    const brought = await sent(sending(from, [add(1n)], { sponsor: true }));
    const next = await sent(sending(from, [add(1n)]));
    const own = await Promise.all([first, next].map(({ eth }) => world.node.getTransaction({ hash: eth.txHash })));
    assert.deepEqual([brought.receipt.type, ...own.map(({ nonce }) => nonce)], ['eip7702', 0, 2]);
  }
});

test('an authorization that was in a block is known where an endpoint lags behind that block', async () => {
  const before = await world.node.getBlockNumber();
  const [own, brought] = [await newAccount(world, root), await newAccount(world, root)];
  for (const from of [own, brought]) await sent(sending(from, [add(1n)], { sponsor: true }));
  world.liar.lie({ kind: 'frozen', block: before }, { methods: ['eth_getTransactionCount', 'eth_getCode'] });
  try {
    const next = idOf(await root.submit(TYPE, sending(own, [{ to: FRIEND, value: '1' }], { gasLimit: '21000' })));
    const again = idOf(await root.submit(TYPE, sending(brought, [add(1n)], { sponsor: true, gasLimit: '400000' })));
    const { authorizationList } = await attemptFor(again, 'send');
    assert.deepEqual(
      authorizationList?.map(({ nonce }) => nonce),
      ['0x1'],
    );
    await waitFor('it has a nonce', async () => (await sendOf(instance, root, next)).nonce !== null);
    assert.equal((await sendOf(instance, root, next)).nonce, 1);
    world.liar.truth();
    for (const id of [next, again]) assert.equal((await landed(root, id)).txStatus, 'INCLUDED');
  } finally {
    world.liar.truth();
  }
});

test('a paymaster without coins is named, and so is an account that has not what it is to send', async () => {
  const from = await newAccount(world, root, 0n);
  const failed = async (call: object) => {
    const status = await landed(root, idOf(await root.submit(TYPE, sending(from, [call], { sponsor: true }))));
    assert.equal(status.txStatus, 'FAILED', JSON.stringify(status));
    return status.error!.message;
  };
  assert.match(await failed({ to: FRIEND, value: '3' }), new RegExp(`: ${from.toLowerCase()} has 0 wei, and is to send 3$`));
  await world.admin.setBalance({ address: paymaster as Hex, value: 0n });
  assert.match(
    await failed(approve(1n)),
    new RegExp(`^the paymaster ${paymaster} has too few coins for the gas, .*its operator`),
  );
  await world.admin.setBalance({ address: paymaster as Hex, value: 10n ** 20n });
  await sent(sending(from, [approve(2n)], { sponsor: true }));
});

test('a nonce and a deadline of the message may be given', async () => {
  const from = await newAccount(world, root, 0n);
  const deadline = String(Math.floor(instance.clock.now() / 1000) + 600);
  const { gasStationNonce } = (await root.query('get_nonces', { address: from, caip2: CHAIN, gasStationNonce: true })).body;
  assert.equal(gasStationNonce, '0');
  await sent(sending(from, [add(1n)], { sponsor: true, gasStationNonce, deadline, nonce: '0' }));
  const again = await landed(root, idOf(await root.submit(TYPE, sending(from, [add(1n)], { sponsor: true, gasStationNonce }))));
  assert.deepEqual([again.txStatus, /gasStationNonce: 0 was given/.test(again.txError)], ['FAILED', true]);
  const asked = (await root.query('get_nonces', { address: from, caip2: CHAIN, gasStationNonce: true })).body;
  assert.deepEqual(asked, { gasStationNonce: '1' });
});

test('each call must be allowed; fees are nothing where another pays; the authorization is seen', async () => {
  const from = await newAccount(world, root);
  const client = await userWith(
    instance,
    `eth.tx.from == '${from}' && eth.tx.to in ['${token}', '${target}'] && eth.tx.data[0..10] == '${approve(1n).data.slice(0, 10)}'`,
  );
  await sent(sending(from, [approve(1n), approve(2n)]), client);
  for (const calls of [
    [approve(1n), add(1n)],
    [add(1n), approve(1n)],
  ])
    for (const sponsor of [true, false])
      refused(await client.submit(TYPE, sending(from, calls, { sponsor })), [403, 'REQUEST_NOT_AUTHORIZED', /not authorized/]);
  const free = await userWith(
    instance,
    'eth.tx.max_fee_per_gas == 0 && eth.tx.gas_price == 0 && eth.tx.max_priority_fee_per_gas == 0',
  );
  await sent(sending(from, [approve(3n)], { sponsor: true }), free);
  for (const calls of [[approve(3n)], [approve(3n), approve(4n)]])
    refused(await free.submit(TYPE, sending(from, calls)), [403, 'REQUEST_NOT_AUTHORIZED', /not authorized/]);
  const authorizing = `eth.tx.type == 'TYPE_4' && eth.tx.authorization_list.all(a, a.address == '${world.delegate}' && a.chain_id == 31337)`;
  const delegating = await userWith(instance, authorizing);
  await sent(sending(from, [approve(3n)], { sponsor: true }), delegating);
  await sent(sending(from, [approve(3n), approve(1n)]), delegating);
  refused(await delegating.submit(TYPE, sending(from, [approve(3n)])), [403, 'REQUEST_NOT_AUTHORIZED', /not authorized/]);
});

/** A transaction, once the node has it. */
async function inPool(hash: string): Promise<{ to: string; input: string; authorizationList?: { nonce: string }[] }> {
  return waitFor('the node has it', async () => hash !== '' && rpc<never>(world.anvil.url, 'eth_getTransactionByHash', [hash]));
}

/** The newest transaction of a send, once it is of this kind. */
async function attemptFor(id: string, purpose: string) {
  const { hash } = await waitFor(`its newest attempt is a ${purpose}`, async () => {
    const newest = (await instance.engine.store.read.sendAttempts.ofSend(root.organizationId, id)).at(-1);
    return newest?.purpose === purpose && newest;
  });
  return inPool(hash);
}

/** Another party saw a transaction and makes its very call, with its authorizations. Gives the receipt's status. */
async function replayed({ to, input, authorizationList }: Awaited<ReturnType<typeof inPool>>): Promise<string> {
  const [thief] = await rpc<string[]>(world.anvil.url, 'eth_accounts');
  const made = { from: thief, to, data: input, gas: '0x7a120', ...(authorizationList && { authorizationList }) };
  const hash = await rpc<Hex>(world.anvil.url, 'eth_sendTransaction', [made]);
  return (await world.node.waitForTransactionReceipt({ hash })).status;
}

test('a replayed message of a cancelled send, with its authorization, does nothing', async () => {
  const cases = await Promise.all(
    [true, false].flatMap((sponsor) =>
      [true, false].map(async (isDelegated) => {
        const from = await newAccount(world, root);
        if (isDelegated) await sent(sending(from, [approve(1n), approve(2n)]));
        return { from, sponsor, isDelegated };
      }),
    ),
  );
  const before = await total();
  await world.admin.setAutomine(false);
  try {
    const cancelled = await Promise.all(
      cases.map(async ({ from, sponsor, isDelegated }) => {
        const id = idOf(await root.submit(TYPE, sending(from, [add(1n), add(2n)], { sponsor })));
        const seen = await attemptFor(id, 'send');
        assert.equal(seen.authorizationList === undefined, isDelegated);
        const answer = await root.submit('COUNTERSIGN_CANCEL_SEND', { sendTransactionStatusId: id, reason: 'a test' });
        resultOf(answer, 'countersignCancelSendResult');
        const instead = await attemptFor(id, 'cancel');
        assert.deepEqual([instead.to, instead.input.startsWith('0x195e307b')], [from.toLowerCase(), true]);
        return { id, from, seen, message: `cancelled by activity ${answer.body.activity.id}: a test` };
      }),
    );
    await world.admin.mine({ blocks: 1 });
    await world.admin.setAutomine(true);
    for (const { from, seen } of cancelled) {
      assert.equal(await replayed(seen), 'reverted');
      assert.equal(await delegateNow(from), world.delegate.toLowerCase());
    }
    await world.admin.mine({ blocks: 200 });
    for (const { id, message } of cancelled) {
      const { txStatus, txError } = await landed(root, id);
      assert.deepEqual([txStatus, txError], ['FAILED', message]);
    }
    assert.equal(await total(), before);
    // The account goes on: its next message has the next nonce.
    for (const { from } of cancelled) await sent(sending(from, [add(1n), approve(1n)], { sponsor: true }));
  } finally {
    await world.admin.setAutomine(true);
  }
});

test('messages of one account are signed in the order of acceptance, whoever brings them', async () => {
  const from = await newAccount(world, root);
  const { store, clock } = instance.engine;
  const accept = async (sponsor: boolean) => idOf(await root.submit(TYPE, sending(from, [add(1n), add(1n)], { sponsor })));
  const row = (id: string) => sendOf(instance, root, id);
  /** Resolves once it was looked at. */
  const later = async (id: string) => {
    const { dueAt } = await row(id);
    for (let now = await row(id); now.dueAt === dueAt && now.state === 'queued'; now = await row(id))
      await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await world.admin.setAutomine(false);
  try {
    const first = await accept(true);
    await attemptFor(first, 'send');
    const second = await accept(true);
    await later(second);
    // It is looked at again long after the others.
    for (let put = false; !put; )
      put = await store.transaction(async (tx) => {
        const seen = (await tx.sends.get(root.organizationId, second))!;
        await tx.sendAccounts.makeDue(seen, clock.now());
        return tx.sends.change(seen, { dueAt: clock.now() + 60_000 }, clock.now());
      });
    await world.admin.mine({ blocks: 1 });
    await landed(root, first);
    const others = [await accept(true), await accept(false)];
    await later(others[0]!);
    assert.deepEqual(await Promise.all(others.map(async (id) => (await row(id)).state)), ['queued', 'queued']);
    await world.admin.setAutomine(true);
    instance.clock.advance(60_000);
    const all = [first, second, ...others];
    for (const id of all) assert.equal((await landed(root, id)).txStatus, 'INCLUDED');
    assert.deepEqual(await Promise.all(all.map(async (id) => (await row(id)).messageNonce)), [0, 1, 2, 3]);
  } finally {
    await world.admin.setAutomine(true);
  }
});

const INTERNAL = '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}';
const PASSING: readonly (readonly [string, Lie])[] = [
  ['an error of HTTP', { kind: 'status', status: 500 }],
  ['an error of HTTP with one of the node', { kind: 'status', status: 500, body: INTERNAL }],
  ['an internal error', { kind: 'error', code: -32603, message: 'Internal error' }],
  ['a block that is not there yet', { kind: 'error', code: -32000, message: 'header not found' }],
];

for (const [name, lie] of PASSING)
  test(`${name} refuses the estimate of a message for now, and the same body goes through later`, async () => {
    const from = await newAccount(world, root);
    for (const parameters of [sending(from, [add(1n)], { sponsor: true }), sending(from, [add(1n), add(1n)])]) {
      const body = root.bodyOf(TYPE, parameters);
      world.liar.lie(lie, { methods: ['eth_estimateGas'] });
      const answer = await root.send(submitPath(TYPE), body);
      world.liar.truth();
      refused(answer, [503, 'UNAVAILABLE', /: send the same body again$/]);
      assert.equal((await landed(root, idOf(await root.send(submitPath(TYPE), body)))).txStatus, 'INCLUDED');
    }
  });

test('a network without the needed setup is refused, and the refusal names what is missing', async () => {
  const from = await newAccount(world, root);
  const calls = [approve(1n), approve(2n)];
  await refusesEach(root, TYPE, [
    [sending(from, calls, { sponsor: true, deadline: '1700000000' }), 'parameters.deadline', /later than now/],
  ]);
  const elsewhere = (more: object) => root.submit(TYPE, sending(from, calls, { caip2: 'eip155:5', ...more }));
  refused(await elsewhere({}), [503, 'UNAVAILABLE', /no RPC endpoint of eip155:5 answers now: send the same body again/]);
  refused(await elsewhere({ sponsor: true }), [400, 'UNSPECIFIED', /gas is not sponsored on eip155:5: .*GAS_PRICES_USD/]);
  const usage = { orgWindowLimitUsd: '0.000001', subOrgWindowLimitUsd: '0.000001', windowDurationMinutes: '60' };
  resultOf(await root.submit('UPSERT_GAS_USAGE_CONFIG', usage), 'upsertGasUsageConfigResult');
  refused(await root.submit(TYPE, sending(from, calls, { sponsor: true })), [429, 'UNSPECIFIED', /limit/]);
  resultOf(await root.submit('UPSERT_GAS_USAGE_CONFIG', { ...usage, enabled: false }), 'upsertGasUsageConfigResult');
  refused(await root.submit(TYPE, sending(from, calls, { sponsor: true })), [400, 'UNSPECIFIED', /not enabled/]);
});

test('the metrics tell the outcomes of sends, by network alone', async () => {
  const page = async () => (await fetch(`${instance.url}/metrics`)).text();
  const value = (text: string, name: string, labels: string) => {
    const found = text.split('\n').find((line) => line.startsWith(`${name}{network="${CHAIN}"${labels}} `));
    return found === undefined ? undefined : Number(found.split(' ').at(-1));
  };
  const counted = (text: string) => ({
    accepted: value(text, 'countersign_sends_total', ',event="accepted"') ?? 0,
    broadcast: value(text, 'countersign_send_seconds_count', ',until="broadcast"') ?? 0,
    included: value(text, 'countersign_send_seconds_count', ',until="inclusion"') ?? 0,
    failed: value(text, 'countersign_sends_total', ',event="failed"') ?? 0,
    reverted: value(text, 'countersign_sends_total', ',event="reverted"') ?? 0,
    taken: value(text, 'countersign_broadcasts_total', ',outcome="sent"') ?? 0,
    gas: value(text, 'countersign_sponsored_gas_micro_usd_total', '') ?? 0,
  });
  // A page is made once a second.
  const later = async (isThere: (text: string) => boolean) => {
    for (let tries = 0; tries < 600; tries++) {
      const text = await page();
      if (isThere(text)) return text;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`the page does not say it: ${await page()}`);
  };
  const from = await newAccount(world, root, 0n);
  await sponsoring(world, instance);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const before = counted(await page());
  await sent(sending(from, [add(1n)], { sponsor: true }));
  const failing = { to: target, data: dataOf('Target', 'failWithString', []) };
  await sent(sending(from, [failing], { sponsor: true, gasLimit: '400000' }));
  await landed(root, idOf(await root.submit(TYPE, sending(from, [failing], { sponsor: true }))));
  const text = await later((one) => counted(one).failed > before.failed);
  const after = counted(text);
  const more = Object.fromEntries(Object.entries(after).map(([name, now]) => [name, now - before[name as keyof typeof after]]));
  const { gas, ...rest } = more;
  assert.deepEqual(rest, { accepted: 3, broadcast: 2, included: 2, failed: 1, reverted: 1, taken: 2 });
  assert.ok(gas! > 0);
  const open = await later((one) => value(one, 'countersign_paymaster_coins', '')! > 0);
  for (const state of ['queued', 'signed', 'sent', 'included'])
    assert.equal(typeof value(open, 'countersign_sends_open', `,state="${state}"`), 'number', state);
  assert.ok(
    value(
      await later((one) => value(one, 'countersign_sends_open', ',state="included"')! > 0),
      'countersign_sends_oldest_seconds',
      ',state="included"',
    )! >= 0,
  );
  const unreachable = await root.submit(TYPE, sending(await newAccount(world, root), [add(1n)], { caip2: 'eip155:5' }));
  assert.equal(unreachable.status, 503);
  const error = 'countersign_rpc_errors_total{network="eip155:5",endpoint="eip155:5 #1",trouble="unreachable"}';
  const told = await later((one) => one.includes(error));
  // Neither organizations nor accounts are labels, nor hosts, whose names may have keys.
  for (const secret of [root.organizationId, from, paymaster, '127.0.0.1:9']) assert.ok(!RegExp(secret, 'i').test(told));
});
