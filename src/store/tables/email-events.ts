import type { EmailEventDetails, EmailEventType } from '../../model/email-event.ts';
import { id, int, json, text } from '../columns.ts';
import { table } from '../table.ts';

/** Delivery events of mails. */
export const emailEvents = table(
  'email_events',
  {
    organizationId: id(),
    id: id(),
    messageId: text(),
    eventType: text<EmailEventType>(),
    fromAddress: text(),
    toAddress: text(),
    details: json<EmailEventDetails>(),
    createdAt: int(),
  },
  {
    /** Addresses are compared case-insensitively. */
    toKey: { column: text(), from: ({ toAddress }) => toAddress.toLowerCase() },
  },
);
