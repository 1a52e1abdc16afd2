import { existsSync } from 'node:fs';
import { CommandFailed } from '../../base/command-failed.ts';
import { keyOfHex, sharesRoot } from '../../custody/roots/shares.ts';
import type { RootKey } from '../../custody/types.ts';
import type { ReleaseJob, ReleaseOutcome } from '../../operator/release/steps.ts';
import type { RootKeySettings } from '../../settings/root-key.ts';
import { rootKeyOf } from '../root-key.ts';
import { type MasterParts, type MasterRotation, rotateMaster } from './rotate-master.ts';
import { type RootRotation, rotateRoot } from './rotate-root.ts';

/** What a command asks for. It is JSON on the way to a running service. */
export type CustodyJob =
  /** `force`: a key file that exists may be used. `key`: the new root key in hex, for the provider `shares`. */
  | { command: 'rotate-root'; to: RootKeySettings; key?: string; force: boolean; dryRun: boolean }
  /** `force`: a rotation begins, although an earlier one left a version open. */
  | { command: 'rotate-master'; force: boolean }
  /** Ends the quarantine of a running service. */
  | ({ command: 'release' } & ReleaseJob);

type RootJob = Extract<CustodyJob, { command: 'rotate-root' }>;

export type CustodyDone =
  | { command: 'rotate-root'; rotation: RootRotation }
  | { command: 'rotate-master'; rotation: MasterRotation }
  | { command: 'release'; outcome: ReleaseOutcome };

/** `held`: the root key of this process, which a rotation replaces. */
export type JobParts = Omit<MasterParts, 'root' | 'now' | 'force'> & {
  held: { root: RootKey };
  now(): number;
  /** Only in a running service. */
  release?: (job: ReleaseJob, means: Pick<JobParts, 'say' | 'isStopping'>) => Promise<ReleaseOutcome>;
};

/** The key file of a rotation is new, unless it already wraps the master keys. Others may have an old key. */
async function nextRoot({ to, key = '', force, dryRun }: RootJob, { store, random }: JobParts): Promise<RootKey | undefined> {
  if (to.provider === 'shares') return dryRun ? undefined : sharesRoot(keyOfHex(key), random);
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

async function runRotateRoot(job: RootJob, parts: JobParts): Promise<CustodyDone> {
  const { store, held, say } = parts;
  const to = await nextRoot(job, parts);
  if (to === undefined) {
    // Nothing is made in a dry run: the master keys are opened by the root key of now alone.
    const { versions, from } = await rotateRoot(store, { from: held.root, to: held.root }, true);
    return { command: 'rotate-root', rotation: { from, to: `${job.to.provider}: a new key`, versions, changed: false } };
  }
  say(`wrapping the master keys by ${to.id}`);
  const rotation = await rotateRoot(store, { from: held.root, to }, job.dryRun);
  if (!job.dryRun) held.root = to;
  return { command: 'rotate-root', rotation };
}

export async function runCustodyJob(job: CustodyJob, parts: JobParts): Promise<CustodyDone> {
  if (job.command === 'rotate-root') return runRotateRoot(job, parts);
  const { release } = parts;
  if (job.command === 'release' && release) return { command: 'release', outcome: await release(job, parts) };
  // A newer program may ask an older service, which still runs.
  if (job.command !== 'rotate-master') throw new CommandFailed('the running service does not know this command: restart it');
  const { held, now, ...rest } = parts;
  const rotation = await rotateMaster({ ...rest, root: held.root, now: now(), force: job.force });
  return { command: 'rotate-master', rotation };
}
