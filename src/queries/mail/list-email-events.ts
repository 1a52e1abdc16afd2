import { z } from 'zod';
import { rfc3339 } from '../../base/time.ts';
import { emailOf } from '../../domain/people/contacts.ts';
import { query } from '../../engine/query/declare.ts';
import { EMAIL_EVENT_TYPES, type EmailEvent } from '../../model/email-event.ts';
import { EmailText, filterTypeOf, Id, IdOut, Pagination, pageOf } from '../../wire/common.ts';

const Details = z.object({
  bounceType: z.string().optional(),
  bounceSubType: z.string().optional(),
  diagnosticCode: z.string().optional(),
  deliverySmtpResponse: z.string().optional(),
  deliveryProcessingTimeMillis: z.string().optional(),
  deliveryDelayType: z.string().optional(),
  complaintFeedbackType: z.string().optional(),
});

const Event = z.object({
  id: IdOut,
  organizationId: IdOut,
  messageId: IdOut,
  eventType: z.string(),
  fromAddress: z.string(),
  toAddress: z.string(),
  senderTenant: z.string().optional(),
  timestamp: z.string(),
  createdAt: z.string(),
  details: Details,
});

const view = ({ createdAt, ...event }: EmailEvent): z.output<typeof Event> => ({
  ...event,
  timestamp: rfc3339(createdAt),
  createdAt: rfc3339(createdAt),
});

export const listEmailEvents = query({
  name: 'list_email_events',
  summary: 'Events of the mails to an address in the last 90 days, newest first, as the mail server reports them',
  params: z.object({
    organizationId: Id,
    email: EmailText.min(1, 'must be an email address'),
    eventType: filterTypeOf(EMAIL_EVENT_TYPES),
    paginationOptions: Pagination.optional(),
  }),
  result: z.object({ emailEvents: z.array(Event) }),
  errors: ['INVALID_EMAIL'],
  async run({ read, organization }, { email, eventType, paginationOptions }) {
    const filter = { to: emailOf(email, 'email'), eventType };
    const found = await read.emailEvents.page(organization.id, filter, pageOf(paginationOptions));
    return { emailEvents: found.map(view) };
  },
});
