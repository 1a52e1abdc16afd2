import type { Clock } from '../base/clock.ts';
import { judged } from '../domain/billing/quotas.ts';
import type { ActivityKind } from '../engine/activity/declare.ts';
import type { Decoder } from '../engine/activity/decode.ts';
import type { UsageSpec } from '../engine/activity/usage.ts';
import type { Log } from '../engine/ports.ts';
import {
  monthOf,
  NEAR_PERCENT,
  NO_USAGE,
  type Quota,
  startOf,
  USAGE_MONTHS,
  USAGE_WIDTHS,
  type Usage,
  type UsageCount,
} from '../model/usage.ts';
import type { Ended, Store, Writer } from '../store/types.ts';
import { type SteppingWorker, steppingWorker } from './stepping.ts';

const LEASE = 'usage';
/** How long another process waits for one that died. */
const LEASE_MS = 10_000;
/** Rows of each table that one step sums. Its transaction takes a few milliseconds on SQLite, where other writes wait. */
const BATCH = 500;
const SWEPT_AT_ONCE = 500;
/** When the service stops. */
const LAST_STEPS = 20;

type Parts = {
  store: Store;
  clock: Clock;
  elapsed: Clock;
  log: Log;
  owner: string;
  everyMs: number;
  kinds: readonly ActivityKind[];
  decode: Decoder;
};

const OUTCOMES = {
  ACTIVITY_STATUS_COMPLETED: 'completed',
  ACTIVITY_STATUS_FAILED: 'failed',
  ACTIVITY_STATUS_REJECTED: 'rejected',
} as const;

const COUNTED = ['signatures', 'sends', 'messages'] as const;

/**
 * Sums what activities used, by a position over them. Each is read once, after its commit, and archiving changes no sum. One process
 * sums at a time. Then it removes old counts.
 */
export function usageWorker({ store, clock, elapsed, log, owner, everyMs, kinds, decode }: Parts): SteppingWorker {
  const specs = new Map<string, UsageSpec<unknown>>();
  for (const { versions, usage } of kinds) for (const type of versions.keys()) specs.set(type, usage);
  const tellsByIntent = (spec: UsageSpec<unknown>) => Object.values(spec).some((counts) => typeof counts === 'function');
  const countedAlone = [...specs].flatMap(([type, spec]) => (tellsByIntent(spec) ? [type] : []));

  async function intentOf(organizationId: string, activityId: string): Promise<unknown> {
    return decode((await store.read.activities.get(organizationId, activityId))!).intent;
  }

  async function usageOf({ organizationId, type, status, count, activityId }: Ended): Promise<Usage> {
    const usage = { ...NO_USAGE, [OUTCOMES[status as keyof typeof OUTCOMES]]: count };
    if (status !== 'ACTIVITY_STATUS_COMPLETED') return usage;
    const spec = specs.get(type) ?? {};
    const intent = activityId === null ? undefined : await intentOf(organizationId, activityId);
    for (const name of COUNTED) {
      const counts = spec[name] ?? 0;
      usage[name] = typeof counts === 'number' ? counts * count : counts(intent);
    }
    return usage;
  }

  /** The sums of each organization, and of its parent, in the order of their keys. */
  async function sumsOf(all: readonly Ended[]): Promise<UsageCount[]> {
    const sums = new Map<string, UsageCount>();
    for (const ended of all) {
      const usage = await usageOf(ended);
      for (const organizationId of [ended.organizationId, ...(ended.parentId === null ? [] : [ended.parentId])])
        for (const width of USAGE_WIDTHS) {
          const startsAt = startOf(width, ended.day);
          const key = `${organizationId} ${width} ${startsAt}`;
          const sum = sums.get(key) ?? { organizationId, width, startsAt, ...NO_USAGE };
          for (const name of Object.keys(NO_USAGE) as (keyof Usage)[]) sum[name] += usage[name];
          sums.set(key, sum);
        }
    }
    return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
  }

  /** Judges the quotas of organizations that signed. Returns those that reached a level. */
  async function judge(tx: Writer, sums: readonly UsageCount[], now: number): Promise<Quota[]> {
    const signing = new Set(sums.filter(({ signatures }) => signatures > 0).map(({ organizationId }) => organizationId));
    const reached: Quota[] = [];
    for (const before of await tx.quotas.of([...signing])) {
      const quota = await judged(tx, before, now);
      const isNew = quota.level !== before.level || quota.endsAt !== before.endsAt;
      if ((await tx.quotas.note(quota)) && isNew && quota.level !== '') reached.push(quota);
    }
    return reached;
  }

  const claim = (tx: Writer, now: number) => tx.leases.claim(LEASE, owner, now, now + LEASE_MS);

  /** Sums the next rows. False if there are none, or if another process sums. */
  async function sum(isFirst: boolean): Promise<boolean> {
    const { summing } = store.read;
    const from = await summing.place();
    const to = await summing.endOfNext(from, BATCH);
    if (to === undefined) return false;
    // So only one process reads them.
    if (isFirst && !(await store.transaction((tx) => claim(tx, clock.now())))) return false;
    const sums = await sumsOf(await summing.ended(from, to, countedAlone));
    const reached = await store.transaction(async (tx) => {
      const now = clock.now();
      if (!(await claim(tx, now))) return undefined;
      const place = await tx.summing.place();
      if (place.activities !== from.activities || place.audit !== from.audit) return undefined;
      if (sums.length > 0) await tx.usage.add(sums);
      await tx.usage.moveTo(to);
      return judge(tx, sums, now);
    });
    for (const { organizationId, signatures, used, level } of reached ?? [])
      log.warn(
        { organizationId, signatures, used },
        level === 'over'
          ? 'an organization has used its quota of signatures, and makes no more until the month ends'
          : `an organization has used ${NEAR_PERCENT} % of its quota of signatures`,
      );
    return reached !== undefined;
  }

  /** So an archive command that follows on SQLite finds everything summed. */
  async function leave(): Promise<void> {
    let more = true;
    for (let steps = 0; more && steps < LAST_STEPS; steps++) more = await sum(steps === 0);
    await store.transaction((tx) => tx.leases.release(LEASE, owner));
  }

  /** Removes some old counts. False if there are none. */
  async function sweep(): Promise<boolean> {
    const before = monthOf(clock.now(), 1 - USAGE_MONTHS);
    if (!(await store.read.summing.hasBefore(before))) return false;
    await store.transaction((tx) => tx.usage.sweep(before, SWEPT_AT_ONCE));
    return true;
  }

  const step = async (isFirst: boolean) => (await sum(isFirst)) || (await sweep());
  const failed = 'usage could not be summed; it is retried';
  return steppingWorker({ elapsed, log, everyMs, rests: 1, step, leave, failed });
}
