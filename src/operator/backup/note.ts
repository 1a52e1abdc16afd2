import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LAST_BACKUP, LAST_BACKUP_FILE } from '../../app/last-backup.ts';
import type { Config } from '../../config.ts';
import { withStore } from '../offline-store.ts';

/** Keeps when a copy was begun, for countersign_backup_age_seconds and `doctor`. */
export async function noteBackup(config: Config, at: number): Promise<void> {
  if (config.databaseUrl !== undefined)
    return withStore(config, 'its time was not stored', (store) =>
      store.transaction((tx) => tx.instance.put(LAST_BACKUP, String(at))),
    );
  const file = join(config.dataDir, LAST_BACKUP_FILE);
  // For a service of another user than the one that copies.
  writeFileSync(`${file}.tmp`, `${at}\n`, { mode: 0o644 });
  renameSync(`${file}.tmp`, file);
}
