import type { OnRampStatus, OnRampTransaction } from '../../../model/on-ramp.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { onRampTransactions } from '../../tables/on-ramp-transactions.ts';

type Key = { org: string; id: string };

const get = statement((db, p: Key) =>
  db
    .selectFrom('on_ramp_transactions')
    .select(onRampTransactions.all)
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id),
);
/** Ids rise with time. */
const oldest = statement((db, p: { org: string; most: number }) =>
  db
    .selectFrom('on_ramp_transactions')
    .select(['id', 'created_at as createdAt'])
    .where('organization_id', '=', p.org)
    .orderBy('id')
    .limit(p.most),
);
const insert = statement((db, p: OnRampTransaction) =>
  db.insertInto('on_ramp_transactions').values(values(onRampTransactions, p)),
);
const claim = statement((db, p: Key & { before: number; now: number }) =>
  db
    .updateTable('on_ramp_transactions')
    .set({ asked_at: p.now })
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id)
    .where('status', '=', 'PENDING')
    .where('asked_at', '<=', p.before),
);
const settle = statement((db, p: Key & { status: OnRampStatus; now: number }) =>
  db
    .updateTable('on_ramp_transactions')
    .set({ status: p.status, updated_at: p.now })
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id)
    .where('status', '=', 'PENDING'),
);
const remove = statement((db, p: Key) =>
  db.deleteFrom('on_ramp_transactions').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const onRampTransactionReads = (conn: Conn) => ({
  get: (org: string, id: string): Promise<OnRampTransaction | undefined> => get.first(conn, { org, id }),
});

export const onRampTransactionWrites = (conn: Conn) => ({
  async insert(transaction: OnRampTransaction): Promise<void> {
    await insert.run(conn, transaction);
  },
  /**
   * Takes the right to ask the provider about a pending transaction. Only one caller of all processes gets it, if the last question
   * was at `before` or earlier.
   */
  async claim(org: string, id: string, { before, now }: { before: number; now: number }): Promise<boolean> {
    return (await claim.run(conn, { org, id, before, now })) === 1;
  },
  /** Ends a pending transaction. False if it ended before. */
  async settle(org: string, id: string, status: OnRampStatus, now: number): Promise<boolean> {
    return (await settle.run(conn, { org, id, status, now })) === 1;
  },
  /** Deletes some of the organization's transactions from before a time. */
  async sweep(org: string, before: number, most: number): Promise<void> {
    for (const { id, createdAt } of await oldest.all(conn, { org, most }))
      if (createdAt < before) await remove.run(conn, { org, id });
  },
});
