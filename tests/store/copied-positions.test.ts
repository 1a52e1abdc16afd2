import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { USAGE_PLACE } from '../../src/model/usage.ts';
import { copiedTable } from '../../src/store/copy/columns.ts';
import { distinctPositions } from '../../src/store/copy/positions.ts';
import { connect } from '../../src/store/engines/sqlite.ts';
import { tables } from '../../src/store/tables/index.ts';

test('shared positions become different ones in their order, and the place of usage stays between the same rows', async () => {
  const db = new Database(':memory:');
  try {
    db.exec('CREATE TABLE instance (key text PRIMARY KEY, value text)');
    db.prepare('INSERT INTO instance VALUES (?, ?)').run(USAGE_PLACE, '{"activities":5,"audit":4}');
    const positions = distinctPositions(connect(db, (error) => error));
    const placed = async (name: 'activities' | 'audit', given: readonly number[]) => {
      const table = copiedTable(tables[name]);
      const at = table.columns.findIndex(([column]) => column === 'position');
      const rows = given.map((position) => table.columns.map((_, i) => (i === at ? position : null)) as unknown[]);
      for (const row of rows) await positions.place(table, row);
      return rows.map((row) => row[at]);
    };
    assert.deepEqual(await placed('activities', [2, 5, 5, 5, 6, 20]), [2, 5, 6, 7, 8, 20]);
    assert.deepEqual(await placed('audit', [1, 3, 9]), [1, 3, 9]);
    await positions.end();
    const value = db.prepare('SELECT value FROM instance').pluck().get() as string;
    assert.deepEqual(JSON.parse(value), { activities: 7, audit: 4 });
  } finally {
    db.close();
  }
});
