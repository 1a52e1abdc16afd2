import type { ActivityKind } from '../../engine/activity/declare.ts';
import { countersignCancelSend } from './countersign-cancel-send.ts';
import { countersignSpeedUpSend } from './countersign-speed-up-send.ts';

export const sending: readonly ActivityKind[] = [countersignCancelSend, countersignSpeedUpSend];
