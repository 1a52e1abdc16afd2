import { ApiError } from '../base/errors.ts';
import type { Vote } from '../model/activity.ts';
import type { Organization } from '../model/organization.ts';
import type { Credential, User } from '../model/user.ts';
import {
  decide,
  indexNaming,
  openRequest,
  type Decision as PolicyDecision,
  type PolicyEvaluation,
  qualifiesToVote,
  type Request,
  saysAbsent,
  type Voter,
  withoutPolicies,
} from '../policy/index.ts';
import type { Reader } from '../store/types.ts';
import type { Matter } from './situation.ts';
import type { Snapshots } from './snapshot.ts';

/** `builtIn`: why no policy was asked. `rootQuorumOnly`: no policy can be. */
export type Decision = PolicyDecision & { builtIn?: string; rootQuorumOnly?: boolean };

export type Question = {
  organization: Organization;
  matter: Matter;
  /** The votes that count, in order, rejections among them. */
  votes: readonly Vote[];
  now: number;
  /** A voter whose rows were read already. */
  known?: { user: User; credential: Credential };
};

/** Who would approve what. */
export type Supposition = {
  organization: Organization;
  matter: Matter;
  /** Users whose approval counts, each once. */
  approving: readonly string[];
  /** The same users as policies see them. Asked for only where policies decide. */
  voters(): Promise<readonly Voter[]>;
  /** Whoever submitted first, or would. Undefined where nobody in particular is supposed to. */
  submitterId: string | undefined;
  now: number;
};

/** A vote that somebody is about to cast. */
export type Ballot = {
  organization: Organization;
  selection: Vote['selection'];
  user: User;
  credential?: Credential;
  now: number;
};

const VOTES = { VOTE_SELECTION_APPROVED: 'APPROVE_ACTIVITY', VOTE_SELECTION_REJECTED: 'REJECT_ACTIVITY' } as const;

/** Decisions on activities, made anew with every vote. */
export type Authorizer = {
  /** What the votes that count come to; `submitterId` cast the first of all votes, counted or not. */
  decide(read: Reader, question: Question & { submitterId: string }): Promise<Decision>;
  suppose(read: Reader, supposition: Supposition): Promise<Decision>;
  /** Whether a vote may be cast, whatever it is on. Without `credential`, by any that the user has. */
  vote(read: Reader, ballot: Ballot): Promise<Decision>;
  /** May this user approve or reject what waits? */
  qualifies(read: Reader, question: Question, user: User, credential?: Credential): Promise<boolean>;
  /** What policies see of the activity: one request, or one for each element of a batch. */
  elements(read: Reader, organization: Organization, matter: Matter): Promise<Request[]>;
  voters(read: Reader, question: Question): Promise<Voter[]>;
};

const isRoot = (organization: Organization, userId: string): boolean => organization.rootQuorum.userIds.includes(userId);

const rootsAmong = (organization: Organization, approving: readonly string[]): number =>
  approving.filter((id) => isRoot(organization, id)).length;

export function meetsRootQuorum(organization: Organization, approving: readonly string[]): boolean {
  const roots = rootsAmong(organization, approving);
  return roots > 0 && roots >= organization.rootQuorum.threshold;
}

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

  /** Votes need no permission; only a DENY that names them can bar them, and no root user. */
  async function onVote(
    read: Reader,
    {
      organization,
      selection,
      approving,
      voters: asPoliciesSee,
      now,
    }: Pick<Supposition, 'organization' | 'approving' | 'voters' | 'now'> & Pick<Ballot, 'selection'>,
  ): Promise<Decision> {
    if (rootsAmong(organization, approving) > 0) return withoutPolicies('OUTCOME_ALLOW');
    const kind = VOTES[selection];
    const request = openRequest({ activity: { type: `ACTIVITY_TYPE_${kind}`, kind, resource: '', action: '', params: {} } });
    const index = indexNaming(await snapshots(read, organization), request, 'activity.type', 'EFFECT_DENY');
    if (index.policies.length === 0) return withoutPolicies('OUTCOME_ALLOW');
    return decide({
      index,
      elements: [request],
      rootQuorum: organization.rootQuorum,
      voters: await asPoliciesSee(),
      defaultAllowance: true,
      nowMs: now,
    });
  }

  async function viewOf(read: Reader, { organization, user, credential }: Omit<Ballot, 'selection'>): Promise<Voter> {
    const credentials = credential ? [credential] : await read.credentials.listByUser(organization.id, user.id);
    return viewVoter(user, await read.tags.ofMember(organization.id, user.id), credentials);
  }

  async function suppose(read: Reader, supposition: Supposition): Promise<Decision> {
    const { organization, matter, approving, submitterId, now } = supposition;
    const { kind, intent } = matter;
    const owner = kind.onlyFor(intent);
    if (owner !== undefined && submitterId !== undefined && submitterId !== owner)
      return {
        ...withoutPolicies('OUTCOME_DENY_EXPLICIT'),
        builtIn: 'Users import for themselves: userId must be the user who submits this',
      };
    if (kind.votes !== undefined) return onVote(read, { ...supposition, selection: kind.votes });
    // What the root quorum agrees on needs no policy to be read.
    if (meetsRootQuorum(organization, approving)) return withoutPolicies('OUTCOME_ALLOW');
    // A vote of somebody who has left the quorum meanwhile counts for nothing, and stands in nobody's way.
    if (kind.governedBy === 'root-quorum') {
      const waits = rootsAmong(organization, approving) > 0;
      return { ...withoutPolicies(waits ? 'OUTCOME_REQUIRES_CONSENSUS' : 'OUTCOME_DENY_IMPLICIT'), rootQuorumOnly: true };
    }
    const policies = await snapshots(read, organization);
    const own = kind.ownCredentialsOf(intent);
    return decide({
      index: policies,
      elements: await elements(read, organization, matter),
      rootQuorum: organization.rootQuorum,
      voters: await supposition.voters(),
      defaultAllowance: own !== undefined && approving.length === 1 && approving[0] === own,
      nowMs: now,
    });
  }

  return {
    voters,
    elements,
    suppose,
    vote: (read, ballot) =>
      onVote(read, { ...ballot, approving: [ballot.user.id], voters: async () => [await viewOf(read, ballot)] }),
    async decide(read, question) {
      const approving = new Set<string>();
      for (const vote of question.votes) if (vote.selection === 'VOTE_SELECTION_APPROVED') approving.add(vote.userId);
      return suppose(read, { ...question, approving: [...approving], voters: () => voters(read, question) });
    },
    async qualifies(read, question, user, credential) {
      const { organization, matter, now } = question;
      if (isRoot(organization, user.id)) return true;
      if (matter.kind.governedBy === 'root-quorum') return false;
      const policies = await snapshots(read, organization);
      if (policies.policies.length === 0) return false;
      const voter = await viewOf(read, { organization, user, now, ...(credential && { credential }) });
      return qualifiesToVote(
        {
          index: policies,
          elements: await elements(read, organization, matter),
          rootQuorum: organization.rootQuorum,
          voters: await voters(read, question),
          nowMs: now,
        },
        voter,
      );
    },
  };
}

/** How many policies that could not be evaluated a denial names, and how much it says of each. */
const FAILED_SHOWN = 3;
const LONGEST_REASON = 300;

function failureText({ policyId, reason = '' }: PolicyEvaluation): string {
  const why = reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason;
  return `Policy ${policyId} could not be evaluated: ${why.replace(/\.$/, '')}.`;
}

/** The failures that this denial may come from. What a policy is about and the activity does not have is said last: it is seldom why. */
function failuresBehind(denied: boolean, evaluations: readonly PolicyEvaluation[]): string[] {
  const outcome = denied ? 'OUTCOME_DENY_EXPLICIT' : 'OUTCOME_ERROR';
  const failed = evaluations.filter((e) => e.outcome === outcome && e.reason !== undefined);
  const last = ({ reason }: PolicyEvaluation) => Number(saysAbsent(reason!));
  return failed
    .toSorted((a, b) => last(a) - last(b))
    .slice(0, FAILED_SHOWN)
    .map(failureText);
}

/** What a denied activity is answered and stored with, and the decision behind it. */
export class Denial extends ApiError {
  readonly decision: Decision;

  constructor(decision: Decision) {
    const { builtIn, denyingPolicyIds, rootQuorumOnly } = decision;
    const denied = denyingPolicyIds.length > 0;
    const message =
      builtIn ??
      (denied
        ? `The following policies denied this action: ${denyingPolicyIds.join(', ')}`
        : 'No policies evaluated to outcome: Allow');
    const policyEvaluations = decision.policyEvaluations.map(({ policyId, outcome }) => ({ policyId, outcome }));
    const broken = failuresBehind(denied, decision.policyEvaluations)
      .map((text) => ` ${text}`)
      .join('');
    const grantable = builtIn === undefined && !denied && rootQuorumOnly !== true;
    const hint = grantable ? ' A root user can add a policy that allows it.' : rootQuorumOnly ? ' Only the root quorum may.' : '';
    super(
      'REQUEST_NOT_AUTHORIZED',
      `You don't have sufficient permissions to take this action. ${message}.${broken}${hint} (request not authorized)`,
      {
        policy: { message, policyEvaluations },
      },
    );
    this.decision = decision;
  }
}
