import type { AccountKey, Send, SendChange, SendState } from '../../model/send.ts';
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

type Asked = {
  org: string;
  state: SendState | undefined;
  from: string | undefined;
  caip2: string | undefined;
  above: string | undefined;
  below: string | undefined;
  limit: number;
};

/** The newest first; the page before a send, without another end, is read from that send on. */
const ascends = ({ above, below }: Pick<Asked, 'above' | 'below'>): boolean => above !== undefined && below === undefined;

const listed = dynamic({ state: true, from: true, caip2: true, above: true, below: true }, (db, p: Asked) => {
  const fixed = [
    ...(p.state === undefined ? [] : [['state', p.state] as const]),
    ...(p.from === undefined ? [] : [['from_address', p.from] as const]),
    ...(p.caip2 === undefined ? [] : [['caip2', p.caip2] as const]),
  ];
  let found = db.selectFrom('sends').select(sends.all).where('organization_id', '=', p.org);
  for (const [column, value] of fixed) found = found.where(column, '=', value as never);
  return inRange(found, { fixed, key: 'id', above: p.above, below: p.below, descending: !ascends(p), limit: p.limit });
});

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
const insert = statement((db, p: Send) => db.insertInto('sends').values(values(sends, p)));

type Changed = Pick<
  Send,
  'state' | 'nonce' | 'messageNonce' | 'hash' | 'blockNumber' | 'blockHash' | 'error' | 'wish' | 'reservedMicroUsd' | 'dueAt'
>;

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
      reserved_micro_usd: p.reservedMicroUsd,
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
  /** The newest first. `after` is older than the send that it names. */
  async page(org: string, filter: SendFilter, { limit, after, before }: Page): Promise<Send[]> {
    const state = 'state' in filter ? filter.state : undefined;
    const [from, caip2] = 'state' in filter ? [undefined, undefined] : [filter.fromAddress, filter.caip2];
    const asked = { org, state, from, caip2, above: before, below: after, limit };
    const found = await listed.all(conn, asked);
    return ascends(asked) ? found.reverse() : found;
  },
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
