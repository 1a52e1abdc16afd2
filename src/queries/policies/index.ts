import type { QueryKind } from '../../engine/query/declare.ts';
import { getActivePolicies } from './get-active-policies.ts';
import { getPolicy } from './get-policy.ts';
import { getPolicyEvaluations } from './get-policy-evaluations.ts';
import { listPolicies } from './list-policies.ts';
import { replayPolicy } from './replay-policy.ts';
import { simulateActivity } from './simulate-activity.ts';

export const policies: readonly QueryKind[] = [
  getActivePolicies,
  getPolicy,
  getPolicyEvaluations,
  listPolicies,
  replayPolicy,
  simulateActivity,
];
