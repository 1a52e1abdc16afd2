import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import pg from 'pg';
import { BY_INDEX } from '../../src/store/engines/postgres.ts';
import { recordOnPostgres, recordOnSqlite } from '../../src/store/record.ts';
import { activityReads, activityWrites } from '../../src/store/repositories/activities.ts';
import { arrivalReads } from '../../src/store/repositories/arrivals.ts';
import { contractInterfaceReads, contractInterfaceWrites } from '../../src/store/repositories/contract-interfaces.ts';
import { credentialReads, credentialWrites } from '../../src/store/repositories/credentials.ts';
import { evaluationReads } from '../../src/store/repositories/evaluations.ts';
import { importTargetReads, importTargetWrites } from '../../src/store/repositories/import-targets.ts';
import { instanceReads } from '../../src/store/repositories/instance.ts';
import { organizationReads, organizationWrites } from '../../src/store/repositories/organizations.ts';
import { outboxWrites } from '../../src/store/repositories/outbox.ts';
import { policyReads, policyWrites } from '../../src/store/repositories/policies.ts';
import { privateKeyReads, privateKeyWrites } from '../../src/store/repositories/private-keys.ts';
import { signerReads, signerWrites } from '../../src/store/repositories/signers.ts';
import { tagReads, tagWrites } from '../../src/store/repositories/tags.ts';
import { userWrites } from '../../src/store/repositories/user-writes.ts';
import { userReads } from '../../src/store/repositories/users.ts';
import { walletReads, walletWrites } from '../../src/store/repositories/wallets.ts';
import type { Conn } from '../../src/store/statement.ts';
import type { Reader } from '../../src/store/types.ts';
import { engineName } from '../support/database.ts';
import { activityOf, fill, finished, NOW, type Opened, openMigrated, reads } from './fixture.ts';

type Asked = { name: string; sql: string; parameters: readonly unknown[] };

/** Statements that may read a whole table, and why. */
const WHOLE_TABLE: Record<string, string> = {
  'instance.masterKeys': 'a handful of rows, read once at start',
  'instance.serviceKeys': 'a handful of rows, read once at start',
};

/** Statements whose rows are sorted after they were found: each finds few. */
const SORTED: Record<string, string> = {
  'outbox.claim': 'what is due and not yet claimed',
  'signers.find': 'keys that share one address: nearly always one',
};

function readerOn(conn: Conn): Reader {
  return {
    instance: instanceReads(conn),
    arrivals: arrivalReads(conn),
    organizations: organizationReads(conn),
    users: userReads(conn),
    credentials: credentialReads(conn),
    tags: tagReads(conn),
    policies: policyReads(conn),
    evaluations: evaluationReads(conn),
    contractInterfaces: contractInterfaceReads(conn),
    importTargets: importTargetReads(conn),
    wallets: walletReads(conn),
    privateKeys: privateKeyReads(conn),
    signers: signerReads(conn),
    activities: activityReads(conn),
  };
}

/** Calls every read method, and every write that finds its rows, on a connection that notes what it is asked. */
async function statements(real: Conn): Promise<Asked[]> {
  const asked = new Map<string, Asked>();
  let name = '';
  const note = (sql: string, parameters: readonly unknown[]) => asked.set(`${name} ${sql}`, { name, sql, parameters });
  const conn: Conn = {
    engine: real.engine,
    all(sql, parameters) {
      note(sql, parameters);
      return real.all(sql, parameters);
    },
    run(sql, parameters) {
      note(sql, parameters);
      return real.run(sql, parameters);
    },
  };
  const reader = readerOn(conn);
  for (const holder of ['sub', 'parent']) {
    const calls = reads(holder);
    for (const [repository, methods] of Object.entries(calls))
      for (const [method, lists] of Object.entries(methods)) {
        name = `${repository}.${method}`;
        for (const args of lists as unknown[][]) {
          // biome-ignore lint/suspicious/noExplicitAny: any method of any repository
          await (reader as any)[repository][method](...args);
        }
      }
  }
  name = 'outbox.claim';
  const outbox = outboxWrites(conn);
  await outbox.insert({ id: 'm', organizationId: 'sub', activityId: 'activity', topic: 't', payload: '{}', createdAt: NOW });
  await outbox.claim(NOW, 1, 10);
  name = 'outbox.done';
  await outbox.done('m');
  name = 'activities.finish';
  const outcome = { status: 'ACTIVITY_STATUS_COMPLETED', result: '{}', failure: null } as const;
  await activityWrites(conn).finish(activityOf('sub', 'activity'), outcome, NOW);
  name = 'organizations.hold';
  await organizationWrites(conn).hold('sub');
  name = 'organizations.bump';
  await organizationWrites(conn).bump('sub', 9, NOW);
  name = 'users.change';
  await userWrites(conn).change('sub', 'user', NOW);
  name = 'credentials.remove';
  await credentialWrites(conn).remove('sub', 'nothing');
  name = 'policies.remove';
  await policyWrites(conn).remove('sub', 'nothing');
  name = 'contractInterfaces.remove';
  await contractInterfaceWrites(conn).remove('sub', 'nothing');
  name = 'organizations.change';
  await organizationWrites(conn).change('sub', { name: 'name' }, NOW);
  name = 'tags.write';
  const tags = tagWrites(conn);
  const tag = { organizationId: 'sub', id: 'tag', kind: 'user', name: 'name', createdAt: NOW, updatedAt: NOW } as const;
  await tags.rename(tag, 'name', NOW);
  await tags.drop('sub', 'tag', 'nobody');
  await tags.dropMember('sub', 'nobody');
  await tags.remove('sub', 'user', 'tag');
  name = 'keys.write';
  const wallets = walletWrites(conn);
  await wallets.rename('sub', 'wallet', 'name', NOW);
  await wallets.renameAccount('sub', 'account', 'name', NOW);
  await wallets.setExported('sub', 'wallet', NOW);
  await wallets.setAccountExported('sub', 'account', NOW);
  await wallets.countMore('sub', 'wallet', 0);
  await wallets.removeAccount('sub', 'wallet', 'nothing');
  await wallets.removeAccountsOf('sub', 'nothing');
  await wallets.remove('sub', 'nothing');
  const keys = privateKeyWrites(conn);
  await keys.setExported('sub', 'private', NOW);
  await keys.remove('sub', 'nothing');
  const signers = signerWrites(conn);
  await signers.disable('sub', 'private');
  await signers.destroy('sub', 'nothing');
  const target = { organizationId: 'sub', userId: 'user', kind: 'wallet', id: 'other', publicKey: '', sealed: Buffer.alloc(1) };
  await importTargetWrites(conn).use({ ...target, kind: 'wallet', createdAt: NOW });
  await importTargetWrites(conn).removeOfUser('sub', 'nobody');
  name = 'users.remove';
  await userWrites(conn).remove('sub', 'nobody');
  await credentialWrites(conn).removeOfUser('sub', 'nobody');
  name = 'record';
  const record = finished('sub', 'recorded', 1);
  await (real.engine === 'sqlite' ? recordOnSqlite(conn, record) : recordOnPostgres(conn, [record]));
  return [...asked.values()];
}

async function filled(): Promise<Opened> {
  const opened = await openMigrated();
  await opened.store.transaction(async (tx) => {
    await fill(tx, 'parent', null);
    await fill(tx, 'sub', 'parent');
  });
  return opened;
}

test('no statement of any repository reads a whole table on SQLite', {
  skip: engineName !== 'sqlite' && 'about SQLite',
}, async () => {
  const opened = await filled();
  const db = new Database(join(opened.folder, 'countersign.db'));
  try {
    const all = await statements({
      engine: 'sqlite',
      all: (sql, parameters) => db.prepare(sql).all(...parameters),
      run: (sql, parameters) => db.prepare(sql).run(...parameters).changes,
    });
    assert.ok(all.length > 60, `${all.length} statements`);
    for (const { name, sql, parameters } of all) {
      if (/^\s*insert/i.test(sql)) continue;
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[];
      const steps = plan.map((step) => step.detail);
      const text = `${name}\n${sql}\n${steps.join('\n')}`;
      assert.equal(
        steps.some((step) => step.startsWith('SCAN')),
        name in WHOLE_TABLE,
        text,
      );
      // A list of an organization is in the order of an index. Several values at once are merged, which is a sort.
      const severalValues = name === 'organizations.subOrganizationIds';
      if (!(name in SORTED) && !severalValues) assert.ok(!steps.some((step) => step.includes('TEMP B-TREE FOR ORDER')), text);
    }
  } finally {
    db.close();
    await opened.close();
  }
});

type PlanNode = { 'Node Type': string; 'Index Cond'?: string; 'Relation Name'?: string; Plans?: PlanNode[] };

const flat = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flat)];

test('no statement of any repository reads a whole table on PostgreSQL', {
  skip: engineName !== 'postgres' && 'needs PostgreSQL',
}, async () => {
  const opened = await filled();
  const client = new pg.Client({ connectionString: opened.url });
  await client.connect();
  try {
    const all = await statements({
      engine: 'postgres',
      all: async (sql, parameters) => (await client.query(sql, parameters as unknown[])).rows,
      run: async (sql, parameters) => (await client.query(sql, parameters as unknown[])).rowCount ?? 0,
    });
    assert.ok(all.length > 60, `${all.length} statements`);
    // As every connection is told. Then whatever is still read whole has no index.
    await client.query(BY_INDEX);
    for (const { name, sql, parameters } of all) {
      if (/^\s*insert/i.test(sql) || name in WHOLE_TABLE) continue;
      const explained = await client.query(`EXPLAIN (FORMAT JSON) ${sql}`, parameters as unknown[]);
      const nodes = flat(explained.rows[0]['QUERY PLAN'][0].Plan);
      const text = `${name}\n${sql}\n${JSON.stringify(nodes, null, 1)}`;
      for (const node of nodes) {
        assert.notEqual(node['Node Type'], 'Seq Scan', text);
        if (/^(Bitmap )?Index/.test(node['Node Type'])) assert.ok(node['Index Cond'], text);
      }
    }
  } finally {
    await client.end();
    await opened.close();
  }
});
