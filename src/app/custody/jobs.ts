import { existsSync } from 'node:fs';
import { CommandFailed } from '../../base/command-failed.ts';
import type { Random } from '../../base/random.ts';
import type { RootKey } from '../../custody/types.ts';
import type { RootKeySettings } from '../../settings/root-key.ts';
import type { Store } from '../../store/types.ts';
import { rootKeyOf } from '../root-key.ts';
import { type RootRotation, rotateRoot } from './rotate-root.ts';

/** What a command asks for. It is JSON on the way to a running service. */
export type CustodyJob = {
  command: 'rotate-root';
  to: RootKeySettings;
  /** A key file that exists may be used. */
  force: boolean;
  dryRun: boolean;
};

export type CustodyDone = { command: 'rotate-root'; rotation: RootRotation };

/** `held`: the root key of this process, which a rotation replaces. */
export type JobParts = { store: Store; held: { root: RootKey }; random: Random; say(text: string): void };

/** The key file of a rotation is new, unless it already wraps the master keys. Others may have an old key. */
async function nextRoot({ to, force, dryRun }: CustodyJob, { store, random }: JobParts): Promise<RootKey | undefined> {
  if (to.provider !== 'file') return rootKeyOf(to, { random });
  if (!existsSync(to.path)) return dryRun ? undefined : rootKeyOf(to, { random, onCreated: () => {} });
  const root = await rootKeyOf(to, { random });
  const rows = await store.read.instance.masterKeys();
  if (force || rows.some(({ rootId }) => rootId === root.id)) return root;
  throw new CommandFailed(
    `the root key file ${to.path} already exists. If a rotation that was interrupted made it, give --force to use it. ` +
      'Otherwise set NEW_ROOT_KEY_PATH to a path without a file',
  );
}

async function runRotateRoot(job: CustodyJob, parts: JobParts): Promise<CustodyDone> {
  const { store, held, say } = parts;
  const to = await nextRoot(job, parts);
  if (to === undefined) {
    // Nothing is made in a dry run: the master keys are opened by the root key of now alone.
    const { versions, from } = await rotateRoot(store, { from: held.root, to: held.root }, true);
    return { command: 'rotate-root', rotation: { from, to: 'file: a new key', versions, changed: false } };
  }
  say(`wrapping the master keys by ${to.id}`);
  const rotation = await rotateRoot(store, { from: held.root, to }, job.dryRun);
  if (!job.dryRun) held.root = to;
  return { command: 'rotate-root', rotation };
}

export const runCustodyJob = (job: CustodyJob, parts: JobParts): Promise<CustodyDone> => runRotateRoot(job, parts);
