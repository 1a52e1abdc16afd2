import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PublicKey } from '@solana/web3.js';
import { CAIP2, SOL, scanningSolana, token } from '../../chain-io/scan/solana-support.ts';
import {
  FRIEND,
  idOf,
  newAccounts,
  sendOf,
  sendRow,
  TYPE,
  transaction,
  transfer,
  until,
} from '../../chain-io/sends/solana/support.ts';
import type { Client } from '../../support/client.ts';
import { type Instance, sharedInstance } from '../../support/instance.ts';
import { refused, refusesEachQuery } from '../../support/refusals.ts';
import { badPagination } from '../support.ts';

const QUERY = 'list_sol_transaction_history';
const world = await scanningSolana();
const { instance, node, giver, give, coins, tokens, newAccount, putTokens, scanned } = world;
/** It scans nothing. */
const plain = await sharedInstance({ RPC_URL_SOLANA_DEVNET: node.url });

const ask = (client: Client, address: string, more: object = {}) =>
  client.query(QUERY, { address, caip2: 'solana:devnet', ...more });

async function shown(client: Client, address: PublicKey, more: object = {}) {
  const { status, body, text } = await ask(client, address.toBase58(), more);
  assert.equal(status, 200, text);
  return body;
}

async function send(instance: Instance, address: PublicKey, lamports: number): Promise<string> {
  const sent = await instance.root.submit(TYPE, sendOf([address], transaction({ payer: address }, transfer(address, lamports))));
  const id = idOf(sent);
  await until(instance.root, id, 'INCLUDED');
  return (await sendRow(instance, id)).hash;
}

test('a scanned chain shows deposits and own sends, with signers and the fee payer', async () => {
  const address = await newAccount(1_000_000_000n);
  putTokens(address, 0n);
  const deposit = await give(tokens(address, 12n));
  const own = await send(instance, address, 5_000_000);
  await scanned();
  const [first, second] = (await shown(instance.root, address)).transactions;
  const { activityFingerprint, submittedAt, ...turnkey } = first.turnkey;
  assert.match(activityFingerprint, /^sha256:[0-9a-f]{64}$/);
  assert.ok(Date.parse(submittedAt) > 0);
  const payer = address.toBase58();
  const slot = first.block.number;
  assert.ok(first.block.hash.length >= 32);
  assert.deepEqual(
    { ...first, turnkey, block: slot },
    {
      signature: own,
      feePayer: payer,
      signers: [{ address: payer, writable: true }],
      block: slot,
      status: 'CONFIRMED',
      origin: 'TURNKEY',
      fee: { amount: first.fee.amount, caip19: SOL.caip19 },
      transfers: [{ direction: 'OUT', asset: SOL, amount: '5000000', counterparty: FRIEND.toBase58() }],
      turnkey: { sponsored: false },
    },
  );
  const counterparty = giver.publicKey.toBase58();
  assert.deepEqual(
    [second.signature, second.origin, second.feePayer, second.transfers],
    [deposit, 'EXTERNAL', counterparty, [{ direction: 'IN', asset: token, amount: '12', counterparty }]],
  );
  const page = await shown(instance.root, address, { paginationOptions: { limit: '1' } });
  assert.deepEqual([page.transactions.length, page.pageInfo.hasNextPage], [1, true]);
  const next = await shown(instance.root, address, { paginationOptions: { limit: '1', after: page.pageInfo.endCursor } });
  assert.equal(next.transactions[0].signature, deposit);
});

test('without SCAN a history has the own sends that blocks have', async () => {
  const [address] = await newAccounts({ ...world, instance: plain }, plain.root, 1);
  await give(coins(address!, 2_000_000n));
  const own = await send(plain, address!, 5_000_000);
  const { transactions } = await shown(plain.root, address!);
  assert.deepEqual(
    transactions.map((one: Record<string, unknown>) => [one.signature, one.origin, one.transfers]),
    [[own, 'TURNKEY', [{ direction: 'OUT', asset: SOL, amount: '5000000', counterparty: FRIEND.toBase58() }]]],
  );
});

test('an address that is no wallet account of the organization is not found', async () => {
  const { clients } = await instance.newSubOrganization('Other', 1, 1);
  const theirs = (await newAccount(0n, clients[0]!)).toBase58();
  for (const other of [theirs, giver.publicKey.toBase58(), 'nonsense'])
    refused(await ask(instance.root, other), [404, 'UNSPECIFIED', /wallet account not found/]);
  await refusesEachQuery(instance.root, QUERY, [
    ...badPagination.map(([more, ...rest]) => [{ address: theirs, caip2: CAIP2, ...more }, ...rest] as [object, string, RegExp]),
    [{ address: theirs, caip2: 'solana:mainnet' }, 'caip2', /RPC_URL_SOLANA_MAINNET/],
  ]);
});
