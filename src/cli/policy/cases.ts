import { activities } from '../../activities/index.ts';
import { ApiError } from '../../base/errors.ts';
import { policyEnvironment } from '../../engine/policies.ts';
import { type Matter, matterOf } from '../../engine/situation.ts';
import {
  buildIndex,
  type CompiledPolicy,
  compilePolicy,
  decide,
  type Explanation,
  explain,
  openRequest,
  type PolicyError,
  type Request,
  type Roots,
  type Voter,
} from '../../policy/index.ts';
import type { NamedSource, PolicyCase, PolicyFile } from './file.ts';
import { misfit } from './roots.ts';

export type Checked = {
  problems: { policy: string; error: PolicyError; source: string }[];
  policies: { name: string; policy: CompiledPolicy }[];
};

/** Compiles every policy, and says what is wrong with the others. */
export function checkPolicies(sources: readonly NamedSource[]): Checked {
  const checked: Checked = { problems: [], policies: [] };
  for (const { name, source } of sources) {
    const compiled = compilePolicy(source, policyEnvironment);
    if (compiled.ok) checked.policies.push({ name, policy: compiled.policy });
    else for (const error of compiled.errors) checked.problems.push({ policy: name, error, source: source[error.part] ?? '' });
  }
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
  /** The root users among the approvers are enough: no policy was asked. */
  byRootQuorum?: boolean;
  /** The element of a batch that decided. */
  element?: number;
  policies: { name: string; effect: string; explained: Explanation }[];
};

class CaseError extends Error {}

const GOT: Readonly<Record<string, string>> = { OUTCOME_REQUIRES_CONSENSUS: 'CONSENSUS' };

/** Decides a case as the service would, and explains what every policy came to. */
export async function runCase(checked: Checked, given: PolicyCase, now: number): Promise<CaseResult> {
  const { name, wanted, root } = given;
  try {
    const matter = matterIn(given);
    const elements = await elementsOf(given, matter);
    const voters = given.approvers.map(voterOf);
    const nowMs = given.now ?? now;
    const own = matter?.kind.ownCredentialsOf(matter.intent);
    const { outcome, element } = decide({
      index: buildIndex(checked.policies.map((each) => ({ id: each.name, policy: each.policy }))),
      elements,
      rootQuorum: root,
      voters,
      rejections: [],
      rootQuorumOnly: matter?.kind.governedBy === 'root-quorum',
      defaultAllowance: own !== undefined && new Set(voters.map((v) => v.user.id)).size === 1 && voters[0]?.user.id === own,
      nowMs,
    });
    const got = GOT[outcome] ?? outcome.slice('OUTCOME_'.length);
    const passed = got === wanted || (wanted === 'DENY' && got.startsWith('DENY_'));
    const rootVotes = new Set(voters.map((v) => v.user.id).filter((id) => root.userIds.includes(id))).size;
    const byRootQuorum = rootVotes >= root.threshold;
    const policies = byRootQuorum
      ? []
      : checked.policies.map(({ name: policy, policy: compiled }) => ({
          name: policy,
          effect: compiled.effect,
          explained: explain(compiled, elements[element] ?? openRequest({}), voters, nowMs),
        }));
    return { name, wanted, got, passed, ...(byRootQuorum ? { byRootQuorum } : {}), element, policies };
  } catch (error) {
    if (!(error instanceof CaseError) && !(error instanceof ApiError)) throw error;
    return { name, wanted, got: 'ERROR', passed: false, problem: error.message, policies: [] };
  }
}

export async function runCases(file: PolicyFile, checked: Checked, now: number): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const given of file.cases) results.push(await runCase(checked, given, now));
  return results;
}

function voterOf({ credentials, ...user }: PolicyCase['approvers'][number]): Voter {
  return { user, credentials: credentials.map((each) => ({ ...each, user_id: user.id })) };
}

/** What is submitted, by the program's own rules; undefined for a type that this version does not know. */
function matterIn({ activity: { type, parameters } }: PolicyCase): Matter | undefined {
  for (const kind of activities) {
    const version = kind.versions.get(type);
    if (version !== undefined && kind.votes !== undefined) throw new CaseError(`${type} is a vote, and no policy decides on it`);
    if (version === undefined) continue;
    if (parameters !== undefined) return matterOf(kind, version, plain(parameters), '0');
    // Without parameters a policy sees the case's `params`, and only the kind is taken from the program.
    const ownCredentialsOf = () => undefined;
    return { kind: { ...kind, ownCredentialsOf }, version, parameters: undefined, intent: undefined, timestampMs: '0' };
  }
  return undefined;
}

/** The numbers of submitted JSON, where they fit. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

async function elementsOf({ activity: given, roots }: PolicyCase, matter: Matter | undefined): Promise<Request[]> {
  if (matter === undefined && (given.resource === undefined || given.action === undefined))
    throw new CaseError(`${given.type} is not known to this version: give activity.resource and activity.action as well`);
  if (matter === undefined && given.parameters !== undefined)
    throw new CaseError(`${given.type} is not known to this version: give activity.params, as policies see them`);
  const fromParameters = matter?.parameters !== undefined;
  const activity = {
    type: given.type,
    kind: given.kind ?? matter?.kind.kind ?? given.type.replace(/^ACTIVITY_TYPE_/, '').replace(/_V\d+$/, ''),
    resource: given.resource ?? matter?.kind.resource ?? '',
    action: given.action ?? matter?.kind.action ?? '',
    params: fromParameters ? matter.kind.policyParams(matter.intent) : (given.params ?? {}),
  };
  const activityType = policyEnvironment.roots.get('activity')!.type;
  const wrong = fromParameters ? undefined : misfit(activity, activityType, 'activity');
  if (wrong !== undefined) throw new CaseError(wrong);
  const read = fromParameters ? await viewOf(matter) : [{}];
  const own = Array.isArray(roots) ? roots : read.map(() => roots);
  if (Array.isArray(roots) && fromParameters && read.length !== own.length)
    throw new CaseError(`roots has ${own.length} elements, but the parameters have ${read.length}`);
  return own.map((each, i) => openRequest({ ...(read[i] ?? {}), ...rootsOf(each), activity: activity as never }));
}

/** What the parameters alone show: typed data, but no wallet and no key, for there is no database. */
async function viewOf({ kind, intent }: Matter): Promise<readonly Roots[]> {
  const nothing = new Proxy({}, { get: () => async () => undefined });
  const read = new Proxy({}, { get: () => nothing });
  try {
    return await kind.policyView({ read: read as never, organization: { id: '' } as never }, intent);
  } catch {
    return [{}];
  }
}

function rootsOf(given: Readonly<Record<string, unknown>>): Roots {
  for (const [keyword, value] of Object.entries(given)) {
    const root = policyEnvironment.roots.get(keyword);
    if (root === undefined || root.part !== 'condition' || keyword === 'activity') {
      const known = [...policyEnvironment.roots.values()].filter(
        (each) => each.part === 'condition' && each.keyword !== 'activity',
      );
      throw new CaseError(`roots has no ${keyword}; a case can give ${known.map((each) => each.keyword).join(', ')}`);
    }
    const wrong = misfit(value, root.type, `roots.${keyword}`);
    if (wrong !== undefined) throw new CaseError(wrong);
  }
  return given as Roots;
}
