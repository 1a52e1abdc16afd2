import { databaseHint } from '../app/database-hint.ts';
import { CommandFailed } from '../base/command-failed.ts';
import { systemRandom } from '../base/random.ts';
import { backupKeys, ConfigError } from '../config.ts';
import { backup, type Made } from '../operator/backup/backup.ts';
import type { Lock } from '../operator/backup/container.ts';
import { noteBackup } from '../operator/backup/note.ts';
import { asJson, counted, size, stoppable, toldProgress } from './backup-told.ts';
import { UsageError } from './client.ts';
import { configOf } from './config.ts';

type Values = {
  out?: string | undefined;
  recipient?: string | undefined;
  'without-root-key': boolean;
  force: boolean;
  json: boolean;
};

/** X25519 recipients, and those that a quantum computer cannot open. */
const RECIPIENT = /^age1[02-9ac-hj-np-z]{20,4000}$/;

function lockOf(given: string | undefined): Lock {
  const { passphrase, recipient = undefined } = backupKeys();
  const to = given ?? recipient;
  if (given === undefined && passphrase !== undefined && recipient !== undefined)
    throw new UsageError('set BACKUP_PASSPHRASE or BACKUP_RECIPIENT, not both');
  if (to !== undefined) {
    if (!RECIPIENT.test(to)) throw new UsageError('the recipient must be an age public key: age1… as age-keygen prints it');
    return { recipient: to };
  }
  if (passphrase === undefined)
    throw new UsageError(
      'a copy is always encrypted: set BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE, or name an age public key with --recipient',
    );
  return { passphrase };
}

function notes({ holdsRootKey, lacksArchive }: Made, provider: string): string {
  const lines = [];
  if (holdsRootKey) lines.push('the copy holds the root key: a thief who opens it has every key');
  else if (provider === 'file') lines.push('the copy does not hold the root key: keep a copy of its file elsewhere');
  else if (provider === 'shares') lines.push('the copy does not hold the root key, which only its shares give');
  else lines.push(`the copy does not hold the root key, which the provider ${provider} has`);
  if (lacksArchive) lines.push('the copy lacks the archived activities: the file of the archive is not in DATA_DIR');
  return lines.map((line) => `note: ${line}\n`).join('');
}

/** Makes a copy; progress and notes go to standard error. */
export async function backupCommand(now: () => number, values: Values): Promise<{ text: string }> {
  const { out, recipient, force, json } = values;
  if (out === undefined) throw new UsageError('name the file to make: countersign backup --out FILE');
  const lock = lockOf(recipient);
  const config = configOf();
  const options = { file: out, lock, withRootKey: !values['without-root-key'], replace: force };
  try {
    const made = await stoppable((stopped) => {
      const progress = toldProgress(stopped);
      progress.begins('copying');
      return backup(config, options, { now, random: systemRandom, progress });
    });
    process.stderr.write(notes(made, config.rootKey.provider));
    await noteBackup(config, Date.parse(made.createdAt)).catch((error: Error) =>
      process.stderr.write(`note: the copy is whole, but countersign_backup_age_seconds does not know of it: ${error.message}\n`),
    );
    const text = `${made.file} has ${counted(made.rows)}, as of ${made.createdAt} (${size(made.bytes)})\n`;
    return { text: json ? asJson(made) : text };
  } catch (error) {
    if (error instanceof ConfigError || error instanceof UsageError) throw error;
    throw new CommandFailed(`no copy was made: ${reasonOf(error)}`);
  }
}

/** What failed, and how to mend it where that is known. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const why = cause instanceof Error && !message.includes(cause.message) ? ` (${cause.message})` : '';
  return `${message}${why}${databaseHint(error)}`;
}
