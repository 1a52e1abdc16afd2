import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  concat,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  hexToBytes,
  numberToHex,
  type PrivateKeyAccount,
  parseSignature,
  toHex,
} from 'viem';
import { foundry } from 'viem/chains';
import {
  abiOf,
  batchOf,
  type Call,
  delegateArtifact,
  domainOf,
  ERRORS,
  executionOf,
  LATER,
  newAccount,
  onDelegate,
  onStation,
  pack,
  signMessage,
  startWorld,
  stationExecute,
  types,
  type World,
} from './support.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
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

const add = (amount: bigint): Call => ({
  to: target,
  value: 0n,
  data: encodeFunctionData({ abi: abiOf('Target'), functionName: 'add', args: [amount] }),
});

/** What the station says to one call of `account` with these bytes. */
const reason = (packed: Hex, call = add(1n)) =>
  world.reasonOf({ to: world.station, data: onStation('execute', [account.address, call.to, call.value, packed]) });

test('a nonce other than the next one is refused', async () => {
  for (const nonce of [1n, 2n, 2n ** 64n, 2n ** 128n - 1n]) {
    const data = await stationExecute(account, add(1n), { nonce, deadline: LATER });
    assert.equal(await world.reasonOf({ to: world.station, data }), ERRORS.InvalidNonce, `${nonce}`);
  }
});

test('a message works until the second of its deadline, and not after it', async () => {
  const { timestamp } = await world.node.getBlock();
  const now = timestamp + 1000n;
  await world.admin.setNextBlockTimestamp({ timestamp: now });
  await world.admin.mine({ blocks: 1 });
  for (const [deadline, expected] of [
    [0n, ERRORS.DeadlineExceeded],
    [now - 1n, ERRORS.DeadlineExceeded],
    [2n ** 32n - 1n, undefined],
  ] as const) {
    const data = await stationExecute(account, add(1n), { nonce: 0n, deadline });
    assert.equal(await world.reasonOf({ to: world.station, data }), expected, `${deadline - now}`);
  }
  const other = await world.delegated();
  const at = (await world.node.getBlock()).timestamp + 500n;
  const data = await stationExecute(other, add(1n), { nonce: 0n, deadline: at });
  await world.admin.setNextBlockTimestamp({ timestamp: at });
  assert.equal((await world.send({ to: world.station, data })).status, 'success');
  const next = await stationExecute(other, add(1n), { nonce: 1n, deadline: at });
  await world.admin.setNextBlockTimestamp({ timestamp: at + 1n });
  assert.equal((await world.send({ to: world.station, data: next })).status, 'reverted');
});

test('a message of another signer, chain, account, name or version is refused', async () => {
  const message = executionOf(add(1n), START);
  const own = domainOf(account.address);
  const stranger = newAccount();
  for (const [what, signature] of Object.entries({
    signer: await signMessage(stranger, message, own),
    chain: await signMessage(account, message, domainOf(account.address, 1)),
    account: await signMessage(account, message, domainOf(stranger.address)),
    delegate: await signMessage(account, message, domainOf(world.delegate)),
    station: await signMessage(account, message, domainOf(world.station)),
    name: await signMessage(account, message, { ...own, name: 'GasDelegate' }),
    version: await signMessage(account, message, { ...own, version: '1' }),
  })) {
    assert.equal(await reason(pack(signature, START, add(1n).data)), ERRORS.NotSelf, what);
  }
  assert.equal(await reason(pack(await signMessage(account, message), START, add(1n).data)), undefined);
});

test('a message of one account does not work for another, and none for the delegate itself', async () => {
  const other = await world.delegated();
  const packed = pack(await signMessage(account, executionOf(add(1n), START)), START, add(1n).data);
  const data = onStation('execute', [other.address, target, 0n, packed]);
  assert.equal(await world.reasonOf({ to: world.station, data }), ERRORS.NotSelf);
  const bare = onDelegate('execute', [target, 0n, packed]);
  assert.equal(await world.reasonOf({ to: world.delegate, data: bare }), ERRORS.NotSelf);
});

test('after the chain’s id changed, a message for the id before is refused, and one for the new id works', async () => {
  const message = executionOf(add(1n), START);
  const setChainId = (id: number) => world.admin.request({ method: 'anvil_setChainId', params: [id] } as never);
  const packedFor = async (id: number) =>
    pack(await signMessage(account, message, domainOf(account.address, id)), START, add(1n).data);
  await setChainId(31338);
  try {
    assert.equal(await reason(await packedFor(foundry.id)), ERRORS.NotSelf);
    assert.equal(await reason(await packedFor(31338)), undefined);
  } finally {
    await setChainId(foundry.id);
  }
  assert.equal(await reason(await packedFor(foundry.id)), undefined);
});

test('no part of a message can be changed after it was signed', async () => {
  const signature = await signMessage(account, executionOf(add(1n), START));
  const packed = pack(signature, START, add(1n).data);
  assert.equal(await reason(packed), undefined);
  assert.equal(await reason(packed, { ...add(1n), to: account.address }), ERRORS.NotSelf);
  assert.equal(await reason(packed, { ...add(1n), value: 1n }), ERRORS.NotSelf);
  assert.equal(await reason(pack(signature, START, add(2n).data)), ERRORS.NotSelf);
  assert.equal(await reason(pack(signature, START)), ERRORS.NotSelf);
  assert.equal(await reason(pack(signature, START, concat([add(1n).data, '0x00']))), ERRORS.NotSelf);
  assert.equal(await reason(pack(signature, { ...START, deadline: LATER + 1n }, add(1n).data)), ERRORS.NotSelf);
  const calls = [add(1n), add(2n), add(3n)];
  const batch = pack(await signMessage(account, batchOf(calls, START)), START);
  const batchReason = (given: readonly Call[], packedBatch = batch) =>
    world.reasonOf({ to: world.station, data: onStation('executeBatch', [account.address, given, packedBatch]) });
  assert.equal(await batchReason(calls), undefined);
  assert.equal(await batchReason([...calls].reverse()), ERRORS.NotSelf);
  assert.equal(await batchReason(calls.slice(1)), ERRORS.NotSelf);
  assert.equal(await batchReason([...calls, add(4n)]), ERRORS.NotSelf);
  assert.equal(await batchReason(calls.map((call) => ({ ...call, value: 1n }))), ERRORS.NotSelf);
  assert.equal(await batchReason(calls, concat([batch, '0x00'])), ERRORS.InvalidOffset);
  // A signature of one form is not valid for the other, even with the same call.
  const single = pack(await signMessage(account, executionOf(add(1n), START)), START);
  assert.equal(await batchReason([add(1n)], single), ERRORS.NotSelf);
  const ofBatch = await signMessage(account, batchOf([add(1n)], START));
  assert.equal(await reason(pack(ofBatch, START, add(1n).data)), ERRORS.NotSelf);
});

test('of a signature, one form is taken: 65 bytes, the lower s, v of 27 or 28', async () => {
  const good = await signMessage(account, executionOf(add(1n), START));
  const { r, s, yParity } = parseSignature(good);
  const v = 27 + yParity!;
  const form = (rWord: Hex, sWord: Hex, last: number) => concat([rWord, sWord, numberToHex(last, { size: 1 })]);
  const zero = toHex(0n, { size: 32 });
  const highS = toHex(ORDER - BigInt(s), { size: 32 });
  assert.equal(await reason(pack(form(r, s, v), START, add(1n).data)), undefined);
  for (const [what, signature] of Object.entries({
    'the higher s, with the other v': form(r, highS, 55 - v),
    'the higher s': form(r, highS, v),
    'the other v': form(r, s, 55 - v),
    'v of 0 or 1': form(r, s, yParity!),
    'v of a transaction of chain 1': form(r, s, 37 + yParity!),
    'v of 255': form(r, s, 255),
    zeros: `0x${'00'.repeat(65)}` as Hex,
    'r of zero': form(zero, s, v),
    's of zero': form(r, zero, v),
    'r of the order': form(toHex(ORDER, { size: 32 }), s, v),
    'all bits': `0x${'ff'.repeat(65)}` as Hex,
  })) {
    assert.equal(await reason(pack(signature, START, add(1n).data)), ERRORS.NotSelf, what);
  }
});

test('data too short for signature, nonce and deadline is refused', async () => {
  const packed = pack(await signMessage(account, executionOf(add(1n), START)), START);
  for (const size of [0, 1, 64, 65, 80, 84]) {
    const cut = toHex(hexToBytes(packed).subarray(0, size));
    assert.equal(await reason(cut), ERRORS.InvalidOffset, `${size}`);
    const batch = onStation('executeBatch', [account.address, [add(1n)], cut]);
    assert.equal(await world.reasonOf({ to: world.station, data: batch }), ERRORS.InvalidOffset);
    const approve = [account.address, target, 0n, target, target, 0n, cut];
    assert.equal(
      await world.reasonOf({ to: world.station, data: onStation('approveThenExecute', approve) }),
      ERRORS.InvalidOffset,
    );
  }
  // The message of an empty call ends with its deadline.
  const empty = { to: newAccount().address, value: 1n, data: '0x' } as const;
  const signature = await signMessage(account, executionOf(empty, START));
  assert.equal(await reason(pack(signature, START), empty), undefined);
});

test('call data that no compiler writes is refused, or means what was signed', async () => {
  const data = await stationExecute(account, add(1n), START);
  const dirty = `${data.slice(0, 10)}01${data.slice(12)}` as Hex;
  assert.equal(await world.reasonOf({ to: world.station, data: dirty }), '0x');
  assert.equal(await world.reasonOf({ to: world.station, data: data.slice(0, -64) as Hex }), '0x');
  assert.equal(await world.reasonOf({ to: account.address, data: '0x12345678' }), '0x');
  assert.equal(await world.reasonOf({ to: world.station, data: '0x12345678' }), '0x');
  assert.equal(await world.reasonOf({ to: world.station, data: concat([data, '0xabcd']) }), undefined);
});

test('burnNonce spends the next nonce: the account by itself, or anybody with its signature', async () => {
  const owner = await world.delegated();
  const signed = await stationExecute(owner, add(1n), START);
  assert.equal(await world.reasonOf({ to: world.station, data: signed }), undefined);
  const burn = onDelegate('burnNonce', []);
  assert.equal(await world.reasonOf({ to: owner.address, data: burn }), ERRORS.NotSelf);
  assert.equal(await world.reasonOf({ to: world.delegate, data: burn }), ERRORS.NotSelf);
  await world.must({ from: owner, to: owner.address, data: burn });
  assert.equal(await world.nonceOf(owner.address), 1n);
  assert.equal(await world.reasonOf({ to: world.station, data: signed }), ERRORS.InvalidNonce);

  const burnOf = (nonce: bigint) => ({ primaryType: 'BurnNonce', message: { nonce } }) as const;
  const bring = (signature: Hex, nonce: bigint) => ({ to: owner.address, data: onDelegate('burnNonce', [signature, nonce]) });
  const signature = await signMessage(owner, burnOf(1n));
  assert.equal(await world.reasonOf(bring(signature, 0n)), ERRORS.InvalidNonce);
  assert.equal(await world.reasonOf(bring(await signMessage(owner, burnOf(2n)), 2n)), ERRORS.InvalidNonce);
  assert.equal(
    await world.reasonOf(bring(await signMessage(newAccount(), burnOf(1n), domainOf(owner.address)), 1n)),
    ERRORS.NotSelf,
  );
  assert.equal(await world.reasonOf(bring(signature.slice(0, -2) as Hex, 1n)), ERRORS.NotSelf);
  await world.must(bring(signature, 1n));
  assert.equal(await world.nonceOf(owner.address), 2n);
  assert.equal(await world.reasonOf(bring(signature, 1n)), ERRORS.InvalidNonce);

  // A signed call to the account itself is the account calling itself: it spends its own nonce and the next.
  const self = { to: owner.address, value: 0n, data: burn };
  await world.must({ to: world.station, data: await stationExecute(owner, self, { nonce: 2n, deadline: LATER }) });
  assert.equal(await world.nonceOf(owner.address), 4n);
});

test('the upper half of the nonce’s slot is left as it is', async () => {
  const owner = await world.delegated();
  const slot = '0x34d5be385818fa5c8c4e7f9d5a028251d28ebab8aaf203a072d1dde2d49a1100';
  const upper = 'abcdef0123456789abcdef0123456789';
  await world.admin.setStorageAt({ address: owner.address, index: slot, value: `0x${upper}${'ff'.repeat(8)}${'00'.repeat(8)}` });
  const nonce = 0xffffffffffffffff0000000000000000n;
  assert.equal(await world.nonceOf(owner.address), nonce);
  await world.must({ to: world.station, data: await stationExecute(owner, add(1n), { nonce, deadline: LATER }) });
  const word = await world.node.getStorageAt({ address: owner.address, slot });
  assert.equal(word, `0x${upper}${'ff'.repeat(8)}${'00'.repeat(7)}01`);
});

test('the account signs for itself as before it had code (ERC-1271), and says what its domain is (ERC-5267)', async () => {
  const { abi } = delegateArtifact;
  const hash = hashTypedData({ domain: { name: 'Other' }, types, primaryType: 'BurnNonce', message: { nonce: 9n } });
  const valid = (signature: Hex) =>
    world.node.readContract({ abi, address: account.address, functionName: 'isValidSignature', args: [hash, signature] });
  const good = await account.sign({ hash });
  const { r, s, yParity } = parseSignature(good);
  const highS = toHex(ORDER - BigInt(s), { size: 32 });
  assert.equal(await valid(good), '0x1626ba7e');
  for (const bad of [
    await newAccount().sign({ hash }),
    concat([r, highS, numberToHex(28 - yParity!, { size: 1 })]),
    good.slice(0, -2) as Hex,
    concat([good, '0x00']),
    '0x' as Hex,
    `0x${'00'.repeat(65)}` as Hex,
  ]) {
    assert.equal(await valid(bad), '0xffffffff');
  }
  const { domain } = await world.node.getEip712Domain({ address: account.address });
  assert.deepEqual({ ...domain, salt: undefined }, { ...domainOf(account.address), salt: undefined });
});
