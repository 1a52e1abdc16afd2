import { setImmediate } from 'node:timers/promises';
import type { Vote } from '../../model/activity.ts';
import { PROXY_KINDS } from '../../model/auth-proxy.ts';
import type { Organization } from '../../model/organization.ts';
import type { Credential, User } from '../../model/user.ts';
import {
  decide,
  decideFew,
  decideInSlices,
  indexNaming,
  openRequest,
  type PolicyDecision,
  type PolicyIndex,
  qualifiesToVote,
  type Request,
  type Voter,
  withoutPolicies,
} from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import type { ResolvedActivity } from '../activity/decode.ts';
import type { Measured } from '../activity/measured.ts';
import { credentialOf, credentialsOf } from '../credentials.ts';
import type { PolicyCache } from './policy-cache.ts';

/** `builtIn`: why no policy was evaluated. `rootQuorumOnly`: no policy applies. */
export type Decision = PolicyDecision & { builtIn?: string; rootQuorumOnly?: boolean };

/** An activity and the votes on it. */
export type Question = {
  organization: Organization;
  activity: ResolvedActivity;
  /** The votes that count, in order, rejections among them. */
  votes: readonly Vote[];
  now: number;
  /** A voter whose rows were already read. */
  known?: { user: User; credential: Credential };
  /** The stamping session ends itself, which needs no approval. */
  endsItself?: boolean;
  /** Further credentials that voters stamped with, by user. */
  proven?: ReadonlyMap<string, readonly Credential[]>;
};

/** An activity with its actual or assumed approvers. */
export type EvaluationInput = {
  organization: Organization;
  activity: ResolvedActivity;
  /** Users whose approval counts, each once. */
  approving: readonly string[];
  /** The same users as policies see them. Called only when policies decide. */
  voters(): Promise<readonly Voter[]>;
  /** The actual or assumed first submitter. Undefined if none is assumed. */
  submitterId: string | undefined;
  endsItself?: boolean;
  now: number;
};

/** A vote that a user is about to cast. Without `credential`: with any of the user's credentials. */
export type IntendedVote = {
  organization: Organization;
  selection: Vote['selection'];
  user: User;
  credential?: Credential;
  now: number;
};

/** Overrides policies and the root quorum, because every caller can use the proxy. */
const notForProxy = (): Decision => ({
  ...withoutPolicies('OUTCOME_DENY_EXPLICIT'),
  builtIn: `The user of the auth proxy may submit only ${PROXY_KINDS.join(', ')}`,
});

const VOTES = { VOTE_SELECTION_APPROVED: 'APPROVE_ACTIVITY', VOTE_SELECTION_REJECTED: 'REJECT_ACTIVITY' } as const;

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
      credential_id: c.credentialId ?? '',
      public_key: c.publicKey,
    })),
  };
}

/** The approvers, as policies see them. */
export async function votersOf(read: Reader, { organization, votes, known, proven }: Question): Promise<Voter[]> {
  const found: Voter[] = [];
  for (const vote of votes) {
    if (vote.selection !== 'VOTE_SELECTION_APPROVED') continue;
    const mine = known?.user.id === vote.userId && known.credential.id === vote.credentialId;
    const user = mine ? known.user : await read.users.get(organization.id, vote.userId);
    const credential = mine ? known.credential : await credentialOf(read, organization.id, vote);
    if (!user || !credential) continue;
    const further = proven?.get(user.id)?.filter(({ id }) => id !== credential.id);
    const credentials = further === undefined ? [credential] : [credential, ...further];
    found.push(viewVoter(user, await read.tags.ofMember(organization.id, user.id), credentials));
  }
  return found;
}

/** A vote as it is judged whatever its target. */
function requestOfVote(selection: Vote['selection']): Request {
  const kind = VOTES[selection];
  return openRequest({ activity: { type: `ACTIVITY_TYPE_${kind}`, kind, resource: '', action: '', params: {} } });
}

/** What the deciding organization's policies read as `controls`. */
async function controlsOf({ measured }: ResolvedActivity, decidingId: string | undefined) {
  if (measured === undefined || decidingId === undefined) return undefined;
  const found = await measured();
  return found?.organizationId === decidingId ? { controls: found.controls } : undefined;
}

/** The activity as it would be decided if no limit were reached. Undefined if no control of the organization covers it. */
export async function unhindered(activity: ResolvedActivity, decidingId: string): Promise<ResolvedActivity | undefined> {
  const found = await activity.measured?.();
  return found?.organizationId === decidingId ? withControls(activity, found, found.unhindered) : undefined;
}

/** The activity as it would be decided if policies read these controls. */
export const withControls = (
  activity: ResolvedActivity,
  measured: Measured,
  controls: Measured['controls'],
): ResolvedActivity => ({
  ...activity,
  measured: async () => ({ ...measured, controls }),
});

/**
 * The activity as policies see it: one request, or one for each element of a batch. Of an approval, scopes and MFA conditions
 * see first the vote, and then the approved activity with `vote`. `decidingId`: the organization whose policies decide.
 */
export async function elementsOf(activity: ResolvedActivity, decidingId?: string): Promise<Request[]> {
  const { kind, version, intent, approved } = activity;
  const { resource, action } = kind;
  const subject = await activity.subject();
  const selection = approved && 'VOTE_SELECTION_APPROVED';
  const vote = selection && { vote: { selection } };
  const controls = await controlsOf(activity, decidingId);
  const shown = (element: number) => {
    const params = kind.policyParams(intent, { element, subject }) as never;
    return { type: version.type, kind: kind.kind, resource, action, params };
  };
  const elements = (await activity.views()).map((roots, i) =>
    openRequest({ ...roots, ...vote, ...controls, activity: shown(i) }),
  );
  return selection ? [requestOfVote(selection), ...elements] : elements;
}

/** Decides by the votes that count. `submitterId` cast the first of all votes, counted or not. */
export function authorize(policies: PolicyCache, read: Reader, question: Question & { submitterId: string }): Promise<Decision> {
  return evaluate(policies, read, { ...question, approving: approversOf(question), voters: () => votersOf(read, question) });
}

const approversOf = ({ votes }: Question): string[] => [
  ...new Set(votes.filter(({ selection }) => selection === 'VOTE_SELECTION_APPROVED').map(({ userId }) => userId)),
];

/** Decides by the approvers: the built-in rules, then the root quorum, then policies. */
export async function evaluate(policies: PolicyCache, read: Reader, input: EvaluationInput): Promise<Decision> {
  const { organization, activity, approving, submitterId, now } = input;
  const { kind, intent } = activity;
  const { submitters } = kind;
  const owner = submitters.onlyUser(intent);
  if (owner !== undefined && submitterId !== undefined && submitterId !== owner)
    return {
      ...withoutPolicies('OUTCOME_DENY_EXPLICIT'),
      builtIn: `Users ${submitters.credential ? 'recover' : 'import for'} themselves: userId must be the submitting user`,
    };
  if (submitters.rootUsersOnly && submitterId !== undefined && !isRoot(organization, submitterId))
    return { ...withoutPolicies('OUTCOME_DENY_EXPLICIT'), builtIn: 'Only a root user of the organization may submit this' };
  if (kind.votes !== undefined) return evaluateVote(policies, read, { ...input, selection: kind.votes });
  const isProxy = submitterId !== undefined && submitterId === organization.proxyUserId;
  if (isProxy && !PROXY_KINDS.includes(kind.kind)) return notForProxy();
  // If the root quorum agrees, no policy is read.
  if (meetsRootQuorum(organization, approving)) return withoutPolicies('OUTCOME_ALLOW');
  // The vote of a user who has since left the quorum does not count, and bars no other user.
  if (kind.governedBy === 'root-quorum') {
    const waits = rootsAmong(organization, approving) > 0;
    return { ...withoutPolicies(waits ? 'OUTCOME_REQUIRES_CONSENSUS' : 'OUTCOME_DENY_IMPLICIT'), rootQuorumOnly: true };
  }
  const index = await policies(read, organization);
  const needsNoApproval = input.endsItself === true || submitters.needsNoApprovalFor(intent);
  const own = needsNoApproval ? submitterId : submitters.changesCredentialsOf(intent);
  const isOwn = own !== undefined && approving.length === 1 && approving[0] === own;
  // A user who lost every passkey cannot be made to wait for others who may have lost theirs.
  const isAlone = needsNoApproval || submitters.credential === 'recovery-key';
  const question = {
    index,
    elements: await elementsOf(activity, organization.id),
    rootQuorum: organization.rootQuorum,
    voters: await input.voters(),
    defaultAllowance: isOwn && (isAlone ? ('without the root quorum' as const) : true),
    nowMs: now,
  };
  const decision = decideFew(question) ?? (await decideInSlices(question, setImmediate));
  // A recovery gives users back what they lost. It needs no other approval, but a DENY still denies. Neither does the auth
  // proxy need a policy for the activities that it exists for.
  if ((submitters.credential === undefined && !isProxy) || decision.denyingPolicyIds.length > 0) return decision;
  return { ...decision, outcome: 'OUTCOME_ALLOW' };
}

/** Votes need no permission. Only a DENY that names votes bars them, and it never bars a root user. */
async function evaluateVote(
  policies: PolicyCache,
  read: Reader,
  {
    organization,
    selection,
    approving,
    voters,
    now,
  }: Pick<EvaluationInput, 'organization' | 'approving' | 'voters' | 'now'> & Pick<IntendedVote, 'selection'>,
): Promise<Decision> {
  if (organization.proxyUserId !== null && approving.includes(organization.proxyUserId)) return notForProxy();
  if (rootsAmong(organization, approving) > 0) return withoutPolicies('OUTCOME_ALLOW');
  const request = requestOfVote(selection);
  const index: PolicyIndex = indexNaming(await policies(read, organization), request, 'activity.type', 'EFFECT_DENY');
  if (index.policies.length === 0) return withoutPolicies('OUTCOME_ALLOW');
  return decide({
    index,
    elements: [request],
    rootQuorum: organization.rootQuorum,
    voters: await voters(),
    defaultAllowance: true,
    nowMs: now,
  });
}

/** Whether a vote may be cast, whatever its target. */
export function decideVote(policies: PolicyCache, read: Reader, vote: IntendedVote): Promise<Decision> {
  return evaluateVote(policies, read, { ...vote, approving: [vote.user.id], voters: async () => [await viewOf(read, vote)] });
}

/** A user who is about to vote, as policies see them. */
export async function viewOf(read: Reader, { organization, user, credential }: Omit<IntendedVote, 'selection'>): Promise<Voter> {
  const credentials = credential ? [credential] : await credentialsOf(read, organization.id, user.id);
  return viewVoter(user, await read.tags.ofMember(organization.id, user.id), credentials);
}

/** Whether a user may approve or reject a waiting activity. */
export async function qualifies(
  policies: PolicyCache,
  read: Reader,
  question: Question,
  user: User,
  credential?: Credential,
): Promise<boolean> {
  const { organization, activity, now } = question;
  if (user.id === organization.proxyUserId) return false;
  if (isRoot(organization, user.id)) return true;
  if (activity.kind.governedBy === 'root-quorum') return false;
  const index = await policies(read, organization);
  if (index.policies.length === 0) return false;
  const voter = await viewOf(read, { organization, user, now, ...(credential && { credential }) });
  const voters = await votersOf(read, question);
  const { rootQuorum } = organization;
  const may = async (seen: ResolvedActivity): Promise<boolean> => {
    const elements = await elementsOf(seen, organization.id);
    return qualifiesToVote({ index, elements, rootQuorum, voters, nowMs: now }, voter, setImmediate);
  };
  if (await may(activity)) return true;
  // A limit may have been reached while the activity waited. If no other policy makes it wait, it still waits for the same users.
  const lifted = await unhindered(activity, organization.id);
  if (lifted === undefined || !(await may(lifted))) return false;
  const input = { ...question, approving: approversOf(question), voters: async () => voters, submitterId: undefined };
  return (await evaluate(policies, read, input)).outcome !== 'OUTCOME_REQUIRES_CONSENSUS';
}
