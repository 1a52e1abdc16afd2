import type { Schema } from '../schema.ts';
import { type Conn, statement } from '../statement.ts';

export type Message = {
  id: string;
  organizationId: string;
  activityId: string;
  topic: string;
  payload: string;
  attempts: number;
  createdAt: number;
};

type Row = Schema['outbox'];

const insert = statement((db, p: Row) =>
  db.insertInto('outbox').values({
    id: p.id,
    organization_id: p.organization_id,
    activity_id: p.activity_id,
    topic: p.topic,
    payload: p.payload,
    state: p.state,
    attempts: p.attempts,
    due_at: p.due_at,
    created_at: p.created_at,
  }),
);
const due = statement((db, p: { now: number; limit: number }) =>
  db
    .selectFrom('outbox as o')
    .selectAll('o')
    .where('o.state', '=', 'ready')
    .where('o.due_at', '<=', p.now)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('outbox as earlier')
            .select('earlier.id')
            .whereRef('earlier.activity_id', '=', 'o.activity_id')
            .whereRef('earlier.id', '<', 'o.id')
            .where('earlier.state', '=', 'ready'),
        ),
      ),
    )
    .orderBy('o.due_at')
    .orderBy('o.id')
    .limit(p.limit),
);
const claim = statement((db, p: { id: string; seenDue: number; until: number }) =>
  db
    .updateTable('outbox')
    .set((e) => ({ due_at: p.until, attempts: e('attempts', '+', 1) }))
    .where('id', '=', p.id)
    .where('state', '=', 'ready')
    .where('due_at', '=', p.seenDue),
);
const settle = statement((db, p: { id: string; state: string; due: number }) =>
  db.updateTable('outbox').set({ state: p.state, due_at: p.due }).where('id', '=', p.id),
);

export const outboxWrites = (conn: Conn) => ({
  async insert(m: Omit<Message, 'attempts'>): Promise<void> {
    await insert.run(conn, {
      id: m.id,
      organization_id: m.organizationId,
      activity_id: m.activityId,
      topic: m.topic,
      payload: m.payload,
      state: 'ready',
      attempts: 0,
      due_at: m.createdAt,
      created_at: m.createdAt,
    });
  },
  /**
   * Takes messages that are due and gives them a lease: whoever dies with one loses it when the lease ends.
   * Of one activity only the oldest unsent message is given out, so they leave in order.
   */
  async claim(now: number, leaseMs: number, limit: number): Promise<Message[]> {
    const claimed: Message[] = [];
    for (const row of await due.all(conn, { now, limit })) {
      if ((await claim.run(conn, { id: row.id, seenDue: row.due_at, until: now + leaseMs })) === 1) {
        claimed.push({
          id: row.id,
          organizationId: row.organization_id,
          activityId: row.activity_id,
          topic: row.topic,
          payload: row.payload,
          attempts: row.attempts + 1,
          createdAt: row.created_at,
        });
      }
    }
    return claimed;
  },
  async done(id: string): Promise<void> {
    await settle.run(conn, { id, state: 'done', due: 0 });
  },
  async retryAt(id: string, due: number): Promise<void> {
    await settle.run(conn, { id, state: 'ready', due });
  },
  async dead(id: string): Promise<void> {
    await settle.run(conn, { id, state: 'dead', due: 0 });
  },
});
