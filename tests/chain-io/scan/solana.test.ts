import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PublicKey } from '@solana/web3.js';
import { rounds } from '../../support/full.ts';
import { seeded } from '../../support/seeded.ts';
import { waitFor } from '../../support/wait.ts';
import { idOf, sendOf, TYPE, transaction, transfer, until } from '../sends/solana/support.ts';
import { CAIP2, SOL, scanningSolana, token } from './solana-support.ts';

const world = await scanningSolana();
const { instance, node, liar, giver, give, coins, tokens, newAccount, unwatchedAccount, putTokens, delivered, told } = world;
const { root, engine } = instance;
await world.listen(root, '/root');

const of = (address: PublicKey) => told('/root').filter(({ msg }) => msg.address === address.toBase58());
const brief = (address: PublicKey) =>
  of(address).map(({ type, msg }) => `${type} ${msg.operation} ${msg.asset.amount} ${msg.asset.symbol}`);
const rowsOf = async (address: PublicKey, organizationId = root.organizationId) =>
  engine.store.read.scannedTransactions.page({ organizationId, caip2: CAIP2, address: address.toBase58() }, { limit: 1000 });
const lamportsOf = (address: PublicKey) => node.svm.getBalance(address.toBase58() as never) ?? 0n;
const FINAL = 40;

test('deposits are told when they are confirmed, and again when they are final', async () => {
  const address = await newAccount();
  putTokens(address, 0n);
  const txHash = await give(coins(address, 2_000_000n));
  await give(tokens(address, 12n));
  await delivered();
  assert.deepEqual(brief(address).sort(), ['balances:confirmed deposit 12 HELD', 'balances:confirmed deposit 2000000 SOL']);
  const { idempotencyKey, block, ...msg } = of(address).find(({ msg: one }) => one.asset.symbol === 'SOL').msg;
  assert.deepEqual(msg, {
    operation: 'deposit',
    caip2: CAIP2,
    txHash,
    address: address.toBase58(),
    asset: { ...SOL, amount: '2000000' },
  });
  assert.match(idempotencyKey, /^[0-9a-f]{64}:balances:confirmed$/);
  const [row] = (await rowsOf(address)).filter((one) => one.transactionHash === txHash);
  assert.deepEqual([row!.sender, row!.transfers[0]!.counterparty], [giver.publicKey.toBase58(), giver.publicKey.toBase58()]);
  assert.deepEqual([block.number, block.hash], [row!.blockNumber, row!.blockHash]);

  node.advance(FINAL);
  await waitFor('two more events', () => of(address).length === 4);
  assert.deepEqual(brief(address).slice(2).sort(), [
    'balances:finalized deposit 12 HELD',
    'balances:finalized deposit 2000000 SOL',
  ]);
});

test('the fee of a send is in the history, and not in the event; a failed one moves nothing', async () => {
  const address = await newAccount(1_000_000_000n);
  const before = lamportsOf(address);
  const sent = await root.submit(TYPE, sendOf([address], transaction({ payer: address }, transfer(address, 5_000_000))));
  await until(root, idOf(sent), 'INCLUDED');
  await delivered();
  assert.deepEqual(brief(address), ['balances:confirmed withdraw 5000000 SOL']);
  const [row] = await rowsOf(address);
  assert.equal(BigInt(row!.fee), before - lamportsOf(address) - 5_000_000n);
  // More tokens than there are.
  const failing = await newAccount();
  putTokens(failing, 0n);
  await give(coins(failing, 3_000_000n), tokens(failing, 10n ** 18n));
  await delivered();
  assert.deepEqual([await rowsOf(failing), of(failing)], [[], []]);
});

test('one transaction is read once for all of its addresses, and each organization has rows of its own', async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Scanned', 1, 1);
  const first = await newAccount();
  const second = await newAccount(0n, clients[0]!);
  await delivered();
  const asked = node.asked.filter((method) => method === 'getTransaction').length;
  await give(coins(first, 2_000_000n), coins(second, 3_000_000n));
  await delivered();
  assert.equal(node.asked.filter((method) => method === 'getTransaction').length, asked + 1);
  const [event] = of(second);
  assert.deepEqual([event.organizationId, event.parentOrganizationId], [organizationId, root.organizationId]);
  assert.deepEqual([(await rowsOf(first)).length, (await rowsOf(second, organizationId)).length], [1, 1]);
  assert.equal((await rowsOf(second)).length, 0);
});

test('a transaction that fell out with a fork leaves the history without an event, and another block has it anew', async () => {
  const address = await newAccount();
  await delivered();
  // The next blockhash is a new one.
  node.advance(151);
  node.mark();
  const lost = await give(coins(address, 2_000_000n));
  await delivered();
  assert.equal((await rowsOf(address)).length, 1);
  const [{ msg: told }] = of(address);
  node.rollBack();
  node.advance(70);
  await waitFor('the row is dropped', async () => (await rowsOf(address)).length === 0);
  await delivered();
  assert.equal(of(address).length, 1);
  assert.equal(await give(coins(address, 2_000_000n)), lost, 'the same transaction');
  node.advance(FINAL);
  await delivered();
  await waitFor('three events', () => of(address).length === 3);
  assert.deepEqual(brief(address).slice(1), ['balances:confirmed deposit 2000000 SOL', 'balances:finalized deposit 2000000 SOL']);
  assert.notEqual(of(address)[1].msg.idempotencyKey, told.idempotencyKey);
});

test('a node that knows fewer signatures, or no transaction yet, makes nothing lost and nothing twice', async () => {
  const address = await newAccount();
  await give(coins(address, 2_000_000n));
  await delivered();
  const cursor = async () => (await engine.store.read.scan.address(CAIP2, address.toBase58()))!.lastSignature;
  const known = await cursor();
  liar.lie({ kind: 'result', result: [] }, { methods: ['getSignaturesForAddress'] });
  await give(coins(address, 3_000_000n));
  await delivered();
  assert.equal(await cursor(), known);
  assert.equal((await rowsOf(address)).length, 1);
  liar.truth();
  liar.lie({ kind: 'result', result: null }, { methods: ['getTransaction'] });
  await delivered();
  assert.equal(await cursor(), known);
  liar.truth();
  await waitFor('the second row', async () => (await rowsOf(address)).length === 2);
  await delivered();
  assert.deepEqual(brief(address), ['balances:confirmed deposit 2000000 SOL', 'balances:confirmed deposit 3000000 SOL']);
});

test('an address that nodes refuse to list holds up no other one, and is listed later', async () => {
  const refused = await newAccount();
  const other = await newAccount();
  liar.lie(
    { kind: 'error', code: -32010, message: 'excluded from account secondary indexes' },
    {
      methods: ['getSignaturesForAddress'],
      first: refused.toBase58(),
    },
  );
  await give(coins(refused, 2_000_000n), coins(other, 2_000_000n));
  await give(coins(other, 2_000_000n));
  await world.scanned();
  await waitFor('the rows of the other one', async () => (await rowsOf(other)).length === 2);
  liar.truth();
  await waitFor('its own row', async () => (await rowsOf(refused)).length === 1);
});

test('an address that nodes refuse to list from the beginning holds up no other newcomer, and is watched later', async () => {
  const refusal = { kind: 'error', code: -32010, message: 'excluded from account secondary indexes' } as const;
  liar.lie(refusal, { methods: ['getSignaturesForAddress'] });
  const refused = await unwatchedAccount();
  const other = await unwatchedAccount();
  const begun = async (account: PublicKey) => (await engine.store.read.scan.address(CAIP2, account.toBase58())) !== undefined;
  liar.truth();
  liar.lie(refusal, { methods: ['getSignaturesForAddress'], first: refused.toBase58() });
  await waitFor('the other one', () => begun(other));
  assert.equal(await begun(refused), false);
  liar.truth();
  await waitFor('the refused one', () => begun(refused));
});

test('an address with many new transactions holds up no other one, and all of them are read', async () => {
  const busy = await newAccount();
  const other = await newAccount();
  await world.scanned();
  liar.lie({ kind: 'result', result: [] }, { methods: ['getSignaturesForAddress'] });
  const count = 230;
  for (let i = 0; i < count; i++) await give(coins(busy, BigInt(2_000_000 + i)));
  await give(coins(other, 2_000_000n));
  liar.truth();
  await waitFor('the row of the other one', async () => (await rowsOf(other)).length === 1);
  assert.ok((await rowsOf(busy)).length < count);
  await waitFor('all rows', async () => (await rowsOf(busy)).length === count);
});

test('of random transfers, the sums of events equal the changes of balances', async () => {
  const random = seeded(2026);
  const accounts = await Promise.all([newAccount(), newAccount(), newAccount()]);
  for (const account of accounts) putTokens(account, 0n);
  for (let i = 0; i < rounds(30); i++) {
    const some = Array.from({ length: 1 + random(3) }, () => {
      const to = accounts[random(3)]!;
      return random(2) === 0 ? coins(to, BigInt(1_000_000 + random(1000))) : tokens(to, BigInt(1 + random(9)));
    });
    await give(...some);
  }
  await delivered();
  for (const account of accounts) {
    const sum = (symbol: string) =>
      of(account)
        .filter(({ msg }) => msg.asset.symbol === symbol)
        .reduce((all, { msg }) => all + BigInt(msg.asset.amount), 0n);
    assert.equal(sum('SOL'), lamportsOf(account));
    assert.equal(sum(token.symbol), world.tokensOf(account));
  }
});

test('slots that nodes removed unread stop the scan, and it skips nothing until the operator begins anew', async () => {
  const address = await newAccount();
  await give(coins(address, 2_000_000n));
  await delivered();
  const place = async () => (await engine.store.read.scan.place(CAIP2))!.number;
  const before = await place();
  await liar.listen(false);
  await give(coins(address, 3_000_000n));
  node.advance(2_000);
  node.prune(500);
  instance.clock.advance(60_000);
  await liar.listen(true);
  const stopped = async () => {
    const page = await (await fetch(`${instance.url}/metrics`)).text();
    return new RegExp(`countersign_scan_stopped\\{network="${CAIP2}"\\} (\\d)`).exec(page)?.[1];
  };
  await waitFor('it stops, or goes on', async () => (await stopped()) === '1' || (await place()) !== before);
  assert.deepEqual([await stopped(), await place()], ['1', before]);
  assert.deepEqual(
    (await rowsOf(address)).map(({ finalized }) => finalized),
    [false],
    'no node knows it any more, which does not mean that it fell out',
  );

  await instance.raw('DELETE FROM scan_places WHERE caip2 = $1', CAIP2);
  await waitFor('it goes on', async () => (await stopped()) === '0');
  await give(coins(address, 4_000_000n));
  await delivered();
  node.advance(FINAL);
  await waitFor('three events', () => of(address).length === 3);
  assert.deepEqual(brief(address), [
    'balances:confirmed deposit 2000000 SOL',
    'balances:confirmed deposit 4000000 SOL',
    'balances:finalized deposit 4000000 SOL',
  ]);
  assert.equal((await rowsOf(address)).length, 2);
});
