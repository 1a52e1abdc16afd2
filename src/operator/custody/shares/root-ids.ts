import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE } from '../../../base/files.ts';
import type { Config } from '../../../config.ts';
import { withReadOnly } from '../../offline-store.ts';

/** The ids of the root keys that wrap the master keys. Undefined if there is no database here. Also beside a service. */
export async function rootIdsOf(config: Config, undone: string): Promise<string[] | undefined> {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, DATABASE_FILE))) return undefined;
  const rows = await withReadOnly(config, undone, ({ read }) => read.instance.masterKeys());
  return [...new Set(rows.filter(({ wrapped }) => wrapped.length > 0).map(({ rootId }) => rootId))];
}
