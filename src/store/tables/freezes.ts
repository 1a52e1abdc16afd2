import type { FreezeTarget } from '../../model/freeze.ts';
import { flag, id, int, text } from '../columns.ts';
import { table } from '../table.ts';

export const freezes = table('freezes', {
  organizationId: id(),
  /** Of what is frozen. For a user, `users.frozen` says the same. */
  id: id(),
  target: text<FreezeTarget>(),
  activityId: id(),
  userId: id(),
  reason: text(),
  keepsSends: flag(),
  createdAt: int(),
});
