import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import pg from 'pg';
import { firstIdOf } from '../../src/base/id-time.ts';
import { batches, lastWritten } from '../../src/store/archive/choose.ts';
import { MOVED } from '../../src/store/archive/columns.ts';
import { ARCHIVE_FILE, attachArchive } from '../../src/store/archive/file.ts';
import { makeMonths } from '../../src/store/archive/postgres-months.ts';
import { moveOnPostgres } from '../../src/store/archive/postgres-move.ts';
import { copyOnSqlite, removeOnSqlite } from '../../src/store/archive/sqlite-move.ts';
import { raiseArchivedUntil } from '../../src/store/archive/until.ts';
import { CountersOnSqlite } from '../../src/store/counted-on-sqlite.ts';
import { type NoCounters, recordCounted } from '../../src/store/counted-records.ts';
import { BY_INDEX } from '../../src/store/engines/postgres-servers.ts';
import { plannedOnce } from '../../src/store/engines/sqlite.ts';
import { KnownCounters } from '../../src/store/guessed-records.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { keepPositionsRising } from '../../src/store/position-base.ts';
import { recordOnPostgres, recordOnSqlite } from '../../src/store/record.ts';
import { hasArchived } from '../../src/store/repositories/activities/archived.ts';
import { openedOn, readerOn } from '../../src/store/repositories/index.ts';
import { countsIn } from '../../src/store/repositories/limits/counts.ts';
import { raiseVersion } from '../../src/store/repositories/people/organizations.ts';
import { writeSettlements } from '../../src/store/repositories/policies/velocity-counters.ts';
import { settlementsIn } from '../../src/store/repositories/policies/velocity-settlements.ts';
import { earlyMasterKeys } from '../../src/store/repositories/service/instance.ts';
import { SEALED_PLACES } from '../../src/store/sealed/places.ts';
import { maySeal, sealedRows } from '../../src/store/sealed/rows.ts';
import { type Conn, type Registered, statements } from '../../src/store/statement.ts';
import { engineName } from '../support/database.ts';
import { reads } from './calls-of-reads.ts';
import { writes } from './calls-of-writes.ts';
import { fill, finished, idOf, NOW, type Opened, openEmpty } from './fixture.ts';
import { spendOf } from './repositories/policies/velocity-row.ts';
import { webhookEventOf } from './repositories/webhooks/webhook-rows.ts';

type Asked = { name: string; sql: string; parameters: readonly unknown[] };

/** Statements that may read a whole table, and why. */
const WHOLE_TABLE: Record<string, string> = {
  'instance.masterKeys': 'a handful of rows, read once at start',
  'instance.serviceKeys': 'a handful of rows, read once at start',
  'webhookKeys.list': 'a handful of rows',
  'webhookKeys.current': 'a handful of rows',
  'scan.checkedBy': 'reset-clock alone, of at most SCAN_SOLANA_ADDRESSES rows a chain',
  hasArchived: 'its first row, read once at start',
  earlyMasterKeys: 'a handful of rows, read once at start',
  hashesUntil: 'rows of at most some days, once an hour while a retired version verifies them',
  lastWritten: 'the last row',
};

/** Keys as they are stored, by their type. */
const DUMMIES: Record<string, unknown> = { text: 'a', uuid: idOf('a'), blob: Buffer.alloc(16), bytea: Buffer.alloc(16) };

/** Statements whose rows are sorted after they were found: each finds few. */
const SORTED: Record<string, string> = {
  'summing.ended': 'the rows of one batch',
  'streamChanges.between': 'the rows of one reading',
  archive: 'the rows of one batch, compared with their copies',
  hashesUntil: 'rows of at most some days, once an hour',
  'signers.find': 'keys that share one address: nearly always one',
};

/** There are a handful of migrations. */
const OF_MIGRATIONS = /from "migrations"|sqlite_master|to_regclass/;

/** The plan of a migration's own look-ups is asked for too. What defines tables has none. */
const hasPlan = ({ name, sql }: Asked): boolean =>
  !/^\s*(create|alter|drop|set|pragma)\b/i.test(sql) && !(name === 'migrate' && OF_MIGRATIONS.test(sql));

/** A migration may read the whole table that it changes. */
const changedBy = ({ name, sql }: Asked): string | undefined =>
  name === 'migrate' ? /^update "(\w+)"/.exec(sql)?.[1] : undefined;

const shapeOf = (optional: readonly string[], args: object): string =>
  optional.map((name) => ((args as Record<string, unknown>)[name] === undefined ? '-' : name)).join(' ');

/** Every way to leave out some of what is optional. */
const shapesOf = ([first, ...rest]: readonly string[]): string[] =>
  first === undefined ? [''] : shapesOf(rest).flatMap((shape) => [`- ${shape}`.trimEnd(), `${first} ${shape}`.trimEnd()]);

/**
 * Migrates an empty database and calls every method of every repository, on a connection that records the statements. Fails where a
 * statement of the program was not executed, or not in each of its shapes.
 */
async function statementsOn(opened: Opened, real: Conn, makeArchive: () => unknown): Promise<Asked[]> {
  const asked = new Map<string, Asked>();
  const shapes = new Map<Registered, Set<string>>();
  let name = '';
  let isDynamic = false;
  const known = new Set(statements.map(({ sql, only }) => (only ?? real.engine) === real.engine && sql?.(real.engine)));
  const note = (sql: string, parameters: readonly unknown[]) => {
    assert.ok(isDynamic || known.has(sql) || name === 'migrate', `${name} runs SQL that is no statement: ${sql}`);
    isDynamic = false;
    asked.set(`${name} ${sql}`, { name, sql, parameters });
  };
  const conn: Conn = {
    engine: real.engine,
    get archive() {
      return this;
    },
    all(sql, parameters) {
      note(sql, parameters);
      return real.all(sql, parameters);
    },
    run(sql, parameters) {
      note(sql, parameters);
      return real.run(sql, parameters);
    },
    asked(statement, args) {
      isDynamic = true;
      shapes.set(statement, (shapes.get(statement) ?? new Set()).add(shapeOf(statement.optional!, args)));
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
  name = 'migrate';
  await migrate((work) => work(conn), NOW, { say() {}, everyMs: 10_000 });
  await keepPositionsRising(conn);
  await makeArchive();
  if (real.engine === 'postgres')
    await makeMonths(conn, [{ organizationId: idOf('sub'), id: firstIdOf(NOW), createdAt: NOW, bytes: 2 }]);
  await opened.store.transaction(async (tx) => {
    await fill(tx, 'parent', null);
    await fill(tx, 'sub', 'parent');
  });
  for (const holder of ['sub', 'parent']) await call(readerOn(conn), reads(holder));
  const counts = countsIn(conn);
  const settlements = settlementsIn(conn);
  const repositories = openedOn(conn, counts, settlements);
  const calls = writes('sub');
  await call(Object.fromEntries(Object.keys(calls).map((each) => [each, repositories.writes(each)!])), calls);
  name = 'settlements';
  await writeSettlements(conn, settlements);
  name = 'counts';
  await counts.write();
  name = 'raiseVersion';
  await raiseVersion(conn, idOf('sub'), new Set());
  await raiseVersion(conn, idOf('sub'), new Set([idOf('policy')]));
  name = 'record';
  const message = { id: 'recorded', topic: 't', payload: '{}' };
  const record = { ...finished('sub', 'recorded', 1), evaluations: { evaluations: [] }, message };
  const told = { ...finished('sub', 'told', 1), event: webhookEventOf(idOf('sub'), 'told') };
  for (const one of [record, told]) await (real.engine === 'sqlite' ? recordOnSqlite(conn, one) : recordOnPostgres(conn, [one]));

  if (real.engine === 'postgres') {
    const { version } = (await readerOn(conn).organizations.get(idOf('sub')))!;
    const counts = (control: string) => [{ ...finished(idOf('sub'), 'counted', version), spends: [spendOf(control)] }];
    const { counters } = await recordCounted(conn, counts('control'));
    const known = new KnownCounters();
    known.keep(counters);
    const event = webhookEventOf(idOf('sub'), 'guessed too');
    for (const one of [finished(idOf('sub'), 'guessed', version), { ...finished(idOf('sub'), 'guessed too', version), event }]) {
      const isWritten = await known.record((work) => work(conn), [{ ...one, spends: [spendOf('control')] }]);
      assert.equal(isWritten, true);
    }
    await recordCounted(conn, counts('none')).catch((error: NoCounters) => error.create(conn));
  } else {
    const { version } = (await readerOn(conn).organizations.get(idOf('sub')))!;
    const counters = new CountersOnSqlite();
    const spends = [spendOf('control', { bucket: 'on SQLite' })];
    // One is not written, so its counter is removed again. The others create it, and change it.
    const results = [version + 1, version, version].map((each, i) =>
      counters.record(conn, { ...finished(idOf('sub'), `counted ${i}`, each), spends }),
    );
    assert.deepEqual(results, ['stale', 'written', 'written']);
  }

  name = 'maySeal';
  await maySeal(conn, 1);
  const archive = { ...conn, archive: conn };
  const { page, replace, hashesUntil } = sealedRows({ reader: archive, engine: conn.engine }, (work) => work(archive));
  for (const place of SEALED_PLACES) {
    name = `a page of ${place.table.name}`;
    await page(place, 1, undefined);
    name = `the change of ${place.table.name}`;
    const key = place.key.map((column) => DUMMIES[place.table.model[column][conn.engine].type]);
    const value = place.table.model[place.column].holds === 'text' ? 'sealed:' : Buffer.from('1\n');
    await replace(place, [{ key, value, anew: Buffer.alloc(5), sealed: Buffer.alloc(5), name: place.name({}) }]);
  }
  name = 'hashesUntil';
  await hashesUntil(1, NOW);
  name = 'earlyMasterKeys';
  await earlyMasterKeys(conn);
  name = 'hasArchived';
  await hasArchived(conn);
  name = 'lastWritten';
  await lastWritten(conn);
  name = 'archive';
  for await (const batch of batches(conn, NOW * 2, { rows: 1, bytes: 1 })) assert.equal(batch.length, 1);
  const chosen = [{ organizationId: idOf('sub'), id: idOf('activity'), createdAt: NOW, bytes: 2 }];
  if (real.engine === 'sqlite') {
    await copyOnSqlite(conn, chosen);
    await removeOnSqlite(conn, chosen);
  } else {
    await raiseArchivedUntil(conn, chosen);
    await moveOnPostgres(conn, chosen, NOW * 2);
  }

  const texts = new Set([...asked.values()].map(({ sql }) => sql));
  for (const statement of statements) {
    const { only, sql, optional, source } = statement;
    if (only !== undefined && only !== real.engine) continue;
    if (sql) assert.ok(texts.has(sql(real.engine)), `no test asks for this statement:\n${source}`);
    if (optional) assert.deepEqual([...(shapes.get(statement) ?? [])].sort(), shapesOf(optional).sort(), source);
  }
  return [...asked.values()].filter(hasPlan);
}

test('no statement of any repository reads a whole table on SQLite', {
  skip: engineName !== 'sqlite' && 'about SQLite',
}, async () => {
  const opened = await openEmpty();
  const db = new Database(join(opened.folder, 'countersign.db'));
  try {
    const conn: Conn = {
      engine: 'sqlite',
      all: (sql, parameters) => db.prepare(sql).all(...parameters),
      run: (sql, parameters) => db.prepare(sql).run(...parameters).changes,
    };
    const all = await statementsOn(opened, conn, () => attachArchive(db, join(opened.folder, ARCHIVE_FILE)));
    assert.ok(all.length > 60, `${all.length} statements`);
    for (const one of all) {
      const { name, sql, parameters } = one;
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${plannedOnce(sql)}`).all(...parameters) as { detail: string }[];
      const steps = plan.map((step) => step.detail);
      const text = `${name}\n${sql}\n${steps.join('\n')}`;
      // `found`: what a recursive query has found so far. `range`: a page of an index. Values that are inserted, or given in a list, are no table.
      const scans = steps.filter(
        (step) =>
          /^SCAN (?!\d+-ROW VALUES|json_each )/.test(step) &&
          !['found', 'range', changedBy(one)].includes(step.slice('SCAN '.length)),
      );
      assert.equal(scans.length > 0, name in WHOLE_TABLE, text);
      // A list of an organization is in the order of an index.
      if (!(name in SORTED)) assert.ok(!steps.some((step) => step.includes('TEMP B-TREE')), text);
    }
  } finally {
    db.close();
    await opened.close();
  }
});

type PlanNode = {
  'Node Type': string;
  'Index Cond'?: string;
  Filter?: string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: PlanNode[];
};

/** The first row of an index, without going on to others. */
const isFirstOfIndex = (node: PlanNode, nodes: readonly PlanNode[]): boolean =>
  node.Filter === undefined && nodes.some((above) => above['Node Type'] === 'Limit' && above.Plans?.includes(node));

const isOf = (node: PlanNode, table: string | undefined): boolean =>
  table !== undefined && (node['Index Name'] ?? '').startsWith(table);

const flat = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flat)];

test('no statement of any repository reads a whole table on PostgreSQL', {
  skip: engineName !== 'postgres' && 'needs PostgreSQL',
}, async () => {
  const opened = await openEmpty();
  const client = new pg.Client({ connectionString: opened.url });
  await client.connect();
  try {
    const conn: Conn = {
      engine: 'postgres',
      all: async (sql, parameters) => (await client.query(sql, parameters as unknown[])).rows,
      run: async (sql, parameters) => (await client.query(sql, parameters as unknown[])).rowCount ?? 0,
    };
    const all = await statementsOn(opened, conn, async () => {
      // For the ids of this test, which are of no month.
      for (const { to } of MOVED) await client.query(`CREATE TABLE other_${to.name} PARTITION OF ${to.name} DEFAULT`);
    });
    assert.ok(all.length > 60, `${all.length} statements`);
    // The setting of every connection. A table that is still read whole has no index for the statement.
    await client.query(BY_INDEX);
    for (const one of all) {
      const { name, sql, parameters } = one;
      if (name in WHOLE_TABLE) continue;
      const explained = await client.query(`EXPLAIN (FORMAT JSON) ${sql}`, parameters as unknown[]);
      const nodes = flat(explained.rows[0]['QUERY PLAN'][0].Plan);
      const text = `${name}\n${sql}\n${JSON.stringify(nodes, null, 1)}`;
      for (const node of nodes) {
        if (node['Node Type'] === 'Seq Scan') assert.equal(node['Relation Name'], changedBy(one), text);
        if (/^(Bitmap )?Index/.test(node['Node Type']))
          assert.ok(node['Index Cond'] || isFirstOfIndex(node, nodes) || isOf(node, changedBy(one)), text);
      }
    }
  } finally {
    await client.end();
    await opened.close();
  }
});
