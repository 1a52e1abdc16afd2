import { sql } from 'kysely';
import { Busy } from '../../../base/errors.ts';
import type { EntryState, VelocityEntry } from '../../../model/velocity-control.ts';
import { type Step, withoutAdded } from '../../../model/velocity-window.ts';
import { type Conn, statement } from '../../statement.ts';
import { velocityEntries } from '../../tables/velocity-controls.ts';

/** The same condition as in the index. */
const OPEN = sql<boolean>`state in ('reserved', 'mined')`;

type EntryName = Pick<VelocityEntry, 'controlId' | 'bucket' | 'activityId'>;

/** `to`: what it is afterwards. `isAsked`: a caller is told that it is released, so it must be. */
export type Freed = VelocityEntry & { to: Pick<VelocityEntry, 'state' | 'amount' | 'count' | 'fee'>; isAsked?: true };

type OfActivity = { org: string; activity: string };

const open = statement((db, p: OfActivity) =>
  db
    .selectFrom('velocity_entries')
    .select(velocityEntries.all)
    .where('organization_id', '=', p.org)
    .where('activity_id', '=', p.activity)
    .where(OPEN),
);
const mark = statement((db, p: OfActivity & { state: EntryState }) =>
  db
    .updateTable('velocity_entries')
    .set({ state: p.state })
    .where('organization_id', '=', p.org)
    .where('activity_id', '=', p.activity)
    .where(OPEN),
);
const release = statement(
  (
    db,
    p: OfActivity &
      Pick<VelocityEntry, 'state' | 'amount' | 'count' | 'fee'> & {
        control: string;
        bucket: string;
        seen: EntryState;
        had: string;
      },
  ) =>
    db
      .updateTable('velocity_entries')
      .set({ state: p.state, amount: p.amount, count: p.count, fee: p.fee })
      .where('organization_id', '=', p.org)
      .where('control_id', '=', p.control)
      .where('bucket', '=', p.bucket)
      .where('activity_id', '=', p.activity)
      .where('state', '=', p.seen)
      .where('amount', '=', p.had),
);
const entry = statement((db, p: OfActivity & { control: string; bucket: string }) =>
  db
    .selectFrom('velocity_entries')
    .select(velocityEntries.all)
    .where('organization_id', '=', p.org)
    .where('control_id', '=', p.control)
    .where('bucket', '=', p.bucket)
    .where('activity_id', '=', p.activity),
);

const referenced = statement((db, p: { org: string; control: string; reference: string }) =>
  db
    .selectFrom('velocity_entries')
    .select('bucket')
    .where('organization_id', '=', p.org)
    .where('control_id', '=', p.control)
    .where('reference', '=', p.reference)
    .where(sql<boolean>`reference <> ''`)
    .where('state', '<>', 'released')
    .limit(1),
);
const openOf = statement((db, p: OfActivity & { control: string }) =>
  db
    .selectFrom('velocity_entries')
    .select('bucket')
    .where('organization_id', '=', p.org)
    .where('activity_id', '=', p.activity)
    .where('control_id', '=', p.control)
    .where(OPEN)
    .limit(1),
);

export const settlementReads = (conn: Conn) => ({
  /** The entries of an activity that its send may still settle. */
  open: (org: string, activity: string): Promise<VelocityEntry[]> =>
    open.all(conn, { org, activity }) as Promise<VelocityEntry[]>,
  async entry(org: string, { controlId: control, bucket, activityId: activity }: EntryName): Promise<VelocityEntry | undefined> {
    return (await entry.first(conn, { org, control, bucket, activity })) as VelocityEntry | undefined;
  },
  /** Whether a control has counted a transaction with this digest, and has not given it back. */
  async hasReference(org: string, control: string, reference: string): Promise<boolean> {
    return (await referenced.first(conn, { org, control, reference })) !== undefined;
  },
  /** Whether a control has an open entry of the activity. */
  async hasOpen(org: string, control: string, activity: string): Promise<boolean> {
    return (await openOf.first(conn, { org, control, activity })) !== undefined;
  },
});

/**
 * How the entries of an activity are settled. `keepsFee`: fees of released entries stay spent. `paid`: the paid fee by a control's id. The
 * rest of the counted fee is given back.
 */
export type Settlement = {
  org: string;
  activityId: string;
  to: EntryState;
  keepsFee: boolean;
  paid?: ReadonlyMap<string, bigint> | undefined;
};

/** What an open entry is after a settlement. Undefined: it goes on counting as a whole. */
function leftOf(entry: VelocityEntry, { to, keepsFee, paid }: Settlement): Freed['to'] | undefined {
  const { controlId, amount, count } = entry;
  const [counted, most] = [BigInt(entry.fee), paid?.get(controlId)];
  const kept = most === undefined || most > counted ? counted : most;
  if (to !== 'released')
    return kept === counted
      ? undefined
      : { state: to, amount: String(BigInt(amount) - counted + kept), count, fee: String(kept) };
  if (!keepsFee || kept === 0n) return { state: to, amount, count, fee: entry.fee };
  return { state: 'spent', amount: String(kept), count: 0, fee: String(kept) };
}

/** What one transaction settles. Counters are held last and in one order, so it is written at the end. */
export type Settlements = {
  add(settlement: Settlement): void;
  release(entry: VelocityEntry): void;
  hasAny(): boolean;
  /** The entries that give something back, once: the caller subtracts it from their counters. */
  released(): Promise<Freed[]>;
  /** Marks the entries that go on counting. */
  write(): Promise<void>;
};

export function settlementsIn(conn: Conn): Settlements {
  const all = new Map<string, Settlement>();
  let asked: Freed[] = [];
  return {
    add(settlement) {
      all.set(`${settlement.org} ${settlement.activityId}`, settlement);
    },
    release(entry) {
      const { amount, count, fee } = entry;
      asked.push({ ...entry, to: { state: 'released', amount, count, fee }, isAsked: true });
    },
    hasAny: () => all.size > 0 || asked.length > 0,
    async released() {
      const found = asked;
      asked = [];
      for (const [key, settlement] of all) {
        const { org, activityId: activity, to, paid } = settlement;
        if (to !== 'released' && paid === undefined) continue;
        if (to === 'released') all.delete(key);
        for (const one of (await open.all(conn, { org, activity })) as VelocityEntry[]) {
          const left = leftOf(one, settlement);
          if (left !== undefined) found.push({ ...one, to: left });
        }
      }
      return found;
    },
    async write() {
      for (const { org, activityId, to } of all.values()) await mark.run(conn, { org, activity: activityId, state: to });
    },
  };
}

/**
 * Changes entries of a counter that is held. Returns its steps without what they give back. An entry that another transaction changed
 * gives nothing back again.
 */
export async function free(conn: Conn, entries: readonly Freed[], steps: readonly Step[]): Promise<readonly Step[]> {
  let left = steps;
  for (const {
    organizationId: org,
    controlId: control,
    bucket,
    activityId: activity,
    step,
    amount,
    count,
    to,
    ...one
  } of entries) {
    const kept = to.state === 'released' ? { amount: 0n, count: 0 } : { amount: BigInt(to.amount), count: to.count };
    const isFreed = (await release.run(conn, { org, control, bucket, activity, seen: one.state, had: amount, ...to })) === 1;
    if (isFreed) left = withoutAdded(left, step, { amount: BigInt(amount) - kept.amount, count: count - kept.count });
    else if (one.isAsked) throw new Busy('the send of the entry changed meanwhile');
  }
  return left;
}
