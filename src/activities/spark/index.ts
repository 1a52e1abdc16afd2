import type { ActivityKind } from '../../engine/activity/declare.ts';
import { sparkClaimTransfer } from './spark-claim-transfer.ts';
import { sparkPrepareLightningReceive } from './spark-prepare-lightning-receive.ts';
import { sparkPrepareTransfer } from './spark-prepare-transfer.ts';
import { sparkSignFrost } from './spark-sign-frost.ts';

export const spark: readonly ActivityKind[] = [
  sparkSignFrost,
  sparkPrepareTransfer,
  sparkClaimTransfer,
  sparkPrepareLightningReceive,
];
