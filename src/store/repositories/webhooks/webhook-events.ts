import { sql } from 'kysely';
import type { NewWebhookEvent, SentEvent, WaitingEvent, WebhookEvent } from '../../../model/webhook-event.ts';
import { int, list } from '../../columns.ts';
import { inLists } from '../../lists.ts';
import type { Schema } from '../../schema.ts';
import { type Conn, dynamic, statement, written } from '../../statement.ts';
import { values } from '../../table.ts';
import { webhookEvents } from '../../tables/webhook-events.ts';

/** The database gives the position. */
function unplaced(row: Schema['webhook_events']): Omit<Schema['webhook_events'], 'position'> {
  const { position: byDatabase, ...rest } = row;
  return rest;
}

export const insertEvent = statement((db, p: NewWebhookEvent) =>
  db.insertInto('webhook_events').values(unplaced(values(webhookEvents, p as WebhookEvent)) as Schema['webhook_events']),
);
const waiting = statement((db, p: { after: number; limit: number }) =>
  db
    .selectFrom('webhook_events')
    .select(webhookEvents.all.filter((column) => column !== 'body'))
    .where('fanned_out_at', 'is', null)
    .where('position', '>', p.after)
    .orderBy('fanned_out_at')
    .orderBy('position')
    .limit(p.limit),
);
const at = dynamic({}, (db, p: { positions: readonly number[] }) =>
  db.selectFrom('webhook_events').select(webhookEvents.all).where('position', 'in', p.positions),
);
const sent = dynamic({}, (db, p: { positions: readonly number[] }) =>
  db
    .selectFrom('webhook_events')
    .select(['position', 'id', 'event_type as eventType', 'body'])
    .where('position', 'in', p.positions),
);
const stillStored = dynamic({}, (db, p: { positions: readonly number[] }) =>
  db.selectFrom('webhook_events').select('position').where('position', 'in', p.positions),
);
const sizes = dynamic({}, (db, p: { positions: readonly number[] }) =>
  db
    .selectFrom('webhook_events')
    .select(['position', sql<number>`length(body)`.as('size')])
    .where('position', 'in', p.positions),
);
const { position } = webhookEvents.model;
const mark = {
  sqlite: written('sqlite')('UPDATE webhook_events SET fanned_out_at = ? WHERE position = ?', int(), position),
  postgres: written('postgres')('UPDATE webhook_events SET fanned_out_at = $1 WHERE position = ANY($2)', int(), list(position)),
};
const removal = {
  sqlite: written('sqlite')('DELETE FROM webhook_events WHERE position = ?', position),
  postgres: written('postgres')('DELETE FROM webhook_events WHERE position = ANY($1)', list(position)),
};
const old = statement((db, p: { before: number; limit: number }) =>
  db.selectFrom('webhook_events').select('position').where('created_at', '<', p.before).orderBy('created_at').limit(p.limit),
);

export async function removeEvents(conn: Conn, positions: readonly number[]): Promise<void> {
  if (conn.engine === 'postgres') await removal.postgres.run(conn, [positions]);
  else for (const position of positions) await removal.sqlite.run(conn, [position]);
}

export const webhookEventReads = (conn: Conn) => ({
  /** Events without deliveries yet, of all organizations, in the order of positions. `after`: exclusive. */
  async waiting(limit: number, after = 0): Promise<WaitingEvent[]> {
    return waiting.all(conn, { after, limit });
  },
  /** Those of the events that still exist, in no order. */
  async at(positions: readonly number[]): Promise<WebhookEvent[]> {
    return inLists(positions, (some) => at.all(conn, { positions: some }));
  },
  /** The parts that are sent of those of the events that still exist, in no order. */
  async sent(positions: readonly number[]): Promise<SentEvent[]> {
    return inLists(positions, (some) => sent.all(conn, { positions: some }));
  },
  /** The bytes of the bodies of those events that still exist, in no order. */
  async sizes(positions: readonly number[]): Promise<{ position: number; size: number }[]> {
    return inLists(positions, (some) => sizes.all(conn, { positions: some }));
  },
  /** The positions of those events that still exist, in no order. Their bodies are not read. */
  async stillStored(positions: readonly number[]): Promise<number[]> {
    return (await inLists(positions, (some) => stillStored.all(conn, { positions: some }))).map(({ position }) => position);
  },
});

export const webhookEventWrites = (conn: Conn) => ({
  async insert(event: NewWebhookEvent): Promise<void> {
    await insertEvent.run(conn, event);
  },
  /** Their deliveries were made in this transaction. */
  async fannedOut(positions: readonly number[], now: number): Promise<void> {
    if (conn.engine === 'postgres') await mark.postgres.run(conn, [now, positions]);
    else for (const position of positions) await mark.sqlite.run(conn, [now, position]);
  },
  /** For events that no endpoint and no stream receives. */
  async remove(positions: readonly number[]): Promise<void> {
    await removeEvents(conn, positions);
  },
  /** Removes events that were made before a time, whatever became of them. True if there may be more. */
  async sweep(before: number, limit: number): Promise<boolean> {
    const found = await old.all(conn, { before, limit });
    await removeEvents(
      conn,
      found.map(({ position }) => position),
    );
    return found.length === limit;
  },
});
