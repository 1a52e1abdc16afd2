import { ApiError } from '../../base/errors.ts';
import { firstVote, type Vote } from '../../model/activity.ts';
import { type Organization, passkeyOrigins } from '../../model/organization.ts';
import { type Authenticator, newAuthenticator, passkeyCredential } from '../../model/user.ts';
import type { Warning } from '../../model/warning.ts';
import { resolveActivity } from '../activity/decode.ts';
import { measuring } from '../activity/velocity.ts';
import type { Admission, Arrival } from '../context.ts';
import { Denial } from '../decision/denial.ts';
import { withoutAmounts } from '../decision/velocity-denial.ts';
import type { Engine } from '../engine.ts';
import type { PasskeyStamp } from '../ports.ts';
import { noteCaller, topLevelOf } from '../request/caller.ts';
import type { RequestContext } from '../request/context.ts';
import { checkAddress } from '../request/ip-allowlist.ts';
import { checkLiveness } from '../request/liveness.ts';
import { isPasskeyStamp } from '../request/stamp.ts';
import { noteIgnored, unknownInSubmit } from '../request/unknown-members.ts';
import { withDeclaredErrors } from './declared-errors.ts';
import { executeNew, requireVelocity } from './execute.ts';
import { unlessRefused } from './refusal.ts';
import { newActivity } from './rows.ts';
import type { Submission } from './submission.ts';
import type { Answered } from './vote-activity.ts';

/**
 * How many newcomers' passkeys may wait to be verified, one after another. Newcomers are not authenticated, so the number is
 * small.
 */
const MOST_WAITING = 32;

/** All newcomers share one turn among the organizations whose passkeys are verified. */
const NEWCOMERS = 'newcomers';

type Arrived = { request: RequestContext; answered: Answered };

/**
 * Handles a new body from a caller who has no credential yet. A refusal writes nothing: a newcomer must be admitted, and prove
 * to have the passkey, before anything is written. Throws StaleDecisionError.
 */
export async function arrive(engine: Engine, submission: Submission, organization: Organization | undefined): Promise<Arrived> {
  const { kind, version, members, submitted, body, fingerprint, presented, address, fresh, trace } = submission;
  const { store, ids, clock, machine } = engine;
  const stamp = await presented.verified;
  if (!isPasskeyStamp(stamp))
    throw new ApiError('CREDENTIAL_NOT_FOUND', 'this request must be stamped by the passkey in its parameters');
  checkLiveness(submitted.timestampMs, machine.now(), engine.refusesBefore());
  const decoded = submission.decoded();
  noteIgnored(trace, unknownInSubmit(members, kind.params.schema(version.version), submitted.parameters), engine.strictInput);
  if (fresh !== undefined) await fresh;
  const now = clock.now();
  const admission = await admitted(engine, submission, organization, now);
  const authenticator = await verifiedPasskey(engine, admission, stamp, { fingerprint, now });
  const credential = passkeyCredential(authenticator);
  const caller = { organization: admission.organization, user: admission.user, credential };
  noteCaller(trace, caller);
  checkAddress(caller.organization, credential, address, trace);
  trace.organizationId = caller.organization.id;
  const { scheme, signature } = stamp;
  const own = { scheme, signature, publicKey: credential.publicKey };
  const request = { organization: caller.organization, caller, now, address, stamp: own, body, fingerprint, trace };
  const context: RequestContext = { ...request, read: store.read, fromMemory: false };
  const arrival: Arrival = { ...admission, authenticator, address };
  const plain = { ...resolveActivity(store.read, caller.organization, decoded), subject: async () => arrival };
  const { organization: entered, user } = caller;
  const asked = { organization: entered, activity: plain, userId: user.id, now };
  const resolved = measuring(engine.decisions.velocity, store.read, asked);
  const activity = newActivity(ids, context, version.type, 'ACTIVITY_STATUS_PENDING');
  const votes: Vote[] = [firstVote(activity)];
  const question = {
    organization: caller.organization,
    activity: resolved,
    votes,
    now,
    known: caller,
    submitterId: caller.user.id,
  };
  const decision = await engine.decisions.authorize(store.read, question);
  // The inviter has already decided to admit the newcomer. No further approval is needed, but a DENY still denies.
  if (decision.outcome === 'OUTCOME_DENY_EXPLICIT' || decision.outcome === 'OUTCOME_DENY_IMPLICIT') throw new Denial(decision);
  await requireVelocity(resolved).catch((error) => {
    throw withoutAmounts(error);
  });
  const warnings: Warning[] = [];
  const execution = { request: context, decoded: resolved, activity, decision, warnings };
  const done = unlessRefused(context, await executeNew(engine, execution));
  return { request: context, answered: { activity: done, votes, decoded, warnings } };
}

function admitted(
  engine: Engine,
  { kind, submitted, decoded }: Submission,
  organization: Organization | undefined,
  now: number,
): Promise<Admission> {
  const { store, ids, vault, mayCreateOrganizations } = engine;
  const { organizationId } = submitted;
  const ctx = { read: store.read, vault: vault.oneTime, ids, now, organizationId, organization, mayCreateOrganizations };
  return withDeclaredErrors(engine, { name: kind.kind, errors: kind.errors }, () =>
    kind.admit!({ ctx, intent: decoded().intent }),
  );
}

/** The row of a newcomer's passkey, which made the stamp. Throws REQUEST_INVALID, SIGNATURE_INVALID and UNAVAILABLE. */
async function verifiedPasskey(
  { store, stamps, ids, arrivals, load, registered }: Engine,
  { organization, user, passkey, field }: Admission,
  stamp: PasskeyStamp,
  { fingerprint, now }: { fingerprint: string; now: number },
): Promise<Authenticator> {
  if (load.arrivals >= MOST_WAITING)
    throw new ApiError('UNAVAILABLE', 'too many registrations wait for verification: send the same body again');
  const origins = passkeyOrigins(await topLevelOf(store.read, organization));
  load.arrivals++;
  try {
    const shown = await arrivals(() => registered(passkey, { origins, now, payer: NEWCOMERS }, field));
    if (shown.credentialId !== stamp.credentialId || !stamps.verifyPasskey(stamp, shown, fingerprint, origins))
      throw new ApiError('SIGNATURE_INVALID', 'could not verify WebAuthN signature');
    return newAuthenticator(ids.next(), user, shown, now);
  } finally {
    load.arrivals--;
  }
}
