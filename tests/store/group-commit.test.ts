import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { GroupCommit } from '../../src/store/engines/group-commit.ts';
import { engineName } from '../support/database.ts';

const onlySqlite = { skip: engineName !== 'sqlite' && 'about SQLite' };

type Outcome = 'writes' | 'fails' | 'fails after a write';
type Wish = { name: string; outcome: Outcome; alone?: boolean };

test('jobs share a commit without savepoints until one fails after a write', onlySqlite, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-group-'));
  const db = new Database(join(folder, 'some.db'));
  try {
    db.pragma('journal_mode = WAL');
    db.exec('CREATE TABLE kept (name text PRIMARY KEY)');
    const insert = db.prepare('INSERT INTO kept VALUES (?)');
    const conn = { engine: 'sqlite', all: () => [], run: () => 0 } as const;
    const jobs = new GroupCommit(
      db,
      conn,
      { count() {}, keep() {}, close() {} },
      () => 0,
      () => {},
      (error) => error,
    );
    /** How often each job ran, and the names that are stored then. */
    const group = async (...wishes: readonly Wish[]) => {
      const ran = new Map(wishes.map(({ name }) => [name, 0]));
      const outcomes = await Promise.allSettled(
        wishes.map(({ name, outcome, alone = false }) => {
          const work = async () => {
            ran.set(name, ran.get(name)! + 1);
            if (outcome !== 'fails') insert.run(name);
            await null;
            if (outcome !== 'writes') throw new Error(name);
            return name;
          };
          return jobs.run(work, true, { alone });
        }),
      );
      for (const [i, { name, outcome }] of wishes.entries()) {
        const told = outcomes[i]!;
        if (told.status === 'fulfilled') assert.deepEqual([told.value, outcome], [name, 'writes']);
        else assert.equal((told.reason as Error).message, name);
        assert.equal(told.status === 'fulfilled', outcome === 'writes', name);
      }
      const kept = db.prepare('SELECT name FROM kept ORDER BY name').pluck().all();
      db.exec('DELETE FROM kept');
      return `${[...ran.values()].join(' ')}: ${kept.join(' ')}`;
    };
    const [a, b, c] = ['a', 'b', 'c'].map((name): Wish => ({ name, outcome: 'writes' })) as [Wish, Wish, Wish];
    const failing: Wish = { name: 'failing', outcome: 'fails after a write' };
    const refused: Wish = { name: 'refused', outcome: 'fails' };
    assert.equal(await group(a, refused, b), '1 1 1: a b');
    assert.equal(await group(a, { ...failing, alone: true }, b), '1 1 1: a b');
    assert.equal(await group(a, failing, refused, b), '2 2 1 1: a b', 'the group runs again');
    for (let i = 0; i < 31; i++) assert.equal(await group(a, failing, b, c), '1 1 1 1: a b c', `group ${i}`);
    assert.equal(await group(failing), '2: ', 'without savepoints again');
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
});

test('a commit waits for requests that keep arriving, and for none that stays away', onlySqlite, async () => {
  const db = new Database(':memory:');
  try {
    let [commits, onTheirWay] = [0, 0];
    const mark = { count: () => void commits++, keep() {}, close() {} };
    const conn = { engine: 'sqlite', all: () => [], run: () => 0 } as const;
    const jobs = new GroupCommit(
      db,
      conn,
      mark,
      () => onTheirWay,
      () => {},
      (error) => error,
    );
    const spin = (ms: number) => {
      for (const end = Date.now() + ms; Date.now() < end; );
    };
    onTheirWay = 4;
    const each: Promise<unknown>[] = [];
    for (let i = 0; i < 4; i++) {
      each.push(jobs.run(() => i, true));
      spin(2);
      await new Promise(setImmediate);
    }
    assert.deepEqual([await Promise.all(each), commits], [[0, 1, 2, 3], 1], 'each takes the thread longer than the wait for it');
    onTheirWay = 2;
    const alone = jobs.run(() => 'alone', true);
    assert.equal(await Promise.race([alone, pause(1000, 'late')]), 'alone');
  } finally {
    db.close();
  }
});
