import { sql } from 'kysely';
import { NEXT_STATES, type Send, type SendChange, type SendState } from '../../../model/send.ts';
import type { Page } from '../../page.ts';
import { inRange } from '../../ranges.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { sends } from '../../tables/sends.ts';
import { orArchived } from '../activities/archived.ts';

/** By state, or by the user's account and the network. */
export type SendFilter = { state: SendState } | { fromAddress?: string | undefined; caip2?: string | undefined };

/** Archive tables have the same columns. */
type From = 'sends' | 'archived_sends';

const getFrom = (table: From) =>
  statement((db, p: { org: string; id: string }) =>
    db
      .selectFrom(table as 'sends')
      .select(sends.all)
      .where('organization_id', '=', p.org)
      .where('id', '=', p.id),
  );
const get = getFrom('sends');
const getArchived = getFrom('archived_sends');

const ofActivityFrom = (table: From) =>
  statement((db, p: { org: string; activity: string }) =>
    db
      .selectFrom(table as 'sends')
      .select(sends.all)
      .where('organization_id', '=', p.org)
      .where('activity_id', '=', p.activity)
      .orderBy('id', 'desc'),
  );
const ofActivity = ofActivityFrom('sends');
const ofArchivedActivity = ofActivityFrom('archived_sends');

type Edges = { above: string | undefined; below: string | undefined; limit: number };
type OfState = Edges & { org: string; state: SendState };
type OfPlace = Edges & { org: string; from: string | undefined; caip2: string | undefined };

/** Sends are newest first. A page with `before` alone is read in ascending order from that send. */
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
/** An address on one network, and a place among its mined sends: the number of a block, then a send. */
type MinedFrom = { org: string; from: string; caip2: string; block: number; id: string; limit: number };

const minedFrom = (descending: boolean) =>
  statement((db, p: MinedFrom) =>
    inRange(
      db
        .selectFrom('sends')
        .select(sends.all)
        .where('organization_id', '=', p.org)
        // The same condition as in the index.
        .where(sql<boolean>`state in ('included', 'final')`),
      {
        fixed: [
          ['from_address', p.from],
          ['caip2', p.caip2],
        ],
        key: ['block_number', 'id'],
        above: descending ? undefined : [p.block, p.id],
        below: descending ? [p.block, p.id] : undefined,
        descending,
        limit: p.limit,
      },
    ),
  );
const minedBefore = minedFrom(true);
const minedAfter = minedFrom(false);
const insert = statement((db, p: Send) => db.insertInto('sends').values(values(sends, p)));

type Changed = Pick<
  Send,
  'state' | 'nonce' | 'messageNonce' | 'hash' | 'blockNumber' | 'blockHash' | 'error' | 'wish' | 'spent' | 'dueAt'
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
      spent: p.spent,
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
    const named = { org, id };
    return orArchived(conn, get.first(conn, named), (archive) => getArchived.first(archive, named));
  },
  /** The sends of one activity, newest first. */
  async ofActivity(org: string, activity: string): Promise<Send[]> {
    const named = { org, activity };
    const here = await ofActivity.all(conn, named);
    return here.length > 0 || !conn.archive ? here : ofArchivedActivity.all(conn.archive, named);
  },
  /** Newest first. `after`: the page continues with sends older than this one. */
  async page(org: string, filter: SendFilter, { limit, after, before }: Page): Promise<Send[]> {
    const edges = { above: before, below: after, limit };
    const found =
      'state' in filter
        ? await ofState.all(conn, { org, state: filter.state, ...edges })
        : await ofPlace.all(conn, { org, from: filter.fromAddress, caip2: filter.caip2, ...edges });
    return ascends(edges) ? found.reverse() : found;
  },
  /** Sends of one address that a block has, by block, from a place that is exclusive. `older`: the newest first; else the oldest first. */
  async mined(
    { organizationId: org, fromAddress: from, caip2 }: Pick<Send, 'organizationId' | 'fromAddress' | 'caip2'>,
    { block, id }: { block: number; id: string },
    older: boolean,
    limit: number,
  ): Promise<Send[]> {
    return (older ? minedBefore : minedAfter).all(conn, { org, from, caip2, block, id, limit });
  },
});

export const sendWrites = (conn: Conn) => ({
  /** Call `acceptSend` of `src/domain/sends/sends.ts` instead: the account must become due too. */
  async insert(send: Send): Promise<void> {
    await insert.run(conn, send);
  },
  /**
   * False if the send has changed since it was read: then nothing is written. If the change gives the account's owner work, the account
   * must become due. Throws if no send in its state may get the new state.
   */
  async change(seen: Send, change: SendChange, now: number): Promise<boolean> {
    const state = change.state ?? seen.state;
    if (!NEXT_STATES[seen.state].includes(state))
      throw new Error(`illegal transition: send ${seen.id} is ${seen.state}, and cannot become ${state}`);
    const { organizationId: org, id, version } = seen;
    return (await update.run(conn, { ...seen, ...change, org, id, seen: version, now })) === 1;
  },
});
