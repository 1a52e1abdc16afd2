import { sql } from 'kysely';
import type { AccountKey, Send, SendState } from '../../../model/send.ts';
import { type Conn, statement } from '../../statement.ts';
import { sends } from '../../tables/sends.ts';

type Lane = { caip2: string; account: string };

const due = statement((db, p: Lane & { state: SendState; now: number; limit: number }) =>
  db
    .selectFrom('sends')
    .select(sends.all)
    .where('caip2', '=', p.caip2)
    .where('account', '=', p.account)
    .where('state', '=', p.state)
    .where('due_at', '<=', p.now)
    .orderBy('due_at')
    .orderBy('id')
    .limit(p.limit),
);
const nextDue = statement((db, p: Lane & { state: SendState }) =>
  db
    .selectFrom('sends')
    .select('due_at as dueAt')
    .where('caip2', '=', p.caip2)
    .where('account', '=', p.account)
    .where('state', '=', p.state)
    .orderBy('due_at')
    .limit(1),
);
const byNonce = statement((db, p: Lane & { state: SendState; from: number; below: number; limit: number }) =>
  db
    .selectFrom('sends')
    .select(sends.all)
    .where('caip2', '=', p.caip2)
    .where('account', '=', p.account)
    .where('state', '=', p.state)
    .where('nonce', '>=', p.from)
    .where('nonce', '<', p.below)
    .orderBy('nonce')
    .limit(p.limit),
);
const lastByNonce = statement((db, p: Lane & { state: SendState; limit: number }) =>
  db
    .selectFrom('sends')
    .select(sends.all)
    .where('caip2', '=', p.caip2)
    .where('account', '=', p.account)
    .where('state', '=', p.state)
    .where('nonce', '>=', 0)
    .orderBy('nonce', 'desc')
    .limit(p.limit),
);
const latest = statement((db, p: Lane & { state: SendState; limit: number }) =>
  db
    .selectFrom('sends')
    .select(sends.all)
    .where('caip2', '=', p.caip2)
    .where('account', '=', p.account)
    .where('state', '=', p.state)
    .orderBy('due_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
);
/** The same condition as in the index of sends that have not ended. */
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

// This query has an index that serves nothing else.
const firstMessage = statement((db, p: { caip2: string; fromAddress: string }) =>
  db
    .selectFrom('sends')
    .select('id')
    .where('caip2', '=', p.caip2)
    .where('from_address', '=', p.fromAddress)
    .where('state', '=', sql.lit('queued'))
    .where(sql<boolean>`ordered = 1`)
    .orderBy('id')
    .limit(1),
);
/** The sends of one account, across all organizations. For the account's owner alone. */
export const sendOfAccountReads = (conn: Conn) => ({
  /** The due sends of one account. Queued sends are in the order of acceptance. */
  async due({ caip2, account }: AccountKey, state: SendState, now: number, limit: number): Promise<Send[]> {
    return due.all(conn, { caip2, account, state, now, limit });
  },
  /** When the account's next send in this state is due. Undefined: no send is in this state. */
  async nextDue({ caip2, account }: AccountKey, state: SendState): Promise<number | undefined> {
    return (await nextDue.first(conn, { caip2, account, state }))?.dueAt;
  },
  /** The sends of one account, in the order of nonces. `below` is exclusive. */
  async byNonce(
    { caip2, account }: AccountKey,
    state: SendState,
    { from = 0, below = Number.MAX_SAFE_INTEGER, limit }: { from?: number; below?: number; limit: number },
  ): Promise<Send[]> {
    return byNonce.all(conn, { caip2, account, state, from, below, limit });
  },
  /** The sends with the highest nonces, the highest first. */
  async lastByNonce({ caip2, account }: AccountKey, state: SendState, limit: number): Promise<Send[]> {
    return lastByNonce.all(conn, { caip2, account, state, limit });
  },
  /** The latest sends, the newest first, if their state has an end. */
  async latest({ caip2, account }: AccountKey, state: SendState, limit: number): Promise<Send[]> {
    return latest.all(conn, { caip2, account, state, limit });
  },
  /** The number of sends in this state, which is not final, up to 10,000. Also when the oldest was created. */
  async notOver(caip2: string, state: SendState): Promise<{ count: number; oldest: number | null }> {
    const { count, oldest } = (await notOver.first(conn, { caip2, state, limit: MOST_COUNTED }))!;
    return { count: Number(count), oldest: oldest === null ? null : Number(oldest) };
  },
  /** The first message of an account that waits to be signed, across all organizations. */
  async firstMessage({ caip2, fromAddress }: Pick<Send, 'caip2' | 'fromAddress'>): Promise<string | undefined> {
    return (await firstMessage.first(conn, { caip2, fromAddress }))?.id;
  },
});
