import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pg from 'pg';
import { openStore } from '../../src/store/store.ts';
import { engineName } from '../support/database.ts';
import { NOW, openEmpty, openMigrated } from './fixture.ts';

describe(`migrations on ${engineName}`, () => {
  test('may run again and again, and by several at once', async () => {
    const opened = await openEmpty();
    const others =
      engineName === 'sqlite' ? [] : [1, 2, 3, 4].map(() => openStore({ folder: opened.folder, url: opened.url, poolSize: 2 }));
    try {
      await assert.rejects(opened.store.check(NOW), 'not ready before');
      await Promise.all([opened.store, ...others].map((store) => store.migrate(NOW)));
      await opened.store.migrate(NOW + 1);
      await Promise.all([opened.store.migrate(NOW + 2), opened.store.migrate(NOW + 3)]);
      await opened.store.check(NOW);
      const rows = await opened.raw('SELECT version, applied_at FROM migrations ORDER BY version');
      assert.deepEqual([Number(rows[0]!.version), Number(rows[0]!.applied_at)], [38, NOW]);
      assert.equal(new Set(rows.map((row) => row.version)).size, rows.length);
    } finally {
      for (const store of others) await store.close();
      await opened.close();
    }
  });

  test('say that they go on while they take long, and end if a statement takes too long', {
    skip: engineName === 'sqlite' && 'needs PostgreSQL',
  }, async () => {
    const opened = await openMigrated();
    const statementLimits = { statementMs: 60_000, longStatementMs: 1_000 };
    const store = openStore({ folder: opened.folder, url: opened.url, poolSize: 2, statementLimits });
    const holder = new pg.Client({ connectionString: opened.url });
    const said: string[] = [];
    try {
      await holder.connect();
      await holder.query('BEGIN; LOCK TABLE migrations IN ACCESS EXCLUSIVE MODE');
      const migrating = store.migrate(NOW, { say: (text) => void said.push(text), everyMs: 200 });
      await assert.rejects(migrating, /a statement took too long/);
      assert.match(said.join(), /a migration of the database continues/);
      await holder.query('ROLLBACK');
      await store.migrate(NOW);
    } finally {
      await holder.end();
      await store.close();
      await opened.close();
    }
  });

  test('run in one transaction: one that fails leaves nothing', async () => {
    const opened = await openEmpty();
    const names = async () =>
      engineName === 'sqlite'
        ? opened.raw("SELECT name FROM sqlite_master WHERE type = 'table'")
        : opened.raw("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
    try {
      await opened.raw('CREATE TABLE gas_usage (another bigint)');
      await assert.rejects(opened.store.migrate(NOW), /gas_usage.* already exists/);
      assert.deepEqual(await names(), [{ name: 'gas_usage' }]);
      await opened.raw('DROP TABLE gas_usage');
      await opened.store.migrate(NOW);
      await opened.store.check(NOW);
    } finally {
      await opened.close();
    }
  });

  test('refuse a database that a newer program wrote, and say so', async () => {
    const opened = await openMigrated();
    try {
      await opened.raw("INSERT INTO migrations (version, name, applied_at) VALUES (999, 'later', 1)");
      await assert.rejects(opened.store.migrate(NOW), /schema version 999.*start the newer program/);
      await assert.rejects(opened.store.check(NOW), /schema version 999.*stop this process/);
    } finally {
      await opened.close();
    }
  });

  test('a process that a newer program overtook takes no account, and loses those that it holds', {
    skip: engineName === 'sqlite' && 'SQLite serves one process',
  }, async () => {
    const opened = await openMigrated();
    const account = (name: string) => ({ caip2: 'eip155:1', account: name, kind: 'evm' as const });
    const [held, free] = [account('0xheld'), account('0xfree')];
    try {
      const { transaction } = opened.store;
      await transaction(async (tx) => {
        for (const one of [held, free]) await tx.sendAccounts.makeDue(one, NOW);
        assert.ok(await tx.sendAccounts.claim(held, 'this process', NOW, NOW + 10));
        assert.ok(await tx.sendAccounts.hold(held, 'this process', NOW + 20));
      });
      await opened.raw("INSERT INTO migrations (version, name, applied_at) VALUES (999, 'later', 1)");
      assert.equal(await transaction((tx) => tx.sendAccounts.hold(held, 'this process', NOW + 30)), false);
      assert.equal(await transaction((tx) => tx.sendAccounts.claim(free, 'this process', NOW, NOW + 10)), false);
      assert.equal((await opened.store.read.sendAccounts.get(held))!.leaseUntil, NOW + 20);
    } finally {
      await opened.close();
    }
  });
});
