import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decodeFunctionResult, encodeFunctionData, type Hex, parseEther, zeroAddress } from 'viem';
import { CREATE2_FACTORY, NO_SALT, safeCreate2Data, stationInitCode } from '../../src/chains/ethereum/gas-station-deployment.ts';
import {
  abiOf,
  batchOf,
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
  stationArtifact,
  stationBatch,
  stationExecute,
  type World,
} from './support.ts';

let world: World;
let target: Hex;

before(async () => {
  world = await startWorld();
  target = await world.deploy('Target');
});
after(() => world.stop());

const add = (amount: bigint, value = 0n): Call => ({
  to: target,
  value,
  data: encodeFunctionData({ abi: abiOf('Target'), functionName: 'add', args: [amount] }),
});
const pay = (to: Hex, value: bigint): Call => ({ to, value, data: '0x' });
const total = () => world.view('Target', target, 'total') as Promise<bigint>;
const balance = (address: Hex) => world.node.getBalance({ address });

test('an account without any ether is delegated and acts in one transaction that the paymaster sends', async () => {
  const account = newAccount();
  const terms = { nonce: 0n, deadline: LATER };
  const before = await total();
  const data = await stationExecute(account, add(3n), terms);
  assert.equal(await world.reasonOf({ to: world.station, data }), ERRORS.NotDelegated);
  const authorization = await world.authorize(account, world.delegate);
  const receipt = await world.must({ to: world.station, data, authorizationList: [authorization] as never });
  assert.equal(receipt.type, 'eip7702');
  assert.equal(receipt.from, world.paymaster.address.toLowerCase());
  assert.equal(await world.node.getCode({ address: account.address }), `0xef0100${world.delegate.slice(2).toLowerCase()}`);
  assert.equal((await total()) - before, 3n);
  assert.equal(await world.view('Target', target, 'lastSender'), account.address);
  assert.equal(await world.nonceOf(account.address), 1n);
  assert.equal(await balance(account.address), 0n);
});

test('the value comes from the account, not from who pays for the gas', async () => {
  const account = await world.delegated(parseEther('2'));
  const sink = newAccount().address;
  await world.must({ to: world.station, data: await stationExecute(account, pay(sink, 5n), { nonce: 0n, deadline: LATER }) });
  await world.must({ to: world.station, data: await stationExecute(account, add(1n, 7n), { nonce: 1n, deadline: LATER }) });
  assert.equal(await balance(sink), 5n);
  assert.equal(await world.view('Target', target, 'lastValue'), 7n);
  assert.equal(await balance(account.address), parseEther('2') - 12n);
  assert.equal(await balance(world.station), 0n);
  const tooMuch = await stationExecute(account, pay(sink, parseEther('2')), { nonce: 2n, deadline: LATER });
  assert.equal(await world.reasonOf({ to: world.station, data: tooMuch }), ERRORS.ExecutionFailed);
});

test('no function but the plain transfer takes value', async () => {
  const account = await world.delegated();
  const terms = { nonce: 0n, deadline: LATER };
  const data = await stationExecute(account, add(1n), terms);
  assert.equal(await world.reasonOf({ to: world.station, data, value: 1n }), '0x');
  const signature = await signMessage(account, executionOf(add(1n), terms));
  const direct = onDelegate('execute', [target, 0n, pack(signature, terms, add(1n).data)]);
  assert.equal(await world.reasonOf({ to: account.address, data: direct, value: 1n }), '0x');
  assert.equal(await world.reasonOf({ to: account.address, data: direct }), undefined);
  assert.equal(await world.reasonOf({ to: account.address, data: '0x', value: 1n }), undefined);
  assert.equal(await world.reasonOf({ to: world.station, data: '0x', value: 1n }), '0x');
});

test('anybody may bring a message, to the station or to the account itself, and it works once', async () => {
  const account = await world.delegated();
  const stranger = newAccount();
  await world.admin.setBalance({ address: stranger.address, value: parseEther('1') });
  const terms = { nonce: 0n, deadline: LATER };
  const signature = await signMessage(account, executionOf(add(2n), terms));
  const packed = pack(signature, terms, add(2n).data);
  const before = await total();
  await world.must({ from: stranger, to: account.address, data: onDelegate('execute', [target, 0n, packed]) });
  assert.equal((await total()) - before, 2n);
  const again = onStation('execute', [account.address, target, 0n, packed]);
  assert.equal((await world.send({ to: world.station, data: again })).status, 'reverted');
  assert.equal(await world.reasonOf({ to: world.station, data: again }), ERRORS.InvalidNonce);
  assert.equal((await total()) - before, 2n);
  assert.equal(await world.nonceOf(account.address), 1n);
});

test('executeReturns gives what the call returned, through the station as well', async () => {
  const account = await world.delegated();
  const terms = { nonce: 0n, deadline: LATER };
  const before = await total();
  const data = await stationExecute(account, add(4n), terms, 'executeReturns');
  const { data: answer } = await world.node.call({ to: world.station, data });
  const returned = decodeFunctionResult({ abi: stationArtifact.abi, functionName: 'executeReturns', data: answer! });
  assert.equal(BigInt(returned as Hex), before + 4n);
  const signature = await signMessage(account, executionOf(add(4n), terms));
  const direct = onDelegate('executeReturns', [target, 0n, pack(signature, terms, add(4n).data)]);
  const { data: own } = await world.node.call({ to: account.address, data: direct });
  assert.equal(decodeFunctionResult({ abi: delegateArtifact.abi, functionName: 'executeReturns', data: own! }), returned);
  for (const size of [0, 1, 31, 32, 33, 5000]) {
    const call = { ...add(0n), data: encodeFunctionData({ abi: abiOf('Target'), functionName: 'answer', args: [size] }) };
    const { data: sized } = await world.node.call({
      to: world.station,
      data: await stationExecute(account, call, terms, 'executeReturns'),
    });
    const bytes = decodeFunctionResult({ abi: stationArtifact.abi, functionName: 'executeReturns', data: sized! }) as Hex;
    assert.equal((bytes.length - 2) / 2, size);
  }
  await world.must({ to: world.station, data });
  assert.equal(await world.nonceOf(account.address), 1n);
});

test('a batch carries out all of its calls in order, or none', async () => {
  const account = await world.delegated();
  const sink = newAccount().address;
  const before = await total();
  const calls = [add(1n), pay(sink, 9n), add(10n, 2n)];
  await world.must({ to: world.station, data: await stationBatch(account, calls, { nonce: 0n, deadline: LATER }) });
  assert.equal((await total()) - before, 11n);
  assert.equal(await world.view('Target', target, 'lastValue'), 2n);
  assert.equal(await balance(sink), 9n);
  const failing = { ...add(0n), data: encodeFunctionData({ abi: abiOf('Target'), functionName: 'failBare' }) };
  const data = await stationBatch(account, [add(100n), pay(sink, 1n), failing], { nonce: 1n, deadline: LATER });
  assert.equal((await world.send({ to: world.station, data })).status, 'reverted');
  assert.equal((await total()) - before, 11n);
  assert.equal(await balance(sink), 9n);
  assert.equal(await world.nonceOf(account.address), 1n);
});

test('a batch has 1 to 20 calls', async () => {
  const account = await world.delegated();
  const terms = { nonce: 0n, deadline: LATER };
  for (const [count, reason] of [
    [0, ERRORS.BatchSizeInvalid],
    [1, undefined],
    [20, undefined],
    [21, ERRORS.BatchSizeInvalid],
  ] as const) {
    const calls = Array.from({ length: count }, () => add(1n));
    assert.equal(
      await world.reasonOf({ to: world.station, data: await stationBatch(account, calls, terms) }),
      reason,
      `${count}`,
    );
  }
  const most = await world.node.readContract({
    abi: delegateArtifact.abi,
    address: world.delegate,
    functionName: 'MAX_BATCH_SIZE',
  });
  assert.equal(most, 20);
});

test('an account that pays for itself sends a batch to itself, delegated by the same transaction', async () => {
  const account = newAccount();
  await world.admin.setBalance({ address: account.address, value: parseEther('1') });
  const terms = { nonce: 0n, deadline: LATER };
  const calls = [add(1n), add(2n)];
  const data = onDelegate('executeBatch', [calls, pack(await signMessage(account, batchOf(calls, terms)), terms)]);
  const before = await total();
  // The transaction spends nonce 0 before its authorizations are read.
  const authorization = await world.authorize(account, world.delegate, 1);
  await world.must({ from: account, to: account.address, data, authorizationList: [authorization] as never });
  assert.equal((await total()) - before, 3n);
});

test('an undelegated account takes no message; its next nonce is kept for when it is delegated again', async () => {
  const account = await world.delegated();
  await world.must({ to: world.station, data: await stationExecute(account, add(1n), { nonce: 0n, deadline: LATER }) });
  const data = await stationExecute(account, add(1n), { nonce: 1n, deadline: LATER });
  assert.equal(
    await world.node.readContract({
      abi: stationArtifact.abi,
      address: world.station,
      functionName: 'getNonce',
      args: [account.address],
    }),
    1n,
  );
  await world.must({
    to: world.paymaster.address,
    data: '0x',
    authorizationList: [await world.authorize(account, zeroAddress, 1)] as never,
  });
  assert.equal(await world.node.getCode({ address: account.address }), undefined);
  assert.equal(await world.reasonOf({ to: world.station, data }), ERRORS.NotDelegated);
  const getNonce = onStation('getNonce', [account.address]);
  assert.equal(await world.reasonOf({ to: world.station, data: getNonce }), ERRORS.NotDelegated);
  const again = await world.authorize(account, world.delegate, 2);
  await world.must({ to: world.station, data, authorizationList: [again] as never });
  assert.equal(await world.nonceOf(account.address), 2n);
});

test('the station serves accounts of its own delegate only', async () => {
  const data = (account: Hex) => onStation('execute', [account, target, 0n, '0x']);
  const other = newAccount();
  // An account that runs other code could do what it likes at the paymaster's cost.
  await world.must({
    to: world.paymaster.address,
    data: '0x',
    authorizationList: [await world.authorize(other, target)] as never,
  });
  for (const account of [other.address, newAccount().address, target, world.delegate, world.station, zeroAddress]) {
    assert.equal(await world.reasonOf({ to: world.station, data: data(account) }), ERRORS.NotDelegated, account);
    const isDelegated = { abi: stationArtifact.abi, address: world.station, functionName: 'isDelegated', args: [account] };
    assert.equal(await world.node.readContract(isDelegated), false);
  }
  const own = await world.delegated();
  const isDelegated = { abi: stationArtifact.abi, address: world.station, functionName: 'isDelegated', args: [own.address] };
  assert.equal(await world.node.readContract(isDelegated), true);
});

test('a station is not made for an address without code', async () => {
  const initCode = (delegate: Hex) => stationInitCode(stationArtifact.bytecode, delegate);
  const make = (delegate: Hex) => ({ to: CREATE2_FACTORY, data: safeCreate2Data(NO_SALT, initCode(delegate)) });
  assert.equal((await world.send(make(newAccount().address))).status, 'reverted');
  // Deployed contracts stay as they are.
  assert.equal((await world.send(make(world.delegate))).status, 'reverted');
  const read = { abi: stationArtifact.abi, address: world.station, functionName: 'TK_GAS_DELEGATE' };
  assert.equal(await world.node.readContract(read), world.delegate);
  assert.equal(await world.node.getCode({ address: world.delegate }), delegateArtifact.deployedBytecode);
});
