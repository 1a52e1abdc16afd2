import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import pg from 'pg';

/** id, organization, fingerprint, body, stamp, result: about 2 KB together. */
export type Row = [string, string, string, string, string, string];

/** Kind, key and content of a row that later requests find by its key, such as a session. */
export type Found = [kind: string, key: string, content: string];

/** The record of a request, and what it makes. */
type Entry = { row: Row; found: readonly Found[] };

/** Resolves when all rows are durable. */
export type FloorStore = { append(row: Row, found: readonly Found[]): Promise<void>; close(): Promise<void> };

const TABLE = `CREATE TABLE floor (
  id text PRIMARY KEY, organization_id text NOT NULL, fingerprint text NOT NULL,
  body text NOT NULL, stamp text NOT NULL, result text NOT NULL)`;
const INDEX = 'CREATE INDEX floor_by_fingerprint ON floor (organization_id, fingerprint)';
const FOUND = 'CREATE TABLE found (kind text NOT NULL, key text NOT NULL, content text NOT NULL, PRIMARY KEY (kind, key))';

function openWriter(folder: string): { commit(entries: Entry[]): void; close(): void } {
  const db = new Database(join(folder, 'floor.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(`${TABLE}; ${INDEX}; ${FOUND}`);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const insert = db.prepare('INSERT INTO floor VALUES (?, ?, ?, ?, ?, ?)');
  const insertFound = db.prepare('INSERT INTO found VALUES (?, ?, ?)');
  const commit = db.prepare('COMMIT');
  return {
    commit(entries) {
      begin.run();
      for (const { row, found } of entries) {
        insert.run(...row);
        for (const one of found) insertFound.run(...one);
      }
      commit.run();
    },
    close: () => void db.close(),
  };
}

type Waiting = Entry & { done: () => void };

/** SQLite on the thread that serves: rows that arrived in one turn of the event loop share one COMMIT. */
export function sqliteStore(folder: string): FloorStore {
  const writer = openWriter(folder);
  let waiting: Waiting[] = [];
  const flush = () => {
    const batch = waiting;
    waiting = [];
    writer.commit(batch);
    for (const { done } of batch) done();
  };
  return {
    append: (row, found) =>
      new Promise<void>((done) => {
        if (waiting.push({ row, found, done }) === 1) setImmediate(flush);
      }),
    close: async () => writer.close(),
  };
}

/** SQLite on a thread of its own: rows that arrive while one batch is written are the next batch. */
export function sqliteThreadStore(folder: string): FloorStore {
  const worker = new Worker(new URL(import.meta.url), { workerData: { folder } });
  // The floor can answer no more requests: no figure is better than a wrong one.
  worker.on('error', (error) => {
    throw error;
  });
  let waiting: Waiting[] = [];
  let writing: Waiting[] = [];
  let scheduled = false;
  const send = () => {
    scheduled = false;
    if (writing.length > 0 || waiting.length === 0) return;
    writing = waiting;
    waiting = [];
    worker.postMessage(writing.map(({ row, found }): Entry => ({ row, found })));
  };
  worker.on('message', () => {
    const written = writing;
    writing = [];
    for (const { done } of written) done();
    send();
  });
  return {
    append: (row, found) =>
      new Promise<void>((done) => {
        waiting.push({ row, found, done });
        if (scheduled || writing.length > 0) return;
        scheduled = true;
        setImmediate(send);
      }),
    close: async () => void (await worker.terminate()),
  };
}

/** PostgreSQL: one statement per request, each its own transaction, as most programs do it. */
export async function postgresStore(url: string, create: boolean): Promise<FloorStore> {
  const pool = new pg.Pool({ connectionString: url, max: 16 });
  if (create) await pool.query(`${TABLE}; ${INDEX}; ${FOUND}`);
  const append = { name: 'append', text: 'INSERT INTO floor VALUES ($1, $2, $3, $4, $5, $6)' };
  const make = {
    name: 'make',
    text: `WITH made AS (INSERT INTO found SELECT * FROM unnest($7::text[], $8::text[], $9::text[])) ${append.text}`,
  };
  return {
    async append(row, found) {
      if (found.length === 0) await pool.query({ ...append, values: row });
      else await pool.query({ ...make, values: [...row, ...[0, 1, 2].map((i) => found.map((one) => one[i]))] });
    },
    close: () => pool.end(),
  };
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  const writer = openWriter((workerData as { folder: string }).folder);
  port.on('message', (entries: Entry[]) => {
    writer.commit(entries);
    port.postMessage(entries.length);
  });
}
