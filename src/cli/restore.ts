import { readFileSync, statSync } from 'node:fs';
import { CommandFailed } from '../base/command-failed.ts';
import { systemRandom } from '../base/random.ts';
import { backupKeys, ConfigError } from '../config.ts';
import type { Unlock } from '../operator/backup/container.ts';
import { type Drilled, drill } from '../operator/backup/drill.ts';
import type { AsOf, Noted } from '../operator/backup/newest.ts';
import { type Restored, restore } from '../operator/backup/restore.ts';
import { reasonOf } from './backup.ts';
import { asJson, counted, size, stoppable, toldProgress } from './backup-told.ts';
import { UsageError } from './client.ts';
import { configOf } from './config.ts';
import { printable } from './printable.ts';
import { shareInput } from './share-input.ts';

type Values = {
  from?: string | undefined;
  identity?: string | undefined;
  'root-key'?: string | undefined;
  drill: boolean;
  'dry-run': boolean;
  json: boolean;
};

type Outcome = { text: string; code: number };

/** Larger than any file of private keys. */
const LARGEST = 2 ** 16;

function identitiesIn(file: string): string[] {
  let text: string;
  try {
    if (statSync(file).size > LARGEST) throw new Error('it is too large');
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`the identity file ${file} cannot be read: ${(error as Error).message}`);
  }
  const keys = text.split('\n').map((line) => line.trim());
  const found = keys.filter((line) => /^AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]+$/.test(line));
  if (found.length === 0) throw new UsageError(`${file} has no age private key: a line that begins with AGE-SECRET-KEY-1`);
  return found;
}

function unlockOf(identity: string | undefined): Unlock {
  if (identity !== undefined) return { identities: identitiesIn(identity) };
  const { passphrase } = backupKeys();
  if (passphrase === undefined)
    throw new UsageError('set BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE, or name an age private key with --identity FILE');
  return { passphrase };
}

const KEY: Readonly<Record<Restored['rootKey'], (isDry: boolean) => string>> = {
  written: (isDry) => `the root key ${isDry ? 'would be' : 'was'} written to ROOT_KEY_PATH`,
  there: () => 'the root key is in ROOT_KEY_PATH already',
  missing: () => 'the copy does not hold the root key: put its file to ROOT_KEY_PATH before the service starts',
  elsewhere: () => 'the root key comes from its provider',
};

const ofCopy = ({ file, createdAt, program, schema, bytes, engine }: Omit<Restored, 'rootKey' | 'rows' | 'asOf'>): string =>
  `${file}: a copy as of ${createdAt}, by version ${program} on ${engine}, schema ${schema.copy} (${size(bytes)})`;

const noted = (kind: string, all: readonly Noted[]): string[] =>
  all.map(({ createdAt, id, name, organizationId }) =>
    printable(`  ${createdAt}  ${kind} ${id} "${name}" of organization ${organizationId}`),
  );

/** What was removed or changed after the copy is as before. */
function asOfLines({ credentials, policies, rootQuorum }: AsOf, createdAt: string): string[] {
  const quorum = rootQuorum === null ? [] : [`  root quorum: ${rootQuorum.threshold} of ${rootQuorum.userIds.join(', ')}`];
  return [
    `what was revoked after the copy is back. The newest as of ${createdAt}:`,
    ...noted('credential', credentials),
    ...noted('policy', policies),
    ...quorum,
  ];
}

function restoredText(done: Restored, isDry: boolean): string {
  const lines = [
    printable(ofCopy(done)),
    `${counted(done.rows)} ${isDry ? 'would be restored. Nothing was written' : 'were restored'}`,
    KEY[done.rootKey](isDry),
  ];
  if (done.schema.copy !== done.schema.now) lines.push(`the schema ${isDry ? 'would be' : 'was'} migrated to ${done.schema.now}`);
  if (done.lacksArchive) lines.push('the copy lacks the archived activities');
  if (done.asOf !== null) lines.push(...asOfLines(done.asOf, done.createdAt));
  if (!isDry)
    lines.push(
      'sessions, one-time codes and verification tokens of the copy have ended',
      'the instance is in quarantine: it sends nothing. Stop the original, run countersign sends release, and start this one',
      'before that, read docs/operating/backup.md: what happened after the copy is unknown to it',
    );
  return `${lines.join('\n')}\n`;
}

const UNITS: readonly [seconds: number, name: string][] = [
  [86_400, 'days'],
  [3_600, 'hours'],
  [60, 'minutes'],
  [1, 'seconds'],
];

function age(seconds: number): string {
  const [length, name] = UNITS.find(([unit]) => seconds >= 2 * unit) ?? UNITS.at(-1)!;
  return `${Math.floor(seconds / length)} ${name}`;
}

function drilledText(done: Drilled): string {
  const others = done.otherStamps === 0 ? '' : ` (${done.otherStamps} by passkeys and other means were not checked)`;
  const lines = [
    printable(ofCopy(done)),
    `it is ${age(done.ageSeconds)} old; its newest activity is of ${done.newestActivity ?? 'no time: it has none'}`,
    `restored ${counted(done.rows)} into a temporary folder, which was removed`,
    `the root key of ${done.rootKey} opens the master keys`,
    `${done.secrets} secrets open, ${done.fingerprints} activities have their fingerprint, ${done.stamps} stamps verify${others}`,
    ...done.faults.map((fault) => `fault: ${printable(fault)}`),
    done.faults.length === 0 ? 'the copy can be restored' : 'the copy has faults: keep an older one, and look for the reason',
  ];
  return `${lines.join('\n')}\n`;
}

async function run(now: number, file: string, values: Values): Promise<Outcome> {
  const unlock = unlockOf(values.identity);
  const config = configOf();
  return stoppable(async (stopped): Promise<Outcome> => {
    const { begins, ...progress } = toldProgress(stopped);
    const means = { now, random: systemRandom, progress, begins };
    if (values.drill) {
      const done = await drill(config, { file, unlock, rootKeyFile: values['root-key'], nextShare: shareInput() }, means);
      return { text: values.json ? asJson(done) : drilledText(done), code: done.faults.length === 0 ? 0 : 1 };
    }
    const dryRun = values['dry-run'];
    const done = await restore(config, { file, unlock, dryRun }, means);
    return { text: values.json ? asJson({ dryRun, ...done }) : restoredText(done, dryRun), code: 0 };
  });
}

/** Restores a copy, or proves that it can be; progress goes to standard error. */
export async function restoreCommand(now: number, values: Values): Promise<Outcome> {
  const { from, drill: isDrill } = values;
  if (from === undefined) throw new UsageError('name the copy: countersign restore --from FILE');
  if (isDrill && values['dry-run']) throw new UsageError('a drill writes nothing that stays: leave --dry-run out');
  if (!isDrill && values['root-key'] !== undefined)
    throw new UsageError('--root-key is for --drill: a restore takes the root key from ROOT_KEY_PATH');
  // Files made here are for this user only, as the database is.
  process.umask(0o077);
  try {
    return await run(now, from, values);
  } catch (error) {
    if (error instanceof ConfigError || error instanceof UsageError) throw error;
    throw new CommandFailed(`${isDrill ? 'nothing was proved' : 'nothing was restored'}: ${reasonOf(error)}`);
  }
}
