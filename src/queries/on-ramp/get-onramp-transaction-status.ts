import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';

export const getOnrampTransactionStatus = query({
  name: 'get_onramp_transaction_status',
  summary: 'The status of a purchase at an on-ramp provider: as last seen, or with `refresh` as it is now',
  params: z.object({ organizationId: Id, transactionId: Id, refresh: z.boolean().optional() }),
  result: z.object({ transactionStatus: z.string() }),
  errors: ['NOT_FOUND', 'REQUEST_INVALID', 'FIAT_ON_RAMP_NOT_CONFIGURED'],
  async run({ organization, read, onRamp }, { transactionId, refresh }) {
    const found = await read.onRampTransactions.get(organization.id, transactionId);
    if (found === undefined)
      throw new ApiError('NOT_FOUND', `on-ramp transaction not found: transactionId names ${transactionId}`);
    return { transactionStatus: refresh ? await onRamp.refreshed(found, organization) : found.status };
  },
});
