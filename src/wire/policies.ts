import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import type { Policy as PolicyModel } from '../model/policy.ts';
import { Id, IdOut, Label, Timestamp } from './common.ts';

export const Effect = z.enum(['EFFECT_ALLOW', 'EFFECT_DENY'], { error: 'must be EFFECT_ALLOW or EFFECT_DENY' });

export const Expression = z.string().max(16_384, 'must have at most 16384 characters');

export const Notes = z.string().max(4096, 'must have at most 4096 characters');

const OPERATORS = [
  'EQUAL',
  'MORE_THAN',
  'MORE_THAN_OR_EQUAL',
  'LESS_THAN',
  'LESS_THAN_OR_EQUAL',
  'CONTAINS',
  'NOT_EQUAL',
  'IN',
  'NOT_IN',
  'CONTAINS_ONE',
  'CONTAINS_ALL',
].map((name) => `OPERATOR_${name}`);

export const Operator = z.enum(OPERATORS as [string, ...string[]], { error: `must be one of ${OPERATORS.join(', ')}` });
const subject = z.string().max(256);
const target = z.string().max(4096);

/** Missing members are refused when the selectors are translated. */
export const Selector = z.strictObject({ subject: subject.optional(), operator: Operator.optional(), target: target.optional() });
export const SelectorV2 = z.strictObject({
  subject: subject.optional(),
  operator: Operator.optional(),
  targets: z.array(target).max(100).optional(),
});

/** Unknown fields are refused: a policy with a misspelt `condition` would match everything. */
export const NewPolicy = z.strictObject({
  policyName: Label,
  effect: Effect,
  condition: Expression.optional(),
  consensus: Expression.optional(),
  time: Expression.optional(),
  notes: Notes,
});

export type PolicyParams = z.output<typeof NewPolicy>;

export const PolicyIds = z.array(Id).min(1, 'must name at least one policy').max(1000);

export const Policy = z.object({
  policyId: IdOut,
  policyName: z.string(),
  effect: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  notes: z.string(),
  consensus: z.string(),
  condition: z.string(),
  time: z.string().optional(),
});

export function viewPolicy(p: PolicyModel): z.output<typeof Policy> {
  return {
    policyId: p.id,
    policyName: p.name,
    effect: p.effect,
    createdAt: wireTimestamp(p.createdAt),
    updatedAt: wireTimestamp(p.updatedAt),
    notes: p.notes,
    consensus: p.consensus,
    condition: p.condition,
    ...(p.time === '' ? {} : { time: p.time }),
  };
}
