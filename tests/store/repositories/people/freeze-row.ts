import type { Freeze } from '../../../../src/model/freeze.ts';
import { idOf, NOW } from '../../names.ts';

export const freezeOf = (organizationId: string, id: string): Freeze => ({
  organizationId,
  id,
  target: 'wallet',
  activityId: idOf('activity'),
  userId: idOf('user'),
  reason: 'lost',
  keepsSends: true,
  createdAt: NOW,
});
