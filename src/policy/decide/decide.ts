import type { Budget, Request } from '../evaluate/context.ts';
import {
  type Ballot,
  conditionHolds,
  contributes,
  evaluatePart,
  evaluatePolicy,
  openBallot,
  openClock,
  type PolicyEvaluation,
  type PolicyOutcome,
  saysAbsent,
  type Voter,
} from '../evaluate/outcome.ts';
import { MAX_DECISION_STEPS, MAX_REASONS, MAX_RULED_OUT_LISTED } from '../language/limits.ts';
import type { CompiledPolicy } from './compile.ts';
import { candidates, type IndexedPolicy, type PolicyIndex } from './policy-index.ts';

export type Outcome = 'OUTCOME_ALLOW' | 'OUTCOME_DENY_EXPLICIT' | 'OUTCOME_DENY_IMPLICIT' | 'OUTCOME_REQUIRES_CONSENSUS';

/** Everything a decision depends on. */
export type DecisionInput = {
  readonly index: PolicyIndex;
  /** The activity as policies see it: one request, or one per element of a batch. Every element must be allowed. */
  readonly elements: readonly Request[];
  readonly rootQuorum: { readonly userIds: readonly string[]; readonly threshold: number };
  /** Users whose approval is live. */
  readonly voters: readonly Voter[];
  /**
   * The activity changes the acting user's own credentials, which needs no policy. Or it gives them nothing new, or only what
   * they lost, which needs no other root user either.
   */
  readonly defaultAllowance: boolean | 'without the root quorum';
  readonly nowMs: number;
};

export type PolicyDecision = {
  readonly outcome: Outcome;
  /** The evaluated policies, in order, then up to 100 of those that could not match. */
  readonly policyEvaluations: readonly PolicyEvaluation[];
  readonly denyingPolicyIds: readonly string[];
  /** The first batch element with the overall outcome. */
  readonly element: number;
  /** The velocity controls of each ALLOW that allows or waits on any element, and of each evaluated DENY. */
  readonly controls: readonly string[];
};

/** Policies that are evaluated without a break: a few milliseconds. */
const AT_ONCE = 250;

/** The findings of a decision so far. */
type Count = {
  readonly input: DecisionInput;
  readonly roots: number;
  readonly voters: readonly Voter[];
  readonly ballot: Ballot;
  readonly tally: Tally;
  readonly controls: Set<string>;
  outcome: Outcome;
  element: number;
};

/** Decides about an activity. Pure; never throws: evaluation failures are part of the result. */
export function decide(input: DecisionInput): PolicyDecision {
  const begun = begin(input);
  if (begun === undefined) return withoutPolicies('OUTCOME_ALLOW');
  for (const [position, request] of input.elements.entries()) {
    const findings = nothingFound();
    count(begun, request, candidates(input.index, request), findings);
    conclude(begun, position, findings);
  }
  return finish(begun);
}

/** The same decision, if few policies may match. Otherwise undefined, for `decideInSlices`. */
export function decideFew(input: DecisionInput): PolicyDecision | undefined {
  const begun = begin(input);
  if (begun === undefined) return withoutPolicies('OUTCOME_ALLOW');
  let left = AT_ONCE;
  for (const [position, request] of input.elements.entries()) {
    const entries = candidates(input.index, request);
    left -= entries.length;
    if (left < 0) return undefined;
    const findings = nothingFound();
    count(begun, request, entries, findings);
    conclude(begun, position, findings);
  }
  return finish(begun);
}

/** The same decision for any number of policies. `between` lets other requests run. */
export async function decideInSlices(input: DecisionInput, between: () => Promise<unknown>): Promise<PolicyDecision> {
  const begun = begin(input);
  if (begun === undefined) return withoutPolicies('OUTCOME_ALLOW');
  let left = 0;
  for (const [position, request] of input.elements.entries()) {
    const entries = candidates(input.index, request);
    const findings = nothingFound();
    for (let at = 0; at < entries.length; at += AT_ONCE) {
      const slice = entries.slice(at, at + AT_ONCE);
      if (slice.length > left) {
        await between();
        left = AT_ONCE;
      }
      left -= slice.length;
      count(begun, request, slice, findings);
    }
    conclude(begun, position, findings);
  }
  return finish(begun);
}

/** Undefined if the root quorum agrees. */
function begin(input: DecisionInput): Count | undefined {
  const voters = distinct(input.voters);
  const roots = countRoots(input.rootQuorum, voters);
  if (roots > 0 && roots >= input.rootQuorum.threshold) return undefined;
  const ballot = openBallot(voters, input.nowMs, input.elements.length > 1);
  shareBudget([ballot.people, ballot.clock, ...input.elements]);
  // An empty batch contains no request that could be allowed.
  const outcome = input.elements.length === 0 ? 'OUTCOME_DENY_IMPLICIT' : 'OUTCOME_ALLOW';
  return { input, roots, voters, ballot, tally: new Map(), controls: new Set(), outcome, element: 0 };
}

function conclude(begun: Count, position: number, findings: Findings): void {
  const { input, roots, voters } = begun;
  const own = combine(findings, roots > 0, input.defaultAllowance, voters.length > 0);
  if (severity[own] <= severity[begun.outcome]) return;
  begun.outcome = own;
  begun.element = position;
}

function finish({ input, tally, controls, outcome, element }: Count): PolicyDecision {
  const evaluated = [...tally].sort(([a], [b]) => a.position - b.position);
  const policyEvaluations = evaluated.map(([, evaluation]) => evaluation);
  const denyingPolicyIds: string[] = [];
  for (const { policyId, outcome: own } of policyEvaluations)
    if (own === 'OUTCOME_DENY_EXPLICIT') denyingPolicyIds.push(policyId);
  listRuledOut(
    input.index,
    evaluated.map(([entry]) => entry),
    policyEvaluations,
  );
  return { outcome, policyEvaluations, denyingPolicyIds, element, controls: [...controls] };
}

/** The step budget of all expressions about these requests. Once it is used up, no expression has a value. */
export function shareBudget(requests: readonly Request[], left = MAX_DECISION_STEPS): Budget {
  const budget = { left };
  for (const request of requests) request.budget = budget;
  return budget;
}

export function withoutPolicies(outcome: Outcome): PolicyDecision {
  return { outcome, policyEvaluations: [], denyingPolicyIds: [], element: 0, controls: [] };
}

const severity: Readonly<Record<Outcome, number>> = {
  OUTCOME_ALLOW: 0,
  OUTCOME_REQUIRES_CONSENSUS: 1,
  OUTCOME_DENY_IMPLICIT: 2,
  OUTCOME_DENY_EXPLICIT: 3,
};

/** If a policy has different outcomes on several elements, the strongest is reported. */
const strength: Readonly<Record<PolicyOutcome, number>> = {
  OUTCOME_DENY_IMPLICIT: 0,
  OUTCOME_TIME_INACTIVE: 1,
  OUTCOME_ALLOW: 2,
  OUTCOME_REQUIRES_CONSENSUS: 3,
  OUTCOME_ERROR: 4,
  OUTCOME_DENY_EXPLICIT: 5,
};

type Tally = Map<IndexedPolicy, PolicyEvaluation>;
type Findings = { denied: boolean; allowed: boolean; open: boolean; failed: number };

const nothingFound = (): Findings => ({ denied: false, allowed: false, open: false, failed: 0 });

/** Evaluates policies that may match one element, and adds them to the tally of all elements. */
function count(
  { ballot, tally, controls }: Count,
  request: Request,
  entries: readonly IndexedPolicy[],
  findings: Findings,
): void {
  for (const entry of entries) {
    const { outcome, reason } = evaluatePolicy(entry.policy, request, ballot, findings.failed >= MAX_REASONS);
    if (outcome === 'OUTCOME_DENY_EXPLICIT') findings.denied = true;
    else if (outcome === 'OUTCOME_ALLOW') findings.allowed = true;
    else if (outcome === 'OUTCOME_REQUIRES_CONSENSUS') findings.open = true;
    else if (outcome === 'OUTCOME_ERROR' && reason !== undefined && !saysAbsent(reason)) findings.failed += 1;
    if (entry.policy.effect === 'EFFECT_DENY' || outcome === 'OUTCOME_ALLOW' || outcome === 'OUTCOME_REQUIRES_CONSENSUS')
      for (const { name } of entry.policy.controls) controls.add(name);
    const known = tally.get(entry);
    if (known !== undefined && strength[known.outcome] >= strength[outcome]) continue;
    const policyId = entry.id;
    const evaluation =
      outcome === 'OUTCOME_DENY_IMPLICIT'
        ? entry.unmatched
        : reason === undefined
          ? { policyId, outcome }
          : { policyId, outcome, reason };
    tally.set(entry, evaluation);
  }
}

/** A root user's vote keeps an activity open, so that no DENY can lock an organization out of itself. */
function combine(
  { denied, allowed, open }: Findings,
  root: boolean,
  defaultAllowance: DecisionInput['defaultAllowance'],
  anybody: boolean,
): Outcome {
  if (denied) return root ? 'OUTCOME_REQUIRES_CONSENSUS' : 'OUTCOME_DENY_EXPLICIT';
  if (allowed) return anybody ? 'OUTCOME_ALLOW' : 'OUTCOME_REQUIRES_CONSENSUS';
  if (open || (root && defaultAllowance !== 'without the root quorum')) return 'OUTCOME_REQUIRES_CONSENSUS';
  return defaultAllowance && anybody ? 'OUTCOME_ALLOW' : 'OUTCOME_DENY_IMPLICIT';
}

function listRuledOut(index: PolicyIndex, evaluated: readonly IndexedPolicy[], list: PolicyEvaluation[]): void {
  let next = 0;
  let left = MAX_RULED_OUT_LISTED;
  for (const entry of index.policies) {
    if (left === 0) return;
    if (evaluated[next] === entry) next += 1;
    else {
      list.push(entry.unmatched);
      left -= 1;
    }
  }
}

/** One entry per user: a second vote by the same user adds only its credentials. */
function distinct(voters: readonly Voter[]): readonly Voter[] {
  const byUser = new Map<string, Voter>();
  for (const voter of voters) {
    const known = byUser.get(voter.user.id);
    byUser.set(
      voter.user.id,
      known === undefined ? voter : { user: known.user, credentials: [...known.credentials, ...voter.credentials] },
    );
  }
  return byUser.size === voters.length ? voters : [...byUser.values()];
}

function countRoots(quorum: DecisionInput['rootQuorum'], voters: readonly Voter[]): number {
  return voters.filter(({ user }) => isRoot(quorum, user.id)).length;
}

function isRoot({ userIds }: DecisionInput['rootQuorum'], userId: string): boolean {
  return userIds.includes(userId);
}

export type QualificationInput = Pick<DecisionInput, 'index' | 'elements' | 'rootQuorum' | 'voters' | 'nowMs'>;

/**
 * Whether a user may approve or reject. Root users may, and users whose vote advances an ALLOW policy that applies to the
 * activity. `between` lets other requests run if many policies may apply.
 */
export async function qualifiesToVote(
  input: QualificationInput,
  voter: Voter,
  between: () => Promise<unknown>,
): Promise<boolean> {
  if (isRoot(input.rootQuorum, voter.user.id)) return true;
  const voters = distinct(input.voters);
  const clock = openClock(input.nowMs);
  shareBudget([clock, ...input.elements]);
  const known = new Map<CompiledPolicy, boolean>();
  const advances = (policy: CompiledPolicy): boolean => {
    const answer = known.get(policy) ?? contributes(policy, voter, voters, clock.budget);
    known.set(policy, answer);
    return answer;
  };
  let left = AT_ONCE;
  for (const request of input.elements)
    for (const { policy } of candidates(input.index, request)) {
      if (policy.effect !== 'EFFECT_ALLOW') continue;
      if (left === 0) {
        await between();
        left = AT_ONCE;
      }
      left -= 1;
      if (conditionHolds(policy, request) && holds(evaluatePart(policy.time, clock)) && advances(policy)) return true;
    }
  return false;
}

function holds(result: ReturnType<typeof evaluatePart>): boolean {
  return result.ok && result.value === true;
}
