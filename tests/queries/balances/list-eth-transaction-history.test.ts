import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, getAddress } from 'viem';
import { CHAIN, dataOf, idOf, landed, SPONSORING, sponsoring } from '../../activities/sending/eth-support.ts';
import { COIN, FINALITY, scanned, scanningInstance } from '../../chain-io/scan/support.ts';
import type { Client } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEachQuery } from '../../support/refusals.ts';
import { waitFor } from '../../support/wait.ts';
import { badPagination, pages } from '../support.ts';

const QUERY = 'list_eth_transaction_history';
const { world, instance, newAccount } = await scanningInstance(SPONSORING);
/** It scans nothing. */
const plain = await sharedInstance({ ...world.env, ...SPONSORING });
const { token } = world;
const FRIEND = getAddress('0x00000000000000000000000000000000000000aa');

const ask = (client: Client, address: string, more: object = {}) => client.query(QUERY, { address, caip2: CHAIN, ...more });

async function shown(client: Client, address: string, more: object = {}) {
  const { status, body, text } = await ask(client, address, more);
  assert.equal(status, 200, text);
  return body;
}

/** Sends it, and mines until it has landed. */
async function send(client: Client, from: Address, call: object, more: object = {}) {
  const parameters = { from, caip2: CHAIN, calls: [call], ...more };
  const id = idOf(await client.submit('ETH_SEND_TRANSACTION_V2', parameters));
  await waitFor('a block with it', async () => {
    await world.mine();
    const { body } = await client.query('get_send_transaction_status', { sendTransactionStatusId: id });
    return body.txStatus === 'INCLUDED';
  });
  return landed(client, id);
}

const blockOf = async (number: bigint) => {
  const { hash, timestamp } = await world.node.getBlock({ blockNumber: number });
  return { number: String(number), hash, timestamp: new Date(Number(timestamp) * 1000).toISOString() };
};

test('a scanned chain shows all transactions, and what the service knows of its own sends', async () => {
  const { root } = instance;
  const address = await newAccount(10n ** 18n);
  const external = await world.give(undefined, address, { tokens: 12n });
  await world.mine();
  const sent = await send(root, address, { to: FRIEND, value: '7' });
  await scanned(world, instance);
  const { transactions, pageInfo } = await shown(root, address);
  const receipt = await world.node.getTransactionReceipt({ hash: sent.eth.txHash });
  const fee = String(receipt.gasUsed * receipt.effectiveGasPrice);
  const [own, deposit] = transactions;
  const { activityFingerprint, submittedAt, ...turnkey } = own.turnkey;
  assert.match(activityFingerprint, /^sha256:[0-9a-f]{64}$/);
  assert.ok(Date.parse(submittedAt) > 0);
  assert.deepEqual(
    { ...own, turnkey },
    {
      transactionHash: sent.eth.txHash,
      from: address,
      to: FRIEND,
      block: await blockOf(receipt.blockNumber),
      status: 'CONFIRMED',
      origin: 'TURNKEY',
      fee: { amount: fee, caip19: COIN.caip19 },
      transfers: [{ direction: 'OUT', asset: COIN, amount: '7', counterparty: FRIEND }],
      turnkey: { sponsored: false },
    },
  );
  assert.deepEqual(
    [deposit.transactionHash, deposit.origin, deposit.turnkey, deposit.from, deposit.transfers],
    [
      external,
      'EXTERNAL',
      undefined,
      world.paymaster.address,
      [{ direction: 'IN', asset: token, amount: '12', counterparty: world.paymaster.address }],
    ],
  );
  const [startCursor, endCursor] = [pageInfo.startCursor, pageInfo.endCursor];
  assert.deepEqual(pageInfo, { hasNextPage: false, hasPreviousPage: false, startCursor, endCursor });
  await world.mine(FINALITY);
  await scanned(world, instance);
  assert.deepEqual(
    (await shown(root, address)).transactions.map(({ status }: { status: string }) => status),
    ['FINALIZED', 'FINALIZED'],
  );
});

test('without SCAN a history has the own sends that blocks have, with the same contents', async () => {
  const address = await newAccount(10n ** 18n, plain.root);
  await world.give(undefined, address, { tokens: 12n });
  await world.mine();
  const coins = await send(plain.root, address, { to: FRIEND, value: '7' });
  const data = dataOf('HeldToken', 'transfer', [FRIEND, 5n]);
  const tokens = await send(plain.root, address, { to: world.tokenAddress, data });
  const tooMany = dataOf('HeldToken', 'transfer', [FRIEND, 500n]);
  const failed = await send(plain.root, address, { to: world.tokenAddress, data: tooMany }, { gasLimit: '100000' });
  const { transactions } = await shown(plain.root, address);
  assert.deepEqual(
    transactions.map((one: Record<string, unknown>) => [one.transactionHash, one.executionFailed, one.origin, one.transfers]),
    [
      [failed.eth.txHash, true, 'TURNKEY', []],
      [tokens.eth.txHash, undefined, 'TURNKEY', [{ direction: 'OUT', asset: token, amount: '5', counterparty: FRIEND }]],
      [coins.eth.txHash, undefined, 'TURNKEY', [{ direction: 'OUT', asset: COIN, amount: '7', counterparty: FRIEND }]],
    ],
  );
  const receipt = await world.node.getTransactionReceipt({ hash: coins.eth.txHash });
  const { block, fee, from, to } = transactions[2];
  assert.deepEqual(
    { block, fee, from, to },
    {
      block: await blockOf(receipt.blockNumber),
      fee: { amount: String(receipt.gasUsed * receipt.effectiveGasPrice), caip19: COIN.caip19 },
      from: address,
      to: FRIEND,
    },
  );
});

test('a sponsored send is in the history of its user, also where the chain is scanned', async () => {
  for (const { root, engine } of [instance, plain]) {
    const address = await newAccount(10n ** 18n, root);
    const paymaster = await sponsoring(world, { root, engine } as typeof instance);
    const { eth } = await send(root, address, { to: FRIEND, value: '3' }, { sponsor: true });
    if (root === instance.root) await scanned(world, instance);
    const [item, ...others] = (await shown(root, address)).transactions;
    assert.deepEqual(others, []);
    assert.deepEqual([item.transactionHash, item.from.toLowerCase()], [eth.txHash, paymaster.toLowerCase()]);
    assert.equal(item.turnkey.sponsored, true);
    assert.deepEqual(item.transfers, [{ direction: 'OUT', asset: COIN, amount: '3', counterparty: FRIEND }]);
  }
});

test('pages go in both directions through scanned transactions and own sends', async () => {
  const { root } = instance;
  const address = await newAccount(10n ** 18n);
  const hashes: string[] = [];
  for (let i = 1; i <= 4; i++) {
    hashes.unshift(await world.give(undefined, address, { value: BigInt(i) }));
    await world.mine();
    hashes.unshift((await send(root, address, { to: FRIEND, value: '1' })).eth.txHash);
  }
  await scanned(world, instance);
  // Some are not scanned, as before SCAN was set.
  await instance.raw("DELETE FROM scanned_transactions WHERE address = $1 AND transfers LIKE '%OUT%'", address);
  assert.deepEqual(
    (await shown(root, address)).transactions.map(({ transactionHash }: { transactionHash: string }) => transactionHash),
    hashes,
  );
  const cursorOf = new Map<string, string>();
  for (let after: string | undefined; cursorOf.size < hashes.length; ) {
    const { transactions, pageInfo } = await shown(root, address, { paginationOptions: { limit: '1', ...(after && { after }) } });
    cursorOf.set(transactions[0].transactionHash, pageInfo.endCursor);
    assert.equal(pageInfo.hasNextPage, cursorOf.size < hashes.length);
    after = pageInfo.endCursor;
  }
  await pages(
    hashes.map((hash) => cursorOf.get(hash)!),
    async (paginationOptions) => {
      const { transactions } = await shown(root, address, { paginationOptions });
      return transactions.map(({ transactionHash }: { transactionHash: string }) => cursorOf.get(transactionHash)!);
    },
  );
});

test('nodes that do not answer make a 503 only if an own send was not scanned', async () => {
  const address = await newAccount(10n ** 18n, plain.root);
  await send(plain.root, address, { to: FRIEND, value: '7' });
  const scannedAddress = await newAccount();
  await world.give(undefined, scannedAddress, { value: 1n });
  await world.mine();
  await scanned(world, instance);
  world.liar.lie({ kind: 'error', code: -32000, message: 'no' });
  refused(await ask(plain.root, address), [503, 'UNAVAILABLE', /shows all transactions of the page/]);
  assert.equal((await shown(instance.root, scannedAddress)).transactions.length, 1);
  world.liar.truth();
});

test('an address that is no wallet account of the organization is not found', async () => {
  const { root } = instance;
  const { clients } = await instance.newSubOrganization('Other', 1, 1);
  const theirs = await newAccount(0n, clients[0]!);
  for (const other of [theirs, world.paymaster.address, 'nonsense'])
    refused(await ask(root, other), [404, 'UNSPECIFIED', /wallet account not found/]);
  await refusesEachQuery(root, QUERY, [
    ...badPagination.map(([more, ...rest]) => [{ address: theirs, caip2: CHAIN, ...more }, ...rest] as [object, string, RegExp]),
    [{ address: theirs, caip2: 'eip155:77' }, 'caip2', /RPC_URL_EIP155_77/],
  ]);
});
