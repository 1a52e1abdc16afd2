import { ApiError } from '../base/errors.ts';
import type { Vote } from '../model/activity.ts';
import type { Organization } from '../model/organization.ts';
import type { Credential, User } from '../model/user.ts';
import {
  decide,
  openRequest,
  type Decision as PolicyDecision,
  qualifiesToVote,
  type Request,
  type Voter,
} from '../policy/index.ts';
import type { Reader } from '../store/types.ts';
import type { Matter } from './situation.ts';
import type { Snapshots } from './snapshot.ts';

/** `builtIn`: why no policy was asked. */
export type Decision = PolicyDecision & { builtIn?: string };

export type Question = {
  organization: Organization;
  matter: Matter;
  /** The approvals that count, in order. */
  votes: readonly Vote[];
  now: number;
  /** A voter whose rows were read already. */
  known?: { user: User; credential: Credential };
};

/** Decisions on activities, made anew with every vote. */
export type Authorizer = {
  decide(read: Reader, question: Question): Promise<Decision>;
  /** May this user approve or reject what waits? */
  qualifies(read: Reader, question: Question, user: User, credential?: Credential): Promise<boolean>;
  /** What policies see of the activity: one request, or one for each element of a batch. */
  elements(read: Reader, organization: Organization, matter: Matter): Promise<Request[]>;
  voters(read: Reader, question: Question): Promise<Voter[]>;
};

const isRoot = (organization: Organization, userId: string): boolean => organization.rootQuorum.userIds.includes(userId);

export function viewVoter(user: User, tags: readonly string[], credentials: readonly Credential[]): Voter {
  return {
    user: { id: user.id, tags: [...tags], email: user.email ?? '', alias: user.name },
    credentials: credentials.map((c) => ({
      id: c.id,
      user_id: c.userId,
      type: c.type,
      credential_id: '',
      public_key: c.publicKey,
    })),
  };
}

export function authorizer(snapshots: Snapshots): Authorizer {
  async function voters(read: Reader, { organization, votes, known }: Question): Promise<Voter[]> {
    const found: Voter[] = [];
    for (const vote of votes) {
      if (vote.selection !== 'VOTE_SELECTION_APPROVED') continue;
      const mine = known?.user.id === vote.userId && known.credential.id === vote.credentialId;
      const user = mine ? known.user : await read.users.get(organization.id, vote.userId);
      const credential = mine ? known.credential : await read.credentials.get(organization.id, vote.credentialId);
      if (user && credential) found.push(viewVoter(user, await read.tags.ofMember(organization.id, user.id), [credential]));
    }
    return found;
  }

  async function elements(read: Reader, organization: Organization, { kind, version, intent }: Matter): Promise<Request[]> {
    const { resource, action } = kind;
    const activity = { type: version.type, kind: kind.kind, resource, action, params: kind.policyParams(intent) as never };
    return (await kind.policyView({ read, organization }, intent)).map((roots) => openRequest({ ...roots, activity }));
  }

  const short = (outcome: Decision['outcome']): Decision => ({
    outcome,
    policyEvaluations: [],
    denyingPolicyIds: [],
    element: 0,
  });

  return {
    voters,
    elements,
    async decide(read, question) {
      const { organization, matter, votes, now } = question;
      const { threshold, userIds } = organization.rootQuorum;
      const owner = matter.kind.onlyFor(matter.intent);
      if (owner !== undefined && votes[0]?.userId !== owner)
        return {
          ...short('OUTCOME_DENY_EXPLICIT'),
          builtIn: 'Users import for themselves: userId must be the user who submits this',
        };
      const approving = new Set<string>();
      for (const vote of votes) if (vote.selection === 'VOTE_SELECTION_APPROVED') approving.add(vote.userId);
      let roots = 0;
      for (const id of approving) if (isRoot(organization, id)) roots++;
      // What the root quorum agrees on needs no policy to be read.
      if (roots > 0 && roots >= threshold) return short('OUTCOME_ALLOW');
      const rootQuorumOnly = matter.kind.governedBy === 'root-quorum';
      // A vote of somebody who has left the quorum meanwhile counts for nothing, and stands in nobody's way.
      if (rootQuorumOnly) return short(roots > 0 ? 'OUTCOME_REQUIRES_CONSENSUS' : 'OUTCOME_DENY_IMPLICIT');
      const { policies } = await snapshots(read, organization);
      const own = matter.kind.ownCredentialsOf(matter.intent);
      return decide({
        index: policies,
        elements: await elements(read, organization, matter),
        rootQuorum: { threshold, userIds },
        voters: await voters(read, question),
        rejections: [],
        rootQuorumOnly,
        defaultAllowance: own !== undefined && approving.size === 1 && approving.has(own),
        nowMs: now,
      });
    },
    async qualifies(read, question, user, credential) {
      const { organization, matter, now } = question;
      if (isRoot(organization, user.id)) return true;
      if (matter.kind.governedBy === 'root-quorum') return false;
      const { policies } = await snapshots(read, organization);
      if (policies.policies.length === 0) return false;
      const credentials = credential ? [credential] : await read.credentials.listByUser(organization.id, user.id);
      const voter = viewVoter(user, await read.tags.ofMember(organization.id, user.id), credentials);
      return qualifiesToVote(
        {
          index: policies,
          elements: await elements(read, organization, matter),
          rootQuorum: organization.rootQuorum,
          voters: await voters(read, question),
          rootQuorumOnly: false,
          nowMs: now,
        },
        voter,
      );
    },
  };
}

/** The refusal that a denied activity is answered and stored with. */
export function denial(decision: Decision): ApiError {
  const { denyingPolicyIds } = decision;
  const message =
    decision.builtIn ??
    (denyingPolicyIds.length > 0
      ? `The following policies denied this action: ${denyingPolicyIds.join(', ')}`
      : 'No policies evaluated to outcome: Allow');
  const policyEvaluations = decision.policyEvaluations.map(({ policyId, outcome }) => ({ policyId, outcome }));
  const hint = decision.builtIn === undefined ? ' A root user can add a policy that allows it.' : '';
  return new ApiError(
    'REQUEST_NOT_AUTHORIZED',
    `You don't have sufficient permissions to take this action. ${message}.${hint} (request not authorized)`,
    { policy: { message, policyEvaluations } },
  );
}
