import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import pg from 'pg';
import { BY_INDEX } from '../../src/store/engines/postgres.ts';
import { recordOnPostgres, recordOnSqlite } from '../../src/store/record.ts';
import { raiseVersion } from '../../src/store/repositories/organizations.ts';
import type { Conn } from '../../src/store/statement.ts';
import { readerOn, writesOn } from '../../src/store/store.ts';
import { engineName } from '../support/database.ts';
import { fill, finished, type Opened, openMigrated, reads, writes } from './fixture.ts';

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

/** Calls every method of every repository on a connection that notes what it is asked. */
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
  const call = async (target: object, calls: object) => {
    for (const [repository, methods] of Object.entries(calls))
      for (const [method, lists] of Object.entries(methods)) {
        name = `${repository}.${method}`;
        // biome-ignore lint/suspicious/noExplicitAny: any method of any repository
        for (const args of lists as unknown[][]) await (target as any)[repository][method](...args);
      }
  };
  for (const holder of ['sub', 'parent']) await call(readerOn(conn), reads(holder));
  await call(writesOn(conn), writes('sub'));
  name = 'raiseVersion';
  await raiseVersion(conn, 'sub');
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
