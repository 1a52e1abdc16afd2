import type { Activity, Vote } from '../../../../src/model/activity.ts';
import type { AuditEntry, FinishedRecord } from '../../../../src/store/types.ts';
import { digestOf, idOf, NOW } from '../../names.ts';

export const activityOf = (organizationId: string, id: string, more: Partial<Activity> = {}): Activity => ({
  organizationId: idOf(organizationId),
  id: idOf(id),
  fingerprint: digestOf(id),
  type: 'ACTIVITY_TYPE_CREATE_WALLET',
  status: 'ACTIVITY_STATUS_COMPLETED',
  body: Buffer.from('{}'),
  result: '{}',
  failure: null,
  version: 1,
  userId: idOf('user'),
  userVersion: 2,
  credentialId: idOf('credential'),
  scheme: 'scheme',
  publicKey: 'key',
  signature: 'signature',
  factsVersion: 1,
  createdAt: NOW,
  updatedAt: NOW,
  ...more,
  voteId: idOf(more.voteId ?? 'vote'),
});

/** A vote after the submitter's. */
export const voteOf = (organizationId: string, activityId: string, id: string, more: Partial<Vote> = {}): Vote => ({
  organizationId: idOf(organizationId),
  activityId: idOf(activityId),
  id: idOf(id),
  userVersion: 2,
  position: 1,
  selection: 'VOTE_SELECTION_APPROVED',
  scheme: 'scheme',
  publicKey: 'key',
  signature: 'signature',
  message: null,
  createdAt: NOW,
  ...more,
  userId: idOf(more.userId ?? 'another'),
  credentialId: idOf(more.credentialId ?? 'credential'),
});

export const auditOf = (organizationId: string, activityId: string, id: string): AuditEntry => ({
  organizationId: idOf(organizationId),
  id: idOf(id),
  activityId: idOf(activityId),
  event: 'vote.approved',
  actorOrganizationId: idOf(organizationId),
  actorUserId: idOf('user'),
  credentialId: idOf('credential'),
  createdAt: NOW,
});

export const finished = (organizationId: string, id: string, version: number, more: Partial<Activity> = {}): FinishedRecord => ({
  activity: activityOf(organizationId, id, more),
  facts: [{ organizationId: idOf(organizationId), version }],
});
