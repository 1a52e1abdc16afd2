import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createMfaPolicy } from './create-mfa-policy.ts';
import { deleteMfaPolicy } from './delete-mfa-policy.ts';
import { updateMfaPolicy } from './update-mfa-policy.ts';

export const mfaPolicies: readonly ActivityKind[] = [createMfaPolicy, deleteMfaPolicy, updateMfaPolicy];
