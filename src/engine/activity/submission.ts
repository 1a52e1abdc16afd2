import { ApiError, invalid } from '../../base/errors.ts';
import type { Activity } from '../../model/activity.ts';
import type { Reader, RequestLookup } from '../../store/types.ts';
import type { Engine } from '../engine.ts';
import type { Trace } from '../ports.ts';
import { parseBody, type SubmitBody, submitBody } from '../request/body.ts';
import { noteCaller, resolveCaller } from '../request/caller.ts';
import { fingerprintOf, type RequestContext } from '../request/context.ts';
import { checkAddress } from '../request/ip-allowlist.ts';
import { checkLiveness } from '../request/liveness.ts';
import { resolvePasskeyCaller } from '../request/passkey-caller.ts';
import { authenticate, type Headers, isPasskeyStamp, type Presented } from '../request/stamp.ts';
import { noteIgnored, unknownInSubmit } from '../request/unknown-members.ts';
import { archived, maybeArchived } from './archived.ts';
import type { ActivityKind, ActivityVersion } from './declare.ts';
import { type DecodedActivity, decodeActivity } from './decode.ts';

/** A submitted body that was read, but not yet authenticated. */
export type Submission = {
  kind: ActivityKind;
  version: ActivityVersion;
  members: ReturnType<typeof parseBody>;
  submitted: SubmitBody;
  body: Buffer;
  fingerprint: string;
  presented: Presented;
  address: string | undefined;
  /** Resolves once the service's time is fresh; undefined if it is. */
  fresh: Promise<void> | undefined;
  trace: Trace;
  decoded(): DecodedActivity;
};

/** Reads the body, and starts to verify its stamp. Throws REQUEST_INVALID and INVALID_ORGANIZATION_ID. */
export function readSubmission(engine: Engine, kind: ActivityKind, body: Buffer, headers: Headers, trace: Trace): Submission {
  const members = parseBody(body);
  const submitted = submitBody(members);
  const version: ActivityVersion | undefined = kind.versions.get(submitted.type);
  if (version === undefined) throw invalid('type', `must be ${[...kind.versions.keys()].join(' or ')} on this path`);
  trace.type = version.type;
  const fingerprint = fingerprintOf(body);
  if (kind.runsIn) submitted.organizationId = kind.runsIn({ timestampMs: submitted.timestampMs, fingerprint });
  const presented = authenticate(engine.stamps, headers, body, engine.load.submits > 1);
  const fresh = engine.freshTime();
  let known: DecodedActivity | undefined;
  const decoded = () => {
    known ??= decodeActivity(kind, version, submitted.parameters, submitted.timestampMs);
    return known;
  };
  const { address } = headers;
  return { kind, version, members, submitted, body, fingerprint, presented, address, fresh, trace, decoded };
}

/** The activity that the same body made before. */
export type Existing = { activity: Activity; isArchived: boolean };

/** `existing` of the look-up: the activity of the same body, unless it is archived. Throws ACTIVITY_ARCHIVED. */
export async function existingOf(
  read: Reader,
  { submitted, fingerprint }: Pick<Submission, 'submitted' | 'fingerprint'>,
  { organization, existing: present }: Pick<RequestLookup, 'organization' | 'existing'>,
): Promise<Existing | undefined> {
  if (organization === undefined) return undefined;
  const isArchived = present === undefined && maybeArchived(organization, submitted.timestampMs);
  const activity = isArchived ? await archived(read, organization.id, fingerprint) : present;
  return activity && { activity, isArchived };
}

type Authenticated = { request: RequestContext; existing: Existing | undefined };

/** Checks who asks, and that the request may be made at all. Expiry and freshness are judged by the time of this moment. */
export async function authenticated(
  { clock, machine, stamps, strictInput }: Engine,
  submission: Submission,
  found: RequestLookup & Pick<RequestContext, 'read' | 'fromMemory'>,
): Promise<Authenticated> {
  const { kind, version, members, submitted, body, fingerprint, presented, address, fresh, trace } = submission;
  const { organization, holder, read, fromMemory } = found;
  if (organization === undefined) throw new ApiError('ORGANIZATION_NOT_FOUND');
  trace.organizationId = organization.id;
  const made = await presented.verified;
  if (fresh !== undefined) await fresh;
  const now = clock.now();
  const byPasskey = isPasskeyStamp(made);
  const caller = byPasskey
    ? await resolvePasskeyCaller(stamps, read, organization, made, fingerprint)
    : await resolveCaller(read, organization, made, now, holder);
  const stamp = byPasskey ? { publicKey: caller.credential.publicKey, scheme: made.scheme, signature: made.signature } : made;
  noteCaller(trace, caller);
  checkAddress(caller.organization, caller.credential, address, trace);
  if (caller.organization.id !== organization.id) {
    throw new ApiError(
      'ORGANIZATION_MISMATCH',
      `organization mismatch: request is targeting organization ("${organization.id}"), but voters are in organization ("${caller.organization.id}")`,
    );
  }
  if (kind.callers === 'top-level' && organization.parentId !== null) throw new ApiError('INVALID_ACTIVITY_CALLER');
  const existing = await existingOf(read, submission, found);
  const ignored = unknownInSubmit(members, kind.params.schema(version.version), submitted.parameters);
  noteIgnored(trace, ignored, strictInput && !existing);
  if (!existing) checkLiveness(submitted.timestampMs, machine.now());
  return { request: { organization, caller, now, stamp, body, fingerprint, trace, read, fromMemory }, existing };
}
