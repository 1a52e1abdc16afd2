import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Send } from '../../../../src/model/send.ts';
import { engineName } from '../../../support/database.ts';
import { startSends, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startSends();
});
after(() => world.stop());

test(`a send lands once, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const accepted = await world.accept(from);
  assert.equal(accepted.state, 'queued');
  const included = await world.untilState(accepted, 'included');
  assert.equal(included.nonce, 0);
  assert.equal(included.error, null);
  const receipt = await world.ask<{ blockHash: string; status: string; from: string }>(
    'eth_getTransactionReceipt',
    included.hash,
  );
  assert.deepEqual([receipt.blockHash, receipt.status, receipt.from], [included.blockHash, '0x1', from]);
  assert.equal(await world.nonceOf(from), 1);
});

const sum = (values: readonly number[]) => values.toSorted((a, b) => a - b);

test(`a burst of one account lands without a gap, each send once, in order, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const accepted = await Promise.all(Array.from({ length: 150 }, () => world.accept(from)));
  const landed = await Promise.all(accepted.map((send) => world.untilState(send, 'included', 'final')));
  assert.deepEqual(
    sum(landed.map(({ nonce }) => nonce!)),
    Array.from({ length: 150 }, (_, i) => i),
  );
  assert.equal(new Set(landed.map(({ hash }) => hash)).size, 150);
  assert.equal(await world.nonceOf(from), 150);
});

test(`accounts do not wait for each other, on ${engineName}`, async () => {
  const accounts = await Promise.all(Array.from({ length: 5 }, () => world.newAccount()));
  const accepted = await Promise.all(accounts.flatMap((from) => [world.accept(from), world.accept(from)]));
  for (const send of accepted) await world.untilState(send, 'included', 'final');
});

test(`a send that reverts is included with its error, on ${engineName}`, async () => {
  const from = await world.newAccount();
  // PUSH1 0 PUSH1 0 REVERT
  const contract = `0x${'c0'.repeat(20)}`;
  await world.ask('anvil_setCode', contract, '0x60006000fd');
  const send = await world.accept(from, { calls: [{ to: contract, value: '0', data: '0x' }], gas: '60000' });
  const { error, hash } = await world.untilState(send, 'included');
  assert.match(error!.message, /^execution reverted/);
  assert.equal((await world.ask<{ status: string }>('eth_getTransactionReceipt', hash)).status, '0x0');
});

test(`a send whose estimate was refused fails without being signed, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const refused = await world.accept(from, { gas: null, refused: { message: 'execution reverted' } });
  const next = await world.accept(from);
  assert.deepEqual([(await world.untilState(refused, 'failed')).hash, (await world.attemptsOf(refused)).length], ['', 0]);
  assert.equal((await world.untilState(next, 'included')).nonce, 0);
});

test(`an account that lacks what it is to send is named, whoever pays the gas, on ${engineName}`, async () => {
  const from = await world.newAccount(7n);
  const call = { to: `0x${'be'.repeat(20)}`, value: '4', data: '0x' };
  const refused = { gas: null, refused: { message: 'execution reverted' } };
  const failed = await world.untilState(await world.accept(from, { form: 'batch', calls: [call, call], ...refused }), 'failed');
  assert.equal(failed.error!.message, `execution reverted: ${from} has 7 wei, and is to send 8`);
});

test(`a send that no node takes fails, and its nonce is used by the next, on ${engineName}`, async () => {
  const from = await world.newAccount(10n ** 17n);
  const tooMuch = { calls: [{ to: `0x${'be'.repeat(20)}`, value: String(10n ** 18n), data: '0x' }] };
  const failed = await world.untilState(await world.accept(from, tooMuch), 'failed');
  assert.match(
    failed.error!.message,
    new RegExp(`^${from} has too few coins for the value and the gas: .*insufficient funds`, 'i'),
  );
  assert.equal((await world.untilState(await world.accept(from), 'included')).nonce, 0);
});

test(`many sends without funds fail, and leave no gap, on ${engineName}`, async () => {
  const from = await world.newAccount(0n);
  const accepted = await Promise.all(Array.from({ length: 20 }, () => world.accept(from)));
  for (const send of accepted) await world.untilState(send, 'failed');
  await world.ask('anvil_setBalance', from, '0xde0b6b3a7640000');
  assert.equal((await world.untilState(await world.accept(from), 'included')).nonce, 0);
});

test(`one that no node takes between others leaves its nonce to a transaction that does nothing, on ${engineName}`, async () => {
  const from = await world.newAccount(10n ** 18n);
  const tooMuch = { calls: [{ to: `0x${'be'.repeat(20)}`, value: String(10n ** 18n), data: '0x' }] };
  const accepted = await world.store
    .transaction(async () => undefined)
    .then(() => Promise.all([world.accept(from), world.accept(from, tooMuch), world.accept(from), world.accept(from)]));
  const [first, bad, third, fourth] = accepted as [never, never, never, never];
  for (const send of [first, third, fourth]) await world.untilState(send, 'included', 'final');
  await world.until(bad, ({ error }) => error !== null);
  // Blocks go by until the one that has its nonce is final.
  await world.ask('anvil_mine', '0x60');
  assert.equal((await world.untilState(bad, 'failed')).hash !== '', true);
});

test(`nonces that were given are used, in any order, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const third = await world.accept(from, { nonce: '2' });
  await world.untilState(third, 'sent');
  const [first, second] = [await world.accept(from), await world.accept(from)];
  const fourth = await world.accept(from);
  const landed = await Promise.all([first, second, third, fourth].map((send) => world.untilState(send, 'included')));
  assert.deepEqual(
    landed.map(({ nonce }) => nonce),
    [0, 1, 2, 3],
  );
  const used = await world.untilState(await world.accept(from, { nonce: '1' }), 'failed');
  assert.match(used.error!.message, /nonce too low: 1 was given, and the next one of 0x\w+ is 4/);
});

test(`a send whose key is gone fails, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const send = await world.accept(from, { signWith: `0x${'99'.repeat(20)}` });
  assert.match((await world.untilState(send, 'failed')).error!.message, /deleted or disabled/);
  assert.equal((await world.untilState(await world.accept(from), 'included')).nonce, 0);
});

test(`a send that is in blocks long enough is final, and costs no more work, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const send = await world.accept(from);
  await world.untilState(send, 'included');
  await world.ask('anvil_mine', '0x60');
  await world.untilState(send, 'final');
  await world.untilRested(from);
});

test(`two sends with one nonce happen once, and the second one says so, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const waiting = { nonce: '1' };
  // In one batch, as a worker finds pending sends; and later, while the first one is pending.
  const both = await Promise.all([world.accept(from, waiting), world.accept(from, waiting)]);
  const [first, failed] = (await Promise.all(both.map((one) => world.untilState(one, 'sent', 'failed')))).toSorted((a) =>
    a.state === 'sent' ? -1 : 1,
  ) as [Send, Send];
  assert.deepEqual([first.state, failed.state], ['sent', 'failed']);
  const later = await world.untilState(await world.accept(from, waiting), 'failed');
  const before = await world.accept(from);
  const landed = await world.untilState(first, 'included');
  assert.equal((await world.untilState(before, 'included')).nonce, 0);
  for (const twin of [failed, later]) {
    assert.equal(twin.error!.message, `this very transaction is sent already, as ${first.id}: give it another nonce, or none`);
    assert.deepEqual([twin.hash, await world.attemptsOf(twin)], ['', []]);
  }
  // A caller that gives the signed bytes asks for that one transaction.
  const { signed } = (await world.attemptsOf(landed))[0]!;
  const raw = { form: 'raw' as const, signWith: '', nonce: '1', signed: `0x${signed.toString('hex')}` as const };
  const again = await Promise.all([world.accept(from, raw), world.accept(from, raw)]);
  for (const one of again) assert.equal((await world.untilState(one, 'included')).hash, landed.hash);
  assert.equal(await world.nonceOf(from), 2);
});
