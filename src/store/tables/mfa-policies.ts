import type { MfaStep } from '../../model/mfa-policy.ts';
import { id, int, json, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const mfaPolicies = table('mfa_policies', {
  organizationId: id(),
  userId: id(),
  id: id(),
  name: text(),
  condition: text(),
  steps: json<MfaStep[]>(),
  order: int(),
  notes: nullable(text()),
  createdAt: int(),
  updatedAt: int(),
});
