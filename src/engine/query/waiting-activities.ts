import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import { wireTimestamp } from '../../base/time.ts';
import type { Activity, Vote } from '../../model/activity.ts';
import type { WaitingActivity, WaitingCounts } from '../../wire/reviews.ts';
import { AT_MOST_MS } from '../decision/explained-policy.ts';
import { rightsOf } from '../submit/render.ts';
import type { QueryContext } from './declare.ts';

const STATUSES = ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'] as const;
/** How many activities, and bytes of their bodies, one request judges. A body may have 1 MiB. */
const MOST_JUDGED = 200;
const MOST_BYTES = 8 * 1024 * 1024;
const AT_ONCE = 25;
/** Counts end here. */
const MOST_COUNTED = 100;

type Row = z.output<typeof WaitingActivity>;
export type WaitingList = { activities: Row[]; counts: z.output<typeof WaitingCounts>; next?: string };

const countOf = (count: number, more: boolean): string =>
  count > MOST_COUNTED ? `${MOST_COUNTED}+` : `${count}${more ? '+' : ''}`;

async function waitsForCaller(ctx: QueryContext, activity: Activity, votes: readonly Vote[]): Promise<boolean> {
  const { read, decisions, organization, caller, now } = ctx;
  const decoded = decisions.decode(activity);
  const decidingId = await decisions.deciding(read, decoded.kind, organization, activity);
  const shown = { activity, votes, decoded, organization };
  return (await rightsOf({ decisions, store: { read } }, shown, { ...caller, now }, decidingId)).canApprove;
}

async function rowOf(ctx: QueryContext, activity: Activity, votes: readonly Vote[]): Promise<Row> {
  const { id: activityId, fingerprint, type, status, userId, createdAt } = activity;
  const { kind } = ctx.decisions.decode(activity).kind;
  const waits = await waitsForCaller(ctx, activity, votes);
  return { activityId, fingerprint, type, kind, status, userId, createdAt: wireTimestamp(createdAt), waitsForCaller: waits };
}

/** Waiting activities, newest first, behind `after`. It judges at most 200, for about a second, and shows `limit` of them. */
export async function waitingActivities(ctx: QueryContext, after: string | undefined, limit: number): Promise<WaitingList> {
  const { read, organization, decisions } = ctx;
  const deadline = decisions.elapsed.now() + AT_MOST_MS;
  const judged: Row[] = [];
  let bytes = 0;
  const isEnough = () => judged.length >= MOST_JUDGED || bytes > MOST_BYTES || decisions.elapsed.now() > deadline;
  let more = true;
  while (more && !isEnough()) {
    const page = { limit: AT_ONCE, after: judged.at(-1)?.activityId ?? after };
    const found = await read.activities.list(organization.id, { statuses: [...STATUSES], types: undefined }, page);
    const votes = await read.activities.votesOf(
      organization.id,
      found.map(({ id }) => id),
    );
    let taken = 0;
    for (const activity of found) {
      // The first one is judged in any case, so that each request comes further.
      if (judged.length > 0 && isEnough()) break;
      await setImmediate();
      judged.push(await rowOf(ctx, activity, votes.get(activity.id) ?? []));
      bytes += activity.body.length;
      taken += 1;
    }
    more = taken < found.length || found.length === AT_ONCE;
  }
  const activities = judged.slice(0, limit);
  const hasNext = more || judged.length > activities.length;
  const counts = { forCaller: judged.filter((row) => row.waitsForCaller).length, all: judged.length };
  return {
    activities,
    counts: { forCaller: countOf(counts.forCaller, more), all: countOf(counts.all, more) },
    ...(hasNext && activities.length > 0 ? { next: activities.at(-1)!.activityId } : {}),
  };
}
