import { ApiError } from '../../base/errors.ts';
import { type Activity, isTerminal } from '../../model/activity.ts';
import type { RecoveryStage } from '../../model/message.ts';
import type { Organization } from '../../model/organization.ts';
import { OPERATOR_ID, withoutPending } from '../../model/root-recovery.ts';
import { isEnrolling, isReading } from '../../model/session-profile.ts';
import { newCredential, newUser } from '../../model/user.ts';
import type { Reader, Writer } from '../../store/types.ts';
import { type DecodedActivity, resolveActivity } from '../activity/decode.ts';
import type { Caller } from '../context.ts';
import type { Engine } from '../engine.ts';
import { mailRoots } from '../root-mails.ts';
import { settle } from './execute.ts';
import type { Execution } from './execution.ts';
import { failureOf } from './rows.ts';

/** How long a mail about a recovery is tried. */
const MAILED_MS = 7 * 86_400_000;

/** The intent of RECOVER_ROOT_USER, as far as mails tell of it. */
type Intent = { userId: string; reason: string };

type Told = { organization: Organization; activityId: string; intent: Intent };

/** Tells the root users of a recovery. */
export async function mailRecovery(
  tx: Writer,
  { organization, activityId, intent: { userId, reason } }: Told,
  at: Pick<Engine, 'ids'> & { now: number },
  stage: RecoveryStage,
): Promise<void> {
  const { id: organizationId, name: organizationName } = organization;
  const userName = (await tx.users.get(organizationId, userId))?.name ?? userId;
  const expiresAt = at.now + MAILED_MS;
  const about = { template: 'root-recovery' as const, expiresAt, organizationId, organizationName, userName, reason };
  await mailRoots(tx, organization, at, { about: activityId, expiresAt, mail: (to) => ({ ...about, ...stage, to }) });
}

/** The operator as the caller of their own activities. */
export function operatorIn(organization: Organization, publicKey = ''): Caller {
  const own = { organizationId: organization.id, id: OPERATOR_ID, parentId: organization.parentId, createdAt: 0 };
  const type = 'CREDENTIAL_TYPE_API_KEY_P256';
  return {
    organization,
    user: newUser({ ...own, name: 'Operator' }),
    credential: newCredential({ ...own, userId: OPERATOR_ID, type, name: 'operator-signer', publicKey }),
  };
}

/** A stored activity of the operator that `caller` completes or ends. */
export function executionOf(
  { decisions, clock }: Pick<Engine, 'decisions' | 'clock'>,
  read: Reader,
  activity: Activity,
  caller: Caller,
): Execution {
  const { organization } = caller;
  const decoded: DecodedActivity = decisions.decode(activity);
  const { publicKey, signature, body, fingerprint } = activity;
  const stamp = { publicKey, signature, scheme: activity.scheme } as Execution['request']['stamp'];
  const made = { address: undefined, stamp, body, fingerprint, trace: {}, read, fromMemory: false };
  return {
    request: { organization, caller, now: clock.now(), ...made },
    decoded: resolveActivity(read, organization, decoded),
    activity,
    decision: { policyEvaluations: [] },
  };
}

/** Ends a pending recovery without effect. `by`: a root user, or the operator. Throws StaleDecisionError. */
export async function endRecovery(engine: Engine, by: Caller, why: string): Promise<void> {
  const { store, clock, ids } = engine;
  const { organization } = by;
  const { activityId } = organization.rootRecovery!.pending!;
  const now = clock.now();
  const clear = (tx: Writer) => tx.organizations.change(organization.id, { rootRecovery: withoutPending(organization) }, now);
  const activity = await store.read.activities.get(organization.id, activityId);
  if (activity === undefined || isTerminal(activity.status)) return store.transaction(clear);
  const execution = executionOf(engine, store.read, activity, by);
  const told = { organization, activityId, intent: execution.decoded.intent as Intent };
  async function also(tx: Writer): Promise<void> {
    await clear(tx);
    await mailRecovery(tx, told, { ids, now }, { stage: 'ended', why });
  }
  const failure = failureOf(new ApiError('REQUEST_NOT_AUTHORIZED', `the recovery has ended: ${why}`));
  await settle(engine, { ...execution, also }, { status: 'ACTIVITY_STATUS_FAILED', result: '', failure });
}

/**
 * Whether a stamp shows that a root user has not lost every credential. Credentials of a frozen user may be stolen, so they do not show it.
 * `timestampMs`: of the stamped body. Stamps of bodies from before the recovery are recorded with their activities, so any reader could
 * send them again.
 */
function contradicts({ organization: { rootRecovery, rootQuorum }, user }: Caller, timestampMs: unknown): boolean {
  const pending = rootRecovery?.pending;
  if (!pending || user.frozen || !rootQuorum.userIds.includes(user.id)) return false;
  return timestampMs === undefined || Number(timestampMs) >= pending.startedAt;
}

/** The recovery that this stamp ends; undefined for almost every stamp. */
export function endedBy(engine: Engine, caller: Caller, timestampMs: unknown): (() => Promise<void>) | undefined {
  // Almost no organization has one.
  if (caller.organization.rootRecovery === null || !contradicts(caller, timestampMs)) return undefined;
  const { user, credential } = caller;
  // Keys of a browser or of a printed link may be stolen, and prove no lasting credential.
  if (isReading(credential) || isEnrolling(credential)) return undefined;
  return () => endRecovery(engine, caller, `root user ${user.id} stamped a request with credential ${credential.id}`);
}
