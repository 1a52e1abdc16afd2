import { ApiError, noOrganization } from '../../base/errors.ts';
import type { Activity } from '../../model/activity.ts';
import { isProxy } from '../../model/auth-proxy.ts';
import type { Organization } from '../../model/organization.ts';
import { type Credential, RECOVERY_KEY } from '../../model/user.ts';
import type { Reader, RequestLookup } from '../../store/types.ts';
import type { ActivityKind, ActivityVersion } from '../activity/declare.ts';
import { type DecodedActivity, decodeActivity } from '../activity/decode.ts';
import type { Caller } from '../context.ts';
import { StaleDecisionError } from '../decision/stale.ts';
import { aside, type Engine } from '../engine.ts';
import type { AttestationPort, AttestedStamp, Trace } from '../ports.ts';
import { resolveAttestedCaller } from '../request/attested-caller.ts';
import type { SubmitBody } from '../request/body.ts';
import { noteCaller, resolveCaller } from '../request/caller.ts';
import { fingerprintOf, type RequestContext } from '../request/context.ts';
import { frozenUser } from '../request/frozen-user.ts';
import { checkAddress } from '../request/ip-allowlist.ts';
import { checkLiveness } from '../request/liveness.ts';
import { resolvePasskeyCaller } from '../request/passkey-caller.ts';
import { authenticate, type Headers, isAttestedStamp, isPasskeyStamp, type Presented } from '../request/stamp.ts';
import { noteIgnored, unknownInSubmit } from '../request/unknown-members.ts';
import { archived, maybeArchived } from './archived.ts';
import { type ReadBody, readBody } from './exact-body.ts';
import { endedBy } from './root-recovery.ts';

/** A submitted body that was read, but not yet authenticated. */
export type Submission = {
  kind: ActivityKind;
  version: ActivityVersion;
  members: ReadBody['members'];
  submitted: SubmitBody;
  body: Buffer;
  fingerprint: string;
  presented: Presented;
  address: string | undefined;
  /** Resolves once the service's time is fresh; undefined if it is already. */
  fresh: Promise<void> | undefined;
  trace: Trace;
  decoded(): DecodedActivity;
};

/** Reads the body, and starts to verify its stamp. Throws REQUEST_INVALID and INVALID_ORGANIZATION_ID. */
export function readSubmission(engine: Engine, kind: ActivityKind, body: Buffer, headers: Headers, trace: Trace): Submission {
  const { members, submitted, version } = readBody(kind, body);
  trace.type = version.type;
  const fingerprint = fingerprintOf(body);
  if (kind.runsIn) submitted.organizationId = kind.runsIn({ timestampMs: submitted.timestampMs, fingerprint });
  const presented = authenticate(engine.stamps, headers, body, engine.load.submits > 1);
  const fresh = engine.freshTime();
  let known: DecodedActivity | undefined;
  const decoded = () => {
    const { parameters, timestampMs, generateAppProofs } = submitted;
    known ??= decodeActivity(kind, version, parameters, timestampMs, { generateAppProofs });
    return known;
  };
  const { address } = headers;
  return { kind, version, members, submitted, body, fingerprint, presented, address, fresh, trace, decoded };
}

/** The activity that the same body made before. */
export type Existing = { activity: Activity; isArchived: boolean };

/**
 * Returns `existing` of the look-up: the activity of the same body, unless it is archived. Returns a promise only where it may
 * be archived: signatures never wait. Throws ACTIVITY_ARCHIVED.
 */
export function existingOf(
  read: Reader,
  { submitted, fingerprint }: Pick<Submission, 'submitted' | 'fingerprint'>,
  { organization, existing: present }: Pick<RequestLookup, 'organization' | 'existing'>,
): Existing | undefined | Promise<Existing | undefined> {
  if (present !== undefined) return { activity: present, isArchived: false };
  if (organization === undefined || !maybeArchived(organization, submitted.timestampMs)) return undefined;
  return archived(read, organization.id, fingerprint).then((activity) => activity && { activity, isArchived: true });
}

/** Whether the caller may submit such an activity in this organization, judged by the caller's own organization. */
function mayCall({ submitters: { from: origin } }: ActivityKind, caller: Caller, { id, parentId }: Organization): boolean {
  const from = caller.organization.id;
  return from === id || (from === parentId && (origin === 'parent' || (origin === 'proxy' && isProxy(caller))));
}

export const organizationMismatch = (target: Organization, { id }: Organization): ApiError =>
  new ApiError(
    'ORGANIZATION_MISMATCH',
    `organization mismatch: request is targeting organization ("${target.id}"), but voters are in organization ("${id}")`,
  );

/** Recovery keys may submit only a recovery, and only a recovery key may submit one. */
function checkCredential({ kind, submitters }: ActivityKind, { type }: Credential): void {
  const isRecoveryKey = type === RECOVERY_KEY;
  if (isRecoveryKey === (submitters.credential === 'recovery-key')) return;
  const why = isRecoveryKey ? 'a recovery key may submit only RECOVER_USER' : `${kind} must be stamped by a recovery key`;
  throw new ApiError('REQUEST_NOT_AUTHORIZED', `request not authorized: ${why}`);
}

/** The stored state of a body in the sub-organization where it runs. */
async function foundIn(read: Reader, organization: Organization, fingerprint: string) {
  const { existing } = await read.requestLookup.get(organization.id, '', fingerprint);
  return { organization, existing };
}

type Authenticated = { request: RequestContext; existing: Existing | undefined };

/** The user who made a stamp by an attested key. */
function attestedCaller(
  engine: Engine,
  read: Reader,
  named: Organization,
  made: AttestedStamp,
  { now, below }: { now: number; below: boolean },
): Promise<Caller> {
  const { attestations } = engine;
  const verify: AttestationPort['verify'] = (...asked) => aside(engine, () => attestations.verify(...asked));
  return resolveAttestedCaller({ ...attestations, verify }, read, named, made, now, { below });
}

/** Checks who the caller is, and that they may make the request at all. Expiry and freshness are judged by the current time. */
export async function authenticated(
  engine: Engine,
  submission: Submission,
  found: RequestLookup & Pick<RequestContext, 'read' | 'fromMemory'>,
): Promise<Authenticated> {
  const { kind, version, members, submitted, body, fingerprint, presented, address, fresh, trace } = submission;
  const { clock, machine, stamps, strictInput } = engine;
  const { organization: named, holder, read, fromMemory } = found;
  if (named === undefined) throw noOrganization(submitted.organizationId);
  trace.organizationId = named.id;
  const made = await presented.verified;
  if (fresh !== undefined) await fresh;
  const now = clock.now();
  const below = kind.submitters.from === 'below';
  const caller = isPasskeyStamp(made)
    ? await resolvePasskeyCaller(stamps, read, named, made, fingerprint, { below })
    : isAttestedStamp(made)
      ? await attestedCaller(engine, read, named, made, { now, below })
      : await resolveCaller(read, named, made, now, holder, below);
  const { scheme, signature } = made;
  const isKey = !isPasskeyStamp(made) && !isAttestedStamp(made);
  const stamp = isKey ? made : { publicKey: caller.credential.publicKey, scheme, signature };
  noteCaller(trace, caller);
  // The auth proxy's stamps are made in this process, for requests from any address.
  const from = isProxy(caller) ? undefined : address;
  if (!isProxy(caller)) checkAddress(caller.organization, caller.credential, from, trace);
  const organization = below && caller.organization.parentId === named.id ? caller.organization : named;
  trace.organizationId = organization.id;
  const ends = endedBy(engine, caller, submitted.timestampMs);
  if (ends !== undefined) {
    // Facts in memory may be outdated. In both cases the request is decided again.
    if (!fromMemory) await ends();
    throw new StaleDecisionError(caller.organization.id);
  }
  if (!mayCall(kind, caller, organization)) throw organizationMismatch(organization, caller.organization);
  checkCredential(kind, caller.credential);
  if (caller.user.frozen) throw frozenUser(caller.user.id);
  if (kind.submitters.from === 'top-level' && organization.parentId !== null) throw new ApiError('INVALID_ACTIVITY_CALLER');
  const known = organization === named ? found : await foundIn(read, organization, fingerprint);
  const sent = existingOf(read, submission, known);
  const existing = sent instanceof Promise ? await sent : sent;
  const ignored = unknownInSubmit(members, kind.params.schema(version.version), submitted.parameters);
  noteIgnored(trace, ignored, strictInput && !existing);
  // The auth proxy makes its bodies here, so no original has accepted them.
  if (!existing) checkLiveness(submitted.timestampMs, machine.now(), isProxy(caller) ? 0 : engine.refusesBefore());
  const request = { organization, caller, now, address: from, stamp, body, fingerprint, trace, read, fromMemory };
  return { request, existing };
}
