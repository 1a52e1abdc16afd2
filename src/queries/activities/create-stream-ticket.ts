import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { wireTimestamp } from '../../base/time.ts';
import { query } from '../../engine/query/declare.ts';
import { Id, Timestamp } from '../../wire/common.ts';

/** The public interface has no streams. */
export const createStreamTicket = query({
  name: 'create_stream_ticket',
  summary: 'A ticket for one stream of the activities of the organization, at GET /public/v1/stream/activities within a minute',
  params: z.strictObject({ organizationId: Id, subOrganizations: z.boolean().optional(), brief: z.boolean().optional() }),
  result: z.object({ ticket: z.string(), expiresAt: Timestamp }),
  errors: ['REQUEST_INVALID'],
  async run(ctx, { subOrganizations = false, brief = false }) {
    if (subOrganizations && brief)
      throw invalid('brief', 'cannot be combined with subOrganizations, whose activities no brief stream has: leave one out');
    const { ticket, expiresAt } = ctx.newTicket({ subOrganizations, brief });
    return { ticket, expiresAt: wireTimestamp(expiresAt) };
  },
});
