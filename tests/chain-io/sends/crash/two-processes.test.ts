import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { LEASE_MS } from '../../../../src/chain-io/worker/hold.ts';
import { engineName, freshDatabase, rawSql } from '../../../support/database.ts';
import { startWorld, trySchedule, type World } from './matrix.ts';
import type { Order } from './model.ts';
import { LONGEST_MS } from './run.ts';
import { scheduleOf } from './schedule.ts';

const skip = engineName === 'sqlite' && 'two processes share a database on PostgreSQL alone';

const ORDER: Order = { number: 0, wave: 0, kind: 'call', account: 0, lost: false };

describe('sends of two processes of one database', { skip }, () => {
  let world: World;
  let tags = 0;
  before(async () => {
    world = await startWorld(await freshDatabase(), true);
  });
  after(() => world?.stop());

  const at = () => ({ folder: world.subject.folder, url: world.subject.databaseUrl });
  const rowOf = async (account: Hex) =>
    (await rawSql(at(), 'SELECT owner, lease_until, due_at FROM send_accounts WHERE account = $1', [account]))[0]!;
  /** As if its lease had passed. */
  const expire = (account: Hex) =>
    rawSql(at(), 'UPDATE send_accounts SET lease_until = 0, due_at = 0 WHERE account = $1', [account]);

  /** A new account, with a function that sends from it and one that looks at the outcome. */
  async function sender() {
    const { subject, chain } = world;
    tags += 1;
    const tag = `0x${tags.toString(16).padStart(32, '0')}` as Hex;
    const [account] = (await subject.accounts(2, 'evm')) as [Hex];
    await chain.fund(account);
    const from = await chain.height();
    const orders: Order[] = [];
    return {
      account,
      async send() {
        const order = { ...ORDER, number: orders.length };
        orders.push(order);
        const answer = await subject.send(await subject.requestOf(order, account, chain.marksOf(tag, order)));
        assert.ok(answer === 'cut off' || 'ack' in answer, JSON.stringify(answer));
      },
      /** Waits until each is in a block. */
      async landed() {
        const rows = await rawSql(at(), 'SELECT id FROM sends WHERE from_address = $1', [account]);
        assert.equal(rows.length, orders.length);
        const until = performance.now() + LONGEST_MS;
        for (const { id } of rows)
          for (;;) {
            const look = await subject.look(String(id));
            if (typeof look === 'object' && look.status === 'INCLUDED') break;
            if (typeof look === 'object') assert.notEqual(look.status, 'FAILED', look.error);
            if (performance.now() > until) assert.fail(`it does not land: ${await subject.rowsOf([String(id)])}`);
            await sleep(20);
          }
        const { effects, transactions } = await chain.seen(tag, orders, from, [account]);
        assert.deepEqual(
          [...effects.values()].flat(),
          orders.map(() => 1),
        );
        assert.deepEqual(
          transactions.map(({ nonce }) => nonce),
          orders.map(({ number }) => number),
        );
      },
    };
  }

  test('sends that both accept for one account have one nonce each, and are mined once', async () => {
    const { send, landed } = await sender();
    await Promise.all(Array.from({ length: 30 }, send));
    await landed();
  });

  test('an account of a process that died is taken over when its lease expires, and not before', async () => {
    const { subject } = world;
    for (const point of ['before sign', 'after store-signature', 'after note-sent', 'after broadcast']) {
      const { account, send, landed } = await sender();
      subject.arm({ point, nth: 1 });
      const dead = subject.dead();
      await send();
      await dead;
      subject.arm(undefined);
      const { owner, lease_until: lease, due_at: due } = await rowOf(account);
      assert.notEqual(owner, '', 'the dead one still owns it');
      assert.ok(Number(lease) <= Date.now() + LEASE_MS, 'for no longer than a lease');
      assert.equal(due, lease, 'it is due when the lease ends, for whoever lives');
      await expire(account);
      await landed();
      await subject.start();
      if (subject.processes().length < 2) await subject.start();
    }
  });

  test('a process that stood still while another took its account over sends nothing twice', async () => {
    const { subject } = world;
    for (const point of ['before note-sent', 'before broadcast', 'after broadcast', 'before receipt']) {
      const { account, send, landed } = await sender();
      const stopped = subject.standStill(point);
      const sent = send();
      const still = await stopped;
      await expire(account);
      await landed();
      subject.goOn(still);
      await sent;
      // Its earlier work happens before this request.
      for (let i = 0; i < 4; i++) await send();
      await landed();
    }
  });

  for (const seed of [2001, 2004, 2007])
    test(`seed ${seed}: one of them dies at a time`, async () => {
      const { found } = await trySchedule(world, scheduleOf(seed));
      assert.deepEqual(found, []);
    });
});
