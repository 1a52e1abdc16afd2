import { sql } from 'kysely';
import { Busy } from '../../../base/errors.ts';
import type { EntryState, VelocityEntry } from '../../../model/velocity-control.ts';
import { type Step, withoutAdded } from '../../../model/velocity-window.ts';
import { type Conn, statement } from '../../statement.ts';
import { velocityEntries } from '../../tables/velocity-controls.ts';

/** The same condition as in the index. */
const OPEN = sql<boolean>`state in ('reserved', 'mined')`;

type EntryName = Pick<VelocityEntry, 'controlId' | 'bucket' | 'activityId'>;

/** `isAsked`: a caller is told that it is released, so it must be. */
export type Freed = VelocityEntry & { isAsked?: true; keepsFee?: boolean };

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
    p: OfActivity & Pick<VelocityEntry, 'state' | 'amount' | 'count'> & { control: string; bucket: string; seen: EntryState },
  ) =>
    db
      .updateTable('velocity_entries')
      .set({ state: p.state, amount: p.amount, count: p.count })
      .where('organization_id', '=', p.org)
      .where('control_id', '=', p.control)
      .where('bucket', '=', p.bucket)
      .where('activity_id', '=', p.activity)
      .where('state', '=', p.seen),
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

/** What became of what an activity counted. */
export type Settlement = { org: string; activityId: string; to: EntryState; keepsFee: boolean };

/** What one transaction settles. Counters are held last and in one order, so it is written at the end. */
export type Settlements = {
  add(settlement: Settlement): void;
  release(entry: VelocityEntry): void;
  hasAny(): boolean;
  /** The entries to release, once: the caller gives their counters back. */
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
      asked.push({ ...entry, isAsked: true });
    },
    hasAny: () => all.size > 0 || asked.length > 0,
    async released() {
      const found = asked;
      asked = [];
      for (const [key, { org, activityId, to, keepsFee }] of all) {
        if (to !== 'released') continue;
        all.delete(key);
        const own = (await open.all(conn, { org, activity: activityId })) as VelocityEntry[];
        found.push(...own.map((one) => ({ ...one, keepsFee: keepsFee && one.fee !== '0' })));
      }
      return found;
    },
    async write() {
      for (const { org, activityId, to } of all.values()) await mark.run(conn, { org, activity: activityId, state: to });
    },
  };
}

/**
 * Releases entries of a counter that is held. Returns its steps without them. An entry that another transaction released is not given
 * back again.
 */
export async function free(conn: Conn, entries: readonly Freed[], steps: readonly Step[]): Promise<readonly Step[]> {
  let left = steps;
  for (const { organizationId: org, controlId: control, bucket, activityId: activity, step, amount, count, ...one } of entries) {
    const after = one.keepsFee
      ? { state: 'spent' as const, amount: one.fee, count: 0 }
      : { state: 'released' as const, amount, count };
    const kept = one.keepsFee ? BigInt(one.fee) : 0n;
    const isFreed = (await release.run(conn, { org, control, bucket, activity, seen: one.state, ...after })) === 1;
    if (isFreed) left = withoutAdded(left, step, { amount: BigInt(amount) - kept, count });
    else if (one.isAsked) throw new Busy('the send of the entry changed meanwhile');
  }
  return left;
}
