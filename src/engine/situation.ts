import { hash } from 'node:crypto';
import { ApiError, invalid } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import type { Activity, ActivityStatus, Failure, Vote } from '../model/activity.ts';
import type { Organization } from '../model/organization.ts';
import type { AuditEntry } from '../store/types.ts';
import type { ActivityKind, ActivityVersion } from './activity.ts';
import type { VerifiedStamp } from './authenticate.ts';
import type { Caller } from './context.ts';
import { parseBody, submitEnvelope, validate, validateStored } from './envelope.ts';
import type { Trace } from './ports.ts';

/** Somebody else was first, or a fact moved: nothing was written, and everything is to be decided anew. */
export class Moved extends Error {
  override readonly name = 'Moved';
}

/** One stamped request, and where it stands. */
export type Situation = {
  organization: Organization;
  caller: Caller;
  now: number;
  stamp: VerifiedStamp;
  body: Buffer;
  fingerprint: string;
  trace: Trace;
};

/** What an activity asks for: its kind and version, the parameters as sent, and the newest intent. */
export type Matter = {
  kind: ActivityKind;
  version: ActivityVersion;
  parameters: unknown;
  intent: unknown;
  timestampMs: string;
};

export function matterOf(
  kind: ActivityKind,
  version: ActivityVersion,
  parameters: unknown,
  timestampMs: string,
  read = validate,
): Matter {
  const shown = read(kind.params.schema(version.version), parameters, 'parameters');
  return { kind, version, parameters: shown, intent: kind.params.raise(version.version, shown), timestampMs };
}

/** Reads stored activities back, by the type in their body. */
export type Decoder = (activity: Pick<Activity, 'type' | 'body'>) => Matter;

export function decoder(kinds: readonly ActivityKind[]): Decoder {
  const byType = new Map<string, { kind: ActivityKind; version: ActivityVersion }>();
  for (const kind of kinds) for (const [type, version] of kind.versions) byType.set(type, { kind, version });
  return ({ type, body }) => {
    const known = byType.get(type);
    if (known === undefined) throw new Error(`a stored activity has the type ${type}, which this program does not know`);
    const { parameters, timestampMs } = submitEnvelope(parseBody(body));
    return matterOf(known.kind, known.version, parameters, timestampMs, validateStored);
  };
}

/** `sha256:` and the digest of the body as it came. */
export function fingerprintOf(body: Buffer): string {
  return `sha256:${hash('sha256', body, 'hex')}`;
}

/** How far a request's clock may be off. */
const OLDEST_MS = 60 * 60 * 1000;
const NEWEST_MS = 5 * 60 * 1000;

/** Units that are taken for milliseconds, and how many of them a millisecond has. */
const OTHER_UNITS = { seconds: 1 / 1000, microseconds: 1000, nanoseconds: 1_000_000 };
/** A stale time is still recognized: no two units come near the same years. */
const YEARS_MS = 10 * 365 * 24 * 60 * 60 * 1000;

function checkUnit(timestampMs: string, now: number): void {
  for (const [unit, perMs] of Object.entries(OTHER_UNITS)) {
    if (Math.abs(now - Number(timestampMs) / perMs) > YEARS_MS) continue;
    throw invalid('timestampMs', `looks like ${unit}: it must be milliseconds since the epoch, such as "${now}"`);
  }
}

export function checkLiveness(timestampMs: string, now: number): void {
  const age = now - Number(timestampMs);
  if (age > OLDEST_MS || age < -NEWEST_MS) checkUnit(timestampMs, now);
  if (age > OLDEST_MS) throw unfresh('too old', 'must be at most one hour ago', now);
  if (age < -NEWEST_MS) throw unfresh('too far in the future', 'may be at most five minutes ahead', now);
}

function unfresh(what: string, rule: string, now: number): ApiError {
  return new ApiError(
    'REQUEST_INVALID',
    `request timestamp is ${what}: timestampMs ${rule}, and the service's clock says ${now}`,
    {
      violations: [{ field: 'timestampMs', description: rule }],
    },
  );
}

/** With `userId`: that user was answered with the error, and meets it again with the same body. */
export function failureOf(error: ApiError, userId?: string): Failure {
  const failure: Failure = { code: error.grpc, message: error.message, details: [...error.details] };
  return userId === undefined ? failure : { ...failure, refusal: error.code, refusedUserId: userId };
}

export function newActivity(ids: Ids, situation: Situation, type: string, status: ActivityStatus): Activity {
  const { organization, now, body, fingerprint } = situation;
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
    createdAt: now,
    updatedAt: now,
  };
}

/** The caller's vote on an activity, which is its first unless `later`. Its message is the request's body: `null` where that is the activity's own. */
export function voteOf(ids: Ids, situation: Situation, activity: Activity, selection: Vote['selection'], later = false): Vote {
  const { organization, caller, now, stamp, body, fingerprint } = situation;
  return {
    organizationId: organization.id,
    activityId: activity.id,
    id: ids.next(),
    userId: caller.user.id,
    userVersion: caller.user.version,
    position: later ? activity.version : 0,
    credentialId: caller.credential.id,
    selection,
    scheme: stamp.scheme,
    publicKey: stamp.publicKey,
    signature: stamp.signature,
    message: fingerprint === activity.fingerprint ? null : body,
    createdAt: now,
  };
}

export function auditOf(ids: Ids, { organization, caller, now }: Situation, activityId: string, event: string): AuditEntry {
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
