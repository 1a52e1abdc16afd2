import type { EventType } from '../../model/webhook-event.ts';
import { bytes, id, int, json, nullable, text } from '../columns.ts';
import { position } from '../position.ts';
import { table } from '../table.ts';

export const webhookEvents = table(
  'webhook_events',
  {
    position: position.column,
    id: id(),
    organizationId: id(),
    parentId: nullable(id()),
    eventType: text<EventType>(),
    subject: text(),
    filters: json<Readonly<Record<string, string>>>(),
    body: bytes(),
    createdAt: int(),
  },
  {
    /** Null: its deliveries are not made yet. */
    fannedOutAt: { column: nullable(int()), from: () => null },
  },
);
