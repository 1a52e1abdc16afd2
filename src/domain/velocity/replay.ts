import { setImmediate } from 'node:timers/promises';
import type { ActivityKind } from '../../engine/activity/declare.ts';
import { resolveActivity } from '../../engine/activity/decode.ts';
import type { Decisions } from '../../engine/decision/decisions.ts';
import { AT_MOST_MS } from '../../engine/decision/explained-policy.ts';
import { transferConditions } from '../../engine/decision/transfer-conditions.ts';
import type { Activity } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import { addsNothing, aggregateOf, totalWith } from '../../model/velocity-spend.ts';
import { liveSteps, totalOf, withAdded } from '../../model/velocity-window.ts';
import type { Reader } from '../../store/types.ts';
import { asIfFirst } from './broadcast.ts';
import { covers } from './control-cache.ts';
import { binds, isLimit, type Judged, judge, truthOf } from './judged.ts';
import { coversUser, partsOf } from './parts.ts';
import type { ReplayedCounters } from './replayed-counters.ts';
import type { Terms } from './terms.ts';
import { shown } from './units.ts';

/** How many activities one request replays, and how many one read returns: each may have a body of 1 MiB. */
const REPLAYED = 500;
const AT_ONCE = 20;

/** An activity that the draft would have refused. `why`: what it takes cannot be read. */
export type Refused = { activity: Activity; bucket: string; asked: string; left: string; why?: string };

export type ReplayedControl = { examined: number; refused: Refused[]; next?: string };

/** `after`: the id to begin behind. `from`, `until`: times, both inclusive. */
type Question = {
  organization: Organization;
  terms: Terms;
  counters: ReplayedCounters;
  after: string;
  from: number;
  until: number;
};

/** An activity's id is created a little after its `createdAt`. */
const IDS_LATER_MS = 60_000;

const typesOf = (kinds: readonly ActivityKind[], terms: Terms): string[] =>
  kinds.filter((kind) => covers(terms, kind)).flatMap(({ versions }) => [...versions.keys()]);

/**
 * Runs a control that does not exist over executed activities, in their order. What it would have refused is not counted, as if it had been
 * refused then. Ends early after a time or a number of activities; then `next` is the id to continue after.
 */
export function replayControl(decisions: Decisions, read: Reader, question: Question): Promise<ReplayedControl> {
  return decisions.replayTurn(question.organization, async () => {
    const { organization, terms, from, until } = question;
    const types = typesOf(decisions.kinds, terms);
    const deadline = decisions.elapsed.now() + AT_MOST_MS;
    const refused: Refused[] = [];
    let [examined, after] = [0, question.after];
    while (types.length > 0) {
      const filter = { statuses: ['ACTIVITY_STATUS_COMPLETED' as const], types, until: until + IDS_LATER_MS };
      const page = await read.activities.list(organization.id, filter, { limit: AT_ONCE, before: after });
      for (const activity of page.toReversed()) {
        if (examined >= REPLAYED || (examined > 0 && decisions.elapsed.now() > deadline))
          return { examined, refused, next: after };
        // Yield to other requests.
        await setImmediate();
        after = activity.id;
        if (activity.createdAt < from || activity.createdAt > until) continue;
        const judged = await judgedThen(decisions, read, question, activity);
        const refusal = judged && countOrRefuse(question, activity, judged);
        if (refusal !== undefined) refused.push(refusal);
        examined++;
      }
      if (page.length < AT_ONCE) break;
    }
    return { examined, refused };
  });
}

async function judgedThen(
  { decode }: Decisions,
  read: Reader,
  { organization, terms, counters }: Question,
  stored: Activity,
): Promise<Judged | undefined> {
  const { userId, createdAt: now } = stored;
  const tags = terms.scope.userTagIds === undefined ? [] : await read.tags.ofMember(organization.id, userId);
  if (!coversUser(terms, userId, tags)) return undefined;
  const asked = { organization, activity: resolveActivity(read, organization, decode(stored)), userId, now };
  const first = asIfFirst(read);
  const velocityCounters = {
    ...first.velocityCounters,
    steps: async (_: string, __: string, bucket: string) => counters.steps(bucket),
  };
  const countsBy = terms.condition === undefined ? undefined : await transferConditions(asked.activity);
  return judge({ ...first, velocityCounters }, terms, await partsOf(read, asked), { userId, now, countsBy });
}

function countOrRefuse({ terms, counters }: Question, activity: Activity, judged: Judged): Refused | undefined {
  const { comparison, window } = terms;
  const { createdAt: now } = activity;
  const truth = truthOf(judged);
  if (truth === isLimit(terms) || (terms.always && !binds(judged))) {
    for (const { name, added, steps } of judged.buckets) {
      if (addsNothing(added)) continue;
      const more = withAdded(window, steps, added, now);
      counters.put(name, { steps: more, most: aggregateOf(comparison, totalWith(window, steps, added, now)) });
    }
    return undefined;
  }
  const bucket = judged.buckets.find(({ holds }) => holds !== isLimit(terms)) ?? judged.buckets[0]!;
  const counted = aggregateOf(comparison, totalOf(liveSteps(window, bucket.steps, now)));
  const [asked, left] = [aggregateOf(comparison, bucket.added), comparison.threshold - counted];
  return {
    activity,
    bucket: bucket.name,
    asked: shown(asked, comparison.one),
    left: shown(left, comparison.one),
    ...(typeof truth === 'string' && { why: truth }),
  };
}
