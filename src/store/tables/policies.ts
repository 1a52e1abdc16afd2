import type { Policy } from '../../model/policy.ts';
import { id, int, text } from '../columns.ts';
import { table } from '../table.ts';

export const policies = table('policies', {
  organizationId: id(),
  id: id(),
  name: text(),
  effect: text<Policy['effect']>(),
  condition: text(),
  consensus: text(),
  time: text(),
  notes: text(),
  createdAt: int(),
  updatedAt: int(),
});
