import { z } from 'zod';
import { ApiError, invalid } from '../../base/errors.ts';
import { findSends, type SendsAsked, sendsOfActivity } from '../../domain/sends/sends-found.ts';
import { waitsFor } from '../../domain/sends/waits-for.ts';
import { query } from '../../engine/query/declare.ts';
import { parseCaip2 } from '../../model/caip2.ts';
import { isOver, type Send } from '../../model/send.ts';
import type { Reader } from '../../store/types.ts';
import { Id, Pagination, pageOf } from '../../wire/common.ts';
import { notNetwork } from '../../wire/sending.ts';
import { SendRow, SendStatusName, statesOf, viewSend } from '../../wire/sends.ts';

const Milliseconds = z.string().regex(/^\d{1,15}$/, 'must be milliseconds since the epoch, as a string');

const Params = z.strictObject({
  organizationId: Id,
  /** Only this send. */
  sendTransactionStatusId: Id.optional(),
  filterByStatus: z.array(SendStatusName).max(4).optional(),
  filterByCaip2: z.string().max(80).optional(),
  filterByFrom: z.string().min(1).max(100).optional(),
  filterBySponsored: z.boolean().optional(),
  filterByActivityId: Id.optional(),
  /** When the sends were requested, inclusive. */
  createdFromMs: Milliseconds.optional(),
  createdUntilMs: Milliseconds.optional(),
  paginationOptions: Pagination.optional(),
});

function askedOf(params: z.output<typeof Params>): SendsAsked {
  const { filterByStatus, filterByCaip2, filterByFrom, filterBySponsored, createdFromMs, createdUntilMs } = params;
  const network = filterByCaip2 === undefined ? undefined : parseCaip2(filterByCaip2);
  if (filterByCaip2 !== undefined && network === undefined) throw invalid('filterByCaip2', notNetwork(filterByCaip2, 'eip155:1'));
  const isEvm = /^0x[0-9a-fA-F]{40}$/.test(filterByFrom ?? '');
  return {
    states: filterByStatus?.length ? [...new Set(filterByStatus)].flatMap(statesOf) : undefined,
    caip2: network?.caip2,
    fromAddress: isEvm ? filterByFrom?.toLowerCase() : filterByFrom,
    sponsored: filterBySponsored,
    since: createdFromMs === undefined ? undefined : Number(createdFromMs),
    until: createdUntilMs === undefined ? undefined : Number(createdUntilMs),
  };
}

/** The sends that the request names by ids, if it names any. */
async function named(read: Reader, org: string, params: z.output<typeof Params>): Promise<Send[] | undefined> {
  const { sendTransactionStatusId: id, filterByActivityId: activityId } = params;
  if (id !== undefined) {
    const send = await read.sends.get(org, id);
    if (send === undefined) throw new ApiError('NOT_FOUND', `send not found: sendTransactionStatusId names ${id}`);
    return activityId === undefined || send.activityId === activityId ? [send] : [];
  }
  return activityId === undefined ? undefined : sendsOfActivity(read, org, activityId);
}

/** The public interface has no list of sends. */
export const listSends = query({
  name: 'list_sends',
  summary: 'Sends of the organization, newest first. With `next` there may be more: give it as `after`',
  params: Params,
  result: z.object({ sends: z.array(SendRow), next: z.string().optional() }),
  errors: ['NOT_FOUND', 'REQUEST_INVALID'],
  async run({ organization, read }, params) {
    const asked = askedOf(params);
    const some = await named(read, organization.id, params);
    const found = await findSends(read, organization.id, asked, pageOf(params.paginationOptions), some);
    const ids = found.sends.map(({ id }) => id);
    const attempts = await read.sendAttempts.ofSends(organization.id, ids);
    const rows: z.output<typeof SendRow>[] = [];
    for (const send of found.sends) {
      const own = attempts.get(send.id) ?? (isOver(send) ? await read.sendAttempts.ofOver(organization.id, send.id) : []);
      rows.push(viewSend(send, own, await waitsFor(read, send, own)));
    }
    return { sends: rows, ...(found.next === undefined ? {} : { next: found.next }) };
  },
});
