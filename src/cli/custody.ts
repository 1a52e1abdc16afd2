import type { CustodyJob } from '../app/custody/jobs.ts';
import type { MasterRotation } from '../app/custody/rotate-master.ts';
import type { RootRotation } from '../app/custody/rotate-root.ts';
import type { CustodyStatus } from '../app/custody/status.ts';
import { type Config, readNewRootKey } from '../config.ts';
import { changeCustody, planMaster, showCustody } from '../operator/custody/custody.ts';
import { UsageError } from './client.ts';
import { configOf } from './config.ts';

type Options = { to?: string | undefined; force: boolean; 'dry-run': boolean; json: boolean };

const SEE = 'see countersign custody --help';

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function statusText({ rootKey, masterKeys, unfinished }: CustodyStatus): string {
  const lines = masterKeys.map(
    ({ version, state, createdAt, hashesUntil }) =>
      `master key ${version}: ${state}, made ${createdAt}${hashesUntil === null ? '' : `, the last keyed hash expires ${hashesUntil}`}\n`,
  );
  const hint = unfinished ? 'A rotation of the master key has not ended: give custody rotate-master to go on.\n' : '';
  return `root key: ${rootKey}\n${lines.join('')}${hint}`;
}

function rootText({ from, to, versions, changed }: RootRotation, isDry: boolean): string {
  const keys = versions.length === 1 ? '1 master key' : `${versions.length} master keys`;
  if (isDry) return `${keys} would be wrapped by ${to} in place of ${from}. Both open. Nothing was changed.\n`;
  if (!changed) return `The master keys are already wrapped by ${to}. Nothing was changed.\n`;
  return (
    `${keys} wrapped by ${to}. The old root key ${from} opens nothing in this database any more.\n` +
    'Running services keep working. Now set the new settings without NEW_, and restart each process. ' +
    'Keep the old root key as long as backups that it opens.\n'
  );
}

function masterText({ version, resealed, leftOpen }: MasterRotation): string {
  const open = leftOpen.map(
    (left) =>
      `Master key ${left.version} stays open: ${left.rows} rows of ${left.table} were not sealed anew, because ${left.why}.\n`,
  );
  return `Master key ${version} seals now. ${resealed} secrets were sealed anew.\n${open.join('')}`;
}

async function rotateMaster(config: Config, now: number, options: Options, say: (text: string) => void): Promise<string> {
  if (options['dry-run']) {
    const plan = await planMaster(config);
    if (options.json) return asJson(plan);
    return `Master key ${plan.version} would seal, and ${plan.secrets} secrets would be sealed anew. Nothing was changed.\n`;
  }
  const done = await changeCustody(config, now, { command: 'rotate-master', force: options.force }, say);
  if (done.command !== 'rotate-master') throw new Error('the service ran another command');
  return options.json ? asJson(done.rotation) : masterText(done.rotation);
}

async function rotateRoot(config: Config, now: number, options: Options, say: (text: string) => void): Promise<string> {
  const to = readNewRootKey(options.to ?? config.rootKey.provider, config.dataDir);
  const job: CustodyJob = { command: 'rotate-root', to, force: options.force, dryRun: options['dry-run'] };
  const done = await changeCustody(config, now, job, say);
  if (done.command !== 'rotate-root') throw new Error('the service ran another command');
  return options.json ? asJson(done.rotation) : rootText(done.rotation, options['dry-run']);
}

/** `countersign custody …`: the text to print. `say`: receives progress. */
export async function custodyCommand(
  [action]: readonly string[],
  now: number,
  options: Options,
  say: (text: string) => void,
): Promise<string> {
  if (action === 'status') {
    const status = await showCustody(configOf(), now);
    return options.json ? asJson(status) : statusText(status);
  }
  if (action === 'rotate-root') return rotateRoot(configOf(), now, options, say);
  if (action === 'rotate-master') return rotateMaster(configOf(), now, options, say);
  throw new UsageError(`there is no "custody ${action}": ${SEE}`);
}
