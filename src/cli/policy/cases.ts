import { policyEnvironment as environment } from '../../app/policy-environment.ts';
import { ApiError } from '../../base/errors.ts';
import { elementsOf, evaluate, meetsRootQuorum } from '../../engine/decision/authorize.ts';
import type { PolicyCache } from '../../engine/decision/policy-cache.ts';
import type { Organization } from '../../model/organization.ts';
import {
  type BindingLimit,
  buildIndex,
  type CompiledPolicy,
  compilePolicy,
  type Explanation,
  explain,
  openRequest,
  type PolicyError,
  type PolicyWarning,
  type Voter,
  warnings,
  waysAround,
  waysPastLimits,
} from '../../policy/index.ts';
import { activityOfCase, CaseError } from './case-activity.ts';
import type { NamedSource, PolicyCase, PolicyFile } from './file.ts';

/** `policy`: its name, or that of a session profile, whose `part` is its scope. */
type Found<E extends PolicyError> = { policy: string; error: E; source: string; part?: 'scope' };

export type CheckResult = {
  problems: Found<PolicyError>[];
  /** Policies and scopes that are valid but probably not intended. */
  warnings: Found<PolicyWarning>[];
  policies: { name: string; policy: CompiledPolicy }[];
};

/**
 * Compiles every policy and collects errors and warnings. A name that is near a known one is an error: the service refuses it in a
 * new text. `limits`: those over time that bind every signer.
 */
export function checkPolicies(sources: readonly NamedSource[], limits: readonly BindingLimit[] = []): CheckResult {
  const checked: CheckResult = { problems: [], warnings: [], policies: [] };
  for (const { name, source } of sources) {
    const compiled = compilePolicy(source, environment);
    if (compiled.ok) {
      checked.policies.push({ name, policy: compiled.policy });
      for (const error of warnings(compiled.policy, environment)) {
        const kind = error.unknown?.near === undefined ? 'warnings' : 'problems';
        checked[kind].push({ policy: name, error, source: source[error.part] ?? '' });
      }
    } else for (const error of compiled.errors) checked.problems.push({ policy: name, error, source: source[error.part] ?? '' });
  }
  const compiled = new Map(checked.policies.map(({ name, policy }) => [name, policy]));
  const named = checked.policies.map(({ name: id, policy }) => ({ id, policy }));
  for (const { id, warning } of [...waysAround(named, environment), ...waysPastLimits(named, environment, limits)])
    checked.warnings.push({ policy: id, error: warning, source: compiled.get(id)!.source.condition });
  return checked;
}

export type CaseResult = {
  name: string;
  wanted: string;
  /** ALLOW, DENY_EXPLICIT, DENY_IMPLICIT or CONSENSUS; ERROR if the case itself is wrong. */
  got: string;
  passed: boolean;
  /** Why the case cannot be decided. */
  problem?: string;
  /** The root users among the approvers suffice, so no policy was evaluated. */
  byRootQuorum?: boolean;
  /** Why it was decided without policies. */
  reason?: string;
  /** The element of a batch that determined the outcome. */
  element?: number;
  policies: { name: string; effect: string; explained: Explanation }[];
};

const GOT: Readonly<Record<string, string>> = { OUTCOME_REQUIRES_CONSENSUS: 'CONSENSUS' };

/** A case supplies everything that a decision reads. */
const NOTHING = {} as Parameters<typeof evaluate>[1];

/** Decides cases as the service would, and explains the outcome of every policy. */
export async function runCases({ cases }: Pick<PolicyFile, 'cases'>, checked: CheckResult, now: number): Promise<CaseResult[]> {
  const index = buildIndex(checked.policies.map(({ name, policy }) => ({ id: name, policy })));
  const policies = async () => index;
  const results: CaseResult[] = [];
  for (const given of cases) results.push(await runCase(policies, checked, given, now));
  return results;
}

/** A misspelt control would be absent, and test nothing. */
function requireRead({ policies }: CheckResult, { controls = {} }: PolicyCase): void {
  const read = new Set(policies.flatMap(({ policy }) => policy.controls.map(({ name }) => name)));
  for (const name of Object.keys(controls))
    if (!read.has(name)) throw new CaseError(`no policy of this file reads controls.${name}`);
}

async function runCase(source: PolicyCache, checked: CheckResult, given: PolicyCase, now: number): Promise<CaseResult> {
  const { name, wanted, root } = given;
  try {
    requireRead(checked, given);
    const activity = await activityOfCase(given);
    const organization = { id: '', rootQuorum: root } as unknown as Organization;
    const voters = given.approvers.map(voterOf);
    const approving = [...new Set(voters.map(({ user }) => user.id))];
    const nowMs = given.now ?? now;
    const input = { organization, activity, approving, voters: async () => voters, submitterId: approving[0], now: nowMs };
    const { outcome, element, builtIn } = await evaluate(source, NOTHING, input);
    const got = GOT[outcome] ?? outcome.slice('OUTCOME_'.length);
    const passed = got === wanted || (wanted === 'DENY' && got.startsWith('DENY_'));
    const byRootQuorum = builtIn === undefined && meetsRootQuorum(organization, approving);
    const shown = (await elementsOf(activity))[element] ?? openRequest({});
    const asked = builtIn === undefined && !byRootQuorum;
    const policies = (asked ? checked.policies : []).map(({ name: policy, policy: compiled }) => ({
      name: policy,
      effect: compiled.effect,
      explained: explain(compiled, shown, voters, nowMs),
    }));
    return {
      name,
      wanted,
      got,
      passed,
      ...(byRootQuorum ? { byRootQuorum } : {}),
      ...(builtIn === undefined ? {} : { reason: builtIn }),
      element,
      policies,
    };
  } catch (error) {
    if (!(error instanceof CaseError) && !(error instanceof ApiError)) throw error;
    return { name, wanted, got: 'ERROR', passed: false, problem: error.message, policies: [] };
  }
}

function voterOf({ credentials, ...user }: PolicyCase['approvers'][number]): Voter {
  return { user, credentials: credentials.map((each) => ({ ...each, user_id: user.id })) };
}
