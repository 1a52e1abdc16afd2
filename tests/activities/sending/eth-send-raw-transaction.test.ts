import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Hex, keccak256, parseTransaction, serializeTransaction, type TransactionSerializable, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { type Client, resultOf } from '../../support/client.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { CHAIN, FRIEND, landed, newAccount, sendingWorld, userWith } from './eth-support.ts';

const TYPE = 'ETH_SEND_RAW_TRANSACTION';
const KEY = 'ethSendRawTransactionResult';
const world = await sendingWorld();
after(() => world.stop());
const { instance, pair } = await sharedPair(world.env);
const { root } = instance;

const stranger = privateKeyToAccount(generatePrivateKey());
const FEES = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
let nonce = 0;

const signed = (more: object = {}) =>
  stranger.signTransaction({
    type: 'eip1559',
    chainId: 31337,
    nonce: nonce++,
    gas: 21_000n,
    to: FRIEND,
    value: 1n,
    ...FEES,
    ...more,
  } as never);
const raw = (signedTransaction: string, caip2 = CHAIN) => ({ signedTransaction, caip2 });
const hashOf = async (client: Client, parameters: object): Promise<Hex> =>
  resultOf(await client.submit(TYPE, parameters), KEY).transactionHash;

async function stored(hash: Hex) {
  const rows = await instance.engine.store.read.sends.page(root.organizationId, {}, { limit: 100 });
  return rows.find(({ intent }) => typeof intent.signed === 'string' && keccak256(intent.signed as Hex) === hash);
}

test('a transaction of each type is taken as it is, with and without 0x, and answered with its hash', async () => {
  const list = [await stranger.signAuthorization({ chainId: 31337, address: FRIEND, nonce: 9 })];
  for (const more of [
    {},
    { type: 'legacy', gasPrice: 10n ** 10n, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined },
    {
      type: 'eip2930',
      gasPrice: 10n ** 10n,
      maxFeePerGas: undefined,
      maxPriorityFeePerGas: undefined,
      accessList: [{ address: FRIEND, storageKeys: [] }],
    },
    { type: 'eip7702', authorizationList: list, gas: 90_000n },
    { to: undefined, data: '0x00', gas: 90_000n },
  ]) {
    const bytes = await signed(more);
    assert.equal(await hashOf(root, raw(bytes.slice(2).toUpperCase())), keccak256(bytes));
    assert.equal((await stored(keccak256(bytes)))?.account, stranger.address.toLowerCase());
  }
});

test('it is broadcast, and is in a block', async () => {
  const rich = privateKeyToAccount(generatePrivateKey());
  await world.admin.setBalance({ address: rich.address, value: 10n ** 18n });
  const before = await world.node.getBalance({ address: FRIEND });
  const bytes = await rich.signTransaction({
    type: 'eip1559',
    chainId: 31337,
    nonce: 0,
    gas: 21_000n,
    to: FRIEND,
    value: 5n,
    ...FEES,
  });
  const { transactionHash } = resultOf(await root.submit(TYPE, raw(bytes)), KEY);
  const receipt = await world.node.waitForTransactionReceipt({ hash: transactionHash, timeout: 30_000 });
  assert.deepEqual([receipt.status, receipt.from], ['success', rich.address.toLowerCase()]);
  assert.equal((await world.node.getBalance({ address: FRIEND })) - before, 5n);
});

test('one that is in a block already is INCLUDED, and one whose nonce another used is FAILED', async () => {
  const rich = privateKeyToAccount(generatePrivateKey());
  await world.admin.setBalance({ address: rich.address, value: 10n ** 18n });
  const made = (value: bigint) =>
    rich.signTransaction({ type: 'eip1559', chainId: 31337, nonce: 0, gas: 21_000n, to: FRIEND, value, ...FEES });
  const [first, second] = [await made(7n), await made(8n)];
  await world.node.waitForTransactionReceipt({ hash: await world.node.sendRawTransaction({ serializedTransaction: first }) });
  for (const [bytes, status] of [
    [first, 'INCLUDED'],
    [second, 'FAILED'],
  ] as const) {
    const hash = await hashOf(root, raw(bytes));
    const { id } = (await stored(hash))!;
    assert.equal((await landed(root, id)).txStatus, status);
  }
});

test('policies see the parsed transaction, and the key if it is the organization’s', async () => {
  const client = await userWith(
    instance,
    `eth.tx.from == '${stranger.address}' && eth.tx.value == 1 && eth.tx.nonce < 100 && eth.tx.gas == 21000 && eth.tx.type == 'TYPE_2'`,
  );
  const bytes = await signed();
  assert.equal(await hashOf(client, raw(bytes)), keccak256(bytes));
  refused(await client.submit(TYPE, raw(await signed({ value: 2n }))), [403, 'REQUEST_NOT_AUTHORIZED', /not authorized/]);
  refused(await client.submit(TYPE, raw('0x02c0')), [403, 'REQUEST_NOT_AUTHORIZED', /not authorized/]);

  const from = await newAccount(world, root);
  const unsigned: TransactionSerializable = {
    type: 'eip1559',
    chainId: 31337,
    nonce: 0,
    gas: 21_000n,
    to: FRIEND,
    value: 1n,
    ...FEES,
  };
  const parameters = { signWith: from, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction: serializeTransaction(unsigned) };
  const own = resultOf(await root.submit('SIGN_TRANSACTION_V2', parameters), 'signTransactionResult').signedTransaction;
  const byAccount = await userWith(instance, `wallet_account.address == '${from}'`);
  assert.equal(await hashOf(byAccount, raw(own)), keccak256(`0x${own}`));
  refused(await byAccount.submit(TYPE, raw(await signed())), [403, 'REQUEST_NOT_AUTHORIZED', /not authorized/]);
  await refusedToNobody(instance, TYPE, raw(await signed()));
});

test('what the paymaster signed is nobody’s to send', async () => {
  const { paymaster } = instance.engine.vault;
  const unsigned = { type: 'eip1559', chainId: 31337, nonce: 0, gas: 21_000n, to: FRIEND, value: 0n, ...FEES } as const;
  const { r, s, v } = paymaster.signDigest(keccak256(serializeTransaction(unsigned), 'bytes'));
  const bytes = serializeTransaction(unsigned, { r: toHex(r), s: toHex(s), yParity: v });
  const answer = await root.submit(TYPE, raw(bytes));
  refused(answer, [400, 'REQUEST_INVALID', /is signed by the paymaster/], 'parameters.signedTransaction');
  assert.equal(await stored(keccak256(bytes)), undefined);
});

test('where several must agree, it waits', async () => {
  const bytes = await signed();
  assert.deepEqual(await waitsForBoth(pair, TYPE, raw(bytes), KEY), { transactionHash: keccak256(bytes) });
});

test('bytes that are none, of another chain or of nobody, are refused', async () => {
  const bytes = await signed();
  const field = 'parameters.signedTransaction';
  const unsigned = serializeTransaction({
    ...parseTransaction(bytes as `0x02${string}`),
    r: undefined,
    s: undefined,
    yParity: undefined,
    v: undefined,
  } as never);
  const other = await stranger.signTransaction({ type: 'eip1559', chainId: 1, nonce: 0, gas: 21_000n, to: FRIEND, ...FEES });
  const everywhere = await stranger.signTransaction({ type: 'legacy', nonce: 0, gas: 21_000n, to: FRIEND, gasPrice: 1n });
  const parsed = parseTransaction(bytes as `0x02${string}`) as { s: Hex };
  const high = toHex(0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n - BigInt(parsed.s));
  const turned = serializeTransaction({ ...parsed, s: undefined } as never, { ...(parsed as object), s: high } as never);
  await refusesEach(root, TYPE, [
    [raw('0x'), field, /it is empty/, 'INVALID_TRANSACTION'],
    [raw('0x0'), field, /two for each byte/],
    [raw('zz'), field, /hex digits/],
    [raw(`0x${'00'.repeat(131_073)}`), field, /262146/],
    [raw('0xdeadbeef'), field, /RLP/, 'INVALID_TRANSACTION'],
    [raw('0x05c0'), field, /its type 0x05/, 'INVALID_TRANSACTION'],
    [raw('0x7f'), field, /its type 0x7f/, 'INVALID_TRANSACTION'],
    [raw(`${bytes}00`), field, /bytes follow/, 'INVALID_TRANSACTION'],
    [raw(unsigned), field, /it is not signed/, 'INVALID_TRANSACTION'],
    [raw(turned), field, /it belongs to no address/, 'INVALID_TRANSACTION'],
    [raw(other), field, /is for chain 1, but caip2 is eip155:31337/],
    [raw(everywhere), field, /it names no chain/, 'INVALID_TRANSACTION'],
    [raw(bytes, 'eip155:77'), 'parameters.caip2', /RPC_URL_EIP155_77/],
    [raw(bytes, 'bitcoin'), 'parameters.caip2', /CAIP-2/],
    [raw(await signed({ nonce: 2n ** 53n })), field, /its nonce is too high/],
  ]);
  const blobs = await root.submit(TYPE, raw('0x03c0'));
  refused(blobs, [400, 'UNSUPPORTED_TRANSACTION_TYPE', /blobs are not sent/]);
});
