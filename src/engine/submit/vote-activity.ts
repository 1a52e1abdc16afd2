import { ApiError, invalid } from '../../base/errors.ts';
import { type Activity, isTerminal, type Vote } from '../../model/activity.ts';
import type { Warning } from '../../model/warning.ts';
import type { Evaluated, Writer } from '../../store/types.ts';
import { approvalOf, type DecodedActivity, type ResolvedActivity, resolveActivity } from '../activity/decode.ts';
import { measuring } from '../activity/velocity.ts';
import type { Decision } from '../decision/authorize.ts';
import { Denial } from '../decision/denial.ts';
import { StaleDecisionError } from '../decision/stale.ts';
import type { Engine } from '../engine.ts';
import type { RequestContext } from '../request/context.ts';
import { tell } from './activity-events.ts';
import { archived } from './archived.ts';
import { isFinal, refuse } from './refusal.ts';
import { newActivity, newAuditEntry, newVote } from './rows.ts';
import { castVote, checkDeciding, permitVote, requireScope, type Voted } from './votes.ts';

const NO_TARGET = 'No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint';

/**
 * Bytes of a vote's body. Its parameters are only a fingerprint, and every answer that shows the activity includes each vote in
 * full.
 */
const LONGEST_VOTE = 16_384;

/** An activity after a submit, with its decoded body. `warnings`: only of a new body. */
export type Answered = Voted & { decoded: DecodedActivity; warnings?: readonly Warning[] };

/**
 * An approval or rejection: an activity of its own, answered with its target activity. `seen`: the vote's own activity, if
 * another user has sent the same bytes. The stamp is then added to it, and it is completed if that user was refused. `again`:
 * the same user has sent them, with another credential.
 */
export async function vote(
  engine: Engine,
  request: RequestContext,
  decoded: ResolvedActivity,
  selection: Vote['selection'],
  seen?: Activity,
  again = false,
): Promise<Answered> {
  const { store, ids } = engine;
  const { organization, caller, now, body } = request;
  if (body.length > LONGEST_VOTE) throw invalid('parameters', `the body of a vote must have at most ${LONGEST_VOTE} bytes`);
  const own: Activity = seen ?? {
    ...newActivity(ids, request, decoded.version.type, 'ACTIVITY_STATUS_COMPLETED'),
    result: '{}',
  };
  const find = async () => {
    const found = await target(engine, request, decoded);
    await checkDeciding(engine, request, found.decoded, found.activity);
    return found;
  };
  // A user of the parent may have no vote here, and then nothing is written.
  if (caller.organization.id !== organization.id) await find();
  let decision: Pick<Decision, 'policyEvaluations'> = { policyEvaluations: [] };
  try {
    decision = await permitVote(engine, request, selection);
    const about = await find();
    await requireScope(engine, request, selection === 'VOTE_SELECTION_APPROVED' ? approvalOf(about.decoded) : decoded);
    const write = async (tx: Writer, evaluations: Evaluated | undefined, listeners: number) => {
      if (seen === undefined) {
        if (!(await tx.activities.insert(own, evaluations))) throw new StaleDecisionError();
        await tell(engine, tx, { request, decoded }, own, listeners);
        return;
      }
      if (again) return;
      const stamp = newVote(ids, request, own, 'VOTE_SELECTION_APPROVED');
      if (!(await tx.activities.insertVote(stamp, evaluations))) throw new StaleDecisionError();
      await tx.audit.insert(newAuditEntry(ids, request, own.id, 'vote.approved'));
      if (seen.status === 'ACTIVITY_STATUS_COMPLETED') return;
      const { failure } = own;
      const done = { status: 'ACTIVITY_STATUS_COMPLETED', result: '{}', failure, factsVersion: organization.version } as const;
      if (!(await tx.activities.finish(own, done, now))) throw new StaleDecisionError(organization.id);
      await tx.audit.insert(newAuditEntry(ids, request, own.id, 'activity.completed'));
      await tell(engine, tx, { request, decoded }, { ...own, ...done, updatedAt: now, version: own.version + 1 }, listeners);
    };
    const voted = await castVote(engine, request, about.decoded, about.activity, selection, { id: own.id, write });
    return { ...voted, decoded: about.decoded };
  } catch (error) {
    if (!isFinal(error)) throw error;
    if (again) {
      // The same stamp, sent at the same time, may have finished the activity.
      const about = await target(engine, request, decoded);
      throw isTerminal(about.activity.status) ? new StaleDecisionError() : error;
    }
    if (seen !== undefined) {
      // The same vote may have been counted a moment ago.
      const stamps = await store.read.activities.votes(organization.id, own.id);
      throw stamps.some(({ userId }) => userId === caller.user.id) ? new StaleDecisionError() : error;
    }
    if (error instanceof Denial) decision = error.decision;
    return refuse(engine, { request, decoded, activity: own, decision }, error);
  }
}

/** The activity with what it adds to velocity controls, for a decision of this request. `userId`: its submitter. */
export const measured = (
  { decisions }: Engine,
  { organization, read, now, fromMemory }: RequestContext,
  activity: ResolvedActivity,
  userId: string,
): ResolvedActivity => measuring(decisions.velocity, read, { organization, activity, userId, now, isFirst: fromMemory });

/** The activity that a vote targets. Throws NOT_FOUND. */
export async function target(
  engine: Engine,
  request: RequestContext,
  { intent }: DecodedActivity,
): Promise<{ activity: Activity; decoded: ResolvedActivity }> {
  const { organization } = request;
  const { fingerprint } = intent as { fingerprint: string };
  const { read } = engine.store;
  const activity =
    (await read.activities.byFingerprint(organization.id, fingerprint)) ?? (await archived(read, organization.id, fingerprint));
  const decoded = activity && engine.decisions.decode(activity);
  if (activity === undefined || decoded?.kind.votes !== undefined) throw new ApiError('NOT_FOUND', NO_TARGET);
  const resolved = resolveActivity(read, organization, decoded as DecodedActivity, engine.asking);
  return { activity, decoded: measured(engine, request, resolved, activity.userId) };
}
