import { setImmediate } from 'node:timers/promises';
import { Lru } from '../../base/lru.ts';
import type { Vote } from '../../model/activity.ts';
import { type AuthenticationMethod, inOrder, type MfaPolicy, type MfaStep } from '../../model/mfa-policy.ts';
import { PROOF_MS, type Proof } from '../../model/proof.ts';
import type { Credential, User } from '../../model/user.ts';
import {
  type CompiledExpression,
  evaluateExpression,
  MAX_MFA_STEPS,
  MAX_STEPS,
  type Request,
  shareBudget,
} from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import { approvalOf, type ResolvedActivity } from '../activity/decode.ts';
import { credentialOf } from '../credentials.ts';
import type { PolicyCompiler } from '../policy-compiler.ts';
import type { Log } from '../ports.ts';
import { elementsOf } from './authorize.ts';
import { judge, type Stamped } from './mfa-methods.ts';

/** The demand of a policy on a user for one activity. `missing`: the open steps. */
export type Demand = { userId: string; policy: MfaPolicy; missing: MfaStep[]; shown: AuthenticationMethod[] };

/** The user's MFA policies that apply to an activity, in their order. */
export type MfaPolicies = (read: Reader, user: User, activity: ResolvedActivity) => Promise<MfaPolicy[]>;

/** Kept by its text. */
type Condition = { expression: CompiledExpression | undefined; bytes: number };

/** Estimated in the same way as those of policies. */
const BYTES = { condition: 500, character: 40 };
const MOST_BYTES = 16_000_000;

export function mfaPolicies(compiler: PolicyCompiler, log: Log, most = MOST_BYTES): MfaPolicies {
  const kept = new Lru<Condition>(most, ({ bytes }) => bytes);

  function compiled({ condition, organizationId, id }: MfaPolicy): CompiledExpression | undefined {
    const known = kept.get(condition);
    if (known !== undefined) return known.expression;
    const expression = compiler.compileMfaCondition(condition);
    if (expression === undefined)
      log.error(
        { organizationId, mfaPolicyId: id },
        'the condition of an MFA policy does not compile: its steps are required for every activity',
      );
    kept.set(condition, { expression, bytes: BYTES.condition + BYTES.character * condition.length });
    return expression;
  }

  return async (read, user, activity) => {
    if (user.mfaPolicyCount === 0) return [];
    let open = await elementsOf(activity);
    const budget = shareBudget(open, MAX_MFA_STEPS);
    let begun = budget.left;
    const applying: MfaPolicy[] = [];
    for (const policy of inOrder(await read.mfaPolicies.listByUser(user.organizationId, user.id))) {
      const expression = compiled(policy);
      const unsettled: Request[] = [];
      let asks = false;
      for (const element of open) {
        const held = expression === undefined ? 'unknown' : holds(expression, element);
        if (held !== 'false') asks = true;
        if (held !== 'true') unsettled.push(element);
        if (begun - budget.left < MAX_STEPS) continue;
        await setImmediate();
        begun = budget.left;
      }
      if (asks) applying.push(policy);
      open = unsettled;
    }
    return applying;
  };
}

/** Unknown: a part that would decide it cannot be read, or takes too many steps. */
function holds(expression: CompiledExpression, element: Request): 'true' | 'false' | 'unknown' {
  const judged = evaluateExpression(expression, element);
  if (!judged.ok) return 'unknown';
  return judged.value ? 'true' : 'false';
}

/** The demands of each applicable policy on a user who has made these stamps. */
export async function demandsOfUser(
  policies: MfaPolicies,
  read: Reader,
  user: User,
  activity: ResolvedActivity,
  stamps: readonly Stamped[],
): Promise<Demand[]> {
  const applying = await policies(read, user, activity);
  return applying.map((policy) => ({ userId: user.id, policy, ...judge(policy.steps, stamps) }));
}

/** Approvals and proofs of an activity whose users belong to this organization. */
export type Given = { organizationId: string; votes: readonly Vote[]; proofs: readonly Proof[]; now: number };

/** The stamps that prove a user's identity. They count for a day, while the credential exists. */
export async function stampsOf(read: Reader, { organizationId, votes, proofs, now }: Given, userId: string): Promise<Stamped[]> {
  const approvals = votes.filter((vote) => vote.selection === 'VOTE_SELECTION_APPROVED');
  const stamps: Stamped[] = [];
  for (const stamp of [...approvals, ...proofs]) {
    if (stamp.userId !== userId || stamp.createdAt + PROOF_MS <= now) continue;
    const credential = await credentialOf(read, organizationId, stamp);
    if (credential?.userId === userId) stamps.push({ scheme: stamp.scheme, credential });
  }
  return stamps;
}

/** The credentials of proofs that count, by user. Policies see them beside the credential of the vote. */
export async function provenBy(read: Reader, { organizationId, proofs, now }: Given): Promise<Map<string, Credential[]>> {
  const proven = new Map<string, Credential[]>();
  for (const proof of proofs) {
    if (proof.createdAt + PROOF_MS <= now) continue;
    const credential = await credentialOf(read, organizationId, proof);
    if (credential?.userId === proof.userId) proven.set(proof.userId, [...(proven.get(proof.userId) ?? []), credential]);
  }
  return proven;
}

/**
 * The demands on each of these users who still exists. The submitter must meet them for the activity, others for their
 * approval.
 */
export async function demandsOf(
  policies: MfaPolicies,
  read: Reader,
  given: Given,
  activity: ResolvedActivity,
  userIds: Iterable<string>,
): Promise<Demand[]> {
  const demands: Demand[] = [];
  for (const id of new Set(userIds)) {
    const user = await read.users.get(given.organizationId, id);
    if (user === undefined || user.mfaPolicyCount === 0) continue;
    const asked = id === given.votes[0]?.userId ? activity : approvalOf(activity);
    demands.push(...(await demandsOfUser(policies, read, user, asked, await stampsOf(read, given, id))));
  }
  return demands;
}
