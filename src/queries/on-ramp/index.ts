import type { QueryKind } from '../../engine/query/declare.ts';
import { getOnrampTransactionStatus } from './get-onramp-transaction-status.ts';
import { listFiatOnRampCredentials } from './list-fiat-on-ramp-credentials.ts';

export const onRamp: readonly QueryKind[] = [getOnrampTransactionStatus, listFiatOnRampCredentials];
