import type { EmailEvent, EmailEventType } from '../../../model/email-event.ts';
import type { Page } from '../../page.ts';
import { inRange } from '../../ranges.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { emailEvents } from '../../tables/email-events.ts';

type Filter = { to: string; eventType?: EmailEventType | undefined };
type Asked = {
  org: string;
  to: string;
  eventType: EmailEventType | undefined;
  above: string | undefined;
  below: string | undefined;
  limit: number;
};

/** Events are newest first. A page with `before` alone is read in ascending order from that event. */
const ascends = ({ above, below }: Pick<Asked, 'above' | 'below'>): boolean => above !== undefined && below === undefined;

const find = dynamic({ eventType: true, above: true, below: true }, (db, p: Asked) =>
  inRange(db.selectFrom('email_events').select(emailEvents.all).where('organization_id', '=', p.org).where('to_key', '=', p.to), {
    fixed: [['to_key', p.to], ...(p.eventType === undefined ? [] : ([['event_type', p.eventType]] as const))],
    key: 'id',
    above: p.above,
    below: p.below,
    descending: !ascends(p),
    limit: p.limit,
  }),
);
const insert = statement((db, p: EmailEvent) => db.insertInto('email_events').values(values(emailEvents, p)));
const old = statement((db, p: { before: number; most: number }) =>
  db
    .selectFrom('email_events')
    .select(['organization_id as organizationId', 'id'])
    .where('created_at', '<', p.before)
    .orderBy('created_at')
    .limit(p.most),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('email_events').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const emailEventReads = (conn: Conn) => ({
  /** The events of one address, newest first. `after`: the page continues with events older than this one. */
  async page(org: string, { to, eventType }: Filter, { limit, after, before }: Page): Promise<EmailEvent[]> {
    const asked = { org, to: to.toLowerCase(), eventType, above: before, below: after, limit };
    const found = await find.all(conn, asked);
    return ascends(asked) ? found.reverse() : found;
  },
});

export const emailEventWrites = (conn: Conn) => ({
  async insert(event: EmailEvent): Promise<void> {
    await insert.run(conn, event);
  },
  /** Deletes some events from before a time. Returns how many. */
  async sweep(before: number, most: number): Promise<number> {
    const found = await old.all(conn, { before, most });
    for (const { organizationId, id } of found) await remove.run(conn, { org: organizationId, id });
    return found.length;
  },
});
