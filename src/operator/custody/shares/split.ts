import { readFileSync } from 'node:fs';
import { CommandFailed } from '../../../base/command-failed.ts';
import { systemRandom } from '../../../base/random.ts';
import type { Config } from '../../../config.ts';
import { keyInFile } from '../../../custody/roots/file.ts';
import { type Divided, type Division, divideKey, newDividedKey } from '../../../custody/roots/shares.ts';
import type { RootKeySettings, RootProvider } from '../../../settings/root-key.ts';
import { rootIdsOf } from './root-ids.ts';

export type { Divided, Division };

const UNDONE = 'no shares were made';

const elsewhere = (place: string) => `the root key never leaves ${place}, which has its own backups`;

/** Why a provider's key cannot be divided. */
const WHY_NOT: { readonly [P in Exclude<RootProvider, 'file' | 'env'>]: string } = {
  passphrase: 'the passphrase gives each master key another key: keep the passphrase itself, or rotate to another provider',
  shares: 'its shares exist already: custody rotate-root --to shares makes a new key with other shares',
  'vault-transit': elsewhere('Vault'),
  'aws-kms': elsewhere('AWS KMS'),
  pkcs11: elsewhere('the token'),
};

function keyOf(settings: RootKeySettings): Buffer {
  if (settings.provider === 'env') return Buffer.from(settings.hex, 'hex');
  if (settings.provider !== 'file')
    throw new CommandFailed(`ROOT_KEY_PROVIDER=${settings.provider} cannot be split: ${WHY_NOT[settings.provider]}`);
  const { path } = settings;
  try {
    return keyInFile(path, readFileSync(path, 'utf8'));
  } catch (error) {
    throw new CommandFailed(`${UNDONE}: ${(error as Error).message}`);
  }
}

/** `compared`: whether a database is here, which the key opens. */
export type Split = Divided & { compared: boolean };

/** Divides the root key that the settings name. Changes nothing. */
export async function splitRootKey(config: Config, division: Division): Promise<Split> {
  const { provider } = config.rootKey;
  const divided = await divideKey(provider, keyOf(config.rootKey), division, systemRandom);
  const ids = await rootIdsOf(config, UNDONE);
  if (ids !== undefined && !ids.includes(divided.rootKey))
    throw new CommandFailed(
      `${UNDONE}: the settings name the root key ${divided.rootKey}, but the database has ${ids.join(', ')}`,
    );
  return { ...divided, compared: ids !== undefined };
}

/** A new root key that only shares keep, and its digits for the process that wraps the master keys. */
export const newRootKey = (division: Division): Promise<{ divided: Divided; hex: string }> =>
  newDividedKey(division, systemRandom);
