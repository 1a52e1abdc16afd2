import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/store/store.ts';
import type { Store } from '../../src/store/types.ts';
import { type Fresh, freshDatabase, freshMigrated, keptSql } from '../support/database.ts';
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

type OnChange = (organizationId: string) => void;

const newFolder = () => mkdtempSync(join(tmpdir(), 'countersign-store-'));

/** A store on an empty database of this run's engine; not migrated yet. */
export async function openEmpty(onChange?: OnChange): Promise<Opened> {
  return openIn(newFolder(), await freshDatabase(), onChange);
}

function openIn(folder: string, database: Fresh | undefined, onChange: OnChange = () => {}): Opened {
  const store = openStore({ folder, url: database?.url, poolSize: 8, onChange });
  const sql = keptSql({ folder, url: database?.url });
  const drop = async () => {
    await sql.close();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    store,
    folder,
    url: database?.url,
    raw: sql.raw,
    async close() {
      await sql.close();
      await store.close();
      await drop();
    },
    drop,
  };
}

export async function openMigrated(onChange?: OnChange): Promise<Opened> {
  const folder = newFolder();
  const opened = openIn(folder, await freshMigrated(folder), onChange);
  await opened.store.migrate(NOW);
  return opened;
}
