import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed } from '../../base/command-failed.ts';
import { DATABASE_FILE, makeFolder, syncFolder } from '../../base/files.ts';
import type { Config } from '../../config.ts';
import { ARCHIVE_FILE } from '../../store/archive/file.ts';
import { lockFolder } from '../../store/engines/sqlite.ts';

/** The folder in DATA_DIR in which a restore makes its files. */
const STAGE = 'restoring';

/** What a copy may lack, what a lock leaves, and what a file system makes itself. */
const HARMLESS = new Set(['root-credentials.json', 'countersign.lock', 'countersign.lock-journal', 'lost+found', STAGE]);

/** Throws if DATA_DIR has anything that a restore could mix with. */
export function checkEmptyFolder({ dataDir, rootKey }: Config): void {
  if (!existsSync(dataDir)) return;
  const names = readdirSync(dataDir);
  const isOwnKey = (name: string) => rootKey.provider === 'file' && rootKey.path === join(dataDir, name);
  // A restore that was killed while it put its files into place.
  const isLeft = (name: string) => name === ARCHIVE_FILE && names.includes(STAGE) && !names.includes(DATABASE_FILE);
  const found = names.find((name) => !HARMLESS.has(name) && !isOwnKey(name) && !isLeft(name));
  if (found !== undefined)
    throw new CommandFailed(`${dataDir} is not empty: it has ${found}. Move its files away, or set DATA_DIR to an empty folder`);
}

/**
 * Makes DATA_DIR's files in a folder inside it, and moves them into place. The database is the last, since the rest is nothing alone.
 * `place`: puts the root key into its place.
 */
export async function intoFolder(config: Config, make: (stage: string) => Promise<void>, place: () => () => void): Promise<void> {
  const { dataDir } = config;
  const isNew = !existsSync(dataDir);
  makeFolder(dataDir, true);
  const lock = lockFolder(dataDir);
  const stage = join(dataDir, STAGE);
  const archive = join(dataDir, ARCHIVE_FILE);
  const undo: (() => void)[] = [];
  try {
    // Again, now that no other process can change it.
    checkEmptyFolder(config);
    rmSync(archive, { force: true });
    rmSync(stage, { recursive: true, force: true });
    mkdirSync(stage, { mode: 0o700 });
    await make(stage);
    undo.push(place());
    if (existsSync(join(stage, ARCHIVE_FILE))) {
      undo.push(() => rmSync(archive, { force: true }));
      renameSync(join(stage, ARCHIVE_FILE), archive);
      syncFolder(dataDir);
    }
    renameSync(join(stage, DATABASE_FILE), join(dataDir, DATABASE_FILE));
    syncFolder(dataDir);
  } catch (error) {
    for (const step of undo) step();
    throw error;
  } finally {
    rmSync(stage, { recursive: true, force: true });
    lock.close();
    if (isNew && !existsSync(join(dataDir, DATABASE_FILE))) {
      rmSync(join(dataDir, 'countersign.lock'), { force: true });
      if (readdirSync(dataDir).length === 0) rmdirSync(dataDir);
    }
  }
}
