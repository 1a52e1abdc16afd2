import { CommandFailed } from '../../base/command-failed.ts';
import { type Config, ConfigError } from '../../config.ts';
import type { ReadOnlyStore } from '../../store/store.ts';
import { withReadOnly } from '../offline-store.ts';
import { checkBackup } from './backup.ts';
import { checkChains } from './chains.ts';
import { checkClock, checkServer } from './database.ts';
import { type Finding, type Found, problem, warning } from './finding.ts';
import { checkRootKey } from './keys.ts';
import { checkDisk, checkFiles, checkRuntime } from './machine.ts';
import { checkMail } from './mail.ts';
import { checkPeople } from './people.ts';
import { checkSockets } from './sockets.ts';
import { checkTraces } from './traces.ts';
import { checkOutbox, checkQuarantine, checkSends, checkShipping, checkVelocity } from './work.ts';

/** A check that takes longer has failed. */
const LONGEST_MS = 30_000;

type Check = () => Found[] | Promise<Found[]>;

async function run(check: string, work: Check): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Found[]>((resolve) => {
    const found = [problem(`no answer within ${LONGEST_MS / 1000} s`, 'look for a server that does not answer')];
    timer = setTimeout(() => resolve(found), LONGEST_MS);
  });
  try {
    return (await Promise.race([Promise.resolve().then(work), late])).map((found) => ({ check, ...found }));
  } catch (error) {
    return [{ check, ...problem(`the check failed: ${(error as Error).message}`, 'mend what the message names, and try again') }];
  } finally {
    clearTimeout(timer);
  }
}

async function inDatabase(config: Config, { read, serverSettings }: ReadOnlyStore, now: number): Promise<Finding[]> {
  const settings = await serverSettings();
  const checks: [string, Check][] = [
    ['database', () => checkServer(settings, config)],
    ['root key', () => checkRootKey(config, read)],
    ['clock', () => checkClock(read, settings, now)],
    ['backup', () => checkBackup(config, read, now)],
    ['copy', () => checkQuarantine(read)],
    ['messages', () => checkOutbox(read, now)],
    ['sends', () => checkSends(read, now)],
    ['limits', () => checkVelocity(read, now)],
    ['record', () => checkShipping(config, read, now)],
    ['users', () => checkPeople(config, read, now)],
  ];
  const all: Finding[] = [];
  // One after the other: a diagnosis must not be the load.
  for (const [name, check] of checks) all.push(...(await run(name, check)));
  return all;
}

async function database(config: Config, now: number): Promise<Finding[]> {
  try {
    return await withReadOnly(config, 'the database cannot be read', (store) => inDatabase(config, store, now));
  } catch (error) {
    if (error instanceof ConfigError)
      return [{ check: 'database', ...warning(error.message, 'start the service once, which makes it') }];
    if (error instanceof CommandFailed)
      return [{ check: 'database', ...problem(error.message, 'see docs/operating/databases.md') }];
    throw error;
  }
}

/** Examines an instance whose service runs or not. Nothing is changed, sent or made. `config`: the reason why it cannot be read. */
export async function examine(config: Config | ConfigError, now: number): Promise<Finding[]> {
  const runtime = await run('runtime', () => checkRuntime());
  if (config instanceof ConfigError)
    return [...runtime, { check: 'settings', ...problem(config.message, 'see docs/operating/settings.md') }];
  const settings = config.warnings.map((text) => ({ check: 'settings', ...warning(text, 'see docs/operating/settings.md') }));
  return [
    ...runtime,
    ...settings,
    ...(await run('disk', () => checkDisk(config))),
    ...(await run('files', () => checkFiles(config))),
    ...(await run('sockets', () => checkSockets(config))),
    ...(await database(config, now)),
    ...(await run('chains', () => checkChains(config))),
    ...(await run('mail', () => checkMail(config))),
    ...(await run('traces', () => checkTraces(config))),
  ];
}
