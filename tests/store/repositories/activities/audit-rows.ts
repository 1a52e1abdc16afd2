import type { Audited } from '../../../../src/model/audit-fact.ts';
import { idOf, NOW } from '../../names.ts';

export const auditedOf = (organizationId: string, given: Partial<Audited> = {}): Audited => ({
  organizationId,
  activityId: idOf('activity'),
  type: 'ACTIVITY_TYPE_CREATE_WALLET',
  status: 'ACTIVITY_STATUS_COMPLETED',
  userId: idOf('user'),
  credentialId: idOf('credential'),
  walletIds: [idOf('wallet')],
  createdAt: NOW,
  updatedAt: NOW,
  subjects: [{ kind: 'user', subjectId: idOf('user') }],
  ...given,
});
