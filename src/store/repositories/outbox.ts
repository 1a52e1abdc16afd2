import { type Conn, statement } from '../statement.ts';
import { values } from '../table.ts';
import { type OutboxMessage, outbox } from '../tables/outbox.ts';

export const insertMessage = statement((db, p: OutboxMessage) => db.insertInto('outbox').values(values(outbox, p)));
const due = statement((db, p: { topic: string; now: number; limit: number }) =>
  db
    .selectFrom('outbox as o')
    .select([...outbox.all, 'due_at as dueAt'])
    .where('o.state', '=', 'ready')
    .where('o.topic', '=', p.topic)
    .where('o.due_at', '<=', p.now)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('outbox as earlier')
            .select('earlier.id')
            .whereRef('earlier.activity_id', '=', 'o.activity_id')
            .whereRef('earlier.id', '<', 'o.id')
            .where('earlier.topic', '=', p.topic)
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
const settle = statement((db, p: { id: string; state: 'ready' | 'done' | 'dead'; due: number }) =>
  db.updateTable('outbox').set({ state: p.state, due_at: p.due }).where('id', '=', p.id),
);

export const outboxWrites = (conn: Conn) => ({
  async insert(m: Omit<OutboxMessage, 'attempts'>): Promise<void> {
    await insertMessage.run(conn, { ...m, attempts: 0 });
  },
  /**
   * Claims due messages of a topic with a lease. If the process dies, the messages are due again when the lease ends.
   * Returns only the oldest unsent message of each activity, so that those of one topic leave in order.
   */
  async claim(topic: string, now: number, leaseMs: number, limit: number): Promise<OutboxMessage[]> {
    const claimed: OutboxMessage[] = [];
    for (const { dueAt, ...message } of await due.all(conn, { topic, now, limit })) {
      if ((await claim.run(conn, { id: message.id, seenDue: dueAt, until: now + leaseMs })) === 1)
        claimed.push({ ...message, attempts: message.attempts + 1 });
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
