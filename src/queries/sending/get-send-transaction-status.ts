import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { SendStatusOut, viewSendStatus } from '../../wire/sends.ts';

export const getSendTransactionStatus = query({
  name: 'get_send_transaction_status',
  summary: 'The status of a send, and why it failed or reverted',
  params: z.object({ organizationId: Id, sendTransactionStatusId: Id }),
  result: SendStatusOut,
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { sendTransactionStatusId: id }) {
    const send = await read.sends.get(organization.id, id);
    if (send === undefined) throw new ApiError('NOT_FOUND', `send not found: sendTransactionStatusId names ${id}`);
    return viewSendStatus(send);
  },
});
