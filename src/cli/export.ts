import { createHash, type Hash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { CommandFailed } from '../base/command-failed.ts';
import { firstIdOf } from '../base/id-time.ts';
import { FORMAT, Header, lineOf } from '../operator/record/format.ts';
import { linesOfFile } from '../operator/record/lines-of-file.ts';
import { asJson, stoppable } from './backup-told.ts';
import { type Reply, UsageError } from './client.ts';
import { type ClientOptions, clientOf, query } from './operations.ts';

type Values = ClientOptions & { out?: string | undefined; since?: string | undefined; json: boolean };

type Shown = { id: string };

/** Where an export goes on. `after`: the last activity in the file, or the id at which it begins. */
type Begun = { handle: number; size: number; digest: Hash; activities: number; after: string };

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

function write(to: Begun, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(to.handle, bytes, at, bytes.length - at, to.size + at);
  to.size += bytes.length;
  to.digest.update(bytes);
}

function begun(file: string, organizationId: string, since: number): Begun {
  const after = firstIdOf(since);
  const made = { handle: openSync(file, 'wx', 0o600), size: 0, digest: createHash('sha256'), activities: 0, after };
  write(made, lineOf({ format: FORMAT, organizationId }));
  return made;
}

/** Reads what an earlier run wrote. Its last line, or one that is cut off, is written anew. */
async function resumed(file: string, organizationId: string, since: number): Promise<Begun> {
  const digest = createHash('sha256');
  let [size, activities, after] = [0, 0, firstIdOf(since)];
  for await (const { number, bytes, isWhole } of linesOfFile(file)) {
    if (!isWhole) break;
    const value = bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as { activity?: Shown; end?: unknown });
    if (number === 1 && Header.safeParse(value).data?.organizationId !== organizationId)
      throw new UsageError(`${file} exists, and is no export of this organization: name another file`);
    if (bytes === undefined || value?.end !== undefined) break;
    if (value?.activity !== undefined) {
      activities += 1;
      after = value.activity.id > after ? value.activity.id : after;
    }
    digest.update(bytes);
    size += bytes.length;
  }
  if (size === 0) throw new UsageError(`${file} exists, and is no export: name another file`);
  const handle = openSync(file, 'r+');
  ftruncateSync(handle, size);
  return { handle, size, digest, activities, after };
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
  const { organizationId } = clientOf(values);
  const until = now() - SETTLED_MS;
  const at = await (existsSync(out) ? resumed(out, organizationId, since) : begun(out, organizationId, since));
  try {
    return await stoppable(async (stopped) => {
      let told = now();
      for (let some = await nextOf(at.after, until, values); some.length > 0; some = await nextOf(at.after, until, values)) {
        for (let i = 0; i < some.length; i += AT_ONCE) {
          stopped.throwIfAborted();
          const group = some.slice(i, i + AT_ONCE);
          for (const line of await Promise.all(group.map((one) => lineFor(one, values)))) write(at, line);
          at.activities += group.length;
          at.after = group.at(-1)!.id;
          if (now() - told < PROGRESS_MS) continue;
          told = now();
          process.stderr.write(`exporting: ${at.activities} activities\n`);
        }
        fsyncSync(at.handle);
      }
      const sha256 = at.digest.copy().digest('hex');
      write(at, lineOf({ end: { activities: at.activities, sha256 } }));
      fsyncSync(at.handle);
      const done = { file: out, organizationId, activities: at.activities, sha256 };
      return { text: json ? asJson(done) : `${out} has ${at.activities} activities (SHA-256 of its lines: ${sha256})\n` };
    });
  } finally {
    closeSync(at.handle);
  }
}
