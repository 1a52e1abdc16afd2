import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailed } from '../../base/command-failed.ts';
import { UsageError } from '../client.ts';
import type { ClientOptions } from '../operations.ts';
import { printable } from '../printable.ts';
import { type Applied, type Applying, applied } from './apply.ts';
import { type Service, serviceOf } from './ask.ts';
import { readFolder, type Wanted } from './files.ts';
import { type Forecast, forecastOf } from './forecast.ts';
import { makePlan, type Plan } from './make.ts';
import { deniedIn, planData, planText } from './show.ts';
import { needsOf, readLive } from './state.ts';

export type PlanOptions = ClientOptions & {
  prune?: string | undefined;
  digest?: string | undefined;
  yes: boolean;
  wait: boolean;
  quiet: boolean;
  json: boolean;
};

const PRUNED = ['policies', 'tags', 'controls'];
const LONGEST_WAIT_MS = 3_600_000;

function pruneOf(given: string | undefined): Set<string> {
  const kinds = given?.split(',') ?? [];
  const unknown = kinds.find((kind) => !PRUNED.includes(kind));
  if (unknown !== undefined) throw new UsageError(`--prune takes ${PRUNED.join(', ')}, with commas between, not "${unknown}"`);
  return new Set(kinds);
}

type Made = { plan: Plan; wanted: Wanted; prune: Set<string>; service: Service };

async function planned(folder: string | undefined, command: string, options: PlanOptions): Promise<Made> {
  if (folder === undefined) throw new UsageError(`name a folder: countersign ${command} DIR`);
  const prune = pruneOf(options.prune);
  const wanted = readFolder(folder);
  const service = serviceOf(options, Date.now, sleep);
  return { plan: await makePlan(wanted, await readLive(service, needsOf(wanted, prune)), prune), wanted, prune, service };
}

/** Progress of long work, for people at a terminal. */
const teller =
  ({ quiet }: PlanOptions) =>
  (text: string): void => {
    if (process.stderr.isTTY === true && !quiet) process.stderr.write(`${printable(text)}\n`);
  };

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** `countersign plan DIR`: code 1 if there is something to do. */
export async function planCommand(folder: string | undefined, options: PlanOptions): Promise<{ text: string; code: number }> {
  const { plan, service } = await planned(folder, 'plan', options);
  const forecast = await forecastOf(service, plan, teller(options));
  const text = options.json ? json(planData(plan, forecast)) : planText(plan, forecast);
  return { text, code: plan.steps.length === 0 ? 0 : 1 };
}

async function isAgreed(text: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError('there is no terminal to confirm on: look at countersign plan, then give --digest or --yes');
  process.stderr.write(text);
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await asking.question('Apply it? [y/N] ')).trim());
  } finally {
    asking.close();
  }
}

function linesOf({ done, waiting }: Applied, { organizationId }: Plan): string[] {
  const lines = done.map(({ title, activityId }) => `done: ${title} (${activityId})`);
  for (const { title, activityId, fingerprint } of waiting)
    lines.push(
      `waits for approvals: ${title} (${activityId})`,
      `  approve: countersign submit approve_activity '{"fingerprint":"${fingerprint}"}' --organization ${organizationId}`,
    );
  return lines;
}

function appliedText(outcome: Applied, plan: Plan, { digest }: PlanOptions): string {
  const lines = linesOf(outcome, plan);
  if (outcome.waiting.length > 0)
    lines.push(
      digest === undefined
        ? 'Then run apply again, which goes on from there.'
        : 'Then run plan again: it shows what is left, and the digest with which apply goes on from there.',
    );
  return `${lines.map(printable).join('\n')}\n`;
}

/** A failure tells first what was done before it, and what waits. */
async function appliedOrTold(plan: Plan, applying: Applying): Promise<Applied> {
  const outcome: Applied = { done: [], waiting: [] };
  try {
    return await applied(plan, applying, outcome);
  } catch (error) {
    (error as Error).message = [...linesOf(outcome, plan), (error as Error).message].join('\n');
    throw error;
  }
}

function refuseDenied(plan: Plan, forecast: Forecast): void {
  const titles = deniedIn(forecast).map((i) => plan.steps[i]!.title);
  if (titles.length > 0)
    throw new CommandFailed(printable(`nothing was done: the service would refuse this to the caller: ${titles.join('; ')}`));
}

/** `countersign apply DIR`: code 3 if something waits for approvals. `agree`: asks the user about the shown plan. */
export async function applyCommand(
  folder: string | undefined,
  options: PlanOptions,
  agree = isAgreed,
): Promise<{ text: string; code: number }> {
  const { plan, wanted, prune, service } = await planned(folder, 'apply', options);
  const { digest } = options;
  if (digest !== undefined && digest !== plan.digest)
    throw new CommandFailed(
      `the files or the organization have changed since the plan ${digest}: the plan is now ${plan.digest}`,
    );
  if (plan.steps.length === 0)
    return { text: options.json ? json({ done: [], waiting: [] }) : planText(plan, { outcomes: [], replayed: [] }), code: 0 };
  const tell = teller(options);
  const forecast = await forecastOf(service, plan, tell);
  refuseDenied(plan, forecast);
  if (digest === undefined && !options.yes && !(await agree(planText(plan, forecast))))
    return { text: 'Nothing was done.\n', code: 1 };
  const again = await makePlan(wanted, await readLive(service, needsOf(wanted, prune)), prune);
  if (again.digest !== plan.digest) throw new CommandFailed('the organization has changed since the plan: run apply again');
  const outcome = await appliedOrTold(plan, { service, waitMs: options.wait ? LONGEST_WAIT_MS : 0, now: Date.now, sleep, tell });
  return { text: options.json ? json(outcome) : appliedText(outcome, plan, options), code: outcome.waiting.length === 0 ? 0 : 3 };
}
