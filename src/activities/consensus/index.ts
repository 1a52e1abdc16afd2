import type { ActivityKind } from '../../engine/activity/declare.ts';
import { approveActivity } from './approve-activity.ts';
import { rejectActivity } from './reject-activity.ts';

export const consensus: readonly ActivityKind[] = [approveActivity, rejectActivity];
