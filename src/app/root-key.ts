import { statSync } from 'node:fs';
import type { Random } from '../base/random.ts';
import type { Config } from '../config.ts';
import { type Envelope, envelope } from '../custody/envelope.ts';
import { checkProvider, openMasterKeys } from '../custody/masters.ts';
import { fileRoot } from '../custody/roots/file.ts';
import { passphraseRoot } from '../custody/roots/passphrase.ts';
import type { RootKey } from '../custody/types.ts';
import type { Reader } from '../store/types.ts';

/** `onCreated`: the database has no master key yet, so that a root key may be made. */
export function rootKeyOf({ rootKey }: Config, random: Random, onCreated?: (file: string) => void): RootKey {
  if (rootKey.provider === 'passphrase') return passphraseRoot(rootKey.passphrase, random);
  return fileRoot(rootKey.path, random, onCreated);
}

/** The warning about a root key file that other users of this machine may use. Windows has no such modes. */
export function rootKeyWarning({ rootKey }: Config): string | undefined {
  if (rootKey.provider !== 'file' || process.platform === 'win32' || (statSync(rootKey.path).mode & 0o007) === 0)
    return undefined;
  return `every user of this machine can read the root key file ${rootKey.path}, which opens the keys of the database: chmod 600 it`;
}

/** For a command: opens the service's sealed data, and makes no key. */
export async function openEnvelope(config: Config, read: Pick<Reader, 'instance'>, random: Random): Promise<Envelope> {
  const sealed = await read.instance.masterKeys();
  checkProvider(config.rootKey.provider, sealed);
  return envelope(await openMasterKeys(rootKeyOf(config, random), sealed), random);
}
