import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATABASE_FILE } from '../../src/base/files.ts';
import { openStore } from '../../src/store/store.ts';
import { freshDatabase } from './database.ts';

/** Makes a migrated database for tests to copy: on a PostgreSQL server, or a file of SQLite. It goes with `drop`. */
export async function makeTemplate(server: string | undefined): Promise<{ name: string; drop(): Promise<void> }> {
  const database = await freshDatabase(server);
  const folder = mkdtempSync(join(tmpdir(), 'countersign-template-'));
  const store = openStore({ folder, url: database?.url, poolSize: 1, onChange: () => undefined });
  try {
    await store.migrate(Date.now());
  } finally {
    await store.close();
  }
  return {
    name: database === undefined ? join(folder, DATABASE_FILE) : new URL(database.url).pathname.slice(1),
    async drop() {
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
