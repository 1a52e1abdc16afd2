import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NEVER } from '../../../../src/model/send.ts';
import { engineName } from '../../../support/database.ts';
import { NOW, type Opened, openMigrated } from '../../fixture.ts';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

const key = (account: string) => ({ caip2: 'eip155:1', account });
const LEASE = 10_000;
const write = <T>(work: Parameters<typeof opened.store.transaction<T>>[0]) => opened.store.transaction(work);
const row = async (account: string) => (await opened.store.read.sendAccounts.get(key(account)))!;
const dueAccounts = async (now: number) =>
  (await opened.store.read.sendAccounts.due(['eip155:1'], now, 10)).map((one) => one.account);

test(`an account has one owner until its lease is over, on ${engineName}`, async () => {
  await write((tx) => tx.sendAccounts.makeDue({ ...key('a'), kind: 'evm' }, NOW));
  assert.deepEqual(await dueAccounts(NOW), ['a']);
  assert.equal(await write((tx) => tx.sendAccounts.claim(key('a'), 'one', NOW, NOW + LEASE)), true);
  assert.deepEqual(await dueAccounts(NOW + LEASE - 1), []);
  assert.equal(await write((tx) => tx.sendAccounts.claim(key('a'), 'two', NOW, NOW + LEASE)), false);
  assert.equal(await write((tx) => tx.sendAccounts.hold(key('a'), 'two', NOW + LEASE)), false);
  assert.equal(await write((tx) => tx.sendAccounts.hold(key('a'), 'one', NOW + 2 * LEASE)), true);
  assert.deepEqual(await dueAccounts(NOW + LEASE), []);
  // Its process died: another process takes the account over, and the first may write nothing more.
  const late = NOW + 2 * LEASE;
  assert.deepEqual(await dueAccounts(late), ['a']);
  assert.equal(await write((tx) => tx.sendAccounts.claim(key('a'), 'two', late, late + LEASE)), true);
  assert.equal(await write((tx) => tx.sendAccounts.hold(key('a'), 'one', late + LEASE)), false);
  await write((tx) => tx.sendAccounts.release(key('a'), 'one', late));
  assert.equal((await row('a')).owner, 'two');
  await write((tx) => tx.sendAccounts.release(key('a'), 'two', NEVER));
  assert.deepEqual([(await row('a')).owner, (await row('a')).dueAt], ['', NEVER]);
});

test(`a send that is accepted while an account has an owner is not forgotten, on ${engineName}`, async () => {
  await write((tx) => tx.sendAccounts.makeDue({ ...key('b'), kind: 'evm' }, NOW));
  await write((tx) => tx.sendAccounts.claim(key('b'), 'one', NOW, NOW + LEASE));
  await write((tx) => tx.sendAccounts.makeDue({ ...key('b'), kind: 'evm' }, NOW + 5));
  assert.deepEqual(await dueAccounts(NOW + 5), [], 'it has an owner');
  assert.equal(await write((tx) => tx.sendAccounts.hold(key('b'), 'one', NOW + LEASE + 5)), true);
  await write((tx) => tx.sendAccounts.release(key('b'), 'one', NEVER));
  assert.deepEqual(await dueAccounts(NOW + 5), ['b']);
});

test(`what an earlier process held is free at once where there is one process, on ${engineName}`, async () => {
  await write((tx) => tx.sendAccounts.makeDue({ ...key('c'), kind: 'evm' }, NOW));
  await write((tx) => tx.sendAccounts.claim(key('c'), 'dead', NOW, NOW + LEASE));
  await write((tx) => tx.sendAccounts.releaseAll(NOW + 1));
  assert.ok((await dueAccounts(NOW + 1)).includes('c'));
});

test(`a transaction tells which accounts it made due, after its commit, on ${engineName}`, async () => {
  await write((tx) => tx.sendAccounts.lock({ ...key('d'), kind: 'evm' }));
  const made = await row('d');
  assert.deepEqual([made.dueAt, made.nextNonce, made.messages], [NEVER, null, 0]);
  await write((tx) => tx.sendAccounts.change(made, { nextNonce: 7, knownNonce: 5, knownBlock: 9 }));
  const changed = await row('d');
  assert.deepEqual([changed.nextNonce, changed.knownNonce, changed.knownBlock], [7, 5, 9]);
});

test('an account is taken from whoever holds it: they write nothing of it any more', async () => {
  await write((tx) => tx.sendAccounts.makeDue({ ...key('taken'), kind: 'evm' }, NOW));
  assert.equal(await write((tx) => tx.sendAccounts.claim(key('taken'), 'one', NOW, NOW + LEASE)), true);
  await write((tx) => tx.sendAccounts.take(key('taken'), 'two', NOW + LEASE));
  assert.equal(await write((tx) => tx.sendAccounts.hold(key('taken'), 'one', NOW + LEASE)), false);
  await write((tx) => tx.sendAccounts.release(key('taken'), 'one', NOW));
  assert.equal(await write((tx) => tx.sendAccounts.hold(key('taken'), 'two', NOW + LEASE)), true);
  assert.equal(await write((tx) => tx.sendAccounts.claim(key('taken'), 'three', NOW, NOW + LEASE)), false);
  await write((tx) => tx.sendAccounts.release(key('taken'), 'two', NOW));
  assert.equal((await dueAccounts(NOW)).includes('taken'), true);
});
