import type { QueryKind } from '../../engine/query/declare.ts';
import { createStreamTicket } from './create-stream-ticket.ts';
import { getActivity } from './get-activity.ts';
import { listActivities } from './list-activities.ts';
import { listAudit } from './list-audit.ts';
import { listWaitingActivities } from './list-waiting-activities.ts';
import { reviewActivity } from './review-activity.ts';

export const activities: readonly QueryKind[] = [
  getActivity,
  listActivities,
  listWaitingActivities,
  listAudit,
  reviewActivity,
  createStreamTicket,
];
