import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { encodeFunctionData, type Hex, parseEther, parseTransaction, recoverTransactionAddress, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { estimateGas } from '../../../../src/chain-io/sends/evm/fill.ts';
import { callsOf } from '../../../../src/chain-io/sends/evm/plan.ts';
import { readEvm } from '../../../../src/chain-io/sends/evm/read.ts';
import { signEvm, signNoop } from '../../../../src/chain-io/sends/evm/sign.ts';
import { delegateOf } from '../../../../src/chains/ethereum/delegation.ts';
import { readSignedTransaction } from '../../../../src/chains/ethereum/signed-transaction.ts';
import type { StoredCall } from '../../../../src/model/send.ts';
import { abiOf, startWorld } from '../../../contracts/support.ts';
import { evm } from '../../nodes/support.ts';
import { intentOf, type Key, keyed, landed, sendBy } from './keyed.ts';

const PAYMASTER = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const SINK: Hex = '0x00000000000000000000000000000000deadbeef';
const world = await startWorld();
const { node } = evm(world.anvil.url);
const target = await world.deploy('Target');
const token = await world.deploy('Token');
const contracts = { delegate: world.delegate.toLowerCase(), station: world.station.toLowerCase() };
after(() => world.stop());

async function user(ether = '1'): Promise<Key> {
  const secret = generatePrivateKey();
  const account = privateKeyToAccount(secret);
  await world.admin.setBalance({ address: account.address, value: parseEther(ether) });
  return keyed(secret, account, PAYMASTER);
}

const call = (name: string, to: Hex, functionName: string, args: readonly unknown[], value = '0'): StoredCall => ({
  to: to.toLowerCase(),
  value,
  data: encodeFunctionData({ abi: abiOf(name), functionName, args }),
});
const pay = (value = '1'): StoredCall => ({ to: SINK, value, data: '0x' });
const add = (amount: bigint, value = '0') => call('Target', target, 'add', [amount], value);
const approve = (amount: bigint) => call('Token', token, 'approve', [SINK, amount]);
const delegateNow = async (address: Hex) => delegateOf((await world.node.getCode({ address })) ?? '0x');

type Form = 'call' | 'batch' | 'sponsored' | 'undelegate';

/** With the gas that was estimated. */
async function carriedOut({ account, tools }: Key, form: Form, calls: readonly StoredCall[]) {
  const from = account.address.toLowerCase() as Hex;
  const sponsor = { paymaster: world.paymaster.address, station: contracts.station as Hex };
  const estimated = await estimateGas(node, { form, from, calls: callsOf(calls), sponsor } as never);
  if (!(estimated && 'gas' in estimated)) return assert.fail(estimated?.refused.message);
  const intent = intentOf({ form, calls: [...calls], gas: String(estimated.gas), ...(form === 'call' ? {} : contracts) });
  const payer = form === 'sponsored' ? world.paymaster.address.toLowerCase() : from;
  const receipt = await landed(world, node, tools, sendBy(from, intent, { account: payer }));
  assert.equal(receipt.status, 'success');
  return { ...receipt, estimated: estimated.gas };
}

test('a call, a batch that delegates, a batch of a delegated account, and the end of the delegation', async () => {
  const alice = await user();
  const from = alice.account.address;
  const paid = await carriedOut(alice, 'call', [pay('5')]);
  assert.deepEqual([paid.estimated, paid.type], [21_000n, 'eip1559']);
  const first = await carriedOut(alice, 'batch', [add(1n, '7'), approve(9n), pay()]);
  assert.deepEqual([first.type, await delegateNow(from)], ['eip7702', contracts.delegate]);
  const second = await carriedOut(alice, 'batch', [approve(1n), approve(2n)]);
  assert.deepEqual([second.type, await world.nonceOf(from)], ['eip1559', 2n]);
  await carriedOut(alice, 'undelegate', []);
  assert.equal(await delegateNow(from), undefined);
  const again = await carriedOut(alice, 'batch', [approve(1n), approve(2n)]);
  assert.deepEqual(
    [again.reading.messageNonce, await delegateNow(from)],
    [2n, contracts.delegate],
    'the nonce of messages goes on',
  );
});

test('a message is brought and paid for by the paymaster: of an account without funds, with and without its authorization', async () => {
  const poor = await user('0');
  const from = poor.account.address;
  const first = await carriedOut(poor, 'sponsored', [add(3n)]);
  assert.deepEqual([first.type, first.from], ['eip7702', world.paymaster.address.toLowerCase()]);
  assert.equal(await delegateNow(from), contracts.delegate);
  const second = await carriedOut(poor, 'sponsored', [approve(1n), approve(2n), add(1n)]);
  assert.equal(second.type, 'eip1559');
  assert.equal(await world.node.getBalance({ address: from }), 0n);
  assert.equal(await world.node.getTransactionCount({ address: from }), 1, 'its authorization took a nonce');
});

test('the estimate of a message is enough for what it does, and not twice as much', async () => {
  const shapes: StoredCall[][] = [
    [pay('1000')],
    [add(1n, '10')],
    [call('Target', target, 'failWith', ['0x'], '0')].slice(1).concat(approve(1n)),
    Array.from({ length: 20 }, (_, i) => approve(BigInt(i + 1))),
    Array.from({ length: 20 }, (_, i) => ({ to: `0x${'ab'.repeat(19)}${(i + 16).toString(16)}`, value: '1', data: '0x' })),
    [{ to: SINK, value: '0', data: `0x${'5a'.repeat(40_000)}` }],
    Array.from({ length: 3 }, () => ({ to: SINK, value: '0', data: `0x${'00ff'.repeat(5000)}` })),
  ];
  for (const form of ['batch', 'sponsored'] as const)
    for (const [i, calls] of shapes.entries()) {
      const account = await user();
      for (const round of ['first', 'delegated']) {
        const { gasUsed, estimated } = await carriedOut(account, form, calls);
        const label = `${form} ${i} ${round}: ${gasUsed} of ${estimated}`;
        assert.ok(gasUsed < estimated, label);
        assert.ok(estimated < 3n * gasUsed, label);
      }
    }
});

test('the reason of a revert is known before anything is signed', async () => {
  const from = (await user()).account.address.toLowerCase() as Hex;
  const failing = call('Target', target, 'failWithString', []);
  const sponsor = { paymaster: world.paymaster.address, station: contracts.station as Hex };
  for (const form of ['call', 'batch', 'sponsored'] as const) {
    const calls = callsOf(form === 'call' ? [failing] : [approve(1n), failing, approve(2n)]);
    const estimated = await estimateGas(node, { form, from, calls, sponsor } as never);
    assert.ok(estimated && 'refused' in estimated);
    assert.equal(estimated.refused.why, 'reverted');
    assert.match(estimated.refused.data ?? '', /^0x08c379a0/);
  }
});

test('the bytes are what another library reads, of every type', async () => {
  const { account, tools } = await user();
  const from = account.address.toLowerCase();
  const reading = { is: 'ready', delegated: false, messageNonce: 4n, authorityNonce: 6n } as const;
  const allocated = { nonce: 9n, reading, messageNonce: 4n, now: Date.now() };
  const eip1559 = { kind: 'eip1559', maxFeePerGas: 20n, maxPriorityFeePerGas: 3n } as const;
  const legacy = { kind: 'legacy', gasPrice: 11n } as const;
  const calls = [add(1n, '7')];
  for (const [intent, fees, type] of [
    [intentOf({ calls }), eip1559, 'eip1559'],
    [intentOf({ calls }), legacy, 'legacy'],
    [intentOf({ form: 'batch', calls, ...contracts }), eip1559, 'eip7702'],
    [intentOf({ form: 'undelegate' }), eip1559, 'eip7702'],
  ] as const) {
    const { signed, hash } = signEvm(tools, sendBy(from, intent), { ...allocated, fees });
    const parsed = parseTransaction(toHex(signed) as `0x02${string}`);
    assert.deepEqual([parsed.type, parsed.nonce, parsed.gas, parsed.chainId], [type, 9, 1_000_000n, 31337]);
    assert.equal(await recoverTransactionAddress({ serializedTransaction: toHex(signed) as `0x02${string}` }), account.address);
    const own = readSignedTransaction(signed);
    assert.deepEqual([own.from, own.hash, own.fields.nonce, own.fields.to], [from, hash, 9n, parsed.to?.toLowerCase()]);
    if (type === 'eip7702')
      assert.equal((parsed as { authorizationList?: { nonce: number }[] }).authorizationList?.[0]?.nonce, 10);
  }
  const noop = signNoop(tools, { caip2: 'eip155:31337', account: from, nonce: 9n, fees: eip1559 });
  const { to, value, gas } = parseTransaction(toHex(noop.signed) as `0x02${string}`);
  assert.deepEqual([to?.toLowerCase(), value ?? 0n, gas], [from, 0n, 100_000n]);
  const raw = intentOf({ form: 'raw', signed: toHex(noop.signed) });
  assert.deepEqual(signEvm(tools, sendBy(from, raw), { ...allocated, fees: eip1559 }).hash, noop.hash);
});

test('a no-op goes through of an account that is delegated', async () => {
  const alice = await user();
  await carriedOut(alice, 'batch', [approve(1n), approve(2n)]);
  const account = alice.account.address.toLowerCase();
  const fees = { kind: 'eip1559', maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n } as const;
  const { signed, hash } = signNoop(alice.tools, { caip2: 'eip155:31337', account, nonce: 1n + 1n, fees });
  assert.equal((await node.send(toHex(signed) as Hex)).outcome, 'sent');
  assert.equal((await world.node.waitForTransactionReceipt({ hash })).status, 'success');
});

test('a given nonce of a message or its transaction is waited for, or never comes', async () => {
  const from = (await user()).account.address;
  const now = Date.now();
  const of = (more: object, send: object = {}) =>
    readEvm(node, sendBy(from, intentOf({ form: 'sponsored', calls: [pay()], ...contracts, ...more }), send), now);
  assert.deepEqual(await of({}), { is: 'ready', delegated: false, messageNonce: 0n, authorityNonce: 0n });
  assert.equal((await of({ gasStationNonce: '0', nonce: '0' })).is, 'ready');
  assert.equal((await of({ gasStationNonce: '1' })).is, 'wait');
  assert.equal((await of({ gasStationNonce: '1' }, { createdAt: now - 3_600_000 })).is, 'never');
  assert.equal((await of({ nonce: '3' })).is, 'wait');
  assert.equal((await of({ deadline: String(Math.floor(now / 1000) - 1) })).is, 'never');
  assert.equal((await of({ gasStationNonce: '1' }, { messageNonce: 1 })).is, 'ready', 'it has its nonce already');
  const code = await readEvm(node, sendBy(target, intentOf({ form: 'sponsored', calls: [pay()], ...contracts })), now);
  assert.deepEqual([code.is, code.is === 'never' && /is a contract/.test(code.message)], ['never', true]);
});

test('of endpoints that return different nonces for an authorization, none is believed at once, and the highest alone never', async () => {
  const from = (await user()).account.address;
  const now = Date.now();
  const read = async (said: bigint[], { age = 0, pending = said }: { age?: number; pending?: bigint[] } = {}) => {
    const asked = { ...node, nonces: async (_: string, at: unknown) => (at === 'pending' ? pending : said) };
    const send = sendBy(from, intentOf({ form: 'sponsored', calls: [pay()], ...contracts }), { createdAt: now - age });
    const reading = await readEvm(asked, send, now);
    return reading.is === 'ready' ? reading.authorityNonce : reading.is;
  };
  assert.equal(await read([1_000_000n, 0n]), 'wait');
  assert.equal(await read([1_000_000n, 0n], { age: 31_000 }), 0n);
  assert.equal(await read([4n, 4n, 3n]), 4n);
  assert.equal(await read([1_000_000n, 4n, 4n], { age: 31_000 }), 4n);
  assert.equal(await read([7n]), 7n);
  assert.equal(await read([0n, 0n], { pending: [1_000_000n, 0n] }), 0n);
  assert.equal(await read([0n, 0n], { pending: [1n, 1n] }), 'wait');
});
