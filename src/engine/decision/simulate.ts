import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import { ApiError, invalid } from '../../base/errors.ts';
import type { Organization } from '../../model/organization.ts';
import type { Warning } from '../../model/warning.ts';
import { decideInSlices, type Voter } from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import type { ExplainedMfa } from '../../wire/mfa-policies.ts';
import type { ActivityKind } from '../activity/declare.ts';
import { approvalOf, type DecodedActivity, decodeActivity, type ResolvedActivity, resolveActivity } from '../activity/decode.ts';
import { warningsOfReview } from '../activity/review.ts';
import { measuring } from '../activity/velocity.ts';
import type { Caller } from '../context.ts';
import { credentialsOf, stampsIn } from '../credentials.ts';
import type { PolicyCompiler } from '../policy-compiler.ts';
import type { NodesPort } from '../ports.ts';
import { frozenUser } from '../request/frozen-user.ts';
import { type Decision, type EvaluationInput, elementsOf, evaluate, meetsRootQuorum, viewVoter } from './authorize.ts';
import type { Decisions } from './decisions.ts';
import { Denial } from './denial.ts';
import { explainPolicies } from './explain-policies.ts';
import type { ExplainedPolicy } from './explained-policy.ts';
import { type Demand, demandsOfUser } from './mfa.ts';
import { explainedDemand } from './mfa-status.ts';
import { refusalTold } from './refusal-told.ts';
import { denialOf } from './velocity-denial.ts';

export type Simulation = {
  outcome: string;
  /** The element of the batch that decided. */
  element: number;
  rootQuorumMet: boolean;
  /** Why no policy was evaluated, or what refuses besides policies. */
  reason?: string;
  policies: ExplainedPolicy[];
  /** The submitter's first. */
  mfaStatuses: z.output<typeof ExplainedMfa>[];
  /** The warnings that the answer to the submit would have. Absent if there are none. */
  warnings?: Warning[];
};

export type SimulationQuestion = {
  organization: Organization;
  caller: Caller;
  policies: PolicyCompiler;
  nodes: NodesPort;
  type: string;
  parameters: unknown;
  /** The assumed approvers; the caller if empty. The first is the submitter. */
  userIds: readonly string[];
  now: number;
};

/** A quorum that is never met, so that only policies decide. */
export const NO_ROOT_QUORUM = { rootQuorum: { userIds: [], threshold: 1 }, defaultAllowance: false };

/** The decision that an activity would get, with its reasons. Nothing is written. */
export async function simulate(decisions: Decisions, read: Reader, question: SimulationQuestion): Promise<Simulation> {
  const { caller, type, parameters, userIds, now } = question;
  const plain = resolveActivity(read, question.organization, decodeFor(decisions.kinds, type, parameters));
  const organization = await decidingFor(read, question, plain.kind);
  const own = caller.organization.id === organization.id;
  const assumed = userIds.length > 0 ? [...new Set(userIds)] : own ? [caller.user.id] : [];
  const frozen = await frozenAmong(read, organization, assumed);
  // The approvals of frozen users do not count. A frozen submitter is refused whatever policies say.
  const approving = assumed.filter((id, i) => i === 0 || !frozen.has(id));
  const userId = approving[0] ?? caller.user.id;
  const activity = measuring(decisions.velocity, read, { organization: question.organization, activity: plain, userId, now });
  const voters = await Promise.all(approving.map((id) => voterOf(read, organization, id, caller)));
  const input = { organization, activity, approving, voters: async () => voters, submitterId: approving[0], now };
  const judged = await withTarget(decisions, read, question.organization, activity);
  // The caller would submit it with the credential that stamped the question.
  const scoped = userIds.length === 0 && own ? await decisions.scopes(read, caller, judged) : undefined;
  const decision = scoped ?? (await evaluate(decisions.policies, read, input));
  const { element, builtIn } = decision;
  const demands = await demandsOfAssumed(decisions, read, organization, judged, approving, caller);
  const judgedOutcome = scoped ? decision : await withMfa(decisions, read, input, decision, demands);
  const isFrozen = approving[0] !== undefined && frozen.has(approving[0]);
  const running = { organization: question.organization, activity, userId, now };
  const refused = isFrozen
    ? frozenUser(userId)
    : await refusalTold(decisions, read, judgedOutcome.outcome, running, async () =>
        scoped
          ? new Denial(scoped)
          : denialOf(input, decision, (one) => evaluate(decisions.policies, read, { ...input, activity: one })),
      );
  const isStopped = isFrozen || (refused !== undefined && judgedOutcome.outcome === 'OUTCOME_ALLOW');
  const outcome = isStopped ? 'OUTCOME_DENY_EXPLICIT' : judgedOutcome.outcome;
  const elements = await elementsOf(activity, organization.id);
  const index = await decisions.policies(read, organization);
  const governed = activity.kind.governedBy === 'policy' && activity.kind.votes === undefined;
  // Show the policy outcomes even if the decision did not need them.
  const { policyEvaluations } =
    governed && decision.policyEvaluations.length === 0
      ? await decideInSlices({ ...NO_ROOT_QUORUM, index, elements, voters, nowMs: now }, setImmediate)
      : decision;
  const asked = {
    organizationId: organization.id,
    index,
    evaluations: policyEvaluations,
    element: elements[element],
    voters,
    now,
  };
  const policies = await explainPolicies(decisions, read, asked);
  const rootQuorumMet = meetsRootQuorum(organization, approving);
  const reviewing = {
    organization: question.organization,
    read,
    policies: question.policies,
    environment: decisions.environment,
    nodes: question.nodes,
  };
  const reason = refused?.message ?? builtIn;
  const warnings = await warningsOfReview(reviewing, activity);
  return {
    outcome,
    element,
    rootQuorumMet,
    ...(reason === undefined ? {} : { reason }),
    policies,
    mfaStatuses: demands.map(explainedDemand),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

async function frozenAmong(read: Reader, { id }: Organization, userIds: readonly string[]): Promise<ReadonlySet<string>> {
  const users = await Promise.all(userIds.map((userId) => read.users.get(id, userId)));
  return new Set(users.flatMap((user) => (user?.frozen ? [user.id] : [])));
}

/**
 * The MFA demands on each assumed approver. The caller stamps with the credential that stamped the question. Other approvers
 * are assumed to use all their credentials. So a step of theirs is open only if they cannot meet it.
 */
async function demandsOfAssumed(
  { mfa }: Decisions,
  read: Reader,
  organization: Organization,
  activity: ResolvedActivity,
  approving: readonly string[],
  caller: Caller,
): Promise<Demand[]> {
  const demands: Demand[] = [];
  // Rejections, and requests of newcomers, are subject to no MFA policies.
  if (activity.kind.votes !== undefined || activity.kind.admit !== undefined) return demands;
  for (const id of approving) {
    const user = await read.users.get(organization.id, id);
    const state = user && user.mfaPolicyCount > 0 ? await read.userStates.get(organization.id, id) : undefined;
    if (state === undefined) continue;
    const all = stampsIn(state);
    const asks = caller.organization.id === organization.id && caller.user.id === id;
    const stamps = asks ? all.filter(({ credential }) => credential.id === caller.credential.id) : all;
    const asked = id === approving[0] ? activity : approvalOf(activity);
    demands.push(...(await demandsOfUser(mfa, read, state.user, asked, stamps)));
  }
  return demands;
}

/** Works as `judgeWaiting` does. */
async function withMfa(
  decisions: Decisions,
  read: Reader,
  input: EvaluationInput,
  decision: Decision,
  demands: readonly Demand[],
): Promise<{ outcome: string }> {
  const open = demands.filter(({ missing }) => missing.length > 0).map(({ userId }) => userId);
  const passes = decision.outcome === 'OUTCOME_ALLOW' || decision.outcome === 'OUTCOME_REQUIRES_CONSENSUS';
  if (!passes || open.length === 0) return decision;
  if (input.submitterId === undefined || !open.includes(input.submitterId)) {
    const approving = input.approving.filter((id) => !open.includes(id));
    const voters = async () => (await input.voters()).filter(({ user }) => !open.includes(user.id));
    const without = await evaluate(decisions.policies, read, { ...input, approving, voters });
    if (without.outcome === 'OUTCOME_ALLOW') return without;
  }
  return { outcome: 'OUTCOME_REQUIRES_AUTHENTICATORS' };
}

/**
 * The organization that would decide. It is the parent under two conditions:
 * - The parent's users may submit such an activity in a sub-organization.
 * - One of them asks about themselves or about other users of the parent.
 */
async function decidingFor(
  read: Reader,
  { organization, caller, userIds }: SimulationQuestion,
  { submitters }: ActivityKind,
): Promise<Organization> {
  if (submitters.from !== 'parent' || caller.organization.id !== organization.parentId) return organization;
  const [first] = userIds;
  const isOfSub = first !== undefined && (await read.users.get(organization.id, first)) !== undefined;
  return isOfSub ? organization : caller.organization;
}

/** An approval together with its target, which scopes and MFA see. Other activities are returned unchanged. */
async function withTarget(decisions: Decisions, read: Reader, organization: Organization, activity: ResolvedActivity) {
  if (activity.kind.votes !== 'VOTE_SELECTION_APPROVED') return activity;
  const { fingerprint } = activity.intent as { fingerprint: string };
  const target = await read.activities.byFingerprint(organization.id, fingerprint);
  return target ? approvalOf(resolveActivity(read, organization, decisions.decode(target))) : activity;
}

function decodeFor(kinds: readonly ActivityKind[], type: string, parameters: unknown): DecodedActivity {
  for (const kind of kinds) {
    const version = kind.versions.get(type);
    if (version) return decodeActivity(kind, version, parameters, '0');
  }
  throw invalid('type', 'must be the type of an activity');
}

/** A user with all their credentials. The caller has only the stamping credential. */
async function voterOf(read: Reader, organization: Organization, userId: string, caller: Caller): Promise<Voter> {
  const user = await read.users.get(organization.id, userId);
  if (user === undefined) throw new ApiError('NOT_FOUND', `user not found: approverUserIds names ${userId}`);
  const tags = await read.tags.ofMember(organization.id, userId);
  const asking = caller.organization.id === organization.id && caller.user.id === userId;
  return viewVoter(user, tags, asking ? [caller.credential] : await credentialsOf(read, organization.id, userId));
}
