import { ApiError } from '../../base/errors.ts';
import { type Activity, isTerminal, takesVotes, type Vote } from '../../model/activity.ts';
import type { Proof } from '../../model/proof.ts';
import { approvalOf, type ResolvedActivity } from '../activity/decode.ts';
import { type Decision, decideVote, qualifies } from '../decision/authorize.ts';
import { Denial } from '../decision/denial.ts';
import { provenBy, stampsOf } from '../decision/mfa.ts';
import { denialOf } from '../decision/velocity-denial.ts';
import { countingVotes, judgeWaiting, type Stamps } from '../decision/waiting.ts';
import type { Engine } from '../engine.ts';
import type { RequestContext } from '../request/context.ts';
import { completeWaiting, note, requireVelocity, settle } from './execute.ts';
import type { Execution } from './execution.ts';
import { isFinal, refusalOf } from './refusal.ts';
import { failureOf, newProof, newVote } from './rows.ts';
import { organizationMismatch } from './submission.ts';

/** An activity as it is after a vote, with all its votes. */
export type Voted = { activity: Activity; votes: readonly Vote[] };

/** Throws Denial if the scope of the caller's session does not allow this rejection, or this approval. */
export async function requireScope(engine: Engine, request: RequestContext, decoded: ResolvedActivity): Promise<void> {
  const denied = await engine.decisions.scopes(request.read, request.caller, decoded);
  if (denied !== undefined) throw new Denial(denied);
}

/** Throws Denial if a DENY bars the voter from such a vote. */
export async function permitVote(
  engine: Engine,
  { caller, now }: RequestContext,
  selection: Vote['selection'],
): Promise<Decision> {
  const { policies } = engine.decisions;
  const decision = await decideVote(policies, engine.store.read, { ...caller, selection, now });
  if (decision.outcome !== 'OUTCOME_ALLOW') throw new Denial(decision);
  return decision;
}

/** Handles a body that the organization already has. It leads to the same activity, for any sender and at any time. */
export async function sendAgain(
  engine: Engine,
  request: RequestContext,
  decoded: ResolvedActivity,
  activity: Activity,
): Promise<Voted> {
  const { caller, organization, now, stamp } = request;
  const { read } = engine.store;
  const { failure } = activity;
  if (failure?.refusedUserId === caller.user.id) throw refusalOf(activity);
  const votes = await read.activities.votes(organization.id, activity.id);
  if (isTerminal(activity.status)) return { activity, votes };
  await checkDeciding(engine, request, decoded, activity);
  const approved = (v: Vote) => v.userId === caller.user.id && v.selection === 'VOTE_SELECTION_APPROVED';
  const counting = await countingVotes(read, caller.organization.id, votes, now);
  if (counting.some(approved)) return { activity, votes };
  // Every user of the organization can read recorded stamps and replay them, so the same key cannot renew an approval.
  if (votes.some((v) => approved(v) && v.publicKey === stamp.publicKey)) return { activity, votes };
  // An approval that no longer counts may be given again with another key: it was accepted once.
  const renewed = votes.some(approved);
  await requireScope(engine, request, approvalOf(decoded));
  if (!renewed) await permitVote(engine, request, 'VOTE_SELECTION_APPROVED');
  const proofs = await read.proofs.ofActivity(organization.id, activity.id);
  if (renewed || (await mayVote(engine, request, decoded, { votes: counting, proofs })))
    return approve(engine, request, decoded, activity, { votes, proofs }, { vote: approvalBy(engine, request, activity) });
  throw refused('this activity waits for the approval of other users').about(activity.id);
}

/** The record of an approval or rejection: an activity of its own. `write` stores it in the transaction of the vote. */
export type OwnRecord = { id: string; write: NonNullable<Execution['also']> };

/** An approval or rejection by fingerprint, of an activity that the caller's organization decides about. */
export async function castVote(
  engine: Engine,
  request: RequestContext,
  decoded: ResolvedActivity,
  activity: Activity,
  selection: Vote['selection'],
  own: OwnRecord,
): Promise<Voted> {
  const { caller, organization, now } = request;
  const { read } = engine.store;
  if (!takesVotes(activity.status)) throw refused('the activity has ended and accepts no more votes, or takes none');
  const votes = await read.activities.votes(organization.id, activity.id);
  const counting = await countingVotes(read, caller.organization.id, votes, now);
  const proofs = await read.proofs.ofActivity(organization.id, activity.id);
  const also = own.write;
  const mine =
    selection === 'VOTE_SELECTION_APPROVED' &&
    counting.some((v) => v.userId === caller.user.id && v.selection === 'VOTE_SELECTION_APPROVED');
  const entitled =
    votes[0]?.userId === caller.user.id ||
    (mine && caller.user.mfaPolicyCount > 0) ||
    (await mayVote(engine, request, decoded, { votes: counting, proofs }));
  if (!entitled) throw refused('this activity waits for the votes of other users');
  if (selection === 'VOTE_SELECTION_APPROVED') {
    // A user who has already approved casts no second vote. They may add a proof, and the votes are then decided again.
    const vote = mine ? undefined : approvalBy(engine, request, activity);
    const proof = mine ? await proofBy(engine, request, activity, own.id, { votes, proofs }) : undefined;
    return approve(engine, request, decoded, activity, { votes, proofs }, { vote, proof, also });
  }
  const vote = newVote(engine.ids, request, activity, selection);
  const execution: Execution = { request, decoded, activity, vote, decision: { policyEvaluations: [] }, also };
  const outcome = { status: 'ACTIVITY_STATUS_REJECTED', result: '', failure: null } as const;
  return { activity: await settle(engine, execution, outcome), votes: [...votes, vote] };
}

async function approve(
  engine: Engine,
  request: RequestContext,
  decoded: ResolvedActivity,
  activity: Activity,
  cast: Stamps,
  { also, vote, proof }: Pick<Execution, 'also' | 'vote' | 'proof'>,
): Promise<Voted> {
  const { now, caller } = request;
  const { organization } = caller;
  const votes = vote === undefined ? cast.votes : [...cast.votes, vote];
  const proofs = proof === undefined ? cast.proofs : [...cast.proofs, proof];
  const asked = { organization, activity: decoded, now, known: caller };
  const { decision, status } = await judgeWaiting(engine.decisions, engine.store.read, asked, { votes, proofs });
  const execution: Execution = { request, decoded, activity, vote, proof, decision, also, votes };
  const isNew = vote !== undefined || proof !== undefined;
  const stays = status === activity.status || (status === undefined && decision.outcome !== 'OUTCOME_ALLOW');
  if (!isNew && stays) {
    await note(engine, execution);
    return { activity, votes };
  }
  if (status !== undefined) return { activity: await settle(engine, execution, { status, result: '', failure: null }), votes };
  // A vote that would lead to a denial is refused, and the activity keeps waiting.
  if (decision.outcome !== 'OUTCOME_ALLOW') {
    const { read } = engine.store;
    const counting = await countingVotes(read, organization.id, votes, now);
    const question = { ...asked, votes: counting, submitterId: votes[0]!.userId };
    throw await denialOf(question, decision, (one) => engine.decisions.authorize(read, { ...question, activity: one }));
  }
  await requireVelocity(decoded);
  try {
    return { activity: await completeWaiting(engine, execution), votes };
  } catch (error) {
    if (!isFinal(error)) throw error;
    const outcome = { status: 'ACTIVITY_STATUS_FAILED', result: '', failure: failureOf(error) } as const;
    return { activity: await settle(engine, execution, outcome), votes };
  }
}

/** Throws unless the caller is a user of the organization that decides about a stored activity. */
export async function checkDeciding(
  { store, decisions }: Engine,
  { organization, caller }: RequestContext,
  { kind }: ResolvedActivity,
  activity: Activity,
): Promise<void> {
  const deciding = await decisions.deciding(store.read, kind, organization, activity);
  if (deciding === caller.organization.id) return;
  if (caller.organization.id !== organization.id) throw organizationMismatch(organization, caller.organization);
  throw refused(`only users of the organization ${deciding} vote on this activity`).about(activity.id);
}

const refused = (why: string) => new ApiError('REQUEST_NOT_AUTHORIZED', `request not authorized: ${why}`);

const approvalBy = (engine: Engine, request: RequestContext, activity: Activity): Vote =>
  newVote(engine.ids, request, activity, 'VOTE_SELECTION_APPROVED');

/** A further stamp of a user whose approval counts. Undefined if it proves nothing new: the same stamp never counts again. */
async function proofBy(
  engine: Engine,
  request: RequestContext,
  activity: Activity,
  approvalId: string,
  stamps: Stamps,
): Promise<Proof | undefined> {
  const { caller, now, stamp } = request;
  if (caller.user.mfaPolicyCount === 0) return undefined;
  if (stamps.proofs.some((proof) => proof.approvalId === approvalId && proof.publicKey === stamp.publicKey)) return undefined;
  const given = { ...stamps, organizationId: caller.organization.id, now };
  const shown = await stampsOf(engine.store.read, given, caller.user.id);
  if (shown.some(({ credential }) => credential.id === caller.credential.id)) return undefined;
  return newProof(engine.ids, request, activity, approvalId);
}

async function mayVote(
  engine: Engine,
  { caller, now }: RequestContext,
  activity: ResolvedActivity,
  { votes, proofs }: Stamps,
): Promise<boolean> {
  const { read } = engine.store;
  const proven = await provenBy(read, { organizationId: caller.organization.id, votes, proofs, now });
  const question = { organization: caller.organization, activity, votes, proven, now, known: caller };
  return qualifies(engine.decisions.policies, read, question, caller.user, caller.credential);
}
