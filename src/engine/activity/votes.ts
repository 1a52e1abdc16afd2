import { ApiError, type ErrorCode } from '../../base/errors.ts';
import { type Activity, isTerminal, liveVotes, type Vote } from '../../model/activity.ts';
import type { Reader, Writer } from '../../store/types.ts';
import type { Engine } from '../context.ts';
import { type Authorizer, type Decision, Denial } from '../decision/authorize.ts';
import { failureOf, type Matter, type Situation, voteOf } from '../request/context.ts';
import type { Performer, Step } from './execute.ts';

/** An activity as it is after a vote, with all its votes. */
export type Voted = { activity: Activity; votes: readonly Vote[] };

export type Voting = {
  /** A body that the organization has seen: the same activity, however late and whoever sends it. */
  again(situation: Situation, matter: Matter, activity: Activity): Promise<Voted>;
  /** Throws where a DENY names such votes and is about this voter. */
  permit(situation: Situation, selection: Vote['selection']): Promise<Decision>;
  /** An approval or rejection by fingerprint. `also` writes its own record in the same transaction. */
  cast(
    situation: Situation,
    matter: Matter,
    activity: Activity,
    selection: Vote['selection'],
    also: (tx: Writer) => Promise<void>,
  ): Promise<Voted>;
};

/** Votes that count: inside their window, by users and credentials that still exist. */
export async function countingVotes(read: Reader, organizationId: string, votes: readonly Vote[], now: number): Promise<Vote[]> {
  const counting: Vote[] = [];
  for (const vote of liveVotes(votes, now))
    if (await read.credentials.get(organizationId, vote.credentialId)) counting.push(vote);
  return counting;
}

const refused = (why: string) => new ApiError('REQUEST_NOT_AUTHORIZED', `request not authorized: ${why}`);

export function voting(engine: Engine, authorizer: Authorizer, perform: Performer): Voting {
  const { store, ids } = engine;

  const question = (situation: Situation, matter: Matter, votes: readonly Vote[]) => ({
    organization: situation.organization,
    matter,
    votes,
    now: situation.now,
    known: situation.caller,
  });

  const approvalBy = (situation: Situation, activity: Activity): Vote =>
    voteOf(ids, situation, activity, 'VOTE_SELECTION_APPROVED', true);

  async function approve(
    situation: Situation,
    matter: Matter,
    activity: Activity,
    cast: readonly Vote[],
    { also, vote }: Pick<Step, 'also' | 'vote'>,
  ): Promise<Voted> {
    const votes = vote === undefined ? cast : [...cast, vote];
    const counting = await countingVotes(store.read, situation.organization.id, votes, situation.now);
    const decision = await authorizer.decide(store.read, {
      ...question(situation, matter, counting),
      submitterId: votes[0]!.userId,
    });
    const step: Step = { situation, matter, activity, vote, decision, also };
    if (vote === undefined && decision.outcome !== 'OUTCOME_ALLOW') {
      await perform.note(step);
      return { activity, votes };
    }
    if (decision.outcome === 'OUTCOME_REQUIRES_CONSENSUS')
      return { activity: await perform.settle(step, { status: activity.status, result: '', failure: null }), votes };
    // A vote that would complete a DENY is refused, and the activity goes on waiting.
    if (decision.outcome !== 'OUTCOME_ALLOW') throw new Denial(decision);
    try {
      return { activity: await perform.complete(step), votes };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const outcome = { status: 'ACTIVITY_STATUS_FAILED', result: '', failure: failureOf(error) } as const;
      return { activity: await perform.settle(step, outcome), votes };
    }
  }

  const mayVote = (situation: Situation, matter: Matter, counting: readonly Vote[]): Promise<boolean> => {
    const { user, credential } = situation.caller;
    return authorizer.qualifies(store.read, question(situation, matter, counting), user, credential);
  };

  async function permit({ organization, caller, now }: Situation, selection: Vote['selection']): Promise<Decision> {
    const decision = await authorizer.vote(store.read, { ...caller, organization, selection, now });
    if (decision.outcome !== 'OUTCOME_ALLOW') throw new Denial(decision);
    return decision;
  }

  return {
    permit,
    async again(situation, matter, activity) {
      const { caller, organization, now } = situation;
      const { failure } = activity;
      if (failure?.refusal !== undefined && failure.refusedUserId === caller.user.id)
        throw new ApiError(failure.refusal as ErrorCode, failure.message, { details: failure.details, activityId: activity.id });
      const votes = await store.read.activities.votes(organization.id, activity.id);
      if (isTerminal(activity.status)) return { activity, votes };
      const approved = (v: Vote) => v.userId === caller.user.id && v.selection === 'VOTE_SELECTION_APPROVED';
      const counting = await countingVotes(store.read, organization.id, votes, now);
      if (counting.some(approved)) return { activity, votes };
      // A submitter's own approval may be renewed: it was accepted once.
      const renewed = votes.some(approved);
      if (!renewed) await permit(situation, 'VOTE_SELECTION_APPROVED');
      if (renewed || (await mayVote(situation, matter, counting)))
        return approve(situation, matter, activity, votes, { vote: approvalBy(situation, activity) });
      throw refused('this activity waits for the approval of others').about(activity.id);
    },
    async cast(situation, matter, activity, selection, also) {
      const { caller, organization, now } = situation;
      if (isTerminal(activity.status)) throw refused('the activity is finished and takes no more votes');
      const votes = await store.read.activities.votes(organization.id, activity.id);
      const counting = await countingVotes(store.read, organization.id, votes, now);
      const entitled = votes[0]?.userId === caller.user.id || (await mayVote(situation, matter, counting));
      if (!entitled) throw refused('this activity waits for the votes of others');
      if (selection === 'VOTE_SELECTION_APPROVED') {
        // Whoever approved already gives no second vote, but asks whether the votes suffice by now.
        const mine = counting.some((v) => v.userId === caller.user.id && v.selection === selection);
        return approve(situation, matter, activity, votes, { vote: mine ? undefined : approvalBy(situation, activity), also });
      }
      const vote = voteOf(ids, situation, activity, selection, true);
      const step: Step = { situation, matter, activity, vote, decision: { policyEvaluations: [] }, also };
      const outcome = { status: 'ACTIVITY_STATUS_REJECTED', result: '', failure: null } as const;
      return { activity: await perform.settle(step, outcome), votes: [...votes, vote] };
    },
  };
}
