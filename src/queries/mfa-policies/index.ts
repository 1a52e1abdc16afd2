import type { QueryKind } from '../../engine/query/declare.ts';
import { getMfaPolicies } from './get-mfa-policies.ts';
import { getMfaPolicy } from './get-mfa-policy.ts';
import { getMfaStatus } from './get-mfa-status.ts';

export const mfaPolicies: readonly QueryKind[] = [getMfaPolicies, getMfaPolicy, getMfaStatus];
