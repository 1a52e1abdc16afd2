import { z } from 'zod';
import { rfc3339 } from '../base/time.ts';
import type { ScannedTransaction } from '../model/scan.ts';
import type { Send } from '../model/send.ts';
import { Id, Pagination } from './common.ts';
import { Caip2 } from './sending.ts';

export const HistoryParams = z.object({
  organizationId: Id,
  address: z.string().max(256),
  caip2: Caip2,
  paginationOptions: Pagination.optional(),
});

/** The parts of a history's transaction that are alike on all chains. */
export const HistoryParts = {
  block: z.object({ number: z.string(), hash: z.string(), timestamp: z.string() }),
  status: z.enum(['CONFIRMED', 'FINALIZED']),
  origin: z.string(),
  fee: z.object({ amount: z.string(), caip19: z.string() }),
  transfers: z.array(
    z.object({
      direction: z.enum(['IN', 'OUT']),
      asset: z.object({ caip19: z.string(), symbol: z.string(), name: z.string(), decimals: z.int() }).optional(),
      amount: z.string(),
      counterparty: z.string(),
      display: z.object({ crypto: z.string().optional(), usd: z.string().optional() }).optional(),
    }),
  ),
  turnkey: z
    .object({ sponsored: z.boolean(), activityFingerprint: z.string().optional(), submittedAt: z.string().optional() })
    .optional(),
  executionFailed: z.boolean().optional(),
};

export const PageInfo = z.object({
  hasNextPage: z.boolean(),
  hasPreviousPage: z.boolean(),
  startCursor: z.string().optional(),
  endCursor: z.string().optional(),
});

type Shown = {
  row: ScannedTransaction;
  /** The organization's send, and the fingerprint of its activity. */
  own: { send: Send; fingerprint: string | undefined } | undefined;
  /** The native coin. */
  feeCaip19: string;
};

export function viewHistoryParts({ row, own, feeCaip19 }: Shown) {
  const { blockNumber, blockHash, blockTime, fee, transfers, failed, finalized } = row;
  return {
    block: { number: String(blockNumber), hash: blockHash, timestamp: rfc3339(blockTime) },
    status: finalized ? ('FINALIZED' as const) : ('CONFIRMED' as const),
    origin: own === undefined ? 'EXTERNAL' : 'TURNKEY',
    fee: { amount: fee, caip19: feeCaip19 },
    transfers: [...transfers],
    ...(own !== undefined && {
      turnkey: {
        sponsored: own.send.sponsored,
        ...(own.fingerprint !== undefined && { activityFingerprint: own.fingerprint }),
        submittedAt: rfc3339(own.send.createdAt),
      },
    }),
    ...(failed && { executionFailed: true }),
  };
}
