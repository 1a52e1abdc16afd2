import type { ApiError } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import type { Activity, ActivityStatus, Failure, Vote } from '../../model/activity.ts';
import type { Proof } from '../../model/proof.ts';
import type { AuditEntry } from '../../store/types.ts';
import type { RequestContext } from '../request/context.ts';

/** With `userId`: that user received the error, and receives it again for the same body. */
export function failureOf(error: ApiError, userId?: string): Failure {
  const failure: Failure = { code: error.grpc, message: error.message, details: [...error.details] };
  return userId === undefined ? failure : { ...failure, refusal: error.code, refusedUserId: userId };
}

/** Has the caller's stamp as its first vote. */
export function newActivity(ids: Ids, request: RequestContext, type: string, status: ActivityStatus): Activity {
  const { organization, caller, now, body, fingerprint, stamp } = request;
  return {
    organizationId: organization.id,
    id: ids.next(),
    fingerprint,
    type,
    status,
    body,
    result: '',
    failure: null,
    version: 1,
    voteId: ids.next(),
    userId: caller.user.id,
    userVersion: caller.user.version,
    credentialId: caller.credential.id,
    scheme: stamp.scheme,
    publicKey: stamp.publicKey,
    signature: stamp.signature,
    factsVersion: organization.version,
    createdAt: now,
    updatedAt: now,
  };
}

/** The caller's vote on an existing activity. `message` is the request's body, or `null` if that is the activity's own body. */
export function newVote(ids: Ids, request: RequestContext, activity: Activity, selection: Vote['selection']): Vote {
  const { organization, caller, now, stamp, body, fingerprint } = request;
  return {
    organizationId: organization.id,
    activityId: activity.id,
    id: ids.next(),
    userId: caller.user.id,
    userVersion: caller.user.version,
    position: activity.version,
    credentialId: caller.credential.id,
    selection,
    scheme: stamp.scheme,
    publicKey: stamp.publicKey,
    signature: stamp.signature,
    message: fingerprint === activity.fingerprint ? null : body,
    createdAt: now,
  };
}

/** The caller's stamp as a proof of their identity. `approvalId`: the activity whose body it signed. */
export function newProof(ids: Ids, request: RequestContext, activity: Activity, approvalId: string): Proof {
  const { organization, caller, now, stamp } = request;
  return {
    organizationId: organization.id,
    activityId: activity.id,
    id: ids.next(),
    approvalId,
    userId: caller.user.id,
    userVersion: caller.user.version,
    credentialId: caller.credential.id,
    scheme: stamp.scheme,
    publicKey: stamp.publicKey,
    signature: stamp.signature,
    createdAt: now,
  };
}

export function newAuditEntry(
  ids: Ids,
  { organization, caller, now }: RequestContext,
  activityId: string,
  event: string,
): AuditEntry {
  return {
    organizationId: organization.id,
    id: ids.next(),
    activityId,
    event,
    actorOrganizationId: caller.organization.id,
    actorUserId: caller.user.id,
    credentialId: caller.credential.id,
    createdAt: now,
  };
}
