import type { CustodyJob } from '../app/custody/jobs.ts';
import type { MasterRotation } from '../app/custody/rotate-master.ts';
import type { RootRotation } from '../app/custody/rotate-root.ts';
import type { CustodyStatus } from '../app/custody/status.ts';
import { type Config, readNewRootKey } from '../config.ts';
import { changeCustody, type MasterPlan, planMaster, showCustody } from '../operator/custody/custody.ts';
import { sealedState } from '../operator/custody/shares/unseal.ts';
import { UsageError } from './client.ts';
import { configOf } from './config.ts';
import { combine, newShares, split, unseal } from './custody-shares.ts';
import { shareInput } from './share-input.ts';

type Options = {
  to?: string | undefined;
  shares?: string | undefined;
  threshold?: string | undefined;
  out?: string | undefined;
  force: boolean;
  'dry-run': boolean;
  json: boolean;
};

type Outcome = { text: string; code?: number };

const SEE = 'see countersign custody --help';

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const leftText = (leftOpen: CustodyStatus['leftOpen'], verb: string): string =>
  leftOpen
    .map(({ version, table, rows, why }) => `Master key ${version} ${verb} open: ${rows} rows of ${table}, because ${why}.\n`)
    .join('');

function statusText({ rootKey, masterKeys, unfinished, leftOpen }: CustodyStatus): string {
  const lines = masterKeys.map(
    ({ version, state, createdAt, hashesUntil }) =>
      `master key ${version}: ${state}, made ${createdAt}${hashesUntil === null ? '' : `, the last keyed hash expires ${hashesUntil}`}\n`,
  );
  const hint = unfinished ? 'A rotation of the master key has not ended: give custody rotate-master to go on.\n' : '';
  return `root key: ${rootKey}\n${lines.join('')}${leftText(leftOpen, 'stays')}${hint}`;
}

function rootText({ from, to, versions, changed }: RootRotation, isDry: boolean): string {
  const keys = versions.length === 1 ? '1 master key' : `${versions.length} master keys`;
  if (isDry) return `${keys} would be wrapped by ${to} in place of ${from}. Both open. Nothing was changed.\n`;
  if (!changed) return `The master keys are already wrapped by ${to}. Nothing was changed.\n`;
  const next = to.startsWith('shares:')
    ? 'Now set ROOT_KEY_PROVIDER=shares, restart each process, and give each its shares with custody unseal. '
    : 'Now set the new settings without NEW_, and restart each process. ';
  return (
    `${keys} wrapped by ${to}. The old root key ${from} opens nothing in this database any more.\n` +
    `Running services keep working. ${next}` +
    'Keep the old root key as long as you keep backups that it opens.\n'
  );
}

function masterText({ version, resealed, leftOpen }: MasterRotation): string {
  return `Master key ${version} seals now. ${resealed} secrets were sealed anew.\n${leftText(leftOpen, 'stays')}`;
}

function planText({ version, isNew, secrets, leftOpen }: MasterPlan): string {
  const which = isNew
    ? `Master key ${version} would be made and seal`
    : `A rotation would go on: master key ${version} would seal`;
  return `${which}, and ${secrets} secrets would be sealed anew.\n${leftText(leftOpen, 'would stay')}Nothing was changed.\n`;
}

/** Not everything was sealed anew. */
const LEFT_OPEN = 3;

async function rotateMaster(config: Config, now: number, options: Options, say: (text: string) => void): Promise<Outcome> {
  const nextShare = shareInput();
  if (options['dry-run']) {
    const plan = await planMaster(config, options.force, nextShare);
    return { text: options.json ? asJson(plan) : planText(plan) };
  }
  const done = await changeCustody(config, now, { command: 'rotate-master', force: options.force }, { say, nextShare });
  if (done.command !== 'rotate-master') throw new Error('the service ran another command');
  const { rotation } = done;
  return { text: options.json ? asJson(rotation) : masterText(rotation), code: rotation.leftOpen.length === 0 ? 0 : LEFT_OPEN };
}

async function rotateRoot(config: Config, now: number, options: Options, say: (text: string) => void): Promise<Outcome> {
  const to = readNewRootKey(options.to ?? config.rootKey.provider, config.dataDir);
  const dryRun = options['dry-run'];
  const isShares = to.provider === 'shares';
  if (!isShares) refuseOptions('rotate-root', options, ['shares', 'threshold', 'out']);
  const made = isShares && !dryRun ? { key: await newShares(options) } : {};
  const job: CustodyJob = { command: 'rotate-root', to, ...made, force: options.force, dryRun };
  const done = await changeCustody(config, now, job, { say, nextShare: shareInput() });
  if (done.command !== 'rotate-root') throw new Error('the service ran another command');
  return { text: options.json ? asJson(done.rotation) : rootText(done.rotation, dryRun) };
}

async function status(config: Config, now: number, { json }: Options): Promise<Outcome> {
  const found = await showCustody(config, now);
  const sealed = await sealedState(config.dataDir);
  if (json) return { text: asJson({ ...found, sealed: sealed ?? null }) };
  return {
    text: `${statusText(found)}${sealed === undefined ? '' : `The service of this DATA_DIR is ${sealed}: custody unseal gives it shares.\n`}`,
  };
}

type Given = 'to' | 'shares' | 'threshold' | 'out' | 'force' | 'dry-run';

/** An option that has no effect would hide a mistake. */
function refuseOptions(action: string, options: Options, names: readonly Given[]): void {
  const given = names.filter((name) => options[name] !== undefined && options[name] !== false);
  if (given.length > 0) throw new UsageError(`custody ${action} takes no ${given.map((name) => `--${name}`).join(', ')}: ${SEE}`);
}

type Action = {
  takes: readonly Given[];
  run(config: Config, now: number, options: Options, say: (text: string) => void): Promise<Outcome>;
};

const ALL: readonly Given[] = ['to', 'shares', 'threshold', 'out', 'force', 'dry-run'];

const ACTIONS: ReadonlyMap<string, Action> = new Map(
  Object.entries<Action>({
    status: { takes: [], run: status },
    'rotate-root': { takes: ALL, run: rotateRoot },
    'rotate-master': { takes: ['force', 'dry-run'], run: rotateMaster },
    split: { takes: ['shares', 'threshold', 'out'], run: async (config, _, options) => ({ text: await split(config, options) }) },
    combine: { takes: ['out'], run: async (config, _, options) => ({ text: await combine(config, options) }) },
    unseal: { takes: [], run: async (config, _, options) => ({ text: await unseal(config, options) }) },
  }),
);

/** `countersign custody …`: the text to print, and the exit code. `say`: receives progress. */
export async function custodyCommand(
  [name = '', ...surplus]: readonly string[],
  now: number,
  options: Options,
  say: (text: string) => void,
): Promise<Outcome> {
  const action = ACTIONS.get(name);
  // Any argument may be a share, so messages must not repeat it.
  if (action === undefined) throw new UsageError(`custody has the actions ${[...ACTIONS.keys()].join(', ')} only: ${SEE}`);
  if (surplus.length > 0)
    throw new UsageError(
      `custody ${name} takes no argument. Shares are given at the prompt or on standard input, not in the command: ${SEE}`,
    );
  refuseOptions(
    name,
    options,
    ALL.filter((one) => !action.takes.includes(one)),
  );
  // Files made here are for this user only.
  process.umask(0o077);
  return action.run(configOf(), now, options, say);
}
