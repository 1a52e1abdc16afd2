import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encodeFunctionData, type Hex, hexToBytes, toHex } from 'viem';
import { foundry } from 'viem/chains';
import { delegateOf, MESSAGE_NONCE_SLOT, messageNonce } from '../../src/chains/ethereum/delegation.ts';
import {
  approveThenExecuteDigest,
  BURN_NONCE,
  burnNonce,
  burnNonceDigest,
  delegateExecution,
  executionDigest,
  type Signer,
  stationApproveThenExecute,
  stationExecution,
} from '../../src/chains/ethereum/gas-station.ts';
import { abiOf, LATER, newAccount, startWorld, type World } from './support.ts';

let world: World;
let target: Hex;

before(async () => {
  world = await startWorld();
  target = await world.deploy('Target');
});
after(() => world.stop());

test('what src/chains makes for senders is carried out, and the state of the account is what it reads', async () => {
  const account = newAccount();
  const signer: Signer = { chainId: BigInt(foundry.id), address: account.address };
  const code = async () => (await world.node.getCode({ address: account.address })) ?? '0x';
  const nonce = async () =>
    messageNonce((await world.node.getStorageAt({ address: account.address, slot: MESSAGE_NONCE_SLOT })) as Hex);
  const sign = async (digest: Uint8Array) => hexToBytes(await account.sign({ hash: toHex(digest) }));
  const add = (amount: bigint) => ({
    to: target,
    value: 0n,
    data: encodeFunctionData({ abi: abiOf('Target'), functionName: 'add', args: [amount] }),
  });
  const total = () => world.view('Target', target, 'total');
  assert.deepEqual([delegateOf(await code()), await nonce()], [undefined, 0n]);

  const one = { nonce: 0n, deadline: LATER };
  const signed = { ...one, signature: await sign(executionDigest(signer, one, [add(1n)])) };
  await world.must({
    to: world.station,
    data: stationExecution(account.address, [add(1n)], signed),
    authorizationList: [await world.authorize(account, world.delegate)] as never,
  });
  assert.deepEqual([delegateOf(await code()), await nonce()], [world.delegate.toLowerCase(), 1n]);

  const two = { nonce: 1n, deadline: LATER };
  const calls = [add(2n), add(3n)];
  const batch = { ...two, signature: await sign(executionDigest(signer, two, calls)) };
  await world.must({ to: world.station, data: stationExecution(account.address, calls, batch) });
  const three = { nonce: 2n, deadline: LATER };
  const direct = { ...three, signature: await sign(executionDigest(signer, three, calls)) };
  await world.must({ to: account.address, data: delegateExecution(calls, direct) });
  assert.equal(await total(), 11n);

  const token = await world.deploy('Token');
  const approval = { erc20: token, spender: target, amount: 5n };
  const four = { nonce: 3n, deadline: LATER };
  const approved = { ...four, signature: await sign(approveThenExecuteDigest(signer, four, approval, add(1n))) };
  await world.must({ to: world.station, data: stationApproveThenExecute(account.address, approval, add(1n), approved) });
  assert.equal(await world.view('Token', token, 'allowance', [account.address, target]), 5n);

  await world.must({ to: account.address, data: burnNonce(await sign(burnNonceDigest(signer, 4n)), 4n) });
  await world.admin.setBalance({ address: account.address, value: 10n ** 18n });
  await world.must({ from: account, to: account.address, data: BURN_NONCE });
  assert.equal(await nonce(), 6n);
});
