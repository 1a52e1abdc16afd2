import type { CompiledPolicy } from '../decide/compile.ts';
import { pinsHold } from '../decide/index-keys.ts';
import { type Part, placeOf } from '../language/problem.ts';
import { type Budget, type EvaluationFailure, openRequest, type Request } from './context.ts';
import { type Program, type Result, run } from './evaluate.ts';
import { type Findings, once } from './once.ts';
import type { Value } from './values.ts';

export type PolicyOutcome =
  | 'OUTCOME_ALLOW'
  | 'OUTCOME_DENY_EXPLICIT'
  | 'OUTCOME_DENY_IMPLICIT'
  | 'OUTCOME_REQUIRES_CONSENSUS'
  | 'OUTCOME_ERROR'
  | 'OUTCOME_TIME_INACTIVE';

/** The outcome of one policy. `reason` is set if something could not be evaluated. */
export type PolicyEvaluation = { readonly policyId: string; readonly outcome: PolicyOutcome; readonly reason?: string };

export type ApprovingUser = { readonly id: string } & { readonly [field: string]: Value | undefined };

/** A user whose approval is live, and the credentials used. `user` and `credentials` are elements of `approvers` and `credentials`. */
export type Voter = { readonly user: ApprovingUser; readonly credentials: readonly Value[] };

/** The votes and the clock of one decision. `known`: of a batch, what they give for each policy, whatever the element. */
export type Ballot = {
  readonly voters: readonly Voter[];
  readonly people: Request;
  readonly clock: Request;
  readonly known: { readonly parts: Findings<Result>; readonly open: Findings<boolean> } | undefined;
};

export function openBallot(voters: readonly Voter[], nowMs: number, isBatch = false): Ballot {
  const known = isBatch ? { parts: new Map(), open: new Map() } : undefined;
  return { voters, people: peopleOf(voters), clock: openClock(nowMs), known };
}

export function openClock(nowMs: number): Request {
  return openRequest({ 'time.now': { epochMs: nowMs } });
}

function peopleOf(voters: readonly Voter[], budget?: Budget): Request {
  const people = openRequest({
    approvers: voters.map(({ user }) => user),
    credentials: voters.flatMap(({ credentials }) => credentials),
  });
  people.budget = budget;
  return people;
}

export type Verdict = { readonly outcome: PolicyOutcome; readonly reason?: string };

const UNMATCHED: Verdict = { outcome: 'OUTCOME_DENY_IMPLICIT' };
const ERROR: Verdict = { outcome: 'OUTCOME_ERROR' };
const TRUE: Result = { ok: true, value: true };
const FALSE: Result = { ok: true, value: false };

/** Evaluates one policy for one request. `briefly`: without a reason, if the policy's pins determine the outcome. */
export function evaluatePolicy(policy: CompiledPolicy, request: Request, ballot: Ballot, briefly = false): Verdict {
  const pins = pinsHold(policy.pins, request);
  if (pins === 'no') return UNMATCHED;
  if (briefly && pins === 'fails' && policy.effect === 'EFFECT_ALLOW') return ERROR;
  const condition = evaluateCondition(policy, request, pins);
  const consensus = partOf(ballot, policy.consensus, ballot.people);
  return policy.effect === 'EFFECT_DENY'
    ? denyVerdict(policy, condition, consensus, ballot)
    : allowVerdict(policy, condition, consensus, ballot);
}

/** The condition. A pin that does not hold makes it false, whatever the other clauses. */
export function evaluateCondition(policy: CompiledPolicy, request: Request, pins = pinsHold(policy.pins, request)): Result {
  if (pins === 'no') return FALSE;
  return pins === 'yes' && policy.pinned ? TRUE : evaluatePart(policy.condition, request);
}

/** Whether the condition is true, without the reason if it is not. */
export function conditionHolds(policy: CompiledPolicy, request: Request): boolean {
  const pins = pinsHold(policy.pins, request);
  if (pins === 'fails') return false;
  const result = evaluateCondition(policy, request, pins);
  return result.ok && result.value === true;
}

export function evaluatePart(program: Program | undefined, request: Request): Result {
  return program === undefined ? TRUE : run(program, request);
}

/** `request`: the people or the clock of the ballot. */
function partOf({ known }: Ballot, program: Program | undefined, request: Request): Result {
  if (known === undefined || program === undefined) return evaluatePart(program, request);
  return once(known.parts, program, request.budget, () => run(program, request));
}

/** Whether each vote advances the policy's consensus. */
function isOpen(policy: CompiledPolicy, { known, voters, people: { budget } }: Ballot): boolean {
  const find = () => voters.every((voter) => contributes(policy, voter, voters, budget));
  return known === undefined ? find() : once(known.open, policy, budget, find);
}

/** Whether the time of a policy includes the clock's instant, as decisions see it. One that cannot be evaluated does not. */
export function takesPart({ time, source }: CompiledPolicy, clock: Request): { active: boolean; error?: string } {
  const result = evaluatePart(time, clock);
  if (result.ok) return { active: result.value === true };
  return { active: false, error: formatFailure('time', source.time, result.failure) };
}

function allowVerdict(policy: CompiledPolicy, condition: Result, consensus: Result, ballot: Ballot): Verdict {
  if (!condition.ok) return failed('OUTCOME_ERROR', policy, 'condition', condition.failure);
  if (!consensus.ok) return failed('OUTCOME_ERROR', policy, 'consensus', consensus.failure);
  if (condition.value !== true) return UNMATCHED;
  const time = partOf(ballot, policy.time, ballot.clock);
  if (!time.ok) return failed('OUTCOME_ERROR', policy, 'time', time.failure);
  if (consensus.value === true) return { outcome: time.value === true ? 'OUTCOME_ALLOW' : 'OUTCOME_TIME_INACTIVE' };
  return time.value === true && isOpen(policy, ballot) ? { outcome: 'OUTCOME_REQUIRES_CONSENSUS' } : UNMATCHED;
}

/**
 * A DENY that cannot be evaluated denies, with two exceptions:
 * - It refers to a value that this activity does not have.
 * - Another of its parts is false, so that it could not match whatever the failing part's result.
 */
function denyVerdict(policy: CompiledPolicy, condition: Result, consensus: Result, ballot: Ballot): Verdict {
  const failure = !condition.ok ? condition.failure : !consensus.ok ? consensus.failure : undefined;
  const part = condition.ok ? 'consensus' : 'condition';
  const hopeless = isFalse(condition) || isFalse(consensus) || (!condition.ok && condition.failure.code === 'absent');
  if (hopeless) return failure === undefined ? UNMATCHED : failed('OUTCOME_ERROR', policy, part, failure);
  const time = partOf(ballot, policy.time, ballot.clock);
  if (isFalse(time)) return { outcome: 'OUTCOME_TIME_INACTIVE' };
  if (failure !== undefined) return failed('OUTCOME_DENY_EXPLICIT', policy, part, failure);
  return time.ok ? { outcome: 'OUTCOME_DENY_EXPLICIT' } : failed('OUTCOME_DENY_EXPLICIT', policy, 'time', time.failure);
}

function isFalse(result: Result): boolean {
  return result.ok && result.value !== true;
}

function failed(outcome: PolicyOutcome, policy: CompiledPolicy, part: Part, failure: EvaluationFailure): Verdict {
  return { outcome, reason: formatFailure(part, policy.source[part], failure) };
}

export function formatFailure(part: Part, source: string, failure: EvaluationFailure): string {
  const { line, column } = placeOf(source, failure.span);
  return `${part}: ${failure.message} (line ${line}, column ${column})`;
}

/** Whether the reason is that the policy refers to a value that the activity does not have. */
export const saysAbsent = (reason: string): boolean => /^\w+: `[^`]+` is absent: /.test(reason);

/**
 * Whether a user's vote advances a policy's consensus. One of its leaves must be true for that user alone, or count more with
 * the user than without.
 */
export function contributes(policy: CompiledPolicy, voter: Voter, voters: readonly Voter[], budget?: Budget): boolean {
  if (policy.leaves.length === 0) return false;
  const alone = peopleOf([voter], budget);
  if (policy.leaves.some((leaf) => leaf.kind === 'truth' && answer(leaf.program, alone) === true)) return true;
  if (!policy.leaves.some((leaf) => leaf.kind === 'count')) return false;
  const others = voters.filter(({ user }) => user.id !== voter.user.id);
  const before = peopleOf(others, budget);
  const after = peopleOf([...others, voter], budget);
  return policy.leaves.some((leaf) => {
    if (leaf.kind !== 'count') return false;
    const less = answer(leaf.program, before);
    const more = answer(leaf.program, after);
    return typeof less === 'bigint' && typeof more === 'bigint' && more > less;
  });
}

function answer(program: Program, request: Request): unknown {
  const result = run(program, request);
  return result.ok ? result.value : undefined;
}
