import type { QueryKind } from '../../engine/query/declare.ts';
import { createStreamTicket } from './create-stream-ticket.ts';
import { getActivity } from './get-activity.ts';
import { listActivities } from './list-activities.ts';
import { listAudit } from './list-audit.ts';

export const activities: readonly QueryKind[] = [getActivity, listActivities, listAudit, createStreamTicket];
