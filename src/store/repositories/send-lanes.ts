import { sql } from 'kysely';
import type { AccountKey, Send, SendState } from '../../model/send.ts';
import { type Conn, statement } from '../statement.ts';
import { sends } from '../tables/sends.ts';

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
// By an index of nothing else.
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
/** The sends of one account, of whatever organization: for its owner alone. */
export const sendLaneReads = (conn: Conn) => ({
  /** Of one account, whose time has come: the queued ones in the order of acceptance. */
  async due({ caip2, account }: AccountKey, state: SendState, now: number, limit: number): Promise<Send[]> {
    return due.all(conn, { caip2, account, state, now, limit });
  },
  /** When one of the account is due next. Undefined: none is in this state. */
  async nextDue({ caip2, account }: AccountKey, state: SendState): Promise<number | undefined> {
    return (await nextDue.first(conn, { caip2, account, state }))?.dueAt;
  },
  /** Of one account, in the order of nonces. `below`: exclusive. */
  async byNonce(
    { caip2, account }: AccountKey,
    state: SendState,
    { from = 0, below = Number.MAX_SAFE_INTEGER, limit }: { from?: number; below?: number; limit: number },
  ): Promise<Send[]> {
    return byNonce.all(conn, { caip2, account, state, from, below, limit });
  },
  /** Those with the highest nonces, the highest first. */
  async lastByNonce({ caip2, account }: AccountKey, state: SendState, limit: number): Promise<Send[]> {
    return lastByNonce.all(conn, { caip2, account, state, limit });
  },
  /** The first of the messages of an account that wait to be signed, whoever brings them. */
  async firstMessage({ caip2, fromAddress }: Pick<Send, 'caip2' | 'fromAddress'>): Promise<string | undefined> {
    return (await firstMessage.first(conn, { caip2, fromAddress }))?.id;
  },
});
