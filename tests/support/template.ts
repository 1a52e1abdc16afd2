import { openStore } from '../../src/store/store.ts';
import { freshDatabase } from './database.ts';

/** Makes a migrated database on a PostgreSQL server, for tests to copy. It goes with `drop`. */
export async function makeTemplate(server: string): Promise<{ name: string; drop(): Promise<void> }> {
  const { url, drop } = (await freshDatabase(server))!;
  const store = openStore({ folder: '', url, poolSize: 1, onChange: () => undefined });
  try {
    await store.migrate(Date.now());
  } finally {
    await store.close();
  }
  return { name: new URL(url).pathname.slice(1), drop };
}
