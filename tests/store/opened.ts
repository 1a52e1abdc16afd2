import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/store/store.ts';
import type { Store } from '../../src/store/types.ts';
import { type Fresh, freshDatabase, freshMigrated, rawSql } from '../support/database.ts';
import { NOW } from './names.ts';

export type Opened = {
  store: Store;
  folder: string;
  url: string | undefined;
  /** Runs SQL past the store, with $1, $2 … for parameters. */
  raw(sql: string, ...parameters: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
  /** Removes the database of a store that is closed already. */
  drop(): Promise<void>;
};

/** A store on an empty database of this run's engine; not migrated yet. */
export const openEmpty = async (onChange?: (organizationId: string) => void): Promise<Opened> =>
  openOn(await freshDatabase(), onChange);

function openOn(database: Fresh | undefined, onChange: (organizationId: string) => void = () => {}): Opened {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-store-'));
  const store = openStore({ folder, url: database?.url, poolSize: 8, onChange });
  const drop = async () => {
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    store,
    folder,
    url: database?.url,
    raw: (sql, ...parameters) => rawSql({ folder, url: database?.url }, sql, parameters),
    async close() {
      await store.close();
      await drop();
    },
    drop,
  };
}

export async function openMigrated(onChange?: (organizationId: string) => void): Promise<Opened> {
  const opened = openOn(await freshMigrated(), onChange);
  await opened.store.migrate(NOW);
  return opened;
}
