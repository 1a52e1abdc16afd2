import type { Random } from '../base/random.ts';
import type { Config } from '../config.ts';
import { fileRoot } from '../custody/roots/file.ts';
import { passphraseRoot } from '../custody/roots/passphrase.ts';
import type { RootKey } from '../custody/types.ts';
import type { Logger } from './log/logger.ts';

/** `first`: the database has no master key yet, so that a root key may be made. */
export function rootKeyOf(config: Config, random: Random, log: Logger, first: boolean): RootKey {
  if (config.rootKey.provider === 'passphrase') return passphraseRoot(config.rootKey.passphrase, random);
  const onCreated = (file: string) =>
    log.warn(
      { file },
      'a root key was made: whoever has this file and the database has every key, and without it no key opens. Back it up apart from the database',
    );
  return fileRoot(config.rootKey.path, random, first ? onCreated : undefined);
}
