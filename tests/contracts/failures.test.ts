import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encodeAbiParameters, encodeFunctionData, type Hex, type PrivateKeyAccount, parseEther, toFunctionSelector } from 'viem';
import {
  abiOf,
  type Call,
  delegateArtifact,
  ERRORS,
  executionOf,
  LATER,
  newAccount,
  onDelegate,
  onStation,
  pack,
  signMessage,
  startWorld,
  stationBatch,
  stationExecute,
  type World,
} from './support.ts';

const START = { nonce: 0n, deadline: LATER };

let world: World;
let target: Hex;
let account: PrivateKeyAccount;

before(async () => {
  world = await startWorld();
  target = await world.deploy('Target');
  account = await world.delegated();
});
after(() => world.stop());

const call = (functionName: string, args: readonly unknown[] = []): Call => ({
  to: target,
  value: 0n,
  data: encodeFunctionData({ abi: abiOf('Target'), functionName, args }),
});
const total = () => world.view('Target', target, 'total') as Promise<bigint>;
const text = (value: string) => `0x08c379a0${encodeAbiParameters([{ type: 'string' }], [value]).slice(2)}` as Hex;
const panic = (code: bigint) => `0x4e487b71${encodeAbiParameters([{ type: 'uint256' }], [code]).slice(2)}` as Hex;

test('whatever reason a call fails with is the reason of the transaction, and nothing else happens', async () => {
  const custom = `${toFunctionSelector('Custom(uint256,address)')}${encodeAbiParameters([{ type: 'uint256' }, { type: 'address' }], [7n, account.address]).slice(2)}`;
  const long = `0x${'5a'.repeat(10_000)}`;
  const before = await total();
  for (const [functionName, args, expected] of [
    ['failWithString', [], text('no luck')],
    ['failWithPanic', [0n], panic(0x12n)],
    ['failWithCustom', [], custom],
    ['failWith', [long], long],
    ['failWith', ['0x01'], '0x01'],
    // What a called contract says may look like an error of the delegate or the station.
    ['failWith', [ERRORS.InvalidNonce], ERRORS.InvalidNonce],
    ['failBare', [], ERRORS.ExecutionFailed],
    ['failWithInvalid', [], ERRORS.ExecutionFailed],
  ] as const) {
    const failing = call(functionName, args);
    for (const data of [
      await stationExecute(account, failing, START),
      await stationExecute(account, failing, START, 'executeReturns'),
      await stationBatch(account, [call('add', [1n]), failing, call('add', [1n])], START),
    ]) {
      assert.equal(await world.reasonOf({ to: world.station, data }), expected, functionName);
    }
  }
  const data = await stationBatch(account, [call('add', [1n]), call('failWithCustom')], START);
  assert.equal((await world.send({ to: world.station, data })).status, 'reverted');
  assert.equal(await total(), before);
  assert.equal(await world.nonceOf(account.address), 0n);
});

test('too little gas undoes the message with its nonce: who brings it cannot spend it without carrying it out', async () => {
  const owner = await world.delegated();
  const calls = Array.from({ length: 20 }, () => call('add', [1n]));
  const data = await stationBatch(owner, calls, START);
  const before = await total();
  let failed = 0;
  for (let gas = 130_000n; ; gas += 5_000n) {
    const { status } = await world.send({ to: world.station, data, gas });
    const state = [(await total()) - before, await world.nonceOf(owner.address)];
    assert.deepEqual(state, status === 'success' ? [20n, 1n] : [0n, 0n], `${gas}`);
    if (status === 'success') break;
    failed++;
  }
  assert.ok(failed > 5);
  // Enough for the station, and too little for the account to get as far as its call.
  const early = await stationExecute(owner, call('add', [1n]), { nonce: 1n, deadline: LATER });
  assert.equal(await world.reasonOf({ to: world.station, data: early, gas: 45_000n }), ERRORS.ExecutionFailed);
});

test('what a call returns costs who pays for the gas nothing, unless it is asked for', async () => {
  const owner = await world.delegated();
  const run = async (size: number, nonce: bigint) => {
    const data = await stationExecute(owner, call('answer', [size]), { nonce, deadline: LATER });
    return (await world.must({ to: world.station, data })).gasUsed;
  };
  await run(0, 0n);
  const small = await run(0, 1n);
  const large = await run(60_000, 2n);
  // The called contract’s own memory: 3 gas for each word, and the square of them divided by 512.
  const own = BigInt(3 * 1875 + Math.floor(1875 ** 2 / 512));
  assert.ok(large - small < own + 200n, `${large - small}`);
});

test('a call to an address without code is a transfer, as it is for any account', async () => {
  const sink = newAccount().address;
  const data = await stationExecute(account, { to: sink, value: 3n, data: '0x1234' }, START);
  await world.must({ to: world.station, data });
  assert.equal(await world.node.getBalance({ address: sink }), 3n);
});

test('what a message calls cannot carry out the next message of the account', async () => {
  const owner = await world.delegated();
  const other = await world.delegated();
  const caller = await world.deploy('Reenterer');
  const before = await total();
  const next = await stationExecute(owner, call('add', [100n]), { nonce: 1n, deadline: LATER });
  const prepare = (to: Hex, data: Hex, swallow: boolean) =>
    world.must({
      to: caller,
      data: encodeFunctionData({ abi: abiOf('Reenterer'), functionName: 'prepare', args: [to, data, swallow] }),
    });
  const first = await stationExecute(owner, { to: caller, value: 1n, data: '0x' }, START);
  const inBatch = await stationBatch(owner, [call('add', [1n]), { to: caller, value: 0n, data: '0xabcdef01' }], START);

  await prepare(world.station, next, false);
  assert.equal(await world.reasonOf({ to: world.station, data: first }), ERRORS.ReentrantCall);
  assert.equal(await world.reasonOf({ to: world.station, data: inBatch }), ERRORS.ReentrantCall);
  const signature = await signMessage(owner, executionOf(call('add', [100n]), { nonce: 1n, deadline: LATER }));
  const packed = pack(signature, { nonce: 1n, deadline: LATER }, call('add', [100n]).data);
  for (const functionName of ['execute', 'executeReturns']) {
    await prepare(owner.address, onDelegate(functionName, [target, 0n, packed]), false);
    assert.equal(await world.reasonOf({ to: world.station, data: first }), ERRORS.ReentrantCall, functionName);
  }
  await prepare(owner.address, onDelegate('executeBatch', [[], packed]), false);
  assert.equal(await world.reasonOf({ to: world.station, data: first }), ERRORS.ReentrantCall);
  await prepare(owner.address, onDelegate('approveThenExecute', [target, 0n, target, target, 0n, packed]), false);
  assert.equal(await world.reasonOf({ to: world.station, data: first }), ERRORS.ReentrantCall);

  // The same message again, from within it.
  await prepare(world.station, first, false);
  assert.equal(await world.reasonOf({ to: world.station, data: first }), ERRORS.ReentrantCall);
  // Calling the account gives no right to act as it.
  await prepare(owner.address, onDelegate('burnNonce', []), false);
  assert.equal(await world.reasonOf({ to: world.station, data: first }), ERRORS.NotSelf);

  // A contract that goes on all the same changes nothing: the next message is as good as before.
  await prepare(world.station, next, true);
  await world.must({ to: world.station, data: first });
  assert.equal(await world.view('Reenterer', caller, 'done'), false);
  assert.equal(await world.view('Reenterer', caller, 'answer'), ERRORS.ReentrantCall);
  assert.equal(await total(), before);
  await world.must({ to: world.station, data: next });
  assert.equal((await total()) - before, 100n);

  // Another account’s message is valid only for that account.
  await prepare(world.station, await stationExecute(other, call('add', [7n]), START), false);
  await world.must({
    to: world.station,
    data: await stationExecute(owner, { to: caller, value: 0n, data: '0x' }, { nonce: 2n, deadline: LATER }),
  });
  assert.equal((await total()) - before, 107n);
  assert.equal(await world.nonceOf(other.address), 1n);
});

test('several messages of an account may follow each other in one transaction', async () => {
  const owner = await world.delegated();
  const relay = await world.deploy('Relay');
  const before = await total();
  const message = (nonce: bigint) => {
    const terms = { nonce, deadline: LATER };
    if (nonce === 1n) return stationBatch(owner, [call('add', [1n]), call('add', [1n])], terms);
    return stationExecute(owner, call('add', [1n]), terms, nonce === 0n ? 'executeReturns' : 'execute');
  };
  const bring = async (...nonces: bigint[]) => ({
    to: relay,
    data: encodeFunctionData({
      abi: abiOf('Relay'),
      functionName: 'relay',
      args: [world.station, await Promise.all(nonces.map(message))],
    }),
  });
  assert.equal(await world.reasonOf(await bring(0n, 0n)), ERRORS.InvalidNonce);
  assert.equal(await world.reasonOf(await bring(1n, 0n)), ERRORS.InvalidNonce);
  await world.must(await bring(0n, 1n, 2n, 3n));
  assert.equal((await total()) - before, 5n);
  assert.equal(await world.nonceOf(owner.address), 4n);
});

test('a delegated account takes ether and tokens as before, from contracts that give 2300 gas too', async () => {
  const { abi } = delegateArtifact;
  const payer = await world.deploy('Payer');
  const before = await world.node.getBalance({ address: account.address });
  const pay = encodeFunctionData({ abi: abiOf('Payer'), functionName: 'pay', args: [account.address] });
  await world.must({ to: payer, data: pay, value: parseEther('0.1') });
  assert.equal((await world.node.getBalance({ address: account.address })) - before, parseEther('0.1'));
  const read = (functionName: string, args: readonly unknown[]) =>
    world.node.readContract({ abi, address: account.address, functionName, args });
  assert.equal(await read('onERC721Received', [payer, payer, 1n, '0x']), '0x150b7a02');
  assert.equal(await read('onERC1155Received', [payer, payer, 1n, 1n, '0x12']), '0xf23a6e61');
  assert.equal(await read('onERC1155BatchReceived', [payer, payer, [1n, 2n], [1n, 2n], '0x']), '0xbc197c81');
  for (const [id, expected] of [
    ['0x01ffc9a7', true],
    ['0x150b7a02', true],
    ['0x4e2312e0', true],
    ['0x1626ba7e', true],
    ['0xffffffff', false],
    ['0x00000000', false],
  ] as const) {
    assert.equal(await read('supportsInterface', [id]), expected, id);
  }
});

test('a message may call the account, which gains nothing by it', async () => {
  const owner = await world.delegated();
  const self = (data: Hex): Call => ({ to: owner.address, value: 1n, data });
  await world.must({ to: world.station, data: await stationExecute(owner, self('0x'), START) });
  const inner = await signMessage(owner, executionOf(call('add', [1n]), { nonce: 2n, deadline: LATER }));
  const nested = onDelegate('execute', [target, 0n, pack(inner, { nonce: 2n, deadline: LATER }, call('add', [1n]).data)]);
  const data = await stationExecute(owner, { ...self(nested), value: 0n }, { nonce: 1n, deadline: LATER });
  assert.equal(await world.reasonOf({ to: world.station, data }), ERRORS.ReentrantCall);
  const throughStation = { to: world.station, value: 0n, data: onStation('execute', [owner.address, target, 0n, '0x']) };
  const again = await stationExecute(owner, throughStation, { nonce: 1n, deadline: LATER });
  assert.equal(await world.reasonOf({ to: world.station, data: again }), ERRORS.ReentrantCall);
});
