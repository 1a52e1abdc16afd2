import type { ExpressionBuilder } from 'kysely';
import type { Schema } from '../../schema.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { type OutboxMessage, type OutboxState, outbox } from '../../tables/outbox.ts';

export const insertMessage = statement((db, p: OutboxMessage) => db.insertInto('outbox').values(values(outbox, p)));

/** A message that is due. `dueAt` is the value that was read. */
export type DueMessage = { id: string; payerId: string; dueAt: number };

/** Whether an earlier message of the activity was not sent yet. */
const behind = (e: ExpressionBuilder<Schema & { o: Schema['outbox'] }, 'o'>, topic: string) =>
  e.exists(
    e
      .selectFrom('outbox as earlier')
      .select('earlier.id')
      .whereRef('earlier.activity_id', '=', 'o.activity_id')
      .whereRef('earlier.id', '<', 'o.id')
      .where('earlier.topic', '=', topic)
      .where('earlier.state', '=', 'ready'),
  );
const due = statement((db, p: { topic: string; now: number; limit: number }) =>
  db
    .selectFrom('outbox as o')
    .select(['o.id', 'o.payer_id as payerId', 'o.due_at as dueAt'])
    .select((e) => behind(e, p.topic).as('isBehind'))
    .where('o.state', '=', 'ready')
    .where('o.topic', '=', p.topic)
    .where('o.due_at', '<=', p.now)
    .orderBy('o.due_at')
    .orderBy('o.id')
    .limit(p.limit),
);
const dueOf = statement((db, p: { topic: string; payerId: string; now: number; limit: number }) =>
  db
    .selectFrom('outbox as o')
    .select(['o.id', 'o.payer_id as payerId', 'o.due_at as dueAt'])
    .where('o.state', '=', 'ready')
    .where('o.topic', '=', p.topic)
    .where('o.payer_id', '=', p.payerId)
    .where('o.due_at', '<=', p.now)
    .where((e) => e.not(behind(e, p.topic)))
    .orderBy('o.due_at')
    .orderBy('o.id')
    .limit(p.limit),
);
const payer = dynamic({ after: true }, (db, { after, topic }: { topic: string; after: string | undefined }) => {
  const found = db
    .selectFrom('outbox')
    .select('payer_id as payerId')
    .where('state', '=', 'ready')
    .where('topic', '=', topic)
    .where('payer_id', 'is not', null)
    .orderBy('payer_id')
    .limit(1);
  return after === undefined ? found : found.where('payer_id', '>', after);
});
const next = statement((db, p: { topic: string }) =>
  db
    .selectFrom('outbox')
    .select('due_at as dueAt')
    .where('state', '=', 'ready')
    .where('topic', '=', p.topic)
    .orderBy('due_at')
    .limit(1),
);
const claim = statement((db, p: { id: string; seenDue: number; until: number }) =>
  db
    .updateTable('outbox')
    .set((e) => ({ due_at: p.until, attempts: e('attempts', '+', 1) }))
    .where('id', '=', p.id)
    .where('state', '=', 'ready')
    .where('due_at', '=', p.seenDue),
);
const whole = statement((db, p: { id: string }) => db.selectFrom('outbox').select(outbox.all).where('id', '=', p.id));
/** Only while no other process has claimed the message since. */
const settle = statement((db, p: { id: string; attempts: number; state: OutboxState; due: number; error: string }) =>
  db
    .updateTable('outbox')
    .set({ state: p.state, due_at: p.due, last_error: p.error })
    .where('id', '=', p.id)
    .where('attempts', '=', p.attempts)
    .where('state', '=', 'ready'),
);
const remove = statement((db, p: { id: string }) => db.deleteFrom('outbox').where('id', '=', p.id));
const expired = statement((db, p: { now: number; limit: number }) =>
  db
    .selectFrom('outbox')
    .select(['id', 'state', 'topic', 'organization_id as organizationId', 'activity_id as activityId', 'attempts'])
    .where('expires_at', '<=', p.now)
    .orderBy('expires_at')
    .orderBy('id')
    .limit(p.limit),
);
const expire = statement((db, p: { id: string; until: number }) =>
  db.updateTable('outbox').set({ state: 'expired', payload: '', expires_at: p.until }).where('id', '=', p.id),
);
/** With the compared pair PostgreSQL uses the index on both columns, even if it expects nearly all messages in this state. */
const byState = statement((db, p: { state: OutboxState; after: string; limit: number }) =>
  db
    .selectFrom('outbox')
    .select(outbox.all)
    .select(['state', 'due_at as dueAt', 'last_error as lastError'])
    .where('state', '=', p.state)
    .where((e) => e(e.refTuple('state', 'id'), '>', e.tuple(p.state, p.after)))
    .orderBy('state')
    .orderBy('id')
    .limit(p.limit),
);
const one = statement((db, p: { id: string }) =>
  db
    .selectFrom('outbox')
    .select(outbox.all)
    .select(['state', 'due_at as dueAt', 'last_error as lastError'])
    .where('id', '=', p.id),
);
const retry = statement((db, p: { id: string; now: number }) =>
  db.updateTable('outbox').set({ state: 'ready', attempts: 0, due_at: p.now }).where('id', '=', p.id).where('state', '=', 'dead'),
);

export type ListedMessage = Omit<OutboxMessage, 'payload'> & { state: OutboxState; dueAt: number; lastError: string };

const withoutPayload = ({ payload: _, ...message }: ListedMessage & { payload: string }): ListedMessage => message;

/** A message that has expired. */
export type ExpiredMessage = Pick<OutboxMessage, 'id' | 'topic' | 'organizationId' | 'activityId' | 'attempts'>;

export const outboxReads = (conn: Conn) => ({
  /** When the topic's next message is due. Undefined: no message waits. */
  async nextDue(topic: string): Promise<number | undefined> {
    return (await next.first(conn, { topic }))?.dueAt;
  },
  /** The first due messages of all payers. `isBehind`: an earlier message of the same activity must be sent first. */
  async due(topic: string, now: number, limit: number): Promise<(DueMessage & { isBehind: boolean })[]> {
    const rows = await due.all(conn, { topic, now, limit });
    return rows.map((row) => ({ ...row, isBehind: Boolean(row.isBehind) }));
  },
  /** The first due messages of a payer, without those that are behind an earlier message of their activity. */
  async dueOf(topic: string, payerId: string, now: number, limit: number): Promise<DueMessage[]> {
    return dueOf.all(conn, { topic, payerId, now, limit });
  },
  /** The next payer with waiting messages, in the order of ids. */
  async payer(topic: string, after?: string): Promise<string | undefined> {
    return (await payer.all(conn, { topic, after }))[0]?.payerId;
  },
  async get(id: string): Promise<ListedMessage | undefined> {
    const found = await one.first(conn, { id });
    return found && withoutPayload(found);
  },
  /** In the order of ids, which is the order of creation. */
  async page(state: OutboxState, limit: number, after = ''): Promise<ListedMessage[]> {
    return (await byState.all(conn, { state, after, limit })).map(withoutPayload);
  },
});

/** `payerId` is needed if the organization has a parent. The default is the organization itself. */
type NewMessage = Omit<OutboxMessage, 'attempts' | 'expiresAt' | 'payerId'> &
  Partial<Pick<OutboxMessage, 'expiresAt' | 'payerId'>>;

export const outboxWrites = (conn: Conn) => ({
  async insert(m: NewMessage): Promise<void> {
    await insertMessage.run(conn, { expiresAt: null, payerId: m.organizationId, ...m, attempts: 0 });
  },
  /**
   * Claims messages that were found due, with a lease. If the process dies, they are due again when the lease ends. Messages that
   * another process has claimed meanwhile are left out. The order is fixed, so that two processes never wait for each other.
   */
  async claim(found: readonly Pick<DueMessage, 'id' | 'dueAt'>[], until: number): Promise<OutboxMessage[]> {
    const claimed: OutboxMessage[] = [];
    for (const { id, dueAt } of found.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
      if ((await claim.run(conn, { id, seenDue: dueAt, until })) === 1) claimed.push((await whole.first(conn, { id }))!);
    return claimed;
  },
  /** The message was sent: its row is removed. */
  async done(id: string): Promise<void> {
    await remove.run(conn, { id });
  },
  /** `attempts`: the value when the message was claimed. A message that another process has claimed since is not changed. */
  async retryAt({ id, attempts }: Pick<OutboxMessage, 'id' | 'attempts'>, due: number, error: string): Promise<void> {
    await settle.run(conn, { id, attempts, state: 'ready', due, error });
  },
  async dead({ id, attempts }: Pick<OutboxMessage, 'id' | 'attempts'>, error: string): Promise<void> {
    await settle.run(conn, { id, attempts, state: 'dead', due: 0, error });
  },
  /**
   * Drops the payloads of expired messages, sent or not, and the rows of messages that expired `keptMs` ago. Returns the newly expired
   * messages, and whether there may be more.
   */
  async sweep(now: number, keptMs: number, limit: number): Promise<{ expired: ExpiredMessage[]; more: boolean }> {
    const found = await expired.all(conn, { now, limit });
    for (const { id, state } of found)
      if (state === 'expired') await remove.run(conn, { id });
      else await expire.run(conn, { id, until: now + keptMs });
    return { expired: found.filter(({ state }) => state !== 'expired'), more: found.length === limit };
  },
  /** Makes a dead message ready again. False if it is not dead. */
  async retry(id: string, now: number): Promise<boolean> {
    return (await retry.run(conn, { id, now })) === 1;
  },
});
