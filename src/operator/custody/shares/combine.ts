import { existsSync } from 'node:fs';
import { CommandFailed } from '../../../base/command-failed.ts';
import { systemRandom } from '../../../base/random.ts';
import { type Config, ConfigError } from '../../../config.ts';
import { writeKeyFile } from '../../../custody/roots/file.ts';
import { providerOf } from '../../../custody/roots/providers.ts';
import { idOfKey, isKeyOf } from '../../../custody/roots/shares.ts';
import { rootIdsOf } from './root-ids.ts';
import { gatheredKey, type NextShare } from './unlock.ts';

const UNDONE = 'no root key file was written';

/** `compared`: whether a database is here, whose root key this is. */
export type Combined = { file: string; rootKey: string; compared: boolean };

function fileOf({ rootKey }: Config, out: string | undefined): string {
  const file = out ?? (rootKey.provider === 'file' ? rootKey.path : undefined);
  if (file === undefined) throw new ConfigError('name the file to write: countersign custody combine --out FILE');
  if (existsSync(file)) throw new CommandFailed(`${file} exists, and is not overwritten: name another file with --out`);
  return file;
}

/** Writes the root key that shares give into a new file, unless the database here has another one. */
export async function combineRootKey(config: Config, out: string | undefined, next: NextShare): Promise<Combined> {
  const file = fileOf(config, out);
  const ids = await rootIdsOf(config, UNDONE);
  if (ids?.some((id) => providerOf(id) === 'shares'))
    throw new CommandFailed(
      `${UNDONE}: the root key of this database is not in a file. Give the shares to custody unseal, or to custody rotate-root --to file`,
    );
  const key = await gatheredKey(next);
  const rootKey = idOfKey('file', key);
  if (ids !== undefined && !isKeyOf(ids, key))
    throw new CommandFailed(`${UNDONE}: the shares give the root key ${rootKey}, but the database has ${ids.join(', ')}`);
  try {
    if (!writeKeyFile(file, key, systemRandom)) throw new Error(`${file} exists, and is not overwritten`);
  } catch (error) {
    throw new CommandFailed(`${UNDONE}: ${(error as Error).message}`);
  }
  return { file, rootKey, compared: ids !== undefined };
}
