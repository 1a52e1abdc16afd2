import type { z } from 'zod';
import { type Activity, takesVotes } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import { type ExplainedMfa, type MfaStatus, viewSteps } from '../../wire/mfa-policies.ts';
import { resolveActivity } from '../activity/decode.ts';
import type { Decisions } from './decisions.ts';
import { type Demand, demandsOf } from './mfa.ts';
import { demandsOn } from './waiting.ts';

type Asked = {
  /** Where the activity runs. */
  organization: Organization;
  /** The organization whose users voted, and whose users the viewer may see. */
  deciding: Organization;
  activity: Activity;
  now: number;
  /** Only this user, also if they have not voted. */
  userId?: string | undefined;
};

/**
 * The demands of MFA policies on the users who submitted and approved a waiting activity. A finished activity has no demands.
 */
export async function mfaOn(decisions: Decisions, read: Reader, asked: Asked): Promise<Demand[]> {
  const { organization, deciding, activity, now, userId } = asked;
  if (!takesVotes(activity.status)) return [];
  const [votes, proofs] = await Promise.all([
    read.activities.votes(organization.id, activity.id),
    read.proofs.ofActivity(organization.id, activity.id),
  ]);
  const resolved = resolveActivity(read, organization, decisions.decode(activity));
  if (userId === undefined)
    return demandsOn(decisions, read, { organization: deciding, activity: resolved, now }, { votes, proofs });
  return demandsOf(decisions.mfa, read, { organizationId: deciding.id, votes, proofs, now }, resolved, [userId]);
}

export function shownDemand({ userId, policy, missing, shown }: Demand): z.output<typeof MfaStatus> {
  return {
    mfaPolicyId: policy.id,
    userId,
    satisfied: missing.length === 0,
    satisfiedMethods: shown.map((method) => ({ ...method })),
    requiredMethods: viewSteps(policy.steps),
  };
}

export function explainedDemand(demand: Demand): z.output<typeof ExplainedMfa> {
  return { ...shownDemand(demand), mfaPolicyName: demand.policy.name, missingMethods: viewSteps(demand.missing) };
}
