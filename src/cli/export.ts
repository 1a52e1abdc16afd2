import { existsSync, fsyncSync } from 'node:fs';
import { CommandFailed } from '../base/command-failed.ts';
import { firstIdOf } from '../base/id-time.ts';
import { FORMAT, Header, lineOf } from '../operator/record/format.ts';
import { begunFile, closeFile, endFile, type Growing, resumedFile, writeTo } from '../operator/record/growing-file.ts';
import { asJson, stoppable } from './backup-told.ts';
import { type Reply, UsageError } from './client.ts';
import { type ClientOptions, clientOf, query } from './operations.ts';

type Values = ClientOptions & { out?: string | undefined; since?: string | undefined; instance: boolean; json: boolean };

type Shown = { id: string };

/** Where an export goes on. `after`: the last activity in the file, or the id at which it begins. */
type Begun = { grown: Growing; after: string };

/** How old an activity is before it is exported: others with smaller ids may still be under way. */
const SETTLED_MS = 60_000;
const PAGE = 100;
/** Queries under way at a time. */
const AT_ONCE = 4;
const PROGRESS_MS = 1_000;

function sinceOf(text: string | undefined): number {
  const at = text === undefined ? 0 : Date.parse(text);
  if (!(at >= 0)) throw new UsageError('--since must be a day or a time, such as 2026-01-31 or 2026-01-31T12:00:00Z');
  return at;
}

/** A new file, or one that an earlier run began. */
async function begun(file: string, organizationId: string, since: number): Promise<Begun> {
  let after = firstIdOf(since);
  if (!existsSync(file)) return { grown: begunFile(file, { format: FORMAT, organizationId }), after };
  const grown = await resumedFile(file, (value, line) => {
    if (line === 1 && Header.safeParse(value).data?.organizationId !== organizationId)
      throw new UsageError(`${file} exists, and is no export of this organization: name another file`);
    const id = value?.activity?.id ?? '';
    after = id > after ? id : after;
  });
  return { grown, after };
}

function answerOf<T>(reply: Reply): T {
  if (reply.status >= 400) throw new CommandFailed(`the service refused: ${reply.text}`);
  return JSON.parse(reply.text) as T;
}

/** The next activities, oldest first. */
async function nextOf(after: string, until: number, options: ClientOptions): Promise<Shown[]> {
  const wish = { paginationOptions: { limit: String(PAGE), before: after }, createdBefore: String(until) };
  const { activities } = answerOf<{ activities: Shown[] }>(await query('list_activities', JSON.stringify(wish), options));
  return activities.reverse();
}

type Said = { policyEvaluations: { policyEvaluations: unknown[] }[]; proofs: unknown[] };

async function lineFor(activity: Shown, options: ClientOptions): Promise<Buffer> {
  const wish = JSON.stringify({ activityId: activity.id });
  const { policyEvaluations: all, proofs } = answerOf<Said>(await query('get_policy_evaluations', wish, options));
  const policyEvaluations = all.filter((one) => one.policyEvaluations.length > 0);
  return lineOf({ activity, policyEvaluations, proofs });
}

export async function exportCommand(now: () => number, values: Values): Promise<{ text: string }> {
  const { out, json } = values;
  if (out === undefined) throw new UsageError('name the file to write: countersign export --out FILE');
  const since = sinceOf(values.since);
  if (values.instance) {
    const { exportInstanceCommand } = await import('./export-instance.ts');
    return exportInstanceCommand(now, out, values.since === undefined ? undefined : since, values);
  }
  const { organizationId } = clientOf(values);
  const until = now() - SETTLED_MS;
  const at = await begun(out, organizationId, since);
  const { grown } = at;
  try {
    return await stoppable(async (stopped) => {
      let told = now();
      for (let some = await nextOf(at.after, until, values); some.length > 0; some = await nextOf(at.after, until, values)) {
        for (let i = 0; i < some.length; i += AT_ONCE) {
          stopped.throwIfAborted();
          const group = some.slice(i, i + AT_ONCE);
          for (const line of await Promise.all(group.map((one) => lineFor(one, values)))) writeTo(grown, line);
          grown.activities += group.length;
          at.after = group.at(-1)!.id;
          if (now() - told < PROGRESS_MS) continue;
          told = now();
          process.stderr.write(`exporting: ${grown.activities} activities\n`);
        }
        fsyncSync(grown.handle);
      }
      const sha256 = endFile(grown);
      const done = { file: out, organizationId, activities: grown.activities, sha256 };
      return { text: json ? asJson(done) : `${out} has ${grown.activities} activities (SHA-256 of its lines: ${sha256})\n` };
    });
  } finally {
    closeFile(grown);
  }
}
