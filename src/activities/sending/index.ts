import type { ActivityKind } from '../../engine/activity/declare.ts';
import { countersignCancelSend } from './countersign-cancel-send.ts';
import { countersignSpeedUpSend } from './countersign-speed-up-send.ts';
import { ethSendRawTransaction } from './eth-send-raw-transaction.ts';
import { ethSendTransaction } from './eth-send-transaction.ts';
import { ethUndelegate7702 } from './eth-undelegate-7702.ts';
import { solSendTransaction } from './sol-send-transaction.ts';

export const sending: readonly ActivityKind[] = [
  ethSendRawTransaction,
  ethSendTransaction,
  ethUndelegate7702,
  solSendTransaction,
  countersignCancelSend,
  countersignSpeedUpSend,
];
