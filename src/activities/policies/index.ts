import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createPolicies } from './create-policies.ts';
import { createPolicy } from './create-policy.ts';
import { deletePolicies } from './delete-policies.ts';
import { deletePolicy } from './delete-policy.ts';
import { updatePolicy } from './update-policy.ts';

export const policies: readonly ActivityKind[] = [createPolicies, createPolicy, deletePolicies, deletePolicy, updatePolicy];
