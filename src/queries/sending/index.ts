import type { QueryKind } from '../../engine/query/declare.ts';
import { getNonces } from './get-nonces.ts';
import { getSendTransactionStatus } from './get-send-transaction-status.ts';
import { listSends } from './list-sends.ts';

export const sending: readonly QueryKind[] = [getNonces, getSendTransactionStatus, listSends];
