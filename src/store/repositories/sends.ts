import { sql } from 'kysely';
import type { Send, SendChange, SendState } from '../../model/send.ts';
import type { Page } from '../page.ts';
import { inRange } from '../ranges.ts';
import { type Conn, dynamic, statement } from '../statement.ts';
import { values } from '../table.ts';
import { sends } from '../tables/sends.ts';

/** By state, or by the user's account and the network. */
export type SendFilter = { state: SendState } | { fromAddress?: string | undefined; caip2?: string | undefined };

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('sends').select(sends.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);

/** As the index of sends that are not over says it. */
const NOT_OVER = sql<boolean>`state in ('queued', 'signed', 'sent', 'included')`;
const MOST_COUNTED = 10_000;

const notOver = statement((db, p: { caip2: string; state: SendState; limit: number }) =>
  db
    .selectFrom(
      db
        .selectFrom('sends')
        .select('created_at as createdAt')
        .where('caip2', '=', p.caip2)
        .where('state', '=', p.state)
        .where(NOT_OVER)
        .orderBy('created_at')
        .limit(p.limit)
        .as('found'),
    )
    .select((e) => [e.fn.countAll<number>().as('count'), e.fn.min<number | null>('createdAt').as('oldest')]),
);
const ofActivity = statement((db, p: { org: string; activity: string }) =>
  db
    .selectFrom('sends')
    .select(sends.all)
    .where('organization_id', '=', p.org)
    .where('activity_id', '=', p.activity)
    .orderBy('id', 'desc'),
);

type Edges = { above: string | undefined; below: string | undefined; limit: number };
type OfState = Edges & { org: string; state: SendState };
type OfPlace = Edges & { org: string; from: string | undefined; caip2: string | undefined };

/** The newest first; the page before a send, without another end, is read from that send on. */
const ascends = ({ above, below }: Edges): boolean => above !== undefined && below === undefined;

const ofState = dynamic({ above: true, below: true }, (db, p: OfState) =>
  inRange(db.selectFrom('sends').select(sends.all).where('organization_id', '=', p.org).where('state', '=', p.state), {
    fixed: [['state', p.state]],
    key: 'id',
    above: p.above,
    below: p.below,
    descending: !ascends(p),
    limit: p.limit,
  }),
);
const ofPlace = dynamic({ from: true, caip2: true, above: true, below: true }, (db, p: OfPlace) => {
  const fixed = [
    ...(p.from === undefined ? [] : [['from_address', p.from] as const]),
    ...(p.caip2 === undefined ? [] : [['caip2', p.caip2] as const]),
  ];
  let found = db.selectFrom('sends').select(sends.all).where('organization_id', '=', p.org);
  for (const [column, value] of fixed) found = found.where(column, '=', value);
  return inRange(found, { fixed, key: 'id', above: p.above, below: p.below, descending: !ascends(p), limit: p.limit });
});
const insert = statement((db, p: Send) => db.insertInto('sends').values(values(sends, p)));

type Changed = Pick<Send, 'state' | 'nonce' | 'messageNonce' | 'hash' | 'blockNumber' | 'blockHash' | 'error' | 'wish' | 'dueAt'>;

const update = statement((db, p: Changed & { org: string; id: string; seen: number; now: number }) =>
  db
    .updateTable('sends')
    .set((e) => ({
      state: p.state,
      nonce: p.nonce,
      message_nonce: p.messageNonce,
      hash: p.hash,
      block_number: p.blockNumber,
      block_hash: p.blockHash,
      error: p.error,
      wish: p.wish,
      due_at: p.dueAt,
      updated_at: p.now,
      version: e('version', '+', 1),
    }))
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id)
    .where('version', '=', p.seen),
);

export const sendReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<Send | undefined> {
    return get.first(conn, { org, id });
  },
  /** How many are in a state that is not the end, up to 10,000, and since when the oldest is there. */
  async notOver(caip2: string, state: SendState): Promise<{ count: number; oldest: number | null }> {
    const { count, oldest } = (await notOver.first(conn, { caip2, state, limit: MOST_COUNTED }))!;
    return { count: Number(count), oldest: oldest === null ? null : Number(oldest) };
  },
  /** What one activity sends, the newest first. */
  async ofActivity(org: string, activity: string): Promise<Send[]> {
    return ofActivity.all(conn, { org, activity });
  },
  /** The newest first. `after` is older than the send that it names. */
  async page(org: string, filter: SendFilter, { limit, after, before }: Page): Promise<Send[]> {
    const edges = { above: before, below: after, limit };
    const found =
      'state' in filter
        ? await ofState.all(conn, { org, state: filter.state, ...edges })
        : await ofPlace.all(conn, { org, from: filter.fromAddress, caip2: filter.caip2, ...edges });
    return ascends(edges) ? found.reverse() : found;
  },
});

export const sendWrites = (conn: Conn) => ({
  /** Use `acceptSend` of `src/domain/sends.ts`: the account must become due too. */
  async insert(send: Send): Promise<void> {
    await insert.run(conn, send);
  },
  /** False if the send is not as it was seen: then nothing is written. Its account must become due for what its owner is to do. */
  async change(seen: Send, change: SendChange, now: number): Promise<boolean> {
    const { organizationId: org, id, version } = seen;
    return (await update.run(conn, { ...seen, ...change, org, id, seen: version, now })) === 1;
  },
});
