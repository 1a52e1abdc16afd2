import type { Environment } from './names.ts';
import { ConfigError, secret } from './read.ts';

/** `passphrase`: encrypts and opens. `recipient`: an age public key, which only encrypts. */
export type BackupKeys = { passphrase: string | undefined; recipient: string | undefined };

const SHORTEST = 12;

/** Throws ConfigError, without the passphrase. */
export function backupSettings(env: Environment): BackupKeys {
  const passphrase = secret(env, 'BACKUP_PASSPHRASE');
  if (passphrase !== undefined && [...passphrase].length < SHORTEST)
    throw new ConfigError(`BACKUP_PASSPHRASE must have at least ${SHORTEST} characters`);
  return { passphrase, recipient: env.BACKUP_RECIPIENT?.trim() || undefined };
}

export const shownBackup = {
  BACKUP_PASSPHRASE: '(read only by countersign backup and restore)',
  BACKUP_RECIPIENT: '(read only by countersign backup)',
};
